package metering_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestPlatformTotals_SumsWalletsAndOutbox(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		storetest.Equal(t, "totals without tenants", storetest.Need(s.Metering.PlatformTotals(background, platform))(t),
			metering.PlatformTotals{})
		f, _ := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{f.Call(f.Member, "m1", 3), f.Call(f.Owner, "m1", 10*money.USD)}))(t)
		storetest.Equal(t, "totals of two tenants", storetest.Need(s.Metering.PlatformTotals(background, platform))(t),
			metering.PlatformTotals{
				Granted: 20 * money.USD, Used: 10*money.USD + 3, Wallets: 2, Spent: 1, Outbox: 2,
			})
		storetest.Drain(t, s)
		storetest.Equal(t, "outbox after the drain",
			storetest.Need(s.Metering.PlatformTotals(background, platform))(t).Outbox, 0)
		_, err := s.Metering.PlatformTotals(background, f.AsOwner)
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}
