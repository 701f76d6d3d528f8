package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestFailureLog_SuppressesRepeatedFailures(t *testing.T) {
	var f failureLog
	now := time.Now()
	dead, other := failureKey{uuid.New(), "connect"}, failureKey{uuid.New(), "connect"}
	logged := 0
	for range 1_000 {
		if _, ok := f.allow(dead, now); ok {
			logged++
		}
	}
	if logged != 1 {
		t.Errorf("got %d log lines for 1,000 failures at the same time, want 1", logged)
	}
	if _, ok := f.allow(other, now); !ok {
		t.Error("a failure of another channel was suppressed")
	}
	if _, ok := f.allow(failureKey{dead.channelID, "timeout"}, now); !ok {
		t.Error("another failure of the same channel was suppressed")
	}
	if more, ok := f.allow(dead, now.Add(logPause)); !ok || more != 999 {
		t.Errorf("after %v: got admitted %v with %d suppressed, want true with 999", logPause, ok, more)
	}
	for range 3 * maxLogged {
		f.allow(failureKey{uuid.New(), "connect"}, now)
	}
	if len(f.entries) > maxLogged {
		t.Errorf("got %d failures in memory, want at most 1024", len(f.entries))
	}
}
