package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestAnOutageDoesNotFloodTheLog(t *testing.T) {
	var f faults
	now := time.Now()
	dead, other := faultKey{uuid.New(), "connect"}, faultKey{uuid.New(), "connect"}
	told := 0
	for range 1_000 {
		if _, tell := f.tell(dead, now); tell {
			told++
		}
	}
	if told != 1 {
		t.Errorf("1,000 faults at once were told of %d times", told)
	}
	if _, tell := f.tell(other, now); !tell {
		t.Error("another channel's fault was not told of")
	}
	if _, tell := f.tell(faultKey{dead.channel, "timeout"}, now); !tell {
		t.Error("another fault of the channel was not told of")
	}
	if more, tell := f.tell(dead, now.Add(quietFor)); !tell || more != 999 {
		t.Errorf("later: %v, and %d more", tell, more)
	}
	for range 3 * maxFaults {
		f.tell(faultKey{uuid.New(), "connect"}, now)
	}
	if len(f.told) > maxFaults {
		t.Errorf("%d faults are remembered", len(f.told))
	}
}
