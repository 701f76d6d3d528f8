package tenant

import (
	"regexp"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/claim"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// maxIssuerDomains is the largest number of domains of an issuer.
const maxIssuerDomains = 20

// Issuer is the OpenID Connect issuer of a tenant. It signs in users of this tenant and nobody else, and it proves no
// address to the platform. Tenant.RequireIssuer says whether the users must sign in with it.
type Issuer struct {
	TenantID       uuid.UUID
	URL            string
	ClientID       string
	SealedSecret   []byte // nil where the reader may not see it
	Domains        []IssuerDomain
	TrustEmail     bool                // the address counts as verified if the issuer does not say whether it is
	RequiredClaims []claim.Requirement // that the ID token must meet at each sign-in
	CreateMembers  bool                // make an account at the first sign-in of a person without one
	DefaultRole    Role                // of these accounts: Member or Admin
	DefaultGroupID uuid.UUID
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// IssuerDomain is a domain of the addresses that an issuer signs in.
type IssuerDomain struct {
	Name string // in the form of email.Normalize
	// When an operator approved that the sign-in page sends people of the domain to the issuer; zero: not.
	ApprovedAt time.Time
}

// IssuerPurpose returns the context to which the encryption of a tenant's client secret is bound.
func IssuerPurpose(tenantID uuid.UUID) string {
	return "client secret of the issuer of " + tenantID.String()
}

var domains = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// longestDomain is the largest length of a domain in bytes.
const longestDomain = 253

// CheckIssuerDomains returns an InvalidType problem of the field domains unless there are 1 to 20 domains, each of
// which is a name such as example.com in the form of email.Normalize.
func CheckIssuerDomains(names []string) error {
	if len(names) == 0 || len(names) > maxIssuerDomains {
		return problem.New(problem.InvalidType, "domains must have 1 to %d entries", maxIssuerDomains).At("domains")
	}
	for _, name := range names {
		if len(name) > longestDomain || !domains.MatchString(name) {
			return problem.New(problem.InvalidType, "%q is not a domain such as example.com; write names in other "+
				"scripts in their ASCII form (xn--...)", name).At("domains")
		}
	}
	return nil
}

// CheckIssuerRole returns an InvalidType problem of the field default_role unless accounts that an issuer makes may
// have the role.
func CheckIssuerRole(role Role) error {
	if role != Member && role != Admin {
		return problem.New(problem.InvalidType, "default_role must be one of: member, admin").At("default_role")
	}
	return nil
}

// MustUseIssuer reports whether the user may sign in only with the issuer of their tenant. Owners never need to, so
// that a tenant can mend its settings when its issuer fails.
func (t Tenant) MustUseIssuer(role Role) bool { return t.RequireIssuer && role != Owner }
