package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
)

// What each call pays for health: one look for the plan, the leave for one
// attempt and its end, while something else is not well.
func BenchmarkHealth(b *testing.B) {
	h := NewHealth(time.Now)
	key, ill := laneKey{uuid.New(), "m"}, laneKey{uuid.New(), "m"}
	keys := []snapshot.Credential{{Fingerprint: "of 1"}}
	t, _ := h.lane(ill).begin(noCredential, time.Now())
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
