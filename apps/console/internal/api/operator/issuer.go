package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// TenantIssuerApproval is the body of approveTenantIssuer.
type TenantIssuerApproval struct {
	ApprovedDomains api.Optional[[]string]  `json:"approved_domains,omitzero" maxItems:"20" doc:"The domains of the issuer that belong to the tenant: the sign-in page sends people with their addresses to the issuer. The approval of all others ends"`
	DefaultGroupID  api.Optional[uuid.UUID] `json:"default_group_id,omitzero" doc:"Group of accounts that sign-ins make"`
}

type issuerApproval struct {
	api.ByID
	Body TenantIssuerApproval
}

func registerIssuers(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getIssuerOfTenant", Method: http.MethodGet, Path: "/operator/tenants/{id}/issuer", Tag: "operator",
		Summary:     "Get a tenant's OpenID Connect issuer",
		Description: "With its domains and whether they are approved.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getIssuer)
	api.Register(h.API, api.Operation{
		ID: "approveTenantIssuer", Method: http.MethodPatch, Path: "/operator/tenants/{id}/issuer", Tag: "operator",
		Summary: "Approve domains of a tenant's issuer",
		Description: "Changes only the fields that are sent. A domain can be approved for one tenant: approve those " +
			"that are known to belong to the tenant, never one of a mail service.",
		Confirm: api.Always, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.approveIssuer)
}

func (h *handlers) getIssuer(ctx context.Context, in *api.ByID) (*api.Answer[resource.TenantIssuer], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	return h.Issuers.Show(ctx, in.ID)
}

func (h *handlers) approveIssuer(ctx context.Context, in *issuerApproval) (*api.Answer[resource.TenantIssuer], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	_, err := h.Store.Identity.ApproveIssuer(ctx, api.CallerOf(ctx).Confirmed, in.ID, identity.IssuerApproval{
		Domains: in.Body.ApprovedDomains.Pointer(), DefaultGroupID: in.Body.DefaultGroupID.Pointer(),
	})
	if err != nil {
		return nil, err
	}
	return h.Issuers.Show(ctx, in.ID)
}
