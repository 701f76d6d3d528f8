// Package limit holds how much may be called in a time: requests and tokens
// per minute, and requests at once. What that costs is quota's.
package limit

// Limits are those of one token, user, group or model; 0: none.
type Limits struct {
	RequestsPerMinute int64
	TokensPerMinute   int64
	Concurrency       int64 // requests at once
}

// Max is the highest limit that can be set.
const Max = 1_000_000_000

// Measure is what a limit counts.
type Measure uint8

// The measures.
const (
	Requests    Measure = iota // per minute
	Tokens                     // per minute
	Concurrency                // requests at once
)

// Measures returns all of them.
func Measures() [3]Measure { return [3]Measure{Requests, Tokens, Concurrency} }

// String returns the measure's word in metrics and keys.
func (m Measure) String() string { return [...]string{"requests", "tokens", "concurrency"}[m] }

// Of returns the limit of a measure; 0: none.
func (l Limits) Of(m Measure) int64 {
	return [...]int64{l.RequestsPerMinute, l.TokensPerMinute, l.Concurrency}[m]
}

// Change changes the limits that are not nil; 0 takes one away.
type Change struct {
	RequestsPerMinute *int64 `yaml:"requests_per_minute"`
	TokensPerMinute   *int64 `yaml:"tokens_per_minute"`
	Concurrency       *int64 `yaml:"concurrency"`
}

// On returns l as changed.
func (c Change) On(l Limits) Limits {
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

// From returns what of the change is not so already; the zero Change where all
// of it is.
func (c Change) From(is Limits) Change {
	differs := func(want *int64, is int64) *int64 {
		if want == nil || *want == is {
			return nil
		}
		return want
	}
	return Change{
		RequestsPerMinute: differs(c.RequestsPerMinute, is.RequestsPerMinute),
		TokensPerMinute:   differs(c.TokensPerMinute, is.TokensPerMinute),
		Concurrency:       differs(c.Concurrency, is.Concurrency),
	}
}

// Share is the part of a limit that each of so many relays may let through
// when they cannot ask one another: at least 1.
func Share(limit, relays int64) int64 { return max(1, limit/max(1, relays)) }
