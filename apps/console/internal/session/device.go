package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/email"
)

// deviceName is the name of the cookie of known devices. Like that of the session, it gets hostPrefix over HTTPS.
const deviceName = "tollgate_device"

const (
	deviceSeal     = "known device"       // purpose of the encryption
	deviceLife     = 180 * 24 * time.Hour // after the last sign-in
	deviceAccounts = 8                    // accounts of one device; the oldest is forgotten first
)

// device is a browser that has signed in before. The browser keeps it in an encrypted cookie, so every console knows
// it. It opens nothing: wrong passwords from it count for themselves, so that nobody else can use up its guesses.
type device struct {
	ID        uuid.UUID `json:"id"`
	Accounts  [][]byte  `json:"accounts"` // hashes of the accounts that signed in, the oldest first
	ExpiresAt time.Time `json:"expires_at"`
}

// deviceOf returns the device in the value of a cookie. It returns a new device if the value is none or has expired.
func (s *Sessions) deviceOf(value string) device {
	var d device
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil && value != "" {
		var raw []byte
		if raw, err = s.sealer.OpenState(sealed, []byte(deviceSeal)); err == nil {
			err = json.Unmarshal(raw, &d)
		}
	}
	if err != nil || !s.now().Before(d.ExpiresAt) {
		return device{ID: uuid.New()}
	}
	return d
}

// knows reports whether the account has signed in with the device.
func (d *device) knows(account string) bool {
	return slices.ContainsFunc(d.Accounts, func(known []byte) bool { return slices.Equal(known, accountHash(account)) })
}

// KnowsDevice reports whether the account with the address has signed in with the browser that has the cookie.
func (s *Sessions) KnowsDevice(value, address string) bool {
	d := s.deviceOf(value)
	return d.knows(email.Normalize(address))
}

// accountHash returns the name of an account in a device. It need not be secret, because the device is encrypted.
func accountHash(account string) []byte {
	hash := sha256.Sum256([]byte(account))
	return hash[:16]
}

// DeviceCookieName returns the name of the cookie of known devices.
func (s *Sessions) DeviceCookieName() string {
	if s != nil && s.secure {
		return hostPrefix + deviceName
	}
	return deviceName
}

// DeviceCookie returns the cookie that makes the browser a known device of the account.
// value is the browser's present cookie, "" for none.
func (s *Sessions) DeviceCookie(value, address string) http.Cookie {
	d, account := s.deviceOf(value), accountHash(email.Normalize(address))
	d.Accounts = append(slices.DeleteFunc(d.Accounts, func(known []byte) bool { return slices.Equal(known, account) }), account)
	d.Accounts = d.Accounts[max(0, len(d.Accounts)-deviceAccounts):]
	d.ExpiresAt = s.now().Add(deviceLife).UTC().Truncate(time.Second)
	raw, _ := json.Marshal(d) // a device has no value that JSON cannot express
	cookie := s.cookie(base64.RawURLEncoding.EncodeToString(s.sealer.SealState(raw, []byte(deviceSeal))))
	cookie.Name, cookie.Expires = s.DeviceCookieName(), d.ExpiresAt
	return cookie
}
