package catalog

import "time"

// DisabledReason is the reason why no relay uses a credential.
type DisabledReason string

// The refusals.
const (
	ReasonDenied DisabledReason = "denied" // the upstream does not know it, or forbids it
	ReasonUnpaid DisabledReason = "unpaid" // its account is out of money or of its quota
)

// Valid reports whether r is a known refusal.
func (r DisabledReason) Valid() bool { return r == ReasonDenied || r == ReasonUnpaid }

// DisabledCredential is a credential of a channel that its upstream has refused, and
// that no relay uses until it is enabled again.
type DisabledCredential struct {
	Fingerprint string
	Reason      DisabledReason
	Since       time.Time
}

// Disabled returns why the channel's credential with the fingerprint is not
// used, nil where it is.
func (c *Channel) Disabled(fingerprint string) *DisabledCredential {
	for i := range c.DisabledCredentials {
		if c.DisabledCredentials[i].Fingerprint == fingerprint {
			return &c.DisabledCredentials[i]
		}
	}
	return nil
}
