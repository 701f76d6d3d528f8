// Package resource holds the bodies and the operations that the packages tenant, operator and
// session of the console's API share: users, quota, budgets, rate limits, ledger entries and jobs.
//
// Each type has the JSON form that the API shows. A function XOf translates from the store's type; a
// type NewX is the part of a body that creates, and XPatch the part of a body that changes a resource.
package resource

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// User describes a user together with what the user may spend.
type User struct {
	ID        uuid.UUID  `json:"id"`
	TenantID  *uuid.UUID `json:"tenant_id" nullable:"true" doc:"null for operators"`
	Email     string     `json:"email"`
	Proven    bool       `json:"email_proven" doc:"Whether the address is known to belong to the person: by a mailed link, an issuer, an operator, or where mail is not configured a link that an inviter handed over"`
	Role      string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID   *uuid.UUID `json:"group_id" nullable:"true" doc:"null for operators"`
	Status    string     `json:"status" enum:"enabled,disabled"`
	CreatedAt time.Time  `json:"created_at"`
	Quota     Quota      `json:"quota"`
	Caps      Caps       `json:"caps"`
	Limits    Limits     `json:"limits" doc:"Rate limits for all tokens of the user together"`
}

// userOf returns the user as the API shows it, never with the password hash.
func userOf(u *tenant.User, s Spending) User {
	return User{
		ID: u.ID, TenantID: null.ID(u.TenantID), Email: u.Email, Proven: u.Proof != tenant.Unproven,
		Role: string(u.Role), GroupID: null.ID(u.GroupID),
		Status: string(u.Status), CreatedAt: u.CreatedAt.UTC(), Quota: s.Quota(), Caps: Caps(s.Caps),
		Limits: Limits(u.Limits),
	}
}

// Hasher hashes a new password for the user account. Requests of the same user wait for each other. It returns an
// InvalidType problem of the field param if the password is not acceptable, and an Overloaded problem if too many
// passwords are being hashed.
type Hasher interface {
	Hash(ctx context.Context, account string, password seal.NewPassword, param string) (string, error)
}

// Users implements the operations on users for both the members of a tenant and operators.
type Users struct {
	Store     *store.Store
	Passwords Hasher
}

// List returns a page of the users that match the filter.
func (u Users) List(ctx context.Context, scope tenant.Scope, filter identity.UserFilter,
	page storepage.Page) (*api.Answer[api.List[User]], error) {
	var answer *api.Answer[api.List[User]]
	err := u.Store.ReadAs(ctx, scope, func(s *store.Store) error {
		users, err := s.Identity.Users(ctx, scope, filter, page)
		if err != nil {
			return err
		}
		spendings, err := SpendingsOf(ctx, s, scope, users.Items, func(u *tenant.User) uuid.UUID { return u.ID })
		if err != nil {
			return err
		}
		answer = api.PageOf(users, func(u *tenant.User) User { return userOf(u, spendings[u.ID]) })
		return nil
	})
	return answer, err
}

// Create creates a user with the password and returns it. It hashes the password only after
// it has checked that the caller may create users, because hashing is expensive.
func (u Users) Create(ctx context.Context, actor permission.Confirmed, password string,
	n identity.NewUser) (*api.Answer[User], error) {
	if err := permission.Check(actor.Scope(), permission.WriteMembers); err != nil {
		return nil, err
	}
	if err := email.Check(n.Email); err != nil {
		return nil, err
	}
	hash, err := u.Passwords.Hash(ctx, api.CallerOf(ctx).User.ID.String(),
		seal.NewPassword{Text: password, Email: n.Email}, "password")
	if err != nil {
		return nil, err
	}
	n.PasswordHash = hash
	user, err := u.Store.Identity.CreateUser(ctx, actor, n)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(NewlyMade(&user, n)), nil
}

// NewlyMade returns a user who was just created as the API shows it.
func NewlyMade(user *tenant.User, n identity.NewUser) User {
	return userOf(user, Spending{quota.Account{ID: user.ID, Granted: n.Cap}, n.Caps})
}

// Update changes the user with the id and returns it.
func (u Users) Update(ctx context.Context, actor permission.Confirmed, id uuid.UUID,
	patch identity.UserPatch) (*api.Answer[User], error) {
	user, err := u.Store.Identity.UpdateUser(ctx, actor, id, patch)
	if err != nil {
		return nil, err
	}
	return u.Show(ctx, actor.Scope(), &user)
}

// Show returns the response with the user and what the user may spend.
func (u Users) Show(ctx context.Context, scope tenant.Scope, user *tenant.User) (*api.Answer[User], error) {
	spending, err := SpendingOf(ctx, u.Store, scope, user.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(userOf(user, spending)), nil
}

// CheckPlace checks that tenant and group are given for every role except operator, and not given
// for an operator, who has neither. It returns a problem of the field tenant_id or group_id.
func CheckPlace(role tenant.Role, tenantID, groupID *uuid.UUID) error {
	operator := role == tenant.Operator
	for _, field := range []struct {
		name string
		id   *uuid.UUID
	}{{"tenant_id", tenantID}, {"group_id", groupID}} {
		if operator && field.id != nil {
			return problem.New(problem.InvalidType,
				"Operators belong to no tenant and no group: leave this field out.").At(field.name)
		}
		if !operator && field.id == nil {
			return problem.Of(problem.MissingParameter).At(field.name)
		}
	}
	return nil
}
