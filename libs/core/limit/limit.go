// Package limit defines rate limits: requests per minute, tokens per minute, and concurrent requests. Bucket is the
// algorithm for limits per minute, as a pure function of the time that the caller passes. The relay keeps the
// buckets, in Redis or in its own memory. Limits on spending are in package quota.
package limit

// Limits are the rate limits of one token, user, group or model. 0 means no limit.
type Limits struct {
	RequestsPerMinute int64
	TokensPerMinute   int64
	Concurrency       int64 // concurrent requests
}

// Max is the highest limit that can be set.
const Max = 1_000_000_000

// Measure is the quantity that a limit counts.
type Measure uint8

// The measures.
const (
	Requests    Measure = iota // requests per minute
	Tokens                     // tokens per minute
	Concurrency                // concurrent requests
)

// Measures returns all measures.
func Measures() [3]Measure { return [3]Measure{Requests, Tokens, Concurrency} }

// String returns the name of the measure in metrics and in Redis keys.
func (m Measure) String() string { return [...]string{"requests", "tokens", "concurrency"}[m] }

// Of returns the limit of a measure; 0 means no limit.
func (l Limits) Of(m Measure) int64 {
	return [...]int64{l.RequestsPerMinute, l.TokensPerMinute, l.Concurrency}[m]
}

// Change sets the limits that are not nil. A value of 0 removes the limit.
type Change struct {
	RequestsPerMinute *int64 `yaml:"requests_per_minute"`
	TokensPerMinute   *int64 `yaml:"tokens_per_minute"`
	Concurrency       *int64 `yaml:"concurrency"`
}

// Apply returns l with the change applied.
func (c Change) Apply(l Limits) Limits {
	set := func(field, value *int64) {
		if value != nil {
			*field = *value
		}
	}
	set(&l.RequestsPerMinute, c.RequestsPerMinute)
	set(&l.TokensPerMinute, c.TokensPerMinute)
	set(&l.Concurrency, c.Concurrency)
	return l
}

// Diff returns the part of the change that differs from the present limits; the zero Change if nothing differs.
func (c Change) Diff(current Limits) Change {
	differs := func(want *int64, current int64) *int64 {
		if want == nil || *want == current {
			return nil
		}
		return want
	}
	return Change{
		RequestsPerMinute: differs(c.RequestsPerMinute, current.RequestsPerMinute),
		TokensPerMinute:   differs(c.TokensPerMinute, current.TokensPerMinute),
		Concurrency:       differs(c.Concurrency, current.Concurrency),
	}
}

// Share returns the part of a limit that each relay enforces alone while Redis, where relays share their counts, is
// unavailable. It is at least 1, so that a small limit does not stop all calls.
func Share(limit, relays int64) int64 { return max(1, limit/max(1, relays)) }
