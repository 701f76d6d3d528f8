package field

import (
	"github.com/tollgate/tollgate/libs/core/limit"
)

// RateColumns are the columns of limit.Limits, in each table that has them.
type RateColumns struct {
	RequestsPerMinute int64 `bun:"requests"`
	TokensPerMinute   int64 `bun:"tokens"`
	Concurrency       int64 `bun:"concurrency"`
}

// RateNames are the columns, for updates.
var RateNames = [...]string{"limit_requests", "limit_tokens", "limit_concurrency"}

// Core returns the limits.
func (c RateColumns) Core() limit.Limits { return limit.Limits(c) }

// Assign sets what the change names, and notes what that changes.
func (c *RateColumns) Assign(changed Changes, change limit.Change) {
	Assign(changed, "limits.requests_per_minute", &c.RequestsPerMinute, change.RequestsPerMinute)
	Assign(changed, "limits.tokens_per_minute", &c.TokensPerMinute, change.TokensPerMinute)
	Assign(changed, "limits.concurrency", &c.Concurrency, change.Concurrency)
}

// NoteRates notes the limits that a new thing has.
func NoteRates(noted Changes, l limit.Limits) {
	new(RateColumns).Assign(noted, limit.Change{
		RequestsPerMinute: &l.RequestsPerMinute, TokensPerMinute: &l.TokensPerMinute, Concurrency: &l.Concurrency,
	})
}
