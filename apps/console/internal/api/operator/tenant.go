package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// Tenant describes a customer organization together with its quota.
type Tenant struct {
	ID        uuid.UUID      `json:"id"`
	Slug      string         `json:"slug"`
	Name      string         `json:"name"`
	Status    string         `json:"status" enum:"enabled,disabled"`
	CreatedAt time.Time      `json:"created_at"`
	Quota     resource.Quota `json:"quota"`
	Caps      resource.Caps  `json:"caps"`

	QuotaMode string `json:"quota_mode" enum:"hard,soft" doc:"What happens to a stream when the quota runs out. hard: the stream ends. soft: the stream continues, and only the remaining quota is deducted"`
	OutputCap string `json:"output_cap" enum:"auto,off" doc:"What happens to a call without an output cap of its own, and to a stream with a large one, whose longest answer costs more than the quota that is left. auto: the relay sends the upstream an output cap that the quota can pay, and answers with the header x-tollgate-output-cap. off: the call is refused, and a stream ends when the quota does"`

	IgnoredFields string `json:"ignored_fields" enum:"report,refuse" doc:"What happens to a call with a field that only restricts the answer or gives a hint, if the API of the channel does not have the field, and with an optional tool of the provider, such as web_search, that no channel has. report: the relay ignores it and lists it in the header x-tollgate-ignored-fields and in the usage log. refuse: the call is refused"`

	IncludeQuota        bool     `json:"include_quota" doc:"Whether the usage object of each answer has the member quota, the amount deducted in USD. A call with the header x-tollgate-include-quota decides for itself. Streams then have a usage object even if the request does not ask for one"`
	MetadataTags        []string `json:"metadata_tags" maxItems:"8" doc:"Keys of a request's metadata that are tags of the request"`
	RequireSecondFactor bool     `json:"require_second_factor" doc:"Whether the users of the tenant need a second factor"`
}

func tenantOf(t *tenant.Tenant, s resource.Spending) Tenant {
	return Tenant{
		ID: t.ID, Slug: t.Slug, Name: t.Name, Status: string(t.Status), CreatedAt: t.CreatedAt.UTC(), Quota: s.Quota(),
		Caps:      resource.Caps(s.Caps),
		QuotaMode: string(t.QuotaMode), OutputCap: string(t.OutputCap),
		IgnoredFields: string(t.IgnoredFields), IncludeQuota: t.IncludeQuota,
		MetadataTags: attribution.Names(t.MetadataTags).List(), RequireSecondFactor: t.RequireSecondFactor,
	}
}

// NewTenant is the body of createTenant.
type NewTenant struct {
	Slug  string           `json:"slug" maxLength:"63" doc:"Unique short name: lower case letters, digits and hyphens"`
	Name  string           `json:"name" minLength:"1" maxLength:"200"`
	Quota money.Amount     `json:"quota,omitempty" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Quota to grant at once; absent: none"`
	Caps  resource.NewCaps `json:"caps,omitzero"`

	QuotaMode string `json:"quota_mode,omitempty" enum:"hard,soft" default:"hard" doc:"What happens to a stream when the quota runs out, see Tenant"`
	OutputCap string `json:"output_cap,omitempty" enum:"auto,off" default:"auto" doc:"Whether the relay may limit the output of calls, see Tenant"`

	IgnoredFields string `json:"ignored_fields,omitempty" enum:"report,refuse" doc:"What happens to a call with a field that the API of the channel does not have, see Tenant; absent: report"`

	IncludeQuota bool     `json:"include_quota,omitempty" doc:"Whether answers show the quota, see Tenant"`
	MetadataTags []string `json:"metadata_tags,omitempty" maxItems:"8" doc:"Keys of a request's metadata that are tags of the request: names of 1 to 32 of the characters a-z, 0-9, '_' and '-'"`
}

// TenantPatch is the body of updateTenant.
type TenantPatch struct {
	Name   api.Optional[string]             `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Status api.Optional[string]             `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: users of the tenant cannot sign in or use tokens"`
	Caps   api.Optional[resource.CapsPatch] `json:"caps,omitzero"`

	QuotaMode api.Optional[string] `json:"quota_mode,omitzero" enum:"hard,soft" doc:"What happens to a stream when the quota runs out, see Tenant"`
	OutputCap api.Optional[string] `json:"output_cap,omitzero" enum:"auto,off" doc:"Whether the relay may limit the output of calls, see Tenant"`

	IgnoredFields api.Optional[string] `json:"ignored_fields,omitzero" enum:"report,refuse" doc:"What happens to a call with a field that the API of the channel does not have, see Tenant"`

	IncludeQuota        api.Optional[bool]     `json:"include_quota,omitzero" doc:"Whether answers show the quota, see Tenant"`
	MetadataTags        api.Optional[[]string] `json:"metadata_tags,omitzero" maxItems:"8" doc:"Keys of a request's metadata that are tags of the request: names of 1 to 32 of the characters a-z, 0-9, '_' and '-'"`
	RequireSecondFactor api.Optional[bool]     `json:"require_second_factor,omitzero" doc:"Whether the users of the tenant need a second factor"`
}

type tenantUpdate struct {
	api.ByID
	Body TenantPatch
}

func registerTenants(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createTenant", Method: http.MethodPost, Path: "/operator/tenants", Tag: "operator",
		Scope: token.WriteTenants, Summary: "Create a tenant",
		Description: "Creates the tenant with its account, and grants it the quota that is given.",
		Status:      http.StatusCreated, Errors: []int{http.StatusConflict}, Confirm: largeAmount,
	}, h.createTenant)
	api.Register(h.API, api.Operation{
		ID: "listTenants", Method: http.MethodGet, Path: "/operator/tenants", Tag: "operator", Scope: token.ReadTenants,
		Summary:     "List tenants",
		Description: "Oldest first, with the quota of each.",
		Errors:      []int{http.StatusForbidden},
	}, h.listTenants)
	api.Register(h.API, api.Operation{
		ID: "getTenant", Method: http.MethodGet, Path: "/operator/tenants/{id}", Tag: "operator",
		Scope: token.ReadTenants, Summary: "Get a tenant",
		Description: "Returns the tenant with its quota.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getTenant)
	api.Register(h.API, api.Operation{
		ID: "updateTenant", Method: http.MethodPatch, Path: "/operator/tenants/{id}", Tag: "operator",
		Scope: token.WriteTenants, Summary: "Edit, disable or enable a tenant",
		Description: "Changes only the fields that are sent. Relays refuse the tokens of a disabled tenant within a " +
			"second.",
		Errors: []int{http.StatusNotFound, http.StatusConflict}, Confirm: "the body has require_second_factor",
	}, h.updateTenant)
}

func (h *handlers) createTenant(ctx context.Context, in *struct{ Body NewTenant }) (*api.Answer[Tenant], error) {
	tags, err := attribution.NamesOf(in.Body.MetadataTags)
	if err != nil {
		return nil, err
	}
	t, err := h.Store.Identity.CreateTenant(ctx, api.ScopeOf(ctx), identity.NewTenant{
		Slug: in.Body.Slug, Name: in.Body.Name, Quota: in.Body.Quota, Caps: quota.Caps(in.Body.Caps),
		QuotaMode: tenant.QuotaMode(in.Body.QuotaMode), OutputCap: tenant.OutputCap(in.Body.OutputCap),
		IncludeQuota:  in.Body.IncludeQuota,
		IgnoredFields: tenant.IgnoredFields(in.Body.IgnoredFields), MetadataTags: string(tags),
		Session: h.sessionLimit(ctx),
	})
	if err != nil {
		return nil, err
	}
	return h.showTenant(ctx, &t)
}

func (h *handlers) showTenant(ctx context.Context, t *tenant.Tenant) (*api.Answer[Tenant], error) {
	wallet, err := resource.SpendingOf(ctx, h.Store, api.ScopeOf(ctx), t.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(tenantOf(t, wallet)), nil
}

type tenantQuery struct {
	api.PageQuery
	api.SearchQuery
	api.OrderQuery
	Sort string `query:"sort" enum:"created_at,name" doc:"What to sort by. Defaults to the oldest tenants first"`
}

func (h *handlers) listTenants(ctx context.Context, in *tenantQuery) (*api.Answer[api.List[Tenant]], error) {
	page, err := h.Store.Identity.Tenants(ctx, api.ScopeOf(ctx), in.By(in.Sort, in.In(in.Page())))
	if err != nil {
		return nil, err
	}
	wallets, err := resource.SpendingsOf(ctx, h.Store, api.ScopeOf(ctx), page.Items,
		func(t *tenant.Tenant) uuid.UUID { return t.ID })
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, func(t *tenant.Tenant) Tenant { return tenantOf(t, wallets[t.ID]) }), nil
}

func (h *handlers) getTenant(ctx context.Context, in *api.ByID) (*api.Answer[Tenant], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	t, err := h.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.showTenant(ctx, &t)
}

func (h *handlers) updateTenant(ctx context.Context, in *tenantUpdate) (*api.Answer[Tenant], error) {
	if in.Body.RequireSecondFactor.Given() && api.HasAccessKey(ctx) {
		return nil, accessKeyMayNotSet("require_second_factor")
	}
	rule, err := resource.SecondFactorRule(ctx, h.API, &in.Body.RequireSecondFactor)
	if err != nil {
		return nil, err
	}
	patch := identity.TenantPatch{
		Name: in.Body.Name.Pointer(), Status: (*tenant.Status)(in.Body.Status.Pointer()),
		Caps:          in.Body.Caps.Value().Store(),
		QuotaMode:     (*tenant.QuotaMode)(in.Body.QuotaMode.Pointer()),
		OutputCap:     (*tenant.OutputCap)(in.Body.OutputCap.Pointer()),
		IgnoredFields: (*tenant.IgnoredFields)(in.Body.IgnoredFields.Pointer()),
		IncludeQuota:  in.Body.IncludeQuota.Pointer(), RequireSecondFactor: rule,
	}
	if keys := in.Body.MetadataTags.Pointer(); keys != nil {
		tags, err := attribution.NamesOf(*keys)
		if err != nil {
			return nil, err
		}
		patch.MetadataTags = (*string)(&tags)
	}
	t, err := h.Store.Identity.UpdateTenant(ctx, api.ScopeOf(ctx), in.ID, patch)
	if err != nil {
		return nil, err
	}
	return h.showTenant(ctx, &t)
}
