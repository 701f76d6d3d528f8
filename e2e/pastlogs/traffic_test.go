package main

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestIDAt_IsAUUIDv7OfTheTime(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.UTC)
	id := idAt(at)
	if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
		t.Errorf("%v: got version %d, variant %v; want 7, RFC4122", id, id.Version(), id.Variant())
	}
	if sec, nsec := id.Time().UnixTime(); !time.Unix(sec, nsec).Equal(at) {
		t.Errorf("%v: got the time %v, want %v", id, time.Unix(sec, nsec), at)
	}
}

func TestSkewed_IsBelowNAndPrefersLowIndexes(t *testing.T) {
	for _, row := range []struct {
		random float64
		want   int
	}{{0, 0}, {0.5, 25}, {0.999999, 99}} {
		if got := skewed(row.random, 100, 2); got != row.want {
			t.Errorf("skewed(%v, 100, 2) = %d, want %d", row.random, got, row.want)
		}
	}
}
