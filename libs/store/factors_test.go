package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	storeidentity "github.com/tollgate/tollgate/libs/store/identity"
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
		f := newCustomer(t, s, "acme")
		me, id := f.asMember, f.member.ID
		equal(t, "factors at first", need(s.Signin.Factors(background, me, id))(t), signin.Factors{})
		_, err := s.Signin.TryTOTP(background, platform, id)
		refuses(t, err, problem.NotFound, "")
		refuses(t, s.Signin.ReplaceRecoveryCodes(background, storetest.Confirmed(me), [][32]byte{hash(newID())}),
			problem.Conflict, "")
		ok(t, s.Signin.BeginTOTP(background, storetest.Confirmed(me), []byte("one")))
		ok(t, s.Signin.BeginTOTP(background, storetest.Confirmed(me), []byte("two")))
		begun := need(s.Signin.TryTOTP(background, platform, id))(t)
		equal(t, "sealed", string(begun.Sealed), "two")
		equal(t, "the TOTP is not confirmed", begun.ConfirmedAt.IsZero(), true)
		refuses(t, s.Signin.UseTOTP(background, platform, id, 5), problem.NotFound, "")

		codes := [][32]byte{hash(newID()), hash(newID())}
		refuses(t, s.Signin.ConfirmTOTP(background, storetest.Confirmed(me),
			signin.Confirmation{Sealed: []byte("one"), Codes: codes}), problem.Conflict, "")
		confirm := func() error {
			return s.Signin.ConfirmTOTP(background, storetest.Confirmed(me),
				signin.Confirmation{Sealed: []byte("two"), Step: 7, Codes: codes})
		}
		equal(t, "successful confirmations", concurrently(t, 4, problem.Conflict, confirm), 1)
		refuses(t, s.Signin.BeginTOTP(background, storetest.Confirmed(me), []byte("three")), problem.Conflict, "")
		factors := need(s.Signin.Factors(background, me, id))(t)
		equal(t, "recovery codes", factors.RecoveryCodes, 2)
		equal(t, "the time of the TOTP is zero", factors.TOTP.IsZero(), false)

		refuses(t, s.Signin.UseTOTP(background, platform, id, 7), problem.NotFound, "")
		equal(t, "uses of a step", concurrently(t, 8, problem.NotFound,
			func() error { return s.Signin.UseTOTP(background, platform, id, 9) }), 1)
		refuses(t, s.Signin.UseTOTP(background, platform, id, 8), problem.NotFound, "")

		equal(t, "uses of a recovery code", concurrently(t, 8, problem.NotFound, func() error {
			return s.Signin.UseRecoveryCode(background, platform, id, codes[0])
		}), 1)
		refuses(t, s.Signin.UseRecoveryCode(background, platform, f.owner.ID, codes[1]), problem.NotFound, "")
		ok(t, s.Signin.ReplaceRecoveryCodes(background, storetest.Confirmed(me), [][32]byte{hash(newID())}))
		refuses(t, s.Signin.UseRecoveryCode(background, platform, id, codes[1]), problem.NotFound, "")

		ok(t, s.Signin.DeleteTOTP(background, storetest.Confirmed(me)))
		refuses(t, s.Signin.DeleteTOTP(background, storetest.Confirmed(me)), problem.NotFound, "")
		equal(t, "factors at the end", need(s.Signin.Factors(background, me, id))(t), signin.Factors{})
	})
}

func TestTryTOTP_LimitsConcurrentTries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		ok(t, s.Signin.BeginTOTP(background, storetest.Confirmed(f.asMember), []byte("x")))
		try := func() error {
			_, err := s.Signin.TryTOTP(background, platform, f.member.ID)
			return err
		}
		equal(t, "permitted tries", concurrently(t, 16, problem.RateLimited, try), 10)
		err := try()
		refuses(t, err, problem.RateLimited, "")
		if wait := problem.From(err).RetryAfter; wait <= 0 || wait > time.Minute {
			t.Errorf("got Retry-After %s, want at most a minute", wait)
		}
		ok(t, s.Signin.ConfirmTOTP(background, storetest.Confirmed(f.asMember),
			signin.Confirmation{Sealed: []byte("x"), Step: 1, Codes: [][32]byte{hash(newID())}}))
		ok(t, try())
	})
}

func TestChallenge_TriesAndTakesAreCountedExactly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		soon := time.Now().Add(time.Minute).UTC().Truncate(time.Microsecond)
		c := signin.Challenge{
			Hash: hash(newID()), Purpose: "a", UserID: f.member.ID, PasswordHash: "old", Data: []byte("data"), Tries: 3,
			ExpiresAt: soon,
		}
		ok(t, s.Signin.CreateChallenge(background, platform, c))
		_, err := s.Signin.TryChallenge(background, platform, "b", c.Hash)
		refuses(t, err, problem.NotFound, "")
		got := need(s.Signin.TryChallenge(background, platform, "a", c.Hash))(t)
		equal(t, "user", got.UserID, f.member.ID)
		equal(t, "password", got.PasswordHash, "old")
		equal(t, "data", string(got.Data), "data")
		equal(t, "tries left", got.Tries, 2)
		equal(t, "expiry", got.ExpiresAt, soon)
		equal(t, "permitted tries", concurrently(t, 8, problem.NotFound, func() error {
			_, err := s.Signin.TryChallenge(background, platform, "a", c.Hash)
			return err
		}), 2)
		ok(t, s.Signin.SetChallengeData(background, platform, c.Hash, []byte("more")))
		_, err = s.Signin.TakeChallenge(background, platform, "b", c.Hash)
		refuses(t, err, problem.NotFound, "")
		equal(t, "successful takes", concurrently(t, 8, problem.NotFound, func() error {
			taken, err := s.Signin.TakeChallenge(background, platform, "a", c.Hash)
			if err == nil && string(taken.Data) != "more" {
				return errors.New("the challenge has other data")
			}
			return err
		}), 1)
		refuses(t, s.Signin.SetChallengeData(background, platform, c.Hash, nil), problem.NotFound, "")

		over := signin.Challenge{Hash: hash(newID()), Purpose: "a", Tries: 1, ExpiresAt: time.Now().Add(-time.Second)}
		ok(t, s.Signin.CreateChallenge(background, platform, over))
		_, err = s.Signin.TryChallenge(background, platform, "a", over.Hash)
		refuses(t, err, problem.NotFound, "")
		_, err = s.Signin.TakeChallenge(background, platform, "a", over.Hash)
		refuses(t, err, problem.NotFound, "")
		ok(t, s.Sweep(background, platform))
		refuses(t, s.Signin.SetChallengeData(background, platform, over.Hash, nil), problem.NotFound, "")
	})
}

func TestPasskey_CreateRenameUseDelete(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		key := signin.Passkey{CredentialID: []byte("c1"), Name: "laptop", Credential: []byte(`{"a":1}`), SignCount: 3}
		made := need(s.Signin.CreatePasskey(background, storetest.Confirmed(f.asMember), key))(t)
		_, err := s.Signin.CreatePasskey(background, storetest.Confirmed(f.asOwner), key)
		refuses(t, err, problem.Conflict, "credential")
		_, err = s.Signin.CreatePasskey(background, storetest.Confirmed(f.asMember),
			signin.Passkey{CredentialID: []byte("c2")})
		refuses(t, err, problem.InvalidType, "name")
		_, err = s.Signin.RenamePasskey(background, storetest.Confirmed(f.asMember), made.ID, "a\nb")
		refuses(t, err, problem.InvalidType, "name")
		renamed := need(s.Signin.RenamePasskey(background, storetest.Confirmed(f.asMember), made.ID, "phone"))(t)
		equal(t, "name", renamed.Name, "phone")

		renamed.SignCount, renamed.Credential = 4, []byte(`{"a":2}`)
		equal(t, "successful uses of a sign count", concurrently(t, 4, problem.NotFound,
			func() error { return s.Signin.UsePasskey(background, platform, renamed, 3) }), 1)
		listed := need(s.Signin.Passkeys(background, platform, f.member.ID))(t)
		equal(t, "passkeys", len(listed), 1)
		equal(t, "sign count", listed[0].SignCount, 4)
		equal(t, "credential", string(listed[0].Credential), `{"a":2}`)
		equal(t, "the time of the last use is zero", listed[0].LastUsed.IsZero(), false)
		equal(t, "passkeys in the factors", need(s.Signin.Factors(background, f.asMember, f.member.ID))(t).Passkeys, 1)

		refuses(t, s.Signin.DeletePasskey(background, storetest.Confirmed(f.asOwner), made.ID), problem.NotFound, "")
		ok(t, s.Signin.DeletePasskey(background, storetest.Confirmed(f.asMember), made.ID))
		refuses(t, s.Signin.DeletePasskey(background, storetest.Confirmed(f.asMember), made.ID), problem.NotFound, "")
		refuses(t, s.Signin.UsePasskey(background, platform, renamed, 4), problem.NotFound, "")
		equal(t, "passkeys created concurrently", concurrently(t, signin.MaxPasskeys+4, problem.Conflict, func() error {
			_, err := s.Signin.CreatePasskey(background, storetest.Confirmed(f.asMember),
				signin.Passkey{CredentialID: []byte(newID().String()), Name: "x", Credential: []byte("{}")})
			return err
		}), signin.MaxPasskeys)
	})
}

func TestIdentity_LinkUseUnlink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		_, err := s.Signin.UseIdentity(background, platform, "https://a.example", "1")
		refuses(t, err, problem.NotFound, "")
		link := func(u tenant.User, issuer, subject string) error {
			return s.Signin.LinkIdentity(background, platform,
				signin.Identity{UserID: u.ID, Issuer: issuer, Subject: subject, Email: u.Email})
		}
		ok(t, link(f.member, "https://a.example", "1"))
		refuses(t, link(f.owner, "https://a.example", "1"), problem.Conflict, "identity")
		refuses(t, link(f.member, "https://a.example", "2"), problem.Conflict, "identity")
		ok(t, link(f.owner, "https://b.example", "1"))
		ok(t, link(f.member, "https://b.example", "2"))
		equal(t, "user", need(s.Signin.UseIdentity(background, platform, "https://b.example", "1"))(t), f.owner)
		equal(t, "user", need(s.Signin.UseIdentity(background, platform, "https://b.example", "2"))(t), f.member)

		mine := need(s.Signin.Identities(background, f.asMember))(t)
		equal(t, "identities", len(mine), 2)
		equal(t, "issuer", mine[0].Issuer, "https://a.example")
		refuses(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(f.asOwner), mine[0].ID),
			problem.NotFound, "")
		ok(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(f.asMember), mine[0].ID))
		refuses(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(f.asMember), mine[0].ID),
			problem.NotFound, "")
		_, err = s.Signin.UseIdentity(background, platform, "https://a.example", "1")
		refuses(t, err, problem.NotFound, "")
		equal(t, "identities", len(need(s.Signin.Identities(background, f.asMember))(t)), 1)
	})
}

func TestResetFactors_DeletesFactorsAndSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		ok(t, s.Signin.BeginTOTP(background, storetest.Confirmed(f.asMember), []byte("x")))
		ok(t, s.Signin.ConfirmTOTP(background, storetest.Confirmed(f.asMember),
			signin.Confirmation{Sealed: []byte("x"), Codes: [][32]byte{hash(newID())}}))
		need(s.Signin.CreatePasskey(background, storetest.Confirmed(f.asMember),
			signin.Passkey{CredentialID: []byte("c"), Name: "x", Credential: []byte("{}")}))(t)
		session := signin.NewSession{UserID: f.member.ID, PasswordHash: "old", Hash: hash(newID()),
			ExpiresAt: time.Now().Add(time.Hour)}
		ok(t, s.Signin.CreateSession(background, platform, session))
		ok(t, s.Signin.ResetFactors(background, storetest.Confirmed(f.asAdmin), f.member.ID))
		equal(t, "factors", need(s.Signin.Factors(background, platform, f.member.ID))(t), signin.Factors{})
		_, err := s.Signin.Session(background, platform, session.Hash)
		refuses(t, err, problem.NotFound, "")
		operator := need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			storeidentity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		// An operator has no tenant.
		ok(t, s.Signin.BeginTOTP(background, storetest.Confirmed(tenant.ScopeOf(operator)), []byte("x")))
		ok(t, s.Signin.ResetFactors(background, storetest.Confirmed(platform), operator.ID))
	})
}

// No other user can read or change a user's factors. Methods for programs refuse every user.
func TestFactors_BelongToTheirUserAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, beta := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		key := need(s.Signin.CreatePasskey(background, storetest.Confirmed(f.asMember),
			signin.Passkey{CredentialID: []byte("c"), Name: "x", Credential: []byte("{}")}))(t)
		ok(t, s.Signin.LinkIdentity(background, platform,
			signin.Identity{UserID: f.member.ID, Issuer: "i", Subject: "s"}))
		identity := need(s.Signin.Identities(background, f.asMember))(t)[0]
		operator := tenant.ScopeOf(need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			storeidentity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t))
		for _, scope := range []tenant.Scope{f.asOwner, f.asAdmin, beta.asOwner, operator} {
			_, err := s.Signin.Factors(background, scope, f.member.ID)
			refuses(t, err, problem.Forbidden, "")
			_, err = s.Signin.Passkeys(background, scope, f.member.ID)
			refuses(t, err, problem.Forbidden, "")
			_, err = s.Signin.RenamePasskey(background, storetest.Confirmed(scope), key.ID, "mine")
			refuses(t, err, problem.NotFound, "")
			refuses(t, s.Signin.DeletePasskey(background, storetest.Confirmed(scope), key.ID), problem.NotFound, "")
			refuses(t, s.Signin.UnlinkIdentity(background, storetest.Confirmed(scope), identity.ID),
				problem.NotFound, "")
			equal(t, "identities", len(need(s.Signin.Identities(background, scope))(t)), 0)
		}
		refuses(t, s.Signin.ResetFactors(background, storetest.Confirmed(beta.asOwner), f.member.ID),
			problem.NotFound, "")
		refuses(t, s.Signin.ResetFactors(background, storetest.Confirmed(f.asOwner), f.owner.ID), problem.Conflict, "")
		refuses(t, s.Signin.ResetFactors(background, storetest.Confirmed(f.asAdmin), f.owner.ID), problem.Forbidden, "")
		for _, scope := range []tenant.Scope{f.asMember, f.asOwner, operator, {}} {
			for what, err := range map[string]error{
				"CreateChallenge":  s.Signin.CreateChallenge(background, scope, signin.Challenge{}),
				"TryChallenge":     errorOf(s.Signin.TryChallenge(background, scope, "a", [32]byte{})),
				"TakeChallenge":    errorOf(s.Signin.TakeChallenge(background, scope, "a", [32]byte{})),
				"SetChallengeData": s.Signin.SetChallengeData(background, scope, [32]byte{}, nil),
				"TryTOTP":          errorOf(s.Signin.TryTOTP(background, scope, f.member.ID)),
				"UseTOTP":          s.Signin.UseTOTP(background, scope, f.member.ID, 1),
				"UseRecoveryCode":  s.Signin.UseRecoveryCode(background, scope, f.member.ID, [32]byte{}),
				"UsePasskey":       s.Signin.UsePasskey(background, scope, key, 0),
				"LinkIdentity":     s.Signin.LinkIdentity(background, scope, identity),
				"UseIdentity":      errorOf(s.Signin.UseIdentity(background, scope, "i", "s")),
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
			"CreatePasskey":        errorOf(s.Signin.CreatePasskey(background, storetest.Confirmed(nobody), key)),
			"DeletePasskey":        s.Signin.DeletePasskey(background, storetest.Confirmed(nobody), key.ID),
			"RenamePasskey": errorOf(s.Signin.RenamePasskey(background, storetest.Confirmed(nobody), key.ID,
				"x")), "Identities": errorOf(s.Signin.Identities(background, nobody)),
			"UnlinkIdentity": s.Signin.UnlinkIdentity(background, storetest.Confirmed(nobody), identity.ID),
			"ResetFactors":   s.Signin.ResetFactors(background, storetest.Confirmed(nobody), f.member.ID),
			"Factors":        errorOf(s.Signin.Factors(background, nobody, uuid.Nil)),
			"Passkeys":       errorOf(s.Signin.Passkeys(background, nobody, uuid.Nil)),
		} {
			if !problem.Is(err, problem.Forbidden) {
				t.Errorf("%s by the empty scope: got error %v, want Forbidden", what, err)
			}
		}
	})
}
