package tenant

import (
	"context"
	"net/http"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// NewMember is the body of createMember.
type NewMember struct {
	Email    string             `json:"email" maxLength:"254"`
	Password api.NewPassword    `json:"password"`
	Role     string             `json:"role,omitempty" enum:"owner,admin,member" default:"member"`
	Quota    *money.Amount      `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the user may spend in total; absent: unlimited"`
	Caps     resource.NewCaps   `json:"caps,omitzero"`
	Limits   resource.NewLimits `json:"limits,omitzero"`
}

// MemberPatch is the body of updateMember.
type MemberPatch struct {
	Role   api.Optional[string]               `json:"role,omitzero" enum:"owner,admin,member"`
	Status api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: the user cannot sign in or use tokens"`
	Quota  api.Nullable[money.Amount]         `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the user may spend in total; null: unlimited"`
	Caps   api.Optional[resource.CapsPatch]   `json:"caps,omitzero"`
	Limits api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`
}

type memberUpdate struct {
	api.ByID
	Body MemberPatch
}

func members(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listMembers", Method: http.MethodGet, Path: "/members", Tag: "members", Summary: "List the users of the caller's tenant",
		Description: "For admins and owners.", Errors: []int{http.StatusForbidden},
	}, h.listMembers)
	api.Register(h.API, api.Operation{
		ID: "createMember", Method: http.MethodPost, Path: "/members", Tag: "members", Summary: "Create a user in the caller's tenant",
		Description: "The user gets a first password and the group of the caller. For admins and owners.",
		Status:      http.StatusCreated, Errors: []int{http.StatusConflict, http.StatusServiceUnavailable},
	}, h.createMember)
	api.Register(h.API, api.Operation{
		ID: "updateMember", Method: http.MethodPatch, Path: "/members/{id}", Tag: "members", Summary: "Edit a user of the caller's tenant",
		Description: "Changes only the fields that are sent. Ends the user's sessions if the role or the status changes. For admins and owners.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, h.updateMember)
}

type memberQuery struct {
	api.PageQuery
	api.SearchQuery
}

func (h *handlers) listMembers(ctx context.Context, in *memberQuery) (*api.Answer[api.List[resource.User]], error) {
	tenantID, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	return h.Users.List(ctx, api.ScopeOf(ctx), tenantID, in.In(in.Page()))
}

// createMember creates a user in the caller's tenant. The user gets the caller's group:
// only operators choose groups. The store refuses roles above that of the caller.
func (h *handlers) createMember(ctx context.Context, in *struct{ Body NewMember }) (*api.Answer[resource.User], error) {
	tenantID, err := api.TenantOf(ctx)
	if err != nil {
		return nil, err
	}
	return h.Users.Create(ctx, api.ScopeOf(ctx), string(in.Body.Password), identity.NewUser{
		TenantID: tenantID, Email: in.Body.Email, Role: tenant.Role(in.Body.Role),
		GroupID: api.CallerOf(ctx).User.GroupID, Cap: in.Body.Quota, Caps: quota.Caps(in.Body.Caps),
		Limits: limit.Limits(in.Body.Limits),
	})
}

// updateMember changes a user of the caller's tenant. Operators,
// who belong to no tenant, are refused: they use updateUser.
func (h *handlers) updateMember(ctx context.Context, in *memberUpdate) (*api.Answer[resource.User], error) {
	if _, err := api.TenantOf(ctx); err != nil {
		return nil, err
	}
	return h.Users.Update(ctx, api.ScopeOf(ctx), in.ID, identity.UserPatch{
		Role: (*tenant.Role)(in.Body.Role.Pointer()), Status: (*tenant.Status)(in.Body.Status.Pointer()), Cap: resource.CapOf(in.Body.Quota), Caps: in.Body.Caps.Value().Store(),
		Limits: in.Body.Limits.Value().Change(),
	})
}
