package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestAnOutageDoesNotFloodTheLog(t *testing.T) {
	var f failureLog
	now := time.Now()
	dead, other := failureKey{uuid.New(), "connect"}, failureKey{uuid.New(), "connect"}
	told := 0
	for range 1_000 {
		if _, tell := f.admit(dead, now); tell {
			told++
		}
	}
	if told != 1 {
		t.Errorf("1,000 faults at once were told of %d times", told)
	}
	if _, tell := f.admit(other, now); !tell {
		t.Error("another channel's fault was not told of")
	}
	if _, tell := f.admit(failureKey{dead.channel, "timeout"}, now); !tell {
		t.Error("another fault of the channel was not told of")
	}
	if more, tell := f.admit(dead, now.Add(quietFor)); !tell || more != 999 {
		t.Errorf("later: %v, and %d more", tell, more)
	}
	for range 3 * maxLogged {
		f.admit(failureKey{uuid.New(), "connect"}, now)
	}
	if len(f.logged) > maxLogged {
		t.Errorf("%d faults are remembered", len(f.logged))
	}
}
