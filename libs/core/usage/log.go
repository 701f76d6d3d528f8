package usage

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
)

// Outcome is the result of a call for the client.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success" // the client got the whole response
	Partial Outcome = "partial" // the client got a part of the response, and that part is charged
	// The client got an error or a failed response; only tokens that the latter reports are charged.
	Failed Outcome = "failed"
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

	// Message holds the words of the upstream, or why it could not be called, without credentials of the channel: at
	// most 300 bytes of printable text, "" for an attempt that succeeded. Only operators may see it.
	Message string `json:"message,omitempty"`

	// Usage has the counts that the upstream reported although the attempt failed; nil if it reported nothing. For the
	// attempt whose answer is charged it is nil, too: its usage is that of the log.
	Usage *Usage `json:"usage,omitempty"`
	// SupplierCost is the amount that the upstream charges for the attempt, nil if it is not known. Only operators may
	// see it.
	SupplierCost *money.Amount `json:"supplier_cost,omitempty"`
	CostID       uuid.UUID     `json:"cost_id,omitzero"` // version of the channel's costs
}

// Log is the usage log of one finished call. It holds everything from which its bill can be recomputed: Usage, PriceID,
// RuleID, Formula and Quota. A log never changes.
//
// Columns describes how each field is stored and exported.
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
	Dialect       string // dialect of the client: chat, responses, messages or embeddings; the APIs call it endpoint
	Stream        bool
	Estimated     bool // the upstream reported no usage, and the relay estimated the counts

	// Client is the mark of the client: a keyed hash of its address and User-Agent, see seal.Sealer.MarkClient. It is 0
	// if relays do not collect the clients of tokens.
	Client int64

	EndUser string // person in the client's application, "" if the client named none
	Tags    Tags   // "" for none

	Outcome Outcome
	Error   string // name of the problem.Kind, "" if Outcome is Success
	Status  int    // HTTP status that the client received

	Usage   Usage
	PriceID uuid.UUID    // version of the price, uuid.Nil if nothing was charged
	RuleID  uuid.UUID    // version of the group rule, uuid.Nil if none applied
	Formula int64        // version of the price formula, see pricing.Formula
	Cost    money.Amount // result of the price formula
	Quota   money.Amount // deducted amount; less than Cost only if an account's quota ended during the call

	// SupplierCost is the sum of what upstreams charge for the attempts of the call, those that failed included. It is
	// nil if nothing was charged, or if the rates of one of these attempts are not known. CostID is the version of the
	// costs of the channel that answered, uuid.Nil if it has none. Only operators may see both.
	SupplierCost *money.Amount
	CostID       uuid.UUID

	// IgnoredFields has the paths of what the relay ignored of the request, separated by commas: the fields that the
	// dialect of the channel does not have, and optional tools that no channel has. After 1 KiB a count stands for the
	// rest, such as +12.
	IgnoredFields string

	Unpriced int // charges of the call that have no price, a charge.Kinds

	Attempts []Attempt

	// The database stores microseconds.
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

// HideSupplier removes what only operators may see of the supplier's costs. It copies the list of attempts before it
// changes one.
func (l *Log) HideSupplier() {
	l.SupplierCost, l.CostID, l.Usage.ReportedCost = nil, uuid.Nil, 0
	isCopy := false
	for i := range l.Attempts {
		if a := &l.Attempts[i]; a.Usage == nil && a.SupplierCost == nil && a.CostID == uuid.Nil {
			continue
		}
		if !isCopy {
			l.Attempts, isCopy = slices.Clone(l.Attempts), true
		}
		a := &l.Attempts[i]
		a.Usage, a.SupplierCost, a.CostID = nil, nil, uuid.Nil
	}
}

// SupplierShares yields the channels that share the SupplierCost, each with its part: first those of failed attempts,
// at the end the channel of the log with the rest, which may be 0. It yields nothing if the SupplierCost is not known.
func (l *Log) SupplierShares(yield func(channel uuid.UUID, cost money.Amount) bool) {
	if l.SupplierCost == nil {
		return
	}
	remainder := *l.SupplierCost
	for i := range l.Attempts {
		if a := &l.Attempts[i]; a.Usage != nil && a.SupplierCost != nil {
			remainder -= *a.SupplierCost
			if !yield(a.ChannelID, *a.SupplierCost) {
				return
			}
		}
	}
	yield(l.ChannelID, remainder)
}

// Hour returns the start of the hour, in UTC, to which rollups assign the call.
func (l *Log) Hour() time.Time { return l.CreatedAt.UTC().Truncate(time.Hour) }
