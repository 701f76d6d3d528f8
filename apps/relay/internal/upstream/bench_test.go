package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
)

// BenchmarkHealth measures what each call costs in Health while another lane has a failure: the condition for
// the plan, and the beginning and end of an attempt.
func BenchmarkHealth(b *testing.B) {
	h := NewHealth(time.Now)
	key, unhealthy := laneKey{uuid.New(), "m"}, laneKey{uuid.New(), "m"}
	keys := []snapshot.Credential{{Fingerprint: "of 1"}}
	t, _ := h.lane(unhealthy).begin(noCredential, time.Now())
	t.failed(&attemptError{}, time.Now())
	h.lane(key)
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		h.condition(key, keys, now)
		t, _ := h.lane(key).begin(&keys[0], now)
		t.served()
		t.streams(now)
		t.done()
	}
}
