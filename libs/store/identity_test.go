package store_test

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// invite invites a member to the customer's tenant. The hash of the link's secret is secretOf(email).
func invite(t *testing.T, s *store.Store, f *customer, email string) identity.Invitation {
	t.Helper()
	return need(s.Identity.CreateInvitation(background, storetest.Confirmed(f.asOwner), identity.NewInvitation{
		TenantID: f.tenant.ID, Email: email, Role: tenant.Member, Hash: secretOf(email),
		ExpiresAt: time.Now().Add(time.Hour),
	}))(t)
}

// secretOf returns the hash that the tests give to the secret of a link.
func secretOf(email string) (h [32]byte) {
	copy(h[:], email)
	return h
}

// makeKey creates an access key of the scope's user, see newKey.
func makeKey(t *testing.T, s *store.Store, scope tenant.Scope) token.AccessKey {
	t.Helper()
	return need(s.Token.CreateAccessKey(background, storetest.Confirmed(scope), newKey(token.ReadUsage)))(t)
}

func TestAcceptInvitation_CreatesOneUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		invited := invite(t, s, &f, "Ada@acme.example")
		open, home, err := s.Identity.Invited(background, platform, secretOf("Ada@acme.example"))
		ok(t, err)
		equal(t, "invitation", open, invited)
		equal(t, "group", open.GroupID, f.group.ID)
		equal(t, "tenant", home, f.tenant)

		var wg sync.WaitGroup
		users, errs := make([]tenant.User, 4), make([]error, 4)
		for i := range users {
			wg.Go(func() {
				users[i], errs[i] = s.Identity.AcceptInvitation(background, platform, secretOf("Ada@acme.example"),
					fmt.Sprint("hash ", i))
			})
		}
		wg.Wait()
		made := 0
		for i, err := range errs {
			if err == nil {
				made++
				equal(t, "user", need(s.Identity.User(background, platform, users[i].ID))(t), users[i])
				equal(t, "email", users[i].Email, "ada@acme.example")
			} else if !problem.Is(err, problem.NotFound) && !problem.Is(err, problem.Conflict) {
				t.Errorf("got error %v, want NotFound or Conflict", err)
			}
		}
		equal(t, "users created", made, 1)
		equal(t, "status",
			need(s.Identity.Invitations(background, f.asOwner, uuid.Nil, page.Page{}))(t).Items[0].Status,
			identity.InvitationAccepted)
	})
}

func TestInvitation_IsRefusedWhenRevokedExpiredOrRenewed(t *testing.T) {
	eachAt(t, time.Now(), func(t *testing.T, s *store.Store, now *time.Time) {
		pass := func(d time.Duration) { *now = now.Add(d) }
		f := newCustomer(t, s, "acme")
		wantVoid := func(what, email string) {
			t.Helper()
			_, _, err := s.Identity.Invited(background, platform, secretOf(email))
			_, accepted := s.Identity.AcceptInvitation(background, platform, secretOf(email), "x")
			if !problem.Is(err, problem.NotFound) || !problem.Is(accepted, problem.NotFound) {
				t.Errorf("%s: got errors %v and %v, want NotFound", what, err, accepted)
			}
		}
		wantVoid("unknown", "nobody@x.example")
		revoked := invite(t, s, &f, "revoked@x.example")
		need(s.Identity.RevokeInvitation(background, storetest.Confirmed(f.asAdmin), revoked.ID))(t)
		need(s.Identity.RevokeInvitation(background, storetest.Confirmed(f.asAdmin), revoked.ID))(t)
		wantVoid("revoked", "revoked@x.example")
		_, err := s.Identity.RenewInvitation(background, storetest.Confirmed(f.asAdmin), revoked.ID,
			secretOf("x"), tenant.Mailed)
		refuses(t, err, problem.Conflict, "")

		late := invite(t, s, &f, "late@x.example")
		_, err = s.Identity.CreateInvitation(background, storetest.Confirmed(f.asOwner),
			identity.NewInvitation{TenantID: f.tenant.ID, Email: "LATE@x.example", Role: tenant.Member})
		refuses(t, err, problem.Conflict, "email")
		pass(2 * time.Hour)
		wantVoid("expired", "late@x.example")
		renewed := need(s.Identity.RenewInvitation(background, storetest.Confirmed(f.asOwner), late.ID,
			secretOf("again"), tenant.Mailed))(t)
		equal(t, "lifetime after the renewal", renewed.ExpiresAt.Sub(renewed.SentAt), late.ExpiresAt.Sub(late.SentAt))
		wantVoid("replaced secret", "late@x.example")
		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{Status: to(tenant.Disabled)}))(t)
		wantVoid("tenant disabled", "again")
		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{Status: to(tenant.Enabled)}))(t)
		need(s.Identity.AcceptInvitation(background, platform, secretOf("again"), "x"))(t)
		_, err = s.Identity.RevokeInvitation(background, storetest.Confirmed(f.asOwner), late.ID)
		refuses(t, err, problem.Conflict, "")

		ok(t, s.Sweep(background, platform))
		equal(t, "invitations after the first sweep",
			len(need(s.Identity.Invitations(background, platform, uuid.Nil, page.Page{}))(t).Items), 2)
		pass(92 * 24 * time.Hour)
		ok(t, s.Sweep(background, platform))
		equal(t, "invitations after 92 days",
			len(need(s.Identity.Invitations(background, platform, uuid.Nil, page.Page{}))(t).Items), 0)
	})
}

func TestCreateInvitation_LimitsOpenInvitations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		for i := range 200 {
			invite(t, s, &f, fmt.Sprintf("guest%d@x.example", i))
		}
		one := identity.NewInvitation{TenantID: f.tenant.ID, Email: "more@x.example", Role: tenant.Member,
			ExpiresAt: time.Now().Add(time.Hour)}
		_, err := s.Identity.CreateInvitation(background, storetest.Confirmed(f.asOwner), one)
		refuses(t, err, problem.Conflict, "")
		invite(t, s, &other, "more@x.example")
	})
}

func TestPasswordReset_IsRefusedWhenUsedExpiredOrSuperseded(t *testing.T) {
	eachAt(t, time.Now(), func(t *testing.T, s *store.Store, now *time.Time) {
		pass := func(d time.Duration) { *now = now.Add(d) }
		f := newCustomer(t, s, "acme")
		ask := func(secret string) {
			t.Helper()
			need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
				identity.NewReset{UserID: f.member.ID, Hash: secretOf(secret), ExpiresAt: time.Now().Add(time.Hour)}))(
				t)
		}
		wantVoid := func(what, secret string) {
			t.Helper()
			_, err := s.Identity.PasswordReset(background, platform, secretOf(secret))
			_, reset := s.Identity.ResetPassword(background, platform, secretOf(secret), "x")
			if !problem.Is(err, problem.NotFound) || !problem.Is(reset, problem.NotFound) {
				t.Errorf("%s: got errors %v and %v, want NotFound", what, err, reset)
			}
		}
		wantVoid("unknown", "nothing")
		ask("first")
		ask("second")
		_, session := signIn(t, s, f.member, signin.Client{})
		equal(t, "user", need(s.Identity.PasswordReset(background, platform, secretOf("first")))(t), f.member)
		need(s.Identity.ResetPassword(background, platform, secretOf("first"), "new"))(t)
		wantVoid("used", "first")
		wantVoid("older than the password", "second")
		_, err := s.Signin.Session(background, platform, session)
		refuses(t, err, problem.NotFound, "")
		_, stored, err := s.Identity.UserWithPassword(background, platform, f.member.Email)
		ok(t, err)
		equal(t, "password", stored, "new")

		for i := range 7 {
			ask(fmt.Sprint("many ", i))
		}
		wantVoid("superseded by newer ones", "many 1")
		need(s.Identity.PasswordReset(background, platform, secretOf("many 2")))(t)
		pass(2 * time.Hour)
		wantVoid("expired", "many 6")
		ok(t, s.Sweep(background, platform))
		need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.member.ID,
			identity.UserPatch{Status: to(tenant.Disabled)}))(t)
		_, err = s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
			identity.NewReset{UserID: f.member.ID, Hash: secretOf("x"), ExpiresAt: time.Now().Add(time.Hour)})
		refuses(t, err, problem.Conflict, "")
	})
}

// Other changes of the user run at the same time.
func TestResetPassword_SucceedsOnceUnderConcurrency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		for round := range 5 {
			secret := fmt.Sprint("round ", round)
			need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
				identity.NewReset{UserID: f.owner.ID, Hash: secretOf(secret), ExpiresAt: time.Now().Add(time.Hour)}))(t)
			var wg sync.WaitGroup
			var done atomic.Int64
			for i := range 4 {
				wg.Go(func() {
					_, err := s.Identity.ResetPassword(background, platform, secretOf(secret),
						fmt.Sprint(secret, " by ", i))
					if err == nil {
						done.Add(1)
					} else if !problem.Is(err, problem.NotFound) {
						t.Errorf("ResetPassword: got error %v, want NotFound", err)
					}
				})
			}
			wg.Go(func() {
				if _, err := s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.owner.ID,
					identity.UserPatch{Cap: usd(money.Amount(round + 1))}); err != nil {
					t.Errorf("UpdateUser: got error %v", err)
				}
			})
			wg.Wait()
			equal(t, "successful resets", done.Load(), 1)
		}
	})
}

func TestAccessKey_EndsWhenRevokedDisabledOrExpired(t *testing.T) {
	eachAt(t, time.Now(), func(t *testing.T, s *store.Store, now *time.Time) {
		pass := func(d time.Duration) { *now = now.Add(d) }
		f := newCustomer(t, s, "acme")
		key := makeKey(t, s, f.asMember)
		got := need(s.Token.KeyUser(background, platform, hash(key.ID)))(t)
		equal(t, "user of the key", got.User, f.member)
		equal(t, "tenant of the key", got.Tenant, f.tenant)
		if !reflect.DeepEqual(got.Key, key) {
			t.Errorf("got key %+v, want %+v", got.Key, key)
		}
		for _, row := range []struct{ passes, used time.Duration }{{0, 0}, {59 * time.Second, 0},
			{time.Second, time.Minute}} {
			pass(row.passes)
			ok(t, s.Token.SeeAccessKey(background, platform, key.ID))
			used := need(s.Token.KeyUser(background, platform, hash(key.ID)))(t).Key.LastUsed
			if after := used.Sub(key.CreatedAt).Round(time.Second); after != row.used {
				t.Errorf("got last use %s after the creation, want %s", after, row.used)
			}
		}
		for _, end := range []struct {
			what string
			by   func()
		}{
			{"revoked", func() { ok(t, s.Token.RevokeAccessKey(background, storetest.Confirmed(f.asAdmin), key.ID)) }},
			{"user disabled", func() {
				need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.member.ID,
					identity.UserPatch{Status: to(tenant.Disabled)}))(t)
			}},
			{"expired", func() { pass(2 * time.Hour) }},
		} {
			need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.member.ID,
				identity.UserPatch{Status: to(tenant.Enabled)}))(t)
			key = makeKey(t, s, f.asMember)
			need(s.Token.KeyUser(background, platform, hash(key.ID)))(t)
			end.by()
			if _, err := s.Token.KeyUser(background, platform, hash(key.ID)); !problem.Is(err, problem.NotFound) {
				t.Errorf("%s: got error %v, want NotFound", end.what, err)
			}
		}
	})
}

func TestCreateAccessKey_LimitsKeysOfAUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		for range 50 {
			makeKey(t, s, f.asMember)
		}
		_, err := s.Token.CreateAccessKey(background, storetest.Confirmed(f.asMember), newKey(token.ReadUsage))
		refuses(t, err, problem.Conflict, "")
		makeKey(t, s, f.asOwner)
		equal(t, "keys of the owner and the member",
			len(need(s.Token.AccessKeys(background, f.asAdmin, uuid.Nil, page.Page{Limit: 200}))(t).Items), 51)
	})
}
