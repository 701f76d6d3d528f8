package routing_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
)

func channel(n byte, priority, weight int, dialects ...catalog.Dialect) *catalog.Channel {
	c := &catalog.Channel{Priority: priority, Weight: weight, Dialects: dialects}
	c.ID[15] = n
	if len(dialects) == 0 {
		c.Dialects = []catalog.Dialect{catalog.Chat}
	}
	return c
}

func seeded(seed uint64) func(uint64) uint64 { return rand.New(rand.NewPCG(seed, 3)).Uint64N }

func cooling(ids ...byte) func(uuid.UUID) bool {
	return func(id uuid.UUID) bool { return slices.Contains(ids, id[15]) }
}

func order(plan []routing.Candidate) (ids []byte) {
	for _, candidate := range plan {
		ids = append(ids, candidate.Channel.ID[15])
	}
	return ids
}

// tiers are what a plan must read as: the ids of a tier in any order.
func checkTiers(t *testing.T, rule string, got []byte, tiers ...[]byte) {
	t.Helper()
	rest := got
	for _, tier := range tiers {
		if len(rest) < len(tier) {
			t.Fatalf("%s: %v is too short for %v", rule, got, tiers)
		}
		here := slices.Sorted(slices.Values(rest[:len(tier)]))
		if !slices.Equal(here, tier) {
			t.Fatalf("%s: %v, want the tiers %v", rule, got, tiers)
		}
		rest = rest[len(tier):]
	}
	if len(rest) > 0 {
		t.Fatalf("%s: %v has more than the tiers %v", rule, got, tiers)
	}
}

func TestPlanGoesTierByTier(t *testing.T) {
	channels := []*catalog.Channel{
		channel(1, 0, 1), channel(2, 0, 9), channel(3, 0, 100, catalog.Responses),
		channel(4, 5, 1), channel(5, 5, 1),
		channel(6, 9, 1_000_000),
	}
	for _, row := range []struct {
		rule    string
		dialect catalog.Dialect
		cooling []byte
		usable  int
		tiers   [][]byte
	}{
		{"by priority, those of another dialect last", catalog.Chat, nil, 5, [][]byte{{1, 2}, {4, 5}, {6}, {3}}},
		{"only what speaks the dialect is usable", catalog.Responses, nil, 1, [][]byte{{3}, {1, 2, 4, 5, 6}}},
		{"nothing speaks it", catalog.Gemini, nil, 0, [][]byte{{1, 2, 3, 4, 5, 6}}},
		{"a cooling one comes after all healthy ones", catalog.Chat, []byte{1}, 5, [][]byte{{2}, {4, 5}, {6}, {1}, {3}}},
		{"cooling ones keep their tiers", catalog.Chat, []byte{1, 2, 4}, 5, [][]byte{{5}, {6}, {1, 2}, {4}, {3}}},
		{"all cooling is better than a refusal", catalog.Chat, []byte{1, 2, 3, 4, 5, 6}, 5, [][]byte{{1, 2}, {4, 5}, {6}, {3}}},
	} {
		for seed := range uint64(50) {
			plan, usable := routing.Plan(routing.Query{Channels: channels, Dialect: row.dialect, Cooling: cooling(row.cooling...), Pick: seeded(seed)})
			if usable != row.usable {
				t.Fatalf("%s: %d usable, want %d", row.rule, usable, row.usable)
			}
			checkTiers(t, row.rule, order(plan), row.tiers...)
		}
	}
}

func TestPlanTellsWhy(t *testing.T) {
	plan, _ := routing.Plan(routing.Query{
		Channels: []*catalog.Channel{channel(1, 0, 1), channel(2, 1, 1), channel(3, 2, 1, catalog.Gemini)},
		Dialect:  catalog.Chat, Cooling: cooling(2, 3), Pick: seeded(1),
	})
	want := map[byte]routing.Reason{1: routing.Kept, 2: routing.Cooling, 3: routing.WrongDialect}
	for _, candidate := range plan {
		if id := candidate.Channel.ID[15]; candidate.Reason != want[id] {
			t.Errorf("channel %d: %s, want %s", id, candidate.Reason, want[id])
		}
	}
}

func TestPlanOfNothing(t *testing.T) {
	plan, usable := routing.Plan(routing.Query{Dialect: catalog.Chat, Cooling: cooling(), Pick: seeded(1)})
	if len(plan) != 0 || usable != 0 {
		t.Errorf("Plan = %v, %d", plan, usable)
	}
}

func TestPlanLeavesTheSnapshotAlone(t *testing.T) {
	channels := []*catalog.Channel{channel(1, 0, 1), channel(2, 0, 1), channel(3, 0, 1), channel(4, 0, 1)}
	before := slices.Clone(channels)
	for seed := range uint64(20) {
		routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat, Cooling: cooling(1), Pick: seeded(seed)})
	}
	if !slices.Equal(channels, before) {
		t.Error("the caller's slice was reordered")
	}
}

// Whatever the channels are, each stands in the plan once, tiers in order.
func TestPlanIsAPermutation(t *testing.T) {
	for seed := range uint64(2000) {
		dice := rand.New(rand.NewPCG(seed, 5))
		var channels []*catalog.Channel
		var cold []byte
		for n := range byte(dice.IntN(12)) {
			dialect := catalog.Chat
			if dice.IntN(4) == 0 {
				dialect = catalog.Responses
			}
			channels = append(channels, channel(n+1, dice.IntN(3), 1+dice.IntN(1000), dialect))
			if dice.IntN(3) == 0 {
				cold = append(cold, n+1)
			}
		}
		slices.SortStableFunc(channels, func(a, b *catalog.Channel) int { return a.Priority - b.Priority })
		plan, usable := routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat, Cooling: cooling(cold...), Pick: dice.Uint64N})
		got := order(plan)
		if len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(channels) || len(got) != len(channels) {
			t.Fatalf("seed %d: %v of %d channels", seed, got, len(channels))
		}
		for i, candidate := range plan {
			if (i < usable) != (candidate.Reason != routing.WrongDialect) {
				t.Fatalf("seed %d: %s at %d of %d usable", seed, candidate.Reason, i, usable)
			}
			if i == 0 || i >= usable {
				continue
			}
			last := plan[i-1]
			if last.Reason == routing.Cooling && candidate.Reason == routing.Kept ||
				last.Reason == candidate.Reason && last.Channel.Priority > candidate.Channel.Priority {
				t.Fatalf("seed %d: %s/%d before %s/%d", seed, last.Reason, last.Channel.Priority, candidate.Reason, candidate.Channel.Priority)
			}
		}
	}
}

// The share of first places, and of second places once the first is drawn,
// follows the weights: a chi-square test at seeded dice.
func TestWeightsAreShares(t *testing.T) {
	channels := []*catalog.Channel{channel(0, 0, 1), channel(1, 0, 3), channel(2, 0, 6)}
	dice := seeded(42)
	const draws = 20_000
	var seen [3][3]float64 // by first and second
	for range draws {
		plan, _ := routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat, Cooling: cooling(), Pick: dice})
		seen[plan[0].Channel.ID[15]][plan[1].Channel.ID[15]]++
	}
	weight := [3]float64{1, 3, 6}
	var chi float64
	for first := range 3 {
		for second := range 3 {
			if first == second {
				continue
			}
			want := draws * weight[first] / 10 * weight[second] / (10 - weight[first])
			off := seen[first][second] - want
			chi += off * off / want
		}
	}
	if limit := 20.5; chi > limit { // 5 degrees of freedom: one fair run in 1,000 exceeds it
		t.Errorf("chi-square %.1f, shares %v", chi, seen)
	}
}
