package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
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
	r.watcher = need(pgx.Connect(background, url))(t)
	t.Cleanup(func() { _ = r.watcher.Close(background) })
	return r
}

// overlap runs first in a transaction, and second in others while that transaction is open. The transaction commits when
// second waits for a lock or has ended. overlap fails the test if first does, and returns the error of second.
func (r *contest) overlap(first func(*store.Store) error, second func(*store.Store) error) (err error) {
	r.Helper()
	done := make(chan struct{})
	ok(r, r.Atomically(background, func(tx *store.Store) error {
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
		err := r.watcher.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting)
		if err != nil {
			r.Fatal(err)
		}
	}
}

// A relay that was silent asks for a lease while its leases are being ended.
func TestReleaseLeases_KeepsALeaseThatIsGrantedMeanwhile(t *testing.T) {
	r := newContest(t)
	acme, globex, relay := newCustomer(t, r.Store, "acme"), newCustomer(t, r.Store, "globex"), newID()
	lease(t, r.Store, relay, acme.tenant.ID, money.USD)
	released := make(chan struct{})
	ok(t, r.Atomically(background, func(tx *store.Store) error {
		if _, err := tx.Quota.GrantQuota(background, platform, acme.tenant.ID, money.USD, "locks the wallet"); err != nil {
			return err
		}
		go func() {
			defer close(released)
			if err := r.Quota.ReleaseLeases(background, platform, relay); err != nil {
				t.Error(err)
			}
		}()
		r.awaitLock(released)
		lease(t, r.Store, relay, globex.tenant.ID, 2*money.USD)
		return nil
	}))
	<-released
	_, leased := account(t, r.Store, globex.tenant.ID)
	equal(t, "leased amount of the account, and of its leases", leased, need(r.Quota.RelayLeases(background, platform, relay))(t)[globex.tenant.ID].Amount)
	_, leased = account(t, r.Store, acme.tenant.ID)
	equal(t, "leased amount of the account whose lease ended", leased, 0)
}
