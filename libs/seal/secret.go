package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const secretBytes = 32

// Secret is a random value for a cookie or a link. Only its hash is stored.
type Secret struct {
	Value string // 43 characters that need no quoting in a URL
	Hash  [sha256.Size]byte
}

// NewSecret returns a Secret from the system's random source.
func NewSecret() Secret {
	var raw [secretBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return Secret{Value: base64.RawURLEncoding.EncodeToString(raw[:]), Hash: sha256.Sum256(raw[:])}
}

// HashSecret returns the hash of a value that NewSecret may have made.
func HashSecret(value string) (hash [sha256.Size]byte, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(raw) != secretBytes {
		return hash, false
	}
	return sha256.Sum256(raw), true
}
