package store_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestSettingsOfStreams(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		_, channel := sell(t, s, "m")
		equal(t, "a tenant's mode is hard unless set", f.tenant.QuotaMode, tenant.Hard)
		equal(t, "a channel cancels unless set", channel.OnDisconnect, catalog.Cancel)

		need(s.UpdateTenant(background, platform, f.tenant.ID, store.TenantPatch{QuotaMode: to(tenant.Soft)}))(t)
		need(s.UpdateChannel(background, platform, channel.ID, store.ChannelPatch{OnDisconnect: to(catalog.Drain)}))(t)
		owner := f.tokens[f.owner.ID]
		bearer := need(s.Bearer(background, platform, hash(owner.ID)))(t)
		equal(t, "the bearer knows the tenant's mode", bearer.Tenant.QuotaMode, tenant.Soft)
		snapshot := need(s.Snapshot(background, platform))(t)
		equal(t, "the snapshot knows the channel's policy", snapshot.Channel(channel.ID).OnDisconnect, catalog.Drain)

		_, err := s.UpdateTenant(background, platform, f.tenant.ID, store.TenantPatch{QuotaMode: to(tenant.QuotaMode("gentle"))})
		refuses(t, err, problem.InvalidType, "quota_mode")
		_, err = s.CreateTenant(background, platform, store.NewTenant{Slug: "x", Name: "x", QuotaMode: "gentle"})
		refuses(t, err, problem.InvalidType, "quota_mode")
		_, err = s.UpdateChannel(background, platform, channel.ID, store.ChannelPatch{OnDisconnect: to(catalog.Disconnect(""))})
		refuses(t, err, problem.InvalidType, "on_disconnect")

		made := need(s.CreateTenant(background, platform, store.NewTenant{Slug: "soft", Name: "x", QuotaMode: tenant.Soft}))(t)
		equal(t, "made as asked", made.QuotaMode, tenant.Soft)
	})
}
