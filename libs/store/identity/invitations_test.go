package identity_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestAcceptInvitation_CreatesOneUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		invited := storetest.Invite(t, s, &f, "Ada@acme.example")
		open, home, err := s.Identity.Invited(background, platform, storetest.SecretOf("Ada@acme.example"))
		storetest.OK(t, err)
		storetest.Equal(t, "invitation", open, invited)
		storetest.Equal(t, "group", open.GroupID, f.Group.ID)
		storetest.Equal(t, "tenant", home, f.Tenant)

		var wg sync.WaitGroup
		users, errs := make([]tenant.User, 4), make([]error, 4)
		for i := range users {
			wg.Go(func() {
				users[i], errs[i] = s.Identity.AcceptInvitation(background, platform,
					storetest.SecretOf("Ada@acme.example"), fmt.Sprint("hash ", i))
			})
		}
		wg.Wait()
		made := 0
		for i, err := range errs {
			if err == nil {
				made++
				storetest.Equal(t, "user", storetest.Need(s.Identity.User(background, platform, users[i].ID))(t),
					users[i])
				storetest.Equal(t, "email", users[i].Email, "ada@acme.example")
			} else if !problem.Is(err, problem.NotFound) && !problem.Is(err, problem.Conflict) {
				t.Errorf("got error %v, want NotFound or Conflict", err)
			}
		}
		storetest.Equal(t, "users created", made, 1)
		storetest.Equal(t, "status",
			storetest.Need(s.Identity.Invitations(background, f.AsOwner, uuid.Nil, page.Page{}))(t).Items[0].Status,
			identity.InvitationAccepted)
	})
}

// An invitation for an account waits for its person only.
func TestAcceptInvitation_ChangesNoAccountWithAProof(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.Need(s.Identity.CreateInvitation(background, storetest.Confirmed(f.AsOwner), identity.NewInvitation{
			TenantID: f.Tenant.ID, UserID: f.Member.ID, Email: f.Member.Email, Proof: tenant.Mailed,
			Role: tenant.Member, Hash: storetest.SecretOf("x"), ExpiresAt: time.Now().Add(time.Hour)}))(t)
		_, err := s.Identity.AcceptInvitation(background, platform, storetest.SecretOf("x"), "another")
		storetest.Refuses(t, err, problem.NotFound, "")
		_, hash, err := s.Identity.UserWithPassword(background, platform, f.Member.Email)
		storetest.OK(t, err)
		storetest.Equal(t, "password", hash, "old")
	})
}

func TestInvitation_IsRefusedWhenRevokedExpiredOrRenewed(t *testing.T) {
	storetest.EachAt(t, time.Now(), func(t *testing.T, s *store.Store, now *time.Time) {
		pass := func(d time.Duration) { *now = now.Add(d) }
		f := storetest.NewCustomer(t, s, "acme")
		wantVoid := func(what, email string) {
			t.Helper()
			_, _, err := s.Identity.Invited(background, platform, storetest.SecretOf(email))
			_, accepted := s.Identity.AcceptInvitation(background, platform, storetest.SecretOf(email), "x")
			if !problem.Is(err, problem.NotFound) || !problem.Is(accepted, problem.NotFound) {
				t.Errorf("%s: got errors %v and %v, want NotFound", what, err, accepted)
			}
		}
		wantVoid("unknown", "nobody@x.example")
		revoked := storetest.Invite(t, s, &f, "revoked@x.example")
		storetest.Need(s.Identity.RevokeInvitation(background, storetest.Confirmed(f.AsAdmin), revoked.ID))(t)
		storetest.Need(s.Identity.RevokeInvitation(background, storetest.Confirmed(f.AsAdmin), revoked.ID))(t)
		wantVoid("revoked", "revoked@x.example")
		_, err := s.Identity.RenewInvitation(background, storetest.Confirmed(f.AsAdmin), revoked.ID,
			storetest.SecretOf("x"), tenant.Mailed)
		storetest.Refuses(t, err, problem.Conflict, "")

		late := storetest.Invite(t, s, &f, "late@x.example")
		_, err = s.Identity.CreateInvitation(background, storetest.Confirmed(f.AsOwner),
			identity.NewInvitation{TenantID: f.Tenant.ID, Email: "LATE@x.example", Role: tenant.Member})
		storetest.Refuses(t, err, problem.Conflict, "email")
		pass(2 * time.Hour)
		wantVoid("expired", "late@x.example")
		renewed := storetest.Need(s.Identity.RenewInvitation(background, storetest.Confirmed(f.AsOwner), late.ID,
			storetest.SecretOf("again"), tenant.Mailed))(t)
		storetest.Equal(t, "lifetime after the renewal", renewed.ExpiresAt.Sub(renewed.SentAt),
			late.ExpiresAt.Sub(late.SentAt))
		wantVoid("replaced secret", "late@x.example")
		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{Status: new(tenant.Disabled)}))(t)
		wantVoid("tenant disabled", "again")
		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{Status: new(tenant.Enabled)}))(t)
		storetest.Need(s.Identity.AcceptInvitation(background, platform, storetest.SecretOf("again"), "x"))(t)
		_, err = s.Identity.RevokeInvitation(background, storetest.Confirmed(f.AsOwner), late.ID)
		storetest.Refuses(t, err, problem.Conflict, "")

		storetest.OK(t, s.Sweep(background, platform))
		storetest.Equal(t, "invitations after the first sweep",
			len(storetest.Need(s.Identity.Invitations(background, platform, uuid.Nil, page.Page{}))(t).Items), 2)
		pass(92 * 24 * time.Hour)
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Equal(t, "invitations after 92 days",
			len(storetest.Need(s.Identity.Invitations(background, platform, uuid.Nil, page.Page{}))(t).Items), 0)
	})
}

func TestCreateInvitation_LimitsOpenInvitations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		for i := range 200 {
			storetest.Invite(t, s, &f, fmt.Sprintf("guest%d@x.example", i))
		}
		one := identity.NewInvitation{TenantID: f.Tenant.ID, Email: "more@x.example", Role: tenant.Member,
			ExpiresAt: time.Now().Add(time.Hour)}
		_, err := s.Identity.CreateInvitation(background, storetest.Confirmed(f.AsOwner), one)
		storetest.Refuses(t, err, problem.Conflict, "")
		storetest.Invite(t, s, &other, "more@x.example")
	})
}

func TestRenewInvitation_OpensNoMoreThanCreateInvitation(t *testing.T) {
	storetest.EachAt(t, time.Now(), func(t *testing.T, s *store.Store, now *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		expired := storetest.Invite(t, s, &f, "expired@x.example")
		again := storetest.Invite(t, s, &f, "again@x.example")
		*now = now.Add(2 * time.Hour)
		renew := func(id uuid.UUID) error {
			_, err := s.Identity.RenewInvitation(background, storetest.Confirmed(f.AsOwner), id,
				storetest.Hash(storetest.NewID()), tenant.Mailed)
			return err
		}
		invite := func(email string) identity.Invitation {
			return storetest.Need(s.Identity.CreateInvitation(background, storetest.Confirmed(f.AsOwner),
				identity.NewInvitation{TenantID: f.Tenant.ID, Email: email, Role: tenant.Member,
					Hash: storetest.Hash(storetest.NewID()), ExpiresAt: now.Add(time.Hour)}))(t)
		}
		open := invite("again@x.example")
		storetest.Refuses(t, renew(again.ID), problem.Conflict, "email")
		for i := range 199 {
			invite(fmt.Sprintf("guest%d@x.example", i))
		}
		storetest.Refuses(t, renew(expired.ID), problem.Conflict, "")
		storetest.OK(t, renew(open.ID)) // it counts already
		storetest.Need(s.Identity.RevokeInvitation(background, storetest.Confirmed(f.AsOwner), open.ID))(t)
		storetest.OK(t, renew(expired.ID))
	})
}

func TestPasswordReset_IsRefusedWhenUsedExpiredOrSuperseded(t *testing.T) {
	storetest.EachAt(t, time.Now(), func(t *testing.T, s *store.Store, now *time.Time) {
		pass := func(d time.Duration) { *now = now.Add(d) }
		f := storetest.NewCustomer(t, s, "acme")
		ask := func(secret string) {
			t.Helper()
			storetest.Need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
				identity.NewReset{UserID: f.Member.ID, Hash: storetest.SecretOf(secret),
					ExpiresAt: time.Now().Add(time.Hour)}))(t)
		}
		wantVoid := func(what, secret string) {
			t.Helper()
			_, err := s.Identity.PasswordReset(background, platform, storetest.SecretOf(secret))
			_, reset := s.Identity.ResetPassword(background, platform, storetest.SecretOf(secret), "x")
			if !problem.Is(err, problem.NotFound) || !problem.Is(reset, problem.NotFound) {
				t.Errorf("%s: got errors %v and %v, want NotFound", what, err, reset)
			}
		}
		wantVoid("unknown", "nothing")
		ask("first")
		ask("second")
		_, session := storetest.SignIn(t, s, f.Member, signin.Client{})
		storetest.Equal(t, "user",
			storetest.Need(s.Identity.PasswordReset(background, platform, storetest.SecretOf("first")))(t), f.Member)
		storetest.Need(s.Identity.ResetPassword(background, platform, storetest.SecretOf("first"), "new"))(t)
		wantVoid("used", "first")
		wantVoid("older than the password", "second")
		_, err := s.Signin.Session(background, platform, session)
		storetest.Refuses(t, err, problem.NotFound, "")
		_, stored, err := s.Identity.UserWithPassword(background, platform, f.Member.Email)
		storetest.OK(t, err)
		storetest.Equal(t, "password", stored, "new")

		for i := range 7 {
			ask(fmt.Sprint("many ", i))
		}
		wantVoid("superseded by newer ones", "many 1")
		storetest.Need(s.Identity.PasswordReset(background, platform, storetest.SecretOf("many 2")))(t)
		pass(2 * time.Hour)
		wantVoid("expired", "many 6")
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
			identity.UserPatch{Status: new(tenant.Disabled)}))(t)
		_, err = s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
			identity.NewReset{UserID: f.Member.ID, Hash: storetest.SecretOf("x"), ExpiresAt: time.Now().Add(time.Hour)})
		storetest.Refuses(t, err, problem.Conflict, "")
	})
}

// Other changes of the user run at the same time.
func TestResetPassword_SucceedsOnceUnderConcurrency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		for round := range 5 {
			secret := fmt.Sprint("round ", round)
			storetest.Need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
				identity.NewReset{UserID: f.Owner.ID, Hash: storetest.SecretOf(secret),
					ExpiresAt: time.Now().Add(time.Hour)}))(t)
			var wg sync.WaitGroup
			var done atomic.Int64
			for i := range 4 {
				wg.Go(func() {
					_, err := s.Identity.ResetPassword(background, platform, storetest.SecretOf(secret),
						fmt.Sprint(secret, " by ", i))
					if err == nil {
						done.Add(1)
					} else if !problem.Is(err, problem.NotFound) {
						t.Errorf("ResetPassword: got error %v, want NotFound", err)
					}
				})
			}
			wg.Go(func() {
				if _, err := s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Owner.ID,
					identity.UserPatch{Cap: storetest.USD(money.Amount(round + 1))}); err != nil {
					t.Errorf("UpdateUser: got error %v", err)
				}
			})
			wg.Wait()
			storetest.Equal(t, "successful resets", done.Load(), 1)
		}
	})
}

func TestCreateInvitation_HoldsItsMaximumInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		operator := storetest.AsOperator(t, s)
		ask := func(scope tenant.Scope, n identity.NewInvitation) error {
			n.Hash, n.ExpiresAt = storetest.SecretOf(n.Email), time.Now().Add(time.Hour)
			_, err := s.Identity.CreateInvitation(background, storetest.Confirmed(scope), n)
			return err
		}
		for i := range 199 {
			storetest.OK(t,
				ask(f.AsOwner, identity.NewInvitation{TenantID: f.Tenant.ID, Email: fmt.Sprintf("m%d@acme.example", i),
					Role: tenant.Member}))
			storetest.OK(t,
				ask(operator, identity.NewInvitation{Email: fmt.Sprintf("o%d@example.com", i), Role: tenant.Operator}))
		}
		storetest.Equal(t, "invitations to a tenant at 199 of 200", storetest.Race(t, func(i int) error {
			return ask(f.AsOwner, identity.NewInvitation{TenantID: f.Tenant.ID,
				Email: fmt.Sprintf("more%d@acme.example", i), Role: tenant.Member})
		}), 1)
		storetest.Equal(t, "invitations of operators at 199 of 200", storetest.Race(t, func(i int) error {
			return ask(operator, identity.NewInvitation{Email: fmt.Sprintf("more%d@example.com", i),
				Role: tenant.Operator})
		}), 1)
	})
}
