// Package responseid makes the ids of responses that clients see. Such an id holds,
// sealed, where the response was made and what it is called there, so that any
// relay can send the client back to it without asking a database. It opens for
// its own tenant alone.
package responseid

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/google/uuid"
)

// Pin is where a response was made.
type Pin struct {
	Channel    uuid.UUID
	Credential Credential
	Tokens     int64  // what it has of input and output, at most
	ID         string // what the upstream calls it; "" in the tag of encrypted content
}

// Credential tells the credentials of a channel apart without telling them.
type Credential [4]byte

// CredentialOf returns that of a credential by its fingerprint (see
// seal.Sealer), which is "" where a channel has none.
func CredentialOf(fingerprint string) Credential {
	sum := sha256.Sum256([]byte(fingerprint))
	return Credential(sum[:])
}

// Sealer is the installation's.
type Sealer interface {
	SealState(plain, aad []byte) []byte
	OpenState(sealed, aad []byte) ([]byte, error)
}

// Pins seals and opens pins. It is safe for concurrent use.
type Pins struct{ sealer Sealer }

// New returns Pins that relays with the same secret can open.
func New(sealer Sealer) *Pins { return &Pins{sealer} }

// What a pin is sealed for: an id is no tag.
const (
	forID  = 'r'
	forTag = 't'
)

const (
	prefix  = "resp_"
	version = 1 // first byte of every pin
	longest = 4 << 10
)

// ID returns the id that clients of the tenant know the response under. The
// same response may have several.
func (p *Pins) ID(tenant uuid.UUID, pin Pin) string { return prefix + p.seal(forID, tenant, pin) }

// Open returns the pin of an id, false for one that was not made for the tenant.
func (p *Pins) Open(tenant uuid.UUID, id string) (Pin, bool) {
	sealed, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return Pin{}, false
	}
	pin, ok := p.open(forID, tenant, sealed)
	return pin, ok && pin.ID != ""
}

// Tag returns what tells the maker of content that is encrypted for it.
func (p *Pins) Tag(tenant uuid.UUID, channel uuid.UUID, credential Credential) string {
	return p.seal(forTag, tenant, Pin{Channel: channel, Credential: credential})
}

// OpenTag returns the maker, false for a tag that was not made for the tenant.
func (p *Pins) OpenTag(tenant uuid.UUID, tag string) (Pin, bool) { return p.open(forTag, tenant, tag) }

func (p *Pins) seal(purpose byte, tenant uuid.UUID, pin Pin) string {
	plain := make([]byte, 0, 32+len(pin.ID))
	plain = append(plain, version)
	plain = append(plain, pin.Channel[:]...)
	plain = append(plain, pin.Credential[:]...)
	plain = binary.AppendUvarint(plain, uint64(max(pin.Tokens, 0)))
	plain = append(plain, pin.ID...)
	return base64.RawURLEncoding.EncodeToString(p.sealer.SealState(plain, aad(purpose, tenant)))
}

func aad(purpose byte, tenant uuid.UUID) []byte { return append([]byte{purpose}, tenant[:]...) }

func (p *Pins) open(purpose byte, tenant uuid.UUID, text string) (pin Pin, ok bool) {
	if len(text) > longest {
		return pin, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return pin, false
	}
	plain, err := p.sealer.OpenState(sealed, aad(purpose, tenant))
	if err != nil {
		return pin, false
	}
	return parse(plain)
}

// parse reads what was sealed, by this version or another.
func parse(plain []byte) (pin Pin, ok bool) {
	const head = 1 + len(pin.Channel) + len(pin.Credential)
	if len(plain) < head || plain[0] != version {
		return pin, false
	}
	copy(pin.Channel[:], plain[1:])
	copy(pin.Credential[:], plain[1+len(pin.Channel):])
	tokens, n := binary.Uvarint(plain[head:])
	if n <= 0 {
		return pin, false
	}
	pin.Tokens, pin.ID = int64(tokens), string(plain[head+n:])
	return pin, true
}
