package api

import (
	"fmt"
	"testing"
)

func TestRoom_LeavesPlaceForASmallBodyWhateverOthersHold(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		holders int
		most    int64 // that all of them hold together
	}{
		{"one holder", 1, 500_000},
		{"two holders", 2, 667_000},
		{"a hundred holders", 100, 991_000},
	} {
		r := newRoom(1_000_000)
		for refused := 0; refused < row.holders; {
			refused = 0
			for i := range row.holders {
				if !r.take(fmt.Sprint(i), 100) {
					refused++
				}
			}
		}
		if held := 1_000_000 - r.free; held > row.most {
			t.Errorf("%s: hold %d bytes, want at most %d", row.name, held, row.most)
		}
		if !r.take("somebody else", 1_000) {
			t.Errorf("%s: leave no room for a small body", row.name)
		}
		r.give("somebody else", 1_000)
		for i := range row.holders {
			r.give(fmt.Sprint(i), r.held[fmt.Sprint(i)])
		}
		if r.free != 1_000_000 || len(r.held) != 0 {
			t.Errorf("%s: after the end %d bytes are free, %d holders are kept", row.name, r.free, len(r.held))
		}
	}
}
