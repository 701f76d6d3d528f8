// Package permission says who may do what, and which models are visible to
// whom. It is pure: the facts come in as values.
package permission

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
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

// HiddenReason is the reason why a model is not visible.
type HiddenReason string

// The reasons. The first that holds is told.
const (
	NotHidden     HiddenReason = "" // it is visible
	NotInToken    HiddenReason = "not_in_token"
	GroupDisabled HiddenReason = "group_disabled" // or there is no such group
	NotInGroup    HiddenReason = "not_in_group"
	ModelDisabled HiddenReason = "model_disabled"
	NotServed     HiddenReason = "not_served" // by any enabled channel
	NotPriced     HiddenReason = "not_priced"
)

// Visible reports whether the caller sees the model at now: the model and the
// user's group are enabled, group and token both name it, it has a price or is
// free, and some enabled channel serves it. GET /v1/models lists exactly the
// models for which this holds.
func Visible(s *catalog.Snapshot, caller *token.Caller, model *catalog.Model, now time.Time) bool {
	return WhyHidden(s, caller, model, now) == NotHidden
}

// WhyHidden returns the reason why the caller does not see the model at now, or
// NotHidden.
func WhyHidden(s *catalog.Snapshot, caller *token.Caller, model *catalog.Model, now time.Time) HiddenReason {
	if len(caller.Token.Models) > 0 && !catalog.MatchAny(caller.Token.Models, model.ID) {
		return NotInToken
	}
	return WhyHiddenFromGroup(s, caller.User.GroupID, model, now)
}

// VisibleToGroup is Visible for a user of the group without a token.
func VisibleToGroup(s *catalog.Snapshot, groupID uuid.UUID, model *catalog.Model, now time.Time) bool {
	return WhyHiddenFromGroup(s, groupID, model, now) == NotHidden
}

// WhyHiddenFromGroup is WhyHidden for a user of the group without a token.
func WhyHiddenFromGroup(s *catalog.Snapshot, groupID uuid.UUID, model *catalog.Model, now time.Time) HiddenReason {
	group := s.Group(groupID)
	switch {
	case group == nil || group.Status != tenant.Enabled:
		return GroupDisabled
	case !catalog.MatchAny(group.Models, model.ID):
		return NotInGroup
	case model.Status != tenant.Enabled:
		return ModelDisabled
	case len(s.Serving(model.ID)) == 0:
		return NotServed
	case model.Free:
		return NotHidden
	}
	if _, priced := s.Book.Terms(model.ID, groupID, now); !priced {
		return NotPriced
	}
	return NotHidden
}
