package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// secretBytes is the number of random bytes of a Secret.
const secretBytes = 32

// Secret is a random value for a cookie or a link. Only its hash is stored, so that a copy of the database
// does not contain usable secrets. The value is random, so the hash needs neither salt nor key.
type Secret struct {
	Value string            // 43 characters of base64 that need no quoting in a URL
	Hash  [sha256.Size]byte // of the decoded value
}

// NewSecret returns a Secret from the system's random source.
func NewSecret() Secret {
	var raw [secretBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return Secret{Value: base64.RawURLEncoding.EncodeToString(raw[:]), Hash: sha256.Sum256(raw[:])}
}

// HashSecret returns the hash of a Secret's value. ok is false if the value does not have the form of a
// Secret's value.
func HashSecret(value string) (hash [sha256.Size]byte, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(raw) != secretBytes {
		return hash, false
	}
	return sha256.Sum256(raw), true
}
