package store_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
	"github.com/tollgate/tollgate/libs/store/token"
)

// A batch of a relay locks the accounts of all its calls in the order of their ids. If a change of two caps locked
// their windows in another order, the two could wait for each other, and with the batch all tenants in it.
func TestUpdateToken_LocksTheAccountsOfItsLimitsInTheOrderOfTheirIDs(t *testing.T) {
	r := newContest(t)
	acme := storetest.NewCustomer(t, r.Store, "acme")
	var id uuid.UUID
	var day, month quota.AccountRef
	for id == uuid.Nil || bytes.Compare(month.ID[:], day.ID[:]) > 0 {
		id = storetest.CreateToken(t, r.Store, acme.Member).ID
		limit := quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		day = limit.Account(time.Now())
		limit.Period = quota.Month
		month = limit.Account(time.Now())
	}
	set := func(amount money.Amount) error {
		_, err := r.Token.UpdateToken(background, acme.AsMember, id, token.Patch{Cap: storetest.USD(amount),
			Caps: quotadb.CapsPatch{Day: storetest.USD(amount), Month: storetest.USD(amount)}})
		return err
	}
	storetest.OK(t, set(1))
	storetest.OK(t, r.OpenWindow(background, day))
	storetest.OK(t, r.OpenWindow(background, month))

	holder := storetest.Need(r.watcher.Begin(background))(t)
	defer func() { _ = holder.Rollback(background) }()
	lock := func(account uuid.UUID) error {
		return holder.QueryRow(background, "SELECT id FROM accounts WHERE id = $1 FOR UPDATE NOWAIT", account).
			Scan(new(uuid.UUID))
	}
	storetest.OK(t, lock(month.ID))
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = set(2)
	}()
	r.awaitLock(done)
	storetest.OK(t, lock(day.ID)) // the change does not hold it while it waits for the month
	storetest.OK(t, holder.Commit(background))
	<-done
	storetest.OK(t, err)
	for _, account := range []uuid.UUID{id, day.ID, month.ID} {
		granted := storetest.Need(r.Quota.Account(background, platform, account))(t).Granted
		if granted == nil || *granted != 2*money.USD {
			t.Errorf("account %s grants %v after the change", account, granted)
		}
	}
}
