package identity_test

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// allowed is the expected kind of a call that succeeds.
const allowed = problem.Kind(255)

func TestCreateUser_ObeysRoles(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		operator := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		asOperator := tenant.ScopeOf(operator)
		mine, theirs := f.Tenant.ID, other.Tenant.ID
		cases := []struct {
			name  string
			scope tenant.Scope
			user  identity.NewUser
			want  problem.Kind
			param string
		}{
			{"an owner makes an owner", f.AsOwner, identity.NewUser{TenantID: mine, Role: tenant.Owner}, allowed, ""},
			{"an admin makes an admin", f.AsAdmin, identity.NewUser{TenantID: mine, Role: tenant.Admin}, allowed, ""},
			{"an admin makes an owner", f.AsAdmin, identity.NewUser{TenantID: mine, Role: tenant.Owner},
				problem.Forbidden, "role"},
			{"an owner makes an operator", f.AsOwner, identity.NewUser{Role: tenant.Operator}, problem.Forbidden, ""},
			{"an operator makes an operator", asOperator, identity.NewUser{Role: tenant.Operator}, allowed, ""},
			{"an operator in a tenant", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Operator},
				problem.InvalidType, "role"},
			{"a member makes a member", f.AsMember, identity.NewUser{TenantID: mine, Role: tenant.Member},
				problem.Forbidden, ""},
			{"the empty scope makes a member", tenant.Scope{}, identity.NewUser{TenantID: mine, Role: tenant.Member},
				problem.Forbidden, ""},
			{"in another tenant", f.AsOwner, identity.NewUser{TenantID: theirs, Role: tenant.Member},
				problem.NotFound, ""},
			{"in an unknown tenant", asOperator, identity.NewUser{TenantID: storetest.NewID(), Role: tenant.Member,
				GroupID: f.Group.ID}, problem.NotFound, ""},
			{"without a role", f.AsOwner, identity.NewUser{TenantID: mine}, problem.InvalidType, "role"},
			{"in the own group", f.AsOwner, identity.NewUser{TenantID: mine, Role: tenant.Member, GroupID: f.Group.ID},
				allowed, ""},
			{"in another group", f.AsOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				GroupID: other.Group.ID}, problem.InvalidType, "group_id"},
			{"in an unknown group", f.AsOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				GroupID: storetest.NewID()}, problem.InvalidType, "group_id"},
			{"by an operator in any group", asOperator,
				identity.NewUser{TenantID: mine, Role: tenant.Member, GroupID: other.Group.ID}, allowed, ""},
			{"by an operator without a group", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Member},
				problem.InvalidType, "group_id"},
			{"by an operator in an unknown group", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Member,
				GroupID: storetest.NewID()}, problem.InvalidType, "group_id"},
			{"with a negative cap", f.AsOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				Cap: new(money.Amount(-1))}, problem.InvalidType, "quota"},
			{"by an operator with a taken address", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Member,
				GroupID: f.Group.ID, Email: "MEMBER@beta.example"}, problem.Conflict, "email"},
			{"with an address of the same tenant", f.AsOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				Email: f.Member.Email}, problem.Conflict, "email"},
			{"with an address of another tenant", f.AsOwner,
				identity.NewUser{TenantID: mine, Role: tenant.Member, Email: "member@beta.example"}, allowed, ""},
			{"with the same address again", f.AsOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				Email: "Member@beta.example"}, problem.Conflict, "email"},
			{"with an invalid address", f.AsOwner,
				identity.NewUser{TenantID: mine, Role: tenant.Member, Email: "nobody"}, problem.InvalidType, "email"},
		}
		for _, c := range cases {
			if c.user.Email == "" {
				c.user.Email = storetest.NewID().String() + "@x.example"
			}
			made, err := s.Identity.CreateUser(background, storetest.Confirmed(c.scope), c.user)
			if c.want != allowed {
				t.Run(c.name, func(t *testing.T) { storetest.Refuses(t, err, c.want, c.param) })
				continue
			}
			if err != nil {
				t.Errorf("%s: got error %v, want none", c.name, err)
				continue
			}
			stored := storetest.Need(s.Identity.User(background, platform, made.ID))(t)
			storetest.Equal(t, c.name, stored, made)
			storetest.Need(s.Quota.Account(background, platform, made.ID))(t)
		}
	})
}

func TestUpdateUser_ObeysRoles(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		operator := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		limit := &quotadb.Cap{Amount: new(money.USD)}
		cases := []struct {
			name  string
			scope tenant.Scope
			id    uuid.UUID
			patch identity.UserPatch
			want  problem.Kind
			param string
		}{
			{"admin caps member", f.AsAdmin, f.Member.ID, identity.UserPatch{Cap: limit}, allowed, ""},
			{"admin promotes member to admin", f.AsAdmin, f.Member.ID, identity.UserPatch{Role: new(tenant.Admin)},
				allowed, ""},
			{"admin promotes the own account", f.AsAdmin, f.Admin.ID, identity.UserPatch{Role: new(tenant.Owner)},
				problem.Forbidden, "role"},
			{"admin demotes owner", f.AsAdmin, f.Owner.ID, identity.UserPatch{Role: new(tenant.Member)},
				problem.Forbidden, ""},
			{"admin changes the owner's password", f.AsAdmin, f.Owner.ID, identity.UserPatch{PasswordHash: new("x")},
				problem.Forbidden, ""},
			{"admin caps owner", f.AsAdmin, f.Owner.ID, identity.UserPatch{Cap: limit}, problem.Forbidden, ""},
			{"owner demotes the last owner", f.AsOwner, f.Owner.ID, identity.UserPatch{Role: new(tenant.Member)},
				problem.Conflict, ""},
			{"owner disables the last owner", f.AsOwner, f.Owner.ID, identity.UserPatch{Status: new(tenant.Disabled)},
				problem.Conflict, ""},
			{"platform demotes the last owner", platform, f.Owner.ID, identity.UserPatch{Role: new(tenant.Admin)},
				problem.Conflict, ""},
			{"platform disables the last operator", platform, operator.ID,
				identity.UserPatch{Status: new(tenant.Disabled)}, problem.Conflict, ""},
			{"platform makes an owner an operator", platform, f.Owner.ID,
				identity.UserPatch{Role: new(tenant.Operator)}, problem.InvalidType, "role"},
			{"platform makes an operator an owner", platform, operator.ID, identity.UserPatch{Role: new(tenant.Owner)},
				problem.InvalidType, "role"},
			{"owner changes a group", f.AsOwner, f.Member.ID, identity.UserPatch{GroupID: &other.Group.ID},
				problem.Forbidden, "group_id"},
			{"platform changes a group", platform, f.Member.ID, identity.UserPatch{GroupID: &other.Group.ID}, allowed,
				""},
			{"platform chooses an unknown group", platform, f.Member.ID,
				identity.UserPatch{GroupID: new(storetest.NewID())}, problem.InvalidType, "group_id"},
			{"platform groups an operator", platform, operator.ID, identity.UserPatch{GroupID: &f.Group.ID},
				problem.InvalidType, "group_id"},
			{"member changes the own password", f.AsMember, f.Member.ID, identity.UserPatch{PasswordHash: new("new")},
				allowed, ""},
			{"member changes another's password", f.AsMember, f.Admin.ID, identity.UserPatch{PasswordHash: new("new")},
				problem.Forbidden, ""},
			{"member removes the own cap", f.AsMember, f.Member.ID, identity.UserPatch{Cap: &quotadb.Cap{}},
				problem.Forbidden, ""},
			{"member changes password and role", f.AsMember, f.Member.ID,
				identity.UserPatch{PasswordHash: new("x"), Role: new(tenant.Owner)}, problem.Forbidden, ""},
			{"owner changes an operator", f.AsOwner, operator.ID, identity.UserPatch{Status: new(tenant.Disabled)},
				problem.NotFound, ""},
			{"owner changes another tenant's user", f.AsOwner, other.Member.ID,
				identity.UserPatch{Status: new(tenant.Disabled)}, problem.NotFound, ""},
			{"owner changes an unknown user", f.AsOwner, storetest.NewID(), identity.UserPatch{}, problem.NotFound, ""},
			{"unknown status", f.AsOwner, f.Member.ID, identity.UserPatch{Status: new(tenant.Status("x"))},
				problem.InvalidType, "status"},
			{"unknown role", f.AsOwner, f.Member.ID, identity.UserPatch{Role: new(tenant.Role("x"))},
				problem.InvalidType, "role"},
			{"negative cap", f.AsOwner, f.Member.ID,
				identity.UserPatch{Cap: &quotadb.Cap{Amount: new(money.Amount(-1))}}, problem.InvalidType, "quota"},
		}
		for _, c := range cases {
			before, _ := s.Identity.User(background, platform, c.id)
			changed, err := s.Identity.UpdateUser(background, storetest.Confirmed(c.scope), c.id, c.patch)
			after, _ := s.Identity.User(background, platform, c.id)
			if c.want == allowed {
				storetest.OK(t, err)
				storetest.Equal(t, c.name, changed, after)
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				storetest.Refuses(t, err, c.want, c.param)
				storetest.Equal(t, "user after the refused change", after, before)
			})
		}
		storetest.Equal(t, "cap", *storetest.Need(s.Quota.Account(background, f.AsOwner, f.Member.ID))(t).Granted,
			money.USD)
	})
}

// Two owners are disabled concurrently. One change is refused.
func TestUpdateUser_KeepsOneOwnerUnderConcurrency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for range 5 {
			f := storetest.NewCustomer(t, s, "acme-"+storetest.NewID().String())
			storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Admin.ID,
				identity.UserPatch{Role: new(tenant.Owner)}))(t)
			var wg sync.WaitGroup
			errs := make([]error, 2)
			for i, id := range []uuid.UUID{f.Owner.ID, f.Admin.ID} {
				wg.Go(func() {
					_, errs[i] = s.Identity.UpdateUser(background, storetest.Confirmed(platform), id,
						identity.UserPatch{Status: new(tenant.Disabled)})
				})
			}
			wg.Wait()
			if (errs[0] == nil) == (errs[1] == nil) || !problem.Is(first(errs...), problem.Conflict) {
				t.Errorf("got errors %v and %v, want one Conflict", errs[0], errs[1])
			}
		}
	})
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// An owner who can sign in must stay: the invitation of another one may never be accepted.
func TestUpdateUser_LeavesAnOwnerWhoCanSignIn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		waiting := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(f.AsOwner), identity.NewUser{
			TenantID: f.Tenant.ID, Email: "next@acme.example", Role: tenant.Owner, Claim: true}))(t)
		change := func(id uuid.UUID, patch identity.UserPatch) error {
			return storetest.ErrorOf(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), id, patch))
		}
		leave := identity.UserPatch{Role: new(tenant.Admin)}
		storetest.Refuses(t, change(f.Owner.ID, leave), problem.Conflict, "")
		storetest.OK(t, change(waiting.ID, identity.UserPatch{Status: new(tenant.Disabled)}))
		storetest.OK(t, change(waiting.ID, identity.UserPatch{Status: new(tenant.Enabled)}))
		storetest.Refuses(t, change(f.Owner.ID, leave), problem.Conflict, "")

		// The issuer of the tenant signs the person in, without a proof of the address.
		storetest.OK(t, s.Signin.LinkIdentity(background, platform, signin.Identity{UserID: waiting.ID,
			Issuer: "https://issuer.example", OfTenant: true, Subject: "1"}))
		storetest.OK(t, change(f.Owner.ID, leave))
	})
}

func TestSession_EndsWithPasswordRoleStatusOrExpiry(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		soon := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		password := "old"
		open := func(until time.Time) [32]byte {
			h := storetest.Hash(storetest.NewID())
			storetest.OK(t, s.Signin.CreateSession(background, platform,
				signin.NewSession{UserID: f.Member.ID, PasswordHash: password, Hash: h, ExpiresAt: until}))
			return h
		}
		live := open(soon)
		got := storetest.Need(s.Signin.Session(background, platform, live))(t)
		storetest.Equal(t, "session", got, signin.Session{
			ID: got.ID, User: f.Member, Tenant: f.Tenant, Means: signin.ByPassword, CreatedAt: got.CreatedAt,
			LastSeen: got.CreatedAt, ExpiresAt: soon, ConfirmedAt: got.CreatedAt,
		})
		wantGone := func(what string, h [32]byte) {
			t.Helper()
			_, err := s.Signin.Session(background, platform, h)
			if !problem.Is(err, problem.NotFound) {
				t.Errorf("%s: got error %v, want NotFound", what, err)
			}
		}
		wantGone("unknown", storetest.Hash(storetest.NewID()))
		wantGone("expired", open(time.Now().Add(-time.Second)))
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Need(s.Signin.Session(background, platform, live))(t)
		storetest.OK(t, s.Signin.DeleteSession(background, platform, live))
		storetest.OK(t, s.Signin.DeleteSession(background, platform, live))
		wantGone("deleted", live)
		for what, patch := range map[string]identity.UserPatch{
			"password": {PasswordHash: new("new")}, "role": {Role: new(tenant.Admin)},
			"status": {Status: new(tenant.Disabled)},
		} {
			h := open(soon)
			storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID, patch))(t)
			wantGone(what+" changed", h)
			if patch.PasswordHash != nil {
				password = *patch.PasswordHash
			}
		}
		wantGone("user disabled", open(soon))
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
			identity.UserPatch{Status: new(tenant.Enabled)}))(t)
		h := open(soon)
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
			identity.UserPatch{Cap: &quotadb.Cap{}}))(t)
		storetest.Need(s.Signin.Session(background, platform, h))(t)
		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{Status: new(tenant.Disabled)}))(t)
		wantGone("tenant disabled", h)
		operator := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		storetest.OK(t, s.Signin.CreateSession(background, platform,
			signin.NewSession{UserID: operator.ID, Hash: storetest.Hash(operator.ID), ExpiresAt: soon}))
		storetest.Equal(t, "tenant of an operator's session",
			storetest.Need(s.Signin.Session(background, platform, storetest.Hash(operator.ID)))(t).Tenant,
			tenant.Tenant{})
		err := s.Signin.CreateSession(background, platform,
			signin.NewSession{UserID: storetest.NewID(), Hash: storetest.Hash(storetest.NewID()), ExpiresAt: soon})
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

// A sign-in that checked the old password and a change of the password run concurrently. No session survives
// the change.
func TestCreateSession_RefusesAnOldPasswordUnderConcurrency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		n := signin.NewSession{UserID: f.Member.ID, PasswordHash: "old", ExpiresAt: time.Now().Add(time.Hour)}
		for round := range 20 {
			changed := fmt.Sprintf("password %d", round)
			n.Hash = storetest.Hash(storetest.NewID())
			var wg sync.WaitGroup
			var opened, reset error
			wg.Go(func() { opened = s.Signin.CreateSession(background, platform, n) })
			wg.Go(func() {
				_, reset = s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
					identity.UserPatch{PasswordHash: &changed})
			})
			wg.Wait()
			storetest.OK(t, reset)
			if opened != nil {
				storetest.Refuses(t, opened, problem.Unauthenticated, "")
			}
			_, err := s.Signin.Session(background, platform, n.Hash)
			storetest.Refuses(t, err, problem.NotFound, "")
			storetest.Refuses(t, s.Signin.CreateSession(background, platform, n), problem.Unauthenticated, "")
			n.PasswordHash = changed
		}
		storetest.OK(t, s.Signin.CreateSession(background, platform, n))
		storetest.Need(s.Signin.Session(background, platform, n.Hash))(t)
	})
}

func TestSetLanguage_ChangesOnlyTheUserOfTheScope(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		operator := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		for _, row := range []struct {
			scope    tenant.Scope
			language language.Tag
			want     problem.Kind
		}{
			{f.AsMember, language.SimplifiedChinese, allowed},
			{f.AsMember, "fr", problem.InvalidType},
			{f.AsMember, "", problem.InvalidType},
			{tenant.ScopeOf(operator), language.English, allowed},
			{platform, language.English, problem.Forbidden},
			{tenant.Scope{}, language.English, problem.Forbidden},
		} {
			err := s.Identity.SetLanguage(background, row.scope, row.language)
			if (row.want == allowed) != (err == nil) || (err != nil && !problem.Is(err, row.want)) {
				t.Errorf("set %q: got %v, want %v", row.language, err, row.want)
			}
		}
		for id, want := range map[uuid.UUID]language.Tag{f.Member.ID: language.SimplifiedChinese, f.Owner.ID: "",
			operator.ID: language.English} {
			if got := storetest.Need(s.Identity.User(background, platform, id))(t).Language; got != want {
				t.Errorf("user %s: got the language %q, want %q", id, got, want)
			}
		}
	})
}

func TestUserByEmail_IgnoresCase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		user := storetest.Need(s.Identity.UserByEmail(background, platform, "Member@ACME.example"))(t)
		storetest.Equal(t, "user", user, f.Member)
		_, err := s.Identity.UserByEmail(background, platform, "nobody@acme.example\x00")
		storetest.Refuses(t, err, problem.NotFound, "")
		user, password, err := s.Identity.UserWithPassword(background, platform, "Member@ACME.example")
		storetest.OK(t, err)
		storetest.Equal(t, "user with the password", user, f.Member)
		storetest.Equal(t, "password", password, "old")
		_, _, err = s.Identity.UserWithPassword(background, platform, "nobody@acme.example\x00")
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

func TestUserByEmail_DoesNotFindAClaim(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		claimed := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(tenant.ScopeOf(other.Owner)),
			identity.NewUser{
				TenantID: other.Tenant.ID, Email: f.Owner.Email, PasswordHash: "guessed", Role: tenant.Member,
			}))(t)
		storetest.Equal(t, "address of the claim", claimed.Email, f.Owner.Email)
		storetest.Equal(t, "user",
			storetest.Need(s.Identity.UserByEmail(background, platform, f.Owner.Email))(t).ID, f.Owner.ID)
		found, password, err := s.Identity.UserWithPassword(background, platform, f.Owner.Email)
		storetest.OK(t, err)
		storetest.Equal(t, "user with the password", found.ID, f.Owner.ID)
		storetest.Equal(t, "password", password, "old")
		storetest.OK(t, s.Signin.CreateSession(background, platform, signin.NewSession{
			UserID: claimed.ID, PasswordHash: "guessed", Hash: [32]byte{1},
			Client: signin.Client{Address: netip.MustParseAddr("192.0.2.1")}, ExpiresAt: time.Now().Add(time.Hour),
		}))
		storetest.Equal(t, "addresses of the sessions of the owner",
			len(storetest.Need(s.Signin.SessionAddresses(background, platform, f.Owner.Email))(t)), 0)
	})
}
