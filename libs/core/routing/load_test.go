package routing_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
)

// firsts counts how often each of the channels comes first.
func firsts(channels []*catalog.Channel, conditions []routing.Condition, draws int) []int {
	count := make([]int, len(channels))
	dice := seeded(7)
	for range draws {
		plan, _ := routing.Plan(routing.Query{Channels: channels, Conditions: conditions,
			Dialect: catalog.Chat, Pick: dice})
		count[plan[0].Channel.ID[15]]++
	}
	return count
}

func TestPlan_AvoidsTheMoreLoadedOfTwoChannels(t *testing.T) {
	second := time.Second
	even := []*catalog.Channel{channel(0, 0, 1), channel(1, 0, 1)}
	uneven := []*catalog.Channel{channel(0, 0, 9), channel(1, 0, 1)}
	for _, row := range []struct {
		rule       string
		channels   []*catalog.Channel
		a, b       routing.Condition
		least, max int // expected share of the first channel in 10,000 draws
	}{
		{"both idle, equal weights", even, routing.Condition{}, routing.Condition{}, 4_800, 5_200},
		{"both idle, unequal weights", uneven, routing.Condition{}, routing.Condition{}, 8_850, 9_150},
		{"slightly more calls in flight", even, routing.Condition{InFlight: 3}, routing.Condition{}, 4_800, 5_200},
		{"many more calls in flight", even, routing.Condition{InFlight: 50}, routing.Condition{}, 0, 0},
		{"calls in flight in proportion to the weights", uneven, routing.Condition{InFlight: 90},
			routing.Condition{InFlight: 10}, 8_850, 9_150},
		{"slightly slower", even, routing.Condition{FirstByte: second}, routing.Condition{FirstByte: second * 3 / 2},
			4_800, 5_200},
		{"much slower", even, routing.Condition{FirstByte: 5 * second}, routing.Condition{FirstByte: second}, 0, 0},
		{"an unknown time to first byte", even, routing.Condition{FirstByte: 5 * second},
			routing.Condition{}, 4_800, 5_200},
	} {
		got := firsts(row.channels, []routing.Condition{row.a, row.b}, 10_000)[0]
		if got < row.least || got > row.max {
			t.Errorf("%s: %d of 10,000, want %d to %d", row.rule, got, row.least, row.max)
		}
	}
}

func TestDecayed_ForgetsASlowAverage(t *testing.T) {
	slow := routing.Smooth(0, 8*time.Second)
	if got := routing.Decayed(slow, 9*time.Second); got != 8*time.Second {
		t.Errorf("after 9 s: %v", got)
	}
	if got := routing.Decayed(slow, 30*time.Second); got != time.Second {
		t.Errorf("after 30 s: %v", got)
	}
	if got := routing.Decayed(slow, 1000*time.Hour); got < 0 || got > time.Millisecond {
		t.Errorf("after weeks: %v", got)
	}
	average := time.Duration(0)
	for range 100 {
		average = routing.Smooth(average, 2*time.Second)
	}
	if average != 2*time.Second {
		t.Errorf("the average of equal samples: %v", average)
	}
}

// affine returns the ids of the usable channels in the order for the affinity. cold are the ids of channels whose
// circuit breaker is open.
func affine(channels []*catalog.Channel, affinity uint64, cold ...byte) []byte {
	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: resting(channels, cold...), Dialect: catalog.Chat, Affinity: affinity,
		Pick: rand.Uint64N,
	})
	return order(plan[:usable])
}

func TestPlan_KeepsAnAffinityOnItsChannel(t *testing.T) {
	all := []*catalog.Channel{channel(1, 0, 1), channel(2, 0, 3), channel(3, 0, 6), channel(4, 1, 1)}
	share := map[byte]int{}
	for n := range 2_000 {
		affinity := routing.AffinityOf(uuid.Nil, []byte{byte(n), byte(n >> 8)})
		first := affine(all, affinity)
		again := affine([]*catalog.Channel{all[2], all[0], all[1], all[3]}, affinity)
		if first[0] != again[0] || first[1] != again[1] || first[3] != 4 {
			t.Fatalf("%v, then %v", first, again)
		}
		share[first[0]]++
		// If the affinity's first channel is open, the next one in its order is tried first. If another channel is
		// open, the first one stays.
		if failing := affine(all, affinity, first[0]); failing[0] != first[1] || failing[3] != first[0] {
			t.Fatalf("%v, and with %d open %v", first, first[0], failing)
		}
		if other := affine(all, affinity, first[2]); other[0] != first[0] {
			t.Fatalf("%v, and with %d open %v", first, first[2], other)
		}
	}
	for id, want := range map[byte]int{1: 200, 2: 600, 3: 1200} {
		if got := share[id]; got < want*8/10 || got > want*12/10 {
			t.Errorf("channel %d has %d of 2,000 affinities, want about %d", id, got, want)
		}
	}
}

func TestAffinityOf_DiffersByTenantAndSpreadsEvenly(t *testing.T) {
	a, b := uuid.New(), uuid.New()
	if routing.AffinityOf(a, nil) != 0 {
		t.Error("AffinityOf without a key is not 0")
	}
	if routing.AffinityOf(a, []byte("k")) == routing.AffinityOf(b, []byte("k")) {
		t.Error("two tenants share an affinity")
	}
	names := []string{"one", "two", "three"}
	counts := map[int]int{}
	for n := range 3_000 {
		affinity := routing.AffinityOf(a, []byte{byte(n), byte(n >> 8)})
		preferred := routing.Preferred(affinity, names)
		if preferred < 0 || preferred != routing.Preferred(affinity, names) {
			t.Fatalf("Preferred = %d", preferred)
		}
		counts[preferred]++
	}
	for i, count := range counts {
		if count < 850 || count > 1150 {
			t.Errorf("name %d is preferred by %d of 3,000 affinities, want about 1,000", i, count)
		}
	}
	if routing.Preferred(1, nil) != -1 {
		t.Error("Preferred without names is not -1")
	}
}
