package token_test

import (
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestCreateAccessKey_HoldsItsMaximumInARace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		for range 49 {
			storetest.MakeKey(t, s, f.AsMember)
		}
		for range 20 {
			var last atomic.Pointer[token.AccessKey]
			storetest.Equal(t, "keys created at 49 of 50", storetest.Race(t, func(int) error {
				key, err := s.Token.CreateAccessKey(background, storetest.Confirmed(f.AsMember),
					storetest.NewKey(token.ReadUsage))
				if err == nil {
					last.Store(&key)
				}
				return err
			}), 1)
			storetest.OK(t, s.Token.RevokeAccessKey(background, storetest.Confirmed(f.AsMember), last.Load().ID))
		}
	})
}

func TestCreateAccessKey_RefusesScopesBeyondTheRole(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		operator := storetest.AsOperator(t, s)
		for _, scope := range token.AccessScopes() {
			for _, who := range []tenant.Scope{f.AsMember, f.AsAdmin, f.AsOwner, operator} {
				n := storetest.NewKey(scope)
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

func TestAccessKey_EndsWhenRevokedDisabledOrExpired(t *testing.T) {
	storetest.EachAt(t, time.Now(), func(t *testing.T, s *store.Store, now *time.Time) {
		pass := func(d time.Duration) { *now = now.Add(d) }
		f := storetest.NewCustomer(t, s, "acme")
		key := storetest.MakeKey(t, s, f.AsMember)
		got := storetest.Need(s.Token.KeyUser(background, platform, storetest.Hash(key.ID)))(t)
		storetest.Equal(t, "user of the key", got.User, f.Member)
		storetest.Equal(t, "tenant of the key", got.Tenant, f.Tenant)
		if !reflect.DeepEqual(got.Key, key) {
			t.Errorf("got key %+v, want %+v", got.Key, key)
		}
		for _, row := range []struct{ passes, used time.Duration }{{0, 0}, {59 * time.Second, 0},
			{time.Second, time.Minute}} {
			pass(row.passes)
			storetest.OK(t, s.Token.SeeAccessKey(background, platform, key.ID))
			used := storetest.Need(s.Token.KeyUser(background, platform, storetest.Hash(key.ID)))(t).Key.LastUsed
			if after := used.Sub(key.CreatedAt).Round(time.Second); after != row.used {
				t.Errorf("got last use %s after the creation, want %s", after, row.used)
			}
		}
		for _, end := range []struct {
			what string
			by   func()
		}{
			{"revoked", func() {
				storetest.OK(t, s.Token.RevokeAccessKey(background, storetest.Confirmed(f.AsAdmin), key.ID))
			}},
			{"user disabled", func() {
				storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
					identity.UserPatch{Status: new(tenant.Disabled)}))(t)
			}},
			{"expired", func() { pass(2 * time.Hour) }},
		} {
			storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), f.Member.ID,
				identity.UserPatch{Status: new(tenant.Enabled)}))(t)
			key = storetest.MakeKey(t, s, f.AsMember)
			storetest.Need(s.Token.KeyUser(background, platform, storetest.Hash(key.ID)))(t)
			end.by()
			if _, err := s.Token.KeyUser(background, platform, storetest.Hash(key.ID)); !problem.Is(err,
				problem.NotFound) {
				t.Errorf("%s: got error %v, want NotFound", end.what, err)
			}
		}
	})
}

func TestCreateAccessKey_LimitsKeysOfAUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		for range 50 {
			storetest.MakeKey(t, s, f.AsMember)
		}
		_, err := s.Token.CreateAccessKey(background, storetest.Confirmed(f.AsMember),
			storetest.NewKey(token.ReadUsage))
		storetest.Refuses(t, err, problem.Conflict, "")
		storetest.MakeKey(t, s, f.AsOwner)
		storetest.Equal(t, "keys of the owner and the member",
			len(storetest.Need(s.Token.AccessKeys(background, f.AsAdmin, uuid.Nil, page.Page{Limit: 200}))(t).Items),
			51)
	})
}
