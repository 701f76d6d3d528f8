package catalog

import "time"

// Refusal tells why a credential is not used.
type Refusal string

// The refusals.
const (
	Denied Refusal = "denied" // the upstream does not know it, or forbids it
	Unpaid Refusal = "unpaid" // its account is out of money or of its quota
)

// Valid reports whether r is a known refusal.
func (r Refusal) Valid() bool { return r == Denied || r == Unpaid }

// DisabledKey is a credential of a channel that its upstream has refused, and
// that no relay uses until it is enabled again.
type DisabledKey struct {
	Fingerprint string
	Reason      Refusal
	Since       time.Time
}

// Disabled returns why the channel's credential with the fingerprint is not
// used, nil where it is.
func (c *Channel) Disabled(fingerprint string) *DisabledKey {
	for i := range c.DisabledKeys {
		if c.DisabledKeys[i].Fingerprint == fingerprint {
			return &c.DisabledKeys[i]
		}
	}
	return nil
}
