package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func BenchmarkHealth(b *testing.B) {
	h := NewHealth(time.Now)
	id := uuid.New()
	h.Failed(uuid.New(), 0)
	b.ReportAllocs()
	for b.Loop() {
		h.Cooling(id)
		h.Served(id)
	}
}
