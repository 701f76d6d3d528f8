package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// NewUser is the body of createUser.
type NewUser struct {
	TenantID *uuid.UUID    `json:"tenant_id,omitempty" doc:"Absent for operators"`
	Email    string        `json:"email" maxLength:"254"`
	Password newPassword   `json:"password"`
	Role     string        `json:"role" enum:"owner,admin,member,operator"`
	GroupID  *uuid.UUID    `json:"group_id,omitempty" doc:"Absent for operators"`
	Quota    *money.Amount `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Most that the user may spend in all; absent: unlimited"`
	Caps     NewCaps       `json:"caps,omitzero"`
	Limits   NewLimits     `json:"limits,omitzero"`
}

// UserPatch is the body of updateUser.
type UserPatch struct {
	Role     Optional[string]       `json:"role,omitzero" enum:"owner,admin,member"`
	Status   Optional[string]       `json:"status,omitzero" enum:"enabled,disabled"`
	GroupID  Optional[uuid.UUID]    `json:"group_id,omitzero"`
	Password Optional[newPassword]  `json:"password,omitzero"`
	Quota    Nullable[money.Amount] `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Caps     Optional[CapsPatch]    `json:"caps,omitzero"`
	Limits   Optional[LimitsPatch]  `json:"limits,omitzero"`
}

type userUpdate struct {
	ByID
	Body UserPatch
}

type userQuery struct {
	PageQuery
	SearchQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"All tenants' users, and operators, if absent"`
}

func operatorUsers(a *API) {
	register(a, operation{
		id: "createUser", method: http.MethodPost, path: "/operator/users", tag: "operator", summary: "Create a user",
		description: "A user of a tenant, or an operator.",
		status:      http.StatusCreated, errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable},
	}, a.createAnyUser)
	register(a, operation{
		id: "listUsers", method: http.MethodGet, path: "/operator/users", tag: "operator", summary: "List users",
		description: "Oldest first: the users of all tenants, and the operators.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listAllUsers)
	register(a, operation{
		id: "getUser", method: http.MethodGet, path: "/operator/users/{id}", tag: "operator", summary: "Get a user",
		description: "A user of any tenant.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.getUser)
	register(a, operation{
		id: "updateUser", method: http.MethodPatch, path: "/operator/users/{id}", tag: "operator", summary: "Edit, disable or enable a user",
		description: "Also moves the user to another group and resets his password, which access keys may not. Ends his sessions where role, status or password change.",
		errors:      []int{http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable},
	}, a.updateAnyUser)
}

// operatorsOnly guards what the store would let admins do in their own tenant.
func (a *API) operatorsOnly(ctx context.Context) error {
	return permission.Check(scopeOf(ctx), permission.ReadPlatform)
}

func (a *API) createAnyUser(ctx context.Context, in *struct{ Body NewUser }) (*Answer[User], error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	body := &in.Body
	if err := body.check(); err != nil {
		return nil, err
	}
	return a.createUser(ctx, string(body.Password), store.NewUser{
		TenantID: value(body.TenantID), Email: body.Email, Role: tenant.Role(body.Role), GroupID: value(body.GroupID),
		Cap: body.Quota, Caps: quota.Caps(body.Caps), Limits: limit.Limits(body.Limits),
	})
}

// check wants tenant and group for everyone but operators.
func (n *NewUser) check() error {
	operator := tenant.Role(n.Role) == tenant.Operator
	for _, field := range []struct {
		name string
		id   *uuid.UUID
	}{{"tenant_id", n.TenantID}, {"group_id", n.GroupID}} {
		if operator && field.id != nil {
			return problem.New(problem.InvalidType, "Operators belong to no tenant and no group.").At(field.name)
		}
		if !operator && field.id == nil {
			return problem.Of(problem.MissingParameter).At(field.name)
		}
	}
	return nil
}

func (a *API) listAllUsers(ctx context.Context, in *userQuery) (*Answer[List[User]], error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	return a.listUsers(ctx, in.TenantID, in.in(in.page()))
}

func (a *API) getUser(ctx context.Context, in *ByID) (*Answer[User], error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	found, err := a.Store.User(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return a.showUser(ctx, &found)
}

func (a *API) updateAnyUser(ctx context.Context, in *userUpdate) (*Answer[User], error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	body := &in.Body
	patch := store.UserPatch{
		Role: (*tenant.Role)(body.Role.pointer()), Status: (*tenant.Status)(body.Status.pointer()),
		GroupID: body.GroupID.pointer(), Cap: capOf(body.Quota), Caps: body.Caps.value.store(),
		Limits: body.Limits.value.core(),
	}
	if body.Password.set {
		if err := inPerson(ctx); err != nil {
			return nil, err
		}
		hash, err := a.Passwords.Hash(ctx, string(body.Password.value), "password")
		if err != nil {
			return nil, err
		}
		patch.PasswordHash = &hash
	}
	return a.updateUser(ctx, in.ID, patch)
}
