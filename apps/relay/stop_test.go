package relay

import (
	"testing"
	"time"
)

func TestEndOfDrain_GivesCallsAtLeastHalfOfTheTime(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for drain, want := range map[time.Duration]time.Duration{
		30 * time.Second: 27 * time.Second, 6 * time.Second: 3 * time.Second, 3 * time.Second: 1500 * time.Millisecond,
		time.Second: 500 * time.Millisecond,
	} {
		if got := endOfDrain(now, now.Add(drain)).Sub(now); got != want {
			t.Errorf("drain time %v: calls end after %v, want %v", drain, got, want)
		}
	}
}
