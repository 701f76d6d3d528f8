// Package polltest waits in tests for what other goroutines and programs do without a report. A test whose goroutines
// can all run in a bubble of testing/synctest does not need it.
package polltest

import (
	"testing"
	"time"
)

// Patience is how long Until waits. Only a defect takes longer, also on a busy machine.
const Patience = 30 * time.Second

// Until calls holds every few milliseconds until it returns true. After Patience it fails the test; what says which
// condition does not hold.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.NewTimer(Patience), time.NewTicker(2*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("not true after %v: %s", Patience, what)
		case <-tick.C:
		}
	}
}
