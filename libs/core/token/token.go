// Package token creates, checks, hashes and masks the values of API tokens, and of the access keys of the console's
// API. A value that it creates has the form
//
//	sk-tg- + id (22 characters) + secret (43) + checksum (6), all base62
//
// The checksum lets a relay refuse a damaged value without a lookup. The fixed prefix lets secret scanners find leaked
// values. Values that an operator imports from another system may have any form without the prefix.
//
// Only keyed hashes of values are stored (HashOf), so a stolen database does not reveal tokens.
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

// Prefix is the prefix of every token value that New creates. Imported values cannot have it.
const Prefix = "sk-tg-"

// The lengths of the parts of a value, in characters: 62^22 > 2^128, 62^43 > 2^256 and 62^6 > 2^32.
const (
	idLength       = 22
	secretLength   = 43
	checksumLength = 6
	bodyLength     = idLength + secretLength + checksumLength

	minImported = 20
	maxLength   = 512
)

// Status decides whether a token may be used.
type Status string

// The statuses of a token. Revoked is final.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled"
	Revoked  Status = "revoked"
)

// Purpose is the purpose for which a token was created.
type Purpose string

// The purposes. A user has at most one token for the playground at a time, which the console creates and replaces.
const (
	ForCalls      Purpose = ""
	ForPlayground Purpose = "playground"
)

// Token is an API token of one user. Its value is shown once; the database keeps only a keyed hash. Its spending cap is
// the quota account with the same ID.
type Token struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	UserID    uuid.UUID
	Name      string
	Mask      string         // shortened value that may be shown, see Mask
	Models    []string       // patterns of permitted models, see catalog.MatchAny; empty: all models of the group
	Addresses []netip.Prefix // allowlist of client addresses; empty: every address
	Status    Status
	Purpose   Purpose
	Limits    limit.Limits
	ExpiresAt time.Time // zero: never
	CreatedAt time.Time
	LastUsed  time.Time // start of the last hour with usage; zero: never. metering.Store.LastUses has the exact time
	// Restrictions that an admin has set and the user cannot change: status, quota, models, caps.day and so on.
	Locked []string
}

// Caller is everything that a relay knows about the caller of a request: the token, its user and tenant, and the
// limits on their spending. It is immutable once loaded.
type Caller struct {
	Token  Token
	User   tenant.User
	Tenant tenant.Tenant
	// Limits are the limits on the caller's spending, in the order in which the relay takes holds: the wallet, the
	// tenant's windows, the user's cap and windows, the token's cap and windows. Accounts without a limit are
	// metered only.
	Limits []quota.Limit
	// Remaining has what each limit had left when the caller was read, in the order of Limits.
	Remaining []quota.Remaining
}

// Usable returns nil if the token may be used at now, else an InvalidToken problem with the reason. A disabled user and
// a disabled tenant give the same message, so that a client does not learn which of them it is.
func (c *Caller) Usable(now time.Time) error {
	switch {
	case c.Token.Status != Enabled:
		return problem.New(problem.InvalidToken, "This API key has been revoked or disabled.")
	case !c.Token.ExpiresAt.IsZero() && !now.Before(c.Token.ExpiresAt):
		return problem.New(problem.InvalidToken, "This API key has expired.")
	case c.User.Status != tenant.Enabled || c.Tenant.Status != tenant.Enabled:
		return problem.New(problem.InvalidToken, "This API key's account is disabled.")
	}
	return nil
}

// AllowsAddress reports whether the token's allowlist permits addr. An empty allowlist permits every address.
func (t *Token) AllowsAddress(addr netip.Addr) bool { return allows(t.Addresses, addr) }

// allows reports whether one of the networks contains addr, or there is no network.
func allows(networks []netip.Prefix, addr netip.Addr) bool {
	if len(networks) == 0 {
		return true
	}
	addr = addr.Unmap()
	for _, network := range networks {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// New returns a new random value for the token with the given id.
func New(id uuid.UUID) string { return newValue(Prefix, id) }

// newValue returns a new value with the prefix, the id, 256 random bits and the checksum.
func newValue(prefix string, id uuid.UUID) string {
	var secret [32]byte
	rand.Read(secret[:]) // it never returns an error; if the system has no random source, the program crashes
	body := base62(id[:], idLength) + base62(secret[:], secretLength)
	return prefix + body + checksum(body)
}

// isComplete reports whether the value, which begins with the prefix, has the length and the checksum of newValue.
func isComplete(value, prefix string) bool {
	body := value[len(prefix):]
	return len(body) == bodyLength && checksum(body[:idLength+secretLength]) == body[idLength+secretLength:]
}

// Check returns an InvalidToken problem for a value that cannot be a token: it has the prefix but a wrong checksum, or
// it is too short or too long for an imported value. Check needs no lookup.
func Check(value string) error {
	if strings.HasPrefix(value, Prefix) {
		if !isComplete(value, Prefix) {
			return problem.New(problem.InvalidToken, "Incorrect API key provided: it is damaged or incomplete.")
		}
		return nil
	}
	if len(value) < minImported || len(value) > maxLength {
		return problem.Of(problem.InvalidToken)
	}
	return nil
}

// CheckImported returns an InvalidType problem unless value may be imported as the value of a token: 20 to 512 visible
// ASCII characters without Prefix.
func CheckImported(value string) error {
	if strings.HasPrefix(value, Prefix) {
		return problem.New(problem.InvalidType, "a token's value must not begin with %s", Prefix).At("value")
	}
	if len(value) < minImported || len(value) > maxLength {
		return problem.New(problem.InvalidType, "a token's value must have %d to %d characters", minImported,
			maxLength).At("value")
	}
	for i := range len(value) {
		if value[i] <= ' ' || value[i] > '~' {
			return problem.New(problem.InvalidType, "a token's value must have visible ASCII characters only").
				At("value")
		}
	}
	return nil
}

// Hash is the keyed hash of a token's value. Tokens are stored and looked up by it.
type Hash [sha256.Size]byte

// HashOf returns HMAC-SHA256(pepper, value). A plain hash is enough against guessing: values have 256 random bits.
func HashOf(pepper []byte, value string) Hash {
	return sum(hmac.New(sha256.New, pepper), value)
}

// sum returns the hash of value under mac, whose state must be that of a new or reset MAC.
func sum(mac hash.Hash, value string) (h Hash) {
	_, _ = io.WriteString(mac, value) // a hash never fails
	mac.Sum(h[:0])
	return h
}

// Hasher computes HashOf for one pepper and reuses the keyed state, because relays compute it for each request. It is
// safe for concurrent use.
type Hasher struct{ states sync.Pool }

// NewHasher returns a Hasher for the pepper.
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

// Equal reports whether the hashes are equal. It takes the same time wherever they differ, so that response times
// reveal nothing.
func (h Hash) Equal(other Hash) bool { return hmac.Equal(h[:], other[:]) }

// Mask returns a shortened value that may be stored and shown: the prefix, the first 6 characters of the public id and
// the last 4 of the checksum; of an imported value its first and last 4 characters. Values that are too short for
// that become "…".
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

// base62 returns raw as a number in base 62, padded with zeros to length, which must be large enough.
func base62(raw []byte, length int) string {
	out := []byte(strings.Repeat("0", length))
	n, digit, base := new(big.Int).SetBytes(raw), new(big.Int), big.NewInt(62)
	for i := length - 1; n.Sign() > 0; i-- {
		n.DivMod(n, base, digit)
		out[i] = alphabet[digit.Int64()]
	}
	return string(out)
}

// checksum returns the CRC-32 of body in base 62. It detects typing and copying errors, nothing else.
func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	return base62([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}, checksumLength)
}

// maxEntries is the largest number of models, and of addresses, in the allowlists of a token. Relays keep both in
// memory.
const maxEntries = 1000

// CheckSize returns an InvalidType problem if an allowlist has more than 1,000 entries.
func CheckSize(models []string, addresses []netip.Prefix) error {
	for _, list := range []struct {
		name    string
		entries int
	}{{"models", len(models)}, {"addresses", len(addresses)}} {
		if list.entries > maxEntries {
			return problem.New(problem.InvalidType, "%s may have at most %d entries", list.name, maxEntries).
				At(list.name)
		}
	}
	return nil
}

// ParseAddresses parses an allowlist of addresses ("203.0.113.7") and networks ("10.0.0.0/8"). A single address becomes
// a network of one address. On an error it returns an InvalidType problem that names the first faulty entry.
func ParseAddresses(list []string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for i, entry := range list {
		prefix, ok := parseNetwork(entry)
		if !ok {
			return nil, problem.New(problem.InvalidType, "%q is neither an IP address nor a network such as 10.0.0.0/8",
				entry).At(fmt.Sprintf("addresses[%d]", i))
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}

// AddressTexts returns the texts of an allowlist: a single address without /32 or /128, a network with its length. It
// never returns nil.
func AddressTexts(networks []netip.Prefix) []string {
	texts := make([]string, 0, len(networks))
	for _, network := range networks {
		if network.IsSingleIP() {
			texts = append(texts, network.Addr().String())
			continue
		}
		texts = append(texts, network.String())
	}
	return texts
}

// parseNetwork parses one entry of an allowlist and reports whether it is valid. It refuses networks of IPv4-mapped
// IPv6 addresses: clients' addresses are unmapped before the comparison, so such a network would match no client.
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
