package rollup

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// SpeedTable is the table with the sums of speeds by hour.
const SpeedTable = "usage_speeds_hourly"

// SpeedRetention is the age at which sums of speeds are deleted. They serve figures of the last 24 hours.
const SpeedRetention = 48 * time.Hour

// SpeedKey identifies a sum of speeds.
type SpeedKey struct {
	Start    time.Time `bun:"start,pk"` // of the hour, in UTC
	TenantID uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	Model    string    `bun:"model,pk"`
	Step     int       `bun:"step,pk"` // of the time to the first token, see usage.Log.Speed
}

func (k SpeedKey) key() SpeedKey {
	k.Start = k.Start.UTC()
	return k
}

// SpeedSumColumns are the columns of a usage.SpeedSums, to which it can be converted.
type SpeedSumColumns struct {
	Requests     int64 `bun:"requests"`
	Failed       int64 `bun:"failed"`
	OutputTokens int64 `bun:"output_tokens"`
	GenerationMS int64 `bun:"generation_ms"`
}

// speedColumns has the sums of one key.
type speedColumns struct {
	SpeedKey
	SpeedSumColumns
}

func (c *speedColumns) add(b *speedColumns) {
	sums := usage.SpeedSums(c.SpeedSumColumns)
	sums.Merge(usage.SpeedSums(b.SpeedSumColumns))
	c.SpeedSumColumns = SpeedSumColumns(sums)
}

func (c *speedColumns) compare(b *speedColumns) int {
	return cmp.Or(bytes.Compare(c.TenantID[:], b.TenantID[:]), cmp.Compare(c.Model, b.Model), c.Start.Compare(b.Start),
		cmp.Compare(c.Step, b.Step))
}

// SpeedOutboxRow is a row of the table usage_speed_outbox: calls that are not added to the sums yet.
type SpeedOutboxRow struct {
	bun.BaseModel `bun:"table:usage_speed_outbox,alias:r"`
	speedColumns
}

// SpeedOutboxRowOf returns the outbox row with the key and its sums.
func SpeedOutboxRowOf(key SpeedKey, sums usage.SpeedSums) SpeedOutboxRow {
	return SpeedOutboxRow{speedColumns: speedColumns{key, SpeedSumColumns(sums)}}
}

// speedRow is a row of SpeedTable.
type speedRow struct {
	bun.BaseModel `bun:"table:usage_speeds_hourly,alias:r"`
	speedColumns
}

// SpeedColumns returns the names of the columns of a table with speeds: the key, then the sums from SpeedSumsFrom on.
func SpeedColumns() []string {
	return []string{"start", "tenant_id", "model", "step", "requests", "failed", "output_tokens", "generation_ms"}
}

// SpeedSumsFrom is the index in SpeedColumns of the first column that is summed.
const SpeedSumsFrom = 4

// DrainSpeeds (system scope) moves up to limit rows of usage_speed_outbox, the oldest first, into the hourly sums, and
// deletes sums that are older than SpeedRetention, in one transaction. It returns the number of rows that it moved, and
// behaves like DrainOutbox otherwise.
func (s *Store) DrainSpeeds(ctx context.Context, scope tenant.Scope, limit int) (count int, err error) {
	defer db.Wrap(&err, "drain speeds")

	return s.drain(ctx, scope, limit, func(tx *Store, limit int) (int, error) {
		rows, err := take[SpeedOutboxRow](ctx, tx, tx.oldest("usage_speed_outbox", limit), SpeedColumns())
		if err != nil || len(rows) == 0 {
			return 0, err
		}
		if err := tx.dropSpeeds(ctx); err != nil {
			return 0, err
		}
		sums := merge[SpeedKey](field.Map(rows, func(r SpeedOutboxRow) speedColumns { return r.speedColumns }), nil)
		to := sumTable{SpeedTable, "tenant_id, model, start, step", SpeedColumns()[SpeedSumsFrom:]}
		return len(rows),
			addSums(ctx, tx, to, field.Map(sums, func(c speedColumns) speedRow { return speedRow{speedColumns: c} }))
	})
}

// dropSpeeds deletes old sums. Two drains may meet here: on Postgres each skips the rows that the other one deletes.
func (s *Store) dropSpeeds(ctx context.Context) error {
	query := s.db.NewSelect().Model((*speedRow)(nil)).Column("tenant_id", "model", "start", "step").
		Where("r.start < ?", s.db.Now().Add(-SpeedRetention)).Limit(DrainLimit)
	if s.db.Postgres() {
		query = query.For("UPDATE SKIP LOCKED")
	}
	_, err := s.db.NewDelete().With("old", query).Model((*speedRow)(nil)).
		Where("(r.tenant_id, r.model, r.start, r.step) IN (SELECT tenant_id, model, start, step FROM old)").Exec(ctx)
	return err
}
