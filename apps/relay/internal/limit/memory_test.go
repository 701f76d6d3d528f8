package limit

import (
	"testing"
	"time"
	"unsafe"

	core "github.com/tollgate/tollgate/libs/core/limit"
)

// setBack returns the time that the clock shows if it was set back by d before: its wall time is earlier, its monotonic
// time is the same. Package time has no function for it.
func setBack(now time.Time, d time.Duration) time.Time {
	const secondBits = 30                   // the wall time has its seconds above the nanoseconds
	wall := (*uint64)(unsafe.Pointer(&now)) // the first field of time.Time
	*wall -= uint64(d/time.Second) << secondBits
	return now
}

func TestTake_CountsOnInMemoryWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := relay(t, nil, func(l *Limiter) { l.Now = func() time.Time { return now } })
	p := limited(core.Limits{RequestsPerMinute: 60, TokensPerMinute: 60})
	if n := admits(t, l, p, 100); n != 60 {
		t.Fatalf("got %d admitted, want 60", n)
	}
	const step = time.Hour
	back := setBack(now, step)
	if back.Unix() != now.Add(-step).Unix() || back.Sub(now) != 0 {
		t.Fatalf("the clock shows %v after %v, want only its wall time earlier", back, now)
	}
	now = back.Add(30 * time.Second)
	if n := admits(t, l, p, 100); n != 30 {
		t.Errorf("30 s later by a clock that was set back: got %d admitted, want 30", n)
	}
}
