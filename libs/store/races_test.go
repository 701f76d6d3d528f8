package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// contest is a store on Postgres. On SQLite, transactions run one after the other.
type contest struct {
	*testing.T
	*store.Store
	watcher *pgx.Conn
}

func newContest(t *testing.T) *contest {
	t.Helper()
	t.Parallel()
	return contestOn(t, storetest.Postgres(t), nil)
}

// contestOn returns a contest on the database, with the clock now; nil: time.Now.
func contestOn(t *testing.T, url string, now func() time.Time) *contest {
	t.Helper()
	r := &contest{T: t, Store: storetest.Open(t, db.Options{URL: url, Now: now})}
	r.watcher = storetest.Need(pgx.Connect(background, url))(t)
	t.Cleanup(func() { _ = r.watcher.Close(background) })
	return r
}

// overlap runs first in a transaction, and second in others while that transaction is open. The transaction commits
// when second waits for a lock or has ended. overlap fails the test if first does, and returns the error of second.
func (r *contest) overlap(first func(*store.Store) error, second func(*store.Store) error) (err error) {
	r.Helper()
	done := make(chan struct{})
	storetest.OK(r, r.Atomically(background, func(tx *store.Store) error {
		if err := first(tx); err != nil {
			close(done)
			return err
		}
		go func() {
			defer close(done)
			err = second(r.Store)
		}()
		r.awaitLock(done)
		return nil
	}))
	<-done
	return err
}

// awaitLock returns when a transaction waits for a lock, or done is closed.
func (r *contest) awaitLock(done <-chan struct{}) {
	r.Helper()
	ctx, cancel := context.WithTimeout(background, 30*time.Second)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for waiting := false; !waiting; {
		select {
		case <-done:
			return
		case <-again.C:
		}
		err := r.watcher.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = "+
			"current_database() AND wait_event_type = 'Lock')").Scan(&waiting)
		if err != nil {
			r.Fatal(err)
		}
	}
}

// overlapLast creates one less than most, and then two at the same time, and checks that the second one is a problem of
// the kind.
func (r *contest) overlapLast(what string, most int, kind problem.Kind, create func(*store.Store) error) {
	r.Helper()
	for range most - 1 {
		storetest.OK(r, create(r.Store))
	}
	if err := r.overlap(create, create); !problem.Is(err, kind) {
		r.Errorf("%s: got %v for one more than %d, want %s", what, err, most, kind)
	}
}

// entries returns the number of entries of the audit log with the action.
func (r *contest) entries(action string) int {
	r.Helper()
	all := storetest.Need(r.Audit.List(background, platform, audit.Query{Page: storepage.Page{Limit: 200}}))(r).Items
	return len(slices.DeleteFunc(all, func(e audit.Entry) bool { return e.Action != action }))
}

// A relay that was silent asks for a lease while its leases are being ended.
func TestReleaseLeases_KeepsALeaseThatIsGrantedMeanwhile(t *testing.T) {
	r := newContest(t)
	acme, globex, relay := storetest.NewCustomer(t, r.Store, "acme"), storetest.NewCustomer(t, r.Store, "globex"),
		storetest.NewID()
	storetest.Lease(t, r.Store, relay, acme.Tenant.ID, money.USD)
	released := make(chan struct{})
	storetest.OK(t, r.Atomically(background, func(tx *store.Store) error {
		_, err := tx.Quota.AddEntry(background, platform, quotadb.NewEntry{TenantID: acme.Tenant.ID,
			Kind: quotadb.Grant, Amount: money.USD, Reason: "locks the wallet"})
		if err != nil {
			return err
		}
		go func() {
			defer close(released)
			if err := r.Quota.ReleaseLeases(background, platform, relay); err != nil {
				t.Error(err)
			}
		}()
		r.awaitLock(released)
		storetest.Lease(t, r.Store, relay, globex.Tenant.ID, 2*money.USD)
		return nil
	}))
	<-released
	_, leased := storetest.Account(t, r.Store, globex.Tenant.ID)
	storetest.Equal(t, "leased amount of the account, and of its leases", leased,
		storetest.Need(r.Quota.RelayLeases(background, platform, relay))(t)[globex.Tenant.ID].Amount)
	_, leased = storetest.Account(t, r.Store, acme.Tenant.ID)
	storetest.Equal(t, "leased amount of the account whose lease ended", leased, 0)
}

func TestCreateUser_GivesAnAddressOfATenantOnce(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	create := func(address string) func(*store.Store) error {
		return func(s *store.Store) error {
			_, err := s.Identity.CreateUser(background, storetest.Confirmed(f.AsAdmin),
				identity.NewUser{TenantID: f.Tenant.ID, Email: address, Role: tenant.Member})
			return err
		}
	}
	storetest.Refuses(t, r.overlap(create("new@acme.example"), create("new@acme.example")), problem.Conflict, "email")

	storetest.Need(r.Identity.CreateInvitation(background, storetest.Confirmed(platform), identity.NewInvitation{
		TenantID: f.Tenant.ID, Email: "invited@acme.example", Role: tenant.Member, GroupID: f.Group.ID,
		Hash: storetest.SecretOf("x"), Proof: tenant.Mailed, ExpiresAt: time.Now().Add(time.Hour),
	}))(t)
	accept := func(s *store.Store) error {
		_, err := s.Identity.AcceptInvitation(background, platform, storetest.SecretOf("x"), "hash")
		return err
	}
	storetest.Refuses(t, r.overlap(create("invited@acme.example"), accept), problem.Conflict, "email")
	users := storetest.Need(r.Identity.Users(background, platform, identity.UserFilter{TenantID: f.Tenant.ID},
		storepage.Page{Limit: 100}))(t).Items
	storetest.Equal(t, "users", len(users), 5)
}

// Two tenants make an account for the same address, and then both people prove it, at the same time.
func TestAddress_HasOneOwner(t *testing.T) {
	r := newContest(t)
	acme, globex := storetest.NewCustomer(t, r.Store, "acme"), storetest.NewCustomer(t, r.Store, "globex")
	made := map[uuid.UUID]uuid.UUID{}
	create := func(f *storetest.Customer) func(*store.Store) error {
		return func(s *store.Store) error {
			user, err := s.Identity.CreateUser(background, storetest.Confirmed(f.AsOwner), identity.NewUser{
				TenantID: f.Tenant.ID, Email: "new@x.example", Role: tenant.Member, PasswordHash: "hash"})
			made[f.Tenant.ID] = user.ID
			return err
		}
	}
	storetest.OK(t, r.overlap(create(&acme), create(&globex)))
	wantOwner(t, r.Store, "new@x.example", made[acme.Tenant.ID])
	wantAddress(t, r.Store, made[globex.Tenant.ID], "new@x.example")

	prove := func(f *storetest.Customer) func(*store.Store) error {
		return func(s *store.Store) error { return tryToProve(s, made[f.Tenant.ID]) }
	}
	storetest.Refuses(t, r.overlap(prove(&globex), prove(&acme)), problem.Conflict, "email")
	wantOwner(t, r.Store, "new@x.example", made[globex.Tenant.ID])
	storetest.Equal(t, "entries of proofs", r.entries("user.prove_email"), 1)
	storetest.Equal(t, "entries of lost addresses", r.entries("user.release_email"), 1)
}

// tryToProve proves the address of the user by a mailed link.
func tryToProve(s *store.Store, id uuid.UUID) error {
	hash := storetest.Hash(storetest.NewID())
	_, err := s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform), identity.NewReset{
		UserID: id, Hash: hash, Proof: tenant.Mailed, ExpiresAt: time.Now().Add(time.Hour)})
	if err == nil {
		_, err = s.Identity.ResetPassword(background, platform, hash, "hash")
	}
	return err
}

// Two people with the same address at the issuer sign in for the first time, to an account that was handed over.
func TestLinkIdentity_LetsOnePersonTakeTheAccountOver(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	user := storetest.Need(r.Identity.CreateUser(background, storetest.Confirmed(platform), identity.NewUser{
		TenantID: f.Tenant.ID, Email: "new@acme.example", Role: tenant.Member, GroupID: f.Group.ID,
		Proof: tenant.HandedOver,
	}))(t)
	// Which both delete.
	storetest.OK(t, r.Signin.BeginTOTP(background, storetest.Confirmed(tenant.ScopeOf(user)), []byte("sealed")))
	link := func(subject string) func(*store.Store) error {
		return func(s *store.Store) error {
			return s.Signin.LinkIdentity(background, platform,
				signin.Identity{UserID: user.ID, Issuer: "https://idp.example", Subject: subject, Email: user.Email})
		}
	}
	storetest.Refuses(t, r.overlap(link("first"), link("second")), problem.Conflict, "identity")
	storetest.Equal(t, "user of the first identity",
		storetest.Need(r.Signin.UseIdentity(background, platform, uuid.Nil, "https://idp.example", "first"))(t).ID, user.ID)
}

// Two people know the password of an account, and both change it. The second change is refused.
func TestUpdateUser_ReplacesAnOldPasswordOnce(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	change := func(before, after string) func(*store.Store) error {
		return func(s *store.Store) error {
			_, err := s.Identity.UpdateUser(background, storetest.Confirmed(f.AsMember), f.Member.ID,
				identity.UserPatch{PasswordHash: &after, OldPasswordHash: &before})
			return err
		}
	}
	storetest.Refuses(t, r.overlap(change("old", "first"), change("old", "second")), problem.Unauthenticated, "")
	_, got, err := r.Identity.UserWithPassword(background, platform, f.Member.Email)
	storetest.OK(t, err)
	storetest.Equal(t, "password", got, "first")
	storetest.OK(t, change("first", "third")(r.Store))
}

// The factors of a user are reset while a sign-in with them ends.
func TestResetFactors_EndsASignInThatIsInProgress(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	reset := func(s *store.Store) error {
		return s.Signin.ResetFactors(background, storetest.Confirmed(f.AsOwner), f.Member.ID)
	}
	n := signin.NewSession{UserID: f.Member.ID, PasswordHash: "old", Hash: storetest.Hash(storetest.NewID()),
		ExpiresAt: time.Now().Add(time.Hour)}
	open := func(s *store.Store) error { return s.Signin.CreateSession(background, platform, n) }

	n.Challenge = new(storetest.Hash(storetest.NewID()))
	challenge := signin.Challenge{Hash: *n.Challenge, Purpose: "second factor", UserID: f.Member.ID,
		PasswordHash: "old", Tries: 5, ExpiresAt: time.Now().Add(time.Hour)}
	storetest.OK(t, r.Signin.CreateChallenge(background, platform, challenge))
	storetest.Refuses(t, r.overlap(reset, open), problem.NotFound, "")
	storetest.OK(t, r.Signin.CreateChallenge(background, platform, challenge))
	storetest.Refuses(t, r.overlap(open, func(s *store.Store) error {
		again := n
		again.Hash = storetest.Hash(storetest.NewID())
		return s.Signin.CreateSession(background, platform, again)
	}), problem.NotFound, "")

	n.Challenge = nil
	for _, first := range []bool{true, false} { // whether the reset comes first
		n.Hash = storetest.Hash(storetest.NewID())
		n.Passkey = storetest.Need(r.Signin.CreatePasskey(background, storetest.Confirmed(f.AsMember),
			signin.Passkey{CredentialID: []byte("x"), Name: "x", Credential: []byte("x")}))(t).ID
		if first {
			storetest.Refuses(t, r.overlap(reset, open), problem.Unauthenticated, "")
		} else {
			storetest.OK(t, r.overlap(open, reset))
		}
		_, err := r.Signin.Session(background, platform, n.Hash)
		storetest.Refuses(t, err, problem.NotFound, "")
	}
}

func TestSetLanguage_IsRecordedOnce(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	set := func(s *store.Store) error {
		return s.Identity.SetLanguage(background, f.AsMember, language.SimplifiedChinese)
	}
	storetest.OK(t, r.overlap(set, set))
	storetest.Equal(t, "entries", r.entries("user.update"), 1)
}
