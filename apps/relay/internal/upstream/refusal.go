package upstream

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

const (
	// maxDenials is how many times in a row a credential may be refused before it
	// is disabled, where the upstream does not tell for certain.
	maxDenials = 3
	// forgetDenials is the time after which a refusal is no more in a row with others.
	forgetDenials = time.Hour
	// maxRefused bounds the credentials that refusals are remembered of.
	maxRefused = 4_096
)

// credential is one of a channel's, by its fingerprint.
type credential struct {
	channel     uuid.UUID
	fingerprint string
}

// verdict is what an upstream says of a credential that it refuses.
type verdict struct {
	reason  catalog.DisabledReason
	certain bool
}

// refusals counts how often credentials were refused in a row, and keeps those
// that are to be disabled until that is written down. The zero value is ready.
type refusals struct {
	some atomic.Bool // there are counts
	wake func()      // told of what is to be disabled; nil: nobody is

	mu      sync.Mutex
	counts  map[credential]denials
	pending map[credential]catalog.DisabledReason
}

type denials struct {
	count int
	last  time.Time
}

// note counts a refusal.
func (r *refusals) note(c credential, v verdict, now time.Time) {
	if c.fingerprint == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	d, known := r.counts[c]
	if r.counts == nil {
		r.counts, r.pending = map[credential]denials{}, map[credential]catalog.DisabledReason{}
	}
	if !known && len(r.counts) >= maxRefused {
		return
	}
	r.counts[c] = denials{d.count + 1, now}
	r.some.Store(true)
	if v.certain || d.count+1 >= maxDenials {
		r.pending[c] = v.reason
		if r.wake != nil {
			r.wake()
		}
	}
}

// clear ends a series: the credential is good.
func (r *refusals) clear(channel uuid.UUID, fingerprint string) {
	if !r.some.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.counts, credential{channel, fingerprint})
	r.some.Store(len(r.counts) > 0)
}

// toDisable returns what is to be disabled.
func (r *refusals) toDisable() map[credential]catalog.DisabledReason {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.pending)
}

// disabled ends what was written down.
func (r *refusals) disabled(c credential) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, c)
	delete(r.counts, c)
	r.some.Store(len(r.counts) > 0)
}

func (r *refusals) sweep(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.counts, func(c credential, d denials) bool {
		_, waits := r.pending[c]
		return !waits && now.Sub(d.last) > forgetDenials
	})
	r.some.Store(len(r.counts) > 0)
}
