// Package responseid encodes and decodes the response ids that clients see.
//
// An id contains the channel and the credential that made the response, and the upstream's own id. So any relay
// can route a follow-up request without a database lookup:
//
//	"resp_" + base64url( seal( version | channel | credential hash | tokens | upstream id ) )
//
// The content is encrypted and authenticated with the installation's key. The tenant's id and the purpose are
// authenticated with it, so an id of another tenant, a forged id, or a tag in place of an id does not decode. A
// tag is the same without an upstream id; it precedes encrypted content.
package responseid

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/google/uuid"
)

// Origin identifies where a response was made.
type Origin struct {
	Channel    uuid.UUID
	Credential CredentialHash
	Tokens     int64  // upper bound of the response's input and output tokens
	ID         string // the upstream's id; "" in a tag
}

// CredentialHash identifies a credential of a channel without revealing it. It is short because it only has to
// distinguish the few credentials of one channel.
type CredentialHash [4]byte

// HashCredential returns the hash of a credential's fingerprint (see seal.Sealer). The fingerprint is "" if the
// channel has no credential.
func HashCredential(fingerprint string) CredentialHash {
	sum := sha256.Sum256([]byte(fingerprint))
	return CredentialHash(sum[:])
}

// Sealer encrypts and decrypts with the installation's key. aad is authenticated and not encrypted.
type Sealer interface {
	SealState(plain, aad []byte) []byte
	OpenState(sealed, aad []byte) ([]byte, error)
}

// Codec encodes and decodes response ids. It is safe for concurrent use.
type Codec struct{ sealer Sealer }

// NewCodec returns a Codec. All relays with the same secret key can decode its ids.
func NewCodec(sealer Sealer) *Codec { return &Codec{sealer} }

// The purpose is authenticated, so that an id doesn't decode as a tag and vice versa.
const (
	forID  = 'r'
	forTag = 't'
)

const (
	prefix  = "resp_"
	version = 1       // first byte of an encoded origin
	longest = 4 << 10 // longest text that is decoded, in bytes
)

// EncodeID returns an id of the response for clients of the tenant. Encryption is randomized, so each call
// returns a different id for the same response.
func (p *Codec) EncodeID(tenant uuid.UUID, origin Origin) string {
	return prefix + p.seal(forID, tenant, origin)
}

// DecodeID returns the origin of a response. ok is false if the id is malformed or was not made for the tenant.
func (p *Codec) DecodeID(tenant uuid.UUID, id string) (Origin, bool) {
	sealed, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return Origin{}, false
	}
	origin, ok := p.open(forID, tenant, sealed)
	return origin, ok && origin.ID != ""
}

// EncodeTag returns a tag for encrypted content that the channel made with the credential.
func (p *Codec) EncodeTag(tenant uuid.UUID, channel uuid.UUID, credential CredentialHash) string {
	return p.seal(forTag, tenant, Origin{Channel: channel, Credential: credential})
}

// DecodeTag returns the origin of encrypted content. ok is false if the tag is malformed or was not made for
// the tenant.
func (p *Codec) DecodeTag(tenant uuid.UUID, tag string) (Origin, bool) {
	return p.open(forTag, tenant, tag)
}

// seal encodes and encrypts an origin as base64url text.
func (p *Codec) seal(purpose byte, tenant uuid.UUID, origin Origin) string {
	plain := make([]byte, 0, 32+len(origin.ID))
	plain = append(plain, version)
	plain = append(plain, origin.Channel[:]...)
	plain = append(plain, origin.Credential[:]...)
	plain = binary.AppendUvarint(plain, uint64(max(origin.Tokens, 0)))
	plain = append(plain, origin.ID...)
	return base64.RawURLEncoding.EncodeToString(p.sealer.SealState(plain, aad(purpose, tenant)))
}

// aad returns the authenticated data of an id or tag.
func aad(purpose byte, tenant uuid.UUID) []byte { return append([]byte{purpose}, tenant[:]...) }

// open decrypts and decodes a text. ok is false for any text that seal didn't return for the same purpose and
// tenant.
func (p *Codec) open(purpose byte, tenant uuid.UUID, text string) (origin Origin, ok bool) {
	if len(text) > longest {
		return origin, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return origin, false
	}
	plain, err := p.sealer.OpenState(sealed, aad(purpose, tenant))
	if err != nil {
		return origin, false
	}
	return parse(plain)
}

// parse reads an encoded origin. ok is false if it is too short or has an unknown version.
func parse(plain []byte) (origin Origin, ok bool) {
	const head = 1 + len(origin.Channel) + len(origin.Credential)
	if len(plain) < head || plain[0] != version {
		return origin, false
	}
	copy(origin.Channel[:], plain[1:])
	copy(origin.Credential[:], plain[1+len(origin.Channel):])
	tokens, n := binary.Uvarint(plain[head:])
	if n <= 0 {
		return origin, false
	}
	origin.Tokens, origin.ID = int64(tokens), string(plain[head+n:])
	return origin, true
}
