package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

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
		f := storetest.NewCustomer(t, s, "acme")
		operator := tenant.ScopeOf(storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t))
		busy, idle := storetest.NewID(), storetest.NewID()
		at := time.Now().UTC().Truncate(time.Microsecond)
		report := relay.Report{Version: "v1", State: "serving", StartedAt: at, InFlight: 3, SpoolEvents: 2,
			SpoolBytes: 700, SpoolOldestAt: at, BodyBytes: 5, BodyMaxBytes: 9, BodyWaiting: 1, BodyRefused: 4}
		storetest.Need(s.Relay.Beat(background, platform, idle, relay.Report{State: "draining"}))(t)
		storetest.Need(s.Relay.Beat(background, platform, busy, relay.Report{}))(t)
		storetest.Need(s.Relay.Beat(background, platform, busy, report))(t)
		storetest.Lease(t, s, busy, f.Tenant.ID, money.USD)
		storetest.Lease(t, s, idle, f.Tenant.ID, 2*money.USD)

		relays := storetest.Need(s.Relay.Relays(background, operator))(t)
		if len(relays) != 2 || relays[0].ID != busy || relays[1].State != "draining" {
			t.Fatalf("got %+v, want the busy relay and then the draining one", relays)
		}
		got := relays[0]
		got.StartedAt, got.SpoolOldestAt = got.StartedAt.UTC(), got.SpoolOldestAt.UTC()
		storetest.Equal(t, "report", got.Report, report)
		storetest.Equal(t, "number of leases", got.Leases, 1)
		storetest.Equal(t, "sum of the leases", got.Leased, money.USD)
		kinds, largest, err := s.Relay.LeasesHeld(background, operator)
		storetest.OK(t, err)
		storetest.Equal(t, "kinds", len(kinds), 1)
		storetest.Equal(t, "leases of wallets", kinds[0],
			relay.LeasedKind{Kind: quota.Wallet, Leases: 2, Amount: 3 * money.USD})
		storetest.Equal(t, "account with the largest leases", largest[0], relay.LeasedAccount{AccountID: f.Tenant.ID,
			Kind: quota.Wallet, TenantID: f.Tenant.ID, Leases: 2, Amount: 3 * money.USD})
		if size := storetest.Need(s.Metering.Size(background, operator))(t); size.Bytes < 10_000 {
			t.Errorf("got size %+v, want at least 10,000 bytes", size)
		}
	})
}

func TestLiveRelays_CountsRecentHeartbeats(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		storetest.Equal(t, "without any heartbeat",
			storetest.Need(s.Relay.LiveRelays(background, platform, time.Minute))(t), 1)
		for range 3 {
			storetest.Need(s.Relay.Beat(background, platform, uuid.New(), relay.Report{}))(t)
		}
		storetest.Equal(t, "after three heartbeats",
			storetest.Need(s.Relay.LiveRelays(background, platform, time.Minute))(t), 3)
		storetest.Equal(t, "within no time", storetest.Need(s.Relay.LiveRelays(background, platform, -time.Minute))(t),
			1)
	})
}
