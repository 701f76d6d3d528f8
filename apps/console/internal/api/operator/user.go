package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// NewUser is the body of createUser.
type NewUser struct {
	TenantID *uuid.UUID         `json:"tenant_id,omitempty" doc:"The tenant of the user. Required, except for operators, who have none"`
	Email    string             `json:"email" maxLength:"254"`
	Password api.NewPassword    `json:"password"`
	Role     string             `json:"role" enum:"owner,admin,member,operator"`
	GroupID  *uuid.UUID         `json:"group_id,omitempty" doc:"The group of the user. Required, except for operators, who have none"`
	Quota    *money.Amount      `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the user may spend in total; absent: unlimited"`
	Caps     resource.NewCaps   `json:"caps,omitzero"`
	Limits   resource.NewLimits `json:"limits,omitzero"`
}

// UserPatch is the body of updateUser.
type UserPatch struct {
	Role     api.Optional[string]               `json:"role,omitzero" enum:"owner,admin,member"`
	Status   api.Optional[string]               `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: the user cannot sign in or use tokens"`
	GroupID  api.Optional[uuid.UUID]            `json:"group_id,omitzero" doc:"Moves the user to another group"`
	Password api.Optional[api.NewPassword]      `json:"password,omitzero" doc:"Sets a new password"`
	Quota    api.Nullable[money.Amount]         `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the user may spend in total; null: unlimited"`
	Caps     api.Optional[resource.CapsPatch]   `json:"caps,omitzero"`
	Limits   api.Optional[resource.LimitsPatch] `json:"limits,omitzero"`
}

type userUpdate struct {
	api.ByID
	Body UserPatch
}

type userQuery struct {
	api.PageQuery
	api.SearchQuery
	api.OrderQuery
	Sort     string    `query:"sort" enum:"created_at" doc:"What to sort by. Defaults to the oldest users first"`
	TenantID uuid.UUID `query:"tenant_id" doc:"Only users of this tenant. Absent: users of all tenants, and operators"`
	Role     string    `query:"role" enum:"owner,admin,member,operator" doc:"Only users with this role. Absent: with any"`
}

func registerUsers(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createUser", Method: http.MethodPost, Path: "/operator/users", Tag: "operator", Summary: "Create a user",
		Description: "Creates a user of a tenant, or an operator.",
		Status:      http.StatusCreated, Confirm: api.Always,
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createAnyUser)
	api.Register(h.API, api.Operation{
		ID: "listUsers", Method: http.MethodGet, Path: "/operator/users", Tag: "operator", Scope: token.ReadMembers,
		Summary:     "List users",
		Description: "Lists the users of all tenants and the operators, oldest first unless order is desc.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listAllUsers)
	api.Register(h.API, api.Operation{
		ID: "getUser", Method: http.MethodGet, Path: "/operator/users/{id}", Tag: "operator", Scope: token.ReadMembers,
		Summary:     "Get a user",
		Description: "Returns a user of any tenant, or an operator.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUser)
	api.Register(h.API, api.Operation{
		ID: "updateUser", Method: http.MethodPatch, Path: "/operator/users/{id}", Tag: "operator",
		Summary: "Edit, disable or enable a user",
		Description: "Changes only the fields that are sent. Ends all sessions of the user if role, status or " +
			"password change.",
		Errors: []int{http.StatusNotFound, http.StatusConflict}, Confirm: api.Always,
	}, h.updateAnyUser)
}

// createAnyUser creates a user of any tenant, or an operator.
func (h *handlers) createAnyUser(ctx context.Context, in *struct{ Body NewUser }) (*api.Answer[resource.User], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	body := &in.Body
	if err := resource.CheckPlace(tenant.Role(body.Role), body.TenantID, body.GroupID); err != nil {
		return nil, err
	}
	return h.Users.Create(ctx, api.CallerOf(ctx).Confirmed, string(body.Password), identity.NewUser{
		TenantID: null.Deref(body.TenantID), Email: body.Email, Role: tenant.Role(body.Role),
		GroupID: null.Deref(body.GroupID),
		Cap:     body.Quota, Caps: quota.Caps(body.Caps), Limits: limit.Limits(body.Limits),
	})
}

func (h *handlers) listAllUsers(ctx context.Context, in *userQuery) (*api.Answer[api.List[resource.User]], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	filter := identity.UserFilter{TenantID: in.TenantID, Role: tenant.Role(in.Role)}
	return h.Users.List(ctx, api.ScopeOf(ctx), filter, in.By(in.Sort, in.In(in.Page())))
}

func (h *handlers) getUser(ctx context.Context, in *api.ByID) (*api.Answer[resource.User], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	user, err := h.Store.Identity.User(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return h.Users.Show(ctx, api.ScopeOf(ctx), &user)
}

// updateAnyUser changes a user of any tenant, or an operator.
func (h *handlers) updateAnyUser(ctx context.Context, in *userUpdate) (*api.Answer[resource.User], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	body := &in.Body
	patch := identity.UserPatch{
		Role: (*tenant.Role)(body.Role.Pointer()), Status: (*tenant.Status)(body.Status.Pointer()),
		GroupID: body.GroupID.Pointer(), Cap: resource.CapOf(body.Quota), Caps: body.Caps.Value().Store(),
		Limits: body.Limits.Value().Change(),
	}
	if body.Password.Given() {
		user, err := h.Store.Identity.User(ctx, api.ScopeOf(ctx), in.ID)
		if err != nil {
			return nil, err
		}
		hash, err := h.Passwords.Hash(ctx, api.CallerOf(ctx).User.ID.String(),
			seal.NewPassword{Text: string(body.Password.Value()), Email: user.Email}, "password")
		if err != nil {
			return nil, err
		}
		patch.PasswordHash = &hash
	}
	answer, err := h.Users.Update(ctx, api.CallerOf(ctx).Confirmed, in.ID, patch)
	if err == nil && patch.PasswordHash != nil {
		h.PasswordChanged(ctx, in.ID)
	}
	return answer, err
}
