package api

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store/field"
)

// The clock is set back between two requests.
func TestNewID_HasTheTimeOfTheRequest(t *testing.T) {
	now := time.Now()
	seen := map[uuid.UUID]bool{}
	for _, at := range []time.Time{now, now.Add(-10 * time.Minute), now.Add(-10 * time.Minute), now} {
		id, err := newID(at)
		if err != nil {
			t.Fatal(err)
		}
		got := field.TimeOf(id)
		if got.UnixMilli() != at.UnixMilli() || id.Version() != 7 || id.Variant() != uuid.RFC4122 {
			t.Errorf("got %s of version %d with time %v, want %v", id, id.Version(), got, at)
		}
		if seen[id] {
			t.Errorf("got %s twice", id)
		}
		seen[id] = true
	}
}
