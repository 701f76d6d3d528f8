package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// newKey returns the parameters of an access key with the scopes, whose hash is that of its id.
func newKey(scopes ...token.AccessScope) tokendb.NewAccessKey {
	id := newID()
	return tokendb.NewAccessKey{
		AccessKey: token.AccessKey{ID: id, Name: "ci", Mask: "tgk-…", Scopes: scopes,
			ExpiresAt: time.Now().Add(time.Hour)}, Hash: hash(id),
	}
}

// asOperator creates an operator and returns the operator's scope.
func asOperator(t *testing.T, s *store.Store) tenant.Scope {
	t.Helper()
	return tenant.ScopeOf(need(s.Identity.CreateUser(background, storetest.Confirmed(platform), identity.NewUser{
		Email: "operator@example.com", Role: tenant.Operator, PasswordHash: "x",
	}))(t))
}

// race calls do in 8 goroutines and returns how many calls succeeded. All others must return a Conflict problem.
func race(t *testing.T, do func(i int) error) (done int) {
	t.Helper()
	return raceUntil(t, func(err error) bool { return problem.Is(err, problem.Conflict) }, do)
}

// raceUntil calls do in 8 goroutines and returns how many calls succeeded. All others must return an error that is
// full.
func raceUntil(t *testing.T, full func(error) bool, do func(i int) error) (done int) {
	t.Helper()
	var wg sync.WaitGroup
	var succeeded atomic.Int64
	start := make(chan struct{})
	for i := range 8 {
		wg.Go(func() {
			<-start
			err := do(i)
			if err == nil {
				succeeded.Add(1)
			} else if !full(err) {
				t.Errorf("got error %v, want one for a bound that is reached", err)
			}
		})
	}
	close(start)
	wg.Wait()
	return int(succeeded.Load())
}

func TestCreateAccessKey_HoldsItsMaximumInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		for range 49 {
			makeKey(t, s, f.asMember)
		}
		for range 20 {
			var last atomic.Pointer[token.AccessKey]
			equal(t, "keys created at 49 of 50", race(t, func(int) error {
				key, err := s.Token.CreateAccessKey(background, storetest.Confirmed(f.asMember),
					newKey(token.ReadUsage))
				if err == nil {
					last.Store(&key)
				}
				return err
			}), 1)
			ok(t, s.Token.RevokeAccessKey(background, storetest.Confirmed(f.asMember), last.Load().ID))
		}
	})
}

func TestCreateInvitation_HoldsItsMaximumInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		operator := asOperator(t, s)
		ask := func(scope tenant.Scope, n identity.NewInvitation) error {
			n.Hash, n.ExpiresAt = secretOf(n.Email), time.Now().Add(time.Hour)
			_, err := s.Identity.CreateInvitation(background, storetest.Confirmed(scope), n)
			return err
		}
		for i := range 199 {
			ok(t,
				ask(f.asOwner, identity.NewInvitation{TenantID: f.tenant.ID, Email: fmt.Sprintf("m%d@acme.example", i),
					Role: tenant.Member}))
			ok(t,
				ask(operator, identity.NewInvitation{Email: fmt.Sprintf("o%d@example.com", i), Role: tenant.Operator}))
		}
		equal(t, "invitations to a tenant at 199 of 200", race(t, func(i int) error {
			return ask(f.asOwner, identity.NewInvitation{TenantID: f.tenant.ID,
				Email: fmt.Sprintf("more%d@acme.example", i), Role: tenant.Member})
		}), 1)
		equal(t, "invitations of operators at 199 of 200", race(t, func(i int) error {
			return ask(operator, identity.NewInvitation{Email: fmt.Sprintf("more%d@example.com", i),
				Role: tenant.Operator})
		}), 1)
	})
}

func TestCreateAccessKey_RefusesScopesBeyondTheRole(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		operator := asOperator(t, s)
		for _, scope := range token.AccessScopes() {
			for _, who := range []tenant.Scope{f.asMember, f.asAdmin, f.asOwner, operator} {
				n := newKey(scope)
				if scope == token.WriteBilling {
					n.GrantLimit = 1
				}
				_, err := s.Token.CreateAccessKey(background, storetest.Confirmed(who), n)
				if allowed := permission.CheckAccessScope(who, scope) == nil; allowed != (err == nil) ||
					err != nil && !problem.Is(err, problem.Forbidden) {
					t.Errorf("%s, %s: got error %v, want none = %v", who.Role(), scope, err, allowed)
				}
			}
		}
	})
}

// keyOfOperator creates a key that may grant up to the limit a day, and returns the scope of a program that uses it.
func keyOfOperator(t *testing.T, s *store.Store, operator tenant.Scope, limit money.Amount) tenant.Scope {
	t.Helper()
	n := newKey(token.WriteBilling, token.WriteTenants)
	n.GrantLimit = limit
	if limit == 0 {
		n.Scopes = []token.AccessScope{token.WriteTenants}
	}
	key := need(s.Token.CreateAccessKey(background, storetest.Confirmed(operator), n))(t)
	return operator.Via(key.ID, key.Mask)
}

func TestAddEntry_BoundsWhatAKeyGrantsInADay(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		operator := asOperator(t, s)
		n := newKey(token.WriteBilling)
		n.GrantLimit, n.ExpiresAt = 10*money.USD, noon.Add(48*time.Hour)
		key := need(s.Token.CreateAccessKey(background, storetest.Confirmed(operator), n))(t)
		program := operator.Via(key.ID, key.Mask)
		grant := func(kind quotadb.EntryKind, amount money.Amount, idempotency string) error {
			_, err := s.Quota.AddEntry(background, program,
				quotadb.NewEntry{TenantID: f.tenant.ID, Kind: kind, Amount: amount, Reason: "r", Key: idempotency})
			return err
		}
		transfer := func(amount money.Amount) error {
			_, _, err := s.Quota.TransferQuota(background, program, quotadb.NewTransfer{FromTenantID: f.tenant.ID,
				ToTenantID: other.tenant.ID, Amount: amount, Reason: "r"})
			return err
		}
		before := len(ledgerOf(t, s, f.tenant.ID))
		refuses(t, grant(quotadb.Grant, 10*money.USD+1, ""), problem.Forbidden, "amount")
		ok(t, grant(quotadb.Grant, 4*money.USD, "k"))
		ok(t, grant(quotadb.Grant, 4*money.USD, "k")) // the same entry: counted once
		ok(t, grant(quotadb.Adjustment, -3*money.USD, ""))
		ok(t, transfer(2*money.USD))
		refuses(t, transfer(money.USD+1), problem.Forbidden, "amount")
		refuses(t, grant(quotadb.Adjustment, -money.USD-1, ""), problem.Forbidden, "amount")
		ok(t, grant(quotadb.Grant, money.USD, ""))
		refuses(t, grant(quotadb.Grant, 1, ""), problem.Forbidden, "amount")
		equal(t, "new entries", len(ledgerOf(t, s, f.tenant.ID))-before, 4)
		balanced(t, s, f.tenant.ID)

		*now = noon.Add(12*time.Hour - time.Microsecond)
		refuses(t, grant(quotadb.Grant, 1, ""), problem.Forbidden, "amount")
		*now = noon.Add(12 * time.Hour)
		ok(t, grant(quotadb.Grant, 10*money.USD, ""))
		refuses(t, grant(quotadb.Grant, 1, ""), problem.Forbidden, "amount")
		_, err := s.Quota.GrantQuota(background, operator, f.tenant.ID, 1000*money.USD, "by a person")
		ok(t, err)
	})
}

func TestAddEntry_HoldsTheLimitOfAKeyInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		operator := asOperator(t, s)
		program := keyOfOperator(t, s, operator, 5*money.USD)
		var tenants []uuid.UUID
		for i := range 8 {
			tenants = append(tenants, newCustomer(t, s, fmt.Sprintf("t%d", i)).tenant.ID)
		}
		var wg sync.WaitGroup
		var granted atomic.Int64
		for _, id := range tenants {
			wg.Go(func() {
				_, err := s.Quota.GrantQuota(background, program, id, money.USD, "")
				if err == nil {
					granted.Add(1)
				} else if !problem.Is(err, problem.Forbidden) {
					t.Errorf("got error %v, want a Forbidden problem", err)
				}
			})
		}
		wg.Wait()
		equal(t, "grants of $1 with a limit of $5", granted.Load(), 5)
	})
}

func TestCreateTenant_CountsItsOpeningQuotaAgainstTheKey(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		operator := asOperator(t, s)
		for i, limit := range []money.Amount{0, 5 * money.USD} {
			program := keyOfOperator(t, s, operator, limit)
			create := func(slug string, opening money.Amount) error {
				_, err := s.Identity.CreateTenant(background, program,
					identity.NewTenant{Slug: fmt.Sprintf("%s-%d", slug, i), Name: "x", Quota: opening})
				return err
			}
			ok(t, create("empty", 0))
			refuses(t, create("over", limit+1), problem.Forbidden, "amount")
			if limit > 0 {
				ok(t, create("full", limit))
				refuses(t, create("more", 1), problem.Forbidden, "amount")
			}
		}
	})
}
