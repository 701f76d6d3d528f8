package session_test

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// device is a virtual device with one passkey, and the browser on it.
type device struct {
	*consoletest.Stack
	party      virtualwebauthn.RelyingParty
	virtual    virtualwebauthn.Authenticator
	credential virtualwebauthn.Credential
}

func newDevice(s *consoletest.Stack) *device {
	return &device{
		Stack: s, party: virtualwebauthn.RelyingParty{ID: "localhost", Name: "Tollgate", Origin: s.Config.ConsoleURL},
		virtual: virtualwebauthn.NewAuthenticator(), credential: credential(s),
	}
}

// credential returns a new passkey whose public key has no coordinate that starts with a zero byte:
// virtualwebauthn drops such zeros, which RFC 9053 forbids, and the console would refuse the key.
func credential(s *consoletest.Stack) virtualwebauthn.Credential {
	s.Helper()
	for {
		created := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		parsed, err := x509.ParsePKCS8PrivateKey(created.Key.Data)
		s.Must(err)
		key, ok := parsed.(*ecdsa.PrivateKey)
		if !ok {
			s.Fatalf("got a key of type %T, want *ecdsa.PrivateKey", parsed)
		}
		point, err := key.PublicKey.Bytes() // the byte 4, then X, then Y
		s.Must(err)
		if point[1] != 0 && point[33] != 0 {
			return created
		}
	}
}

// options returns the options in a response as JSON, for the virtual browser.
func options(t testing.TB, body map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(consoletest.At(t, body, "public_key"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// create returns the browser's response to the options of beginPasskey.
func (d *device) create(body map[string]any) json.RawMessage {
	d.Helper()
	parsed, err := virtualwebauthn.ParseAttestationOptions(options(d, body))
	d.Must(err)
	d.virtual.Options.UserHandle = []byte(parsed.UserID)
	return json.RawMessage(virtualwebauthn.CreateAttestationResponse(d.party, d.virtual, d.credential, *parsed))
}

// assert returns the browser's response to the options of beginPasskeySession or askPasskey.
func (d *device) assert(body map[string]any) json.RawMessage {
	d.Helper()
	parsed, err := virtualwebauthn.ParseAssertionOptions(options(d, body))
	d.Must(err)
	return json.RawMessage(virtualwebauthn.CreateAssertionResponse(d.party, d.virtual, d.credential, *parsed))
}

// register creates a passkey for the user and returns its device.
func register(s *consoletest.Stack, u tenant.User, name string) *device {
	s.Helper()
	me, phone := s.As(u), newDevice(s)
	started := me.Post("/api/session/passkeys/begin", map[string]any{"password": consoletest.Password}).
		Want(s, http.StatusOK)
	created := me.Post("/api/session/passkeys", map[string]any{"name": name, "credential": phone.create(started)}).
		Want(s, http.StatusCreated)
	consoletest.Equal(s, created, name, "name")
	return phone
}

// beginPasskey starts a sign-in by passkey and returns the response.
func beginPasskey(s *consoletest.Stack) map[string]any {
	s.Helper()
	return s.Anonymous().Post("/api/session/passkey/begin", nil).Want(s, http.StatusOK)
}

// present finishes a sign-in by passkey with the browser's response.
func present(s *consoletest.Stack, answer json.RawMessage) consoletest.Reply {
	s.Helper()
	return s.Anonymous().Post("/api/session/passkey", map[string]any{"credential": answer})
}

func TestPasskey_SignsIn(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	phone := register(s, s.Acme.Owner, "phone")
	started := beginPasskey(s)
	consoletest.Equal(t, started, "required", "public_key", "userVerification")
	consoletest.Equal(t, started, "localhost", "public_key", "rpId")
	r := present(s, phone.assert(started))
	consoletest.Equal(t, r.Want(t, http.StatusOK), "owner@acme.example", "user", "email")
	me := &consoletest.Client{Stack: s, Cookie: r.SessionCookie(t).Value}
	listed := consoletest.Items(t, me.Get("/api/session/passkeys").Want(t, http.StatusOK))
	if len(listed) != 1 || consoletest.At(t, listed[0], "last_used") == nil {
		t.Errorf("got passkeys %v, want 1 with last_used", listed)
	}
	operator := register(s, s.Operator, "key")
	consoletest.Equal(t, present(s, operator.assert(beginPasskey(s))).Want(t, http.StatusOK), "operator", "user",
		"role")
}

// A passkey replaces both the password and the second factor.
func TestPasskey_NeedsNoSecondFactor(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	enrol(s, s.Acme.Owner)
	phone := register(s, s.Acme.Owner, "phone")
	present(s, phone.assert(beginPasskey(s))).SessionCookie(t)
}

func TestPasskey_ServesAsSecondFactor(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	enrol(s, s.Acme.Owner)
	phone, other := register(s, s.Acme.Owner, "phone"), register(s, s.Globex.Owner, "phone")
	body := s.Anonymous().Post("/api/session", consoletest.Credentials("owner@acme.example", consoletest.Password)).
		Want(t, http.StatusOK)
	consoletest.Equal(t, body, "passkey", "second_factor", "methods", 2)
	challenge := consoletest.Text(t, body, "second_factor", "challenge")
	send := func(passkey json.RawMessage) consoletest.Reply {
		return s.Anonymous().
			Post("/api/session/second-factor", map[string]any{"challenge": challenge, "passkey": passkey})
	}
	discoverable := phone.assert(beginPasskey(s))
	send(discoverable).Refused(t, http.StatusBadRequest, "passkey")
	asked := s.Anonymous().Post("/api/session/second-factor/passkey", map[string]any{"challenge": challenge}).
		Want(t, http.StatusOK)
	send(other.assert(asked)).Refused(t, http.StatusBadRequest, "passkey")
	answer := phone.assert(asked)
	consoletest.Equal(t, send(answer).Want(t, http.StatusOK), "owner", "user", "role")
	send(answer).Refused(t, http.StatusUnauthorized, "challenge")

	enrol(s, s.Acme.Admin)
	pending := challengeOf(s, s.Acme.Admin)
	s.Anonymous().Post("/api/session/second-factor/passkey", map[string]any{"challenge": pending}).
		Refused(t, http.StatusConflict, "")
	s.Anonymous().Post("/api/session/second-factor", map[string]any{"challenge": pending}).
		Refused(t, http.StatusBadRequest, "code")
}

func TestPasskey_RefusesInvalidResponses(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	phone := register(s, s.Acme.Owner, "phone")
	good := phone.assert(beginPasskey(s))
	for _, row := range []struct {
		name   string
		answer func() json.RawMessage
	}{
		{"unknown device", func() json.RawMessage {
			stranger := newDevice(s)
			stranger.virtual.Options.UserHandle = phone.virtual.Options.UserHandle
			return stranger.assert(beginPasskey(s))
		}},
		{"another key with the same credential id", func() json.RawMessage {
			forger := newDevice(s)
			forger.virtual.Options.UserHandle, forger.credential.ID = phone.virtual.Options.UserHandle,
				phone.credential.ID
			return forger.assert(beginPasskey(s))
		}},
		{"user handle of another user", func() json.RawMessage {
			swapped := *phone
			swapped.virtual.Options.UserHandle = s.Acme.Admin.ID[:]
			return swapped.assert(beginPasskey(s))
		}},
		{"malformed user handle", func() json.RawMessage {
			swapped := *phone
			swapped.virtual.Options.UserHandle = []byte("x")
			return swapped.assert(beginPasskey(s))
		}},
		{"origin of another site", func() json.RawMessage {
			phished := *phone
			phished.party.Origin = "https://evil.example"
			return phished.assert(beginPasskey(s))
		}},
		{"relying party of another site", func() json.RawMessage {
			phished := *phone
			phished.party.ID = "evil.example"
			return phished.assert(beginPasskey(s))
		}},
		{"user is not verified", func() json.RawMessage {
			grabbed := *phone
			grabbed.virtual.Options.UserNotVerified = true
			return grabbed.assert(beginPasskey(s))
		}},
		{"unknown challenge", func() json.RawMessage {
			return phone.assert(map[string]any{"public_key": map[string]any{"challenge": strings.Repeat("A", 43),
				"rpId": "localhost"}})
		}},
		{"expired challenge", func() json.RawMessage {
			started := beginPasskey(s)
			s.Advance(5 * time.Minute)
			return phone.assert(started)
		}},
		{"challenge of a registration", func() json.RawMessage {
			started := s.As(s.Acme.Owner).Post("/api/session/passkeys/begin",
				map[string]any{"password": consoletest.Password}).
				Want(t, http.StatusOK)
			return phone.assert(started)
		}},
		{"empty object", func() json.RawMessage { return json.RawMessage(`{}`) }},
		{"not an object", func() json.RawMessage { return json.RawMessage(`"x"`) }},
	} {
		if r := present(s, row.answer()); r.StatusCode != http.StatusUnauthorized || r.JSON["param"] != "credential" ||
			len(r.Cookies()) > 0 {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.Raw)
		}
	}
	s.Advance(-5 * time.Minute)
	present(s, good).Want(t, http.StatusOK)
	present(s, good).Refused(t, http.StatusUnauthorized, "credential")

	disabled := tenant.Disabled
	_, err := s.Store.Identity.UpdateTenant(t.Context(), consoletest.System, s.Acme.ID,
		identity.TenantPatch{Status: &disabled})
	s.Must(err)
	present(s, phone.assert(beginPasskey(s))).Refused(t, http.StatusUnauthorized, "")
	admin := register(s, s.Globex.Admin, "phone")
	_, err = s.Store.Identity.UpdateUser(t.Context(), storetest.Confirmed(consoletest.System), s.Globex.Admin.ID,
		identity.UserPatch{Status: &disabled})
	s.Must(err)
	present(s, admin.assert(beginPasskey(s))).Refused(t, http.StatusUnauthorized, "")
}

// A copied passkey is detected by its signature counter, which does not increase.
func TestPasskey_RefusesACopyWithAnOldCounter(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	phone := register(s, s.Acme.Owner, "phone")
	phone.credential.Counter = 5
	present(s, phone.assert(beginPasskey(s))).Want(t, http.StatusOK)
	for _, count := range []uint32{5, 4, 0} {
		phone.credential.Counter = count
		present(s, phone.assert(beginPasskey(s))).Refused(t, http.StatusUnauthorized, "credential")
	}
	phone.credential.Counter = 6
	present(s, phone.assert(beginPasskey(s))).Want(t, http.StatusOK)
}

// If several requests send the same response at the same time, only one of them opens a session.
func TestPasskey_ResponseOpensOneSessionUnderConcurrency(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	answer := register(s, s.Acme.Owner, "phone").assert(beginPasskey(s))
	var opened atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if present(s, answer).StatusCode == http.StatusOK {
				opened.Add(1)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 1 {
		t.Errorf("got %d sessions, want 1", opened.Load())
	}
}

func TestCreatePasskey_ChecksTheResponse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me, colleague := s.As(s.Acme.Owner), s.As(s.Acme.Admin)
	begin := func(c *consoletest.Client) map[string]any {
		return c.Post("/api/session/passkeys/begin", map[string]any{"password": consoletest.Password}).
			Want(t, http.StatusOK)
	}
	store := func(c *consoletest.Client, answer json.RawMessage) consoletest.Reply {
		return c.Post("/api/session/passkeys", map[string]any{"name": "phone", "credential": answer})
	}
	me.Post("/api/session/passkeys/begin", map[string]any{"password": "wrong horse battery"}).
		Refused(t, http.StatusBadRequest, "password")
	started := begin(me)
	consoletest.Equal(t, started, "required", "public_key", "authenticatorSelection", "residentKey")
	consoletest.Equal(t, started, "owner@acme.example", "public_key", "user", "name")

	phone := newDevice(s)
	store(colleague, phone.create(started)).Refused(t, http.StatusBadRequest, "credential")
	// The attempt above used up the challenge.
	store(me, phone.create(started)).Refused(t, http.StatusBadRequest, "credential")
	phished := newDevice(s)
	phished.party.Origin = "https://evil.example"
	store(me, phished.create(begin(me))).Refused(t, http.StatusBadRequest, "credential")
	unverified := newDevice(s)
	unverified.virtual.Options.UserNotVerified = true
	store(me, unverified.create(begin(me))).Refused(t, http.StatusBadRequest, "credential")
	store(me, json.RawMessage(`{}`)).Refused(t, http.StatusBadRequest, "credential")

	answer := phone.create(begin(me))
	created := store(me, answer).Want(t, http.StatusCreated)
	store(me, answer).Refused(t, http.StatusBadRequest, "credential")
	store(colleague, phone.create(begin(colleague))).Refused(t, http.StatusConflict, "credential")
	if excluded := consoletest.As[[]any](t, consoletest.At(t, begin(me), "public_key",
		"excludeCredentials")); len(excluded) != 1 {
		t.Errorf("got excluded credentials %v, want 1", excluded)
	}

	path := "/api/session/passkeys/" + consoletest.Text(t, created, "id")
	consoletest.Equal(t, me.Patch(path, map[string]any{"name": "tablet"}).Want(t, http.StatusOK), "tablet", "name")
	colleague.Patch(path, map[string]any{"name": "mine"}).Refused(t, http.StatusNotFound, "")
	colleague.Do(http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "")
	me.Do(http.MethodDelete, path, nil).Want(t, http.StatusNoContent)
	phone.virtual.Options.UserHandle = s.Acme.Owner.ID[:]
	present(s, phone.assert(beginPasskey(s))).Refused(t, http.StatusUnauthorized, "credential")
}

func TestPasskeys_NeedAHostNameAndHTTPS(t *testing.T) {
	t.Parallel()
	for origin, on := range map[string]bool{
		"": false, "http://localhost:8081": true, "https://console.example.com": true, "http://127.0.0.1:8081": false,
		"https://192.0.2.1": false, "http://console.example.com": false, "https://[2001:db8::1]": false,
	} {
		t.Run(origin, func(t *testing.T) {
			t.Parallel()
			s := consoletest.SetupFor(t, storetest.SQLite(t), config.Config{ConsoleURL: origin})
			consoletest.Equal(t, s.Anonymous().Get("/api/session/methods").Want(t, http.StatusOK), on, "passkeys")
			status := http.StatusConflict
			if on {
				status = http.StatusOK
			}
			r := s.Anonymous().Post("/api/session/passkey/begin", nil)
			r.Want(t, status)
			if !on && !strings.Contains(r.Raw, "Passkeys are disabled") {
				t.Errorf("got %s, want the message that passkeys are disabled", r.Raw)
			}
		})
	}
}

func TestBeginPasskeySession_IsThrottled(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	for range 100 {
		if r := s.Anonymous().Post("/api/session/passkey/begin", nil); r.StatusCode == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("100 started sign-ins were not throttled")
}
