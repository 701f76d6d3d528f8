package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// operatorAt signs an operator in and returns the operator's scope, and the limit of the new session.
func operatorAt(t *testing.T, s *store.Store, limit money.Amount) (tenant.Scope, quotadb.SessionLimit) {
	t.Helper()
	user := need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
		identity.NewUser{Email: "operator@example.com", Role: tenant.Operator, PasswordHash: "old"}))(t)
	h := hash(newID())
	ok(t, s.Signin.CreateSession(background, platform, signin.NewSession{UserID: user.ID, PasswordHash: "old", Hash: h,
		ExpiresAt: noon.AddDate(10, 0, 0)}))
	session := need(s.Signin.Session(background, platform, h))(t)
	return tenant.ScopeOf(user), quotadb.SessionLimit{Session: session.ID, Unconfirmed: limit, Life: 15 * time.Minute}
}

func TestAddEntry_BoundsWhatASessionGrantsWithoutAConfirmation(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		operator, limit := operatorAt(t, s, 10*money.USD)
		grant := func(kind quotadb.EntryKind, amount money.Amount, key string) error {
			_, err := s.Quota.AddEntry(background, operator, quotadb.NewEntry{TenantID: f.tenant.ID, Kind: kind,
				Amount: amount, Reason: "r", Key: key, Session: limit})
			return err
		}
		transfer := func(amount money.Amount) error {
			_, _, err := s.Quota.TransferQuota(background, operator, quotadb.NewTransfer{FromTenantID: f.tenant.ID,
				ToTenantID: other.tenant.ID, Amount: amount, Reason: "r", Session: limit})
			return err
		}
		open := func(slug string, amount money.Amount) error {
			_, err := s.Identity.CreateTenant(background, operator,
				identity.NewTenant{Slug: slug, Name: slug, Quota: amount, Session: limit})
			return err
		}
		refused := func(err error) {
			t.Helper()
			refuses(t, err, problem.ConfirmationRequired, "")
		}
		*now = noon.Add(limit.Life - time.Microsecond)
		ok(t, grant(quotadb.Grant, 1000*money.USD, "")) // signing in was a proof
		*now = noon.Add(limit.Life)
		refused(grant(quotadb.Grant, 10*money.USD+1, ""))
		ok(t, grant(quotadb.Grant, 4*money.USD, "k"))
		ok(t, grant(quotadb.Grant, 4*money.USD, "k")) // the same entry: counted once
		ok(t, grant(quotadb.Adjustment, -3*money.USD, ""))
		ok(t, transfer(money.USD))
		ok(t, open("one", money.USD))
		ok(t, open("none", 0))
		for _, err := range []error{grant(quotadb.Grant, money.USD+1, ""), grant(quotadb.Adjustment, -money.USD-1, ""),
			transfer(money.USD + 1), open("two", money.USD+1)} {
			refused(err)
		}
		ok(t, grant(quotadb.Grant, money.USD, ""))
		*now = noon.AddDate(0, 0, 1) // waiting does not help
		refused(grant(quotadb.Grant, 1, ""))
		balanced(t, s, f.tenant.ID)

		need(s.Signin.ConfirmSession(background, platform, limit.Session, signin.ByPassword))(t)
		ok(t, grant(quotadb.Grant, 1000*money.USD, ""))
		*now = now.Add(limit.Life)
		refused(grant(quotadb.Grant, 10*money.USD+1, ""))
		ok(t, grant(quotadb.Grant, 10*money.USD, ""))
		refused(grant(quotadb.Grant, 1, ""))

		limit.Session = newID()
		refuses(t, grant(quotadb.Grant, 1, ""), problem.Unauthenticated, "")
	})
}

func TestAddEntry_HoldsTheLimitOfASessionInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		operator, limit := operatorAt(t, s, 5*money.USD)
		limit.Life = 0
		tenants := make([]uuid.UUID, 8) // of their own, so that no lock on a wallet puts the requests in an order
		for i := range tenants {
			tenants[i] = newCustomer(t, s, fmt.Sprintf("t%d", i)).tenant.ID
		}
		full := func(err error) bool { return problem.Is(err, problem.ConfirmationRequired) }
		equal(t, "grants of $1 with a limit of $5", raceUntil(t, full, func(i int) error {
			_, err := s.Quota.AddEntry(background, operator, quotadb.NewEntry{TenantID: tenants[i], Kind: quotadb.Grant,
				Amount: money.USD, Session: limit})
			return err
		}), 5)
	})
}
