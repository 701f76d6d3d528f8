package store_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestTransient_IsTrueOnlyForFaultsOfTheDatabase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, problem := s.Identity.Tenant(background, platform, storetest.NewID())
		storetest.Equal(t, "nil", db.Transient(nil), false)
		storetest.Equal(t, "a problem", db.Transient(problem), false)
		storetest.OK(t, s.Close())
		storetest.OK(t, s.Close())
		_, gone := s.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{f.Call(f.Member, "m1", 1)})
		if !db.Transient(gone) {
			t.Errorf("a closed database: got error %v, want a transient one", gone)
		}
	})
}

func TestConnections_ReportsThePool(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		if pool := s.Connections(); pool.Max < 2 || pool.InUse != 0 {
			t.Errorf("got %+v, want at least 2 connections and none in use", pool)
		}
	})
}
