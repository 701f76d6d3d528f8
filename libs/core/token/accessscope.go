package token

import (
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// AccessScope names a kind of operations of the console's API that an access key may call, as resource:verb.
type AccessScope string

// The scopes. Package permission defines which roles may use each of them. No scope permits a change of people, roles,
// ways to sign in, access keys, or credentials of channels.
const (
	ReadUsage     AccessScope = "usage:read"     // usage logs and their summaries and exports, quota and ledgers
	ReadTokens    AccessScope = "tokens:read"    // tokens without their values
	WriteTokens   AccessScope = "tokens:write"   // create, change and revoke tokens, and call models with them
	ReadMembers   AccessScope = "members:read"   // users and invitations
	ReadCatalog   AccessScope = "catalog:read"   // models and prices; for operators also groups, channels and routing
	WriteCatalog  AccessScope = "catalog:write"  // models, prices, price rules, and new groups
	WriteChannels AccessScope = "channels:write" // channels, except where they lead and with which credentials
	ReadTenants   AccessScope = "tenants:read"   // tenants, and the health of the platform
	WriteTenants  AccessScope = "tenants:write"  // create and change tenants
	WriteBilling  AccessScope = "billing:write"  // grants, adjustments and transfers, up to AccessKey.GrantLimit a day
	ReadAudit     AccessScope = "audit:read"     // the audit log, and the list of access keys
)

// AnyScope stands for the scope of an operation that every access key may call. No key has it.
const AnyScope AccessScope = "any"

// AccessScopes returns all scopes, in the order in which lists show them.
func AccessScopes() []AccessScope {
	return []AccessScope{
		ReadUsage, ReadTokens, WriteTokens, ReadMembers, ReadCatalog, WriteCatalog, WriteChannels,
		ReadTenants, WriteTenants, WriteBilling, ReadAudit,
	}
}

// Writes reports whether the scope permits changes.
func (s AccessScope) Writes() bool { return strings.HasSuffix(string(s), ":write") }

// Access is the former, coarse choice of scopes, which clients may still send: all scopes for reading, or all but
// WriteBilling.
type Access string

// The kinds of access.
const (
	ReadAccess  Access = "read"
	WriteAccess Access = "write"
)

// Includes reports whether a key with this access has the scope. WriteBilling needs a limit that nobody chose.
func (a Access) Includes(s AccessScope) bool {
	return !s.Writes() || a == WriteAccess && s != WriteBilling
}

// checkScopes returns an InvalidType problem unless the scopes are known, different from each other, and at least one.
func checkScopes(scopes []AccessScope) error {
	if len(scopes) == 0 {
		return problem.New(problem.InvalidType, "scopes must name at least one scope").At("scopes")
	}
	for i, scope := range scopes {
		if !slices.Contains(AccessScopes(), scope) {
			return problem.New(problem.InvalidType, "%q is not a scope", scope).At("scopes")
		}
		if slices.Contains(scopes[:i], scope) {
			return problem.New(problem.InvalidType, "%s occurs twice", scope).At("scopes")
		}
	}
	return nil
}
