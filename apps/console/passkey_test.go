package console_test

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

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// device is a virtual device with one passkey, and the browser on it.
type device struct {
	*stack
	party      virtualwebauthn.RelyingParty
	virtual    virtualwebauthn.Authenticator
	credential virtualwebauthn.Credential
}

func (s *stack) device() *device {
	return &device{
		stack: s, party: virtualwebauthn.RelyingParty{ID: "localhost", Name: "Tollgate", Origin: s.config.ConsoleURL},
		virtual: virtualwebauthn.NewAuthenticator(), credential: s.credential(),
	}
}

// credential returns a new passkey whose public key has no coordinate that starts with a zero byte:
// virtualwebauthn drops such zeros, which RFC 9053 forbids, and the console would refuse the key.
func (s *stack) credential() virtualwebauthn.Credential {
	s.Helper()
	for {
		created := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		parsed, err := x509.ParsePKCS8PrivateKey(created.Key.Data)
		s.must(err)
		key, ok := parsed.(*ecdsa.PrivateKey)
		if !ok {
			s.Fatalf("got a key of type %T, want *ecdsa.PrivateKey", parsed)
		}
		point, err := key.PublicKey.Bytes() // the byte 4, then X, then Y
		s.must(err)
		if point[1] != 0 && point[33] != 0 {
			return created
		}
	}
}

// options returns the options in a response as JSON, for the virtual browser.
func options(t testing.TB, body map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(at(t, body, "public_key"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// create returns the browser's response to the options of beginPasskey.
func (d *device) create(body map[string]any) json.RawMessage {
	d.Helper()
	parsed, err := virtualwebauthn.ParseAttestationOptions(options(d, body))
	d.must(err)
	d.virtual.Options.UserHandle = []byte(parsed.UserID)
	return json.RawMessage(virtualwebauthn.CreateAttestationResponse(d.party, d.virtual, d.credential, *parsed))
}

// assert returns the browser's response to the options of beginPasskeySession or askPasskey.
func (d *device) assert(body map[string]any) json.RawMessage {
	d.Helper()
	parsed, err := virtualwebauthn.ParseAssertionOptions(options(d, body))
	d.must(err)
	return json.RawMessage(virtualwebauthn.CreateAssertionResponse(d.party, d.virtual, d.credential, *parsed))
}

// register creates a passkey for the user and returns its device.
func (s *stack) register(u tenant.User, name string) *device {
	s.Helper()
	me, phone := s.as(u), s.device()
	started := me.post("/api/session/passkeys/begin", map[string]any{"password": password}).want(s, http.StatusOK)
	created := me.post("/api/session/passkeys", map[string]any{"name": name, "credential": phone.create(started)}).
		want(s, http.StatusCreated)
	equal(s, created, name, "name")
	return phone
}

// begin starts a sign-in by passkey and returns the response.
func (s *stack) begin() map[string]any {
	s.Helper()
	return s.anonymous().post("/api/session/passkey/begin", nil).want(s, http.StatusOK)
}

// present finishes a sign-in by passkey with the browser's response.
func (s *stack) present(answer json.RawMessage) reply {
	s.Helper()
	return s.anonymous().post("/api/session/passkey", map[string]any{"credential": answer})
}

func TestPasskey_SignsIn(t *testing.T) {
	t.Parallel()
	s := setup(t)
	phone := s.register(s.acme.owner, "phone")
	started := s.begin()
	equal(t, started, "required", "public_key", "userVerification")
	equal(t, started, "localhost", "public_key", "rpId")
	r := s.present(phone.assert(started))
	equal(t, r.want(t, http.StatusOK), "owner@acme.example", "user", "email")
	me := &client{stack: s, cookie: r.sessionCookie(t).Value}
	listed := items(t, me.get("/api/session/passkeys").want(t, http.StatusOK))
	if len(listed) != 1 || at(t, listed[0], "last_used") == nil {
		t.Errorf("got passkeys %v, want 1 with last_used", listed)
	}
	operator := s.register(s.operator, "key")
	equal(t, s.present(operator.assert(s.begin())).want(t, http.StatusOK), "operator", "user", "role")
}

// A passkey replaces both the password and the second factor.
func TestPasskey_NeedsNoSecondFactor(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.enrol(s.acme.owner)
	phone := s.register(s.acme.owner, "phone")
	s.present(phone.assert(s.begin())).sessionCookie(t)
}

func TestPasskey_ServesAsSecondFactor(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.enrol(s.acme.owner)
	phone, other := s.register(s.acme.owner, "phone"), s.register(s.globex.owner, "phone")
	body := s.anonymous().post("/api/session", credentials("owner@acme.example", password)).want(t, http.StatusOK)
	equal(t, body, "passkey", "second_factor", "methods", 2)
	challenge := text(t, body, "second_factor", "challenge")
	send := func(passkey json.RawMessage) reply {
		return s.anonymous().
			post("/api/session/second-factor", map[string]any{"challenge": challenge, "passkey": passkey})
	}
	discoverable := phone.assert(s.begin())
	send(discoverable).refused(t, http.StatusBadRequest, "passkey")
	asked := s.anonymous().post("/api/session/second-factor/passkey", map[string]any{"challenge": challenge}).
		want(t, http.StatusOK)
	send(other.assert(asked)).refused(t, http.StatusBadRequest, "passkey")
	answer := phone.assert(asked)
	equal(t, send(answer).want(t, http.StatusOK), "owner", "user", "role")
	send(answer).refused(t, http.StatusUnauthorized, "challenge")

	s.enrol(s.acme.admin)
	pending := s.challenge(s.acme.admin)
	s.anonymous().post("/api/session/second-factor/passkey", map[string]any{"challenge": pending}).
		refused(t, http.StatusConflict, "")
	s.anonymous().post("/api/session/second-factor", map[string]any{"challenge": pending}).
		refused(t, http.StatusBadRequest, "code")
}

func TestPasskey_RefusesInvalidResponses(t *testing.T) {
	t.Parallel()
	s := setup(t)
	phone := s.register(s.acme.owner, "phone")
	good := phone.assert(s.begin())
	for _, row := range []struct {
		name   string
		answer func() json.RawMessage
	}{
		{"unknown device", func() json.RawMessage {
			stranger := s.device()
			stranger.virtual.Options.UserHandle = phone.virtual.Options.UserHandle
			return stranger.assert(s.begin())
		}},
		{"another key with the same credential id", func() json.RawMessage {
			forger := s.device()
			forger.virtual.Options.UserHandle, forger.credential.ID = phone.virtual.Options.UserHandle,
				phone.credential.ID
			return forger.assert(s.begin())
		}},
		{"user handle of another user", func() json.RawMessage {
			swapped := *phone
			swapped.virtual.Options.UserHandle = s.acme.admin.ID[:]
			return swapped.assert(s.begin())
		}},
		{"malformed user handle", func() json.RawMessage {
			swapped := *phone
			swapped.virtual.Options.UserHandle = []byte("x")
			return swapped.assert(s.begin())
		}},
		{"origin of another site", func() json.RawMessage {
			phished := *phone
			phished.party.Origin = "https://evil.example"
			return phished.assert(s.begin())
		}},
		{"relying party of another site", func() json.RawMessage {
			phished := *phone
			phished.party.ID = "evil.example"
			return phished.assert(s.begin())
		}},
		{"user is not verified", func() json.RawMessage {
			grabbed := *phone
			grabbed.virtual.Options.UserNotVerified = true
			return grabbed.assert(s.begin())
		}},
		{"unknown challenge", func() json.RawMessage {
			return phone.assert(map[string]any{"public_key": map[string]any{"challenge": strings.Repeat("A", 43),
				"rpId": "localhost"}})
		}},
		{"expired challenge", func() json.RawMessage {
			started := s.begin()
			s.advance(5 * time.Minute)
			return phone.assert(started)
		}},
		{"challenge of a registration", func() json.RawMessage {
			started := s.as(s.acme.owner).post("/api/session/passkeys/begin", map[string]any{"password": password}).
				want(t, http.StatusOK)
			return phone.assert(started)
		}},
		{"empty object", func() json.RawMessage { return json.RawMessage(`{}`) }},
		{"not an object", func() json.RawMessage { return json.RawMessage(`"x"`) }},
	} {
		if r := s.present(row.answer()); r.StatusCode != http.StatusUnauthorized || r.body["param"] != "credential" ||
			len(r.Cookies()) > 0 {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.raw)
		}
	}
	s.advance(-5 * time.Minute)
	s.present(good).want(t, http.StatusOK)
	s.present(good).refused(t, http.StatusUnauthorized, "credential")

	disabled := tenant.Disabled
	_, err := s.store.Identity.UpdateTenant(t.Context(), system, s.acme.ID, identity.TenantPatch{Status: &disabled})
	s.must(err)
	s.present(phone.assert(s.begin())).refused(t, http.StatusUnauthorized, "")
	admin := s.register(s.globex.admin, "phone")
	_, err = s.store.Identity.UpdateUser(t.Context(), storetest.Confirmed(system), s.globex.admin.ID,
		identity.UserPatch{Status: &disabled})
	s.must(err)
	s.present(admin.assert(s.begin())).refused(t, http.StatusUnauthorized, "")
}

// A copied passkey is detected by its signature counter, which does not increase.
func TestPasskey_RefusesACopyWithAnOldCounter(t *testing.T) {
	t.Parallel()
	s := setup(t)
	phone := s.register(s.acme.owner, "phone")
	phone.credential.Counter = 5
	s.present(phone.assert(s.begin())).want(t, http.StatusOK)
	for _, count := range []uint32{5, 4, 0} {
		phone.credential.Counter = count
		s.present(phone.assert(s.begin())).refused(t, http.StatusUnauthorized, "credential")
	}
	phone.credential.Counter = 6
	s.present(phone.assert(s.begin())).want(t, http.StatusOK)
}

// If several requests send the same response at the same time, only one of them opens a session.
func TestPasskey_ResponseOpensOneSessionUnderConcurrency(t *testing.T) {
	t.Parallel()
	s := setup(t)
	answer := s.register(s.acme.owner, "phone").assert(s.begin())
	var opened atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if s.present(answer).StatusCode == http.StatusOK {
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
	s := setup(t)
	me, colleague := s.as(s.acme.owner), s.as(s.acme.admin)
	begin := func(c *client) map[string]any {
		return c.post("/api/session/passkeys/begin", map[string]any{"password": password}).want(t, http.StatusOK)
	}
	store := func(c *client, answer json.RawMessage) reply {
		return c.post("/api/session/passkeys", map[string]any{"name": "phone", "credential": answer})
	}
	me.post("/api/session/passkeys/begin", map[string]any{"password": "wrong horse battery"}).
		refused(t, http.StatusBadRequest, "password")
	started := begin(me)
	equal(t, started, "required", "public_key", "authenticatorSelection", "residentKey")
	equal(t, started, "owner@acme.example", "public_key", "user", "name")

	phone := s.device()
	store(colleague, phone.create(started)).refused(t, http.StatusBadRequest, "credential")
	// The attempt above used up the challenge.
	store(me, phone.create(started)).refused(t, http.StatusBadRequest, "credential")
	phished := s.device()
	phished.party.Origin = "https://evil.example"
	store(me, phished.create(begin(me))).refused(t, http.StatusBadRequest, "credential")
	unverified := s.device()
	unverified.virtual.Options.UserNotVerified = true
	store(me, unverified.create(begin(me))).refused(t, http.StatusBadRequest, "credential")
	store(me, json.RawMessage(`{}`)).refused(t, http.StatusBadRequest, "credential")

	answer := phone.create(begin(me))
	created := store(me, answer).want(t, http.StatusCreated)
	store(me, answer).refused(t, http.StatusBadRequest, "credential")
	store(colleague, phone.create(begin(colleague))).refused(t, http.StatusConflict, "credential")
	if excluded := as[[]any](t, at(t, begin(me), "public_key", "excludeCredentials")); len(excluded) != 1 {
		t.Errorf("got excluded credentials %v, want 1", excluded)
	}

	path := "/api/session/passkeys/" + text(t, created, "id")
	equal(t, me.patch(path, map[string]any{"name": "tablet"}).want(t, http.StatusOK), "tablet", "name")
	colleague.patch(path, map[string]any{"name": "mine"}).refused(t, http.StatusNotFound, "")
	colleague.do(http.MethodDelete, path, nil).refused(t, http.StatusNotFound, "")
	me.do(http.MethodDelete, path, nil).want(t, http.StatusNoContent)
	phone.virtual.Options.UserHandle = s.acme.owner.ID[:]
	s.present(phone.assert(s.begin())).refused(t, http.StatusUnauthorized, "credential")
}

func TestPasskeys_NeedAHostNameAndHTTPS(t *testing.T) {
	t.Parallel()
	for origin, on := range map[string]bool{
		"": false, "http://localhost:8081": true, "https://console.example.com": true, "http://127.0.0.1:8081": false,
		"https://192.0.2.1": false, "http://console.example.com": false, "https://[2001:db8::1]": false,
	} {
		t.Run(origin, func(t *testing.T) {
			t.Parallel()
			s := setupWith(t, config.Config{ConsoleURL: origin})
			equal(t, s.anonymous().get("/api/session/methods").want(t, http.StatusOK), on, "passkeys")
			status := http.StatusConflict
			if on {
				status = http.StatusOK
			}
			r := s.anonymous().post("/api/session/passkey/begin", nil)
			r.want(t, status)
			if !on && !strings.Contains(r.raw, "Passkeys are disabled") {
				t.Errorf("got %s, want the message that passkeys are disabled", r.raw)
			}
		})
	}
}

func TestBeginPasskeySession_IsThrottled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	for range 100 {
		if r := s.anonymous().post("/api/session/passkey/begin", nil); r.StatusCode == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("100 started sign-ins were not throttled")
}
