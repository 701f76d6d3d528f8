package rollup

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Tables are the names of the two tables of a rollup, by hour and by day. There are
// two rollups: by user, with all of usage.RollupKey, and the totals, without users
// and tokens, whose number does not grow with them. The totals of uuid.Nil, which is
// no tenant, are the platform's.
type Tables struct{ Hourly, Daily string }

// ByUser returns the tables by user.
func ByUser() Tables { return Tables{"usage_rollups_hourly", "usage_rollups_daily"} }

// Totals returns the tables of the totals.
func Totals() Tables { return Tables{"usage_totals_hourly", "usage_totals_daily"} }

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

// totalsOf adds up the rollups of each tenant's users and tokens, and behind
// them, for all who add to the same, the tenants.
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
