package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// OwnTenant describes the tenant of the caller.
type OwnTenant struct {
	ID        uuid.UUID `json:"id"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	QuotaMode string    `json:"quota_mode" enum:"hard,soft" doc:"What happens to a stream when the quota runs out. hard: the stream ends. soft: the stream continues, and only the remaining quota is deducted"`
	OutputCap string    `json:"output_cap" enum:"auto,off" doc:"What happens to a call without an output cap of its own, and to a stream with a large one, whose longest answer costs more than the quota that is left. auto: the relay sends the upstream an output cap that the quota can pay, and answers with the header x-tollgate-output-cap. off: the call is refused, and a stream ends when the quota does"`
	Group     string    `json:"group" doc:"Name of the caller's group"`

	IgnoredFields string `json:"ignored_fields" enum:"report,refuse" doc:"What happens to a call with a field that only restricts the answer or gives a hint, if the API of the channel does not have the field, and with an optional tool of the provider, such as web_search, that no channel has. report: the relay ignores it and lists it in the header x-tollgate-ignored-fields and in the usage log. refuse: the call is refused"`

	IncludeQuota bool     `json:"include_quota" doc:"Whether the usage object of each answer has the member quota, the amount deducted in USD. A call with the header x-tollgate-include-quota decides for itself. Streams then have a usage object even if the request does not ask for one"`
	MetadataTags []string `json:"metadata_tags" maxItems:"8" doc:"Keys of a request's metadata that are tags of the request"`

	RequireSecondFactor bool `json:"require_second_factor" doc:"Whether the users of the tenant need a second factor. Users who sign in with a password and have none can only set one up"`
}

// OwnTenantPatch is the body of updateOwnTenant.
type OwnTenantPatch struct {
	Name                api.Optional[string]   `json:"name,omitzero" minLength:"1" maxLength:"200"`
	IgnoredFields       api.Optional[string]   `json:"ignored_fields,omitzero" enum:"report,refuse" doc:"What happens to a call with a field that the API of the channel does not have, see OwnTenant"`
	IncludeQuota        api.Optional[bool]     `json:"include_quota,omitzero" doc:"Whether answers show the quota, see OwnTenant"`
	MetadataTags        api.Optional[[]string] `json:"metadata_tags,omitzero" maxItems:"8" doc:"Keys of a request's metadata that are tags of the request: names of 1 to 32 of the characters a-z, 0-9, '_' and '-'"`
	RequireSecondFactor api.Optional[bool]     `json:"require_second_factor,omitzero" doc:"Whether the users of the tenant need a second factor, see OwnTenant"`
}

type ownTenantUpdate struct{ Body OwnTenantPatch }

func registerOwnTenant(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getOwnTenant", Method: http.MethodGet, Path: "/tenant", Tag: "members", Scope: token.AnyScope,
		Summary:     "Get the caller's tenant",
		Description: "Operators belong to no tenant and get a 403.", Errors: []int{http.StatusForbidden},
	}, h.ownTenant)
	api.Register(h.API, api.Operation{
		ID: "updateOwnTenant", Method: http.MethodPatch, Path: "/tenant", Tag: "members",
		Summary:     "Edit the caller's tenant",
		Description: "Changes only the fields that are sent. For owners.",
		Confirm:     "the body has require_second_factor",
	}, h.updateOwnTenant)
}

func (h *handlers) ownTenant(ctx context.Context, _ *struct{}) (*api.Answer[OwnTenant], error) {
	id, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	t, err := h.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), id)
	if err != nil {
		return nil, err
	}
	return h.showOwnTenant(ctx, &t)
}

// showOwnTenant returns the response with the tenant and the name of the caller's
// group, which comes from the snapshot. The name is empty if the group does not exist.
func (h *handlers) showOwnTenant(ctx context.Context, t *tenant.Tenant) (*api.Answer[OwnTenant], error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	body := OwnTenant{
		ID: t.ID, Slug: t.Slug, Name: t.Name, CreatedAt: t.CreatedAt.UTC(), QuotaMode: string(t.QuotaMode),
		OutputCap:     string(t.OutputCap),
		IgnoredFields: string(t.IgnoredFields), IncludeQuota: t.IncludeQuota,
		MetadataTags: attribution.Names(t.MetadataTags).List(), RequireSecondFactor: t.RequireSecondFactor,
	}
	if group := snapshot.Group(api.CallerOf(ctx).User.GroupID); group != nil {
		body.Group = group.Name
	}
	return api.NewAnswer(body), nil
}

// updateOwnTenant changes the caller's tenant. The store permits it to owners only.
func (h *handlers) updateOwnTenant(ctx context.Context, in *ownTenantUpdate) (*api.Answer[OwnTenant], error) {
	id, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	rule, err := resource.SecondFactorRule(ctx, h.API, &in.Body.RequireSecondFactor)
	if err != nil {
		return nil, err
	}
	patch := identity.TenantPatch{
		IgnoredFields: (*tenant.IgnoredFields)(in.Body.IgnoredFields.Pointer()),
		Name:          in.Body.Name.Pointer(), IncludeQuota: in.Body.IncludeQuota.Pointer(), RequireSecondFactor: rule,
	}
	if keys := in.Body.MetadataTags.Pointer(); keys != nil {
		names, err := attribution.NamesOf(*keys)
		if err != nil {
			return nil, err
		}
		patch.MetadataTags = (*string)(&names)
	}
	t, err := h.Store.Identity.UpdateTenant(ctx, api.ScopeOf(ctx), id, patch)
	if err != nil {
		return nil, err
	}
	return h.showOwnTenant(ctx, &t)
}
