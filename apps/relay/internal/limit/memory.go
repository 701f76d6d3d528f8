package limit

import (
	"sync"
	"time"

	"github.com/google/uuid"

	core "github.com/tollgate/tollgate/libs/core/limit"
)

// memory is what this relay counts by itself: the slots of its own calls at
// all times, buckets while they are not in Redis.
type memory struct {
	mu      sync.Mutex
	buckets map[string]core.Bucket
	next    int // how many buckets there may be before full ones are dropped
	slots   map[string]int64
	calls   map[uuid.UUID]*activeCall
	// restores: slots are on their way to Redis, and may arrive behind the news
	// that their call has ended.
	restores bool
}

// stay is a call that has slots.
type activeCall struct {
	keys  []string
	known bool      // Redis may know of it
	ended time.Time // zero: it runs
}

const fewBuckets = 1024

func newMemory() *memory {
	return &memory{buckets: map[string]core.Bucket{}, next: fewBuckets, slots: map[string]int64{}, calls: map[uuid.UUID]*activeCall{}}
}

// take takes all claims or none.
func (m *memory) take(now time.Time, id uuid.UUID, claims []claim, known bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	admitted := true
	for i := range claims {
		c := &claims[i]
		c.seen = m.slots[c.key]
		if c.measure != core.Concurrency {
			c.seen = time.Duration(m.buckets[c.key].Level(now)).Microseconds()
		}
		admitted = admitted && c.fits()
	}
	if !admitted {
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
	m.seat(id, claims, known)
	return true
}

// enter notes the slots of a call that Redis admitted.
func (m *memory) enter(id uuid.UUID, claims []claim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seat(id, claims, true)
}

func (m *memory) seat(id uuid.UUID, claims []claim, known bool) {
	var keys []string
	for i := range claims {
		if c := &claims[i]; c.measure == core.Concurrency {
			m.slots[c.key]++
			keys = append(keys, c.key)
		}
	}
	if len(keys) > 0 {
		m.calls[id] = &activeCall{keys: keys, known: known}
	}
}

// leave frees the slots of a call here and reports whether Redis may know of
// it. Until it was told, the call is kept as ended.
func (m *memory) leave(id uuid.UUID, claims []claim, now time.Time) (known bool) {
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
	case !call.known:
		delete(m.calls, id)
	}
	call.ended = now
	return call.known
}

// forget drops a call that ended, and that Redis has been told of, unless it
// must be told once more.
func (m *memory) forget(id uuid.UUID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.restores {
		delete(m.calls, id)
	}
}

// correct moves a bucket by what a call used more, or less, than it took.
func (m *memory) correct(now time.Time, c claim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.buckets[c.key] = m.buckets[c.key].Take(now, c.delta)
}

// drop forgets buckets that are full, whenever there are twice as many as were
// left the last time: the map stays as small as what is in use.
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

// slot is one call's place in one count of slots.
type slot struct {
	key string
	id  uuid.UUID
}

// running returns the slots of all calls that run.
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

// restoring returns those of the slots whose calls still run, to be restored in
// Redis until restored is called.
func (m *memory) restoring(slots []slot) []slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restores = true
	var still []slot
	for _, s := range slots {
		if call := m.calls[s.id]; call != nil && call.ended.IsZero() {
			call.known = true
			still = append(still, s)
		}
	}
	return still
}

func (m *memory) restored() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restores = false
}

// left returns the slots of calls that ended and that Redis was not told of,
// and their ids. Those that ended before the moment have expired there.
func (m *memory) left(moment time.Time) (slots []slot, ids []uuid.UUID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, call := range m.calls {
		switch {
		case call.ended.IsZero():
		case call.ended.Before(moment):
			delete(m.calls, id)
		default:
			slots, ids = appendSlots(slots, id, call), append(ids, id)
		}
	}
	return slots, ids
}

func appendSlots(slots []slot, id uuid.UUID, call *activeCall) []slot {
	for _, key := range call.keys {
		slots = append(slots, slot{key, id})
	}
	return slots
}
