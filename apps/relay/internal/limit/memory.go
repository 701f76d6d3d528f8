package limit

import (
	"sync"
	"time"

	"github.com/google/uuid"

	core "github.com/tollgate/tollgate/libs/core/limit"
)

// memory holds this relay's own counts. It always has the slots of its own requests, so that they can be
// renewed and restored. It has buckets only for the time when Redis is unavailable. It is safe for concurrent
// use.
type memory struct {
	begun   time.Time // has the monotonic clock by which the buckets count, see steady
	mu      sync.Mutex
	buckets map[string]core.Bucket
	next    int                       // number of buckets at which unused buckets are dropped
	slots   map[string]int64          // slots in use by key
	calls   map[uuid.UUID]*activeCall // requests with slots
	// restores is true while slots are being restored in Redis. The command that restores a slot may arrive
	// there after the command that removes it.
	restores bool
}

// activeCall is a request with slots.
type activeCall struct {
	keys    []string
	inRedis bool      // Redis may have the slots of the request
	ended   time.Time // zero while the request is in flight
}

// fewBuckets is the number of buckets below which unused buckets aren't dropped.
const fewBuckets = 1024

func newMemory() *memory {
	return &memory{begun: time.Now(), buckets: map[string]core.Bucket{}, next: fewBuckets, slots: map[string]int64{},
		calls: map[uuid.UUID]*activeCall{}}
}

// steady returns now by the monotonic clock. Buckets keep moments of the wall clock. If that was set back, they would
// refuse calls until it has caught up.
func (m *memory) steady(now time.Time) time.Time { return m.begun.Add(now.Sub(m.begun)) }

// take takes all claims or none of them. inRedis is true if Redis may have counted the claims as well, because
// it was asked and did not answer in time.
func (m *memory) take(now time.Time, id uuid.UUID, claims []claim, inRedis bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now = m.steady(now)
	ok := true
	for i := range claims {
		c := &claims[i]
		c.seen = m.slots[c.key]
		if c.measure != core.Concurrency {
			c.seen = time.Duration(m.buckets[c.key].Level(now)).Microseconds()
		}
		ok = ok && c.fits()
	}
	if !ok {
		return false
	}
	for i := range claims {
		c := &claims[i]
		c.seen += c.want()
		if c.measure != core.Concurrency {
			m.buckets[c.key] = m.buckets[c.key].Take(now, c.cost())
		}
	}
	m.drop(now)
	m.addSlots(id, claims, inRedis)
	return true
}

// enter records the slots of a request that Redis admitted.
func (m *memory) enter(id uuid.UUID, claims []claim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.addSlots(id, claims, true)
}

// addSlots adds the slots of a request. The caller holds mu.
func (m *memory) addSlots(id uuid.UUID, claims []claim, inRedis bool) {
	var keys []string
	for i := range claims {
		if c := &claims[i]; c.measure == core.Concurrency {
			m.slots[c.key]++
			keys = append(keys, c.key)
		}
	}
	if call := m.calls[id]; call != nil {
		call.keys, call.inRedis = append(call.keys, keys...), call.inRedis || inRedis
	} else if len(keys) > 0 {
		m.calls[id] = &activeCall{keys: keys, inRedis: inRedis}
	}
}

// leave removes the slots of a request and reports whether Redis may have them. If so, the request stays
// recorded as ended until Redis is updated.
func (m *memory) leave(id uuid.UUID, claims []claim, now time.Time) (inRedis bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range claims {
		c := &claims[i]
		if c.measure != core.Concurrency {
			continue
		}
		if m.slots[c.key]--; m.slots[c.key] <= 0 {
			delete(m.slots, c.key)
		}
	}
	call := m.calls[id]
	switch {
	case call == nil:
		return false
	case !call.inRedis:
		delete(m.calls, id)
	}
	call.ended = now
	return call.inRedis
}

// forget drops an ended request that Redis was updated about. While slots are being restored it keeps the
// request, because the update may have to be repeated.
func (m *memory) forget(id uuid.UUID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.restores {
		delete(m.calls, id)
	}
}

// correct moves a bucket by the claim's delta.
func (m *memory) correct(now time.Time, c claim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.buckets[c.key] = m.buckets[c.key].Take(m.steady(now), c.delta)
}

// drop removes unused buckets. It runs only when the number of buckets has doubled since the last time, so its
// average cost is constant and the map doesn't grow beyond the buckets in use. The caller holds mu.
func (m *memory) drop(now time.Time) {
	if len(m.buckets) <= m.next {
		return
	}
	for key, bucket := range m.buckets {
		if bucket.Level(now) == 0 {
			delete(m.buckets, key)
		}
	}
	m.next = max(fewBuckets, 2*len(m.buckets))
}

// slot is one request's place in one count of concurrent requests.
type slot struct {
	key string
	id  uuid.UUID
}

// running returns the slots of all requests in flight.
func (m *memory) running() []slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	var slots []slot
	for id, call := range m.calls {
		if call.ended.IsZero() {
			slots = appendSlots(slots, id, call)
		}
	}
	return slots
}

// restoring returns those of the slots whose requests are still in flight, and marks that a restore is under
// way. The caller must call restored when it is over.
func (m *memory) restoring(slots []slot) []slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restores = true
	var active []slot
	for _, s := range slots {
		if call := m.calls[s.id]; call != nil && call.ended.IsZero() {
			call.inRedis = true
			active = append(active, s)
		}
	}
	return active
}

// restored marks the end of a restore.
func (m *memory) restored() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restores = false
}

// unreported returns the slots of ended requests that Redis may still have, and the requests' ids. Requests
// that ended before cutoff are dropped: their slots have expired in Redis.
func (m *memory) unreported(cutoff time.Time) (slots []slot, ids []uuid.UUID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, call := range m.calls {
		switch {
		case call.ended.IsZero():
		case call.ended.Before(cutoff):
			delete(m.calls, id)
		default:
			slots, ids = appendSlots(slots, id, call), append(ids, id)
		}
	}
	return slots, ids
}

// appendSlots appends the slots of one request.
func appendSlots(slots []slot, id uuid.UUID, call *activeCall) []slot {
	for _, key := range call.keys {
		slots = append(slots, slot{key, id})
	}
	return slots
}
