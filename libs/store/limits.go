package store

import "github.com/tollgate/tollgate/libs/core/limit"

// limitColumns are limit.Limits in the rows of what has them.
type limitColumns struct {
	RequestsPerMinute int64 `bun:"requests"`
	TokensPerMinute   int64 `bun:"tokens"`
	Concurrency       int64 `bun:"concurrency"`
}

// limitNames are the columns, for updates.
var limitNames = [...]string{"limit_requests", "limit_tokens", "limit_concurrency"}

func (c limitColumns) core() limit.Limits { return limit.Limits(c) }

// assign sets what the change names, and notes what that changes.
func (c *limitColumns) assign(changed fields, change limit.Change) {
	assign(changed, "limits.requests_per_minute", &c.RequestsPerMinute, change.RequestsPerMinute)
	assign(changed, "limits.tokens_per_minute", &c.TokensPerMinute, change.TokensPerMinute)
	assign(changed, "limits.concurrency", &c.Concurrency, change.Concurrency)
}

// noteLimits notes the limits that a new thing has.
func noteLimits(noted fields, l limit.Limits) {
	new(limitColumns).assign(noted, limit.Change{
		RequestsPerMinute: &l.RequestsPerMinute, TokensPerMinute: &l.TokensPerMinute, Concurrency: &l.Concurrency,
	})
}
