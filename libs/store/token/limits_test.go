package token_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestRateLimits_ReachTheRelay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.AddModel(t, s, "m")
		id := f.Tokens[f.Member.ID].ID
		storetest.Equal(t, "limits of a new token", f.Tokens[f.Member.ID].Limits, limit.Limits{})

		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
			tokendb.Patch{Limits: limit.Change{RequestsPerMinute: new(int64(60))}}))(t)
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
			tokendb.Patch{Limits: limit.Change{Concurrency: new(int64(5))}}))(t)
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsAdmin), f.Member.ID,
			identity.UserPatch{Limits: limit.Change{TokensPerMinute: new(int64(1000))}}))(t)
		storetest.Need(s.Catalog.UpdateGroup(background, platform, f.Group.ID,
			catalogdb.GroupPatch{Limits: limit.Change{Concurrency: new(int64(7))}}))(t)
		storetest.Need(s.Catalog.UpdateModel(background, platform, "m",
			catalogdb.ModelPatch{Limits: limit.Change{RequestsPerMinute: new(int64(8))}}))(t)

		caller := storetest.Need(s.Token.Caller(background, platform, storetest.Hash(id)))(t)
		storetest.Equal(t, "limits of the token", caller.Token.Limits,
			limit.Limits{RequestsPerMinute: 60, Concurrency: 5})
		storetest.Equal(t, "limits of the user", caller.User.Limits, limit.Limits{TokensPerMinute: 1000})
		snapshot := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		storetest.Equal(t, "limits of the group", snapshot.Group(f.Group.ID).Limits, limit.Limits{Concurrency: 7})
		storetest.Equal(t, "limits of the model", snapshot.Model("m").Limits, limit.Limits{RequestsPerMinute: 8})

		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
			tokendb.Patch{Limits: limit.Change{RequestsPerMinute: new(int64(0))}}))(t)
		caller = storetest.Need(s.Token.Caller(background, platform, storetest.Hash(id)))(t)
		storetest.Equal(t, "limits after one was set to 0", caller.Token.Limits, limit.Limits{Concurrency: 5})

		entry := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
		storetest.Equal(t, "action in the audit log", entry.Action, "token.update")
		storetest.Equal(t, "value in the audit log", entry.Detail["limits.requests_per_minute"], any(float64(0)))
	})
}

func TestRateLimits_AreSetOnCreation(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		all := limit.Limits{RequestsPerMinute: 1, TokensPerMinute: 2, Concurrency: 3}
		user := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(f.AsAdmin), identity.NewUser{
			TenantID: f.Tenant.ID, Email: "limited@acme.example", Role: tenant.Member, Limits: all,
		}))(t)
		storetest.Equal(t, "limits of a user",
			storetest.Need(s.Identity.User(background, f.AsAdmin, user.ID))(t).Limits, all)
		id := storetest.NewID()
		storetest.Need(s.Token.CreateToken(background, f.AsMember, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: f.Member.ID, Name: "limited", Limits: all}, Hash: storetest.Hash(id),
		}))(t)
		storetest.Equal(t, "limits of a token", storetest.Need(s.Token.Token(background, f.AsMember, id))(t).Limits,
			all)
		made := storetest.Need(s.Catalog.CreateModel(background, platform,
			catalog.Model{ID: "limited", Free: true, Limits: all}, pricing.Rates{}))(t)
		storetest.Equal(t, "limits of a model", made.Limits, all)
	})
}

func TestRateLimits_RefusesInvalidValuesAndScopes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.AddModel(t, s, "m")
		below, above := limit.Change{RequestsPerMinute: new(int64(-1))},
			limit.Change{TokensPerMinute: new(int64(limit.Max + 1))}
		id := f.Tokens[f.Member.ID].ID
		_, err := s.Token.UpdateToken(background, f.AsMember, id, tokendb.Patch{Limits: below})
		storetest.Refuses(t, err, problem.InvalidType, "limits.requests_per_minute")
		_, err = s.Identity.UpdateUser(background, storetest.Confirmed(f.AsAdmin), f.Member.ID,
			identity.UserPatch{Limits: above})
		storetest.Refuses(t, err, problem.InvalidType, "limits.tokens_per_minute")
		_, err = s.Catalog.UpdateGroup(background, platform, f.Group.ID, catalogdb.GroupPatch{Limits: below})
		storetest.Refuses(t, err, problem.InvalidType, "limits.requests_per_minute")
		_, err = s.Catalog.UpdateModel(background, platform, "m", catalogdb.ModelPatch{Limits: above})
		storetest.Refuses(t, err, problem.InvalidType, "limits.tokens_per_minute")
		_, err = s.Identity.CreateUser(background, storetest.Confirmed(f.AsAdmin), identity.NewUser{
			TenantID: f.Tenant.ID, Email: "x@acme.example", Role: tenant.Member, Limits: limit.Limits{Concurrency: -1},
		})
		storetest.Refuses(t, err, problem.InvalidType, "limits.concurrency")

		some := limit.Change{Concurrency: new(int64(1))}
		_, err = s.Identity.UpdateUser(background, storetest.Confirmed(f.AsMember), f.Member.ID,
			identity.UserPatch{Limits: some})
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = s.Catalog.UpdateGroup(background, f.AsOwner, f.Group.ID, catalogdb.GroupPatch{Limits: some})
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = s.Catalog.UpdateModel(background, f.AsOwner, "m", catalogdb.ModelPatch{Limits: some})
		storetest.Refuses(t, err, problem.Forbidden, "")
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id, tokendb.Patch{Status: new(token.Revoked)}))(t)
		_, err = s.Token.UpdateToken(background, f.AsMember, id, tokendb.Patch{Limits: some})
		storetest.Refuses(t, err, problem.Conflict, "")
	})
}
