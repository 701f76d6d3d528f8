package metering_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestUnpricedCalls_CountsEachCallOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m")
		relay := uuid.Must(uuid.NewV7())
		event := func(age time.Duration, kinds charge.Kinds) usage.Event {
			e := f.Call(f.Owner, "m", 0)
			e.CreatedAt, e.ChannelID, e.Unpriced = time.Now().Add(-age).UTC(), channel.ID, int(kinds)
			return e
		}
		search, both := charge.Kinds(0).With(charge.WebSearch), charge.Kinds(0).With(charge.WebSearch).
			With(charge.ServiceTier)
		first := []usage.Event{event(0, search), event(0, both), event(0, 0), event(24*time.Hour, search),
			event(30*24*time.Hour, search)}
		storetest.Need(s.Metering.RecordEvents(background, platform, relay, first))(t)
		// again: nothing is counted twice
		storetest.Need(s.Metering.RecordEvents(background, platform, relay, first))(t)

		counts := storetest.Need(s.Metering.UnpricedCalls(background, platform, channel.ID, 10))(t)
		if len(counts) != 2 || counts[0].Kind != charge.WebSearch || counts[0].Calls != 3 ||
			counts[1].Kind != charge.ServiceTier || counts[1].Calls != 1 {
			t.Errorf("got %+v, want 3 searches and 1 service tier", counts)
		}
		if other := storetest.Need(s.Metering.UnpricedCalls(background, platform, uuid.Must(uuid.NewV7()),
			10))(t); len(other) != 0 {
			t.Errorf("another channel: got %+v", other)
		}
		_, err := s.Metering.UnpricedCalls(background, f.AsOwner, uuid.Nil, 10)
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}
