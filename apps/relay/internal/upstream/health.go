package upstream

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/routing"
)

const (
	// forgetAfter is how long a failure is remembered after its rest, where no
	// call comes that could try again.
	forgetAfter = 10 * time.Minute
	// idleLane is the time without a call after which a lane is let go.
	idleLane = time.Hour
)

// Health remembers how the channels do: calls under way, how soon their answers
// begin, and what failed lately. It is safe for concurrent use. Reading
// the condition of healthy channels takes no lock.
type Health struct {
	now func() time.Time

	mu    sync.Mutex // held to replace lanes
	lanes atomic.Pointer[map[laneKey]*lane]

	refusals refusals
	version  atomic.Int64 // moves with every failure and every recovery
}

// laneKey is one model of one channel, by the upstream's id.
type laneKey struct {
	channel uuid.UUID
	model   string
}

// NewHealth returns a Health in which every channel is healthy.
func NewHealth(now func() time.Time) *Health {
	h := &Health{now: now}
	h.lanes.Store(&map[laneKey]*lane{})
	return h
}

// find returns the lane, nil where nothing was called on it lately.
func (h *Health) find(key laneKey) *lane { return (*h.lanes.Load())[key] }

// lane returns the lane, a new one where there is none.
func (h *Health) lane(key laneKey) *lane {
	if l := h.find(key); l != nil {
		return l
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.find(key); l != nil {
		return l
	}
	next := maps.Clone(*h.lanes.Load())
	l := &lane{key: key, health: h}
	l.used.Store(h.now().UnixNano())
	next[key] = l
	h.lanes.Store(&next)
	return l
}

// condition is what a plan needs to know.
func (h *Health) condition(key laneKey, keys []snapshot.Credential, now time.Time) routing.Condition {
	l := h.find(key)
	if l == nil {
		return routing.Condition{}
	}
	return routing.Condition{State: l.state(keys, now), InFlight: l.inFlight.Load(), FirstByte: l.average(now)}
}

// sweep forgets what is over. It is to be called each minute or so.
func (h *Health) sweep(now time.Time) {
	for _, l := range *h.lanes.Load() {
		l.sweep(now)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	next := maps.Clone(*h.lanes.Load())
	maps.DeleteFunc(next, func(_ laneKey, l *lane) bool {
		return l.inFlight.Load() == 0 && l.unhealthy.Load() == 0 && now.UnixNano()-l.used.Load() > int64(idleLane)
	})
	if len(next) < len(*h.lanes.Load()) {
		h.lanes.Store(&next)
	}
	h.refusals.sweep(now)
}

// UnhealthyLane is the breaker of a lane, or of one credential on it, that is not
// closed.
type UnhealthyLane struct {
	ChannelID   uuid.UUID
	Model       string // the upstream's id
	Fingerprint string // of the credential, "" where all of them are concerned
	Mask        string // of the credential
	State       routing.State
	Word        string // of the last failure
	Failures    int    // in a row
	Until       time.Time
}

// Unhealthy returns every open or half-open breaker, in no order.
func (h *Health) Unhealthy() (all []UnhealthyLane) {
	now := h.now()
	for _, l := range *h.lanes.Load() {
		all = l.appendUnhealthy(all, now)
	}
	return all
}
