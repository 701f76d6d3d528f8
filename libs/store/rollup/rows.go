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

// Key identifies a rollup: all usage with this key is summed in one row.
type Key struct {
	Start time.Time // of the hour or day, in UTC
	usage.RollupKey
}

// keyColumns are the columns of a Key.
type keyColumns struct {
	Start     time.Time `bun:"start,pk"`
	TenantID  uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	UserID    uuid.UUID `bun:"user_id,pk,type:uuid"`
	TokenID   uuid.UUID `bun:"token_id,pk,type:uuid"`
	Model     string    `bun:"model,pk"`
	ChannelID uuid.UUID `bun:"channel_id,pk,type:uuid"` // uuid.Nil if no channel answered
}

// SumColumns are the columns of a rollup that are summed.
type SumColumns struct {
	Requests int64 `bun:"requests"` // all calls, including failed and partial ones
	Failed   int64 `bun:"failed"`
	Partial  int64 `bun:"partial"`

	Usage tokenColumns `bun:"embed:"`
	Quota money.Amount `bun:"quota"` // deducted, in nano-dollars
}

// tokenColumns are the columns of a usage.Usage, to which it can be converted. Rollups have no columns for its Details.
type tokenColumns struct {
	Input       int64 `bun:"input_tokens"`
	CachedInput int64 `bun:"cached_input_tokens"`
	CacheWrite  int64 `bun:"cache_write_tokens"`
	AudioInput  int64 `bun:"audio_input_tokens"`
	Output      int64 `bun:"output_tokens"`
	Reasoning   int64 `bun:"reasoning_tokens"`
	AudioOutput int64 `bun:"audio_output_tokens"`

	usage.Details `bun:"-"`
}

// rollupRow has the sums of one key in one hour or day.
type rollupRow struct {
	keyColumns
	SumColumns
}

// tableRow is a rollupRow for an insert into a table that addSums names.
type tableRow struct {
	bun.BaseModel `bun:"alias:r"`
	rollupRow
}

// OutboxRow is a row of the table usage_outbox: sums that are not added to the rollups yet. Several rows may
// have the same key.
type OutboxRow struct {
	bun.BaseModel `bun:"table:usage_outbox,alias:r"`
	rollupRow
}

// SumsFrom is the index in Columns of the first column that is summed.
const SumsFrom = 6

// TokensFrom is the index in Columns of the first token count. The counts end before the last column, which
// is quota.
const TokensFrom = SumsFrom + 3

// Columns are the names of the columns of a rollup, in the order of rollupRow: the key, then the sums. The
// list is constant: nobody may change it.
var Columns = func() []string {
	columns := []string{"start", "tenant_id", "user_id", "token_id", "model", "channel_id", "requests",
		"failed", "partial"}
	for i := range usage.Classes {
		columns = append(columns, usage.Classes[i].Column())
	}
	return append(columns, "quota")
}()

// Core returns the sums.
func (c SumColumns) Core() usage.Sums {
	return usage.Sums{Requests: c.Requests, Failed: c.Failed, Partial: c.Partial,
		Usage: usage.Usage(c.Usage), Quota: c.Quota}
}

func sumColumnsOf(s usage.Sums) SumColumns {
	return SumColumns{Requests: s.Requests, Failed: s.Failed, Partial: s.Partial,
		Usage: tokenColumns(s.Usage), Quota: s.Quota}
}

// key returns the columns with the time in UTC.
func (c keyColumns) key() keyColumns {
	c.Start = c.Start.UTC()
	return c
}

// add adds the sums of another row.
func (r *rollupRow) add(b *rollupRow) {
	sums := r.Core()
	sums.Merge(b.Core())
	r.SumColumns = sumColumnsOf(sums)
}

func rollupRowOf(key Key, sums usage.Sums) rollupRow {
	return rollupRow{keyColumns{
		Start: key.Start, TenantID: key.TenantID, UserID: key.UserID, TokenID: key.TokenID, Model: key.Model,
		ChannelID: key.ChannelID,
	}, sumColumnsOf(sums)}
}

// compare orders rollups by tenant, start, user, token, model and channel: the order of locks.
func (r *rollupRow) compare(b *rollupRow) int {
	return cmp.Or(
		bytes.Compare(r.TenantID[:], b.TenantID[:]), r.Start.Compare(b.Start), bytes.Compare(r.UserID[:], b.UserID[:]),
		bytes.Compare(r.TokenID[:], b.TokenID[:]), cmp.Compare(r.Model, b.Model),
		bytes.Compare(r.ChannelID[:], b.ChannelID[:]))
}

// OutboxRowOf returns the outbox row with the key and its sums.
func OutboxRowOf(key Key, sums usage.Sums) OutboxRow {
	return OutboxRow{rollupRow: rollupRowOf(key, sums)}
}
