package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
)

// BenchmarkHealth measures what each call costs in Health while another model has a failure: the condition for
// the plan, and the beginning and end of an attempt.
func BenchmarkHealth(b *testing.B) {
	h := newHealth(&Options{Now: time.Now})
	key, unhealthy := modelKey{uuid.New(), "m"}, modelKey{uuid.New(), "m"}
	keys := []snapshot.Credential{{Fingerprint: "of 1"}}
	caller, channel := callerOf("acme", "1"), &catalog.Channel{ID: unhealthy.channelID}
	t, _ := h.model(unhealthy).begin(ticket{channel: channel, key: noCredential, caller: caller}, time.Now())
	t.recordFailure(&attemptError{fault: provider.ServerFault}, time.Now())
	h.model(key)
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		h.condition(key, caller.TenantID, keys, now)
		t, _ := h.model(key).begin(ticket{channel: channel, key: &keys[0], caller: caller}, now)
		t.recordSuccess(now)
		t.recordStreamStart(now)
		t.endInFlight()
	}
}
