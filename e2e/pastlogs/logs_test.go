package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestIDsAreOfTheirMoment(t *testing.T) {
	d := &draw{dice: rand.New(rand.NewPCG(1, 2))}
	at := time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.UTC)
	id := d.id(at)
	if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
		t.Errorf("%v is version %d, variant %v", id, id.Version(), id.Variant())
	}
	if sec, nsec := id.Time().UnixTime(); !time.Unix(sec, nsec).Equal(at) {
		t.Errorf("%v is of %v, not of %v", id, time.Unix(sec, nsec), at)
	}
}

func TestTimesAreInOrderWithinTheSpan(t *testing.T) {
	d := &draw{dice: rand.New(rand.NewPCG(1, 2))}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	times := d.times(1000, now, 48*time.Hour)
	if len(times) != 1000 || !slices.IsSortedFunc(times, time.Time.Compare) {
		t.Fatalf("%d times, or not in order", len(times))
	}
	if times[0].Before(now.Add(-48*time.Hour)) || times[999].After(now) {
		t.Errorf("from %v to %v", times[0], times[999])
	}
}

func TestPlanHasBounds(t *testing.T) {
	for _, p := range []plan{{rows: -1, days: 1}, {rows: 1, days: 0}, {rows: 1, days: 401}, {rows: 10_000_001, days: 1}, {days: 1, tokens: -1}} {
		if p.check() == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}
