package upstream

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

const (
	// provingTenants is the number of tenants whose calls a credential must be refused for, without a success in
	// between, before it is disabled. The refusals of one tenant prove nothing, because some upstreams refuse a single
	// request with the same status as a credential: OpenRouter answers a large max_tokens with 402, and flagged input
	// with 403.
	provingTenants = 3
	// forgetRefusals is the time after the last refusal at which a series ends.
	forgetRefusals = 10 * time.Minute
	// maxRefused bounds the number of credentials whose refusals are counted.
	maxRefused = 4_096
)

// credential identifies a credential of a channel by its fingerprint.
type credential struct {
	channelID   uuid.UUID
	fingerprint string
}

// refusals collects the evidence that upstreams refuse credentials for good: calls of several tenants, or a probe
// that is certain. It keeps the credentials to disable until the database has them. The zero value is ready to use.
type refusals struct {
	hasAny atomic.Bool // there are series or pending; saves the lock when there are none
	wake   func()      // called when a credential must be disabled; nil: not called

	mu      sync.Mutex
	series  map[credential]series
	pending map[credential]catalog.DisabledReason // credentials to disable
}

// series describes the refusals of one credential since its last success.
type series struct {
	tenants []uuid.UUID // different tenants whose calls were refused
	last    time.Time
}

// add adds the refusal of a tenant's call to the series of a credential. It ignores a channel without credentials.
func (r *refusals) add(c credential, tenant uuid.UUID, reason catalog.DisabledReason, now time.Time) {
	if c.fingerprint == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.series[c]
	if r.series == nil {
		r.series = map[credential]series{}
	}
	// The bound protects the memory; the breakers of the tenants still work without a series.
	if !ok && len(r.series) >= maxRefused {
		return
	}
	if now.Sub(s.last) > forgetRefusals {
		s.tenants = nil
	}
	if !slices.Contains(s.tenants, tenant) {
		s.tenants = append(slices.Clip(s.tenants), tenant)
	}
	s.last = now
	r.series[c] = s
	r.update()
	if len(s.tenants) >= provingTenants {
		r.disable(c, reason)
	}
}

// addProven adds a credential that a probe has found to be invalid.
func (r *refusals) addProven(c credential, reason catalog.DisabledReason) {
	if c.fingerprint == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.disable(c, reason)
}

// disable adds a credential to disable. The caller holds mu.
func (r *refusals) disable(c credential, reason catalog.DisabledReason) {
	if r.pending == nil {
		r.pending = map[credential]catalog.DisabledReason{}
	}
	r.pending[c] = reason
	r.update()
	if r.wake != nil {
		r.wake()
	}
}

// clear removes the evidence against a credential that was accepted. The database may have been unavailable since the
// refusals, and must not disable a credential that works again.
func (r *refusals) clear(channel uuid.UUID, fingerprint string) {
	if r.hasAny.Load() {
		r.remove(credential{channel, fingerprint})
	}
}

// toDisable returns the credentials to disable, with the reason.
func (r *refusals) toDisable() map[credential]catalog.DisabledReason {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.pending)
}

// remove removes a credential that was accepted, that is disabled in the database now, or that the database will never
// disable.
func (r *refusals) remove(c credential) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, c)
	delete(r.series, c)
	r.update()
}

// update sets hasAny. The caller holds mu.
func (r *refusals) update() { r.hasAny.Store(len(r.series)+len(r.pending) > 0) }

// sweep removes old series.
func (r *refusals) sweep(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.series, func(_ credential, s series) bool { return now.Sub(s.last) > forgetRefusals })
	r.update()
}
