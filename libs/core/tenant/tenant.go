// Package tenant holds who the customers are: tenants, their users, the user
// groups, and Scope, the caller's reach that every store method needs.
package tenant

import (
	"fmt"
	"net/mail"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Status says whether a thing may be used.
type Status string

// The statuses of tenants, users, groups, models and channels.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled"
)

// Valid reports whether s is a known status.
func (s Status) Valid() bool { return s == Enabled || s == Disabled }

// QuotaMode says what becomes of a stream whose quota ends before it does.
type QuotaMode string

// The modes. Hard: the stream is ended there, and what was delivered is
// charged. Soft: it runs to its end, and is charged as far as the quota goes.
const (
	QuotaHard QuotaMode = "hard"
	QuotaSoft QuotaMode = "soft"
)

// Valid reports whether m is a known mode.
func (m QuotaMode) Valid() bool { return m == QuotaHard || m == QuotaSoft }

// Role is what a user may do. Operators belong to no tenant.
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

// Tenant is a customer organisation. Its wallet is the account with its ID.
type Tenant struct {
	ID        uuid.UUID
	Slug      string // unique, for files and URLs
	Name      string
	Status    Status
	QuotaMode QuotaMode
	CreatedAt time.Time
}

// User is a person in one tenant, or an operator, whose TenantID and GroupID
// are uuid.Nil. Its spending cap is the account with its ID.
type User struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	Email     string // unique over all tenants, lower case
	Role      Role
	GroupID   uuid.UUID
	Status    Status
	Limits    limit.Limits // of all his tokens together
	CreatedAt time.Time
}

// Group is a user group: which models its users may use. The group's prices
// are the pricing rules that name it.
type Group struct {
	ID        uuid.UUID
	Name      string
	Models    []string // public model ids; "*" for all, "gpt-4o*" for a prefix
	Status    Status
	Limits    limit.Limits // of all its users of one tenant together
	CreatedAt time.Time
}

var (
	slugs = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	names = regexp.MustCompile(`^[^\p{Cc}]{1,200}$`)
)

// CheckSlug returns an InvalidType problem unless slug is 1 to 63 lower case
// letters, digits and inner hyphens.
func CheckSlug(slug string) error {
	if !slugs.MatchString(slug) {
		return problem.New(problem.InvalidType, "%q is not a slug: use lower case letters, digits and hyphens", slug).At("slug")
	}
	return nil
}

// CheckStatus returns an InvalidType problem for an unknown status.
func CheckStatus(status Status) error {
	if !status.Valid() {
		return problem.New(problem.InvalidType, "a status is enabled or disabled").At("status")
	}
	return nil
}

// OrEnabled returns the status of a new thing: enabled unless it is given.
func OrEnabled(status Status) Status {
	if status == "" {
		return Enabled
	}
	return status
}

// CheckName returns an InvalidType problem unless name has 1 to 200
// characters of valid UTF-8, none of them a control character.
func CheckName(name string) error {
	if !utf8.ValidString(name) || !names.MatchString(name) {
		return problem.New(problem.InvalidType, "a name has 1 to 200 characters").At("name")
	}
	return nil
}

// CheckLimits returns an InvalidType problem that names a limit below 0 or above
// limit.Max.
func CheckLimits(l limit.Limits) error {
	for _, field := range []struct {
		name  string
		value int64
	}{
		{"requests_per_minute", l.RequestsPerMinute}, {"tokens_per_minute", l.TokensPerMinute}, {"concurrency", l.Concurrency},
	} {
		if field.value < 0 || field.value > limit.Max {
			return problem.New(problem.InvalidType, "a limit is 1 to %d, or 0 for none", limit.Max).At("limits." + field.name)
		}
	}
	return nil
}

// CheckEmail returns an InvalidType problem unless email is a bare address.
func CheckEmail(email string) error {
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > 254 {
		return problem.New(problem.InvalidType, "%q is not an e-mail address", email).At("email")
	}
	return nil
}

// Scope is the caller's reach. Stores need one for every read and write, so
// that neither authorisation nor audit can be forgotten. The zero Scope
// reaches nothing.
type Scope struct {
	actor  uuid.UUID
	name   string
	tenant uuid.UUID
	role   Role
	system bool
}

// ScopeOf returns the reach of a signed-in user.
func ScopeOf(u User) Scope {
	return Scope{actor: u.ID, name: u.Email, tenant: u.TenantID, role: u.Role}
}

// SystemScope returns the reach of one of the programs, such as "relay". It
// may do what an operator may, and what only programs do.
func SystemScope(program string) Scope {
	return Scope{name: program, role: Operator, system: true}
}

// Via returns the same reach for a program that acts for the user. The audit
// log names the program beside the user.
func (s Scope) Via(program string) Scope {
	s.name += " (" + program + ")"
	return s
}

// Actor returns the user, uuid.Nil for a program.
func (s Scope) Actor() uuid.UUID { return s.actor }

// Name returns the actor's e-mail address or the program's name, for the audit
// log; of a program of a user both.
func (s Scope) Name() string { return s.name }

// Role returns the role, "" for the zero Scope.
func (s Scope) Role() Role { return s.role }

// System reports whether a program of the platform acts.
func (s Scope) System() bool { return s.system }

// Everywhere reports whether the caller reaches every tenant.
func (s Scope) Everywhere() bool { return s.role == Operator }

// Tenant returns the only tenant the caller reaches; uuid.Nil where
// Everywhere is true.
func (s Scope) Tenant() uuid.UUID { return s.tenant }

// Reaches reports whether things of the tenant are visible to the caller.
func (s Scope) Reaches(tenantID uuid.UUID) bool {
	return s.Everywhere() || s.role != "" && s.tenant == tenantID
}

// OnlyUser returns the only user whose tokens and logs the caller reaches,
// and whether there is such a limit: a member sees his own things alone.
func (s Scope) OnlyUser() (uuid.UUID, bool) {
	return s.actor, !s.Everywhere() && s.role != Owner && s.role != Admin
}

// String names the caller for logs.
func (s Scope) String() string { return fmt.Sprintf("%s(%s)", s.role, s.name) }
