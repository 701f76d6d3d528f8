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

func TestPlatformTotals_SumsWalletsAndOutbox(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		equal(t, "totals without tenants", need(s.Metering.PlatformTotals(background, platform))(t),
			metering.PlatformTotals{})
		f, _ := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		need(s.Metering.RecordEvents(background, platform, newID(),
			[]usage.Event{f.call(f.member, "m1", 3), f.call(f.owner, "m1", 10*money.USD)}))(t)
		equal(t, "totals of two tenants", need(s.Metering.PlatformTotals(background, platform))(t),
			metering.PlatformTotals{
				Granted: 20 * money.USD, Used: 10*money.USD + 3, Wallets: 2, Spent: 1, Outbox: 2,
			})
		drain(t, s)
		equal(t, "outbox after the drain", need(s.Metering.PlatformTotals(background, platform))(t).Outbox, 0)
		_, err := s.Metering.PlatformTotals(background, f.asOwner)
		refuses(t, err, problem.Forbidden, "")
	})
}

func TestConnections_ReportsThePool(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		if pool := s.Connections(); pool.Max < 2 || pool.InUse != 0 {
			t.Errorf("got %+v, want at least 2 connections and none in use", pool)
		}
	})
}
