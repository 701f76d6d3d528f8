package rollup

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
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
// Every drain adds to the platform's rows, so they come last and are locked for the shortest time.
func totalsOf(rows []rollupRow) []totalRow {
	tenants := merge(rows, func(key *Key) { key.UserID, key.TokenID = uuid.Nil, uuid.Nil })
	platform := merge(tenants, func(key *Key) { key.TenantID = uuid.Nil })
	totals := make([]totalRow, 0, len(tenants)+len(platform))
	for _, row := range append(tenants, platform...) {
		totals = append(totals, totalRow{
			Start: row.Start, TenantID: row.TenantID, Model: row.Model, ChannelID: row.ChannelID, SumColumns: row.SumColumns,
		})
	}
	return totals
}
