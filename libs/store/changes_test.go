package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// A reader polls while eight writers make changes.
func TestChanges_AreInOrderWithoutGaps(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const writers, each = 8, 10
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					if _, err := s.Catalog.CreateGroup(background, platform, fmt.Sprintf("g%d-%d", w, i),
						nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		var version int64
		for version < writers*each && !t.Failed() {
			for _, change := range storetest.Changes(t, s, version) {
				if change.Version != version+1 {
					t.Fatalf("got version %d after %d, want no gap", change.Version, version)
				}
				version = change.Version
			}
		}
		wg.Wait()
		storetest.Equal(t, "changes after the last version", len(storetest.Changes(t, s, version)), 0)
		first, next, lost, err := s.Changes(background, platform, db.Change{Version: 3}, 2)
		storetest.OK(t, err)
		storetest.Equal(t, "changes with limit 2", fmt.Sprint(first[0].Version, first[1].Version, len(first), lost),
			"4 5 2 false")
		storetest.Equal(t, "last known change", next, first[1])
	})
}

func TestChanges_ReportsLostVersions(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			var now atomic.Int64
			now.Store(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).Unix())
			clock := func() time.Time { return time.Unix(now.Load(), 0) }
			s := storetest.Open(t, db.Options{URL: url(t), Now: clock})
			group := func(name string) { storetest.Need(s.Catalog.CreateGroup(background, platform, name, nil))(t) }
			lost := func(version int64) bool {
				t.Helper()
				changes, next, lost, err := s.Changes(background, platform, db.Change{Version: version}, 0)
				storetest.OK(t, err)
				if lost && (changes != nil || next.Version == version) {
					t.Errorf("lost after version %d: got %v and %v, want only another version", version, changes, next)
				}
				return lost
			}
			group("a")
			group("b")
			now.Add(int64(25 * time.Hour / time.Second))
			storetest.OK(t, s.Sweep(background, platform))
			storetest.Equal(t, "lost after version 0", lost(0), true)
			storetest.Equal(t, "lost after the last version", lost(2), false)
			group("c")
			storetest.Equal(t, "lost after version 1", lost(1), true)
			later := storetest.Changes(t, s, 2)
			storetest.Equal(t, "changes after version 2", len(later), 1)
			storetest.Equal(t, "time of the change", later[0].CreatedAt.Equal(clock()), true)
			storetest.Equal(t, "lost after a version of the future", lost(99), true)
			storetest.Equal(t, "lost after version 3", lost(3), false)
		})
	}
}

// A failover to a server that had not received the last commits gives their versions to other changes.
func TestChanges_ReportVersionsThatAFailoverLost(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
			at := url(t)
			s := storetest.Open(t, db.Options{URL: at, Now: func() time.Time { return now }})
			commit := func(name string) {
				now = now.Add(time.Second)
				storetest.Need(s.Catalog.CreateGroup(background, platform, name, nil))(t)
			}
			check := func(when string, after db.Change, want string) db.Change {
				t.Helper()
				changes, next, lost, err := s.Changes(background, platform, after, 0)
				storetest.OK(t, err)
				storetest.Equal(t, when, fmt.Sprint(len(changes), lost, next.Version), want)
				return next
			}
			commit("a")
			commit("b")
			last := check("both commits", db.Change{}, "2 false 2")
			storetest.Exec(t, at, "DELETE FROM changes WHERE version = 2")
			storetest.Exec(t, at, "UPDATE change_feed SET version = 1")
			before := check("after the failover", last, "0 true 1")
			check("after the reload", before, "0 false 1")
			commit("c")
			check("next commit after the reload", before, "1 false 2")
			again := check("next commit without a reload before", last, "0 true 2")
			check("after that reload", again, "0 false 2")
			commit("d")
			check("two commits without a reload before", last, "0 true 3")
			check("the second commit after the reload", again, "1 false 3")
			again = check("only a version is known", db.Change{Version: 3}, "0 false 3")
			storetest.Equal(t, "its time is known", again.CreatedAt.Equal(now), true)
		})
	}
}

func TestChanges_AnnounceEachKindOfChange(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		tokenID := f.Tokens[f.Member.ID].ID
		model, channel := storetest.AddModel(t, s, "m1")
		cases := map[string]struct {
			do   func() error
			want string
		}{
			"tenant": {func() error {
				_, err := s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
					identity.TenantPatch{Name: new("x")})
				return err
			}, "[tenant tenant]"},
			"user": {func() error {
				_, err := s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
					identity.UserPatch{Role: new(tenant.Admin)})
				return err
			}, "[user member]"},
			"user's cap": {func() error {
				_, err := s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
					identity.UserPatch{Cap: &quotadb.Cap{}})
				return err
			}, ""},
			"token": {func() error {
				_, err := s.Token.UpdateToken(background, platform, tokenID, tokendb.Patch{Name: new("x")})
				return err
			}, "[token token]"},
			"group": {func() error {
				_, err := s.Catalog.UpdateGroup(background, platform, f.Group.ID, catalogdb.GroupPatch{Name: new("x")})
				return err
			}, "[catalog nil]"},
			"model": {func() error {
				_, err := s.Catalog.UpdateModel(background, platform, model.ID, catalogdb.ModelPatch{OwnedBy: new("x")})
				return err
			}, "[catalog nil]"},
			"channel": {func() error {
				_, err := s.Catalog.UpdateChannel(background, platform, channel.ID,
					catalogdb.ChannelPatch{Name: new("x")})
				return err
			}, "[catalog nil]"},
			"grant": {func() error {
				_, err := s.Quota.AddEntry(background, platform,
					quotadb.NewEntry{TenantID: f.Tenant.ID, Kind: quotadb.Grant, Amount: 1})
				return err
			}, "[account tenant]"},
			"unchanged value": {func() error {
				_, err := s.Catalog.UpdateGroup(background, platform, f.Group.ID,
					catalogdb.GroupPatch{Models: &[]string{"*"}})
				return err
			}, ""},
			"refused change": {func() error {
				_, _ = s.Identity.UpdateTenant(background, platform, f.Tenant.ID, identity.TenantPatch{Name: new("")})
				return nil
			}, ""},
		}
		names := map[[16]byte]string{f.Tenant.ID: "tenant", f.Member.ID: "member", tokenID: "token", {}: "nil"}
		for name, c := range cases {
			before := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Version
			storetest.OK(t, c.do())
			got := ""
			for _, change := range storetest.Changes(t, s, before) {
				got += fmt.Sprint([]string{string(change.Topic), names[change.Ref]})
			}
			storetest.Equal(t, "announcements of "+name, got, c.want)
		}
	})
}

func TestListen_WakesAfterChangesAndReconnects(t *testing.T) {
	url := storetest.Postgres(t)
	s := storetest.Open(t, db.Options{URL: url})
	ctx, cancel := context.WithCancel(background)
	woken, done := make(chan struct{}, 100), make(chan error, 1)
	go func() { done <- s.Listen(ctx, platform, func() { woken <- struct{}{} }) }()
	wait := func(what string) {
		t.Helper()
		select {
		case <-woken:
		case <-time.After(30 * time.Second):
			t.Fatalf("not woken %s within 30 s", what)
		}
	}
	wait("at the start")
	storetest.Need(s.Catalog.CreateGroup(background, platform, "a", nil))(t)
	wait("by a change")
	storetest.Exec(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND "+
		"pid <> pg_backend_pid()")
	wait("after the connection broke")
	storetest.Need(s.Catalog.CreateGroup(background, platform, "b", nil))(t)
	wait("by a change after the reconnect")
	cancel()
	storetest.OK(t, <-done)
}

func TestListen_EndsWithItsContextOnSQLite(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	ctx, cancel := context.WithCancel(background)
	cancel()
	storetest.OK(t, s.Listen(ctx, platform, func() { t.Error("wake was called") }))
}
