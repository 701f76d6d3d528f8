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
	// forgetAfter is the time that a breaker stays half-open before its failure is forgotten, if no call tries the
	// lane.
	forgetAfter = 10 * time.Minute
	// idleLane is the time without a call after which a lane is removed.
	idleLane = time.Hour
)

// Health records the state of the channels: calls in flight, time to first byte and recent failures. It is safe
// for concurrent use. Reading the condition of a channel without failures takes no lock.
type Health struct {
	now func() time.Time

	mu    sync.Mutex // held while lanes is replaced
	lanes atomic.Pointer[map[laneKey]*lane]

	refusals refusals
	version  atomic.Int64 // changes with every failure and every recovery
}

// laneKey identifies one model of one channel, by the upstream's model id.
type laneKey struct {
	channel uuid.UUID
	model   string
}

// NewHealth returns a Health in which every breaker is closed.
func NewHealth(now func() time.Time) *Health {
	h := &Health{now: now}
	h.lanes.Store(&map[laneKey]*lane{})
	return h
}

// find returns the lane, or nil if it wasn't called recently.
func (h *Health) find(key laneKey) *lane { return (*h.lanes.Load())[key] }

// lane returns the lane, and creates it if necessary.
func (h *Health) lane(key laneKey) *lane {
	if l := h.find(key); l != nil {
		return l
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.find(key); l != nil {
		return l
	}
	// The map is replaced and never changed, so that readers need no lock.
	next := maps.Clone(*h.lanes.Load())
	l := &lane{key: key, health: h}
	l.used.Store(h.now().UnixNano())
	next[key] = l
	h.lanes.Store(&next)
	return l
}

// condition returns the state of a lane for routing.
func (h *Health) condition(key laneKey, keys []snapshot.Credential, now time.Time) routing.Condition {
	l := h.find(key)
	if l == nil {
		return routing.Condition{}
	}
	return routing.Condition{State: l.state(keys, now), InFlight: l.inFlight.Load(), FirstByte: l.average(now)}
}

// sweep removes old failures and unused lanes. It should be called about once a minute.
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

// UnhealthyLane describes a circuit breaker that is not closed: that of a lane, or of one credential on it.
type UnhealthyLane struct {
	ChannelID   uuid.UUID
	Model       string // the upstream's id
	Fingerprint string // of the credential; "" for the breaker of the whole lane
	Mask        string // of the credential
	State       routing.State
	Word        string    // the word of the last failure
	Failures    int       // in a row
	Until       time.Time // when the breaker becomes half-open
}

// Unhealthy returns every breaker that is open or half-open, in no particular order.
func (h *Health) Unhealthy() (all []UnhealthyLane) {
	now := h.now()
	for _, l := range *h.lanes.Load() {
		all = l.appendUnhealthy(all, now)
	}
	return all
}
