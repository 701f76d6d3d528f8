package stored

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
)

// Origin identifies where a response was made.
type Origin struct {
	Channel    uuid.UUID
	Credential CredentialHash
	User       uuid.UUID // the user whose token made it; uuid.Nil in a tag
	Tokens     int64     // upper bound of the response's input and output tokens
	ID         string    // the upstream's id; "" in a tag
	Required   bool      // only this channel has the state that the request needs; it is not part of an id
	Encrypted  bool      // this channel made encrypted content of the request; it is not part of an id
}

// Binds reports whether the request must go to the origin while the origin serves the model. Otherwise it goes there
// first.
func (o *Origin) Binds() bool { return o.Required || o.Encrypted }

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
	SealState(plaintext, aad []byte) []byte
	OpenState(ciphertext, aad []byte) ([]byte, error)
	Marker
}

// Marker computes and checks short keyed hashes with the installation's key.
type Marker interface {
	Mark(data []byte) [seal.MarkLength]byte
	Marked(data, mark []byte) bool
}

// Codec encodes and decodes the ids of responses that a channel stores, the tags of encrypted content, and the marks of
// other ids of upstreams. It is safe for concurrent use.
//
// An id contains the channel and the credential that made the response, and the upstream's own id. So any relay
// can route a follow-up request without a database lookup:
//
//	"resp_" + base64url( seal( version | channel | credential hash | user | tokens | upstream id ) )
//
// The content is encrypted and authenticated with the installation's key. The tenant's id and the purpose are
// authenticated with it, so an id of another tenant, a forged id, or a tag in place of an id does not decode. An id
// of another user decodes only for callers who may use the responses of all users of the tenant. A tag has no user
// and no upstream id; it precedes encrypted content.
type Codec struct{ sealer Sealer }

// NewCodec returns a Codec. All relays with the same secret key can decode its ids.
func NewCodec(sealer Sealer) *Codec { return &Codec{sealer} }

// The purpose is authenticated, so that an id doesn't decode as a tag and vice versa.
const (
	forID  = 'r'
	forTag = 't'
)

const (
	longest = 4 << 10 // longest text that is decoded, in bytes

	// The versions are the first byte of an encoded origin.
	withoutUser = 1
	withUser    = 2
)

// EncodeID returns an id of the response for clients of the tenant. Encryption is randomized, so each call
// returns a different id for the same response.
func (p *Codec) EncodeID(tenantID uuid.UUID, origin Origin) string {
	return prefix + p.seal(forID, tenantID, origin)
}

// DecodeID returns the origin of a response. ok is false if the id is malformed or out of reach.
func (p *Codec) DecodeID(reach tenant.Reach, id string) (Origin, bool) {
	text, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return Origin{}, false
	}
	origin, ok := p.open(forID, reach.TenantID, text)
	if !ok || origin.ID == "" || origin.User == uuid.Nil {
		return Origin{}, false
	}
	return origin, reach.Includes(origin.User)
}

// EncodeTag returns a tag for encrypted content that the channel made with the credential.
func (p *Codec) EncodeTag(tenantID uuid.UUID, channel uuid.UUID, credential CredentialHash) string {
	return p.seal(forTag, tenantID, Origin{Channel: channel, Credential: credential})
}

// DecodeTag returns the origin of encrypted content. ok is false if the tag is malformed or was not made for
// the tenant.
func (p *Codec) DecodeTag(tenantID uuid.UUID, tag string) (Origin, bool) {
	return p.open(forTag, tenantID, tag)
}

// seal encodes and encrypts an origin as base64url text.
func (p *Codec) seal(purpose byte, tenantID uuid.UUID, origin Origin) string {
	plaintext := make([]byte, 0, 48+len(origin.ID))
	version := byte(withUser)
	if origin.User == uuid.Nil {
		version = withoutUser
	}
	plaintext = append(plaintext, version)
	plaintext = append(plaintext, origin.Channel[:]...)
	plaintext = append(plaintext, origin.Credential[:]...)
	if version == withUser {
		plaintext = append(plaintext, origin.User[:]...)
	}
	plaintext = binary.AppendUvarint(plaintext, uint64(max(origin.Tokens, 0)))
	plaintext = append(plaintext, origin.ID...)
	return base64.RawURLEncoding.EncodeToString(p.sealer.SealState(plaintext, aad(purpose, tenantID)))
}

// aad returns the authenticated data of an id or tag.
func aad(purpose byte, tenantID uuid.UUID) []byte { return append([]byte{purpose}, tenantID[:]...) }

// open decrypts and decodes a text. ok is false for any text that seal didn't return for the same purpose and
// tenant.
func (p *Codec) open(purpose byte, tenantID uuid.UUID, text string) (origin Origin, ok bool) {
	if len(text) > longest {
		return origin, false
	}
	ciphertext, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return origin, false
	}
	plaintext, err := p.sealer.OpenState(ciphertext, aad(purpose, tenantID))
	if err != nil {
		return origin, false
	}
	return parse(plaintext)
}

// parse reads an encoded origin. ok is false if it is too short or has an unknown version.
func parse(plaintext []byte) (origin Origin, ok bool) {
	if len(plaintext) == 0 || plaintext[0] != withoutUser && plaintext[0] != withUser {
		return origin, false
	}
	fields, tail := [][]byte{origin.Channel[:], origin.Credential[:], origin.User[:]}, plaintext[1:]
	for _, field := range fields[:1+plaintext[0]] { // the user is the last field
		if len(tail) < len(field) {
			return origin, false
		}
		tail = tail[copy(field, tail):]
	}
	tokens, n := binary.Uvarint(tail)
	if n <= 0 {
		return origin, false
	}
	origin.Tokens, origin.ID = int64(tokens), string(tail[n:])
	return origin, true
}
