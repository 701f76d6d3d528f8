package store_test

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
	"github.com/tollgate/tollgate/libs/store/person"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// allowed is the expected kind of a call that succeeds.
const allowed = problem.Kind(255)

func TestCreateUser_ObeysRoles(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		operator := need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		asOperator := tenant.ScopeOf(operator)
		mine, theirs := f.tenant.ID, other.tenant.ID
		cases := []struct {
			name  string
			scope tenant.Scope
			user  identity.NewUser
			want  problem.Kind
			param string
		}{
			{"an owner makes an owner", f.asOwner, identity.NewUser{TenantID: mine, Role: tenant.Owner}, allowed, ""},
			{"an admin makes an admin", f.asAdmin, identity.NewUser{TenantID: mine, Role: tenant.Admin}, allowed, ""},
			{"an admin makes an owner", f.asAdmin, identity.NewUser{TenantID: mine, Role: tenant.Owner},
				problem.Forbidden, "role"},
			{"an owner makes an operator", f.asOwner, identity.NewUser{Role: tenant.Operator}, problem.Forbidden, ""},
			{"an operator makes an operator", asOperator, identity.NewUser{Role: tenant.Operator}, allowed, ""},
			{"an operator in a tenant", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Operator},
				problem.InvalidType, "role"},
			{"a member makes a member", f.asMember, identity.NewUser{TenantID: mine, Role: tenant.Member},
				problem.Forbidden, ""},
			{"the empty scope makes a member", tenant.Scope{}, identity.NewUser{TenantID: mine, Role: tenant.Member},
				problem.Forbidden, ""},
			{"in another tenant", f.asOwner, identity.NewUser{TenantID: theirs, Role: tenant.Member},
				problem.NotFound, ""},
			{"in an unknown tenant", asOperator, identity.NewUser{TenantID: newID(), Role: tenant.Member,
				GroupID: f.group.ID}, problem.NotFound, ""},
			{"without a role", f.asOwner, identity.NewUser{TenantID: mine}, problem.InvalidType, "role"},
			{"in the own group", f.asOwner, identity.NewUser{TenantID: mine, Role: tenant.Member, GroupID: f.group.ID},
				allowed, ""},
			{"in another group", f.asOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				GroupID: other.group.ID}, problem.InvalidType, "group_id"},
			{"in an unknown group", f.asOwner, identity.NewUser{TenantID: mine, Role: tenant.Member, GroupID: newID()},
				problem.InvalidType, "group_id"},
			{"by an operator in any group", asOperator,
				identity.NewUser{TenantID: mine, Role: tenant.Member, GroupID: other.group.ID}, allowed, ""},
			{"by an operator without a group", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Member},
				problem.InvalidType, "group_id"},
			{"by an operator in an unknown group", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Member,
				GroupID: newID()}, problem.InvalidType, "group_id"},
			{"with a negative cap", f.asOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				Cap: to(money.Amount(-1))}, problem.InvalidType, "quota"},
			{"by an operator with a taken address", asOperator, identity.NewUser{TenantID: mine, Role: tenant.Member,
				GroupID: f.group.ID, Email: "MEMBER@beta.example"}, problem.Conflict, "email"},
			{"with an address of the same tenant", f.asOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				Email: f.member.Email}, problem.Conflict, "email"},
			{"with an address of another tenant", f.asOwner,
				identity.NewUser{TenantID: mine, Role: tenant.Member, Email: "member@beta.example"}, allowed, ""},
			{"with the same address again", f.asOwner, identity.NewUser{TenantID: mine, Role: tenant.Member,
				Email: "Member@beta.example"}, problem.Conflict, "email"},
			{"with an invalid address", f.asOwner,
				identity.NewUser{TenantID: mine, Role: tenant.Member, Email: "nobody"}, problem.InvalidType, "email"},
		}
		for _, c := range cases {
			if c.user.Email == "" {
				c.user.Email = newID().String() + "@x.example"
			}
			made, err := s.Identity.CreateUser(background, storetest.Confirmed(c.scope), c.user)
			if c.want != allowed {
				t.Run(c.name, func(t *testing.T) { refuses(t, err, c.want, c.param) })
				continue
			}
			if err != nil {
				t.Errorf("%s: got error %v, want none", c.name, err)
				continue
			}
			stored := need(s.Identity.User(background, platform, made.ID))(t)
			equal(t, c.name, stored, made)
			need(s.Quota.Account(background, platform, made.ID))(t)
		}
	})
}

func TestUpdateUser_ObeysRoles(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		operator := need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		limit := &quotadb.Cap{Amount: to(money.USD)}
		cases := []struct {
			name  string
			scope tenant.Scope
			id    uuid.UUID
			patch identity.UserPatch
			want  problem.Kind
			param string
		}{
			{"admin caps member", f.asAdmin, f.member.ID, identity.UserPatch{Cap: limit}, allowed, ""},
			{"admin promotes member to admin", f.asAdmin, f.member.ID, identity.UserPatch{Role: to(tenant.Admin)},
				allowed, ""},
			{"admin promotes the own account", f.asAdmin, f.admin.ID, identity.UserPatch{Role: to(tenant.Owner)},
				problem.Forbidden, "role"},
			{"admin demotes owner", f.asAdmin, f.owner.ID, identity.UserPatch{Role: to(tenant.Member)},
				problem.Forbidden, ""},
			{"admin changes the owner's password", f.asAdmin, f.owner.ID, identity.UserPatch{PasswordHash: to("x")},
				problem.Forbidden, ""},
			{"admin caps owner", f.asAdmin, f.owner.ID, identity.UserPatch{Cap: limit}, problem.Forbidden, ""},
			{"owner demotes the last owner", f.asOwner, f.owner.ID, identity.UserPatch{Role: to(tenant.Member)},
				problem.Conflict, ""},
			{"owner disables the last owner", f.asOwner, f.owner.ID, identity.UserPatch{Status: to(tenant.Disabled)},
				problem.Conflict, ""},
			{"platform demotes the last owner", platform, f.owner.ID, identity.UserPatch{Role: to(tenant.Admin)},
				problem.Conflict, ""},
			{"platform disables the last operator", platform, operator.ID,
				identity.UserPatch{Status: to(tenant.Disabled)}, problem.Conflict, ""},
			{"platform makes an owner an operator", platform, f.owner.ID, identity.UserPatch{Role: to(tenant.Operator)},
				problem.InvalidType, "role"},
			{"platform makes an operator an owner", platform, operator.ID, identity.UserPatch{Role: to(tenant.Owner)},
				problem.InvalidType, "role"},
			{"owner changes a group", f.asOwner, f.member.ID, identity.UserPatch{GroupID: &other.group.ID},
				problem.Forbidden, "group_id"},
			{"platform changes a group", platform, f.member.ID, identity.UserPatch{GroupID: &other.group.ID}, allowed,
				""},
			{"platform chooses an unknown group", platform, f.member.ID, identity.UserPatch{GroupID: to(newID())},
				problem.InvalidType, "group_id"},
			{"platform groups an operator", platform, operator.ID, identity.UserPatch{GroupID: &f.group.ID},
				problem.InvalidType, "group_id"},
			{"member changes the own password", f.asMember, f.member.ID, identity.UserPatch{PasswordHash: to("new")},
				allowed, ""},
			{"member changes another's password", f.asMember, f.admin.ID, identity.UserPatch{PasswordHash: to("new")},
				problem.Forbidden, ""},
			{"member removes the own cap", f.asMember, f.member.ID, identity.UserPatch{Cap: &quotadb.Cap{}},
				problem.Forbidden, ""},
			{"member changes password and role", f.asMember, f.member.ID,
				identity.UserPatch{PasswordHash: to("x"), Role: to(tenant.Owner)}, problem.Forbidden, ""},
			{"owner changes an operator", f.asOwner, operator.ID, identity.UserPatch{Status: to(tenant.Disabled)},
				problem.NotFound, ""},
			{"owner changes another tenant's user", f.asOwner, other.member.ID,
				identity.UserPatch{Status: to(tenant.Disabled)}, problem.NotFound, ""},
			{"owner changes an unknown user", f.asOwner, newID(), identity.UserPatch{}, problem.NotFound, ""},
			{"unknown status", f.asOwner, f.member.ID, identity.UserPatch{Status: to(tenant.Status("x"))},
				problem.InvalidType, "status"},
			{"unknown role", f.asOwner, f.member.ID, identity.UserPatch{Role: to(tenant.Role("x"))},
				problem.InvalidType, "role"},
			{"negative cap", f.asOwner, f.member.ID,
				identity.UserPatch{Cap: &quotadb.Cap{Amount: to(money.Amount(-1))}}, problem.InvalidType, "quota"},
		}
		for _, c := range cases {
			before, _ := s.Identity.User(background, platform, c.id)
			changed, err := s.Identity.UpdateUser(background, storetest.Confirmed(c.scope), c.id, c.patch)
			after, _ := s.Identity.User(background, platform, c.id)
			if c.want == allowed {
				ok(t, err)
				equal(t, c.name, changed, after)
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				refuses(t, err, c.want, c.param)
				equal(t, "user after the refused change", after, before)
			})
		}
		equal(t, "cap", *need(s.Quota.Account(background, f.asOwner, f.member.ID))(t).Granted, money.USD)
	})
}

// Two owners are disabled concurrently. One change is refused.
func TestUpdateUser_KeepsOneOwnerUnderConcurrency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for range 5 {
			f := newCustomer(t, s, "acme-"+newID().String())
			need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.admin.ID,
				identity.UserPatch{Role: to(tenant.Owner)}))(t)
			var wg sync.WaitGroup
			errs := make([]error, 2)
			for i, id := range []uuid.UUID{f.owner.ID, f.admin.ID} {
				wg.Go(func() {
					_, errs[i] = s.Identity.UpdateUser(background, storetest.Confirmed(platform), id,
						identity.UserPatch{Status: to(tenant.Disabled)})
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

func TestSession_EndsWithPasswordRoleStatusOrExpiry(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		soon := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		password := "old"
		open := func(until time.Time) [32]byte {
			h := hash(newID())
			ok(t, s.Signin.CreateSession(background, platform,
				signin.NewSession{UserID: f.member.ID, PasswordHash: password, Hash: h, ExpiresAt: until}))
			return h
		}
		live := open(soon)
		got := need(s.Signin.Session(background, platform, live))(t)
		equal(t, "session", got, signin.Session{
			ID: got.ID, User: f.member, Tenant: f.tenant, Means: signin.ByPassword, CreatedAt: got.CreatedAt,
			LastSeen: got.CreatedAt, ExpiresAt: soon, ConfirmedAt: got.CreatedAt,
		})
		wantGone := func(what string, h [32]byte) {
			t.Helper()
			_, err := s.Signin.Session(background, platform, h)
			if !problem.Is(err, problem.NotFound) {
				t.Errorf("%s: got error %v, want NotFound", what, err)
			}
		}
		wantGone("unknown", hash(newID()))
		wantGone("expired", open(time.Now().Add(-time.Second)))
		ok(t, s.Sweep(background, platform))
		need(s.Signin.Session(background, platform, live))(t)
		ok(t, s.Signin.DeleteSession(background, platform, live))
		ok(t, s.Signin.DeleteSession(background, platform, live))
		wantGone("deleted", live)
		for what, patch := range map[string]identity.UserPatch{
			"password": {PasswordHash: to("new")}, "role": {Role: to(tenant.Admin)},
			"status": {Status: to(tenant.Disabled)},
		} {
			h := open(soon)
			need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.member.ID, patch))(t)
			wantGone(what+" changed", h)
			if patch.PasswordHash != nil {
				password = *patch.PasswordHash
			}
		}
		wantGone("user disabled", open(soon))
		need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.member.ID,
			identity.UserPatch{Status: to(tenant.Enabled)}))(t)
		h := open(soon)
		need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.member.ID,
			identity.UserPatch{Cap: &quotadb.Cap{}}))(t)
		need(s.Signin.Session(background, platform, h))(t)
		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{Status: to(tenant.Disabled)}))(t)
		wantGone("tenant disabled", h)
		operator := need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		ok(t, s.Signin.CreateSession(background, platform,
			signin.NewSession{UserID: operator.ID, Hash: hash(operator.ID), ExpiresAt: soon}))
		equal(t, "tenant of an operator's session",
			need(s.Signin.Session(background, platform, hash(operator.ID)))(t).Tenant, tenant.Tenant{})
		err := s.Signin.CreateSession(background, platform,
			signin.NewSession{UserID: newID(), Hash: hash(newID()), ExpiresAt: soon})
		refuses(t, err, problem.NotFound, "")
	})
}

// A sign-in that checked the old password and a change of the password run concurrently. No session survives
// the change.
func TestCreateSession_RefusesAnOldPasswordUnderConcurrency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		n := signin.NewSession{UserID: f.member.ID, PasswordHash: "old", ExpiresAt: time.Now().Add(time.Hour)}
		for round := range 20 {
			changed := fmt.Sprintf("password %d", round)
			n.Hash = hash(newID())
			var wg sync.WaitGroup
			var opened, reset error
			wg.Go(func() { opened = s.Signin.CreateSession(background, platform, n) })
			wg.Go(func() {
				_, reset = s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.member.ID,
					identity.UserPatch{PasswordHash: &changed})
			})
			wg.Wait()
			ok(t, reset)
			if opened != nil {
				refuses(t, opened, problem.Unauthenticated, "")
			}
			_, err := s.Signin.Session(background, platform, n.Hash)
			refuses(t, err, problem.NotFound, "")
			refuses(t, s.Signin.CreateSession(background, platform, n), problem.Unauthenticated, "")
			n.PasswordHash = changed
		}
		ok(t, s.Signin.CreateSession(background, platform, n))
		need(s.Signin.Session(background, platform, n.Hash))(t)
	})
}

func TestSetLanguage_ChangesOnlyTheUserOfTheScope(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		operator := need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		for _, row := range []struct {
			scope    tenant.Scope
			language language.Tag
			want     problem.Kind
		}{
			{f.asMember, language.SimplifiedChinese, allowed},
			{f.asMember, "fr", problem.InvalidType},
			{f.asMember, "", problem.InvalidType},
			{tenant.ScopeOf(operator), language.English, allowed},
			{platform, language.English, problem.Forbidden},
			{tenant.Scope{}, language.English, problem.Forbidden},
		} {
			err := s.Identity.SetLanguage(background, row.scope, row.language)
			if (row.want == allowed) != (err == nil) || (err != nil && !problem.Is(err, row.want)) {
				t.Errorf("set %q: got %v, want %v", row.language, err, row.want)
			}
		}
		for id, want := range map[uuid.UUID]language.Tag{f.member.ID: language.SimplifiedChinese, f.owner.ID: "",
			operator.ID: language.English} {
			if got := need(s.Identity.User(background, platform, id))(t).Language; got != want {
				t.Errorf("user %s: got the language %q, want %q", id, got, want)
			}
		}
	})
}

func TestUserByEmail_IgnoresCase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		user := need(s.Identity.UserByEmail(background, platform, "Member@ACME.example"))(t)
		equal(t, "user", user, f.member)
		_, err := s.Identity.UserByEmail(background, platform, "nobody@acme.example\x00")
		refuses(t, err, problem.NotFound, "")
		user, password, err := s.Identity.UserWithPassword(background, platform, "Member@ACME.example")
		ok(t, err)
		equal(t, "user with the password", user, f.member)
		equal(t, "password", password, "old")
		_, _, err = s.Identity.UserWithPassword(background, platform, "nobody@acme.example\x00")
		refuses(t, err, problem.NotFound, "")
	})
}

func TestUserByEmail_DoesNotFindThePlaceholderOfAClaim(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "globex")
		claimed :=
			need(s.Identity.CreateUser(background, storetest.Confirmed(tenant.ScopeOf(other.owner)), identity.NewUser{
				TenantID: other.tenant.ID, Email: f.owner.Email, PasswordHash: "guessed", Role: tenant.Member,
			}))(t)
		equal(t, "address of the claim", claimed.Email, f.owner.Email)
		_, err := s.Identity.UserByEmail(background, platform, person.Placeholder(claimed.ID))
		refuses(t, err, problem.NotFound, "")
		_, _, err = s.Identity.UserWithPassword(background, platform, person.Placeholder(claimed.ID))
		refuses(t, err, problem.NotFound, "")
		ok(t, s.Signin.CreateSession(background, platform, signin.NewSession{
			UserID: claimed.ID, PasswordHash: "guessed", Hash: [32]byte{1},
			Client: signin.Client{Address: netip.MustParseAddr("192.0.2.1")}, ExpiresAt: time.Now().Add(time.Hour),
		}))
		equal(t, "addresses of the placeholder",
			len(need(s.Signin.SessionAddresses(background, platform, person.Placeholder(claimed.ID)))(t)), 0)
	})
}
