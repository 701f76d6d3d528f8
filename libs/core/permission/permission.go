// Package permission says who may do what. It is pure: the facts come in as
// values.
package permission

import (
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Action is something a Scope may or may not do.
type Action string

// The actions. Those on tenants' things are further limited to the tenant,
// and for members to the user, that the Scope reaches.
const (
	ReadTokens   Action = "tokens.read"
	WriteTokens  Action = "tokens.write"
	ReadUsage    Action = "usage.read"
	ReadModels   Action = "models.read"
	ReadQuota    Action = "quota.read"
	ReadMembers  Action = "members.read"
	WriteMembers Action = "members.write"
	ReadLedger   Action = "ledger.read"
	WriteTenant  Action = "tenant.write" // what a tenant is called

	ReadSessions    Action = "sessions.read" // one's own; operators those of all users
	EndSessions     Action = "sessions.end"
	ReadAccessKeys  Action = "access_keys.read"
	WriteAccessKeys Action = "access_keys.write"
	InviteMembers   Action = "members.invite"
	ResetPasswords  Action = "passwords.reset" // of others, by link

	ReadPlatform  Action = "platform.read"  // tenants, groups, channels, prices of every group
	WritePlatform Action = "platform.write" // the same, and grants
	ReadAudit     Action = "audit.read"

	RunPlatform Action = "platform.run" // what only programs do: leases, recording, rollups
)

// allowed is the law: each role with the actions it may do.
var allowed = map[tenant.Role]map[Action]bool{
	tenant.Member: set(ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens, ReadUsage, ReadModels, ReadQuota),
	tenant.Admin:  set(ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens, ReadUsage, ReadModels, ReadQuota, ReadMembers, WriteMembers, ReadLedger, InviteMembers, ResetPasswords),
	tenant.Owner:  set(ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens, ReadUsage, ReadModels, ReadQuota, ReadMembers, WriteMembers, ReadLedger, WriteTenant, InviteMembers, ResetPasswords),
	tenant.Operator: set(ReadSessions, EndSessions, ReadAccessKeys, WriteAccessKeys, ReadTokens, WriteTokens, ReadUsage, ReadModels, ReadQuota, ReadMembers, WriteMembers, ReadLedger, WriteTenant, InviteMembers, ResetPasswords,
		ReadPlatform, WritePlatform, ReadAudit),
}

func set(actions ...Action) map[Action]bool {
	m := map[Action]bool{}
	for _, action := range actions {
		m[action] = true
	}
	return m
}

// Check returns nil or a Forbidden problem.
func Check(scope tenant.Scope, action Action) error {
	if action == RunPlatform && scope.System() || allowed[scope.Role()][action] {
		return nil
	}
	return problem.Of(problem.Forbidden)
}

// Program returns a Forbidden problem unless the scope is a program's.
func Program(scope tenant.Scope) error { return Check(scope, RunPlatform) }
