package token

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// AccessPrefix is the prefix of every access key. The id, the secret and the checksum follow as in a token.
const AccessPrefix = "tgk-"

// maxAccess is the longest lifetime of an access key.
const maxAccess = 366 * 24 * time.Hour

// Access is the part of the user's permissions that an access key has.
type Access string

// The kinds of access.
const (
	ReadAccess  Access = "read"
	WriteAccess Access = "write" // includes reading
)

// AccessKey is a credential with which a program calls the console's API as a user. Its value is shown once; the
// database keeps only a keyed hash.
type AccessKey struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // uuid.Nil for a key of an operator
	UserID    uuid.UUID
	Name      string
	Mask      string // shortened value that may be shown, see Mask
	Access    Access
	CreatedAt time.Time
	LastUsed  time.Time // accurate to a minute; zero: never
	ExpiresAt time.Time
}

// Check returns an InvalidType problem unless the key may be created at now: its name and access are valid, and it
// expires after now and within 366 days.
func (k *AccessKey) Check(now time.Time) error {
	switch {
	case k.Access != ReadAccess && k.Access != WriteAccess:
		return problem.New(problem.InvalidType, "access must be one of: read, write").At("access")
	case !k.ExpiresAt.After(now):
		return problem.New(problem.InvalidType, "expires_at must be in the future").At("expires_at")
	case k.ExpiresAt.After(now.Add(maxAccess)):
		return problem.New(problem.InvalidType, "expires_at must be within 366 days").At("expires_at")
	}
	return tenant.CheckName(k.Name)
}

// NewAccessKey returns a new random value for the access key with the given id.
func NewAccessKey(id uuid.UUID) string { return fresh(AccessPrefix, id) }

// IsAccessKey reports whether value has the form of an access key, including a correct checksum. It does not tell
// whether the key exists.
func IsAccessKey(value string) bool {
	return strings.HasPrefix(value, AccessPrefix) && undamaged(value, AccessPrefix)
}
