package session

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/fair"
)

// maxSlots bounds the number of passwords that are hashed at the same time, and so their memory: each hash takes
// about 20 MiB and occupies a core for some tens of milliseconds.
const maxSlots = 4

// The bounds of the clients that wait for a slot. As many of a kind wait as about one slot serves in hashPatience.
const (
	waitingOfKind    = 64
	waitingOfNetwork = 16 // of a kind
	waitingAtAccount = 8  // of a kind, from all networks together
	hashPatience     = 5 * time.Second
)

// The kinds of clients that wait for a slot. Slots go to the kinds in turn.
const (
	knownClient   = "known client"   // has proven who it is before
	freshStranger = "fresh stranger" // at a network that has not asked for long
	otherStranger = "other stranger"
)

// applicant is a client that needs a slot.
type applicant struct {
	kind    string
	network string // of the client, or the user who is signed in
	account string // its address, or the id of the user if the client is known
}

// slots are the slots for hashing. They go to the kinds in turn, in a kind to the networks, and at a network to the
// accounts. So a flood from one network, or at one account, waits behind itself, and a flood from many networks leaves
// the other kinds alone. It is safe for concurrent use.
type slots struct {
	queue    *fair.Queue[string]
	accounts *fair.Queue[[2]string] // places of waiting clients at each account, by kind and account
}

// newSlots returns slots for which a client waits no longer than patience; 0: hashPatience.
func newSlots(n int, patience time.Duration, metrics prometheus.Registerer) *slots {
	return &slots{
		queue: fair.New(fair.Options[string]{
			Total: int64(n), MaxWaiting: []int{0, waitingOfKind, waitingOfNetwork},
			Patience: cmp.Or(patience, hashPatience), RetryAfter: hashPatience,
			Metrics: metrics, Name: "passwords",
		}),
		accounts: fair.New(fair.Options[[2]string]{PerKey: waitingAtAccount, RetryAfter: hashPatience}),
	}
}

// slotCount returns the number of passwords to hash at the same time. It leaves
// a core, if there are several, to requests of people who are signed in.
func slotCount() int { return min(max(runtime.GOMAXPROCS(0)-1, 1), maxSlots) }

// acquire waits for a slot, which the caller must release. It returns an Overloaded problem if there is none in time or
// too many clients wait, and the error of ctx if ctx ends first.
func (s *slots) acquire(ctx context.Context, a applicant) (fair.Lease[string], error) {
	if slot, err := s.queue.TryAcquire(1, a.kind, a.network, a.account); err == nil {
		return slot, nil
	}
	place, err := s.accounts.TryAcquire(1, [2]string{a.kind, a.account})
	if err != nil {
		return fair.Lease[string]{}, err
	}
	defer place.Release()
	return s.queue.Acquire(ctx, 1, a.kind, a.network, a.account)
}
