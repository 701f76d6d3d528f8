package permission_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	p "github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

var (
	everyAction = []p.Action{
		p.ReadTokens, p.WriteTokens, p.ReadUsage, p.ReadModels, p.ReadQuota, p.ReadMembers, p.WriteMembers,
		p.ReadLedger, p.WriteTenant, p.ReadPlatform, p.WritePlatform, p.ReadAudit, p.RunPlatform,
		p.ReadSessions, p.EndSessions, p.ReadAccessKeys, p.WriteAccessKeys, p.InviteMembers, p.ResetPasswords,
		p.ManageResponses, p.ReadAlerts, p.WriteAlerts,
	}

	nobody   = tenant.Scope{}
	member   = user(tenant.Member)
	admin    = user(tenant.Admin)
	owner    = user(tenant.Owner)
	operator = user(tenant.Operator)
	program  = tenant.SystemScope("relay")
	madeUp   = user("root")
)

func user(role tenant.Role) tenant.Scope {
	return tenant.ScopeOf(tenant.User{ID: uuid.Max, TenantID: uuid.Max, Role: role})
}

// rule states that a scope may, or may not, do the actions.
type rule struct {
	who     string
	scope   tenant.Scope
	actions []p.Action
	allowed bool
}

func allow(who string, scope tenant.Scope, actions ...p.Action) rule {
	return rule{who, scope, actions, true}
}

func deny(who string, scope tenant.Scope, actions ...p.Action) rule {
	return rule{who, scope, actions, false}
}

func TestCheck_FollowsThePermissionTable(t *testing.T) {
	rules := []rule{
		deny("nobody", nobody, everyAction...),
		deny("a made-up role", madeUp, everyAction...),

		allow("a member", member, p.ReadTokens, p.WriteTokens, p.ReadUsage, p.ReadModels, p.ReadQuota),
		allow("a member", member, p.ReadSessions, p.EndSessions, p.ReadAccessKeys, p.WriteAccessKeys),
		deny("a member", member, p.InviteMembers, p.ResetPasswords, p.ManageResponses, p.ReadAlerts, p.WriteAlerts),
		deny("a member", member, p.ReadMembers, p.WriteMembers, p.ReadLedger, p.WriteTenant),
		deny("a member", member, p.ReadPlatform, p.WritePlatform, p.ReadAudit, p.RunPlatform),

		allow("an admin", admin, p.ReadTokens, p.WriteTokens, p.ReadUsage, p.ReadModels, p.ReadQuota),
		allow("an admin", admin, p.ReadSessions, p.EndSessions, p.ReadAccessKeys, p.WriteAccessKeys),
		allow("an admin", admin, p.InviteMembers, p.ResetPasswords, p.ManageResponses, p.ReadAlerts, p.WriteAlerts),
		allow("an admin", admin, p.ReadMembers, p.WriteMembers, p.ReadLedger),
		allow("an admin", admin, p.ReadAudit),
		deny("an admin", admin, p.WriteTenant, p.ReadPlatform, p.WritePlatform, p.RunPlatform),

		allow("an owner", owner, p.ReadTokens, p.WriteTokens, p.ReadUsage, p.ReadModels, p.ReadQuota),
		allow("an owner", owner, p.ReadSessions, p.EndSessions, p.ReadAccessKeys, p.WriteAccessKeys),
		allow("an owner", owner, p.InviteMembers, p.ResetPasswords, p.ManageResponses, p.ReadAlerts, p.WriteAlerts),
		allow("an owner", owner, p.ReadMembers, p.WriteMembers, p.ReadLedger, p.WriteTenant),
		allow("an owner", owner, p.ReadAudit),
		deny("an owner", owner, p.ReadPlatform, p.WritePlatform, p.RunPlatform),

		allow("an operator", operator, p.ReadTokens, p.WriteTokens, p.ReadUsage, p.ReadModels, p.ReadQuota),
		allow("an operator", operator, p.ReadSessions, p.EndSessions, p.ReadAccessKeys, p.WriteAccessKeys),
		allow("an operator", operator, p.InviteMembers, p.ResetPasswords, p.ManageResponses,
			p.ReadAlerts, p.WriteAlerts),
		allow("an operator", operator, p.ReadMembers, p.WriteMembers, p.ReadLedger, p.WriteTenant),
		allow("an operator", operator, p.ReadPlatform, p.WritePlatform, p.ReadAudit),
		deny("an operator", operator, p.RunPlatform),

		allow("a program", program, everyAction...),
	}
	tested := map[string]int{}
	for _, rule := range rules {
		tested[rule.who] += len(rule.actions)
		for _, action := range rule.actions {
			err := p.Check(rule.scope, action)
			if rule.allowed != (err == nil) || !rule.allowed && !problem.Is(err, problem.Forbidden) {
				t.Errorf("%s, %s: Check = %v, want allowed %v", rule.who, action, err, rule.allowed)
			}
		}
	}
	for who, n := range tested {
		if n != len(everyAction) {
			t.Errorf("the rules of %s cover %d of %d actions", who, n, len(everyAction))
		}
	}
	for _, scope := range []tenant.Scope{nobody, member, admin, owner, operator, program} {
		if p.Check(scope, "tokens.steal") == nil {
			t.Errorf("%s may do an action that does not exist", scope)
		}
	}
}

func TestResponses_AreOfTheUserUnlessTheRoleReachesTheTenant(t *testing.T) {
	user, customer := uuid.New(), uuid.New()
	for role, whose := range map[tenant.Role]uuid.UUID{tenant.Member: user, "root": user, "": user,
		tenant.Admin: uuid.Nil, tenant.Owner: uuid.Nil} {
		got := p.Responses(tenant.User{ID: user, TenantID: customer, Role: role})
		if got != (tenant.Reach{TenantID: customer, UserID: whose}) {
			t.Errorf("role %q: got %+v", role, got)
		}
		if !got.Includes(user) || got.Includes(uuid.New()) != (whose == uuid.Nil) {
			t.Errorf("role %q: Includes is wrong for %+v", role, got)
		}
	}
}

func TestAccessScopes_FollowTheRoleOfTheUser(t *testing.T) {
	reads := []token.AccessScope{token.ReadUsage, token.ReadTokens, token.ReadCatalog}
	for _, row := range []struct {
		who    string
		scope  tenant.Scope
		access token.Access
		has    []token.AccessScope
		lacks  []token.AccessScope
	}{
		{"nobody", nobody, token.WriteAccess, nil, token.AccessScopes()},
		{"a made-up role", madeUp, token.WriteAccess, nil, token.AccessScopes()},
		{"a member who reads", member, token.ReadAccess, reads,
			[]token.AccessScope{token.WriteTokens, token.ReadMembers, token.ReadTenants}},
		{"a member who writes", member, token.WriteAccess, append(reads, token.WriteTokens),
			[]token.AccessScope{token.ReadMembers, token.WriteCatalog, token.WriteBilling}},
		{"an owner who writes", owner, token.WriteAccess, append(reads, token.WriteTokens, token.ReadMembers),
			[]token.AccessScope{token.ReadTenants, token.WriteChannels, token.WriteBilling}},
		{"an operator who reads", operator, token.ReadAccess, append(reads, token.ReadMembers, token.ReadTenants,
			token.ReadAudit), []token.AccessScope{token.WriteTokens, token.WriteCatalog, token.WriteBilling}},
		{"an operator who writes", operator, token.WriteAccess, []token.AccessScope{token.WriteCatalog,
			token.WriteChannels, token.WriteTenants}, []token.AccessScope{token.WriteBilling}},
	} {
		got := p.AccessScopes(row.scope, row.access)
		for _, scope := range row.has {
			if !slices.Contains(got, scope) {
				t.Errorf("%s: got %v, want %s in it", row.who, got, scope)
			}
		}
		for _, scope := range row.lacks {
			if slices.Contains(got, scope) {
				t.Errorf("%s: got %v, want no %s", row.who, got, scope)
			}
		}
	}
	if p.CheckAccessScope(operator, "members:write") == nil {
		t.Error("an operator may use a scope that does not exist")
	}
}
