package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestSettings_QuotaModeOutputCapAndDisconnectPolicy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		_, channel := addModel(t, s, "m")
		equal(t, "default quota mode", f.tenant.QuotaMode, tenant.QuotaHard)
		equal(t, "default disconnect policy", channel.OnDisconnect, catalog.DisconnectCancel)

		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{QuotaMode: to(tenant.QuotaSoft)}))(t)
		need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{OnDisconnect: to(catalog.DisconnectDrain)}))(t)
		owner := f.tokens[f.owner.ID]
		caller := need(s.Token.Caller(background, platform, hash(owner.ID)))(t)
		equal(t, "quota mode of the caller", caller.Tenant.QuotaMode, tenant.QuotaSoft)
		snapshot := need(s.Catalog.Snapshot(background, platform))(t)
		equal(t, "disconnect policy in the snapshot", snapshot.Channel(channel.ID).OnDisconnect,
			catalog.DisconnectDrain)

		_, err := s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{QuotaMode: to(tenant.QuotaMode("gentle"))})
		refuses(t, err, problem.InvalidType, "quota_mode")
		_, err = s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", QuotaMode: "gentle"})
		refuses(t, err, problem.InvalidType, "quota_mode")
		_, err = s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{OnDisconnect: to(catalog.Disconnect(""))})
		refuses(t, err, problem.InvalidType, "on_disconnect")

		equal(t, "default output cap", f.tenant.OutputCap, tenant.OutputCapAuto)
		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{OutputCap: to(tenant.OutputCapOff)}))(t)
		equal(t, "output cap of the caller",
			need(s.Token.Caller(background, platform, hash(owner.ID)))(t).Tenant.OutputCap, tenant.OutputCapOff)
		_, err = s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{OutputCap: to(tenant.OutputCap("on"))})
		refuses(t, err, problem.InvalidType, "output_cap")
		_, err = s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", OutputCap: "on"})
		refuses(t, err, problem.InvalidType, "output_cap")

		equal(t, "default of ignored fields", f.tenant.IgnoredFields, tenant.ReportIgnored)
		need(s.Identity.UpdateTenant(background, f.asOwner, f.tenant.ID,
			identity.TenantPatch{IgnoredFields: to(tenant.RefuseIgnored)}))(t)
		equal(t, "ignored fields of the caller",
			need(s.Token.Caller(background, platform, hash(owner.ID)))(t).Tenant.IgnoredFields, tenant.RefuseIgnored)
		_, err = s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{IgnoredFields: to(tenant.IgnoredFields("on"))})
		refuses(t, err, problem.InvalidType, "ignored_fields")
		_, err = s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", IgnoredFields: "on"})
		refuses(t, err, problem.InvalidType, "ignored_fields")

		equal(t, "answers of a new tenant show the quota", f.tenant.IncludeQuota, false)
		need(s.Identity.UpdateTenant(background, f.asOwner, f.tenant.ID, identity.TenantPatch{IncludeQuota: to(true)}))(
			t)
		equal(t, "setting of the caller",
			need(s.Token.Caller(background, platform, hash(owner.ID)))(t).Tenant.IncludeQuota, true)

		made := need(s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "soft", Name: "x", QuotaMode: tenant.QuotaSoft}))(t)
		equal(t, "quota mode of a new tenant", made.QuotaMode, tenant.QuotaSoft)
	})
}

func TestUpdateChannel_StoresSettings(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		_, channel := addModel(t, s, "m")
		equal(t, "a new channel has no settings", channel.Settings.Equal(&catalog.Settings{}), true)

		want := catalog.Settings{
			Headers:      map[string]string{"X-Team": "hunter2-header"},
			Parameters:   map[string]json.RawMessage{"x": json.RawMessage(`{"b":1.50,"a":1e2}`)},
			SystemPrompt: "hunter2-prompt <&> é", Quirks: []catalog.Quirk{catalog.OldMaxTokens},
			Lacks:       []catalog.Feature{catalog.Vision},
			Proxy:       catalog.SealedSecret{Sealed: []byte("hunter2-sealed"), Mask: "http://…@proxy:1"},
			IdleTimeout: time.Minute,
		}
		need(s.Catalog.UpdateChannel(background, platform, channel.ID, catalogdb.ChannelPatch{Settings: &want}))(t)
		read := need(s.Catalog.Channel(background, platform, channel.ID))(t)
		equal(t, "the settings are read as written", read.Settings.Equal(&want), true)
		equal(t, "parameter with its numbers as written", string(read.Settings.Parameters["x"]), `{"b":1.50,"a":1e2}`)
		snapshot := need(s.Catalog.Snapshot(background, platform))(t)
		equal(t, "the snapshot of the platform has the settings", snapshot.Channel(channel.ID).Settings.Equal(&want),
			true)
		snapshot = need(s.Catalog.Snapshot(background, tenant.ScopeOf(f.owner)))(t)
		equal(t, "the snapshot of a tenant has no settings",
			snapshot.Channel(channel.ID).Settings.Equal(&catalog.Settings{}), true)

		before := need(s.Audit.List(background, platform, audit.Query{Page: page.Page{}}))(t)
		need(s.Catalog.UpdateChannel(background, platform, channel.ID, catalogdb.ChannelPatch{Settings: &want}))(t)
		after := need(s.Audit.List(background, platform, audit.Query{Page: page.Page{}}))(t)
		equal(t, "last audit entry after setting the same again", after.Items[0].ID, before.Items[0].ID)
		detail := fmt.Sprint(after.Items[0].Detail)
		equal(t, "the audit log names the settings: "+detail, strings.Contains(detail, "X-Team") &&
			strings.Contains(detail, "http://…@proxy:1"), true)
		equal(t, "the audit log shows a value", strings.Contains(detail, "hunter2"), false)

		_, err := s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Settings: &catalog.Settings{APIVersion: "&"}})
		refuses(t, err, problem.InvalidType, "settings.api_version")
		_, err = s.Catalog.UpdateChannel(background, tenant.ScopeOf(f.owner), channel.ID,
			catalogdb.ChannelPatch{Settings: &want})
		refuses(t, err, problem.Forbidden, "")
	})
}
