package metering

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// LogQuery selects usage logs. A zero field does not limit the selection.
type LogQuery struct {
	TenantID    uuid.UUID // for operators; other scopes see only their tenant
	UserID      uuid.UUID
	TokenID     uuid.UUID
	ChannelID   uuid.UUID
	Model       string
	Outcome     usage.Outcome
	Dialect     string
	Error       string
	EndUser     string
	ClientMarks []int64           // a log must have one of these as its Client, see seal.Sealer.ClientMarks
	Tags        []attribution.Tag // a log must have all of them
	From, To    time.Time         // the range [From, To) of CreatedAt
	NewerThan   uuid.UUID         // only logs with a greater id, for pages that poll for new logs
	page.Page
}

// UsageLogs lists the usage logs that the scope may read, newest first, or sorted by created_at. The work of a call is
// bounded for all filters. So if the filters select very few of many logs, a page may be short or empty and still have
// a Next. A page ends at about 1 MiB, too. The list has no total count.
func (s *Store) UsageLogs(ctx context.Context, scope tenant.Scope, query LogQuery) (_ page.List[usage.Log], err error) {
	defer db.Wrap(&err, "read usage logs")

	limit, err := query.Size()
	if err != nil {
		return page.List[usage.Log]{}, err
	}
	return s.usageLogs(ctx, scope, query, bounds{limit, page.MaxBytes})
}

// MaxLogBatch is the greatest number of logs that LogBatch returns.
const MaxLogBatch = 2000

// batchBytes is the size of logs at which LogBatch ends: 4 KiB for each of the most logs.
const batchBytes = 8 * page.MaxBytes

// LogsByID (system scope) returns the logs with the ids that exist, in the order of their ids.
func (s *Store) LogsByID(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) (_ []usage.Log, err error) {
	defer db.Wrap(&err, "read usage logs by id")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	return readLogs(ctx, selectLogs(s.db).Where("r.id IN (?)", bun.List(ids)).OrderExpr("r.id"))
}

// bounds end a page of logs.
type bounds struct{ logs, bytes int }

// LogBatch returns the same logs as UsageLogs, for programs that read all logs: its pages have up to
// MaxLogBatch logs, which is also the default, and end at about 8 MiB.
func (s *Store) LogBatch(ctx context.Context, scope tenant.Scope, query LogQuery) (_ page.List[usage.Log], err error) {
	defer db.Wrap(&err, "read log batch")

	if query.Limit <= 0 || query.Limit > MaxLogBatch {
		query.Limit = MaxLogBatch
	}
	return s.usageLogs(ctx, scope, query, bounds{query.Limit, batchBytes})
}

// usageLogs checks the query and returns a page within the bounds.
func (s *Store) usageLogs(ctx context.Context, scope tenant.Scope, query LogQuery,
	limits bounds) (page.List[usage.Log], error) {
	if err := field.First(permission.Check(scope, permission.ReadUsage), query.checkOutcome()); err != nil {
		return page.List[usage.Log]{}, err
	}
	order, err := query.Sort.Order(page.NewestFirst)
	if err != nil {
		return page.List[usage.Log]{}, err
	}
	cursor, err := query.cursor(order)
	if err != nil {
		return page.List[usage.Log]{}, err
	}
	if ok, err := db.Narrow(scope, &query.TenantID, &query.UserID); err != nil || !ok {
		return page.List[usage.Log]{Items: []usage.Log{}}, err
	}
	list := page.List[usage.Log]{Items: []usage.Log{}}
	err = s.readAs(ctx, scope, func(in *Store) error {
		if ok, err := in.hasOwners(ctx, &query); err != nil || !ok {
			return err
		}
		list, err = in.searchLogs(ctx, logSearch{LogQuery: query, order: order, scope: scope, now: in.db.Now(),
			bounds: limits}, cursor)
		return err
	})
	return list, err
}

// hasOwners reports whether the token and the user of the query exist in its tenant, and the token is of the user, if
// the query names them. Without this check, row-level security would discard all logs of another tenant's token one by
// one, and no bound of a search would end that.
func (s *Store) hasOwners(ctx context.Context, query *LogQuery) (bool, error) {
	if query.TenantID == uuid.Nil {
		return true, nil
	}
	if query.TokenID != uuid.Nil {
		q := s.db.NewSelect().Table("tokens").ColumnExpr("1").Where("id = ?", query.TokenID).
			Where("tenant_id = ?", query.TenantID)
		if query.UserID != uuid.Nil {
			q = q.Where("user_id = ?", query.UserID)
		}
		return q.Exists(ctx)
	}
	if query.UserID != uuid.Nil {
		return s.db.NewSelect().Table("users").ColumnExpr("1").Where("id = ?", query.UserID).
			Where("tenant_id = ?", query.TenantID).Exists(ctx)
	}
	return true, nil
}

// searchLogs runs a search on one snapshot of the database.
func (s *Store) searchLogs(ctx context.Context, search logSearch,
	cursor uuid.UUID) (list page.List[usage.Log], err error) {
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		if err := s.sortByIndex(ctx, in); err != nil {
			return err
		}
		search.db, search.postgres = in, in.Postgres()
		search.depth = func(ctx context.Context) (int, error) { return s.depthOfAll(ctx, in) }
		if _, filters := search.index(); search.checks(filters) {
			if err := search.findOldest(ctx, in); err != nil {
				return err
			}
		}
		list, err = search.page(ctx, cursor)
		return err
	})
	return list, err
}

// depthOfAll counts the outbox of all tenants. Under row-level security the count would show only the rows of
// one tenant, and the search would not notice that the outbox is too long to be searched.
func (s *Store) depthOfAll(ctx context.Context, in *db.DB) (depth int, err error) {
	err = in.Unrestricted(ctx, func(unscoped *db.DB) error {
		depth, err = rollup.Depth(ctx, unscoped)
		return err
	})
	return depth, err
}

// cursor returns the id in the page's cursor, uuid.Nil for the first page.
func (query *LogQuery) cursor(order page.Order) (uuid.UUID, error) {
	if query.After == "" {
		return uuid.Nil, nil
	}
	key, err := query.Key(order)
	if err != nil {
		return uuid.Nil, err
	}
	return uuid.Parse(key)
}

// UsageLog returns one usage log with the price and the rule that priced it. The ID of the price is zero if
// the call was not priced. It returns a NotFound problem if the scope may not read the log.
func (s *Store) UsageLog(ctx context.Context, scope tenant.Scope,
	id uuid.UUID) (_ usage.Log, _ pricing.Terms, err error) {
	defer db.Wrap(&err, "read usage log")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return usage.Log{}, pricing.Terms{}, err
	}
	var (
		log   usage.Log
		terms pricing.Terms
	)
	err = s.readAs(ctx, scope, func(in *Store) error {
		logs, err := readLogs(ctx, selectLogs(in.db).Where("r.id = ?", id))
		if err != nil {
			return err
		}
		if len(logs) == 0 || !db.ReachesUser(scope, logs[0].TenantID, logs[0].UserID) {
			return db.NoSuch("usage log")
		}
		log = logs[0]
		terms, err = in.terms(ctx, &log)
		return err
	})
	if err != nil {
		return usage.Log{}, pricing.Terms{}, err
	}
	hide(&log, scope)
	return log, terms, nil
}

// terms reads the price and the rule of a log. A log without a rule has the multiplier 1.
func (s *Store) terms(ctx context.Context, log *usage.Log) (terms pricing.Terms, err error) {
	terms = pricing.Free(log.GroupID)
	if log.PriceID != uuid.Nil {
		price, err := catalogdb.FindPrice(ctx, s.db, log.PriceID)
		if err != nil {
			return terms, err
		}
		terms.Price = &price
	}
	if log.RuleID != uuid.Nil {
		terms.Rule, err = catalogdb.FindRule(ctx, s.db, log.RuleID)
	}
	return terms, err
}
