// Package usage defines the record of a finished call: its token counts by class (Usage), its usage log (Log), the Event
// that carries the log from the relay to the database, and the aggregates of logs (Rollup). README.md has the meaning
// of each figure and how the figures are reconciled.
package usage

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Usage counts the tokens of one call by class. The classes do not overlap: each token is in exactly one. Some
// providers count cached, reasoning or audio tokens inside a total; the codecs subtract them when they read the
// response.
type Usage struct {
	Input       int64 // text and images, neither cached nor audio
	CachedInput int64 // read from the provider's prompt cache
	CacheWrite  int64 // written to the provider's prompt cache
	AudioInput  int64
	Output      int64 // text, neither reasoning nor audio
	Reasoning   int64
	AudioOutput int64
}

// Total returns the sum over all classes.
func (u Usage) Total() int64 { return u.InputTotal() + u.OutputTotal() }

// InputTotal returns the sum over the input classes.
func (u Usage) InputTotal() int64 { return u.Input + u.CachedInput + u.CacheWrite + u.AudioInput }

// OutputTotal returns the sum over the output classes.
func (u Usage) OutputTotal() int64 { return u.Output + u.Reasoning + u.AudioOutput }

// Plus returns the sum of u and v, class by class.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input:       u.Input + v.Input,
		CachedInput: u.CachedInput + v.CachedInput,
		CacheWrite:  u.CacheWrite + v.CacheWrite,
		AudioInput:  u.AudioInput + v.AudioInput,
		Output:      u.Output + v.Output,
		Reasoning:   u.Reasoning + v.Reasoning,
		AudioOutput: u.AudioOutput + v.AudioOutput,
	}
}

// Outcome is the result of a call for the client.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success" // the client got the whole response
	Partial Outcome = "partial" // the client got a part of the response, and that part is charged
	Failed  Outcome = "failed"  // the client got nothing of a response, and nothing is charged
)

// Valid reports whether o is a known outcome.
func (o Outcome) Valid() bool { return o == Success || o == Partial || o == Failed }

// Attempt is one attempt of a call on one channel.
type Attempt struct {
	ChannelID uuid.UUID     `json:"channel_id"`
	Status    int           `json:"status"`          // HTTP status of the upstream, 0 if it did not respond
	Error     string        `json:"error,omitempty"` // word for the failure, "" for the attempt that succeeded
	Elapsed   time.Duration `json:"elapsed_ns"`      // time until the response headers or the failure

	Credential string `json:"key,omitempty"`     // mask of the credential, "" for none
	Reason     string `json:"reason,omitempty"`  // routing.Reason for which the channel was tried
	Dialect    string `json:"dialect,omitempty"` // dialect of the upstream, "" if it is the client's own
}

// Log is the usage log of one finished call. It holds everything from which its bill can be recomputed: Usage, PriceID,
// RuleID and Quota. A log never changes.
type Log struct {
	ID        uuid.UUID // UUIDv7; also the x-request-id that the client received
	CreatedAt time.Time // time at which the relay accepted the request

	TenantID  uuid.UUID
	UserID    uuid.UUID
	TokenID   uuid.UUID
	GroupID   uuid.UUID // group of the user at that time
	ChannelID uuid.UUID // channel that answered last, uuid.Nil if none did
	RelayID   uuid.UUID

	Model         string // public id, as the client sent it
	UpstreamModel string // model id that was sent to the channel
	Dialect       string // dialect of the client, "chat" or "responses"; the APIs call it endpoint
	Stream        bool

	Outcome   Outcome
	Error     string // name of the problem.Kind, "" if Outcome is Success
	Status    int    // HTTP status that the client received
	Estimated bool   // the upstream reported no usage, and the relay estimated the counts

	Usage   Usage
	PriceID uuid.UUID    // version of the price, uuid.Nil if nothing was charged
	RuleID  uuid.UUID    // version of the group rule, uuid.Nil if none applied
	Cost    money.Amount // result of the price formula
	Quota   money.Amount // deducted amount; less than Cost only if an account's quota ended during the call

	Attempts  []Attempt
	Latency   time.Duration // from accepting the request to the last byte of the response
	FirstByte time.Duration // from accepting the request to the first byte of the response
}

// Event is a Log on its way from the relay to the database, together with the accounts that are charged. It may be
// sent any number of times; the database records it once, by its ID.
type Event struct {
	Log
	// Leased lists the ids of the accounts whose lease on this relay paid the Quota. Recording the event shrinks
	// these leases.
	Leased []uuid.UUID
}

// Hour returns the start of the hour, in UTC, to which rollups assign the call.
func (l *Log) Hour() time.Time { return l.CreatedAt.UTC().Truncate(time.Hour) }

// Rollup is usage aggregated over one hour or day.
type Rollup struct {
	Start time.Time // start of the hour or day, in UTC
	RollupKey
	Sums
}

// RollupKey identifies a rollup, together with its hour or day.
type RollupKey struct {
	TenantID  uuid.UUID
	UserID    uuid.UUID
	TokenID   uuid.UUID
	Model     string
	ChannelID uuid.UUID
}

// Sums are the figures of a set of calls that can be added up.
type Sums struct {
	Requests int64 // calls of all outcomes
	Failed   int64
	Partial  int64
	Usage    Usage
	Quota    money.Amount
}

// Add adds the figures of one call.
func (s *Sums) Add(l *Log) {
	s.Requests++
	switch l.Outcome {
	case Failed:
		s.Failed++
	case Partial:
		s.Partial++
	}
	s.Usage = s.Usage.Plus(l.Usage)
	s.Quota += l.Quota
}

// Merge adds the figures of t.
func (s *Sums) Merge(t Sums) {
	s.Requests += t.Requests
	s.Failed += t.Failed
	s.Partial += t.Partial
	s.Usage = s.Usage.Plus(t.Usage)
	s.Quota += t.Quota
}
