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
	// model.
	forgetAfter = 10 * time.Minute
	// idleModel is the time without a call after which the health of a model is removed.
	idleModel = time.Hour
	// maxTenantBreakers bounds the number of breakers of single tenants. Further failures do not change the order of
	// channels.
	maxTenantBreakers = 4_096
)

// Health records the state of the channels: calls in flight, time to first byte and recent failures. It is safe
// for concurrent use. Reading the condition of a channel without failures takes no lock.
type Health struct {
	now func() time.Time

	mu     sync.Mutex // held while models is replaced
	models atomic.Pointer[map[modelKey]*modelHealth]

	refusals       refusals
	outages        outages
	tenantBreakers atomic.Int64 // number of breakers of single tenants
	version        atomic.Int64 // changes with every failure and every recovery
}

// modelKey identifies one model of one channel, by the upstream's model id.
type modelKey struct {
	channelID uuid.UUID
	model     string
}

// newHealth returns a Health in which every breaker is closed.
func newHealth(o *Options) *Health {
	h := &Health{now: o.Now}
	h.models.Store(&map[modelKey]*modelHealth{})
	h.outages = outages{
		prober: o.Prober, current: o.Current, now: o.Now, requests: o.Requests, onProbe: o.OnProbe,
		onChange: func() { h.version.Add(1) }, refuse: h.refusals.addProven,
		slots: make(chan struct{}, concurrentProbes), probes: map[credential]lastProbe{},
	}
	return h
}

// find returns the health of a model, or nil if it wasn't called recently.
func (h *Health) find(key modelKey) *modelHealth { return (*h.models.Load())[key] }

// model returns the health of a model, and creates it if necessary.
func (h *Health) model(key modelKey) *modelHealth {
	if m := h.find(key); m != nil {
		return m
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.find(key); m != nil {
		return m
	}
	// The map is replaced and never changed, so that readers need no lock.
	models := maps.Clone(*h.models.Load())
	m := &modelHealth{key: key, health: h}
	m.lastUse.Store(h.now().UnixNano())
	models[key] = m
	h.models.Store(&models)
	return m
}

// condition returns the state of a model for routing a tenant's call.
func (h *Health) condition(key modelKey, tenant uuid.UUID, keys []snapshot.Credential,
	now time.Time) routing.Condition {
	var condition routing.Condition
	if m := h.find(key); m != nil {
		condition = routing.Condition{State: m.state(tenant, keys, now), InFlight: m.inFlight.Load(),
			FirstByte: m.averageFirstByte(now)}
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

// sweep removes old failures and unused models. It should be called about once a minute.
func (h *Health) sweep(now time.Time) {
	for _, m := range *h.models.Load() {
		m.sweep(now)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	models := maps.Clone(*h.models.Load())
	maps.DeleteFunc(models, func(_ modelKey, m *modelHealth) bool {
		return m.inFlight.Load() == 0 && !m.hasFaults.Load() && now.UnixNano()-m.lastUse.Load() > int64(idleModel)
	})
	if len(models) < len(*h.models.Load()) {
		h.models.Store(&models)
	}
	h.refusals.sweep(now)
	h.outages.sweep(now)
}

// BreakerStatus describes a circuit breaker that is not closed: that of a channel, of a model, or of one credential
// for a model.
type BreakerStatus struct {
	ChannelID   uuid.UUID
	Model       string      // the upstream's id; "" for a channel that cannot be reached
	Tenants     []uuid.UUID // the only tenants whose calls it concerns; nil for all tenants
	Fingerprint string      // of the credential; "" for the breaker of the whole model
	Mask        string      // of the credential
	State       routing.State
	Code        string    // the code of the last failure
	Failures    int       // in a row
	Until       time.Time // when the breaker becomes half-open, or when the next probe of the channel begins
}

// Unhealthy returns every breaker that is open or half-open, in no particular order.
func (h *Health) Unhealthy() (breakers []BreakerStatus) {
	now := h.now()
	for _, m := range *h.models.Load() {
		breakers = m.appendUnhealthy(breakers, now)
	}
	return h.outages.appendUnhealthy(breakers)
}
