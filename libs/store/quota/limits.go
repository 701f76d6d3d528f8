package quota

import (
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/store/audit"
)

// RateColumns are limit.Limits in the rows of what has them.
type RateColumns struct {
	RequestsPerMinute int64 `bun:"requests"`
	TokensPerMinute   int64 `bun:"tokens"`
	Concurrency       int64 `bun:"concurrency"`
}

// RateNames are the columns, for updates.
var RateNames = [...]string{"limit_requests", "limit_tokens", "limit_concurrency"}

func (c RateColumns) Core() limit.Limits { return limit.Limits(c) }

// Assign sets what the change names, and notes what that changes.
func (c *RateColumns) Assign(changed audit.Fields, change limit.Change) {
	audit.Assign(changed, "limits.requests_per_minute", &c.RequestsPerMinute, change.RequestsPerMinute)
	audit.Assign(changed, "limits.tokens_per_minute", &c.TokensPerMinute, change.TokensPerMinute)
	audit.Assign(changed, "limits.concurrency", &c.Concurrency, change.Concurrency)
}

// NoteRates notes the limits that a new thing has.
func NoteRates(noted audit.Fields, l limit.Limits) {
	new(RateColumns).Assign(noted, limit.Change{
		RequestsPerMinute: &l.RequestsPerMinute, TokensPerMinute: &l.TokensPerMinute, Concurrency: &l.Concurrency,
	})
}
