package store_test

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
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		today := time.Now().UTC().Truncate(24 * time.Hour)
		var events []usage.Event
		for i, event := range []usage.Event{f.call(f.member, "m1", 1), f.call(f.owner, "m2", 10),
			f.call(f.member, "m1", 100), other.call(other.member, "m1", 1000)} {
			if i == 2 {
				event.CreatedAt = today.Add(-time.Second)
				event.ID = idAt(event.ID, event.CreatedAt)
			}
			events = append(events, event)
		}
		need(s.Metering.RecordEvents(background, platform, newID(), events))(t)
		drain(t, s)
		for _, row := range []struct {
			what  string
			user  uuid.UUID
			since time.Time
			want  money.Amount
		}{
			{"today", uuid.Nil, today, 11}, {"since yesterday", uuid.Nil, today.AddDate(0, 0, -1), 111},
			{"by the member", f.member.ID, today.AddDate(0, 0, -1), 101}, {"by the admin", f.admin.ID, today, 0},
			{"since tomorrow", uuid.Nil, today.AddDate(0, 0, 1), 0},
		} {
			spent := need(s.Metering.Spent(background, f.asOwner,
				metering.SpentQuery{TenantID: f.tenant.ID, UserID: row.user, Since: row.since}))(t)
			equal(t, row.what, spent, row.want)
		}
	})
}
