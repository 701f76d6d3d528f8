package upstream

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	firstRest = time.Second
	maxRest   = time.Minute
)

// Health remembers which channels failed lately. A channel that fails rests
// for a while that doubles with each failure in a row; a success ends it. It
// is safe for concurrent use.
type Health struct {
	now func() time.Time

	mu       sync.RWMutex
	channels map[uuid.UUID]ailment
}

type ailment struct {
	failures int
	until    time.Time
}

// NewHealth returns a Health in which every channel is well.
func NewHealth(now func() time.Time) *Health {
	return &Health{now: now, channels: map[uuid.UUID]ailment{}}
}

// Cooling reports whether the channel failed lately.
func (h *Health) Cooling(id uuid.UUID) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	ill, ok := h.channels[id]
	return ok && h.now().Before(ill.until)
}

// Failed lets the channel rest, for as long as it asked where rest is not 0.
func (h *Health) Failed(id uuid.UUID, rest time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ill := h.channels[id]
	if rest <= 0 {
		rest = firstRest << min(ill.failures, 6)
	}
	ill.failures++
	ill.until = h.now().Add(min(rest, maxRest))
	h.channels[id] = ill
}

// Served ends the channel's rest.
func (h *Health) Served(id uuid.UUID) {
	h.mu.RLock()
	_, ill := h.channels[id]
	h.mu.RUnlock()
	if !ill {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.channels, id)
}
