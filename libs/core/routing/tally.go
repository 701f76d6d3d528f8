package routing

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

const (
	// minCalls is the number of recent calls below which a Tally proves nothing about a target.
	minCalls = 10
	// minTokens is the number of API tokens whose calls must have failed recently. The calls of a single token may
	// all fail for the same reason, which lies in the calls.
	minTokens = 2

	tallySlots = 10          // slots of a tenant's counts
	slotTime   = time.Second // time that a slot covers, so a Tally covers the last 10 s
	maxTenants = 64          // tenants in a Tally; the calls of further tenants do not count
)

// Caller identifies who made a call.
type Caller struct{ TenantID, TokenID uuid.UUID }

// Tally counts the calls of the last 10 s that a target served or failed, by tenant, and decides whether the failures
// prove a fault of the target. Failures of one tenant alone prove nothing for the others, because every tenant chooses
// what its own calls send. The zero value is an empty Tally. A Tally has no clock and no lock, and uses at most 10 KB.
type Tally struct{ tenants []tenantTally }

// tenantTally holds the counts of one tenant.
type tenantTally struct {
	id     uuid.UUID
	tokens [minTokens]uuid.UUID // different tokens whose calls failed, while the tenant is in the Tally
	slots  [tallySlots]slot     // a ring, by second
}

// slot counts the calls that ended within one second.
type slot struct {
	second          int64 // Unix time
	calls, failures uint32
}

// RecordSuccess counts a call of the caller that was served at now.
func (t *Tally) RecordSuccess(now time.Time, caller Caller) {
	if tenant := t.tenant(now, caller.TenantID); tenant != nil {
		tenant.slot(now).calls++
	}
}

// RecordFailure counts a call of the caller that failed at now.
func (t *Tally) RecordFailure(now time.Time, caller Caller) {
	if tenant := t.tenant(now, caller.TenantID); tenant != nil {
		s := tenant.slot(now)
		s.calls++
		s.failures++
		tenant.addFailedToken(caller.TokenID)
	}
}

// tenant returns the counts of a tenant, which it adds if necessary; nil if the Tally already has maxTenants others.
func (t *Tally) tenant(now time.Time, id uuid.UUID) *tenantTally {
	if i := slices.IndexFunc(t.tenants, func(tenant tenantTally) bool { return tenant.id == id }); i >= 0 {
		return &t.tenants[i]
	}
	if len(t.tenants) >= maxTenants {
		t.removeIdle(now)
	}
	if len(t.tenants) >= maxTenants {
		return nil
	}
	t.tenants = append(t.tenants, tenantTally{id: id})
	return &t.tenants[len(t.tenants)-1]
}

// slot returns the counts of the present second.
func (t *tenantTally) slot(now time.Time) *slot {
	second := now.Unix()
	s := &t.slots[second%tallySlots]
	if s.second != second {
		*s = slot{second: second}
	}
	return s
}

// addFailedToken adds a token whose call failed, if fewer than minTokens are known.
func (t *tenantTally) addFailedToken(token uuid.UUID) {
	for i := range t.tokens {
		switch t.tokens[i] {
		case token:
			return
		case uuid.Nil:
			t.tokens[i] = token
			return
		}
	}
}

// sum returns the calls of the last 10 s.
func (t *tenantTally) sum(now time.Time) (calls, failures int) {
	for _, s := range t.slots {
		if age := now.Unix() - s.second; age >= 0 && age < tallySlots {
			calls, failures = calls+int(s.calls), failures+int(s.failures)
		}
	}
	return calls, failures
}

// removeIdle removes the tenants without a call in the last 10 s.
func (t *Tally) removeIdle(now time.Time) {
	t.tenants = slices.DeleteFunc(t.tenants, func(tenant tenantTally) bool {
		calls, _ := tenant.sum(now)
		return calls == 0
	})
}

// Faulty reports whether the calls of the last 10 s prove a fault of the target: at least 10 calls, at least half of
// them failed, the failed ones came from at least two tokens, and at least half of the calls failed for most of the
// tenants.
func (t *Tally) Faulty(now time.Time) bool {
	calls, failures, tokens, tenants, failingTenants := 0, 0, 0, 0, 0
	for i := range t.tenants {
		tenant := &t.tenants[i]
		tenantCalls, tenantFailures := tenant.sum(now)
		if tenantCalls == 0 {
			continue
		}
		calls, failures, tenants = calls+tenantCalls, failures+tenantFailures, tenants+1
		if tenantFailures > 0 {
			tokens += len(tenant.tokens) - count(tenant.tokens[:], uuid.Nil)
		}
		if 2*tenantFailures >= tenantCalls {
			failingTenants++
		}
	}
	return calls >= minCalls && 2*failures >= calls && tokens >= minTokens && 2*failingTenants > tenants
}

// count returns how many of the ids equal id.
func count(ids []uuid.UUID, id uuid.UUID) (n int) {
	for _, other := range ids {
		if other == id {
			n++
		}
	}
	return n
}

// Empty reports whether no call failed in the last 10 s.
func (t *Tally) Empty(now time.Time) bool {
	for i := range t.tenants {
		if _, failures := t.tenants[i].sum(now); failures > 0 {
			return false
		}
	}
	return true
}
