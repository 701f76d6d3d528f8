// Package responseid encodes the response ids that clients see. An id encodes,
// encrypted per tenant, the channel and credential that made the response and the
// upstream's id, so that any relay can route follow-ups without a database
// lookup. An id of another tenant does not decode.
package responseid

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/google/uuid"
)

// Origin says where a response was made.
type Origin struct {
	Channel    uuid.UUID
	Credential CredentialHash
	Tokens     int64  // bound of its input and output tokens
	ID         string // the upstream's id; "" in the tag of encrypted content
}

// CredentialHash identifies a credential of a channel without revealing it.
type CredentialHash [4]byte

// HashCredential returns the hash of a credential's fingerprint (see
// seal.Sealer), which is "" if the channel has no credential.
func HashCredential(fingerprint string) CredentialHash {
	sum := sha256.Sum256([]byte(fingerprint))
	return CredentialHash(sum[:])
}

// Sealer encrypts with the installation's key.
type Sealer interface {
	SealState(plain, aad []byte) []byte
	OpenState(sealed, aad []byte) ([]byte, error)
}

// Codec encodes and decodes response ids. It is safe for concurrent use.
type Codec struct{ sealer Sealer }

// NewCodec returns a Codec whose ids all relays with the same secret can decode.
func NewCodec(sealer Sealer) *Codec { return &Codec{sealer} }

// The purpose is authenticated: an id does not decode as a tag.
const (
	forID  = 'r'
	forTag = 't'
)

const (
	prefix  = "resp_"
	version = 1 // first byte of every encoded origin
	longest = 4 << 10
)

// EncodeID returns an id of the response for clients of the tenant. The same
// response may have several.
func (p *Codec) EncodeID(tenant uuid.UUID, pin Origin) string {
	return prefix + p.seal(forID, tenant, pin)
}

// DecodeID returns the origin in an id, false if it was not made for the tenant.
func (p *Codec) DecodeID(tenant uuid.UUID, id string) (Origin, bool) {
	sealed, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return Origin{}, false
	}
	pin, ok := p.open(forID, tenant, sealed)
	return pin, ok && pin.ID != ""
}

// EncodeTag returns the tag of encrypted content, which names its maker.
func (p *Codec) EncodeTag(tenant uuid.UUID, channel uuid.UUID, credential CredentialHash) string {
	return p.seal(forTag, tenant, Origin{Channel: channel, Credential: credential})
}

// DecodeTag returns the maker in a tag, false if it was not made for the tenant.
func (p *Codec) DecodeTag(tenant uuid.UUID, tag string) (Origin, bool) {
	return p.open(forTag, tenant, tag)
}

func (p *Codec) seal(purpose byte, tenant uuid.UUID, pin Origin) string {
	plain := make([]byte, 0, 32+len(pin.ID))
	plain = append(plain, version)
	plain = append(plain, pin.Channel[:]...)
	plain = append(plain, pin.Credential[:]...)
	plain = binary.AppendUvarint(plain, uint64(max(pin.Tokens, 0)))
	plain = append(plain, pin.ID...)
	return base64.RawURLEncoding.EncodeToString(p.sealer.SealState(plain, aad(purpose, tenant)))
}

func aad(purpose byte, tenant uuid.UUID) []byte { return append([]byte{purpose}, tenant[:]...) }

func (p *Codec) open(purpose byte, tenant uuid.UUID, text string) (pin Origin, ok bool) {
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

// parse reads an encoded origin. Unknown versions are not ok.
func parse(plain []byte) (pin Origin, ok bool) {
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
