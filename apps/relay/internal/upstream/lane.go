package upstream

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/provider"
)

// lane is one model on one channel. A refused or busy credential fails for
// itself, everything else for the whole lane.
type lane struct {
	key    laneKey
	health *Health

	inFlight  atomic.Int64
	firstByte atomic.Int64 // average over streams, ns
	heard     atomic.Int64 // when a stream began to answer, unix ns
	used      atomic.Int64 // when a call began, unix ns
	ill       atomic.Int32 // how many ailments there are

	mu       sync.Mutex
	ailments map[string]*ailment // by the credential's fingerprint, "" of the whole lane
}

// ailment is a breaker that is not well.
type ailment struct {
	routing.Breaker
	mask string // of the credential
	word string // of the last failure
}

// ticket is a call's leave to use a credential on a lane. It ends with exactly
// one of served, failed and released; failed may also follow on served, where
// an answer breaks off. leave gives back its place among the calls under way.
type ticket struct {
	lane       *lane
	key        *snapshot.Key
	begun      time.Time
	whole, own routing.Admission
}

// noKey is the credential of channels that have none.
var noKey = &snapshot.Key{}

// state is that of the lane and its best credential.
func (l *lane) state(keys []snapshot.Key, now time.Time) routing.State {
	if l.ill.Load() == 0 {
		return routing.Closed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(keys) == 0 {
		return l.stateOf("", now)
	}
	best := routing.Open
	for i := range keys {
		if !keys[i].Disabled {
			best = min(best, l.stateOf(keys[i].Fingerprint, now))
		}
	}
	return max(best, l.stateOf("", now))
}

// stateOf needs mu.
func (l *lane) stateOf(fingerprint string, now time.Time) routing.State {
	if a := l.ailments[fingerprint]; a != nil {
		return a.State(now)
	}
	return routing.Closed
}

// begin gives leave unless the lane or the credential rests or is being tried.
func (l *lane) begin(key *snapshot.Key, now time.Time) (ticket, bool) {
	t := l.ticket(key, now)
	if l.ill.Load() > 0 && !l.permit(&t) {
		return ticket{}, false
	}
	l.inFlight.Add(1)
	return t, true
}

// force gives leave to a call for which nothing better is left.
func (l *lane) force(key *snapshot.Key, now time.Time) ticket {
	t := l.ticket(key, now)
	l.mu.Lock()
	defer l.mu.Unlock()
	t.whole, t.own = l.breaker("").Force(t.begun), l.breaker(key.Fingerprint).Force(t.begun)
	l.inFlight.Add(1)
	return t
}

func (l *lane) ticket(key *snapshot.Key, now time.Time) ticket {
	l.used.Store(now.UnixNano())
	var well routing.Breaker
	permit, _ := well.Allow(now) // what is well always begins
	return ticket{lane: l, key: key, begun: now, whole: permit, own: permit}
}

func (l *lane) permit(t *ticket) (ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := l.breaker("")
	if t.whole, ok = whole.Allow(t.begun); !ok {
		return false
	}
	if t.key.Fingerprint == "" {
		return true
	}
	if t.own, ok = l.breaker(t.key.Fingerprint).Allow(t.begun); !ok {
		whole.Release(t.whole)
	}
	return ok
}

// breaker returns that of an ailment, or one that is well and nobody else's.
// It needs mu.
func (l *lane) breaker(fingerprint string) *routing.Breaker {
	if a := l.ailments[fingerprint]; a != nil {
		return &a.Breaker
	}
	return &routing.Breaker{}
}

// streams notes when the answer began.
func (t *ticket) streams(now time.Time) { t.lane.hear(now, t.begun) }

// served notes a good answer.
func (t *ticket) served() {
	l := t.lane
	l.health.refusals.clear(l.key.channel, t.key.Fingerprint)
	if l.ill.Load() > 0 {
		l.end(func(fingerprint string) { l.breaker(fingerprint).RecordSuccess(t.permit(fingerprint)) }, t)
	}
}

// released notes a call that tells nothing of the lane.
func (t *ticket) released() {
	if l := t.lane; l.ill.Load() > 0 {
		l.end(func(fingerprint string) { l.breaker(fingerprint).Release(t.permit(fingerprint)) }, t)
	}
}

// failed notes a failure. What the credential is to blame for concerns it alone.
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
	if l.ailments == nil {
		l.ailments = map[string]*ailment{}
	}
	a := l.ailments[fingerprint]
	if a == nil {
		a = &ailment{}
		l.ailments[fingerprint] = a
	}
	a.word, a.mask = e.word, ""
	if fingerprint != "" {
		a.mask = t.key.Mask
	}
	a.RecordFailure(t.permit(fingerprint), now, e.rest)
	l.mu.Unlock()
	l.end(func(other string) {
		if other != fingerprint {
			l.breaker(other).Release(t.permit(other))
		}
	}, t)
}

func (t *ticket) permit(fingerprint string) routing.Admission {
	if fingerprint == "" {
		return t.whole
	}
	return t.own
}

// end tells the lane and the credential, and forgets what is well.
func (l *lane) end(tell func(fingerprint string), t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tell("")
	if t.key.Fingerprint != "" {
		tell(t.key.Fingerprint)
	}
	for fingerprint, a := range l.ailments {
		if a.Failures == 0 {
			delete(l.ailments, fingerprint)
		}
	}
	l.ill.Store(int32(len(l.ailments)))
	l.health.version.Add(1)
}

// leave ends the call's part of the work under way.
func (t *ticket) leave() { t.lane.inFlight.Add(-1) }

// hear takes in how long a stream took to begin. Two at once may lose one of
// them, which an average can bear.
func (l *lane) hear(now, begun time.Time) {
	l.firstByte.Store(int64(routing.Smooth(l.average(now), now.Sub(begun))))
	l.heard.Store(now.UnixNano())
}

func (l *lane) average(now time.Time) time.Duration {
	average := time.Duration(l.firstByte.Load())
	if average == 0 {
		return 0
	}
	return routing.Decayed(average, time.Duration(now.UnixNano()-l.heard.Load()))
}

// sweep forgets failures that nobody has asked about for long.
func (l *lane) sweep(now time.Time) {
	if l.ill.Load() == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for fingerprint, a := range l.ailments {
		if a.State(now) == routing.HalfOpen && now.Sub(a.OpenUntil) > forgetAfter {
			delete(l.ailments, fingerprint)
			l.health.version.Add(1)
		}
	}
	l.ill.Store(int32(len(l.ailments)))
}

func (l *lane) appendIlls(all []Ill, now time.Time) []Ill {
	if l.ill.Load() == 0 {
		return all
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for fingerprint, a := range l.ailments {
		all = append(all, Ill{
			ChannelID: l.key.channel, Model: l.key.model, Fingerprint: fingerprint, Mask: a.mask,
			State: a.State(now), Word: a.word, Failures: a.Failures, Until: a.OpenUntil,
		})
	}
	return all
}
