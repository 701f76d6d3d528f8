package storetest

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/job"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/signin"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// USD returns a cap of n dollars.
func USD(n money.Amount) *quotadb.Cap { return &quotadb.Cap{Amount: new(n * money.USD)} }

// Lease leases exactly amount to a relay that has no lease of the account.
func Lease(t testing.TB, s *store.Store, relay, account uuid.UUID, amount money.Amount) money.Amount {
	t.Helper()
	answer := Need(s.Quota.GrantLease(background, Platform, relay, quota.AccountRef{ID: account},
		quota.LeaseRequest{Stamp: 1, Need: amount, Want: 1}))(t)
	Equal(t, "leased", answer.Added, amount)
	return amount
}

// Changes returns the changes after a version. It fails the test if some are lost.
func Changes(t testing.TB, s *store.Store, after int64) []db.Change {
	t.Helper()
	changes, _, lost, err := s.Changes(background, Platform, db.Change{Version: after}, 0)
	OK(t, err)
	Equal(t, "lost", lost, false)
	return changes
}

// Drain drains the outbox in small steps and returns the number of rows.
func Drain(t testing.TB, s *store.Store) (count int) {
	t.Helper()
	for {
		n := Need(s.Rollup.DrainOutbox(background, Platform, 7))(t)
		if n == 0 {
			return count
		}
		count += n
	}
}

// DrainAttribution drains the outbox of attribution in transactions of up to limit rows.
func DrainAttribution(t testing.TB, s *store.Store, limit int) {
	t.Helper()
	for Need(s.Rollup.DrainAttribution(background, Platform, limit))(t) > 0 { //nolint:revive // the condition drains
	}
}

// Invite invites a member to the customer's tenant. The hash of the link's secret is SecretOf(email).
func Invite(t *testing.T, s *store.Store, f *Customer, email string) identity.Invitation {
	t.Helper()
	return Need(s.Identity.CreateInvitation(background, Confirmed(f.AsOwner), identity.NewInvitation{
		TenantID: f.Tenant.ID, Email: email, Role: tenant.Member, Hash: SecretOf(email),
		ExpiresAt: time.Now().Add(time.Hour),
	}))(t)
}

// SecretOf returns the hash that the tests give to the secret of a link.
func SecretOf(email string) (h [32]byte) {
	copy(h[:], email)
	return h
}

// MakeKey creates an access key of the scope's user, see NewKey.
func MakeKey(t *testing.T, s *store.Store, scope tenant.Scope) token.AccessKey {
	t.Helper()
	return Need(s.Token.CreateAccessKey(background, Confirmed(scope), NewKey(token.ReadUsage)))(t)
}

// NewKey returns the parameters of an access key with the scopes, whose hash is that of its id.
func NewKey(scopes ...token.AccessScope) tokendb.NewAccessKey {
	id := NewID()
	return tokendb.NewAccessKey{
		AccessKey: token.AccessKey{ID: id, Name: "ci", Mask: "tgk-…", Scopes: scopes,
			ExpiresAt: time.Now().Add(time.Hour)}, Hash: Hash(id),
	}
}

// SignIn creates a session of the user and returns it with its hash.
func SignIn(t *testing.T, s *store.Store, u tenant.User, client signin.Client) (signin.Session, [32]byte) {
	t.Helper()
	h := Hash(NewID())
	OK(t, s.Signin.CreateSession(background, Platform, signin.NewSession{
		UserID: u.ID, PasswordHash: "old", Hash: h, Client: client, ExpiresAt: time.Now().Add(time.Hour),
	}))
	return Need(s.Signin.Session(background, Platform, h))(t), h
}

// NewMail returns a mail that expires in an hour.
func NewMail(tenantID uuid.UUID, kind string) job.Mail {
	return job.Mail{ID: NewID(), TenantID: tenantID, Kind: kind, Content: []byte("sealed"),
		ExpiresAt: time.Now().Add(time.Hour)}
}
