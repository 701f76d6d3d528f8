// Package token makes, checks, hashes and masks API tokens, and the access keys
// of the console's API. A token made here
// reads
//
//	sk-tg- + id (22) + secret (43) + checksum (6), all base62
//
// so that a damaged one is refused without a look-up and a leaked one is found
// by secret scanners. Values brought from elsewhere have no form of their own.
package token

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math/big"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Prefix begins every token made here, and no other.
const Prefix = "sk-tg-"

const (
	idLength       = 22
	secretLength   = 43
	checksumLength = 6
	bodyLength     = idLength + secretLength + checksumLength

	minImported = 20
	maxLength   = 512
)

// Status says whether a token may be used.
type Status string

// The statuses of a token. Revoked is final.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled"
	Revoked  Status = "revoked"
)

// Purpose is what a token was made for.
type Purpose string

// The purposes. A user has one token for the playground at a time, which the
// console makes and replaces.
const (
	ForCalls      Purpose = ""
	ForPlayground Purpose = "playground"
)

// Token is an API token of one user. Its value is shown once and kept only as
// a keyed hash. Its spending cap is the account with its ID.
type Token struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	UserID    uuid.UUID
	Name      string
	Mask      string         // the value's recognisable, harmless part
	Models    []string       // permitted model ids or prefixes; empty permits all of the group's
	Addresses []netip.Prefix // allowlist; empty permits every address
	Status    Status
	Purpose   Purpose
	Limits    limit.Limits
	ExpiresAt time.Time // zero: never
	CreatedAt time.Time
	LastUsed  time.Time // from the hourly rollup; zero: never
}

// Caller is everything that a relay knows about the owner of a token: the token,
// its user and tenant, and the limits of their spending. It is immutable once
// loaded.
type Caller struct {
	Token  Token
	User   tenant.User
	Tenant tenant.Tenant
	// Limits are what limits the caller's spending, in the order in which holds are
	// taken: the wallet, the tenant's windows, the user's cap and windows, the
	// token's cap and windows. Accounts without a limit are metered only.
	Limits []quota.Limit
}

// Usable returns nil, or the InvalidToken problem that tells why the token
// may not be used at now. What lies behind it (user or tenant disabled) is not
// told apart for the public.
func (b *Caller) Usable(now time.Time) error {
	switch {
	case b.Token.Status != Enabled:
		return problem.New(problem.InvalidToken, "This API key has been revoked or disabled.")
	case !b.Token.ExpiresAt.IsZero() && !now.Before(b.Token.ExpiresAt):
		return problem.New(problem.InvalidToken, "This API key has expired.")
	case b.User.Status != tenant.Enabled || b.Tenant.Status != tenant.Enabled:
		return problem.New(problem.InvalidToken, "This API key's account is disabled.")
	}
	return nil
}

// AllowsAddress reports whether the allowlist permits addr.
func (t *Token) AllowsAddress(addr netip.Addr) bool {
	if len(t.Addresses) == 0 {
		return true
	}
	addr = addr.Unmap()
	for _, prefix := range t.Addresses {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// New makes the value of the token with the given id from the system's
// random source.
func New(id uuid.UUID) string { return fresh(Prefix, id) }

func fresh(prefix string, id uuid.UUID) string {
	var secret [32]byte
	rand.Read(secret[:]) // never fails: crypto/rand ends the program instead
	body := base62(id[:], idLength) + base62(secret[:], secretLength)
	return prefix + body + checksum(body)
}

// whole reports whether a value with the prefix is as fresh makes them.
func whole(value, prefix string) bool {
	body := value[len(prefix):]
	return len(body) == bodyLength && checksum(body[:idLength+secretLength]) == body[idLength+secretLength:]
}

// Check returns an InvalidToken problem for a value that cannot be a token:
// one that bears our prefix but is damaged, or one that is too short or long.
func Check(value string) error {
	if strings.HasPrefix(value, Prefix) {
		if !whole(value, Prefix) {
			return problem.New(problem.InvalidToken, "Incorrect API key provided: it is damaged or incomplete.")
		}
		return nil
	}
	if len(value) < minImported || len(value) > maxLength {
		return problem.Of(problem.InvalidToken)
	}
	return nil
}

// CheckImported returns an InvalidType problem unless value may be brought in
// as a token's value: 20 to 512 visible ASCII characters, not with our prefix.
func CheckImported(value string) error {
	if strings.HasPrefix(value, Prefix) {
		return problem.New(problem.InvalidType, "a token's value must not begin with %s", Prefix).At("value")
	}
	if len(value) < minImported || len(value) > maxLength {
		return problem.New(problem.InvalidType, "a token's value has %d to %d characters", minImported, maxLength).At("value")
	}
	for i := range len(value) {
		if value[i] <= ' ' || value[i] > '~' {
			return problem.New(problem.InvalidType, "a token's value has visible ASCII characters only").At("value")
		}
	}
	return nil
}

// Hash is a token's keyed hash, the key it is stored and found under.
type Hash [sha256.Size]byte

// HashOf returns HMAC-SHA256(pepper, value).
func HashOf(pepper []byte, value string) Hash {
	return sum(hmac.New(sha256.New, pepper), value)
}

func sum(mac hash.Hash, value string) (h Hash) {
	_, _ = io.WriteString(mac, value) // a hash never fails
	mac.Sum(h[:0])
	return h
}

// Hasher computes HashOf for one pepper, again and again: the keyed state is
// kept. It is safe for concurrent use.
type Hasher struct{ states sync.Pool }

// NewHasher returns the Hasher of a pepper.
func NewHasher(pepper []byte) *Hasher {
	return &Hasher{states: sync.Pool{New: func() any { return hmac.New(sha256.New, pepper) }}}
}

// Hash returns HashOf(pepper, value).
func (h *Hasher) Hash(value string) Hash {
	mac, _ := h.states.Get().(hash.Hash)
	defer h.states.Put(mac)
	mac.Reset()
	return sum(mac, value)
}

// Equal compares in constant time.
func (h Hash) Equal(other Hash) bool { return hmac.Equal(h[:], other[:]) }

// Mask returns the part of a value that may be shown later: prefix and first
// characters of the public id, or the ends of an imported value.
func Mask(value string) string {
	for _, prefix := range []string{Prefix, AccessPrefix} {
		if strings.HasPrefix(value, prefix) && len(value) == len(prefix)+bodyLength {
			return value[:len(prefix)+6] + "…" + value[len(value)-4:]
		}
	}
	if len(value) < minImported {
		return "…"
	}
	return value[:4] + "…" + value[len(value)-4:]
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func base62(raw []byte, length int) string {
	out := []byte(strings.Repeat("0", length))
	n, digit, base := new(big.Int).SetBytes(raw), new(big.Int), big.NewInt(62)
	for i := length - 1; n.Sign() > 0; i-- {
		n.DivMod(n, base, digit)
		out[i] = alphabet[digit.Int64()]
	}
	return string(out)
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	return base62([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}, checksumLength)
}

// ParseAddresses reads an allowlist of addresses ("203.0.113.7") and networks
// ("10.0.0.0/8"). The problem it returns names the entry at fault.
func ParseAddresses(list []string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for i, entry := range list {
		prefix, ok := parseNetwork(entry)
		if !ok {
			return nil, problem.New(problem.InvalidType, "%q is neither an address nor a network", entry).At(fmt.Sprintf("addresses[%d]", i))
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}

// parseNetwork refuses networks of IPv4-mapped addresses: callers' addresses
// are unmapped before they are compared, so such an entry would match nobody.
func parseNetwork(entry string) (netip.Prefix, bool) {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		return prefix, !prefix.Addr().Is4In6()
	}
	addr, err := netip.ParseAddr(entry)
	if err != nil {
		return netip.Prefix{}, false
	}
	addr = addr.Unmap()
	return netip.PrefixFrom(addr, addr.BitLen()), true
}
