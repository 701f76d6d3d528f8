package token

// Pepper keys the hashes of values. Its ID tells it from others, and nothing
// of it.
type Pepper struct {
	ID  string
	Key []byte
}

// Peppers are those under which values are looked up. New hashes are made with
// the current one; the other is that of the secret key which is being replaced.
type Peppers struct {
	Current Pepper
	Other   Pepper // without a key where there is none
}

// Rotating reports whether there are two.
func (p *Peppers) Rotating() bool { return len(p.Other.Key) > 0 }
