package upstream

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/provider"
)

// modelHealth holds the health of one model on one channel. Its faults differ in whom they concern:
//
//	fault                         one tenant                           all tenants
//	of the model                  each failure of the tenant's calls   failures that a routing.Tally finds proven
//	of a credential, refused      each refusal of the tenant's calls   never: the credential is disabled (refusal.go)
//	of a credential, rate limit   never                                each 429, because waiting is all that helps
//
// So a tenant whose calls always fail demotes the channel for itself alone.
type modelHealth struct {
	key    modelKey
	health *Health

	inFlight    atomic.Int64
	firstByte   atomic.Int64 // average time to first byte of streams, in nanoseconds
	firstByteAt atomic.Int64 // when the last stream began to answer, Unix nanoseconds
	lastUse     atomic.Int64 // when the last call began, Unix nanoseconds
	hasFaults   atomic.Bool  // there are faults or recent failures; false: no call needs mu

	mu     sync.Mutex
	faults map[faultKey]*fault
	tally  *routing.Tally // calls since the last failure, nil if none failed recently
}

// faultKey identifies a circuit breaker of a model.
type faultKey struct {
	tenantID    uuid.UUID // uuid.Nil: concerns all tenants
	fingerprint string    // of the credential; "": concerns the whole model
}

// fault is a circuit breaker that is not closed.
type fault struct {
	routing.Breaker
	mask string      // of the credential
	code failureCode // of the last failure
}

// breakersOfCall is the number of breakers that a call passes: those of the model and of the credential, each for all
// tenants and for the tenant of the call.
const breakersOfCall = 4

// ticket is the permission for one attempt with a credential for a model. The caller ends it with exactly one of
// recordSuccess, recordFailure and discard. recordFailure may also follow recordSuccess, if the response broke off
// later. endInFlight removes the attempt from the calls in flight.
type ticket struct {
	model      *modelHealth
	channel    *catalog.Channel
	key        *snapshot.Credential
	caller     routing.Caller
	begun      time.Time
	admissions [breakersOfCall]routing.Admission // in the order of keys
}

// keys returns the keys of the breakers that the call passes. Without a credential the last two equal the first two.
func (t *ticket) keys() [breakersOfCall]faultKey {
	return [...]faultKey{{uuid.Nil, ""}, {t.caller.TenantID, ""}, {uuid.Nil, t.key.Fingerprint},
		{t.caller.TenantID, t.key.Fingerprint}}
}

// breakers returns the breakers of the call's keys, nil for a closed one. The caller holds the model's mu.
func (t *ticket) breakers() (breakers [breakersOfCall]*routing.Breaker) {
	keys := t.keys()
	n := len(keys)
	if t.key.Fingerprint == "" {
		n = 2
	}
	for i := range n {
		if f := t.model.faults[keys[i]]; f != nil {
			breakers[i] = &f.Breaker
		}
	}
	return breakers
}

// noCredential stands for the credential of a channel that needs none.
var noCredential = &snapshot.Credential{}

// state returns the worse of two states for a tenant: the model's, and that of its best credential.
func (m *modelHealth) state(tenant uuid.UUID, keys []snapshot.Credential, now time.Time) routing.State {
	if !m.hasFaults.Load() {
		return routing.Closed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(keys) == 0 {
		return m.stateOf(tenant, "", now)
	}
	// One credential that can be used is enough, so the best one counts.
	best := routing.Open
	for i := range keys {
		if !keys[i].Disabled {
			best = min(best, m.stateOf(tenant, keys[i].Fingerprint, now))
		}
	}
	return max(best, m.stateOf(tenant, "", now))
}

// stateOf returns the worse of the states of two breakers: the one for all tenants and the tenant's own. The caller
// holds mu.
func (m *modelHealth) stateOf(tenant uuid.UUID, fingerprint string, now time.Time) (worst routing.State) {
	for _, key := range [...]faultKey{{uuid.Nil, fingerprint}, {tenant, fingerprint}} {
		if f := m.faults[key]; f != nil {
			worst = max(worst, f.State(now))
		}
	}
	return worst
}

// begin permits an attempt unless a breaker that it passes is open.
func (m *modelHealth) begin(t ticket, now time.Time) (ticket, bool) {
	m.prepare(&t, now)
	// Without a fault of the model every breaker is closed, and the usual case needs no lock.
	if m.hasFaults.Load() && !m.allow(&t) {
		return ticket{}, false
	}
	m.inFlight.Add(1)
	return t, true
}

// force permits an attempt in any state.
func (m *modelHealth) force(t ticket, now time.Time) ticket {
	m.prepare(&t, now)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, b := range t.breakers() {
		if b != nil {
			t.admissions[i] = b.Force(t.begun)
		}
	}
	m.inFlight.Add(1)
	return t
}

// prepare fills in a ticket with the permission of closed breakers. It takes no lock.
func (m *modelHealth) prepare(t *ticket, now time.Time) {
	m.lastUse.Store(now.UnixNano())
	t.model, t.begun = m, now
	var breaker routing.Breaker
	permit, _ := breaker.Allow(now) // a closed breaker always permits
	for i := range t.admissions {
		t.admissions[i] = permit
	}
}

// allow asks the breakers that the call passes. If one of them refuses, none is changed.
func (m *modelHealth) allow(t *ticket) (ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, b := range t.breakers() {
		if b == nil {
			continue
		}
		if t.admissions[i], ok = b.Allow(t.begun); !ok {
			t.releaseAdmissions()
			return false
		}
	}
	return true
}

// recordStreamStart records the time to first byte of a stream that begins now.
func (t *ticket) recordStreamStart(now time.Time) { t.model.recordFirstByte(now, t.begun) }

// recordSuccess records a success. It closes the breakers that the call passes.
func (t *ticket) recordSuccess(now time.Time) {
	m := t.model
	m.health.noteSuccess(t)
	if !m.hasFaults.Load() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tally != nil {
		m.tally.RecordSuccess(now, t.caller)
	}
	for i, b := range t.breakers() {
		if b != nil {
			b.RecordSuccess(t.admissions[i])
		}
	}
	m.removeClosed(now)
}

// discard ends an attempt that proves nothing about the model's health.
func (t *ticket) discard(now time.Time) {
	m := t.model
	if !m.hasFaults.Load() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t.releaseAdmissions()
	m.removeClosed(now)
}

// releaseAdmissions ends the call's admissions without a result. The caller holds the model's mu.
func (t *ticket) releaseAdmissions() {
	for i, b := range t.breakers() {
		if b != nil {
			b.Release(t.admissions[i])
		}
	}
}

// recordFailure records a failure.
func (t *ticket) recordFailure(e *attemptError, now time.Time) {
	m := t.model
	m.health.noteFailure(t, e, now)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hasFaults.Store(true)
	switch e.fault {
	case provider.BusyFault:
		m.openBreaker(t, faultKey{uuid.Nil, t.key.Fingerprint}, e, now)
	case provider.CredentialFault:
		m.openBreaker(t, faultKey{t.caller.TenantID, t.key.Fingerprint}, e, now)
	case provider.ServerFault, provider.NoFault, provider.ClientFault:
		if m.tally == nil {
			m.tally = &routing.Tally{}
		}
		m.tally.RecordFailure(now, t.caller)
		// A breaker for all tenants that is not closed opens again with the first failure, without further proof.
		if m.faults[faultKey{}] != nil || m.tally.Faulty(now) {
			m.openBreaker(t, faultKey{}, e, now)
		}
		m.openBreaker(t, faultKey{t.caller.TenantID, ""}, e, now)
	}
	t.releaseAdmissions()
	m.removeClosed(now)
}

// openBreaker opens a breaker. The caller holds mu.
func (m *modelHealth) openBreaker(t *ticket, key faultKey, e *attemptError, now time.Time) {
	f := m.faults[key]
	if f == nil {
		if f = m.addBreaker(key); f == nil {
			return
		}
	}
	f.code, f.mask = e.code, ""
	if key.fingerprint != "" {
		f.mask = t.key.Mask
	}
	permit := routing.Admission{}
	for i, k := range t.keys() {
		if k == key {
			permit = t.admissions[i]
			break
		}
	}
	f.RecordFailure(permit, now, e.cooldown)
	m.health.version.Add(1)
}

// addBreaker adds a closed breaker. It returns nil if there are too many breakers of single tenants. The caller holds
// mu.
func (m *modelHealth) addBreaker(key faultKey) *fault {
	if key.tenantID != uuid.Nil && m.health.tenantBreakers.Add(1) > maxTenantBreakers {
		m.health.tenantBreakers.Add(-1)
		return nil
	}
	if m.faults == nil {
		m.faults = map[faultKey]*fault{}
	}
	f := &fault{}
	m.faults[key] = f
	return f
}

// removeBreaker removes a breaker. The caller holds mu.
func (m *modelHealth) removeBreaker(key faultKey) {
	delete(m.faults, key)
	m.health.version.Add(1)
	if key.tenantID != uuid.Nil {
		m.health.tenantBreakers.Add(-1)
	}
}

// removeClosed removes the breakers that are closed, and a tally without recent failures. The caller holds mu.
func (m *modelHealth) removeClosed(now time.Time) {
	for key, f := range m.faults {
		if f.Failures == 0 {
			m.removeBreaker(key)
		}
	}
	if m.tally != nil && m.tally.Empty(now) {
		m.tally = nil
	}
	m.hasFaults.Store(len(m.faults) > 0 || m.tally != nil)
}

// endInFlight removes the attempt from the calls in flight.
func (t *ticket) endInFlight() { t.model.inFlight.Add(-1) }

// recordFirstByte adds a sample to the average. If two samples arrive at the same time one may be lost, which
// an average tolerates.
func (m *modelHealth) recordFirstByte(now, start time.Time) {
	m.firstByte.Store(int64(routing.Smooth(m.averageFirstByte(now), now.Sub(start))))
	m.firstByteAt.Store(now.UnixNano())
}

// averageFirstByte returns the average time to first byte; 0 if it is unknown. Without new samples it decays, so that a
// channel that was slow once is tried again.
func (m *modelHealth) averageFirstByte(now time.Time) time.Duration {
	average := time.Duration(m.firstByte.Load())
	if average == 0 {
		return 0
	}
	return routing.Decayed(average, time.Duration(now.UnixNano()-m.firstByteAt.Load()))
}

// sweep removes failures whose breaker has been half-open for too long.
func (m *modelHealth) sweep(now time.Time) {
	if !m.hasFaults.Load() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, f := range m.faults {
		if f.State(now) == routing.HalfOpen && now.Sub(f.OpenUntil) > forgetAfter {
			m.removeBreaker(key)
		}
	}
	m.removeClosed(now)
}

// appendUnhealthy appends the model's breakers that aren't closed. It joins the breakers of single tenants into one
// entry for each credential, and leaves them out if the credential has a breaker for all tenants.
func (m *modelHealth) appendUnhealthy(breakers []BreakerStatus, now time.Time) []BreakerStatus {
	if !m.hasFaults.Load() {
		return breakers
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	byFingerprint := map[string]*BreakerStatus{} // of single tenants, by fingerprint
	for key, f := range m.faults {
		status := BreakerStatus{
			ChannelID: m.key.channelID, Model: m.key.model, Fingerprint: key.fingerprint, Mask: f.mask,
			State: f.State(now), Code: string(f.code), Failures: f.Failures, Until: f.OpenUntil,
		}
		switch entry := byFingerprint[key.fingerprint]; {
		case key.tenantID == uuid.Nil:
			breakers = append(breakers, status)
		case m.faults[faultKey{uuid.Nil, key.fingerprint}] != nil:
		case entry == nil:
			status.Tenants = []uuid.UUID{key.tenantID}
			byFingerprint[key.fingerprint] = &status
		default:
			entry.Tenants = append(entry.Tenants, key.tenantID)
			entry.State, entry.Failures = max(entry.State, status.State), max(entry.Failures, status.Failures)
			if status.Until.After(entry.Until) {
				entry.Code, entry.Until = status.Code, status.Until
			}
		}
	}
	for _, status := range byFingerprint {
		breakers = append(breakers, *status)
	}
	return breakers
}
