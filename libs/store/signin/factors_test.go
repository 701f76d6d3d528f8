package signin_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	storeidentity "github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// concurrently calls do from n goroutines and returns the number of successes. It fails the test if another
// call fails with an error that is not a problem of the kind.
func concurrently(t *testing.T, n int, kind problem.Kind, do func() error) int {
	t.Helper()
	var good atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			switch err := do(); {
			case err == nil:
				good.Add(1)
			case !problem.Is(err, kind):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return int(good.Load())
}

func TestTOTP_BeginConfirmUseDelete(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		me, id := f.AsMember, f.Member.ID
		storetest.Equal(t, "factors at first", storetest.Need(s.Signin.Factors(background, me, id))(t),
			signin.Factors{})
		_, err := s.Signin.TryTOTP(background, platform, id)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Refuses(t, s.Signin.ReplaceRecoveryCodes(background, storetest.Confirmed(me),
			[][32]byte{storetest.Hash(storetest.NewID())}), problem.Conflict, "")
		storetest.OK(t, s.Signin.BeginTOTP(background, storetest.Confirmed(me), []byte("one")))
		storetest.OK(t, s.Signin.BeginTOTP(background, storetest.Confirmed(me), []byte("two")))
		begun := storetest.Need(s.Signin.TryTOTP(background, platform, id))(t)
		storetest.Equal(t, "sealed", string(begun.Sealed), "two")
		storetest.Equal(t, "the TOTP is not confirmed", begun.ConfirmedAt.IsZero(), true)
		storetest.Refuses(t, s.Signin.UseTOTP(background, platform, id, 5), problem.NotFound, "")

		codes := [][32]byte{storetest.Hash(storetest.NewID()), storetest.Hash(storetest.NewID())}
		storetest.Refuses(t, s.Signin.ConfirmTOTP(background, storetest.Confirmed(me),
			signin.Confirmation{Sealed: []byte("one"), Codes: codes}), problem.Conflict, "")
		confirm := func() error {
			return s.Signin.ConfirmTOTP(background, storetest.Confirmed(me),
				signin.Confirmation{Sealed: []byte("two"), Step: 7, Codes: codes})
		}
		storetest.Equal(t, "successful confirmations", concurrently(t, 4, problem.Conflict, confirm), 1)
		storetest.Refuses(t, s.Signin.BeginTOTP(background, storetest.Confirmed(me), []byte("three")),
			problem.Conflict, "")
		factors := storetest.Need(s.Signin.Factors(background, me, id))(t)
		storetest.Equal(t, "recovery codes", factors.RecoveryCodes, 2)
		storetest.Equal(t, "the time of the TOTP is zero", factors.TOTP.IsZero(), false)

		storetest.Refuses(t, s.Signin.UseTOTP(background, platform, id, 7), problem.NotFound, "")
		storetest.Equal(t, "uses of a step", concurrently(t, 8, problem.NotFound,
			func() error { return s.Signin.UseTOTP(background, platform, id, 9) }), 1)
		storetest.Refuses(t, s.Signin.UseTOTP(background, platform, id, 8), problem.NotFound, "")

		storetest.Equal(t, "uses of a recovery code", concurrently(t, 8, problem.NotFound, func() error {
			return s.Signin.UseRecoveryCode(background, platform, id, codes[0])
		}), 1)
		storetest.Refuses(t, s.Signin.UseRecoveryCode(background, platform, f.Owner.ID, codes[1]), problem.NotFound, "")
		storetest.OK(t, s.Signin.ReplaceRecoveryCodes(background, storetest.Confirmed(me),
			[][32]byte{storetest.Hash(storetest.NewID())}))
		storetest.Refuses(t, s.Signin.UseRecoveryCode(background, platform, id, codes[1]), problem.NotFound, "")

		storetest.OK(t, s.Signin.DeleteTOTP(background, storetest.Confirmed(me)))
		storetest.Refuses(t, s.Signin.DeleteTOTP(background, storetest.Confirmed(me)), problem.NotFound, "")
		storetest.Equal(t, "factors at the end", storetest.Need(s.Signin.Factors(background, me, id))(t),
			signin.Factors{})
	})
}

func TestTryTOTP_LimitsConcurrentTries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.OK(t, s.Signin.BeginTOTP(background, storetest.Confirmed(f.AsMember), []byte("x")))
		try := func() error {
			_, err := s.Signin.TryTOTP(background, platform, f.Member.ID)
			return err
		}
		storetest.Equal(t, "permitted tries", concurrently(t, 16, problem.RateLimited, try), 10)
		err := try()
		storetest.Refuses(t, err, problem.RateLimited, "")
		if wait := problem.From(err).RetryAfter; wait <= 0 || wait > time.Minute {
			t.Errorf("got Retry-After %s, want at most a minute", wait)
		}
		storetest.OK(t, s.Signin.ConfirmTOTP(background, storetest.Confirmed(f.AsMember),
			signin.Confirmation{Sealed: []byte("x"), Step: 1, Codes: [][32]byte{storetest.Hash(storetest.NewID())}}))
		storetest.OK(t, try())
	})
}

func TestChallenge_TriesAndTakesAreCountedExactly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		soon := time.Now().Add(time.Minute).UTC().Truncate(time.Microsecond)
		c := signin.Challenge{
			Hash: storetest.Hash(storetest.NewID()), Purpose: "a", UserID: f.Member.ID, PasswordHash: "old",
			Data: []byte("data"), Tries: 3, ExpiresAt: soon,
		}
		storetest.OK(t, s.Signin.CreateChallenge(background, platform, c))
		_, err := s.Signin.TryChallenge(background, platform, "b", c.Hash)
		storetest.Refuses(t, err, problem.NotFound, "")
		got := storetest.Need(s.Signin.TryChallenge(background, platform, "a", c.Hash))(t)
		storetest.Equal(t, "user", got.UserID, f.Member.ID)
		storetest.Equal(t, "password", got.PasswordHash, "old")
		storetest.Equal(t, "data", string(got.Data), "data")
		storetest.Equal(t, "tries left", got.Tries, 2)
		storetest.Equal(t, "expiry", got.ExpiresAt, soon)
		storetest.Equal(t, "permitted tries", concurrently(t, 8, problem.NotFound, func() error {
			_, err := s.Signin.TryChallenge(background, platform, "a", c.Hash)
			return err
		}), 2)
		storetest.OK(t, s.Signin.SetChallengeData(background, platform, c.Hash, []byte("more")))
		_, err = s.Signin.TakeChallenge(background, platform, "b", c.Hash)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Equal(t, "successful takes", concurrently(t, 8, problem.NotFound, func() error {
			taken, err := s.Signin.TakeChallenge(background, platform, "a", c.Hash)
			if err == nil && string(taken.Data) != "more" {
				return errors.New("the challenge has other data")
			}
			return err
		}), 1)
		storetest.Refuses(t, s.Signin.SetChallengeData(background, platform, c.Hash, nil), problem.NotFound, "")

		over := signin.Challenge{Hash: storetest.Hash(storetest.NewID()), Purpose: "a", Tries: 1,
			ExpiresAt: time.Now().Add(-time.Second)}
		storetest.OK(t, s.Signin.CreateChallenge(background, platform, over))
		_, err = s.Signin.TryChallenge(background, platform, "a", over.Hash)
		storetest.Refuses(t, err, problem.NotFound, "")
		_, err = s.Signin.TakeChallenge(background, platform, "a", over.Hash)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Refuses(t, s.Signin.SetChallengeData(background, platform, over.Hash, nil), problem.NotFound, "")
	})
}

func TestPasskey_CreateRenameUseDelete(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		key := signin.Passkey{CredentialID: []byte("c1"), Name: "laptop", Credential: []byte(`{"a":1}`), SignCount: 3}
		made := storetest.Need(s.Signin.CreatePasskey(background, storetest.Confirmed(f.AsMember), key))(t)
		_, err := s.Signin.CreatePasskey(background, storetest.Confirmed(f.AsOwner), key)
		storetest.Refuses(t, err, problem.Conflict, "credential")
		_, err = s.Signin.CreatePasskey(background, storetest.Confirmed(f.AsMember),
			signin.Passkey{CredentialID: []byte("c2")})
		storetest.Refuses(t, err, problem.InvalidType, "name")
		_, err = s.Signin.RenamePasskey(background, storetest.Confirmed(f.AsMember), made.ID, "a\nb")
		storetest.Refuses(t, err, problem.InvalidType, "name")
		renamed := storetest.Need(s.Signin.RenamePasskey(background, storetest.Confirmed(f.AsMember),
			made.ID, "phone"))(t)
		storetest.Equal(t, "name", renamed.Name, "phone")
		entry := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
		storetest.Equal(t, "entry", entry.Action, "passkey.update")
		storetest.Equal(t, "name before", fmt.Sprint(entry.Before["name"]), "laptop")

		renamed.SignCount, renamed.Credential = 4, []byte(`{"a":2}`)
		storetest.Equal(t, "successful uses of a sign count", concurrently(t, 4, problem.NotFound,
			func() error { return s.Signin.UsePasskey(background, platform, renamed, 3) }), 1)
		listed := storetest.Need(s.Signin.Passkeys(background, platform, f.Member.ID))(t)
		storetest.Equal(t, "passkeys", len(listed), 1)
		storetest.Equal(t, "sign count", listed[0].SignCount, 4)
		storetest.Equal(t, "credential", string(listed[0].Credential), `{"a":2}`)
		storetest.Equal(t, "the time of the last use is zero", listed[0].LastUsed.IsZero(), false)
		storetest.Equal(t, "passkeys in the factors",
			storetest.Need(s.Signin.Factors(background, f.AsMember, f.Member.ID))(t).Passkeys, 1)

		storetest.Refuses(t, s.Signin.DeletePasskey(background, storetest.Confirmed(f.AsOwner), made.ID),
			problem.NotFound, "")
		storetest.OK(t, s.Signin.DeletePasskey(background, storetest.Confirmed(f.AsMember), made.ID))
		storetest.Refuses(t, s.Signin.DeletePasskey(background, storetest.Confirmed(f.AsMember), made.ID),
			problem.NotFound, "")
		storetest.Refuses(t, s.Signin.UsePasskey(background, platform, renamed, 4), problem.NotFound, "")
		storetest.Equal(t, "passkeys created concurrently", concurrently(t, signin.MaxPasskeys+
			4, problem.Conflict, func() error {
			_, err := s.Signin.CreatePasskey(background, storetest.Confirmed(f.AsMember),
				signin.Passkey{CredentialID: []byte(storetest.NewID().String()), Name: "x", Credential: []byte("{}")})
			return err
		}), signin.MaxPasskeys)
	})
}

func TestIdentity_LinkUseUnlink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, err := s.Signin.UseIdentity(background, platform, uuid.Nil, "https://a.example", "1")
		storetest.Refuses(t, err, problem.NotFound, "")
		link := func(u tenant.User, issuer, subject string) error {
			return s.Signin.LinkIdentity(background, platform,
				signin.Identity{UserID: u.ID, Issuer: issuer, Subject: subject, Email: u.Email})
		}
		storetest.OK(t, link(f.Member, "https://a.example", "1"))
		storetest.Refuses(t, link(f.Owner, "https://a.example", "1"), problem.Conflict, "identity")
		storetest.Refuses(t, link(f.Member, "https://a.example", "2"), problem.Conflict, "identity")
		storetest.OK(t, link(f.Owner, "https://b.example", "1"))
		storetest.OK(t, link(f.Member, "https://b.example", "2"))
		storetest.Equal(t, "user",
			storetest.Need(s.Signin.UseIdentity(background, platform, uuid.Nil, "https://b.example", "1"))(t), f.Owner)
		storetest.Equal(t, "user",
			storetest.Need(s.Signin.UseIdentity(background, platform, uuid.Nil, "https://b.example", "2"))(t), f.Member)

		mine := storetest.Need(s.Signin.Identities(background, f.AsMember))(t)
		storetest.Equal(t, "identities", len(mine), 2)
		storetest.Equal(t, "issuer", mine[0].Issuer, "https://a.example")
		storetest.Refuses(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(f.AsOwner), mine[0].ID),
			problem.NotFound, "")
		storetest.OK(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(f.AsMember), mine[0].ID))
		storetest.Refuses(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(f.AsMember), mine[0].ID),
			problem.NotFound, "")
		_, err = s.Signin.UseIdentity(background, platform, uuid.Nil, "https://a.example", "1")
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Equal(t, "identities", len(storetest.Need(s.Signin.Identities(background, f.AsMember))(t)), 1)
	})
}

func TestResetFactors_DeletesFactorsAndSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.OK(t, s.Signin.BeginTOTP(background, storetest.Confirmed(f.AsMember), []byte("x")))
		storetest.OK(t, s.Signin.ConfirmTOTP(background, storetest.Confirmed(f.AsMember),
			signin.Confirmation{Sealed: []byte("x"), Codes: [][32]byte{storetest.Hash(storetest.NewID())}}))
		storetest.Need(s.Signin.CreatePasskey(background, storetest.Confirmed(f.AsMember),
			signin.Passkey{CredentialID: []byte("c"), Name: "x", Credential: []byte("{}")}))(t)
		session := signin.NewSession{UserID: f.Member.ID, PasswordHash: "old", Hash: storetest.Hash(storetest.NewID()),
			ExpiresAt: time.Now().Add(time.Hour)}
		storetest.OK(t, s.Signin.CreateSession(background, platform, session))
		storetest.OK(t, s.Signin.ResetFactors(background, storetest.Confirmed(f.AsAdmin), f.Member.ID))
		storetest.Equal(t, "factors", storetest.Need(s.Signin.Factors(background, platform, f.Member.ID))(t),
			signin.Factors{})
		_, err := s.Signin.Session(background, platform, session.Hash)
		storetest.Refuses(t, err, problem.NotFound, "")
		operator := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			storeidentity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		// An operator has no tenant.
		storetest.OK(t, s.Signin.BeginTOTP(background, storetest.Confirmed(tenant.ScopeOf(operator)), []byte("x")))
		storetest.OK(t, s.Signin.ResetFactors(background, storetest.Confirmed(platform), operator.ID))
	})
}

// An operator makes an account for the person between the look for the account and the link.
func TestLinkIdentity_RefusesAnAccountThatHasLostItsAddress(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		const address = "new@acme.example"
		made := func(of *storetest.Customer, proof tenant.Proof) tenant.User {
			return storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
				storeidentity.NewUser{TenantID: of.Tenant.ID, Email: address, Role: tenant.Member,
					GroupID: of.Group.ID, Proof: proof}))(t)
		}
		link := func(user tenant.User) error {
			return s.Signin.LinkIdentity(background, platform,
				signin.Identity{UserID: user.ID, Issuer: "https://idp.example", Subject: "s", Email: address})
		}
		found, person := made(&f, tenant.HandedOver), made(&beta, tenant.Vouched)
		storetest.Refuses(t, link(found), problem.Conflict, "")
		storetest.OK(t, link(person))
	})
}

// No other user can read or change a user's factors. Methods for programs refuse every user.
func TestFactors_BelongToTheirUserAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		key := storetest.Need(s.Signin.CreatePasskey(background, storetest.Confirmed(f.AsMember),
			signin.Passkey{CredentialID: []byte("c"), Name: "x", Credential: []byte("{}")}))(t)
		storetest.OK(t, s.Signin.LinkIdentity(background, platform,
			signin.Identity{UserID: f.Member.ID, Issuer: "i", Subject: "s"}))
		identity := storetest.Need(s.Signin.Identities(background, f.AsMember))(t)[0]
		operator := tenant.ScopeOf(storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			storeidentity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t))
		for _, scope := range []tenant.Scope{f.AsOwner, f.AsAdmin, beta.AsOwner, operator} {
			_, err := s.Signin.Factors(background, scope, f.Member.ID)
			storetest.Refuses(t, err, problem.Forbidden, "")
			_, err = s.Signin.Passkeys(background, scope, f.Member.ID)
			storetest.Refuses(t, err, problem.Forbidden, "")
			_, err = s.Signin.RenamePasskey(background, storetest.Confirmed(scope), key.ID, "mine")
			storetest.Refuses(t, err, problem.NotFound, "")
			storetest.Refuses(t, s.Signin.DeletePasskey(background, storetest.Confirmed(scope), key.ID),
				problem.NotFound, "")
			storetest.Refuses(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(scope), identity.ID),
				problem.NotFound, "")
			storetest.Equal(t, "identities", len(storetest.Need(s.Signin.Identities(background, scope))(t)), 0)
		}
		storetest.Refuses(t, s.Signin.ResetFactors(background, storetest.Confirmed(beta.AsOwner), f.Member.ID),
			problem.NotFound, "")
		storetest.Refuses(t, s.Signin.ResetFactors(background, storetest.Confirmed(f.AsOwner), f.Owner.ID),
			problem.Conflict, "")
		storetest.Refuses(t, s.Signin.ResetFactors(background, storetest.Confirmed(f.AsAdmin), f.Owner.ID),
			problem.Forbidden, "")
		for _, scope := range []tenant.Scope{f.AsMember, f.AsOwner, operator, {}} {
			for what, err := range map[string]error{
				"CreateChallenge":  s.Signin.CreateChallenge(background, scope, signin.Challenge{}),
				"TryChallenge":     storetest.ErrorOf(s.Signin.TryChallenge(background, scope, "a", [32]byte{})),
				"TakeChallenge":    storetest.ErrorOf(s.Signin.TakeChallenge(background, scope, "a", [32]byte{})),
				"SetChallengeData": s.Signin.SetChallengeData(background, scope, [32]byte{}, nil),
				"TryTOTP":          storetest.ErrorOf(s.Signin.TryTOTP(background, scope, f.Member.ID)),
				"UseTOTP":          s.Signin.UseTOTP(background, scope, f.Member.ID, 1),
				"UseRecoveryCode":  s.Signin.UseRecoveryCode(background, scope, f.Member.ID, [32]byte{}),
				"UsePasskey":       s.Signin.UsePasskey(background, scope, key, 0),
				"LinkIdentity":     s.Signin.LinkIdentity(background, scope, identity),
				"UseIdentity":      storetest.ErrorOf(s.Signin.UseIdentity(background, scope, uuid.Nil, "i", "s")),
			} {
				if !problem.Is(err, problem.Forbidden) {
					t.Errorf("%s by %v: got error %v, want Forbidden", what, scope, err)
				}
			}
		}
		nobody := tenant.Scope{}
		for what, err := range map[string]error{
			"BeginTOTP": s.Signin.BeginTOTP(background, storetest.Confirmed(nobody), nil),
			"ConfirmTOTP": s.Signin.ConfirmTOTP(background, storetest.Confirmed(nobody),
				signin.Confirmation{}),
			"DeleteTOTP":           s.Signin.DeleteTOTP(background, storetest.Confirmed(nobody)),
			"ReplaceRecoveryCodes": s.Signin.ReplaceRecoveryCodes(background, storetest.Confirmed(nobody), nil),
			"CreatePasskey": storetest.ErrorOf(s.Signin.CreatePasskey(background, storetest.Confirmed(nobody),
				key)), "DeletePasskey": s.Signin.DeletePasskey(background, storetest.Confirmed(nobody), key.ID),
			"RenamePasskey": storetest.ErrorOf(s.Signin.RenamePasskey(background, storetest.Confirmed(nobody), key.ID,
				"x")), "Identities": storetest.ErrorOf(s.Signin.Identities(background, nobody)),
			"UnlinkIdentity": s.Signin.UnlinkIdentity(background, storetest.Confirmed(nobody), identity.ID),
			"ResetFactors":   s.Signin.ResetFactors(background, storetest.Confirmed(nobody), f.Member.ID),
			"Factors":        storetest.ErrorOf(s.Signin.Factors(background, nobody, uuid.Nil)),
			"Passkeys":       storetest.ErrorOf(s.Signin.Passkeys(background, nobody, uuid.Nil)),
		} {
			if !problem.Is(err, problem.Forbidden) {
				t.Errorf("%s by the empty scope: got error %v, want Forbidden", what, err)
			}
		}
	})
}
