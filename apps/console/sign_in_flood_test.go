package console_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// besieged returns a stack whose clients choose their addresses, and whose clock is stopped. Its requests wait for
// their turn and for their body as long as they need: only those that find no place are refused.
func besieged(t *testing.T, cost seal.PasswordCost) *stack {
	t.Helper()
	s := &stack{
		T: t, secret: config.Secret{1}, cost: cost, patience: 10 * time.Minute,
		config: config.Config{ConsoleURL: "http://localhost:8081",
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	}
	s.openOn(storetest.SQLite(t))
	s.stopClock()
	return s
}

// at returns an anonymous client at the address.
func (s *stack) at(address string) *client { return &client{stack: s, peer: address} }

// signIn sends a password for the account.
func (c *client) signIn(email, secret string) reply {
	c.Helper()
	return c.post("/api/session", credentials(email, secret))
}

// deviceCookie returns the value of the device cookie that the response sets.
func (r reply) deviceCookie(t testing.TB) string {
	t.Helper()
	for _, cookie := range r.Cookies() {
		if cookie.Name == "tollgate_device" {
			if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" ||
				time.Until(cookie.Expires) < 30*24*time.Hour {
				t.Errorf("got device cookie %+v, want HttpOnly, Lax, path / and a long life", cookie)
			}
			return cookie.Value
		}
	}
	t.Fatalf("got no device cookie: %v", r.Header)
	return ""
}

// siege sends wrong passwords for the account from many addresses, until strangers are refused at every address. It
// checks that no more than 100 were compared: the clock is stopped.
func (s *stack) siege(email string) {
	s.Helper()
	compared := 0
	for i := range 256 {
		attacker := s.at(fmt.Sprintf("192.0.2.%d", i))
		for guess := range 20 {
			r := attacker.signIn(email, fmt.Sprintf("guess number %d", guess))
			if r.StatusCode == http.StatusUnauthorized {
				compared++
				continue
			}
			r.refused(s, http.StatusTooManyRequests, "")
			if guess == 0 && compared > 100 {
				s.Errorf("%d wrong passwords were compared, want at most 100", compared)
			}
			if guess == 0 {
				return
			}
			break
		}
	}
	s.Fatal("strangers at 256 addresses were not refused")
}

// One wrong password a second from one address used to lock the account for everybody.
func TestSignIn_GuessesFromOneAddressDoNotLockTheAccountElsewhere(t *testing.T) {
	t.Parallel()
	s := besieged(t, cheap)
	attacker, refused := s.at("192.0.2.7"), 0
	for i := range 40 {
		s.advance(time.Second)
		if attacker.signIn("operator@example.com", fmt.Sprintf("guess number %d", i)).StatusCode ==
			http.StatusTooManyRequests {
			refused++
		}
		s.at("198.51.100.1").signIn("operator@example.com", password).want(t, http.StatusOK)
	}
	if refused < 25 {
		t.Errorf("%d of 40 guesses were refused, want at least 25", refused)
	}
}

func TestSignIn_KnownDevicePassesAtAnAddressThatGuesses(t *testing.T) {
	t.Parallel()
	s := besieged(t, cheap)
	device := s.at("192.0.2.7").signIn("owner@acme.example", password).deviceCookie(t)
	for i := range 40 {
		s.at("192.0.2.7").signIn(fmt.Sprintf("owner@%s.example", []string{"acme", "globex"}[i%2]),
			"wrong horse battery")
	}
	s.at("192.0.2.7").signIn("owner@acme.example", password).refused(t, http.StatusTooManyRequests, "")
	known := &client{stack: s, peer: "192.0.2.7", device: device}
	known.signIn("owner@acme.example", password).want(t, http.StatusOK)
	known.signIn("owner@globex.example", password).refused(t, http.StatusTooManyRequests, "")

	elsewhere := &client{stack: s, peer: "198.51.100.1", device: device}
	for range 10 {
		elsewhere.signIn("owner@acme.example", "wrong horse battery").refused(t, http.StatusUnauthorized, "")
	}
	elsewhere.signIn("owner@acme.example", password).refused(t, http.StatusTooManyRequests, "")
}

func TestSignIn_SiegeFromManyAddressesStopsOnlyStrangers(t *testing.T) {
	t.Parallel()
	s := besieged(t, cheap)
	const email = "owner@acme.example"
	device := s.at("198.51.100.1").signIn(email, password).deviceCookie(t)
	phone, signedIn := s.register(s.acme.owner, "phone"), s.as(s.acme.owner)
	made := s.as(s.operator).post("/api/operator/users/"+s.acme.owner.ID.String()+"/password-reset", nil).
		want(t, http.StatusCreated)
	s.siege(email)

	stranger := s.at("203.0.113.1")
	stranger.signIn(email, password).refused(t, http.StatusTooManyRequests, "")
	stranger.signIn("owner@globex.example", password).want(t, http.StatusOK)
	s.at("198.51.100.1").signIn(email, password).want(t, http.StatusOK) // the address of a session
	(&client{stack: s, peer: "203.0.113.2", device: device}).signIn(email, password).want(t, http.StatusOK)
	s.present(phone.assert(s.begin())).want(t, http.StatusOK)
	signedIn.post("/api/session/totp", map[string]any{"password": password}).want(t, http.StatusOK)
	s.advance(10 * time.Second)
	stranger.signIn(email, password).want(t, http.StatusOK)

	// The link of a reset proves that its holder owns the mailbox, so the browser becomes a known device.
	const another = "another horse battery"
	lost := s.at("203.0.113.3")
	done := lost.post("/api/session/password-reset/complete",
		withSecret(secretIn(t, text(t, made, "link"), "password-reset"), another))
	done.want(t, http.StatusNoContent)
	lost.device = done.deviceCookie(t)
	lost.signIn(email, another).want(t, http.StatusOK)
}

// Wrong passwords do not keep a pending sign-in or a passkey out, even at the same address.
func TestSecondFactorAndPasskey_PassAtAnAddressThatGuesses(t *testing.T) {
	t.Parallel()
	s := besieged(t, cheap)
	app, phone := s.enrol(s.acme.member), s.register(s.acme.owner, "phone")
	pending := s.challenge(s.acme.member)
	for i := range 31 {
		s.anonymous().post("/api/session", credentials(fmt.Sprintf("user%d@acme.example", i), "wrong horse battery"))
	}
	s.anonymous().post("/api/session", credentials("owner@acme.example", password)).
		refused(t, http.StatusTooManyRequests, "")
	s.present(phone.assert(s.begin())).want(t, http.StatusOK)
	s.answer(pending, app.codes[0]).want(t, http.StatusOK)
	for range 40 {
		s.answer("none", app.codes[1])
	}
	s.answer("none", app.codes[1]).refused(t, http.StatusTooManyRequests, "")
	elsewhere := s.at("203.0.113.1").signIn("member@acme.example", password).want(t, http.StatusOK)
	s.answer(text(t, elsewhere, "second_factor", "challenge"), app.codes[1]).want(t, http.StatusOK)
}

// Parallel sign-ins with the right password used to fill the slots for hashing, and others got 503 after 5 s. Hashing
// has its usual cost, so that the flood is faster than it. The test runs alone, because it occupies all cores.
func TestSignIn_FloodFromOneAddressWaitsBehindItself(t *testing.T) {
	s := besieged(t, seal.PasswordCost{})
	flooding, stopped := s.flood(64, func(i int) reply {
		return s.at("192.0.2.7").signIn([]string{"owner", "admin", "member"}[i%3]+"@acme.example", password)
	})
	<-flooding
	for i := range 8 {
		s.at(fmt.Sprintf("198.51.100.%d", i)).signIn("owner@globex.example", password).want(t, http.StatusOK)
	}
	if got := stopped(); got[http.StatusServiceUnavailable] == 0 || got[http.StatusOK] == 0 {
		t.Errorf("got %v from the flood, want some served and some refused with 503", got)
	}
}

// A flood from many addresses fills the lane of those that ask often. Known devices and new addresses have their own.
// The test runs alone, as the one above.
func TestSignIn_FloodFromManyAddressesLeavesOthersAlone(t *testing.T) {
	s := besieged(t, seal.PasswordCost{})
	device := s.at("198.51.100.1").signIn("owner@globex.example", password).deviceCookie(t)
	flooding, stopped := s.flood(120, func(i int) reply {
		return s.at(fmt.Sprintf("192.0.2.%d", i)).signIn(fmt.Sprintf("user%d@acme.example", i), password)
	})
	<-flooding
	for range 8 {
		(&client{stack: s, peer: "203.0.113.1", device: device}).signIn("owner@globex.example", password).
			want(t, http.StatusOK)
	}
	// At first the addresses of the flood are new too, until each of them has asked once.
	for i := 0; s.at(fmt.Sprintf("198.51.100.%d", i)).signIn("owner@acme.example", password).StatusCode !=
		http.StatusOK; i++ {
		if i == 250 {
			t.Fatal("no new address was served")
		}
	}
	for i := range 8 {
		s.at(fmt.Sprintf("203.0.113.%d", 2+i)).signIn("owner@acme.example", password).want(t, http.StatusOK)
	}
	stopped()
}

// flood calls send again and again, n times at once. The channel is closed when the first client was refused for
// lack of a place. The function stops the flood and counts the statuses.
func (s *stack) flood(n int, send func(int) reply) (<-chan struct{}, func() map[int]int) {
	full, stop, once := make(chan struct{}), make(chan struct{}), sync.Once{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	counts := map[int]int{}
	for i := range n {
		wg.Go(func() {
			for {
				status := send(i).StatusCode
				if status == http.StatusServiceUnavailable {
					once.Do(func() { close(full) })
				}
				mu.Lock()
				counts[status]++
				mu.Unlock()
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	return full, func() map[int]int { close(stop); wg.Wait(); return counts }
}

func TestSessionAddresses_AreThoseOfTheAccountOnly(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		home := netip.MustParseAddr("2001:db8::1")
		for i, address := range []netip.Addr{home, home, {}} {
			s.must(s.store.Signin.CreateSession(s.Context(), system, signin.NewSession{
				UserID: s.acme.owner.ID, PasswordHash: s.hashed(), Hash: [32]byte{byte(i)},
				Client: signin.Client{Address: address}, ExpiresAt: time.Now().Add(time.Hour),
			}))
		}
		found, err := s.store.Signin.SessionAddresses(s.Context(), system, "owner@acme.example")
		s.must(err)
		if len(found) != 1 || found[0] != home {
			s.Errorf("got %v, want %v", found, home)
		}
		none, err := s.store.Signin.SessionAddresses(s.Context(), system, "owner@globex.example")
		s.must(err)
		if len(none) != 0 {
			s.Errorf("got %v, want none", none)
		}
	})
}
