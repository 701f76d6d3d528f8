package routing_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
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

// resting returns conditions in which the circuit breakers of the channels with the ids are open.
func resting(channels []*catalog.Channel, ids ...byte) []routing.Condition {
	conditions := make([]routing.Condition, len(channels))
	for i, channel := range channels {
		if slices.Contains(ids, channel.ID[15]) {
			conditions[i].State = routing.Open
		}
	}
	return conditions
}

// order returns the ids of the channels in a plan.
func order(plan []routing.Candidate) (ids []byte) {
	for _, candidate := range plan {
		ids = append(ids, candidate.Channel.ID[15])
	}
	return ids
}

// checkTiers fails the test unless got consists of the tiers, one after the other. The ids within a tier may have any
// order.
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

func TestPlan_OrdersByTierDialectAndHealth(t *testing.T) {
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
		{"order by priority, and translated channels last within a priority", catalog.Chat, nil, 6,
			[][]byte{{1, 2}, {3}, {4, 5}, {6}}},
		{"native channels come before translated channels only within a priority", catalog.Responses, nil, 6,
			[][]byte{{3}, {1, 2}, {4, 5}, {6}}},
		{"no channel speaks the dialect", catalog.Gemini, nil, 6, [][]byte{{1, 2, 3}, {4, 5}, {6}}},
		{"an open channel comes after all healthy channels", catalog.Chat, []byte{1}, 6,
			[][]byte{{2}, {3}, {4, 5}, {6}, {1}}},
		{"open channels keep the order of their tiers", catalog.Chat, []byte{1, 2, 4}, 6,
			[][]byte{{3}, {5}, {6}, {1, 2}, {4}}},
		{"all channels are open", catalog.Chat, []byte{1, 2, 3, 4, 5, 6}, 6, [][]byte{{1, 2}, {3}, {4, 5}, {6}}},
	} {
		for seed := range uint64(50) {
			plan, usable := routing.Plan(routing.Query{Channels: channels, Dialect: row.dialect,
				Conditions: resting(channels, row.cooling...), Pick: seeded(seed)})
			if usable != row.usable {
				t.Fatalf("%s: %d usable, want %d", row.rule, usable, row.usable)
			}
			checkTiers(t, row.rule, order(plan), row.tiers...)
		}
	}
}

func TestPlan_PutsOneChannelFirstWhileItIsHealthy(t *testing.T) {
	channels := []*catalog.Channel{channel(1, 0, 1), channel(2, 0, 9), channel(3, 5, 1, catalog.Gemini)}
	for state, tiers := range map[routing.State][][]byte{
		routing.Closed: {{3}, {1, 2}}, routing.HalfOpen: {{3}, {1, 2}}, routing.Open: {{1, 2}, {3}},
		routing.NoCredentialLeft: {{1, 2}, {3}},
	} {
		plan, _ := routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat, First: channels[2].ID,
			Conditions: []routing.Condition{{}, {}, {State: state}}, Costs: []money.Amount{1, 2, 3}, Pick: seeded(1)})
		checkTiers(t, fmt.Sprintf("in state %d", state), order(plan), tiers...)
	}
}

func TestPlan_GivesTheReasonOfEachChannel(t *testing.T) {
	lacking := channel(5, 0, 1)
	lacking.Settings.Lacks = []catalog.Feature{catalog.Vision, catalog.ToolCalling}
	channels := []*catalog.Channel{
		channel(1, 0, 1), channel(2, 1, 1), channel(3, 2, 1, catalog.Gemini), channel(4, 2, 1), lacking,
		channel(6, 0, 1), channel(7, 0, 1),
	}
	conditions := resting(channels, 2)
	conditions[3].State, conditions[5].State, conditions[6].State = routing.HalfOpen, routing.NoCredentialLeft,
		routing.Unusable
	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: conditions, Dialect: catalog.Chat, Needs: routing.Needs{Tools: true},
		Pick: seeded(1),
	})
	want := map[byte]routing.Reason{
		1: routing.Eligible, 2: routing.Cooling, 3: routing.Translated, 4: routing.Trial,
		5: routing.LacksTools, 6: routing.NoCredential, 7: routing.NotReady,
	}
	for _, candidate := range plan {
		if id := candidate.Channel.ID[15]; candidate.Reason != want[id] {
			t.Errorf("channel %d: %s, want %s", id, candidate.Reason, want[id])
		}
	}
	if usable != 4 {
		t.Errorf("%d usable, want 4", usable)
	}
}

func TestPlan_IsEmptyWithoutChannels(t *testing.T) {
	plan, usable := routing.Plan(routing.Query{Dialect: catalog.Chat, Pick: seeded(1)})
	if len(plan) != 0 || usable != 0 {
		t.Errorf("Plan = %v, %d", plan, usable)
	}
}

func TestPlan_DoesNotReorderTheSnapshot(t *testing.T) {
	channels := []*catalog.Channel{channel(1, 0, 1), channel(2, 0, 1), channel(3, 0, 1), channel(4, 0, 1)}
	before := slices.Clone(channels)
	for seed := range uint64(20) {
		routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat, Conditions: resting(channels, 1),
			Pick: seeded(seed)})
	}
	if !slices.Equal(channels, before) {
		t.Error("the caller's slice was reordered")
	}
}

// The test plans with random channels. Each channel is in the plan once, and the tiers are in order.
func TestPlan_ContainsEachChannelOnce(t *testing.T) {
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
		plan, usable := routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat,
			Conditions: resting(channels, cold...), Pick: dice.Uint64N})
		got := order(plan)
		if len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(channels) || len(got) != len(channels) {
			t.Fatalf("seed %d: %v of %d channels", seed, got, len(channels))
		}
		for i, candidate := range plan {
			if (i < usable) != candidate.Reason.Usable() {
				t.Fatalf("seed %d: %s at %d of %d usable", seed, candidate.Reason, i, usable)
			}
			if i == 0 || i >= usable {
				continue
			}
			last := plan[i-1]
			if last.Reason == routing.Cooling && candidate.Reason != routing.Cooling ||
				last.Reason == candidate.Reason && last.Channel.Priority > candidate.Channel.Priority {
				t.Fatalf("seed %d: %s/%d before %s/%d", seed, last.Reason, last.Channel.Priority, candidate.Reason,
					candidate.Channel.Priority)
			}
		}
	}
}

// The shares of first places, and of second places given the first one, follow the weights. This is a chi-square test
// with a fixed seed.
func TestPlan_SharesCallsByWeight(t *testing.T) {
	channels := []*catalog.Channel{channel(0, 0, 1), channel(1, 0, 3), channel(2, 0, 6)}
	dice := seeded(42)
	const draws = 20_000
	var seen [3][3]float64 // by first and second
	for range draws {
		plan, _ := routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat, Pick: dice})
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
