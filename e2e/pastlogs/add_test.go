package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestTimes_AreSortedAndWithinTheSpan(t *testing.T) {
	d := &draw{dice: rand.New(rand.NewPCG(1, 2))}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	times := d.times(1000, now, 48*time.Hour)
	if len(times) != 1000 || !slices.IsSortedFunc(times, time.Time.Compare) {
		t.Fatalf("got %d times, want 1000 sorted ones", len(times))
	}
	if times[0].Before(now.Add(-48*time.Hour)) || times[999].After(now) {
		t.Errorf("got times from %v to %v, want the last 48h", times[0], times[999])
	}
}
