package token

// Pepper is the secret key of the hashes of token values. It is derived from the installation's secret key.
type Pepper struct {
	ID  string // identifies the pepper without revealing anything about it
	Key []byte
}

// Peppers are the peppers under which values are looked up. New hashes use the current one. The other one belongs to
// the secret key that is being replaced.
type Peppers struct {
	Current Pepper
	Other   Pepper // its Key is empty if no rotation is in progress
}

// Rotating reports whether a rotation of the secret key is in progress, so that values must be looked up under both
// peppers.
func (p *Peppers) Rotating() bool { return len(p.Other.Key) > 0 }
