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
	// maxDenials is the number of refusals in a row after which a credential is disabled, if the
	// upstream's response doesn't prove that the credential is invalid.
	maxDenials = 3
	// forgetDenials is the time after which a refusal no longer counts as part of a series.
	forgetDenials = time.Hour
	// maxRefused bounds the number of credentials whose refusals are counted.
	maxRefused = 4_096
)

// credential identifies a credential of a channel by its fingerprint.
type credential struct {
	channel     uuid.UUID
	fingerprint string
}

// verdict is an upstream's statement about a credential that it refuses.
type verdict struct {
	reason  catalog.DisabledReason
	certain bool
}

// refusals counts how often credentials were refused in a row. It keeps the credentials to disable until the
// database has them. The zero value is ready to use.
type refusals struct {
	some atomic.Bool // there are counts; saves the lock when there are none
	wake func()      // called when a credential must be disabled; nil: not called

	mu      sync.Mutex
	counts  map[credential]denials
	pending map[credential]catalog.DisabledReason // credentials to disable
}

// denials is a series of refusals of one credential.
type denials struct {
	count int
	last  time.Time
}

// note counts a refusal. It ignores a channel without credentials.
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
	// The bound protects the memory; the breaker of the credential still works without a count.
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

// clear ends the series of a credential that was accepted.
func (r *refusals) clear(channel uuid.UUID, fingerprint string) {
	if !r.some.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.counts, credential{channel, fingerprint})
	r.some.Store(len(r.counts) > 0)
}

// toDisable returns the credentials to disable, with the reason.
func (r *refusals) toDisable() map[credential]catalog.DisabledReason {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.pending)
}

// disabled removes a credential that the database has as disabled.
func (r *refusals) disabled(c credential) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, c)
	delete(r.counts, c)
	r.some.Store(len(r.counts) > 0)
}

// sweep removes old series, unless the credential still has to be disabled.
func (r *refusals) sweep(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.counts, func(c credential, d denials) bool {
		_, waits := r.pending[c]
		return !waits && now.Sub(d.last) > forgetDenials
	})
	r.some.Store(len(r.counts) > 0)
}
