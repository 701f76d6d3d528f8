package upstream

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/provider"
)

// lane holds the health of one model on one channel. A refused or busy credential opens only its own breaker;
// any other failure opens the breaker of the whole lane.
type lane struct {
	key    laneKey
	health *Health

	inFlight    atomic.Int64
	firstByte   atomic.Int64 // average time to first byte of streams, in nanoseconds
	firstByteAt atomic.Int64 // when the last stream began to answer, Unix nanoseconds
	used        atomic.Int64 // when the last call began, Unix nanoseconds
	unhealthy   atomic.Int32 // number of faults

	mu     sync.Mutex
	faults map[string]*fault // by the credential's fingerprint; "" is the whole lane
}

// fault is a circuit breaker that is not closed.
type fault struct {
	routing.Breaker
	mask string // of the credential
	word string // of the last failure
}

// ticket is the permission for one attempt with a credential on a lane. The caller ends it with exactly one of
// served, failed and released. failed may also follow served, if the response broke off later. done ends the
// attempt's share of the calls in flight.
type ticket struct {
	lane                               *lane
	key                                *snapshot.Credential
	begun                              time.Time
	laneAdmission, credentialAdmission routing.Admission
}

// noCredential stands for the credential of a channel that needs none.
var noCredential = &snapshot.Credential{}

// state returns the worse of two states: the lane's, and that of its best credential.
func (l *lane) state(keys []snapshot.Credential, now time.Time) routing.State {
	if l.unhealthy.Load() == 0 {
		return routing.Closed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(keys) == 0 {
		return l.stateOf("", now)
	}
	// One credential that can be used is enough, so the best one counts.
	best := routing.Open
	for i := range keys {
		if !keys[i].Disabled {
			best = min(best, l.stateOf(keys[i].Fingerprint, now))
		}
	}
	return max(best, l.stateOf("", now))
}

// stateOf returns the state of one breaker. The caller holds mu.
func (l *lane) stateOf(fingerprint string, now time.Time) routing.State {
	if a := l.faults[fingerprint]; a != nil {
		return a.State(now)
	}
	return routing.Closed
}

// begin permits an attempt unless the breaker of the lane or of the credential is open.
func (l *lane) begin(key *snapshot.Credential, now time.Time) (ticket, bool) {
	t := l.ticket(key, now)
	// Without a fault on the lane every breaker is closed, and the usual case needs no lock.
	if l.unhealthy.Load() > 0 && !l.allow(&t) {
		return ticket{}, false
	}
	l.inFlight.Add(1)
	return t, true
}

// force permits an attempt in any state.
func (l *lane) force(key *snapshot.Credential, now time.Time) ticket {
	t := l.ticket(key, now)
	l.mu.Lock()
	defer l.mu.Unlock()
	t.laneAdmission, t.credentialAdmission = l.breaker("").Force(t.begun), l.breaker(key.Fingerprint).Force(t.begun)
	l.inFlight.Add(1)
	return t
}

// ticket returns a ticket with the permission of closed breakers. It takes no lock.
func (l *lane) ticket(key *snapshot.Credential, now time.Time) ticket {
	l.used.Store(now.UnixNano())
	var closed routing.Breaker
	permit, _ := closed.Allow(now) // a closed breaker always permits
	return ticket{lane: l, key: key, begun: now, laneAdmission: permit, credentialAdmission: permit}
}

// allow asks the breakers of the lane and of the credential. If one of them refuses, neither is changed.
func (l *lane) allow(t *ticket) (ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ofLane := l.breaker("")
	if t.laneAdmission, ok = ofLane.Allow(t.begun); !ok {
		return false
	}
	if t.key.Fingerprint == "" {
		return true
	}
	if t.credentialAdmission, ok = l.breaker(t.key.Fingerprint).Allow(t.begun); !ok {
		ofLane.Release(t.laneAdmission)
	}
	return ok
}

// breaker returns the credential's breaker, or a new closed one. The caller holds mu.
func (l *lane) breaker(fingerprint string) *routing.Breaker {
	if a := l.faults[fingerprint]; a != nil {
		return &a.Breaker
	}
	return &routing.Breaker{}
}

// streams records the time to first byte of a stream that begins now.
func (t *ticket) streams(now time.Time) { t.lane.recordFirstByte(now, t.begun) }

// served records a success.
func (t *ticket) served() {
	l := t.lane
	l.health.refusals.clear(l.key.channel, t.key.Fingerprint)
	if l.unhealthy.Load() > 0 {
		l.end(func(fingerprint string) { l.breaker(fingerprint).RecordSuccess(t.admission(fingerprint)) }, t)
	}
}

// released ends an attempt that proves nothing about the lane's health.
func (t *ticket) released() {
	if l := t.lane; l.unhealthy.Load() > 0 {
		l.end(func(fingerprint string) { l.breaker(fingerprint).Release(t.admission(fingerprint)) }, t)
	}
}

// failed records a failure. A fault of the credential opens only the credential's breaker.
func (t *ticket) failed(e *attemptError, now time.Time) {
	l := t.lane
	fingerprint := ""
	if e.fault == provider.CredentialFault || e.fault == provider.BusyFault {
		fingerprint = t.key.Fingerprint
	}
	if e.fault == provider.CredentialFault {
		l.health.refusals.note(credential{l.key.channel, t.key.Fingerprint}, e.refused, now)
	}
	l.mu.Lock()
	if l.faults == nil {
		l.faults = map[string]*fault{}
	}
	a := l.faults[fingerprint]
	if a == nil {
		a = &fault{}
		l.faults[fingerprint] = a
	}
	a.word, a.mask = e.word, ""
	if fingerprint != "" {
		a.mask = t.key.Mask
	}
	a.RecordFailure(t.admission(fingerprint), now, e.cooldown)
	l.mu.Unlock()
	l.end(func(other string) {
		if other != fingerprint {
			l.breaker(other).Release(t.admission(other))
		}
	}, t)
}

// admission returns the permission of one of the ticket's breakers; "" is the lane's.
func (t *ticket) admission(fingerprint string) routing.Admission {
	if fingerprint == "" {
		return t.laneAdmission
	}
	return t.credentialAdmission
}

// end updates the breakers of the lane and of the credential, and removes those that are closed.
func (l *lane) end(update func(fingerprint string), t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	update("")
	if t.key.Fingerprint != "" {
		update(t.key.Fingerprint)
	}
	for fingerprint, a := range l.faults {
		if a.Failures == 0 {
			delete(l.faults, fingerprint)
		}
	}
	l.unhealthy.Store(int32(len(l.faults)))
	l.health.version.Add(1)
}

// done ends the attempt's share of the calls in flight.
func (t *ticket) done() { t.lane.inFlight.Add(-1) }

// recordFirstByte adds a sample to the average. If two samples arrive at the same time one may be lost, which
// an average tolerates.
func (l *lane) recordFirstByte(now, begun time.Time) {
	l.firstByte.Store(int64(routing.Smooth(l.average(now), now.Sub(begun))))
	l.firstByteAt.Store(now.UnixNano())
}

// average returns the average time to first byte; 0 if it is unknown. Without new samples it decays, so that a
// channel that was slow once is tried again.
func (l *lane) average(now time.Time) time.Duration {
	average := time.Duration(l.firstByte.Load())
	if average == 0 {
		return 0
	}
	return routing.Decayed(average, time.Duration(now.UnixNano()-l.firstByteAt.Load()))
}

// sweep removes failures whose breaker has been half-open for too long.
func (l *lane) sweep(now time.Time) {
	if l.unhealthy.Load() == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for fingerprint, a := range l.faults {
		if a.State(now) == routing.HalfOpen && now.Sub(a.OpenUntil) > forgetAfter {
			delete(l.faults, fingerprint)
			l.health.version.Add(1)
		}
	}
	l.unhealthy.Store(int32(len(l.faults)))
}

// appendUnhealthy appends the lane's breakers that aren't closed.
func (l *lane) appendUnhealthy(all []UnhealthyLane, now time.Time) []UnhealthyLane {
	if l.unhealthy.Load() == 0 {
		return all
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for fingerprint, a := range l.faults {
		all = append(all, UnhealthyLane{
			ChannelID: l.key.channel, Model: l.key.model, Fingerprint: fingerprint, Mask: a.mask,
			State: a.State(now), Word: a.word, Failures: a.Failures, Until: a.OpenUntil,
		})
	}
	return all
}
