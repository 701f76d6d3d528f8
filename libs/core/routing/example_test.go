package routing_test

import (
	"fmt"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
)

// Channels are tried by priority. Within a priority, those that speak the
// client's dialect come first. A channel whose circuit breaker is open comes after
// all others, and one that cannot serve the call is not tried.
func ExamplePlan() {
	chat := []catalog.Dialect{catalog.Chat}
	channels := []*catalog.Channel{
		{Name: "backup", Priority: 2, Weight: 1, Dialects: chat},
		{Name: "translated", Priority: 1, Weight: 1, Dialects: []catalog.Dialect{catalog.Messages}},
		{Name: "native", Priority: 1, Weight: 1, Dialects: chat},
		{Name: "failing", Priority: 1, Weight: 1, Dialects: chat},
		{Name: "text only", Priority: 1, Weight: 1, Dialects: chat,
			Settings: catalog.Settings{Lacks: []catalog.Feature{catalog.Vision}}},
	}
	conditions := make([]routing.Condition, len(channels))
	conditions[3].State = routing.Open

	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: conditions, Dialect: catalog.Chat, Needs: routing.Needs{Vision: true},
		Pick: func(uint64) uint64 { return 0 },
	})
	for i, candidate := range plan {
		fmt.Println(i < usable, candidate.Channel.Name, candidate.Reason)
	}
	// Output:
	// true native kept
	// true translated translated
	// true backup kept
	// true failing cooling
	// false text only lacks_vision
}

// Channels of the same priority share the calls by weight. Pick is the dice: a
// number below 3 of 4 chooses the first.
func ExamplePlan_weight() {
	channels := []*catalog.Channel{
		{Name: "large", Weight: 3, Dialects: []catalog.Dialect{catalog.Chat}},
		{Name: "small", Weight: 1, Dialects: []catalog.Dialect{catalog.Chat}},
	}
	for dice := range uint64(4) {
		plan, _ := routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat,
			Pick: func(uint64) uint64 { return dice }})
		fmt.Println(dice, plan[0].Channel.Name)
	}
	// Output:
	// 0 large
	// 1 large
	// 2 large
	// 3 small
}

// A breaker opens with the first failure. When its time is over, it permits one
// call, and the success of that call closes it.
func ExampleBreaker() {
	var breaker routing.Breaker
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

	permit, _ := breaker.Allow(now)
	breaker.RecordFailure(permit, now, 0)
	_, permitted := breaker.Allow(now)
	fmt.Println("after a failure:", permitted)

	now = now.Add(routing.FirstCooldown)
	trial, permitted := breaker.Allow(now)
	_, second := breaker.Allow(now)
	fmt.Println("one second later:", permitted, "and at the same time:", second)

	breaker.RecordSuccess(trial)
	_, permitted = breaker.Allow(now)
	fmt.Println("after the success:", permitted)
	// Output:
	// after a failure: false
	// one second later: true and at the same time: false
	// after the success: true
}
