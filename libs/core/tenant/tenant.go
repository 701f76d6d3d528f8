// Package tenant defines the customers (tenants), their users, the user groups, and Scope: the identity and reach of a
// caller, which every store method requires.
package tenant

import (
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/displaytext"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Status decides whether a resource may be used.
type Status string

// The statuses of tenants, users, groups, models and channels.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled"
)

// Valid reports whether s is a known status.
func (s Status) Valid() bool { return s == Enabled || s == Disabled }

// QuotaMode decides what happens to a streamed response if the quota runs out before the response ends.
type QuotaMode string

// The modes. With QuotaHard the relay ends the stream and charges the delivered tokens. With QuotaSoft it delivers
// the whole response and charges as much of its cost as the quota covers.
const (
	QuotaHard QuotaMode = "hard"
	QuotaSoft QuotaMode = "soft"
)

// Valid reports whether m is a known mode.
func (m QuotaMode) Valid() bool { return m == QuotaHard || m == QuotaSoft }

// IgnoredFields decides what happens to a call with a field that only restricts the answer or gives a hint, if the
// dialect of the channel does not have the field, and with a tool that the provider runs, if the client leaves the tool
// optional and no channel of the call has it. The default is "report", and a channel may refuse, too.
type IgnoredFields string

// The values. With ReportIgnored the relay ignores the field and says so. With RefuseIgnored the call is refused with
// the field.
const (
	ReportIgnored IgnoredFields = "report"
	RefuseIgnored IgnoredFields = "refuse"
)

// Valid reports whether f is a known value.
func (f IgnoredFields) Valid() bool { return f == ReportIgnored || f == RefuseIgnored }

// OutputCap decides whether the relay may limit the output of a call whose longest answer costs more than the tenant
// has left.
type OutputCap string

// The values. With OutputCapAuto the relay sends the upstream an output cap that the remaining quota can pay, if the
// request has none. With OutputCapOff it never does, and refuses a call whose longest answer the quota cannot pay.
const (
	OutputCapAuto OutputCap = "auto"
	OutputCapOff  OutputCap = "off"
)

// Valid reports whether c is a known value.
func (c OutputCap) Valid() bool { return c == OutputCapAuto || c == OutputCapOff }

// Role decides what a user may do (package permission). Operators belong to no tenant.
type Role string

// The roles.
const (
	Owner    Role = "owner"
	Admin    Role = "admin"
	Member   Role = "member"
	Operator Role = "operator"
)

// Valid reports whether r is a role that a user of a tenant can have.
func (r Role) Valid() bool { return r == Owner || r == Admin || r == Member }

// Proof states how a person proved that the e-mail address of an account is their own.
type Proof string

// The proofs. An account that a person of a tenant made for somebody else has none until its person gives one. Issuers
// of the platform link only accounts with a proof.
const (
	Unproven     Proof = ""
	BeforeProofs Proof = "before"   // the account is older than proofs; the default of the column
	HandedOver   Proof = "link"     // a link that a person of the tenant handed over, because mail was not configured
	Vouched      Proof = "operator" // an operator or the manifest made the account, or handed over the link
	Mailed       Proof = "mail"     // a link that was sent to the address
	ByIssuer     Proof = "issuer"   // an issuer reported the address as verified
)

// ProofOfLink returns the proof that a person gives who opens a link: it was sent by mail, or a caller with the scope
// handed it over.
func ProofOfLink(mailed bool, scope Scope) Proof {
	switch {
	case mailed:
		return Mailed
	case scope.Everywhere():
		return Vouched
	}
	return HandedOver
}

// Tenant is a customer organization. Its wallet is the quota account with the same ID.
type Tenant struct {
	ID        uuid.UUID
	Slug      string // unique name in manifests and URLs
	Name      string
	Status    Status
	QuotaMode QuotaMode
	OutputCap OutputCap
	CreatedAt time.Time

	IgnoredFields IgnoredFields

	IncludeQuota bool   // the usage of each answer shows the quota that was deducted, unless the call declines it
	MetadataTags string // keys of a request's metadata that are tags of the call, as attribution.Names

	RequireSecondFactor bool // users without one can only set one up
	RequireIssuer       bool // users other than owners must sign in with the tenant's issuer, see Issuer
}

// User is a person in one tenant, or an operator. TenantID and GroupID of an operator are uuid.Nil. The user's spending
// cap is the quota account with the user's ID.
type User struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	// In the form of email.Normalize; unique across all tenants among accounts that can sign in with it.
	Email     string
	Proof     Proof // of the address
	Role      Role
	GroupID   uuid.UUID
	Status    Status
	Language  language.Tag
	Limits    limit.Limits // shared by all tokens of the user
	CreatedAt time.Time
}

// Group is a user group. It decides which models its users may call; the pricing rules that name the group decide
// what they pay.
type Group struct {
	ID        uuid.UUID
	Name      string
	Models    []string // patterns of public model ids: an id, "gpt-4o*" for a prefix, "*" for all; see catalog.MatchAny
	Status    Status
	Limits    limit.Limits // shared by all users of the group within one tenant
	CreatedAt time.Time
}

var slugs = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// longestName is the largest number of characters of a name.
const longestName = 200

// CheckSlug returns an InvalidType problem unless slug consists of 1 to 63 lower case letters, digits and inner
// hyphens, like a DNS label.
func CheckSlug(slug string) error {
	if !slugs.MatchString(slug) {
		return problem.New(problem.InvalidType,
			"%q is not a slug: use 1 to 63 lower case letters, digits and inner hyphens", slug).At("slug")
	}
	return nil
}

// CheckStatus returns an InvalidType problem for an unknown status.
func CheckStatus(status Status) error {
	if !status.Valid() {
		return problem.New(problem.InvalidType, "status must be one of: enabled, disabled").At("status")
	}
	return nil
}

// OrEnabled returns the status of a new resource: the given one, or Enabled for "".
func OrEnabled(status Status) Status {
	if status == "" {
		return Enabled
	}
	return status
}

// CheckName returns an InvalidType problem unless name is plain text of 1 to 200 characters, see displaytext.IsName. It
// checks the names of all resources.
func CheckName(name string) error {
	if !displaytext.IsName(name, longestName) {
		return problem.New(problem.InvalidType, "name must have 1 to %d characters and no control characters",
			longestName).At("name")
	}
	return nil
}

// CheckLimits returns an InvalidType problem that names the first limit below 0 or above limit.Max, nil if there is
// none.
func CheckLimits(l limit.Limits) error {
	for _, field := range []struct {
		name  string
		value int64
	}{
		{"requests_per_minute", l.RequestsPerMinute}, {"tokens_per_minute", l.TokensPerMinute},
		{"concurrency", l.Concurrency},
	} {
		if field.value < 0 || field.value > limit.Max {
			return problem.New(problem.InvalidType, "limit must be 1 to %d, or 0 for none", limit.Max).
				At("limits." + field.name)
		}
	}
	return nil
}

// Scope identifies a caller and limits what the caller reaches: an operator every tenant, an owner or admin one tenant,
// a member their own resources in it. Store methods require a Scope for every read and write, so that neither
// authorization nor audit can be forgotten. The zero Scope reaches nothing. What the caller may do with resources
// within reach is decided by package permission.
type Scope struct {
	actor  uuid.UUID
	name   string
	tenant uuid.UUID
	role   Role
	system bool
	key    uuid.UUID
}

// ScopeOf returns the scope of a signed-in user.
func ScopeOf(u User) Scope {
	return Scope{actor: u.ID, name: u.Email, tenant: u.TenantID, role: u.Role}
}

// SystemScope returns the scope of one of the platform's own programs, such as "relay". It may do everything that an
// operator may, and also what only programs may.
func SystemScope(program string) Scope {
	return Scope{name: program, role: Operator, system: true}
}

// Via returns the same scope for a program that acts for the user with an access key, which has the id and the mask.
// The audit log then names the key after the user.
func (s Scope) Via(key uuid.UUID, mask string) Scope {
	s.key, s.name = key, s.name+" ("+mask+")"
	return s
}

// Key returns the id of the access key with which a program acts for the user, or uuid.Nil if the caller uses none.
func (s Scope) Key() uuid.UUID { return s.key }

// Actor returns the id of the user, or uuid.Nil for a program of the platform.
func (s Scope) Actor() uuid.UUID { return s.actor }

// Name returns the name for the audit log: the user's e-mail address, the name of the program, or both if a program
// acts for the user.
func (s Scope) Name() string { return s.name }

// Role returns the role, or "" for the zero Scope.
func (s Scope) Role() Role { return s.role }

// System reports whether the caller is a program of the platform.
func (s Scope) System() bool { return s.system }

// Everywhere reports whether the caller reaches every tenant.
func (s Scope) Everywhere() bool { return s.role == Operator }

// Tenant returns the only tenant that the caller reaches, or uuid.Nil if Everywhere is true.
func (s Scope) Tenant() uuid.UUID { return s.tenant }

// Reaches reports whether the caller reaches resources of the tenant. Members reach only some of them, see OnlyUser.
func (s Scope) Reaches(tenantID uuid.UUID) bool {
	return s.Everywhere() || s.role != "" && s.tenant == tenantID
}

// OnlyUser reports whether the caller reaches only the tokens and logs of one user, and returns that user. It is true
// for members, who see their own resources only.
func (s Scope) OnlyUser() (uuid.UUID, bool) {
	return s.actor, !s.Everywhere() && s.role != Owner && s.role != Admin
}

// Reach names the things of one user in a tenant, or of all its users.
type Reach struct {
	TenantID uuid.UUID
	UserID   uuid.UUID // uuid.Nil: all users of the tenant
}

// Includes reports whether the things of the user, who belongs to the tenant, are within reach.
func (r Reach) Includes(userID uuid.UUID) bool { return r.UserID == uuid.Nil || r.UserID == userID }

// String returns the role and the name, for logs.
func (s Scope) String() string { return fmt.Sprintf("%s(%s)", s.role, s.name) }
