package metering

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

type keyColumns struct {
	Start     time.Time `bun:"start,pk"`
	TenantID  uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	UserID    uuid.UUID `bun:"user_id,pk,type:uuid"`
	TokenID   uuid.UUID `bun:"token_id,pk,type:uuid"`
	Model     string    `bun:"model,pk"`
	ChannelID uuid.UUID `bun:"channel_id,pk,type:uuid"` // uuid.Nil where none answered
}

type sumColumns struct {
	Requests int64 `bun:"requests"`
	Failed   int64 `bun:"failed"`
	Partial  int64 `bun:"partial"`
	tokensRow
	Quota money.Amount `bun:"quota"`
}

// rollupRow is the sums of one key in one hour or day.
type rollupRow struct {
	keyColumns
	sumColumns
}

// tableRow is a rollupRow of either table: addSums names which.
type tableRow struct {
	bun.BaseModel `bun:"alias:r"`
	rollupRow
}

// outboxRow is a part of a rollup on its way there.
type outboxRow struct {
	bun.BaseModel `bun:"table:usage_outbox,alias:r"`
	rollupRow
}

// SumsFrom is where the sums begin among outboxColumns.
const SumsFrom = 6

// TokensFrom is where token counts and quota begin among outboxColumns.
const TokensFrom = SumsFrom + 3

// OutboxColumns are those of a rollupRow, in its order.
var OutboxColumns = []string{
	"start", "tenant_id", "user_id", "token_id", "model", "channel_id", "requests", "failed", "partial",
	"input_tokens", "cached_input_tokens", "cache_write_tokens", "audio_input_tokens",
	"output_tokens", "reasoning_tokens", "audio_output_tokens", "quota",
}

func (c sumColumns) core() usage.Sums {
	return usage.Sums{Requests: c.Requests, Failed: c.Failed, Partial: c.Partial, Usage: usage.Usage(c.tokensRow), Quota: c.Quota}
}

func sumColumnsOf(s usage.Sums) sumColumns {
	return sumColumns{Requests: s.Requests, Failed: s.Failed, Partial: s.Partial, tokensRow: tokensRow(s.Usage), Quota: s.Quota}
}

func (c keyColumns) rollupKey() rollupKey {
	return rollupKey{c.Start.UTC(), usage.RollupKey{
		TenantID: c.TenantID, UserID: c.UserID, TokenID: c.TokenID, Model: c.Model, ChannelID: c.ChannelID,
	}}
}

func rollupRowOf(key rollupKey, sums usage.Sums) rollupRow {
	return rollupRow{keyColumns{
		Start: key.start, TenantID: key.TenantID, UserID: key.UserID, TokenID: key.TokenID, Model: key.Model, ChannelID: key.ChannelID,
	}, sumColumnsOf(sums)}
}

// compare is the order in which rollups are locked.
func (c keyColumns) compare(d keyColumns) int {
	return cmp.Or(
		bytes.Compare(c.TenantID[:], d.TenantID[:]), c.Start.Compare(d.Start), bytes.Compare(c.UserID[:], d.UserID[:]),
		bytes.Compare(c.TokenID[:], d.TokenID[:]), cmp.Compare(c.Model, d.Model), bytes.Compare(c.ChannelID[:], d.ChannelID[:]))
}

const (
	drainLimit  = 10_000 // most outbox rows of one transaction
	RollupBatch = 500    // rows of one statement
)

// DrainOutbox (system scope) moves up to limit outbox rows into the hourly
// and daily rollups and adds them to the totals of both, the tenants' and the
// platform's, notes when their tokens were last used and opens their hours for
// the next Reconcile, all in one transaction. It returns how many it moved. Several may drain at once. A limit
// of 0 means 10,000, which is the most.
func (s *Store) DrainOutbox(ctx context.Context, scope tenant.Scope, limit int) (drained int, err error) {
	if err := db.ProgramOnly(scope); err != nil {
		return 0, err
	}
	if limit <= 0 || limit > drainLimit {
		limit = drainLimit
	}
	err = s.atomically(ctx, func(tx *Store) error {
		rows, err := tx.takeOutbox(ctx, limit)
		if err != nil || len(rows) == 0 {
			return err
		}
		drained = len(rows)
		if err := tx.rollUp(ctx, rows); err != nil {
			return err
		}
		return tx.reopen(ctx, rows)
	})
	if err != nil {
		return 0, err
	}
	return drained, nil
}

// rollUp adds to the totals at the end: they are few, and all who drain wait
// for each other there.
func (s *Store) rollUp(ctx context.Context, rows []outboxRow) error {
	parts := make([]rollupRow, len(rows))
	for i := range rows {
		parts[i] = rows[i].rollupRow
	}
	hourly := merge(parts, func(key *rollupKey) { key.start = key.start.Truncate(time.Hour) })
	daily := merge(hourly, func(key *rollupKey) { key.start = key.start.Truncate(24 * time.Hour) })
	if err := addSums(ctx, s, RollupsByUser().Hourly, rollupsKey, tableRows(hourly)); err != nil {
		return err
	}
	if err := addSums(ctx, s, RollupsByUser().Daily, rollupsKey, tableRows(daily)); err != nil {
		return err
	}
	if err := tokendb.TouchTokens(ctx, s.db, lastUses(rows)); err != nil {
		return err
	}
	if err := addSums(ctx, s, RollupTotals().Hourly, totalsKey, totalsOf(hourly)); err != nil {
		return err
	}
	return addSums(ctx, s, RollupTotals().Daily, totalsKey, totalsOf(daily))
}

func (s *Store) takeOutbox(ctx context.Context, limit int) (rows []outboxRow, err error) {
	oldest := s.db.NewSelect().Table("usage_outbox").Column("id").OrderExpr("id").Limit(int64(limit))
	if s.db.Postgres() {
		oldest = oldest.For("UPDATE SKIP LOCKED")
	}
	// As a common table expression the locking query runs exactly once.
	err = s.db.NewDelete().With("oldest", oldest).Model((*outboxRow)(nil)).Where("id IN (SELECT id FROM oldest)").
		Returning("?", bun.List(db.Identifiers(OutboxColumns))).Scan(ctx, &rows)
	return rows, err
}

// OutboxDepth returns how many outbox rows wait for DrainOutbox. It counts no
// further than 10,000.
func (s *Store) OutboxDepth(ctx context.Context, scope tenant.Scope) (int, error) {
	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return 0, err
	}
	return outboxDepth(ctx, s.db)
}

func outboxDepth(ctx context.Context, in *db.DB) (int, error) {
	waiting := in.NewSelect().Table("usage_outbox").ColumnExpr("1").Limit(drainLimit)
	depth, err := in.NewSelect().TableExpr("(?) AS waiting", waiting).Count(ctx)
	return int(depth), err
}

// merge adds up rows that a change of their keys makes the same, in lock order.
func merge(rows []rollupRow, change func(*rollupKey)) []rollupRow {
	sums := map[rollupKey]*usage.Sums{}
	for i := range rows {
		key := rows[i].rollupKey()
		change(&key)
		if sums[key] == nil {
			sums[key] = &usage.Sums{}
		}
		sums[key].Merge(rows[i].sumColumns.core())
	}
	merged := make([]rollupRow, 0, len(sums))
	for key, sum := range sums {
		merged = append(merged, rollupRowOf(key, *sum))
	}
	slices.SortFunc(merged, func(a, b rollupRow) int { return a.compare(b.keyColumns) })
	return merged
}

const rollupsKey = "tenant_id, start, user_id, token_id, model, channel_id"

func tableRows(rows []rollupRow) []tableRow {
	keyed := make([]tableRow, len(rows))
	for i := range rows {
		keyed[i].rollupRow = rows[i]
	}
	return keyed
}

// addSums adds the rows to those of the table with the same key.
func addSums[R any](ctx context.Context, s *Store, table, key string, rows []R) error {
	for part := range slices.Chunk(rows, RollupBatch) {
		q := s.db.NewInsert().Model(&part).ModelTableExpr("? AS r", bun.Ident(table)).
			On("CONFLICT (?) DO UPDATE", bun.Safe(key))
		for _, column := range OutboxColumns[SumsFrom:] {
			q = q.Set("?0 = r.?0 + EXCLUDED.?0", bun.Ident(column))
		}
		if _, err := q.Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lastUses returns the last hour in which each token was used.
func lastUses(rows []outboxRow) map[uuid.UUID]time.Time {
	last := map[uuid.UUID]time.Time{}
	for _, row := range rows {
		if row.Start.After(last[row.TokenID]) {
			last[row.TokenID] = row.Start.UTC()
		}
	}
	return last
}
