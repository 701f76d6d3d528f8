package store_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
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
	allowed = problem.Kind(255) // the call succeeds
)

// all returns the verdicts for a method that treats all users alike. The empty scope is always denied.
func all(kind problem.Kind) verdicts { return verdicts{kind, kind, kind, kind, kind, denied} }

// Each method is called on things of acme by beta's owner, admin and member, by another member of acme, by
// acme's member on things that need more rights, and by the empty scope.
func TestIsolation_EachMethodRefusesOtherScopes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		colleague := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform), identity.NewUser{
			TenantID: acme.Tenant.ID, Email: "colleague@acme.example", Role: tenant.Member, GroupID: acme.Group.ID,
		}))(t)
		storetest.AddModel(t, s, "m1")
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), acme.Owner.ID,
			identity.UserPatch{Caps: quotadb.CapsPatch{Day: storetest.USD(1)}}))(t)
		storetest.Need(s.Token.UpdateToken(background, platform, acme.Tokens[acme.Owner.ID].ID,
			tokendb.Patch{Caps: quotadb.CapsPatch{Day: storetest.USD(1)}}))(t)
		event := acme.Call(acme.Owner, "m1", 5)
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(t)
		storetest.Drain(t, s)
		w := newIsolation(t, s, acme, event)
		scopes := []tenant.Scope{beta.AsOwner, beta.AsAdmin, beta.AsMember, tenant.ScopeOf(colleague),
			acme.AsMember, {}}
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
		storetest.Equal(t, "state after the calls", w.state(t), before)
	})
}

// isolation is a store with things of acme, on which methods are called.
type isolation struct {
	s          *store.Store
	acme       storetest.Customer
	event      usage.Event
	invitation identity.Invitation
	key        token.AccessKey // of the owner
}

func newIsolation(t *testing.T, s *store.Store, acme storetest.Customer, event usage.Event) isolation {
	t.Helper()
	hook := newHook(t, s, acme.AsOwner)
	newRule(t, s, acme.AsOwner, hook.ID)
	storetest.Need(s.Alert.TestDestination(background, acme.AsOwner, hook.ID))(t)
	return isolation{s, acme, event, storetest.Invite(t, s, &acme, "guest@acme.example"),
		storetest.MakeKey(t, s, acme.AsOwner)}
}

// state returns everything that the calls could change, as text.
func (w isolation) state(t *testing.T) string {
	t.Helper()
	s, page := w.s, storepage.Page{Limit: 200}
	text, err := json.Marshal([]any{
		storetest.Need(s.Identity.Tenants(background, platform, page))(t),
		storetest.Need(s.Identity.Users(background, platform, identity.UserFilter{}, page))(t),
		storetest.Need(s.Catalog.Groups(background, platform, page))(t),
		storetest.Need(s.Catalog.Models(background, platform, page))(t),
		storetest.Need(s.Catalog.Prices(background, platform, "", page))(t),
		storetest.Need(s.Catalog.Rules(background, platform, catalogdb.RuleQuery{}, page))(t),
		storetest.Need(s.Catalog.Channels(background, platform, nil, page))(t),
		storetest.Need(s.Token.Tokens(background, platform, tokendb.Query{Revoked: true, Page: page}))(t),
		storetest.Need(s.Identity.Invitations(background, platform, uuid.Nil, page))(t),
		storetest.Need(s.Token.AccessKeys(background, platform, uuid.Nil, page))(t),
		storetest.Need(s.Quota.Ledger(background, platform, uuid.Nil, page))(t),
		storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page}))(t),
		storetest.Need(s.Quota.Account(background, platform, w.acme.Tenant.ID))(t),
		storetest.Need(s.Metering.UsageLogs(background, platform, metering.LogQuery{}))(t),
		storetest.Need(s.Catalog.Snapshot(background, platform))(t).Version,
		storetest.Need(s.Alert.Destinations(background, w.acme.AsOwner, page))(t),
		storetest.Need(s.Alert.Rules(background, w.acme.AsOwner, page))(t),
		storetest.Need(s.Alert.Alerts(background, w.acme.AsOwner, page))(t),
	})
	storetest.OK(t, err)
	return string(text)
}

// call is a call of a method. shown reports whether the result shows anything of acme.
type call struct {
	want verdicts
	do   func(context.Context, tenant.Scope) (shown bool, err error)
}

// The verdicts that several methods share.
var (
	onlyPlatform = all(denied)
	foreign      = verdicts{missing, missing, missing, missing, missing, denied}
	// For things that only owners and admins may use.
	members = verdicts{missing, missing, denied, denied, denied, denied}
	wallet  = verdicts{missing, missing, missing, allowed, allowed, denied}
	none    = verdicts{empty, empty, empty, empty, empty, denied}
)

// calls returns a call of each method, by name. Each concept has a file with its calls.
func (w isolation) calls() map[string]call {
	calls := map[string]call{}
	for _, some := range []map[string]call{w.identityCalls(), w.credentialCalls(), w.catalogCalls(), w.quotaCalls(),
		w.usageCalls(), w.alertCalls()} {
		maps.Copy(calls, some)
	}
	return calls
}

// Operators are people and not programs.
func TestIsolation_OperatorsMayNotCallMethodsOfPrograms(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		operator := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		w := newIsolation(t, s, f, f.Call(f.Owner, "m1", 1))
		programs := []string{
			"UserByEmail", "UserOfTenant", "UserWithPassword", "ClaimedElsewhere", "CreateSession", "Session",
			"SeeSession", "DeleteSession", "Invited", "AcceptInvitation", "PasswordReset", "ResetPassword", "KeyUser",
			"SeeAccessKey",
			"Caller", "GrantLease", "RecallQuota", "RelayLeases", "Beat", "LiveRelays", "ReclaimLeases",
			"ReleaseLeases",
			"RecordEvents", "EnsurePartitions", "DrainOutbox", "DrainCosts", "DrainSpeeds", "DrainAttribution",
			"Changes", "Listen", "Sweep", "Erase.Users", "Erase.User", "Erase.Tenant",
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
