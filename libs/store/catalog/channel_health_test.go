package catalog_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestDisableCredential_ShowsInThePlatformSnapshot(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m1")
		one := catalogdb.Credential{ChannelID: channel.ID, Fingerprint: "f1"}
		before := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		storetest.Equal(t, "the first call disables the credential",
			storetest.Need(s.Catalog.DisableCredential(background, platform, one, catalog.ReasonDenied))(t), true)
		storetest.Equal(t, "the second call disables the credential",
			storetest.Need(s.Catalog.DisableCredential(background, platform, one, catalog.ReasonUnpaid))(t), false)
		after := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		storetest.Equal(t, "version after the change", after.Version, before.Version+1)
		key := after.Channel(channel.ID).Disabled("f1")
		if key == nil || key.Reason != catalog.ReasonDenied || time.Since(key.Since) > time.Minute {
			t.Fatalf("got %+v, want disabled just now with the first reason", key)
		}
		if after.Channel(channel.ID).Disabled("f2") != nil {
			t.Error("another credential is disabled, too")
		}
		if shown := storetest.Need(s.Catalog.Snapshot(background, f.AsOwner))(t); shown.Channel(
			channel.ID).DisabledCredentials != nil {
			t.Error("tenants see which credentials are disabled")
		}
		storetest.Equal(t, "the first call enables the credential",
			storetest.Need(s.Catalog.EnableCredential(background, platform, one))(t), true)
		storetest.Equal(t, "the second call enables the credential",
			storetest.Need(s.Catalog.EnableCredential(background, platform, one))(t), false)
		if again := storetest.Need(s.Catalog.Snapshot(background, platform))(t); again.Channel(
			channel.ID).DisabledCredentials != nil || again.Version != after.Version+1 {
			t.Error("the credential is still disabled, or the change was not announced")
		}

		storetest.Need(s.Catalog.DisableCredential(background, platform, one, catalog.ReasonDenied))(t)
		storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Keys: &[]catalog.SealedSecret{}}))(t)
		if again := storetest.Need(s.Catalog.Snapshot(background, platform))(t); again.Channel(
			channel.ID).DisabledCredentials != nil {
			t.Error("credentials are still disabled after all were replaced")
		}
	})
}

func TestDisableCredential_RefusesTenantsAndUnknownCredentials(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	f := storetest.NewCustomer(t, s, "acme")
	_, channel := storetest.AddModel(t, s, "m1")
	one := catalogdb.Credential{ChannelID: channel.ID, Fingerprint: "f1"}
	_, err := s.Catalog.DisableCredential(background, f.AsOwner, one, catalog.ReasonDenied)
	storetest.Refuses(t, err, problem.Forbidden, "")
	_, err = s.Catalog.EnableCredential(background, f.AsOwner, one)
	storetest.Refuses(t, err, problem.Forbidden, "")
	_, err = s.Catalog.ChannelHealth(background, f.AsOwner, channel.ID)
	storetest.Refuses(t, err, problem.Forbidden, "")
	_, err = s.Catalog.Probes(background, f.AsOwner, channel.ID)
	storetest.Refuses(t, err, problem.Forbidden, "")
	storetest.Refuses(t, s.Catalog.PublishHealth(background, f.AsOwner, storetest.NewID(), nil), problem.Forbidden, "")
	storetest.Refuses(t, s.Catalog.RecordProbe(background, f.AsOwner, catalogdb.Probe{Credential: one}),
		problem.Forbidden, "")
	_, err = s.Catalog.DisableCredential(background, platform,
		catalogdb.Credential{ChannelID: storetest.NewID(), Fingerprint: "f"}, catalog.ReasonDenied)
	storetest.Refuses(t, err, problem.NotFound, "")
	_, err = s.Catalog.DisableCredential(background, platform, catalogdb.Credential{ChannelID: channel.ID},
		catalog.ReasonDenied)
	storetest.Refuses(t, err, problem.InvalidType, "fingerprint")
	_, err = s.Catalog.DisableCredential(background, platform, one, "bored")
	storetest.Refuses(t, err, problem.InvalidType, "fingerprint")
}

func TestPublishHealth_ReplacesTheLastReportOfARelay(t *testing.T) {
	for name, url := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			s := storetest.Open(t, db.Options{URL: url(t), Now: func() time.Time { return now }})
			replacesTheLastReport(t, s, &now)
		})
	}
}

func replacesTheLastReport(t *testing.T, s *store.Store, now *time.Time) {
	_, channel := storetest.AddModel(t, s, "m1")
	_, other := storetest.AddModel(t, s, "m2")
	relay, otherRelay := storetest.NewID(), storetest.NewID()
	unhealthy := func(id uuid.UUID, model string) catalogdb.ChannelHealth {
		return catalogdb.ChannelHealth{ChannelID: id, Model: model, Fingerprint: "f", Mask: "sk…", State: "cooling",
			Code: "timeout", Failures: 3, Until: now.Add(time.Second)}
	}
	count := func(id uuid.UUID) int {
		return len(storetest.Need(s.Catalog.ChannelHealth(background, platform, id))(t))
	}
	storetest.OK(t, s.Catalog.PublishHealth(background, platform, relay,
		[]catalogdb.ChannelHealth{unhealthy(channel.ID, "a"), unhealthy(channel.ID, "b"), unhealthy(other.ID, "a")}))
	storetest.OK(t, s.Catalog.PublishHealth(background, platform, otherRelay,
		[]catalogdb.ChannelHealth{unhealthy(channel.ID, "a")}))
	storetest.Equal(t, "rows of the channel", count(channel.ID), 3)
	storetest.Equal(t, "rows of all channels", count(uuid.Nil), 4)
	storetest.OK(t,
		s.Catalog.PublishHealth(background, platform, relay, []catalogdb.ChannelHealth{unhealthy(channel.ID, "b")}))
	reported := storetest.Need(s.Catalog.ChannelHealth(background, platform, channel.ID))(t)
	if len(reported) != 2 || reported[0].RelayID != otherRelay || reported[1].Model != "b" ||
		reported[1].Code != "timeout" || reported[1].Failures != 3 {
		t.Errorf("got %+v, want the last report of each relay", reported)
	}
	demoted := unhealthy(channel.ID, "b")
	demoted.Tenants = make([]uuid.UUID, 101)
	for i := range demoted.Tenants {
		demoted.Tenants[i] = storetest.NewID()
	}
	storetest.OK(t, s.Catalog.PublishHealth(background, platform, relay, []catalogdb.ChannelHealth{demoted}))
	reported = storetest.Need(s.Catalog.ChannelHealth(background, platform, channel.ID))(t)
	if len(reported) != 2 || reported[0].Tenants != nil || !slices.Equal(reported[1].Tenants, demoted.Tenants[:100]) {
		t.Errorf("got %+v, want the tenants of the second report only", reported)
	}
	many := make([]catalogdb.ChannelHealth, 2*catalogdb.HealthLimit)
	for i := range many {
		many[i] = unhealthy(storetest.NewID(), "m")
	}
	storetest.OK(t, s.Catalog.PublishHealth(background, platform, otherRelay, many))
	storetest.Equal(t, "rows after a report that is too long", count(uuid.Nil), 1+catalogdb.HealthLimit)

	*now = now.Add(catalogdb.HealthRetention + time.Second)
	storetest.Equal(t, "rows of silent relays", count(uuid.Nil), 0)
	storetest.OK(t, s.Sweep(background, platform))
	*now = now.Add(-catalogdb.HealthRetention)
	storetest.Equal(t, "rows after the sweep", count(uuid.Nil), 0)
}

func TestRecordProbe_KeepsTheLastProbeOfACredential(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m1")
		one := catalogdb.Credential{ChannelID: channel.ID, Fingerprint: "f1"}
		at := time.Now().UTC().Truncate(time.Microsecond)
		for _, status := range []int{401, 200} {
			storetest.OK(t, s.Catalog.RecordProbe(background, platform,
				catalogdb.Probe{Credential: one, Status: status, Latency: time.Second, Error: "x", ProbedAt: at}))
		}
		probes := storetest.Need(s.Catalog.Probes(background, platform, channel.ID))(t)
		want := catalogdb.Probe{Credential: one, Status: 200, Latency: time.Second, Error: "x", ProbedAt: at}
		if len(probes) != 1 || probes[0] != want {
			t.Errorf("got probes %+v, want only %+v", probes, want)
		}

		served, failed := f.Call(f.Member, "m1", 5), f.Call(f.Member, "m1", 0)
		served.ChannelID, failed.ChannelID, failed.Outcome = channel.ID, storetest.NewID(), usage.Failed
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{served, failed}))(t)
		storetest.Need(s.Rollup.DrainOutbox(background, platform, 0))(t)
		serving := storetest.Need(s.Catalog.ChannelsServing(background, platform, at.Add(-time.Hour)))(t)
		if len(serving) != 1 || serving[0] != channel.ID {
			t.Errorf("got serving channels %v, want only %v", serving, channel.ID)
		}
		storetest.Equal(t, "channels that served two hours later",
			len(storetest.Need(s.Catalog.ChannelsServing(background, platform, at.Add(2*time.Hour)))(t)), 0)
	})
}
