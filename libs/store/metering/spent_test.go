package metering_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestSpent_SumsSinceADay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		today := time.Now().UTC().Truncate(24 * time.Hour)
		var events []usage.Event
		for i, event := range []usage.Event{f.Call(f.Member, "m1", 1), f.Call(f.Owner, "m2", 10),
			f.Call(f.Member, "m1", 100), other.Call(other.Member, "m1", 1000)} {
			if i == 2 {
				event.CreatedAt = today.Add(-time.Second)
				event.ID = storetest.IDAt(event.ID, event.CreatedAt)
			}
			events = append(events, event)
		}
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t)
		storetest.Drain(t, s)
		for _, row := range []struct {
			what  string
			user  uuid.UUID
			since time.Time
			want  money.Amount
		}{
			{"today", uuid.Nil, today, 11}, {"since yesterday", uuid.Nil, today.AddDate(0, 0, -1), 111},
			{"by the member", f.Member.ID, today.AddDate(0, 0, -1), 101}, {"by the admin", f.Admin.ID, today, 0},
			{"since tomorrow", uuid.Nil, today.AddDate(0, 0, 1), 0},
		} {
			spent := storetest.Need(s.Metering.Spent(background, f.AsOwner,
				metering.SpentQuery{TenantID: f.Tenant.ID, UserID: row.user, Since: row.since}))(t)
			storetest.Equal(t, row.what, spent, row.want)
		}
	})
}
