// Package permission decides which actions a role permits. The console's handlers and the store ask Check before
// they act. Which tenant's or user's resources an action may touch is a separate question, which tenant.Scope
// answers.
package permission

import (
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Action names one kind of access, as resource.verb.
type Action string

// The actions. For resources of tenants the Scope restricts them further: to its own tenant, and for members to
// their own resources.
const (
	ReadTokens   Action = "tokens.read"
	WriteTokens  Action = "tokens.write"
	ReadUsage    Action = "usage.read"
	ReadModels   Action = "models.read"
	ReadQuota    Action = "quota.read"
	ReadMembers  Action = "members.read"
	WriteMembers Action = "members.write"
	ReadLedger   Action = "ledger.read"
	WriteTenant  Action = "tenant.write" // change the name of the tenant

	ManageResponses Action = "responses.manage" // retrieve, delete and continue stored responses of other users

	ReadSessions    Action = "sessions.read" // own sessions; operators: those of all users
	EndSessions     Action = "sessions.end"
	ReadAccessKeys  Action = "access_keys.read"
	WriteAccessKeys Action = "access_keys.write"
	InviteMembers   Action = "members.invite"
	ResetPasswords  Action = "passwords.reset" // send other users a link to set a new password

	ReadPlatform  Action = "platform.read"  // tenants, groups, channels, prices of every group
	WritePlatform Action = "platform.write" // the same resources, and grants of quota
	ReadAudit     Action = "audit.read"

	ReadAlerts  Action = "alerts.read"
	WriteAlerts Action = "alerts.write" // rules and destinations of alerts

	RunPlatform Action = "platform.run" // only for programs of the platform: leases, usage events, rollups
)

// allowed maps each role to the actions that it permits. A role that is missing here permits nothing.
var allowed = map[tenant.Role]map[Action]bool{
	tenant.Member: set(ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens, ReadUsage,
		ReadModels, ReadQuota),
	tenant.Admin: set(ReadAudit, ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens,
		ReadUsage, ReadModels, ReadQuota, ReadMembers, WriteMembers, ReadLedger, ReadAlerts, WriteAlerts,
		ManageResponses, InviteMembers, ResetPasswords),
	tenant.Owner: set(ReadAudit, ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens,
		ReadUsage, ReadModels, ReadQuota, ReadMembers, WriteMembers, ReadLedger, ReadAlerts, WriteAlerts,
		ManageResponses, WriteTenant, InviteMembers, ResetPasswords),
	tenant.Operator: set(ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens, ReadUsage,
		ReadModels, ReadQuota, ReadMembers, WriteMembers, ReadLedger, ReadAlerts, WriteAlerts, ManageResponses,
		WriteTenant, InviteMembers, ResetPasswords,
		ReadPlatform, WritePlatform, ReadAudit),
}

func set(actions ...Action) map[Action]bool {
	m := map[Action]bool{}
	for _, action := range actions {
		m[action] = true
	}
	return m
}

// Check returns nil if the role of the scope permits the action, and a Forbidden problem otherwise. RunPlatform is
// permitted to system scopes only; an operator's role does not suffice.
func Check(scope tenant.Scope, action Action) error {
	if action == RunPlatform && scope.System() || allowed[scope.Role()][action] {
		return nil
	}
	return problem.Of(problem.Forbidden)
}

// Responses returns whose stored responses a user may retrieve, delete and continue: the user's own, and with
// ManageResponses all of the tenant.
func Responses(user tenant.User) tenant.Reach {
	reach := tenant.Reach{TenantID: user.TenantID, UserID: user.ID}
	if Check(tenant.ScopeOf(user), ManageResponses) == nil {
		reach.UserID = uuid.Nil
	}
	return reach
}

// scopeNeeds maps each scope of access keys to the action without which none of its operations is permitted.
var scopeNeeds = map[token.AccessScope]Action{
	token.ReadUsage: ReadUsage, token.ReadTokens: ReadTokens, token.WriteTokens: WriteTokens,
	token.ReadMembers: ReadMembers,
	token.ReadCatalog: ReadModels, token.ReadTenants: ReadPlatform, token.ReadAudit: ReadAudit,
	token.WriteCatalog: WritePlatform, token.WriteChannels: WritePlatform, token.WriteTenants: WritePlatform,
	token.WriteBilling: WritePlatform,
}

// CheckAccessScope returns nil if the role of the scope permits operations of the access key's scope, and a Forbidden
// problem otherwise.
func CheckAccessScope(scope tenant.Scope, accessScope token.AccessScope) error {
	action, ok := scopeNeeds[accessScope]
	if ok && Check(scope, action) == nil {
		return nil
	}
	return problem.New(problem.Forbidden, "Your role does not permit the scope %s.", accessScope).At("scopes")
}

// AccessScopes returns the scopes of access keys that the role of the scope permits and that the access includes.
func AccessScopes(scope tenant.Scope, access token.Access) []token.AccessScope {
	var scopes []token.AccessScope
	for _, accessScope := range token.AccessScopes() {
		if access.Includes(accessScope) && CheckAccessScope(scope, accessScope) == nil {
			scopes = append(scopes, accessScope)
		}
	}
	return scopes
}

// Program returns a Forbidden problem unless the scope belongs to a program of the platform.
func Program(scope tenant.Scope) error { return Check(scope, RunPlatform) }
