package rollup

import (
	"bytes"
	"cmp"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Key is what an outbox row and a rollup add up.
type Key struct {
	Start time.Time
	usage.RollupKey
}

type keyColumns struct {
	Start     time.Time `bun:"start,pk"`
	TenantID  uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	UserID    uuid.UUID `bun:"user_id,pk,type:uuid"`
	TokenID   uuid.UUID `bun:"token_id,pk,type:uuid"`
	Model     string    `bun:"model,pk"`
	ChannelID uuid.UUID `bun:"channel_id,pk,type:uuid"` // uuid.Nil where none answered
}

// SumColumns are the sums of a rollup.
type SumColumns struct {
	Requests int64 `bun:"requests"`
	Failed   int64 `bun:"failed"`
	Partial  int64 `bun:"partial"`

	Usage usage.Usage  `bun:"embed:"`
	Quota money.Amount `bun:"quota"`
}

// rollupRow is the sums of one key in one hour or day.
type rollupRow struct {
	keyColumns
	SumColumns
}

// tableRow is a rollupRow of either table: addSums names which.
type tableRow struct {
	bun.BaseModel `bun:"alias:r"`
	rollupRow
}

// OutboxRow is a part of a rollup on its way there.
type OutboxRow struct {
	bun.BaseModel `bun:"table:usage_outbox,alias:r"`
	rollupRow
}

// SumsFrom is where the sums begin among Columns.
const SumsFrom = 6

// TokensFrom is where token counts and quota begin among Columns.
const TokensFrom = SumsFrom + 3

// Columns are those of a rollupRow, in its order.
var Columns = []string{
	"start", "tenant_id", "user_id", "token_id", "model", "channel_id", "requests", "failed", "partial",
	"input_tokens", "cached_input_tokens", "cache_write_tokens", "audio_input_tokens",
	"output_tokens", "reasoning_tokens", "audio_output_tokens", "quota",
}

// Core returns the sums.
func (c SumColumns) Core() usage.Sums {
	return usage.Sums{Requests: c.Requests, Failed: c.Failed, Partial: c.Partial, Usage: c.Usage, Quota: c.Quota}
}

func sumColumnsOf(s usage.Sums) SumColumns {
	return SumColumns{Requests: s.Requests, Failed: s.Failed, Partial: s.Partial, Usage: s.Usage, Quota: s.Quota}
}

func (c keyColumns) rollupKey() Key {
	return Key{c.Start.UTC(), usage.RollupKey{
		TenantID: c.TenantID, UserID: c.UserID, TokenID: c.TokenID, Model: c.Model, ChannelID: c.ChannelID,
	}}
}

func rollupRowOf(key Key, sums usage.Sums) rollupRow {
	return rollupRow{keyColumns{
		Start: key.Start, TenantID: key.TenantID, UserID: key.UserID, TokenID: key.TokenID, Model: key.Model, ChannelID: key.ChannelID,
	}, sumColumnsOf(sums)}
}

// compare is the order in which rollups are locked.
func (c keyColumns) compare(d keyColumns) int {
	return cmp.Or(
		bytes.Compare(c.TenantID[:], d.TenantID[:]), c.Start.Compare(d.Start), bytes.Compare(c.UserID[:], d.UserID[:]),
		bytes.Compare(c.TokenID[:], d.TokenID[:]), cmp.Compare(c.Model, d.Model), bytes.Compare(c.ChannelID[:], d.ChannelID[:]))
}

// OutboxRowOf returns the outbox row of the sums of a key.
func OutboxRowOf(key Key, sums usage.Sums) OutboxRow {
	return OutboxRow{rollupRow: rollupRowOf(key, sums)}
}
