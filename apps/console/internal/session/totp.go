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

// The parameters of time-based one-time passwords (TOTP, RFC 6238). They are the ones that
// every authenticator app supports: six digits of HMAC-SHA1, with a new code in each period.
const (
	period          = 30 * time.Second
	skew            = 1 // periods by which the clocks of user and console may differ
	totpSecretBytes = 20
	digits          = otp.DigitsSix
)

// issuerName is the name of the service that authenticator apps and passkey dialogs show.
const issuerName = "Tollgate"

const (
	recoveryCodes  = 10 // recovery codes of a user
	recoveryLength = 16 // base32 digits of a code, that is, 80 bits
	recoveryGroup  = 4  // digits between two hyphens, for reading
)

// newSecret returns a random TOTP secret in base32.
func newSecret() string {
	var raw [totpSecretBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw[:])
}

// uriOf returns the otpauth:// URI that an authenticator app reads from a QR code.
func uriOf(secret, account string) string {
	query := url.Values{"secret": {secret}, "issuer": {issuerName}, "algorithm": {"SHA1"}, "digits": {"6"},
		"period": {"30"}}
	link := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuerName + ":" + account, RawQuery: query.Encode()}
	return link.String()
}

// stepOf returns the time step to which the code belongs. It tries the steps within skew of now that are
// later than after, the last step whose code was used. ok is false if the code belongs to none of them.
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

// isCode reports whether text has the form of a code of an authenticator app, as opposed to a recovery code.
func isCode(text string) bool {
	return len(text) == digits.Length() && strings.Trim(text, "0123456789") == ""
}

// plain removes the spaces and hyphens that make codes easier to read, and converts letters to lower case.
func plain(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// newRecoveryCodes returns new random recovery codes in the
// form in which users see them: lower case base32 with hyphens.
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

// recoveryHash returns the stored hash of a user's recovery code. A fast hash is enough, because a code has 80
// random bits. The user's id in the hash prevents that one computation serves to attack the codes of all users.
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
