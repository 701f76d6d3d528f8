package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestID_IsAUUIDv7OfTheTime(t *testing.T) {
	d := &draw{dice: rand.New(rand.NewPCG(1, 2))}
	at := time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.UTC)
	id := d.id(at)
	if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
		t.Errorf("%v: got version %d, variant %v; want 7, RFC4122", id, id.Version(), id.Variant())
	}
	if sec, nsec := id.Time().UnixTime(); !time.Unix(sec, nsec).Equal(at) {
		t.Errorf("%v: got the time %v, want %v", id, time.Unix(sec, nsec), at)
	}
}

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

func TestPlanCheck_RefusesValuesOutOfRange(t *testing.T) {
	for _, p := range []plan{{rows: -1, days: 1}, {rows: 1, days: 0}, {rows: 1, days: 401}, {rows: 10_000_001, days: 1},
		{days: 1, tokens: -1}} {
		if p.check() == nil {
			t.Errorf("check accepts %+v", p)
		}
	}
}
