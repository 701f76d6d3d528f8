package token

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// AccessPrefix is the prefix of every access key. The id, the secret and the checksum follow as in a token.
const AccessPrefix = "tgk-"

// maxAccess is the longest lifetime of an access key.
const maxAccess = 400 * 24 * time.Hour

// maxKeyAddresses is the largest number of entries in the allowlist of an access key.
const maxKeyAddresses = 100

// AccessKey is a credential with which a program calls the console's API as a user, within its scopes. Its value is
// shown once; the database keeps only a keyed hash.
type AccessKey struct {
	ID       uuid.UUID
	TenantID uuid.UUID // uuid.Nil for a key of an operator
	UserID   uuid.UUID
	Name     string
	Mask     string // shortened value that may be shown, see Mask
	Scopes   []AccessScope
	// Most that the key may grant, adjust and transfer in one day (UTC); 0 without WriteBilling.
	GrantLimit money.Amount
	Addresses  []netip.Prefix // allowlist of client addresses; empty: every address
	CreatedAt  time.Time
	LastUsed   time.Time // accurate to a minute; zero: never
	ExpiresAt  time.Time
}

// Check returns an InvalidType problem unless the key may be created at now: its name, scopes and addresses are valid,
// it has a grant limit if it has WriteBilling and only then, and it expires after now and within 400 days.
func (k *AccessKey) Check(now time.Time) error {
	if err := checkScopes(k.Scopes); err != nil {
		return err
	}
	billing := slices.Contains(k.Scopes, WriteBilling)
	switch {
	case billing && (k.GrantLimit <= 0 || k.GrantLimit > money.Max):
		return problem.New(problem.InvalidType, "grant_limit must be greater than 0 for the scope %s", WriteBilling).
			At("grant_limit")
	case !billing && k.GrantLimit != 0:
		return problem.New(problem.InvalidType, "grant_limit needs the scope %s", WriteBilling).At("grant_limit")
	case len(k.Addresses) > maxKeyAddresses:
		return problem.New(problem.InvalidType, "addresses may have at most %d entries", maxKeyAddresses).
			At("addresses")
	case !k.ExpiresAt.After(now):
		return problem.New(problem.InvalidType, "expires_at must be in the future").At("expires_at")
	case k.ExpiresAt.After(now.Add(maxAccess)):
		return problem.New(problem.InvalidType, "expires_at must be within 400 days").At("expires_at")
	}
	return tenant.CheckName(k.Name)
}

// Access returns WriteAccess if a scope of the key permits changes, else ReadAccess.
func (k *AccessKey) Access() Access {
	if slices.ContainsFunc(k.Scopes, AccessScope.Writes) {
		return WriteAccess
	}
	return ReadAccess
}

// AllowsAddress reports whether the key's allowlist permits addr. An empty allowlist permits every address.
func (k *AccessKey) AllowsAddress(addr netip.Addr) bool { return allows(k.Addresses, addr) }

// NewAccessKey returns a new random value for the access key with the given id.
func NewAccessKey(id uuid.UUID) string { return newValue(AccessPrefix, id) }

// IsAccessKey reports whether value has the form of an access key, including a correct checksum. It does not tell
// whether the key exists.
func IsAccessKey(value string) bool {
	return strings.HasPrefix(value, AccessPrefix) && isComplete(value, AccessPrefix)
}
