package rollup

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/store/field"
)

// Tables are the names of the hourly and the daily table of a kind of rollup. There are two kinds: rollups by
// user have the whole usage.RollupKey, totals leave out user and token. The number of totals does not grow
// with users and tokens, so they answer questions about a whole tenant fast. The rows of uuid.Nil, which is
// not a tenant, are the totals of the platform.
type Tables struct{ Hourly, Daily string }

// ByUser returns the tables of the rollups by user.
func ByUser() Tables { return Tables{"usage_rollups_hourly", "usage_rollups_daily"} }

// Totals returns the tables of the totals.
func Totals() Tables { return Tables{"usage_totals_hourly", "usage_totals_daily"} }

// totalsKey is the primary key of both tables of totals.
const totalsKey = "tenant_id, start, model, channel_id"

// totalRow is a rollupRow without user and token.
type totalRow struct {
	bun.BaseModel `bun:"alias:r"`

	Start     time.Time `bun:"start,pk"`
	TenantID  uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	Model     string    `bun:"model,pk"`
	ChannelID uuid.UUID `bun:"channel_id,pk,type:uuid"`
	SumColumns
}

// totalsOf returns the totals of the rollups: those of each tenant in lock order, then those of the platform.
// Every drain adds to the platform's rows, so they come last and are locked for the shortest time. The rows have no
// user and no token.
func totalsOf(rows []rollupRow) []rollupRow {
	tenants := merge[keyColumns](rows, func(r *rollupRow) { r.UserID, r.TokenID = uuid.Nil, uuid.Nil })
	return append(tenants, merge[keyColumns](tenants, func(r *rollupRow) { r.TenantID = uuid.Nil })...)
}

// addTotals adds the totals of the rollups to a table of totals.
func (s *Store) addTotals(ctx context.Context, table string, rollups []rollupRow) error {
	rows := totalsOf(rollups)
	if s.db.Postgres() {
		columns := slices.DeleteFunc(slices.Clone(Columns),
			func(name string) bool { return name == "user_id" || name == "token_id" })
		return s.addArrays(ctx, table, totalsKey, columns, rows)
	}
	return addSums(ctx, s, sumTable{table, totalsKey, Columns[SumsFrom:]}, field.Map(rows, func(r rollupRow) totalRow {
		return totalRow{Start: r.Start, TenantID: r.TenantID, Model: r.Model, ChannelID: r.ChannelID,
			SumColumns: r.SumColumns}
	}))
}
