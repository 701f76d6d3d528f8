package field

import (
	"github.com/tollgate/tollgate/libs/core/limit"
)

// RateColumns are the columns of limit.Limits, which tokens, users, groups and models have. A row embeds them
// with the prefix "limit_". 0 means no limit.
type RateColumns struct {
	RequestsPerMinute int64 `bun:"requests"`
	TokensPerMinute   int64 `bun:"tokens"`
	Concurrency       int64 `bun:"concurrency"`
}

// RateNames are the full names of the columns in RateColumns, for updates.
var RateNames = [...]string{"limit_requests", "limit_tokens", "limit_concurrency"}

// Core returns the limits.
func (c RateColumns) Core() limit.Limits { return limit.Limits(c) }

// Assign sets the limits that the change names, and adds those that differ to changes.
func (c *RateColumns) Assign(changes Changes, change limit.Change) {
	Assign(changes, "limits.requests_per_minute", &c.RequestsPerMinute, change.RequestsPerMinute)
	Assign(changes, "limits.tokens_per_minute", &c.TokensPerMinute, change.TokensPerMinute)
	Assign(changes, "limits.concurrency", &c.Concurrency, change.Concurrency)
}

// NoteRates adds the limits of a new object to the detail of its audit entry. It leaves out limits of 0.
func NoteRates(detail Changes, l limit.Limits) {
	new(RateColumns).Assign(detail, limit.Change{
		RequestsPerMinute: &l.RequestsPerMinute, TokensPerMinute: &l.TokensPerMinute, Concurrency: &l.Concurrency,
	})
}
