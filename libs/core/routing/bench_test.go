package routing_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
)

func BenchmarkPlan(b *testing.B) {
	channels := []*catalog.Channel{channel(1, 0, 1), channel(2, 0, 3), channel(3, 0, 5), channel(4, 1, 1),
		channel(5, 1, 1)}
	conditions := make([]routing.Condition, len(channels))
	b.ReportAllocs()
	for b.Loop() {
		routing.Plan(routing.Query{Channels: channels, Dialect: catalog.Chat, Conditions: conditions,
			Pick: rand.Uint64N})
	}
}
