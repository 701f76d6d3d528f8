// Package seal protects the secrets that are kept: channel credentials with
// AES-256-GCM, what clients bring back with XChaCha20-Poly1305, tokens with a
// keyed hash and passwords with argon2id. Every key
// is derived with HKDF-SHA256 from the one secret of the installation, each
// for a purpose of its own, so that none reveals another.
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
	"slices"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/token"
)

// ChannelCredential is the additional data that channel credentials are
// sealed under.
const ChannelCredential = "channel-credential"

// channelProxy is the additional data that the URLs of channels' proxies are
// sealed under.
const channelProxy = "channel-proxy"

// ErrBroken tells that a sealed value was damaged, or was sealed with another
// secret or for another purpose: these cannot be told apart.
var ErrBroken = errors.New("seal: the sealed value is damaged or was made with another secret key")

const (
	version   = 1 // first byte of every sealed value
	keyLength = 32
)

// Sealer seals and opens. It is immutable and safe for concurrent use.
type Sealer struct {
	aead     cipher.AEAD
	state    cipher.AEAD
	pepper   token.Pepper
	identity []byte
	other    *Sealer // what it opens besides; nil: nothing
}

// New derives the keys from the secret of the installation.
func New(secret [32]byte) *Sealer {
	return &Sealer{
		aead:  newAEAD(derive(secret, "tollgate channel credentials v1")),
		state: newStateAEAD(derive(secret, "tollgate client state v1")),
		pepper: token.Pepper{
			ID: hex.EncodeToString(derive(secret, "tollgate token pepper name v1")[:pepperIDLength]), Key: derive(secret, "tollgate token pepper v1"),
		},
		identity: derive(secret, "tollgate credential fingerprint v1"),
	}
}

// pepperIDLength in bytes is enough to tell the peppers of one installation
// apart.
const pepperIDLength = 8

// NewRotating returns the Sealer of secret that opens what other sealed too.
func NewRotating(secret, other [32]byte) *Sealer {
	s := New(secret)
	s.other = New(other)
	return s
}

// derive returns one key of the secret. HKDF fails only for lengths beyond
// 255 hashes, which keyLength is not.
func derive(secret [32]byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret[:], nil, purpose, keyLength)
	if err != nil {
		panic(err)
	}
	return key
}

// newAEAD cannot fail for a key of 32 bytes.
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

// newStateAEAD cannot fail for a key of 32 bytes.
func newStateAEAD(key []byte) cipher.AEAD {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		panic(err)
	}
	return aead
}

// SealState encrypts what clients keep and bring back, such as where an answer
// of theirs was made. Whom and what it is for is aad, which OpenState must be
// given again. It may be called any number of times: nonces are of 192 bits.
func (s *Sealer) SealState(plain, aad []byte) []byte {
	sealed := make([]byte, chacha20poly1305.NonceSizeX, chacha20poly1305.NonceSizeX+len(plain)+chacha20poly1305.Overhead)
	_, _ = rand.Read(sealed) // it never fails
	return s.state.Seal(sealed, sealed, plain, aad)
}

// OpenState decrypts what SealState made for the same purpose. Its only error
// is ErrBroken.
func (s *Sealer) OpenState(sealed, aad []byte) ([]byte, error) {
	if len(sealed) < chacha20poly1305.NonceSizeX {
		return nil, ErrBroken
	}
	nonce, text := sealed[:chacha20poly1305.NonceSizeX], sealed[chacha20poly1305.NonceSizeX:]
	plain, err := s.state.Open(nil, nonce, text, aad)
	if err == nil {
		return plain, nil
	}
	if s.other != nil {
		return s.other.OpenState(sealed, aad)
	}
	return nil, ErrBroken
}

// Seal encrypts plain, which may be of any length. Sealing the same text twice
// gives different bytes. aad is the purpose, which Open must be given again.
func (s *Sealer) Seal(plain, aad string) ([]byte, error) {
	return s.aead.Seal([]byte{version}, nil, []byte(plain), []byte(aad)), nil
}

// Open decrypts what Seal made for the same purpose. Its only error is ErrBroken.
func (s *Sealer) Open(sealed []byte, aad string) (string, error) {
	if len(sealed) == 0 || sealed[0] != version {
		return "", ErrBroken
	}
	plain, err := s.aead.Open(nil, nil, sealed[1:], []byte(aad))
	if err == nil {
		return string(plain), nil
	}
	if s.other != nil {
		return s.other.Open(sealed, aad)
	}
	return "", ErrBroken
}

// Reseal returns what Seal makes of a value that only the other secret opens,
// and nil for one that is sealed with the current one. Its only error is
// ErrBroken.
func (s *Sealer) Reseal(sealed []byte, aad string) ([]byte, error) {
	plain, err := s.Open(sealed, aad)
	if err != nil {
		return nil, err
	}
	if _, err := s.aead.Open(nil, nil, sealed[1:], []byte(aad)); err == nil {
		return nil, nil
	}
	return s.Seal(plain, aad)
}

// ResealCredential is Reseal for a channel's credential, which keeps its mask; false
// where it was current.
func (s *Sealer) ResealCredential(key catalog.SealedSecret) (catalog.SealedSecret, bool, error) {
	return s.reseal(key, ChannelCredential)
}

// ResealProxy is ResealKey for the URL of a channel's proxy. None is current.
func (s *Sealer) ResealProxy(proxy catalog.SealedSecret) (catalog.SealedSecret, bool, error) {
	if len(proxy.Sealed) == 0 {
		return proxy, false, nil
	}
	return s.reseal(proxy, channelProxy)
}

func (s *Sealer) reseal(key catalog.SealedSecret, aad string) (catalog.SealedSecret, bool, error) {
	sealed, err := s.Reseal(key.Sealed, aad)
	if err != nil || sealed == nil {
		return key, false, err
	}
	return catalog.SealedSecret{Sealed: sealed, Mask: key.Mask}, true, nil
}

// SealCredential seals a channel's credential and masks it for display.
func (s *Sealer) SealCredential(credential string) (catalog.SealedSecret, error) {
	sealed, err := s.Seal(credential, ChannelCredential)
	if err != nil {
		return catalog.SealedSecret{}, err
	}
	return catalog.SealedSecret{Sealed: sealed, Mask: token.Mask(credential)}, nil
}

// OpenCredential returns the credential that SealCredential sealed.
func (s *Sealer) OpenCredential(key catalog.SealedSecret) (string, error) {
	return s.Open(key.Sealed, ChannelCredential)
}

// fingerprintLength in bytes is enough to tell the credentials of one
// installation apart.
const fingerprintLength = 12

// Fingerprint names a channel's credential without telling anything of it: 24
// hexadecimal digits, the same each time, another one under another secret.
func (s *Sealer) Fingerprint(credential string) string {
	mac := hmac.New(sha256.New, s.identity)
	mac.Write([]byte(credential))
	return hex.EncodeToString(mac.Sum(nil)[:fingerprintLength])
}

// OldFingerprint is the Fingerprint under the other secret, "" without one.
func (s *Sealer) OldFingerprint(credential string) string {
	if s.other == nil {
		return ""
	}
	return s.other.Fingerprint(credential)
}

// SealProxy seals the URL of a channel's proxy and masks its credentials.
func (s *Sealer) SealProxy(proxy string) (catalog.SealedSecret, error) {
	sealed, err := s.Seal(proxy, channelProxy)
	if err != nil {
		return catalog.SealedSecret{}, err
	}
	return catalog.SealedSecret{Sealed: sealed, Mask: catalog.MaskProxy(proxy)}, nil
}

// OpenProxy returns the URL that SealProxy sealed.
func (s *Sealer) OpenProxy(proxy catalog.SealedSecret) (string, error) {
	return s.Open(proxy.Sealed, channelProxy)
}

// Pepper returns the key that tokens are hashed with, see token.HashOf.
func (s *Sealer) Pepper() []byte { return slices.Clone(s.pepper.Key) }

// Peppers returns those that tokens are looked up by.
func (s *Sealer) Peppers() token.Peppers {
	p := token.Peppers{Current: token.Pepper{ID: s.pepper.ID, Key: s.Pepper()}}
	if s.other != nil {
		p.Other = s.other.Peppers().Current
	}
	return p
}
