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
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m")
		storetest.Equal(t, "default quota mode", f.Tenant.QuotaMode, tenant.QuotaHard)
		storetest.Equal(t, "default disconnect policy", channel.OnDisconnect, catalog.DisconnectCancel)

		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{QuotaMode: new(tenant.QuotaSoft)}))(t)
		storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{OnDisconnect: new(catalog.DisconnectDrain)}))(t)
		owner := f.Tokens[f.Owner.ID]
		caller := storetest.Need(s.Token.Caller(background, platform, storetest.Hash(owner.ID)))(t)
		storetest.Equal(t, "quota mode of the caller", caller.Tenant.QuotaMode, tenant.QuotaSoft)
		snapshot := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		storetest.Equal(t, "disconnect policy in the snapshot", snapshot.Channel(channel.ID).OnDisconnect,
			catalog.DisconnectDrain)

		_, err := s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{QuotaMode: new(tenant.QuotaMode("gentle"))})
		storetest.Refuses(t, err, problem.InvalidType, "quota_mode")
		_, err = s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", QuotaMode: "gentle"})
		storetest.Refuses(t, err, problem.InvalidType, "quota_mode")
		_, err = s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{OnDisconnect: new(catalog.Disconnect(""))})
		storetest.Refuses(t, err, problem.InvalidType, "on_disconnect")

		storetest.Equal(t, "default output cap", f.Tenant.OutputCap, tenant.OutputCapAuto)
		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{OutputCap: new(tenant.OutputCapOff)}))(t)
		storetest.Equal(t, "output cap of the caller",
			storetest.Need(s.Token.Caller(background, platform, storetest.Hash(owner.ID)))(t).Tenant.OutputCap,
			tenant.OutputCapOff)
		_, err = s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{OutputCap: new(tenant.OutputCap("on"))})
		storetest.Refuses(t, err, problem.InvalidType, "output_cap")
		_, err = s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", OutputCap: "on"})
		storetest.Refuses(t, err, problem.InvalidType, "output_cap")

		storetest.Equal(t, "default of ignored fields", f.Tenant.IgnoredFields, tenant.ReportIgnored)
		storetest.Need(s.Identity.UpdateTenant(background, f.AsOwner, f.Tenant.ID,
			identity.TenantPatch{IgnoredFields: new(tenant.RefuseIgnored)}))(t)
		storetest.Equal(t, "ignored fields of the caller",
			storetest.Need(s.Token.Caller(background, platform, storetest.Hash(owner.ID)))(t).Tenant.IgnoredFields,
			tenant.RefuseIgnored)
		_, err = s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{IgnoredFields: new(tenant.IgnoredFields("on"))})
		storetest.Refuses(t, err, problem.InvalidType, "ignored_fields")
		_, err = s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", IgnoredFields: "on"})
		storetest.Refuses(t, err, problem.InvalidType, "ignored_fields")

		storetest.Equal(t, "answers of a new tenant show the quota", f.Tenant.IncludeQuota, false)
		storetest.Need(s.Identity.UpdateTenant(background, f.AsOwner, f.Tenant.ID,
			identity.TenantPatch{IncludeQuota: new(true)}))(t)
		storetest.Equal(t, "setting of the caller",
			storetest.Need(s.Token.Caller(background, platform, storetest.Hash(owner.ID)))(t).Tenant.IncludeQuota, true)

		made := storetest.Need(s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "soft", Name: "x", QuotaMode: tenant.QuotaSoft}))(t)
		storetest.Equal(t, "quota mode of a new tenant", made.QuotaMode, tenant.QuotaSoft)
	})
}

func TestUpdateChannel_StoresSettings(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m")
		storetest.Equal(t, "a new channel has no settings", channel.Settings.Equal(&catalog.Settings{}), true)

		want := catalog.Settings{
			Headers:      map[string]string{"X-Team": "hunter2-header"},
			Parameters:   map[string]json.RawMessage{"x": json.RawMessage(`{"b":1.50,"a":1e2}`)},
			SystemPrompt: "hunter2-prompt <&> é", Quirks: []catalog.Quirk{catalog.OldMaxTokens},
			Lacks:       []catalog.Feature{catalog.Vision},
			Proxy:       catalog.SealedSecret{Sealed: []byte("hunter2-sealed"), Mask: "http://…@proxy:1"},
			IdleTimeout: time.Minute,
		}
		storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Settings: &want}))(t)
		read := storetest.Need(s.Catalog.Channel(background, platform, channel.ID))(t)
		storetest.Equal(t, "the settings are read as written", read.Settings.Equal(&want), true)
		storetest.Equal(t, "parameter with its numbers as written", string(read.Settings.Parameters["x"]),
			`{"b":1.50,"a":1e2}`)
		snapshot := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		storetest.Equal(t, "the snapshot of the platform has the settings",
			snapshot.Channel(channel.ID).Settings.Equal(&want), true)
		snapshot = storetest.Need(s.Catalog.Snapshot(background, tenant.ScopeOf(f.Owner)))(t)
		storetest.Equal(t, "the snapshot of a tenant has no settings",
			snapshot.Channel(channel.ID).Settings.Equal(&catalog.Settings{}), true)

		before := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{}}))(t)
		storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Settings: &want}))(t)
		after := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{}}))(t)
		storetest.Equal(t, "last audit entry after setting the same again", after.Items[0].ID, before.Items[0].ID)
		detail := fmt.Sprint(after.Items[0].Detail)
		storetest.Equal(t, "the audit log names the settings: "+detail, strings.Contains(detail, "X-Team") &&
			strings.Contains(detail, "http://…@proxy:1"), true)
		storetest.Equal(t, "the audit log shows a value", strings.Contains(detail, "hunter2"), false)

		_, err := s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Settings: &catalog.Settings{APIVersion: "&"}})
		storetest.Refuses(t, err, problem.InvalidType, "settings.api_version")
		_, err = s.Catalog.UpdateChannel(background, tenant.ScopeOf(f.Owner), channel.ID,
			catalogdb.ChannelPatch{Settings: &want})
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}
