package catalog

import "time"

// DisabledReason is the reason why no relay uses a credential.
type DisabledReason string

// The reasons.
const (
	ReasonDenied DisabledReason = "denied" // the upstream rejected the credential as unknown or not permitted
	ReasonUnpaid DisabledReason = "unpaid" // the credential's account has no money or quota left
)

// Valid reports whether r is a known reason.
func (r DisabledReason) Valid() bool { return r == ReasonDenied || r == ReasonUnpaid }

// DisabledCredential is a credential of a channel that its upstream has refused. No relay uses it until it is
// enabled again.
type DisabledCredential struct {
	Fingerprint string // identifies the credential without revealing it
	Reason      DisabledReason
	Since       time.Time
}

// Disabled returns the record of the channel's credential with the fingerprint if the credential is disabled,
// or nil if it may be used.
func (c *Channel) Disabled(fingerprint string) *DisabledCredential {
	for i := range c.DisabledCredentials {
		if c.DisabledCredentials[i].Fingerprint == fingerprint {
			return &c.DisabledCredentials[i]
		}
	}
	return nil
}
