package session

import (
	"runtime"
	"testing"
)

func TestSlots_LeaveACoreAndBoundTheMemory(t *testing.T) {
	t.Parallel()
	if got, cores := slots(), runtime.GOMAXPROCS(0); got < 1 || got > maxSlots || cores > 1 && got >= cores {
		t.Errorf("slots() = %d on %d cores, want at least 1, at most %d, and less than the cores if there are several", got, cores, maxSlots)
	}
}
