package session

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// deviceName is the name of the cookie of known devices. Like that of the session, it gets hostPrefix over HTTPS.
const deviceName = "tollgate_device"

const (
	deviceSeal  = "known device"       // purpose of the encryption
	deviceLife  = 180 * 24 * time.Hour // after the last sign-in
	deviceUsers = 8                    // of one device; the oldest is forgotten first
)

// device is a browser that has signed in before. The browser keeps it in an encrypted cookie, so every console knows
// it. It opens nothing: wrong passwords from it count for themselves, so that nobody else can use up its guesses.
type device struct {
	ID uuid.UUID `json:"id"`
	// Users signed in with the device, the oldest first. It does not name them by address: several accounts may claim
	// one. Cookies of earlier versions did, under another name, and know nobody.
	Users     []uuid.UUID `json:"users"`
	ExpiresAt time.Time   `json:"expires_at"`
}

// deviceOf returns the device in the value of a cookie. It returns a new device if the value is none or has expired.
func (s *Sessions) deviceOf(value string) device {
	var d device
	ciphertext, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil && value != "" {
		var raw []byte
		if raw, err = s.sealer.OpenState(ciphertext, []byte(deviceSeal)); err == nil {
			err = json.Unmarshal(raw, &d)
		}
	}
	if err != nil || !s.now().Before(d.ExpiresAt) {
		return device{ID: uuid.New()}
	}
	return d
}

// KnowsDevice reports whether the user has signed in with the browser that has the cookie.
func (s *Sessions) KnowsDevice(value string, user uuid.UUID) bool {
	return slices.Contains(s.deviceOf(value).Users, user)
}

// DeviceCookieName returns the name of the cookie of known devices.
func (s *Sessions) DeviceCookieName() string {
	if s != nil && s.secure {
		return hostPrefix + deviceName
	}
	return deviceName
}

// DeviceCookie returns the cookie that makes the browser a known device of the user, and false if the user's address is
// unproven: such an account may belong to somebody who is not its person, and gets no rights. value is the browser's
// present cookie, "" for none.
func (s *Sessions) DeviceCookie(value string, user *tenant.User) (http.Cookie, bool) {
	if user.Proof == tenant.Unproven {
		return http.Cookie{}, false
	}
	d := s.deviceOf(value)
	d.Users = append(slices.DeleteFunc(d.Users, func(id uuid.UUID) bool { return id == user.ID }), user.ID)
	d.Users = d.Users[max(0, len(d.Users)-deviceUsers):]
	d.ExpiresAt = s.now().Add(deviceLife).UTC().Truncate(time.Second)
	raw, _ := json.Marshal(d) // a device has no value that JSON cannot express
	cookie := s.cookie(base64.RawURLEncoding.EncodeToString(s.sealer.SealState(raw, []byte(deviceSeal))))
	cookie.Name, cookie.Expires = s.DeviceCookieName(), d.ExpiresAt
	return cookie, true
}
