package alert

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// rulesRead is the number of rules that EnabledRules returns at most.
const rulesRead = 200

// ownersRead is the number of owners that Owners returns at most.
const ownersRead = 500

// EnabledRules (system scope) returns up to 200 enabled rules with ids after the given one, in the order of their ids.
// Rules of disabled tenants are left out.
func (s *Store) EnabledRules(ctx context.Context, scope tenant.Scope, after uuid.UUID) (rules []alert.Rule, err error) {
	defer db.Wrap(&err, "read enabled alert rules")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	var rows []ruleRow
	err = s.db.NewSelect().Model(&rows).Join("LEFT JOIN tenants AS t ON t.id = r.tenant_id").
		Where("r.status = ?", tenant.Enabled).
		Where("(r.tenant_id IS NULL OR t.status = ?)", tenant.Enabled).Where("r.id > ?", after).OrderExpr("r.id").
		Limit(rulesRead).Scan(ctx)
	for i := range rows {
		rules = append(rules, rows[i].core())
	}
	return rules, err
}

// ownerRow is a tenant, user or token that a rule watches.
type ownerRow struct {
	ID        uuid.UUID `bun:"id,type:uuid"`
	TenantID  uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Name      string    `bun:"name"`
	CreatedAt time.Time `bun:"created_at"`
}

// kindOf returns the kind of the accounts of a rule's owners.
func kindOf(r *alert.Rule) quota.Kind {
	switch {
	case r.Subject == alert.OfUser:
		return quota.UserCap
	case r.Subject == alert.OfToken:
		return quota.TokenCap
	case r.Period == quota.Lifetime:
		return quota.Wallet
	default:
		return quota.TenantCap
	}
}

// Owners (system scope) returns the enabled owners that a rule watches with ids after the given one, in the order of
// their ids, with their account of the rule's period at the time now. An owner without such an account has an unlimited
// one. next is the id to continue after; uuid.Nil: there are no more owners.
func (s *Store) Owners(ctx context.Context, scope tenant.Scope, r *alert.Rule,
	after uuid.UUID, now time.Time) (owners []alert.Owner, next uuid.UUID, err error) {
	defer db.Wrap(&err, "read owners of an alert rule")

	if err := permission.Program(scope); err != nil {
		return nil, uuid.Nil, err
	}
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		owners, next, err = New(in).owners(ctx, r, after, now)
		return err
	})
	return owners, next, err
}

func (s *Store) owners(ctx context.Context, r *alert.Rule, after uuid.UUID,
	now time.Time) (owners []alert.Owner, next uuid.UUID, err error) {
	var rows []ownerRow
	if err := s.ownerQuery(r).Where("r.id > ?", after).Where("r.status = ?", tenant.Enabled).OrderExpr("r.id").
		Limit(ownersRead).Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, uuid.Nil, err
	}
	if len(rows) == ownersRead {
		next = rows[len(rows)-1].ID
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = quota.Limit{Owner: row.ID, Kind: kindOf(r), Period: r.Period}.Account(now).ID
	}
	var accounts []quotadb.AccountRow
	if err := s.db.NewSelect().Model(&accounts).Where("id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, uuid.Nil, err
	}
	byID := make(map[uuid.UUID]*quotadb.AccountRow, len(accounts))
	for i := range accounts {
		byID[accounts[i].ID] = &accounts[i]
	}
	owners = make([]alert.Owner, len(rows))
	for i, row := range rows {
		owners[i] = alert.Owner{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt.UTC(),
			Account: quota.Account{ID: ids[i], TenantID: row.TenantID}}
		if account := byID[ids[i]]; account != nil {
			owners[i].Account = quota.Account{
				ID: account.ID, Kind: account.Kind, TenantID: row.TenantID, Granted: account.Granted,
				Used: account.Used, Leased: account.Leased,
			}
		}
	}
	return owners, next, nil
}

// ownerQuery returns the query of the owners of a rule, without a condition on their status.
func (s *Store) ownerQuery(r *alert.Rule) *bun.SelectQuery {
	q := s.db.NewSelect().ColumnExpr("r.id, r.created_at")
	switch r.Subject {
	case alert.OfUser:
		q = q.TableExpr("users AS r").ColumnExpr("r.tenant_id, r.address AS name")
	case alert.OfToken:
		q = q.TableExpr("tokens AS r").ColumnExpr("r.tenant_id, r.name")
	default:
		q = q.TableExpr("tenants AS r").ColumnExpr("r.id AS tenant_id, r.name")
	}
	if r.TenantID != uuid.Nil {
		column := "tenant_id"
		if r.Subject == alert.OfTenant {
			column = "id"
		}
		q = q.Where("r.? = ?", bun.Ident(column), r.TenantID)
	}
	if r.SubjectID != uuid.Nil {
		q = q.Where("r.id = ?", r.SubjectID)
	}
	return q
}

// Day holds the spend of an owner on one day in UTC.
type Day struct {
	Owner uuid.UUID    `bun:"owner,type:uuid"`
	Start time.Time    `bun:"start"`
	Spent money.Amount `bun:"spent"`
}

// Spending (system scope) returns what the owners of a rule, at most those of one call of Owners, spent on each day
// since the given one, according to the daily rollups. Days without spend are left out.
func (s *Store) Spending(ctx context.Context, scope tenant.Scope, r *alert.Rule, owners []alert.Owner,
	since time.Time) (days []Day, err error) {
	defer db.Wrap(&err, "read spending for alerts")

	if err := permission.Program(scope); err != nil || len(owners) == 0 {
		return nil, err
	}
	ids, tenants, isListed := make([]uuid.UUID, len(owners)), []uuid.UUID{}, map[uuid.UUID]bool{}
	for i := range owners {
		ids[i] = owners[i].ID
		if tenantID := owners[i].Account.TenantID; !isListed[tenantID] {
			isListed[tenantID] = true
			tenants = append(tenants, tenantID)
		}
	}
	column, table := "tenant_id", rollup.Totals().Daily
	switch r.Subject {
	case alert.OfUser:
		column, table = "user_id", rollup.ByUser().Daily
	case alert.OfToken:
		column, table = "token_id", rollup.ByUser().Daily
	}
	owner := bun.Ident("r." + column)
	err = s.db.NewSelect().TableExpr("? AS r", bun.Ident(table)).
		ColumnExpr("? AS owner, r.start, CAST(sum(r.quota) AS bigint) AS spent", owner).
		Where("r.tenant_id IN (?)", bun.List(tenants)).Where("? IN (?)", owner, bun.List(ids)).
		Where("r.start >= ?", since.UTC()).
		GroupExpr("?, r.start", owner).Scan(ctx, &days)
	return days, err
}
