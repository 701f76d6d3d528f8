package manifest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// allTenants applies the tenants with their users and tokens.
func (a *applier) allTenants(ctx context.Context) error {
	for i := range a.manifest.Tenants {
		want := &a.manifest.Tenants[i]
		t, err := a.tenant(ctx, want)
		if err != nil {
			return a.at(err, "tenants[%d]", i)
		}
		for j := range want.Users {
			if err := a.user(ctx, t, &want.Users[j]); err != nil {
				return a.at(err, "tenants[%d].users[%d]", i, j)
			}
		}
	}
	return nil
}

// tenant creates the tenant with its quota, or changes the name and settings of an existing one. It never changes the
// quota of an existing tenant: grants are recorded in its ledger.
func (a *applier) tenant(ctx context.Context, want *Tenant) (tenant.Tenant, error) {
	t, err := a.store.Identity.TenantBySlug(ctx, a.scope, want.Slug)
	if problem.Is(err, problem.NotFound) {
		return a.makeTenant(ctx, want)
	}
	if err != nil {
		return t, err
	}
	patch := identity.TenantPatch{
		Name: differs(&want.Name, t.Name), Status: differs(want.Status, t.Status),
		QuotaMode: differs(want.QuotaMode, t.QuotaMode), OutputCap: differs(want.OutputCap, t.OutputCap),
		IncludeQuota:  differs(want.IncludeQuota, t.IncludeQuota),
		IgnoredFields: differs(want.IgnoredFields, t.IgnoredFields),
	}
	if want.MetadataTags != nil {
		tags := strings.Join(want.MetadataTags, ",")
		patch.MetadataTags = differs(&tags, t.MetadataTags)
	}
	if patch.Caps, err = a.caps(ctx, t.ID, want.Caps); err != nil || patch == (identity.TenantPatch{}) {
		return t, err
	}
	t, err = a.store.Identity.UpdateTenant(ctx, a.scope, t.ID, patch)
	return t, a.record(changed("tenant", want.Slug), err)
}

// makeTenant creates a tenant. The store creates tenants enabled, so a declared status needs a second step.
func (a *applier) makeTenant(ctx context.Context, want *Tenant) (tenant.Tenant, error) {
	t, err := a.store.Identity.CreateTenant(ctx, a.scope, identity.NewTenant{
		Slug: want.Slug, Name: want.Name, Quota: want.Quota, Caps: want.Caps,
		QuotaMode: or(want.QuotaMode, tenant.QuotaHard), OutputCap: or(want.OutputCap, tenant.OutputCapAuto),
		IgnoredFields: or(want.IgnoredFields, tenant.ReportIgnored),
		IncludeQuota:  or(want.IncludeQuota, false), MetadataTags: strings.Join(want.MetadataTags, ","),
	})
	if status := differs(want.Status, t.Status); err == nil && status != nil {
		t, err = a.store.Identity.UpdateTenant(ctx, a.scope, t.ID, identity.TenantPatch{Status: status})
	}
	return t, a.record(created("tenant", want.Slug), err)
}

// user creates or changes a user and then the user's tokens. A user of the tenant is changed even if it only claims
// the address, as an invited one does, but for its role and group, see opensToAdmins. Otherwise, user returns a
// Conflict problem if the address is proven by a user of another tenant or by an operator.
func (a *applier) user(ctx context.Context, t tenant.Tenant, want *User) error {
	user, err := a.find(ctx, t.ID, want.Email)
	switch {
	case problem.Is(err, problem.NotFound), err == nil && user.TenantID != t.ID && identity.Yields(user.Proof):
		user, err = a.makeUser(ctx, want.Password, identity.NewUser{
			TenantID: t.ID, Email: want.Email, Role: want.Role, GroupID: a.groups[want.Group].ID, Cap: want.Quota,
			Caps:   want.Caps,
			Limits: newLimits(want.Limits),
		})
	case err == nil && user.TenantID != t.ID:
		err = problem.New(problem.Conflict, "the e-mail address belongs to a user outside this tenant").At("email")
	case err == nil:
		err = a.patchUser(ctx, user, want)
	}
	if err != nil {
		return err
	}
	return a.tokens(ctx, t, user, want.Tokens)
}

// find returns the user of the tenant with the address, otherwise the user outside the tenant who can sign in with it.
// uuid.Nil stands for the operators.
func (a *applier) find(ctx context.Context, tenantID uuid.UUID, address string) (tenant.User, error) {
	user, err := a.store.Identity.UserOfTenant(ctx, a.program, tenantID, address)
	if problem.Is(err, problem.NotFound) {
		return a.store.Identity.UserByEmail(ctx, a.program, address)
	}
	return user, err
}

// makeUser creates a user or an operator. An empty password means that the user has none.
func (a *applier) makeUser(ctx context.Context, password string, n identity.NewUser) (tenant.User, error) {
	if password != "" {
		var err error
		if n.PasswordHash, err = seal.HashPassword(password, seal.PasswordCost{}); err != nil {
			return tenant.User{}, err
		}
	}
	thing := "user"
	if n.Role == tenant.Operator {
		thing = "operator"
	}
	user, err := a.store.Identity.CreateUser(ctx, permission.ByProgram(a.program, a.scope), n)
	return user, a.record(created(thing, n.Email), err)
}

// patchUser changes an existing user where it differs. It never changes the password.
func (a *applier) patchUser(ctx context.Context, user tenant.User, want *User) error {
	groupID := a.groups[want.Group].ID
	patch := identity.UserPatch{Role: differs(&want.Role, user.Role), GroupID: differs(&groupID, user.GroupID),
		Limits: want.Limits.Diff(user.Limits)}
	var err error
	if patch.Role != nil || patch.GroupID != nil {
		opens, err := a.opensToAdmins(ctx, user)
		if err != nil {
			return err
		}
		if opens {
			a.warn("a person of the tenant made the account of %s and may be able to sign in to it, so it keeps its "+
				"role and group: reset its factors, revoke its access keys, send the user a link for a new password, "+
				"and apply the manifest again", user.Email)
			patch.Role, patch.GroupID = nil, nil
		}
	}
	if patch.Cap, err = a.cap(ctx, user.ID, want.Quota); err != nil {
		return err
	}
	if patch.Caps, err = a.caps(ctx, user.ID, want.Caps); err != nil {
		return err
	}
	if patch == (identity.UserPatch{}) {
		return nil
	}
	_, err = a.store.Identity.UpdateUser(ctx, permission.ByProgram(a.program, a.scope), user.ID, patch)
	return a.record(changed("user", user.Email), err)
}

// opensToAdmins reports whether an admin of the tenant may be able to sign in as the user, who must then not get
// another role or group: the admin chose the password, or handed over the link and so can open it. Accounts that a
// manifest or an operator made are vouched for, and nobody can sign in to one that only claims its address.
func (a *applier) opensToAdmins(ctx context.Context, user tenant.User) (bool, error) {
	if !identity.Yields(user.Proof) {
		return false, nil
	}
	owner, err := a.store.Identity.UserByEmail(ctx, a.program, user.Email)
	if problem.Is(err, problem.NotFound) {
		return false, nil
	}
	return owner.ID == user.ID, err
}

// cap returns the change that gives the account the wanted lifetime limit. It returns nil if want is nil or if the
// account already has that limit.
func (a *applier) cap(ctx context.Context, accountID uuid.UUID, want *money.Amount) (*quotadb.Cap, error) {
	if want == nil {
		return nil, nil
	}
	account, err := a.store.Quota.Account(ctx, a.scope, accountID)
	if err != nil || account.Granted != nil && *account.Granted == *want {
		return nil, err
	}
	return &quotadb.Cap{Amount: want}, nil
}

// caps returns the change that gives the owner the wanted budgets. Budgets that the file omits stay as they are.
func (a *applier) caps(ctx context.Context, owner uuid.UUID, want quota.Caps) (patch quotadb.CapsPatch, err error) {
	if want == (quota.Caps{}) {
		return patch, nil
	}
	byOwner, err := a.store.Quota.Caps(ctx, a.scope, []uuid.UUID{owner})
	current := byOwner[owner]
	change := func(want, current *money.Amount) *quotadb.Cap {
		if want == nil || current != nil && *current == *want {
			return nil
		}
		return &quotadb.Cap{Amount: want}
	}
	return quotadb.CapsPatch{Day: change(want.Day, current.Day), Week: change(want.Week, current.Week),
		Month: change(want.Month, current.Month)}, err
}

// tokens creates or changes the tokens of a user.
func (a *applier) tokens(ctx context.Context, t tenant.Tenant, user tenant.User, want []Token) error {
	if len(want) == 0 {
		return nil
	}
	// An empty patch locks the user: an import at the same time must not create the same tokens.
	if _, err := a.store.Identity.UpdateUser(ctx, permission.ByProgram(a.program, a.scope), user.ID,
		identity.UserPatch{}); err != nil {
		return err
	}
	existing, err := storepage.All(func(page storepage.Page) (storepage.List[token.Token], error) {
		return a.store.Token.Tokens(ctx, a.scope,
			tokendb.Query{TenantID: t.ID, UserID: user.ID, Revoked: true, Page: page})
	})
	if err != nil {
		return err
	}
	for i := range want {
		if current := named(existing, want[i].Name); current == nil {
			err = a.makeToken(ctx, t, user, &want[i])
		} else {
			err = a.token(ctx, *current, &want[i])
		}
		if err != nil {
			return fmt.Errorf("tokens[%d]: %w", i, err)
		}
	}
	return nil
}

// named returns the token with the name: the newest one that is not revoked, otherwise a revoked one, nil if there is
// none.
func named(tokens []token.Token, name string) (found *token.Token) {
	for i := range tokens {
		switch current := &tokens[i]; {
		case current.Name != name:
		case current.Status != token.Revoked:
			return current
		case found == nil:
			found = current
		}
	}
	return found
}

// makeToken creates a token with the declared value, or with a generated one that it adds to the result.
func (a *applier) makeToken(ctx context.Context, t tenant.Tenant, user tenant.User, want *Token) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	value := want.Value
	if value == "" {
		value = token.New(id)
	}
	pepper := a.sealer.Peppers().Current
	_, err = a.store.Token.CreateToken(ctx, a.scope, tokendb.NewToken{
		Token: token.Token{
			ID: id, TenantID: t.ID, UserID: user.ID, Name: want.Name, Mask: token.Mask(value), Models: want.Models,
			Addresses: want.Addresses, Status: tokenStatus(want.Status, token.Enabled),
			ExpiresAt: or(want.ExpiresAt, time.Time{}),
			Limits:    newLimits(want.Limits),
		},
		Hash: token.HashOf(pepper.Key, value), PepperID: pepper.ID, Cap: want.Quota, Caps: want.Caps,
	})
	if err := a.record(created("token", user.Email+": "+want.Name), err); err != nil {
		return err
	}
	if want.Value == "" {
		a.applied.Tokens = append(a.applied.Tokens,
			CreatedToken{Tenant: t.Slug, User: user.Email, Name: want.Name, Value: value})
	}
	return nil
}

// token changes an existing token where it differs. The value never changes, and a revoked token stays revoked; Apply
// warns if the manifest declares otherwise.
func (a *applier) token(ctx context.Context, current token.Token, want *Token) error {
	if current.Status == token.Revoked {
		a.warn("the token %q is revoked and is not created again", want.Name)
		return nil
	}
	if err := a.sameValue(ctx, current, want); err != nil {
		return err
	}
	patch := tokendb.Patch{Limits: want.Limits.Diff(current.Limits)}
	if want.Models != nil && !slices.Equal(current.Models, want.Models) {
		patch.Models = &want.Models
	}
	if want.Addresses != nil && !slices.Equal(current.Addresses, want.Addresses) {
		addresses := make([]string, len(want.Addresses))
		for i, network := range want.Addresses {
			addresses[i] = network.String()
		}
		patch.Addresses = &addresses
	}
	if want.ExpiresAt != nil && !want.ExpiresAt.Equal(current.ExpiresAt) {
		patch.ExpiresAt = want.ExpiresAt
	}
	if status := tokenStatus(want.Status, current.Status); status != current.Status {
		patch.Status = &status
	}
	var err error
	if patch.Cap, err = a.cap(ctx, current.ID, want.Quota); err != nil {
		return err
	}
	if patch.Caps, err = a.caps(ctx, current.ID, want.Caps); err != nil {
		return err
	}
	if patch == (tokendb.Patch{}) {
		return nil
	}
	_, err = a.store.Token.UpdateToken(ctx, a.scope, current.ID, patch)
	return a.record(changed("token", want.Name), err)
}

// tokenStatus returns the declared status of a token, or otherwise if the file omits it.
func tokenStatus(want *tenant.Status, otherwise token.Status) token.Status {
	switch or(want, "") {
	case tenant.Enabled:
		return token.Enabled
	case tenant.Disabled:
		return token.Disabled
	}
	return otherwise
}

// sameValue adds a warning if the manifest declares a value that is not the value of the existing token. Only hashes
// are stored, so it looks for a token with the hash of the declared value, under both peppers during a rotation of the
// secret key.
func (a *applier) sameValue(ctx context.Context, current token.Token, want *Token) error {
	if want.Value == "" {
		return nil
	}
	peppers := a.sealer.Peppers()
	caller, err := a.store.Token.Caller(ctx, a.program, token.HashOf(peppers.Current.Key, want.Value))
	if problem.Is(err, problem.NotFound) && peppers.Rotating() {
		caller, err = a.store.Token.Caller(ctx, a.program, token.HashOf(peppers.Other.Key, want.Value))
	}
	if err != nil && !problem.Is(err, problem.NotFound) {
		return err
	}
	if err != nil || caller.Token.ID != current.ID {
		a.warn("the token %q keeps its value, which differs from the declared one: rename the token to create a "+
			"new one", want.Name)
	}
	return nil
}

// warn adds a warning to the result.
func (a *applier) warn(format string, args ...any) {
	a.applied.Warnings = append(a.applied.Warnings, fmt.Sprintf(format, args...))
}

// allOperators creates the operators that do not exist. It does not change existing ones.
func (a *applier) allOperators(ctx context.Context) error {
	for i, want := range a.manifest.Operators {
		user, err := a.find(ctx, uuid.Nil, want.Email)
		switch {
		case problem.Is(err, problem.NotFound), err == nil && user.Role != tenant.Operator &&
			identity.Yields(user.Proof):
			_, err = a.makeUser(ctx, want.Password, identity.NewUser{Email: want.Email, Role: tenant.Operator})
		case err == nil && user.Role != tenant.Operator:
			err = problem.New(problem.Conflict, "the e-mail address belongs to a user of a tenant").At("email")
		}
		if err != nil {
			return a.at(err, "operators[%d]", i)
		}
	}
	return nil
}
