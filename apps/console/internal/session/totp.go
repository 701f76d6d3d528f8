package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// The time-based codes are those that every authenticator app makes: six
// digits of HMAC-SHA1, a new one each period. One period earlier or later is
// accepted, for clocks that differ.
const (
	period          = 30 * time.Second
	skew            = 1
	totpSecretBytes = 20
	digits          = otp.DigitsSix
)

// issuerName is what authenticator apps show, and what passkeys are for.
const issuerName = "Tollgate"

// recoveryCodes is how many recovery codes a user is given; recoveryLength is
// how many base32 digits each has, of 5 bits.
const (
	recoveryCodes  = 10
	recoveryLength = 16
	recoveryGroup  = 4
)

// newSecret returns the secret of a generator of codes, in base32.
func newSecret() string {
	var raw [totpSecretBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw[:])
}

// uriOf is what an authenticator app reads from a QR code.
func uriOf(secret, account string) string {
	query := url.Values{"secret": {secret}, "issuer": {issuerName}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	link := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuerName + ":" + account, RawQuery: query.Encode()}
	return link.String()
}

// stepOf returns the step near now, and later than after, whose code is given.
func stepOf(secret, code string, now time.Time, after int64) (step int64, ok bool) {
	present := now.Unix() / int64(period/time.Second)
	for step := max(present-skew, after+1, 0); step <= present+skew; step++ {
		valid, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{Digits: digits})
		if err == nil && valid {
			return step, true
		}
	}
	return 0, false
}

// isCode tells the codes of an authenticator from recovery codes.
func isCode(text string) bool {
	return len(text) == digits.Length() && strings.Trim(text, "0123456789") == ""
}

// plain removes what people put into codes to read them.
func plain(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// newRecoveryCodes returns recovery codes as they are shown, in groups of
// lower case base32.
func newRecoveryCodes() []string {
	codes := make([]string, recoveryCodes)
	for i := range codes {
		text := strings.ToLower(rand.Text()[:recoveryLength])
		groups := make([]string, 0, recoveryLength/recoveryGroup)
		for start := 0; start < recoveryLength; start += recoveryGroup {
			groups = append(groups, text[start:start+recoveryGroup])
		}
		codes[i] = strings.Join(groups, "-")
	}
	return codes
}

// recoveryHash is what is kept of a user's recovery code. A code is random
// enough, at 80 bits, for a fast hash.
func recoveryHash(userID uuid.UUID, code string) [sha256.Size]byte {
	return sha256.Sum256([]byte("recovery code of " + userID.String() + ": " + plain(code)))
}

func recoveryHashes(userID uuid.UUID, codes []string) [][sha256.Size]byte {
	hashes := make([][sha256.Size]byte, 0, len(codes))
	for _, code := range codes {
		hashes = append(hashes, recoveryHash(userID, code))
	}
	return hashes
}
