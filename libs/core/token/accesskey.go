package token

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// AccessPrefix begins every access key. What follows is as in a
// token: id, secret and checksum.
const AccessPrefix = "tgk-"

// maxAccess is the longest life of an access key.
const maxAccess = 366 * 24 * time.Hour

// Access is what an access key may do of what its user may.
type Access string

// The kinds of access.
const (
	ReadAccess  Access = "read"
	WriteAccess Access = "write" // reads too
)

// AccessKey lets a program call the console's API as a user. Its value is shown
// once and kept only as a keyed hash.
type AccessKey struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // uuid.Nil: of an operator
	UserID    uuid.UUID
	Name      string
	Mask      string // the value's recognisable, harmless part
	Access    Access
	CreatedAt time.Time
	LastUsed  time.Time // exact to a minute; zero: never
	ExpiresAt time.Time
}

// Check returns an InvalidType problem unless the key may be made at now: it
// has a name and an access, and expires within 366 days.
func (k *AccessKey) Check(now time.Time) error {
	switch {
	case k.Access != ReadAccess && k.Access != WriteAccess:
		return problem.New(problem.InvalidType, "an access is read or write").At("access")
	case !k.ExpiresAt.After(now):
		return problem.New(problem.InvalidType, "the moment of expiry is past").At("expires_at")
	case k.ExpiresAt.After(now.Add(maxAccess)):
		return problem.New(problem.InvalidType, "an access key lives for a year at most").At("expires_at")
	}
	return tenant.CheckName(k.Name)
}

// NewAccessKey makes the value of the access key with the given id from the
// system's random source.
func NewAccessKey(id uuid.UUID) string { return fresh(AccessPrefix, id) }

// IsAccessKey reports whether value can be an access key: one that is damaged
// cannot.
func IsAccessKey(value string) bool {
	return strings.HasPrefix(value, AccessPrefix) && whole(value, AccessPrefix)
}
