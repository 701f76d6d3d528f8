package store_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// verdicts are the expected results of a call by each scope of TestIsolation_EachMethodRefusesOtherScopes, in
// its order.
type verdicts [6]problem.Kind

const (
	missing = problem.NotFound
	denied  = problem.Forbidden
	empty   = problem.Kind(254) // the call succeeds and shows nothing
)

// all returns the verdicts for a method that treats all users alike. The empty scope is always denied.
func all(kind problem.Kind) verdicts { return verdicts{kind, kind, kind, kind, kind, denied} }

// Each method is called on things of acme by beta's owner, admin and member, by another member of acme, by
// acme's member on things that need more rights, and by the empty scope.
func TestIsolation_EachMethodRefusesOtherScopes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		colleague := need(s.Identity.CreateUser(background, platform, identity.NewUser{
			TenantID: acme.tenant.ID, Email: "colleague@acme.example", Role: tenant.Member, GroupID: acme.group.ID,
		}))(t)
		addModel(t, s, "m1")
		need(s.Identity.UpdateUser(background, platform, acme.owner.ID, identity.UserPatch{Caps: quotadb.CapsPatch{Day: usd(1)}}))(t)
		need(s.Token.UpdateToken(background, platform, acme.tokens[acme.owner.ID].ID, tokendb.Patch{Caps: quotadb.CapsPatch{Day: usd(1)}}))(t)
		event := acme.call(acme.owner, "m1", 5)
		need(s.Metering.RecordEvents(background, platform, newID(), []usage.Event{event}))(t)
		drain(t, s)
		w := newIsolation(t, s, acme, event)
		scopes := []tenant.Scope{beta.asOwner, beta.asAdmin, beta.asMember, tenant.ScopeOf(colleague), acme.asMember, {}}
		before := w.state(t)
		for name, c := range w.calls() {
			for i, scope := range scopes {
				shown, err := c.do(background, scope)
				switch want := c.want[i]; {
				case want == empty && (err != nil || shown):
					t.Errorf("%s by %v: got shown %v, error %v; want nothing shown", name, scope, shown, err)
				case want == allowed && err != nil:
					t.Errorf("%s by %v: got error %v, want none", name, scope, err)
				case want != empty && want != allowed && !problem.Is(err, want):
					t.Errorf("%s by %v: got error %v, want %s", name, scope, err, want)
				}
			}
		}
		equal(t, "state after the calls", w.state(t), before)
	})
}

// isolation is a store with things of acme, on which methods are called.
type isolation struct {
	s          *store.Store
	acme       customer
	event      usage.Event
	invitation identity.Invitation
	key        token.AccessKey // of the owner
}

func newIsolation(t *testing.T, s *store.Store, acme customer, event usage.Event) isolation {
	t.Helper()
	return isolation{s, acme, event, invite(t, s, &acme, "guest@acme.example"), makeKey(t, s, acme.asOwner)}
}

// state returns everything that the calls could change, as text.
func (w isolation) state(t *testing.T) string {
	t.Helper()
	s, page := w.s, storepage.Page{Limit: 200}
	text, err := json.Marshal([]any{
		need(s.Identity.Tenants(background, platform, page))(t), need(s.Identity.Users(background, platform, uuid.Nil, page))(t),
		need(s.Catalog.Groups(background, platform, page))(t), need(s.Catalog.Models(background, platform, page))(t),
		need(s.Catalog.Prices(background, platform, "", page))(t), need(s.Catalog.Rules(background, platform, catalogdb.RuleQuery{}, page))(t),
		need(s.Catalog.Channels(background, platform, page))(t), need(s.Token.Tokens(background, platform, tokendb.Query{Revoked: true, Page: page}))(t),
		need(s.Identity.Invitations(background, platform, uuid.Nil, page))(t), need(s.Token.AccessKeys(background, platform, uuid.Nil, page))(t),
		need(s.Quota.Ledger(background, platform, uuid.Nil, page))(t), need(s.Audit.List(background, platform, audit.Query{Page: page}))(t),
		need(s.Quota.Account(background, platform, w.acme.tenant.ID))(t), need(s.Metering.UsageLogs(background, platform, metering.LogQuery{}))(t),
		need(s.Catalog.Snapshot(background, platform))(t).Version,
	})
	ok(t, err)
	return string(text)
}

// call is a call of a method. shown reports whether the result shows anything of acme.
type call struct {
	want verdicts
	do   func(context.Context, tenant.Scope) (shown bool, err error)
}

// calls returns a call of each method, by name.
func (w isolation) calls() map[string]call {
	s, a, id := w.s, w.acme, newID()
	page, owned := storepage.Page{}, a.tokens[a.owner.ID].ID
	onlyPlatform := all(denied)
	foreign := verdicts{missing, missing, missing, missing, missing, denied}
	members := verdicts{missing, missing, denied, denied, denied, denied} // for things that only owners and admins may use
	wallet := verdicts{missing, missing, missing, allowed, allowed, denied}
	none := verdicts{empty, empty, empty, empty, empty, denied}
	return map[string]call{
		"CreateTenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreateTenant(ctx, by, identity.NewTenant{Slug: "x", Name: "x"})
			return true, err
		}},
		"UpdateTenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.UpdateTenant(ctx, by, a.tenant.ID, identity.TenantPatch{Name: to("x")})
			return true, err
		}},
		"Tenant": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Tenant(ctx, by, a.tenant.ID)
			return true, err
		}},
		"TenantBySlug": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.TenantBySlug(ctx, by, "acme")
			return true, err
		}},
		"Tenants": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Tenants(ctx, by, page)
			return true, err
		}},
		"TenantNames": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.TenantNames(ctx, by, []uuid.UUID{a.tenant.ID})
			return true, err
		}},
		"CreateUser": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreateUser(ctx, by, identity.NewUser{TenantID: a.tenant.ID, Email: "x@x.example", Role: tenant.Member})
			return true, err
		}},
		"UpdateUser": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.UpdateUser(ctx, by, a.owner.ID, identity.UserPatch{PasswordHash: to("x")})
			return true, err
		}},
		"User": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.User(ctx, by, a.owner.ID)
			return true, err
		}},
		"UserByEmail": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.UserByEmail(ctx, by, a.owner.Email)
			return true, err
		}},
		"UserWithPassword": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Identity.UserWithPassword(ctx, by, a.owner.Email)
			return true, err
		}},
		"Users": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Users(ctx, by, a.tenant.ID, page)
			return true, err
		}},
		"CreateSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.CreateSession(ctx, by, signin.NewSession{UserID: a.owner.ID, PasswordHash: "old", Hash: hash(id), ExpiresAt: time.Now().Add(time.Hour)})
		}},
		"Session": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Signin.Session(ctx, by, hash(id))
			return true, err
		}},
		"Sessions": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Signin.Sessions(ctx, by, a.owner.ID, page)
			return true, err
		}},
		"EndSession": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.EndSession(ctx, by, id)
		}},
		"EndSessions": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.EndSessions(ctx, by, a.owner.ID, uuid.Nil)
		}},
		"CreateInvitation": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreateInvitation(ctx, by, identity.NewInvitation{TenantID: a.tenant.ID, Email: "x@x.example", Role: tenant.Member, Hash: hash(id), ExpiresAt: time.Now()})
			return true, err
		}},
		"Invitations": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.Invitations(ctx, by, a.tenant.ID, page)
			return true, err
		}},
		"RenewInvitation": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.RenewInvitation(ctx, by, w.invitation.ID, hash(id), tenant.Mailed)
			return true, err
		}},
		"RevokeInvitation": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.RevokeInvitation(ctx, by, w.invitation.ID)
			return true, err
		}},
		"Invited": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Identity.Invited(ctx, by, hash(w.invitation.ID))
			return true, err
		}},
		"AcceptInvitation": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.AcceptInvitation(ctx, by, hash(w.invitation.ID), "x")
			return true, err
		}},
		"CreatePasswordReset": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.CreatePasswordReset(ctx, by, identity.NewReset{UserID: a.owner.ID, Hash: hash(id), ExpiresAt: time.Now()})
			return true, err
		}},
		"PasswordReset": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.PasswordReset(ctx, by, hash(id))
			return true, err
		}},
		"ResetPassword": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Identity.ResetPassword(ctx, by, hash(id), "x")
			return true, err
		}},
		"AccessKeys": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Token.AccessKeys(ctx, by, a.owner.ID, page)
			return len(found.Items) > 0, err
		}},
		"RevokeAccessKey": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Token.RevokeAccessKey(ctx, by, w.key.ID)
		}},
		"KeyUser": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.KeyUser(ctx, by, hash(w.key.ID))
			return true, err
		}},
		"SeeAccessKey": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Token.SeeAccessKey(ctx, by, w.key.ID)
		}},
		"SeeSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.SeeSession(ctx, by, id)
		}},
		"ConfirmSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Signin.ConfirmSession(ctx, by, id, signin.ByPassword)
			return true, err
		}},
		"DeleteSession": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Signin.DeleteSession(ctx, by, hash(id))
		}},
		"CreateGroup": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateGroup(ctx, by, "x", nil)
			return true, err
		}},
		"UpdateGroup": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.UpdateGroup(ctx, by, a.group.ID, catalogdb.GroupPatch{Name: to("x")})
			return true, err
		}},
		"Groups": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Groups(ctx, by, page)
			return true, err
		}},
		"CreateModel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateModel(ctx, by, catalog.Model{ID: "x", Free: true}, pricing.Rates{})
			return true, err
		}},
		"UpdateModel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.UpdateModel(ctx, by, "m1", catalogdb.ModelPatch{OwnedBy: to("x")})
			return true, err
		}},
		"Models": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Models(ctx, by, page)
			return true, err
		}},
		"CreatePrice": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreatePrice(ctx, by, pricing.Price{Model: "m1"})
			return true, err
		}},
		"Prices": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Prices(ctx, by, "m1", page)
			return true, err
		}},
		"CreateRule": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateRule(ctx, by, pricing.Rule{GroupID: a.group.ID})
			return true, err
		}},
		"WithdrawPrice": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.WithdrawPrice(ctx, by, id)
			return true, err
		}},
		"WithdrawRule": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.WithdrawRule(ctx, by, id)
			return true, err
		}},
		"Rules": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Rules(ctx, by, catalogdb.RuleQuery{GroupID: a.group.ID}, page)
			return true, err
		}},
		"CreateChannel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateChannel(ctx, by, catalog.Channel{Name: "x", Type: "echo", Weight: 1, Dialects: []catalog.Dialect{"chat"}, Models: map[string]string{"m1": "x"}})
			return true, err
		}},
		"UpdateChannel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.UpdateChannel(ctx, by, id, catalogdb.ChannelPatch{Name: to("x")})
			return true, err
		}},
		"Channel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Channel(ctx, by, id)
			return true, err
		}},
		"Channels": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Channels(ctx, by, page)
			return true, err
		}},
		"ChannelNames": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			names, err := s.Metering.ChannelNames(ctx, by, []uuid.UUID{id})
			return len(names) > 0, err
		}},
		"TokenNames": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			names, err := s.Token.TokenNames(ctx, by, []uuid.UUID{owned})
			return len(names) > 0, err
		}},
		"UserEmails": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			emails, err := s.Identity.UserEmails(ctx, by, []uuid.UUID{a.owner.ID})
			return len(emails) > 0, err
		}},
		"CreateToken": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.CreateToken(ctx, by, tokendb.NewToken{Token: token.Token{ID: newID(), UserID: a.owner.ID, Name: "x"}, Hash: hash(newID())})
			return true, err
		}},
		"UpdateToken": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.UpdateToken(ctx, by, owned, tokendb.Patch{Status: to(token.Revoked)})
			return true, err
		}},
		"Token": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.Token(ctx, by, owned)
			return true, err
		}},
		"Tokens of the tenant": {verdicts{missing, missing, missing, empty, allowed, denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Token.Tokens(ctx, by, tokendb.Query{TenantID: a.tenant.ID})
			return len(found.Items) > 0, err
		}},
		"Tokens of the user": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Token.Tokens(ctx, by, tokendb.Query{UserID: a.owner.ID})
			return len(found.Items) > 0, err
		}},
		"Caller": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Token.Caller(ctx, by, hash(owned))
			return true, err
		}},
		"Account, wallet": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, a.tenant.ID)
			return true, err
		}},
		"Account, user's": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, a.owner.ID)
			return true, err
		}},
		"Account, token's": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, owned)
			return true, err
		}},
		"Account, unknown": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, id)
			return true, err
		}},
		"Accounts": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Quota.Accounts(ctx, by, []uuid.UUID{a.owner.ID, owned})
			return len(found) > 0, err
		}},
		"GrantQuota": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.GrantQuota(ctx, by, a.tenant.ID, 1, "")
			return true, err
		}},
		"Caps": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Quota.Caps(ctx, by, []uuid.UUID{a.owner.ID, owned})
			return len(found) > 0, err
		}},
		"Balances, wallet": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Balances(ctx, by, []uuid.UUID{a.tenant.ID})
			return true, err
		}},
		"Balances, token's": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Balances(ctx, by, []uuid.UUID{owned})
			return true, err
		}},
		"AddEntry": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.AddEntry(ctx, by, quotadb.NewEntry{TenantID: a.tenant.ID, Kind: quotadb.Adjustment, Amount: -1, Reason: "x"})
			return true, err
		}},
		"TransferQuota": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Quota.TransferQuota(ctx, by, quotadb.NewTransfer{FromTenantID: a.tenant.ID, ToTenantID: by.Tenant(), Amount: 1, Reason: "x"})
			return true, err
		}},
		"Ledger": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Ledger(ctx, by, a.tenant.ID, page)
			return true, err
		}},
		"GrantLease": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.GrantLease(ctx, by, id, quota.AccountRef{ID: a.tenant.ID}, quota.LeaseRequest{Stamp: 1, Need: 1})
			return true, err
		}},
		"RecallQuota": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Quota.RecallQuota(ctx, by, a.tenant.ID)
		}},
		"RelayLeases": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.RelayLeases(ctx, by, id)
			return true, err
		}},
		"Beat": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.Beat(ctx, by, id, relay.Report{})
			return true, err
		}},
		"LiveRelays": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.LiveRelays(ctx, by, time.Minute)
			return true, err
		}},
		"ReclaimLeases": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.ReclaimLeases(ctx, by, time.Hour)
			return true, err
		}},
		"ReleaseLeases": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Quota.ReleaseLeases(ctx, by, id)
		}},
		"RecordEvents": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.RecordEvents(ctx, by, id, []usage.Event{a.call(a.owner, "m1", 1)})
			return true, err
		}},
		"UsageLogs, all": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Metering.UsageLogs(ctx, by, metering.LogQuery{})
			return len(found.Items) > 0, err
		}},
		"UsageLogs of the tenant": {verdicts{missing, missing, missing, empty, empty, denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Metering.UsageLogs(ctx, by, metering.LogQuery{TenantID: a.tenant.ID})
			return len(found.Items) > 0, err
		}},
		"UsageLogs of the user": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Metering.UsageLogs(ctx, by, metering.LogQuery{UserID: a.owner.ID, TokenID: owned})
			return len(found.Items) > 0, err
		}},
		"UsageLog": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Metering.UsageLog(ctx, by, w.event.ID)
			return true, err
		}},
		"EnsurePartitions": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Metering.EnsurePartitions(ctx, by)
		}},
		"DrainOutbox": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Rollup.DrainOutbox(ctx, by, 0)
			return true, err
		}},
		"OutboxDepth": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Rollup.OutboxDepth(ctx, by)
			return true, err
		}},
		"Spent of the tenant": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.Spent(ctx, by, metering.SpentQuery{TenantID: a.tenant.ID})
			return true, err
		}},
		"Spent of the user": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.Spent(ctx, by, metering.SpentQuery{TenantID: a.tenant.ID, UserID: a.owner.ID})
			return true, err
		}},
		"Relays": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.Relays(ctx, by)
			return true, err
		}},
		"LeasesHeld": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Relay.LeasesHeld(ctx, by)
			return true, err
		}},
		"Size": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.Size(ctx, by)
			return true, err
		}},
		"UsageSummary, all": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			rows, err := s.Metering.UsageSummary(ctx, by, metering.SummaryQuery{})
			return len(rows) > 0, err
		}},
		"UsageSummary of the tenant": {verdicts{missing, missing, missing, empty, empty, denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			rows, err := s.Metering.UsageSummary(ctx, by, metering.SummaryQuery{TenantID: a.tenant.ID, By: metering.ByUser})
			return len(rows) > 0, err
		}},
		"UsageSummary of the user": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			rows, err := s.Metering.UsageSummary(ctx, by, metering.SummaryQuery{UserID: a.owner.ID, TokenID: owned})
			return len(rows) > 0, err
		}},
		"UsageSummary by tenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.UsageSummary(ctx, by, metering.SummaryQuery{By: metering.ByTenant})
			return true, err
		}},
		"RevokePurpose": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Token.RevokePurpose(ctx, by, a.owner.ID, token.ForPlayground)
		}},
		"Snapshot": {verdicts{empty, empty, empty, allowed, allowed, denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			snapshot, err := s.Catalog.Snapshot(ctx, by)
			return err == nil && snapshot.Group(a.group.ID) != nil, err
		}},
		"Changes": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Changes(ctx, by, 0, 0)
			return true, err
		}},
		"Listen": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) { return true, s.Listen(ctx, by, func() {}) }},
		"Sweep":  {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) { return true, s.Sweep(ctx, by) }},
		"Audit": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Audit.List(ctx, by, audit.Query{TenantID: a.tenant.ID, Page: page})
			return true, err
		}},
	}
}

// Operators are people and not programs.
func TestIsolation_OperatorsMayNotCallMethodsOfPrograms(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		operator := need(s.Identity.CreateUser(background, platform, identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		w := newIsolation(t, s, f, f.call(f.owner, "m1", 1))
		programs := []string{
			"UserByEmail", "UserWithPassword", "CreateSession", "Session", "SeeSession", "DeleteSession", "Invited", "AcceptInvitation", "PasswordReset", "ResetPassword", "KeyUser", "SeeAccessKey", "Caller", "GrantLease", "RecallQuota", "RelayLeases", "Beat", "LiveRelays", "ReclaimLeases", "ReleaseLeases",
			"RecordEvents", "EnsurePartitions", "DrainOutbox", "Changes", "Listen", "Sweep",
		}
		for name, c := range w.calls() {
			if slices.Contains(programs, name) {
				_, err := c.do(background, tenant.ScopeOf(operator))
				if !problem.Is(err, problem.Forbidden) {
					t.Errorf("%s: got error %v, want Forbidden", name, err)
				}
			}
		}
	})
}
