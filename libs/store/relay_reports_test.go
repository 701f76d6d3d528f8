package store_test

import (
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestRelays_ShowsReportsAndLeases(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		operator := tenant.ScopeOf(need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t))
		busy, idle := newID(), newID()
		at := time.Now().UTC().Truncate(time.Microsecond)
		report := relay.Report{Version: "v1", State: "serving", StartedAt: at, InFlight: 3, SpoolEvents: 2,
			SpoolBytes: 700, SpoolOldestAt: at, BodyBytes: 5, BodyMaxBytes: 9, BodyWaiting: 1, BodyRefused: 4}
		need(s.Relay.Beat(background, platform, idle, relay.Report{State: "draining"}))(t)
		need(s.Relay.Beat(background, platform, busy, relay.Report{}))(t)
		need(s.Relay.Beat(background, platform, busy, report))(t)
		lease(t, s, busy, f.tenant.ID, money.USD)
		lease(t, s, idle, f.tenant.ID, 2*money.USD)

		relays := need(s.Relay.Relays(background, operator))(t)
		if len(relays) != 2 || relays[0].ID != busy || relays[1].State != "draining" {
			t.Fatalf("got %+v, want the busy relay and then the draining one", relays)
		}
		got := relays[0]
		got.StartedAt, got.SpoolOldestAt = got.StartedAt.UTC(), got.SpoolOldestAt.UTC()
		equal(t, "report", got.Report, report)
		equal(t, "number of leases", got.Leases, 1)
		equal(t, "sum of the leases", got.Leased, money.USD)
		kinds, largest, err := s.Relay.LeasesHeld(background, operator)
		ok(t, err)
		equal(t, "kinds", len(kinds), 1)
		equal(t, "leases of wallets", kinds[0], relay.LeasedKind{Kind: quota.Wallet, Leases: 2, Amount: 3 * money.USD})
		equal(t, "account with the largest leases", largest[0], relay.LeasedAccount{AccountID: f.tenant.ID,
			Kind: quota.Wallet, TenantID: f.tenant.ID, Leases: 2, Amount: 3 * money.USD})
		if size := need(s.Metering.Size(background, operator))(t); size.Bytes < 10_000 {
			t.Errorf("got size %+v, want at least 10,000 bytes", size)
		}
	})
}
