package store_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestPlatformTotals(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		equal(t, "of nobody", need(s.Metering.PlatformTotals(background, platform))(t), metering.PlatformTotals{})
		f, _ := found(t, s, "acme"), found(t, s, "beta")
		need(s.Metering.RecordEvents(background, platform, newID(), []usage.Event{f.call(f.member, "m1", 3), f.call(f.owner, "m1", 10*money.USD)}))(t)
		equal(t, "of two", need(s.Metering.PlatformTotals(background, platform))(t), metering.PlatformTotals{
			Granted: 20 * money.USD, Used: 10*money.USD + 3, Wallets: 2, Spent: 1, Outbox: 2,
		})
		drain(t, s)
		equal(t, "rolled up", need(s.Metering.PlatformTotals(background, platform))(t).Outbox, 0)
		_, err := s.Metering.PlatformTotals(background, f.asOwner)
		refuses(t, err, problem.Forbidden, "")
	})
}

func TestConnections(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		if pool := s.Connections(); pool.Max < 2 || pool.InUse != 0 {
			t.Errorf("%+v", pool)
		}
	})
}
