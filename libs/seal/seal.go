// Package seal protects secrets: values that the database stores, state that clients bring back, tokens and
// passwords.
//
//	value                            protection                               read back by
//	credentials, proxies, jobs, mail AES-256-GCM                              Seal, Open
//	billing credentials              AES-256-GCM under a key of their own     SealBilling, OpenBilling
//	state that clients keep          XChaCha20-Poly1305, 192-bit nonces       SealState, OpenState
//	answers of idempotency keys      XChaCha20-Poly1305, 192-bit nonces       SealState, OpenState
//	API tokens                       keyed hash with a pepper (core/token)    nobody
//	passwords                        argon2id                                 nobody
//	name of a credential             HMAC-SHA256, truncated (Fingerprint)     nobody
//	client of a usage log            SipHash-2-4 (MarkClient)                 nobody
//
// All keys are derived with HKDF-SHA256 from the one secret key of the installation, each under a label of
// its own. So one key reveals nothing about another. Encrypted values are bound to a purpose (the additional
// data of the cipher): a value that was sealed for one purpose does not open for another, so a row's secret
// cannot be moved to another row.
//
// To replace the secret key, an installation runs with both for a while: the Sealer of NewRotating seals with
// the new one and opens values of either, and the Reseal functions rewrite stored values.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"slices"
	"sync"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/token"
)

// ChannelCredential is the purpose for which the credentials of channels are sealed.
const ChannelCredential = "channel-credential"

// channelProxy is the purpose for which the proxy URLs of channels are sealed.
const channelProxy = "channel-proxy"

// ErrBroken means that a sealed value was damaged, or was sealed with another secret key or for another
// purpose. The cipher cannot distinguish these cases.
var ErrBroken = errors.New("seal: the sealed value is damaged or was made with another secret key")

const (
	version   = 1  // first byte of every value that Seal returns
	keyLength = 32 // of every derived key, in bytes
)

// Sealer encrypts and decrypts values under the keys of one secret key. It is immutable and safe for concurrent use.
type Sealer struct {
	aead     cipher.AEAD  // of Seal and Open
	billing  cipher.AEAD  // of SealBilling and OpenBilling
	billID   string       // name of that key, see BillingKey
	state    cipher.AEAD  // of SealState and OpenState
	pepper   token.Pepper // for the hashes of tokens
	identity []byte       // key of Fingerprint
	marks    *sync.Pool   // keyed states of Mark, each a hash.Hash: a relay marks every id of an answer
	clients  clientKey    // of MarkClient
	other    *Sealer      // also opens values of this Sealer; nil outside a rotation
}

// New returns the Sealer of the secret key of the installation.
func New(secret [32]byte) *Sealer {
	return &Sealer{
		aead:    newAEAD(derive(secret, "tollgate channel credentials v1")),
		billing: newAEAD(derive(secret, "tollgate billing credentials v1")),
		billID:  hex.EncodeToString(derive(secret, "tollgate billing key name v1")[:pepperIDLength]),
		state:   newStateAEAD(derive(secret, "tollgate client state v1")),
		pepper: token.Pepper{
			ID:  hex.EncodeToString(derive(secret, "tollgate token pepper name v1")[:pepperIDLength]),
			Key: derive(secret, "tollgate token pepper v1"),
		},
		identity: derive(secret, "tollgate credential fingerprint v1"),
		marks:    newMarks(derive(secret, "tollgate marks v1")),
		clients:  newClientKey(derive(secret, "tollgate client marks v1")),
	}
}

// pepperIDLength is the length in bytes of the id of a pepper. It is enough to distinguish the few peppers of
// one installation.
const pepperIDLength = 8

// NewRotating returns a Sealer for the time of a rotation: it seals with secret and opens values that were
// sealed with secret or otherSecret.
func NewRotating(secret, otherSecret [32]byte) *Sealer {
	s := New(secret)
	s.other = New(otherSecret)
	return s
}

// derive returns the key of the secret with the label. HKDF fails only for keys longer than 255 hashes, so
// the panic is unreachable.
func derive(secret [32]byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret[:], nil, purpose, keyLength)
	if err != nil {
		panic(err)
	}
	return key
}

// newAEAD returns AES-256-GCM, which puts a random nonce before each sealed value. It cannot fail for a key
// of 32 bytes.
func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}

// newStateAEAD returns XChaCha20-Poly1305. It cannot fail for a key of 32 bytes.
func newStateAEAD(key []byte) cipher.AEAD {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		panic(err)
	}
	return aead
}

// SealState encrypts state that clients keep and bring back, such as the channel that made a response, and answers that
// are kept for idempotency keys. aad is the tenant and purpose of the state; OpenState needs the same aad. It may be
// called any number of times with one key, because random nonces of 192 bits do not repeat in practice. AES-GCM with
// its nonces of 96 bits is limited to 2^32 values for each key (NIST SP 800-38D, section 8.3).
func (s *Sealer) SealState(plaintext, aad []byte) []byte {
	ciphertext := make([]byte, chacha20poly1305.NonceSizeX, chacha20poly1305.NonceSizeX+len(plaintext)+
		chacha20poly1305.Overhead)
	_, _ = rand.Read(ciphertext) // never fails: crypto/rand ends the program instead
	return s.state.Seal(ciphertext, ciphertext, plaintext, aad)
}

// MarkLength is the length of a mark in bytes.
const MarkLength = 16

// Mark returns a keyed hash of data that clients bring back later. It is always the same for the same data.
func (s *Sealer) Mark(data []byte) [MarkLength]byte {
	mac, _ := s.marks.Get().(hash.Hash)
	defer s.marks.Put(mac)
	mac.Reset()
	mac.Write(data)
	return [MarkLength]byte(mac.Sum(nil))
}

func newMarks(key []byte) *sync.Pool {
	return &sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}
}

// Marked reports whether Mark returned the mark for the data, with the present or the other secret key.
func (s *Sealer) Marked(data, mark []byte) bool {
	for k := s; k != nil; k = k.other {
		if want := k.Mark(data); hmac.Equal(want[:], mark) {
			return true
		}
	}
	return false
}

// OpenState decrypts a value of SealState with the same aad. Its only error is ErrBroken.
func (s *Sealer) OpenState(ciphertext, aad []byte) ([]byte, error) {
	if len(ciphertext) < chacha20poly1305.NonceSizeX {
		return nil, ErrBroken
	}
	nonce, text := ciphertext[:chacha20poly1305.NonceSizeX], ciphertext[chacha20poly1305.NonceSizeX:]
	plaintext, err := s.state.Open(nil, nonce, text, aad)
	if err == nil {
		return plaintext, nil
	}
	if s.other != nil {
		return s.other.OpenState(ciphertext, aad)
	}
	return nil, ErrBroken
}

// Seal encrypts plaintext, which may have any length. Two calls with the same text return different bytes. aad is
// the purpose; Open needs the same aad. The error is always nil.
func (s *Sealer) Seal(plaintext, aad string) ([]byte, error) {
	return s.aead.Seal([]byte{version}, nil, []byte(plaintext), []byte(aad)), nil
}

// Open decrypts a value of Seal with the same aad. Its only error is ErrBroken.
func (s *Sealer) Open(ciphertext []byte, aad string) (string, error) {
	if len(ciphertext) == 0 || ciphertext[0] != version {
		return "", ErrBroken
	}
	plaintext, err := s.aead.Open(nil, nil, ciphertext[1:], []byte(aad))
	if err == nil {
		return string(plaintext), nil
	}
	if s.other != nil {
		return s.other.Open(ciphertext, aad)
	}
	return "", ErrBroken
}

// Reseal returns the value sealed with the current secret key if it was sealed with the other one, and nil if
// it was sealed with the current one. Its only error is ErrBroken.
func (s *Sealer) Reseal(ciphertext []byte, aad string) ([]byte, error) {
	plaintext, err := s.Open(ciphertext, aad)
	if err != nil {
		return nil, err
	}
	if _, err := s.aead.Open(nil, nil, ciphertext[1:], []byte(aad)); err == nil {
		return nil, nil
	}
	return s.Seal(plaintext, aad)
}

// ResealCredential does the same as Reseal for a channel's credential, and keeps the mask. It returns false,
// and the credential unchanged, if the credential was sealed with the current secret key.
func (s *Sealer) ResealCredential(key catalog.SealedSecret) (catalog.SealedSecret, bool, error) {
	return s.reseal(key, ChannelCredential)
}

// ResealProxy does the same as ResealCredential for the URL of a channel's proxy. It returns false for a
// channel without a proxy.
func (s *Sealer) ResealProxy(proxy catalog.SealedSecret) (catalog.SealedSecret, bool, error) {
	if len(proxy.Sealed) == 0 {
		return proxy, false, nil
	}
	return s.reseal(proxy, channelProxy)
}

// reseal does the same as Reseal for a secret with a mask.
func (s *Sealer) reseal(key catalog.SealedSecret, aad string) (catalog.SealedSecret, bool, error) {
	ciphertext, err := s.Reseal(key.Sealed, aad)
	if err != nil || ciphertext == nil {
		return key, false, err
	}
	return catalog.SealedSecret{Sealed: ciphertext, Mask: key.Mask}, true, nil
}

// SealCredential seals a channel's credential and adds a mask for display.
func (s *Sealer) SealCredential(credential string) (catalog.SealedSecret, error) {
	ciphertext, err := s.Seal(credential, ChannelCredential)
	if err != nil {
		return catalog.SealedSecret{}, err
	}
	return catalog.SealedSecret{Sealed: ciphertext, Mask: token.Mask(credential)}, nil
}

// OpenCredential returns the credential that SealCredential sealed.
func (s *Sealer) OpenCredential(key catalog.SealedSecret) (string, error) {
	return s.Open(key.Sealed, ChannelCredential)
}

// fingerprintLength is the length of a fingerprint in bytes. It is enough to distinguish the credentials of
// one installation.
const fingerprintLength = 12

// Fingerprint returns a name for a channel's credential that reveals nothing about it: 24 hexadecimal digits.
// The same credential always has the same fingerprint under one secret key, and another under another.
func (s *Sealer) Fingerprint(credential string) string {
	mac := hmac.New(sha256.New, s.identity)
	mac.Write([]byte(credential))
	return hex.EncodeToString(mac.Sum(nil)[:fingerprintLength])
}

// OldFingerprint returns the fingerprint under the other secret key of NewRotating, or "" outside a rotation.
func (s *Sealer) OldFingerprint(credential string) string {
	if s.other == nil {
		return ""
	}
	return s.other.Fingerprint(credential)
}

// SealProxy seals the URL of a channel's proxy and adds a mask, in which the user and password are hidden.
func (s *Sealer) SealProxy(proxy string) (catalog.SealedSecret, error) {
	ciphertext, err := s.Seal(proxy, channelProxy)
	if err != nil {
		return catalog.SealedSecret{}, err
	}
	return catalog.SealedSecret{Sealed: ciphertext, Mask: catalog.MaskProxy(proxy)}, nil
}

// OpenProxy returns the URL that SealProxy sealed.
func (s *Sealer) OpenProxy(proxy catalog.SealedSecret) (string, error) {
	return s.Open(proxy.Sealed, channelProxy)
}

// Pepper returns a copy of the key with which tokens are hashed, see token.HashOf.
func (s *Sealer) Pepper() []byte { return slices.Clone(s.pepper.Key) }

// Peppers returns the peppers of the hashes by which tokens are looked up: the current one and, during a
// rotation, the other one.
func (s *Sealer) Peppers() token.Peppers {
	p := token.Peppers{Current: token.Pepper{ID: s.pepper.ID, Key: s.Pepper()}}
	if s.other != nil {
		p.Other = s.other.Peppers().Current
	}
	return p
}
