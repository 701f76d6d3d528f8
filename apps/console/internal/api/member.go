package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// User is a person, with the state of his cap.
type User struct {
	ID        uuid.UUID  `json:"id"`
	TenantID  *uuid.UUID `json:"tenant_id" nullable:"true" doc:"null for operators"`
	Email     string     `json:"email"`
	Role      string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID   *uuid.UUID `json:"group_id" nullable:"true" doc:"null for operators"`
	Status    string     `json:"status" enum:"enabled,disabled"`
	CreatedAt time.Time  `json:"created_at"`
	Quota     Quota      `json:"quota"`
	Caps      Caps       `json:"caps"`
	Limits    Limits     `json:"limits" doc:"Of all tokens of the user together"`
}

func userOf(u *tenant.User, s standing) User {
	return User{
		ID: u.ID, TenantID: some(u.TenantID), Email: u.Email, Role: string(u.Role), GroupID: some(u.GroupID),
		Status: string(u.Status), CreatedAt: u.CreatedAt.UTC(), Quota: s.quota(), Caps: Caps(s.caps),
		Limits: Limits(u.Limits),
	}
}

// NewMember is the body of createMember.
type NewMember struct {
	Email    string        `json:"email" maxLength:"254"`
	Password newPassword   `json:"password"`
	Role     string        `json:"role,omitempty" enum:"owner,admin,member" default:"member"`
	Quota    *money.Amount `json:"quota,omitempty" nullable:"true" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Most that the user may spend in all; absent: unlimited"`
	Caps     NewCaps       `json:"caps,omitzero"`
	Limits   NewLimits     `json:"limits,omitzero"`
}

// MemberPatch is the body of updateMember.
type MemberPatch struct {
	Role   Optional[string]       `json:"role,omitzero" enum:"owner,admin,member"`
	Status Optional[string]       `json:"status,omitzero" enum:"enabled,disabled"`
	Quota  Nullable[money.Amount] `json:"quota,omitzero" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"null: unlimited"`
	Caps   Optional[CapsPatch]    `json:"caps,omitzero"`
	Limits Optional[LimitsPatch]  `json:"limits,omitzero"`
}

type memberUpdate struct {
	ByID
	Body MemberPatch
}

func members(a *API) {
	register(a, operation{
		id: "listMembers", method: http.MethodGet, path: "/members", tag: "members", summary: "List the users of one's tenant",
		description: "For admins and owners.", errors: []int{http.StatusForbidden},
	}, a.listMembers)
	register(a, operation{
		id: "createMember", method: http.MethodPost, path: "/members", tag: "members", summary: "Create a user in one's tenant",
		description: "With a first password, in the group of the caller. For admins and owners.",
		status:      http.StatusCreated, errors: []int{http.StatusConflict, http.StatusServiceUnavailable},
	}, a.createMember)
	register(a, operation{
		id: "updateMember", method: http.MethodPatch, path: "/members/{id}", tag: "members", summary: "Edit a user of one's tenant",
		description: "Ends the user's sessions where role or status change. For admins and owners.",
		errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, a.updateMember)
}

// home is the caller's tenant. Operators have none: users of all tenants are
// theirs under /api/operator/users.
func home(ctx context.Context) (uuid.UUID, error) {
	user := callerOf(ctx).User
	if user.Role == tenant.Operator {
		return uuid.Nil, problem.New(problem.Forbidden, "Operators belong to no tenant.")
	}
	return user.TenantID, nil
}

type memberQuery struct {
	PageQuery
	SearchQuery
}

func (a *API) listMembers(ctx context.Context, in *memberQuery) (*Answer[List[User]], error) {
	tenantID, err := home(ctx)
	if err != nil {
		return nil, err
	}
	return a.listUsers(ctx, tenantID, in.in(in.page()))
}

func (a *API) listUsers(ctx context.Context, tenantID uuid.UUID, page store.Page) (*Answer[List[User]], error) {
	users, err := a.Store.Users(ctx, scopeOf(ctx), tenantID, page)
	if err != nil {
		return nil, err
	}
	standings, err := standingsOf(ctx, a, users.Items, func(u *tenant.User) uuid.UUID { return u.ID })
	if err != nil {
		return nil, err
	}
	return pageOf(users, func(u *tenant.User) User { return userOf(u, standings[u.ID]) }), nil
}

func (a *API) createMember(ctx context.Context, in *struct{ Body NewMember }) (*Answer[User], error) {
	tenantID, err := home(ctx)
	if err != nil {
		return nil, err
	}
	return a.createUser(ctx, string(in.Body.Password), store.NewUser{
		TenantID: tenantID, Email: in.Body.Email, Role: tenant.Role(in.Body.Role),
		GroupID: callerOf(ctx).User.GroupID, Cap: in.Body.Quota, Caps: quota.Caps(in.Body.Caps),
		Limits: limit.Limits(in.Body.Limits),
	})
}

// createUser hashes the password for those alone who may create users: a hash
// is dear.
func (a *API) createUser(ctx context.Context, password string, n store.NewUser) (*Answer[User], error) {
	if err := permission.Check(scopeOf(ctx), permission.WriteMembers); err != nil {
		return nil, err
	}
	if err := tenant.CheckEmail(n.Email); err != nil {
		return nil, err
	}
	hash, err := a.Passwords.Hash(ctx, password, "password")
	if err != nil {
		return nil, err
	}
	n.PasswordHash = hash
	created, err := a.Store.CreateUser(ctx, scopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	return answer(userOf(&created, standing{quota.Account{ID: created.ID, Granted: n.Cap}, n.Caps})), nil
}

func (a *API) updateMember(ctx context.Context, in *memberUpdate) (*Answer[User], error) {
	if _, err := home(ctx); err != nil {
		return nil, err
	}
	return a.updateUser(ctx, in.ID, store.UserPatch{
		Role: (*tenant.Role)(in.Body.Role.pointer()), Status: (*tenant.Status)(in.Body.Status.pointer()), Cap: capOf(in.Body.Quota), Caps: in.Body.Caps.value.store(),
		Limits: in.Body.Limits.value.core(),
	})
}

func (a *API) updateUser(ctx context.Context, id uuid.UUID, patch store.UserPatch) (*Answer[User], error) {
	updated, err := a.Store.UpdateUser(ctx, scopeOf(ctx), id, patch)
	if err != nil {
		return nil, err
	}
	return a.showUser(ctx, &updated)
}

func (a *API) showUser(ctx context.Context, u *tenant.User) (*Answer[User], error) {
	found, err := a.standing(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	return answer(userOf(u, found)), nil
}
