package routing_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/routing"
)

func TestPlan_PutsTheCheapestChannelOfAPriorityFirst(t *testing.T) {
	type channel struct {
		name     string
		priority int
		cost     money.Amount
		state    routing.State
		dialect  catalog.Dialect
	}
	const unknown = routing.UnknownCost
	for reason, row := range map[string]struct {
		channels []channel
		costs    bool
		affinity uint64
		want     []string // name and reason
	}{
		"by cost": {[]channel{{"a", 0, 30, 0, "chat"}, {"b", 0, 10, 0, "chat"}, {"c", 0, 20, 0, "chat"}}, true, 0,
			[]string{"b cheapest", "c kept", "a kept"}},
		"an affinity does not matter": {[]channel{{"a", 0, 30, 0, "chat"}, {"b", 0, 10, 0, "chat"}}, true, 77,
			[]string{"b cheapest", "a kept"}},
		"without costs the order is by weight": {[]channel{{"a", 0, 30, 0, "chat"}, {"b", 0, 10, 0, "chat"}}, false, 0,
			[]string{"a kept", "b kept"}},
		"channels without costs come last": {[]channel{{"a", 0, unknown, 0, "chat"}, {"b", 0, 10, 0, "chat"}}, true, 0,
			[]string{"b cheapest", "a kept"}},
		"the priority goes first": {[]channel{{"a", 0, 30, 0, "chat"}, {"b", 1, 20, 0, "chat"},
			{"c", 1, 10, 0, "chat"}}, true, 0,
			[]string{"a kept", "c cheapest", "b kept"}},
		"the cost goes before the dialect": {[]channel{{"a", 0, 30, 0, "chat"}, {"b", 0, 10, 0, "messages"}}, true, 0,
			[]string{"b cheapest", "a kept"}},
		"at equal cost the dialect decides": {[]channel{{"a", 0, 10, 0, "messages"}, {"b", 0, 10, 0, "chat"}}, true, 0,
			[]string{"b kept", "a translated"}},
		"an open breaker comes last": {[]channel{{"a", 0, 30, 0, "chat"}, {"b", 0, 10, routing.Open, "chat"}}, true, 0,
			[]string{"a kept", "b cooling"}},
		"no channel has costs": {[]channel{{"a", 0, unknown, 0, "chat"}, {"b", 0, unknown, 0, "chat"}}, true, 0,
			[]string{"a kept", "b kept"}},
		"a channel that cannot be called": {[]channel{{"a", 0, 30, 0, "chat"},
			{"b", 0, 10, routing.NoCredentialLeft, "chat"}, {"c", 0, 20, 0, "chat"}}, true, 0,
			[]string{"c cheapest", "a kept", "b no_credential"}},
	} {
		q := routing.Query{Dialect: catalog.Chat, Affinity: row.affinity, Pick: func(uint64) uint64 { return 0 }}
		for _, c := range row.channels {
			q.Channels = append(q.Channels, &catalog.Channel{ID: uuid.New(), Name: c.name, Priority: c.priority,
				Weight: 1, Dialects: []catalog.Dialect{c.dialect}})
			q.Conditions = append(q.Conditions, routing.Condition{State: c.state})
			if row.costs {
				q.Costs = append(q.Costs, c.cost)
			}
		}
		plan, _ := routing.Plan(q)
		var got []string
		for _, candidate := range plan {
			got = append(got, candidate.Channel.Name+" "+candidate.Reason.String())
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", reason, got, row.want)
		}
	}
}
