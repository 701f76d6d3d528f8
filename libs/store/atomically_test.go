package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestAtomically_KeepsAllOrNothingAndNests(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		errRollback := errors.New("rollback")
		group := func(s *store.Store, name string) error {
			_, err := s.Catalog.CreateGroup(background, platform, name, nil)
			return err
		}
		names := func() (names []string) {
			for _, g := range storetest.Need(s.Catalog.Groups(background, platform, storepage.Page{}))(t).Items {
				names = append(names, g.Name)
			}
			return names
		}
		err := s.Atomically(background, func(tx *store.Store) error {
			storetest.OK(t, group(tx, "a"))
			return errRollback
		})
		storetest.Equal(t, "the error is returned", errors.Is(err, errRollback), true)
		storetest.Equal(t, "groups after the rollback", len(names()), 0)
		storetest.Equal(t, "announcements after the rollback", len(storetest.Changes(t, s, 0)), 0)

		storetest.OK(t, s.Atomically(background, func(tx *store.Store) error {
			storetest.OK(t, group(tx, "a"))
			inner := tx.Atomically(background, func(tx *store.Store) error {
				storetest.OK(t, group(tx, "b"))
				return errRollback
			})
			storetest.Equal(t, "the inner error is returned", errors.Is(inner, errRollback), true)
			storetest.Refuses(t, group(tx, "a"), problem.Conflict, "name") // the transaction continues after the error
			storetest.Equal(t, "groups seen inside",
				len(storetest.Need(tx.Catalog.Groups(background, platform, storepage.Page{}))(t).Items), 1)
			return tx.Atomically(background, func(tx *store.Store) error { return group(tx, "c") })
		}))
		storetest.Equal(t, "groups after the commit", fmt.Sprint(names()), "[a c]")
		storetest.Equal(t, "announcements after the commit", len(storetest.Changes(t, s, 0)), 1)

		func() {
			defer func() { _ = recover() }()
			_ = s.Atomically(background, func(tx *store.Store) error {
				storetest.OK(t, group(tx, "d"))
				panic("adapter")
			})
		}()
		storetest.Equal(t, "groups after a panic", fmt.Sprint(names()), "[a c]")
	})
}

// A repeat in the same transaction records nothing.
func TestRecordEvents_WorksInsideATransaction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		one, two := f.Call(f.Member, "m1", 1), f.Call(f.Member, "m1", 2)
		storetest.OK(t, s.Atomically(background, func(tx *store.Store) error {
			storetest.Equal(t, "events of the first call",
				storetest.Need(tx.Metering.RecordEvents(background, platform, storetest.NewID(),
					[]usage.Event{one}))(t), 1)
			storetest.Equal(t, "events of the second call",
				storetest.Need(tx.Metering.RecordEvents(background, platform, storetest.NewID(),
					[]usage.Event{one, two}))(t), 1)
			return nil
		}))
		used, _ := storetest.Account(t, s, f.Tenant.ID)
		storetest.Equal(t, "used", used, 3)
	})
}
