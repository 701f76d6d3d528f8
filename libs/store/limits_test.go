package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

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
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestRateLimits_ReachTheRelay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		addModel(t, s, "m")
		id := f.tokens[f.member.ID].ID
		equal(t, "limits of a new token", f.tokens[f.member.ID].Limits, limit.Limits{})

		need(s.Token.UpdateToken(background, f.asMember, id,
			tokendb.Patch{Limits: limit.Change{RequestsPerMinute: to(int64(60))}}))(t)
		need(s.Token.UpdateToken(background, f.asMember, id,
			tokendb.Patch{Limits: limit.Change{Concurrency: to(int64(5))}}))(t)
		need(s.Identity.UpdateUser(background, storetest.Confirmed(f.asAdmin), f.member.ID,
			identity.UserPatch{Limits: limit.Change{TokensPerMinute: to(int64(1000))}}))(t)
		need(s.Catalog.UpdateGroup(background, platform, f.group.ID,
			catalogdb.GroupPatch{Limits: limit.Change{Concurrency: to(int64(7))}}))(t)
		need(s.Catalog.UpdateModel(background, platform, "m",
			catalogdb.ModelPatch{Limits: limit.Change{RequestsPerMinute: to(int64(8))}}))(t)

		caller := need(s.Token.Caller(background, platform, hash(id)))(t)
		equal(t, "limits of the token", caller.Token.Limits, limit.Limits{RequestsPerMinute: 60, Concurrency: 5})
		equal(t, "limits of the user", caller.User.Limits, limit.Limits{TokensPerMinute: 1000})
		snapshot := need(s.Catalog.Snapshot(background, platform))(t)
		equal(t, "limits of the group", snapshot.Group(f.group.ID).Limits, limit.Limits{Concurrency: 7})
		equal(t, "limits of the model", snapshot.Model("m").Limits, limit.Limits{RequestsPerMinute: 8})

		need(s.Token.UpdateToken(background, f.asMember, id,
			tokendb.Patch{Limits: limit.Change{RequestsPerMinute: to(int64(0))}}))(t)
		caller = need(s.Token.Caller(background, platform, hash(id)))(t)
		equal(t, "limits after one was set to 0", caller.Token.Limits, limit.Limits{Concurrency: 5})

		entry := need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
		equal(t, "action in the audit log", entry.Action, "token.update")
		equal(t, "value in the audit log", entry.Detail["limits.requests_per_minute"], any(float64(0)))
	})
}

func TestRateLimits_AreSetOnCreation(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		all := limit.Limits{RequestsPerMinute: 1, TokensPerMinute: 2, Concurrency: 3}
		user := need(s.Identity.CreateUser(background, storetest.Confirmed(f.asAdmin), identity.NewUser{
			TenantID: f.tenant.ID, Email: "limited@acme.example", Role: tenant.Member, Limits: all,
		}))(t)
		equal(t, "limits of a user", need(s.Identity.User(background, f.asAdmin, user.ID))(t).Limits, all)
		id := newID()
		need(s.Token.CreateToken(background, f.asMember, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: f.member.ID, Name: "limited", Limits: all}, Hash: hash(id),
		}))(t)
		equal(t, "limits of a token", need(s.Token.Token(background, f.asMember, id))(t).Limits, all)
		made := need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: "limited", Free: true, Limits: all},
			pricing.Rates{}))(t)
		equal(t, "limits of a model", made.Limits, all)
	})
}

func TestRateLimits_RefusesInvalidValuesAndScopes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		addModel(t, s, "m")
		below, above := limit.Change{RequestsPerMinute: to(int64(-1))},
			limit.Change{TokensPerMinute: to(int64(limit.Max + 1))}
		id := f.tokens[f.member.ID].ID
		_, err := s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{Limits: below})
		refuses(t, err, problem.InvalidType, "limits.requests_per_minute")
		_, err = s.Identity.UpdateUser(background, storetest.Confirmed(f.asAdmin), f.member.ID,
			identity.UserPatch{Limits: above})
		refuses(t, err, problem.InvalidType, "limits.tokens_per_minute")
		_, err = s.Catalog.UpdateGroup(background, platform, f.group.ID, catalogdb.GroupPatch{Limits: below})
		refuses(t, err, problem.InvalidType, "limits.requests_per_minute")
		_, err = s.Catalog.UpdateModel(background, platform, "m", catalogdb.ModelPatch{Limits: above})
		refuses(t, err, problem.InvalidType, "limits.tokens_per_minute")
		_, err = s.Identity.CreateUser(background, storetest.Confirmed(f.asAdmin), identity.NewUser{
			TenantID: f.tenant.ID, Email: "x@acme.example", Role: tenant.Member, Limits: limit.Limits{Concurrency: -1},
		})
		refuses(t, err, problem.InvalidType, "limits.concurrency")

		some := limit.Change{Concurrency: to(int64(1))}
		_, err = s.Identity.UpdateUser(background, storetest.Confirmed(f.asMember), f.member.ID,
			identity.UserPatch{Limits: some})
		refuses(t, err, problem.Forbidden, "")
		_, err = s.Catalog.UpdateGroup(background, f.asOwner, f.group.ID, catalogdb.GroupPatch{Limits: some})
		refuses(t, err, problem.Forbidden, "")
		_, err = s.Catalog.UpdateModel(background, f.asOwner, "m", catalogdb.ModelPatch{Limits: some})
		refuses(t, err, problem.Forbidden, "")
		need(s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{Status: to(token.Revoked)}))(t)
		_, err = s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{Limits: some})
		refuses(t, err, problem.Conflict, "")
	})
}

func TestLiveRelays_CountsRecentHeartbeats(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		equal(t, "without any heartbeat", need(s.Relay.LiveRelays(background, platform, time.Minute))(t), 1)
		for range 3 {
			need(s.Relay.Beat(background, platform, uuid.New(), relay.Report{}))(t)
		}
		equal(t, "after three heartbeats", need(s.Relay.LiveRelays(background, platform, time.Minute))(t), 3)
		equal(t, "within no time", need(s.Relay.LiveRelays(background, platform, -time.Minute))(t), 1)
	})
}
