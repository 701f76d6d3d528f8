package quota_test

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
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// operatorAt signs an operator in and returns the operator's scope, and the limit of the new session.
func operatorAt(t *testing.T, s *store.Store, limit money.Amount) (tenant.Scope, quotadb.SessionLimit) {
	t.Helper()
	user := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
		identity.NewUser{Email: "operator@example.com", Role: tenant.Operator, PasswordHash: "old"}))(t)
	h := storetest.Hash(storetest.NewID())
	storetest.OK(t, s.Signin.CreateSession(background, platform,
		signin.NewSession{UserID: user.ID, PasswordHash: "old", Hash: h, ExpiresAt: storetest.Noon.AddDate(10, 0, 0)}))
	session := storetest.Need(s.Signin.Session(background, platform, h))(t)
	return tenant.ScopeOf(user), quotadb.SessionLimit{Session: session.ID, Unconfirmed: limit, Life: 15 * time.Minute}
}

func TestAddEntry_BoundsWhatASessionGrantsWithoutAConfirmation(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		operator, limit := operatorAt(t, s, 10*money.USD)
		grant := func(kind quotadb.EntryKind, amount money.Amount, key string) error {
			_, err := s.Quota.AddEntry(background, operator, quotadb.NewEntry{TenantID: f.Tenant.ID, Kind: kind,
				Amount: amount, Reason: "r", Key: key, Session: limit})
			return err
		}
		transfer := func(amount money.Amount) error {
			_, _, err := s.Quota.TransferQuota(background, operator, quotadb.NewTransfer{FromTenantID: f.Tenant.ID,
				ToTenantID: other.Tenant.ID, Amount: amount, Reason: "r", Session: limit})
			return err
		}
		open := func(slug string, amount money.Amount) error {
			_, err := s.Identity.CreateTenant(background, operator,
				identity.NewTenant{Slug: slug, Name: slug, Quota: amount, Session: limit})
			return err
		}
		refused := func(err error) {
			t.Helper()
			storetest.Refuses(t, err, problem.ConfirmationRequired, "")
		}
		*now = storetest.Noon.Add(limit.Life - time.Microsecond)
		storetest.OK(t, grant(quotadb.Grant, 1000*money.USD, "")) // signing in was a proof
		*now = storetest.Noon.Add(limit.Life)
		refused(grant(quotadb.Grant, 10*money.USD+1, ""))
		storetest.OK(t, grant(quotadb.Grant, 4*money.USD, "k"))
		storetest.OK(t, grant(quotadb.Grant, 4*money.USD, "k")) // the same entry: counted once
		storetest.OK(t, grant(quotadb.Adjustment, -3*money.USD, ""))
		storetest.OK(t, transfer(money.USD))
		storetest.OK(t, open("one", money.USD))
		storetest.OK(t, open("none", 0))
		for _, err := range []error{grant(quotadb.Grant, money.USD+1, ""), grant(quotadb.Adjustment, -money.USD-1, ""),
			transfer(money.USD + 1), open("two", money.USD+1)} {
			refused(err)
		}
		storetest.OK(t, grant(quotadb.Grant, money.USD, ""))
		*now = storetest.Noon.AddDate(0, 0, 1) // waiting does not help
		refused(grant(quotadb.Grant, 1, ""))
		balanced(t, s, f.Tenant.ID)

		storetest.Need(s.Signin.ConfirmSession(background, platform, limit.Session, signin.ByPassword))(t)
		storetest.OK(t, grant(quotadb.Grant, 1000*money.USD, ""))
		*now = now.Add(limit.Life)
		refused(grant(quotadb.Grant, 10*money.USD+1, ""))
		storetest.OK(t, grant(quotadb.Grant, 10*money.USD, ""))
		refused(grant(quotadb.Grant, 1, ""))

		limit.Session = storetest.NewID()
		storetest.Refuses(t, grant(quotadb.Grant, 1, ""), problem.Unauthenticated, "")
	})
}

func TestAddEntry_HoldsTheLimitOfASessionInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		operator, limit := operatorAt(t, s, 5*money.USD)
		limit.Life = 0
		tenants := make([]uuid.UUID, 8) // of their own, so that no lock on a wallet puts the requests in an order
		for i := range tenants {
			tenants[i] = storetest.NewCustomer(t, s, fmt.Sprintf("t%d", i)).Tenant.ID
		}
		full := func(err error) bool { return problem.Is(err, problem.ConfirmationRequired) }
		storetest.Equal(t, "grants of $1 with a limit of $5", storetest.RaceUntil(t, full, func(i int) error {
			_, err := s.Quota.AddEntry(background, operator, quotadb.NewEntry{TenantID: tenants[i], Kind: quotadb.Grant,
				Amount: money.USD, Session: limit})
			return err
		}), 5)
	})
}

// keyOfOperator creates a key that may grant up to the limit a day, and returns the scope of a program that uses it.
func keyOfOperator(t *testing.T, s *store.Store, operator tenant.Scope, limit money.Amount) tenant.Scope {
	t.Helper()
	n := storetest.NewKey(token.WriteBilling, token.WriteTenants)
	n.GrantLimit = limit
	if limit == 0 {
		n.Scopes = []token.AccessScope{token.WriteTenants}
	}
	key := storetest.Need(s.Token.CreateAccessKey(background, storetest.Confirmed(operator), n))(t)
	return operator.Via(key.ID, key.Mask)
}

func TestAddEntry_BoundsWhatAKeyGrantsInADay(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	storetest.EachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		operator := storetest.AsOperator(t, s)
		n := storetest.NewKey(token.WriteBilling)
		n.GrantLimit, n.ExpiresAt = 10*money.USD, noon.Add(48*time.Hour)
		key := storetest.Need(s.Token.CreateAccessKey(background, storetest.Confirmed(operator), n))(t)
		program := operator.Via(key.ID, key.Mask)
		grant := func(kind quotadb.EntryKind, amount money.Amount, idempotency string) error {
			_, err := s.Quota.AddEntry(background, program,
				quotadb.NewEntry{TenantID: f.Tenant.ID, Kind: kind, Amount: amount, Reason: "r", Key: idempotency})
			return err
		}
		transfer := func(amount money.Amount) error {
			_, _, err := s.Quota.TransferQuota(background, program, quotadb.NewTransfer{FromTenantID: f.Tenant.ID,
				ToTenantID: other.Tenant.ID, Amount: amount, Reason: "r"})
			return err
		}
		before := len(ledgerOf(t, s, f.Tenant.ID))
		storetest.Refuses(t, grant(quotadb.Grant, 10*money.USD+1, ""), problem.Forbidden, "amount")
		storetest.OK(t, grant(quotadb.Grant, 4*money.USD, "k"))
		storetest.OK(t, grant(quotadb.Grant, 4*money.USD, "k")) // the same entry: counted once
		storetest.OK(t, grant(quotadb.Adjustment, -3*money.USD, ""))
		storetest.OK(t, transfer(2*money.USD))
		storetest.Refuses(t, transfer(money.USD+1), problem.Forbidden, "amount")
		storetest.Refuses(t, grant(quotadb.Adjustment, -money.USD-1, ""), problem.Forbidden, "amount")
		storetest.OK(t, grant(quotadb.Grant, money.USD, ""))
		storetest.Refuses(t, grant(quotadb.Grant, 1, ""), problem.Forbidden, "amount")
		storetest.Equal(t, "new entries", len(ledgerOf(t, s, f.Tenant.ID))-before, 4)
		balanced(t, s, f.Tenant.ID)

		*now = noon.Add(12*time.Hour - time.Microsecond)
		storetest.Refuses(t, grant(quotadb.Grant, 1, ""), problem.Forbidden, "amount")
		*now = noon.Add(12 * time.Hour)
		storetest.OK(t, grant(quotadb.Grant, 10*money.USD, ""))
		storetest.Refuses(t, grant(quotadb.Grant, 1, ""), problem.Forbidden, "amount")
		_, err := s.Quota.AddEntry(background, operator, quotadb.NewEntry{TenantID: f.Tenant.ID,
			Kind: quotadb.Grant, Amount: 1000 * money.USD, Reason: "by a person"})
		storetest.OK(t, err)
	})
}

func TestAddEntry_HoldsTheLimitOfAKeyInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		operator := storetest.AsOperator(t, s)
		program := keyOfOperator(t, s, operator, 5*money.USD)
		var tenants []uuid.UUID
		for i := range 8 {
			tenants = append(tenants, storetest.NewCustomer(t, s, fmt.Sprintf("t%d", i)).Tenant.ID)
		}
		var wg sync.WaitGroup
		var granted atomic.Int64
		for _, id := range tenants {
			wg.Go(func() {
				_, err := s.Quota.AddEntry(background, program,
					quotadb.NewEntry{TenantID: id, Kind: quotadb.Grant, Amount: money.USD})
				if err == nil {
					granted.Add(1)
				} else if !problem.Is(err, problem.Forbidden) {
					t.Errorf("got error %v, want a Forbidden problem", err)
				}
			})
		}
		wg.Wait()
		storetest.Equal(t, "grants of $1 with a limit of $5", granted.Load(), 5)
	})
}

func TestCreateTenant_CountsItsOpeningQuotaAgainstTheKey(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		operator := storetest.AsOperator(t, s)
		for i, limit := range []money.Amount{0, 5 * money.USD} {
			program := keyOfOperator(t, s, operator, limit)
			create := func(slug string, opening money.Amount) error {
				_, err := s.Identity.CreateTenant(background, program,
					identity.NewTenant{Slug: fmt.Sprintf("%s-%d", slug, i), Name: "x", Quota: opening})
				return err
			}
			storetest.OK(t, create("empty", 0))
			storetest.Refuses(t, create("over", limit+1), problem.Forbidden, "quota")
			if limit > 0 {
				storetest.OK(t, create("full", limit))
				storetest.Refuses(t, create("more", 1), problem.Forbidden, "quota")
			}
		}
	})
}
