// Package usage holds what a finished call consumed: token counts by class,
// the Event a relay records of it, and the aggregates made of events.
package usage

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Usage counts the tokens of one call by class. The classes do not overlap:
// providers that count cached, reasoning or audio tokens inside a total are
// normalised where their bytes are read.
type Usage struct {
	Input       int64 // text and images, neither cached nor audio
	CachedInput int64 // read from the provider's prompt cache
	CacheWrite  int64 // written to the provider's prompt cache
	AudioInput  int64
	Output      int64 // text, neither reasoning nor audio
	Reasoning   int64
	AudioOutput int64
}

// Total is the sum over all classes.
func (u Usage) Total() int64 { return u.InputTotal() + u.OutputTotal() }

// InputTotal is the sum over the input classes.
func (u Usage) InputTotal() int64 { return u.Input + u.CachedInput + u.CacheWrite + u.AudioInput }

// OutputTotal is the sum over the output classes.
func (u Usage) OutputTotal() int64 { return u.Output + u.Reasoning + u.AudioOutput }

// Plus returns the sum by class.
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

// Outcome tells how a call ended.
type Outcome string

// The outcomes. Success: the client was given the whole answer. Partial: a
// part of it, which is charged. Failed: nothing, which is free.
const (
	Success Outcome = "success"
	Partial Outcome = "partial"
	Failed  Outcome = "failed"
)

// Valid reports whether o is a known outcome.
func (o Outcome) Valid() bool { return o == Success || o == Partial || o == Failed }

// Attempt is one try of one channel.
type Attempt struct {
	ChannelID uuid.UUID     `json:"channel_id"`
	Status    int           `json:"status"`          // HTTP status of the upstream, 0 without an answer
	Error     string        `json:"error,omitempty"` // word of the failure, "" for the attempt that served
	Elapsed   time.Duration `json:"elapsed_ns"`      // until its headers or its failure

	Credential string `json:"key,omitempty"`     // mask of the credential, "" for none
	Reason     string `json:"reason,omitempty"`  // word of routing: why the channel was tried
	Dialect    string `json:"dialect,omitempty"` // that the upstream speaks, "" for the client's own
}

// Log is one finished call, as the Usage Logs show it. Everything its bill
// was made of is in it: Usage, PriceID, RuleID and Quota.
type Log struct {
	ID        uuid.UUID // UUIDv7; also the x-request-id the client was given
	CreatedAt time.Time // when the relay accepted the request

	TenantID  uuid.UUID
	UserID    uuid.UUID
	TokenID   uuid.UUID
	GroupID   uuid.UUID // the user's group at the time
	ChannelID uuid.UUID // the channel that answered last, uuid.Nil where none did
	RelayID   uuid.UUID

	Model         string // public id, as the client sent it
	UpstreamModel string // the id the channel was sent
	Dialect       string // the client's dialect, "chat" or "responses"; the APIs call it endpoint
	Stream        bool

	Outcome   Outcome
	Error     string // problem word where Outcome is not Success
	Status    int    // HTTP status the client was given
	Estimated bool   // the upstream reported no usage: the counts were made locally

	Usage   Usage
	PriceID uuid.UUID    // the version of the price used, uuid.Nil where nothing was charged
	RuleID  uuid.UUID    // the version of the group rule used, uuid.Nil where none applied
	Cost    money.Amount // what the price formula says
	Quota   money.Amount // what was deducted: less than Cost only where a grant ended first

	Attempts  []Attempt
	Latency   time.Duration // from accepting the request to its last byte
	FirstByte time.Duration // from accepting the request to the first byte of the answer
}

// Event is a Log on its way from the relay to the database, with what the
// settlement needs beside it.
type Event struct {
	Log
	// Leased lists the accounts (tenant, user or token ids) whose lease on
	// this relay paid the Quota; it shrinks when the event is recorded.
	Leased []uuid.UUID
}

// Hour returns the start of the hour, in UTC, that the call is rolled up under.
func (l *Log) Hour() time.Time { return l.CreatedAt.UTC().Truncate(time.Hour) }

// Rollup is usage aggregated over one hour or day.
type Rollup struct {
	Start time.Time // of the hour or day, UTC
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

// Sums are the additive figures of a set of calls.
type Sums struct {
	Requests int64 // all outcomes
	Failed   int64
	Partial  int64
	Usage    Usage
	Quota    money.Amount
}

// Add counts one call.
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
