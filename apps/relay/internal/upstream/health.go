package upstream

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/provider"
)

const (
	// forgetAfter is the time that a breaker stays half-open before its failure is forgotten, if no call tries the
	// lane.
	forgetAfter = 10 * time.Minute
	// idleLane is the time without a call after which a lane is removed.
	idleLane = time.Hour
	// maxTenantBreakers bounds the number of breakers of single tenants. Further failures do not change the order of
	// channels.
	maxTenantBreakers = 4_096
)

// Health records the state of the channels: calls in flight, time to first byte and recent failures. It is safe
// for concurrent use. Reading the condition of a channel without failures takes no lock.
type Health struct {
	now func() time.Time

	mu    sync.Mutex // held while lanes is replaced
	lanes atomic.Pointer[map[laneKey]*lane]

	refusals       refusals
	outages        outages
	tenantBreakers atomic.Int64 // number of breakers of single tenants
	version        atomic.Int64 // changes with every failure and every recovery
}

// laneKey identifies one model of one channel, by the upstream's model id.
type laneKey struct {
	channelID uuid.UUID
	model     string
}

// newHealth returns a Health in which every breaker is closed.
func newHealth(o *Options) *Health {
	h := &Health{now: o.Now}
	h.lanes.Store(&map[laneKey]*lane{})
	h.outages = outages{
		prober: o.Prober, current: o.Current, now: o.Now, requests: o.Requests, onProbe: o.OnProbe,
		onChange: func() { h.version.Add(1) }, refuse: h.refusals.addProven,
		slots: make(chan struct{}, concurrentProbes), probes: map[credential]lastProbe{},
	}
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
	lanes := maps.Clone(*h.lanes.Load())
	l := &lane{key: key, health: h}
	l.lastUse.Store(h.now().UnixNano())
	lanes[key] = l
	h.lanes.Store(&lanes)
	return l
}

// condition returns the state of a lane for routing a tenant's call.
func (h *Health) condition(key laneKey, tenant uuid.UUID, keys []snapshot.Credential, now time.Time) routing.Condition {
	var condition routing.Condition
	if l := h.find(key); l != nil {
		condition = routing.Condition{State: l.state(tenant, keys, now), InFlight: l.inFlight.Load(),
			FirstByte: l.averageFirstByte(now)}
	}
	if h.outages.find(key.channelID) != nil {
		condition.State = routing.Open
	}
	return condition
}

// noteSuccess records a successful attempt: the channel can be reached, and the credential is accepted.
func (h *Health) noteSuccess(t *ticket) {
	h.refusals.clear(t.channel.ID, t.key.Fingerprint)
	h.outages.end(t.channel.ID)
}

// noteFailure records a failed attempt. A refused credential and a failed connection may be due to the call: a probe
// finds out whether the calls of others would fail, too.
func (h *Health) noteFailure(t *ticket, e *attemptError, now time.Time) {
	if e.disableReason != "" {
		h.refusals.add(credential{t.channel.ID, t.key.Fingerprint}, t.caller.TenantID, e.disableReason, now)
	}
	if e.fault == provider.CredentialFault || e.transport() {
		h.outages.suspect(t.channel, t.key)
	}
}

// sweep removes old failures and unused lanes. It should be called about once a minute.
func (h *Health) sweep(now time.Time) {
	for _, l := range *h.lanes.Load() {
		l.sweep(now)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	lanes := maps.Clone(*h.lanes.Load())
	maps.DeleteFunc(lanes, func(_ laneKey, l *lane) bool {
		return l.inFlight.Load() == 0 && !l.hasFaults.Load() && now.UnixNano()-l.lastUse.Load() > int64(idleLane)
	})
	if len(lanes) < len(*h.lanes.Load()) {
		h.lanes.Store(&lanes)
	}
	h.refusals.sweep(now)
	h.outages.sweep(now)
}

// UnhealthyLane describes a circuit breaker that is not closed: that of a channel, of a lane, or of one credential on
// a lane.
type UnhealthyLane struct {
	ChannelID   uuid.UUID
	Model       string      // the upstream's id; "" for a channel that cannot be reached
	Tenants     []uuid.UUID // the only tenants whose calls it concerns; nil for all tenants
	Fingerprint string      // of the credential; "" for the breaker of the whole lane
	Mask        string      // of the credential
	State       routing.State
	Code        string    // the code of the last failure
	Failures    int       // in a row
	Until       time.Time // when the breaker becomes half-open, or when the next probe of the channel begins
}

// Unhealthy returns every breaker that is open or half-open, in no particular order.
func (h *Health) Unhealthy() (lanes []UnhealthyLane) {
	now := h.now()
	for _, l := range *h.lanes.Load() {
		lanes = l.appendUnhealthy(lanes, now)
	}
	return h.outages.appendUnhealthy(lanes)
}
