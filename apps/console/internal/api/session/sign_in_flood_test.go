package session_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// at returns an anonymous client at the address.
func at(s *consoletest.Stack, address string) *consoletest.Client {
	return &consoletest.Client{Stack: s, Peer: address}
}

// sendPassword sends a password for the account.
func sendPassword(c *consoletest.Client, email, secret string) consoletest.Reply {
	c.Helper()
	return c.Post("/api/session", consoletest.Credentials(email, secret))
}

// deviceCookie returns the value of the device cookie that the response sets.
func deviceCookie(r consoletest.Reply, t testing.TB) string {
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
func siege(s *consoletest.Stack, email string) {
	s.Helper()
	compared := 0
	for i := range 256 {
		attacker := at(s, fmt.Sprintf("192.0.2.%d", i))
		for guess := range 20 {
			r := sendPassword(attacker, email, fmt.Sprintf("guess number %d", guess))
			if r.StatusCode == http.StatusUnauthorized {
				compared++
				continue
			}
			r.Refused(s, http.StatusTooManyRequests, "")
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
	s := consoletest.Besieged(t, consoletest.Cheap)
	attacker, refused := at(s, "192.0.2.7"), 0
	for i := range 40 {
		s.Advance(time.Second)
		if sendPassword(attacker, "operator@example.com", fmt.Sprintf("guess number %d", i)).StatusCode ==
			http.StatusTooManyRequests {
			refused++
		}
		sendPassword(at(s, "198.51.100.1"), "operator@example.com", consoletest.Password).Want(t, http.StatusOK)
	}
	if refused < 25 {
		t.Errorf("%d of 40 guesses were refused, want at least 25", refused)
	}
}

func TestSignIn_KnownDevicePassesAtAnAddressThatGuesses(t *testing.T) {
	t.Parallel()
	s := consoletest.Besieged(t, consoletest.Cheap)
	device := deviceCookie(sendPassword(at(s, "192.0.2.7"), "owner@acme.example", consoletest.Password), t)
	for i := range 40 {
		sendPassword(at(s, "192.0.2.7"), fmt.Sprintf("owner@%s.example", []string{"acme", "globex"}[i%2]),
			"wrong horse battery")
	}
	sendPassword(at(s, "192.0.2.7"), "owner@acme.example", consoletest.Password).
		Refused(t, http.StatusTooManyRequests, "")
	known := &consoletest.Client{Stack: s, Peer: "192.0.2.7", Device: device}
	sendPassword(known, "owner@acme.example", consoletest.Password).Want(t, http.StatusOK)
	sendPassword(known, "owner@globex.example", consoletest.Password).Refused(t, http.StatusTooManyRequests, "")

	elsewhere := &consoletest.Client{Stack: s, Peer: "198.51.100.1", Device: device}
	for range 10 {
		sendPassword(elsewhere, "owner@acme.example", "wrong horse battery").Refused(t, http.StatusUnauthorized, "")
	}
	sendPassword(elsewhere, "owner@acme.example", consoletest.Password).Refused(t, http.StatusTooManyRequests, "")
}

func TestSignIn_SiegeFromManyAddressesStopsOnlyStrangers(t *testing.T) {
	t.Parallel()
	s := consoletest.Besieged(t, consoletest.Cheap)
	const email = "owner@acme.example"
	device := deviceCookie(sendPassword(at(s, "198.51.100.1"), email, consoletest.Password), t)
	phone, signedIn := register(s, s.Acme.Owner, "phone"), s.As(s.Acme.Owner)
	made := s.As(s.Operator).Post("/api/operator/users/"+s.Acme.Owner.ID.String()+"/password-reset", nil).
		Want(t, http.StatusCreated)
	siege(s, email)

	stranger := at(s, "203.0.113.1")
	sendPassword(stranger, email, consoletest.Password).Refused(t, http.StatusTooManyRequests, "")
	sendPassword(stranger, "owner@globex.example", consoletest.Password).Want(t, http.StatusOK)
	sendPassword(at(s, "198.51.100.1"), email, consoletest.Password).Want(t, http.StatusOK) // the address of a session
	sendPassword((&consoletest.Client{Stack: s, Peer: "203.0.113.2", Device: device}), email, consoletest.Password).
		Want(t, http.StatusOK)
	present(s, phone.assert(beginPasskey(s))).Want(t, http.StatusOK)
	signedIn.Post("/api/session/totp", map[string]any{"password": consoletest.Password}).Want(t, http.StatusOK)
	s.Advance(10 * time.Second)
	sendPassword(stranger, email, consoletest.Password).Want(t, http.StatusOK)

	// The link of a reset proves that its holder owns the mailbox, so the browser becomes a known device.
	const another = "another horse battery"
	lost := at(s, "203.0.113.3")
	done := lost.Post("/api/session/password-reset/complete",
		withSecret(secretIn(t, consoletest.Text(t, made, "link"), "password-reset"), another))
	done.Want(t, http.StatusNoContent)
	lost.Device = deviceCookie(done, t)
	sendPassword(lost, email, another).Want(t, http.StatusOK)
}

// Wrong passwords do not keep a pending sign-in or a passkey out, even at the same address.
func TestSecondFactorAndPasskey_PassAtAnAddressThatGuesses(t *testing.T) {
	t.Parallel()
	s := consoletest.Besieged(t, consoletest.Cheap)
	app, phone := enrol(s, s.Acme.Member), register(s, s.Acme.Owner, "phone")
	pending := challengeOf(s, s.Acme.Member)
	for i := range 31 {
		s.Anonymous().Post("/api/session", consoletest.Credentials(fmt.Sprintf("user%d@acme.example", i),
			"wrong horse battery"))
	}
	s.Anonymous().Post("/api/session", consoletest.Credentials("owner@acme.example", consoletest.Password)).
		Refused(t, http.StatusTooManyRequests, "")
	present(s, phone.assert(beginPasskey(s))).Want(t, http.StatusOK)
	answer(s, pending, app.codes[0]).Want(t, http.StatusOK)
	for range 40 {
		answer(s, "none", app.codes[1])
	}
	answer(s, "none", app.codes[1]).Refused(t, http.StatusTooManyRequests, "")
	elsewhere := sendPassword(at(s, "203.0.113.1"), "member@acme.example", consoletest.Password).Want(t, http.StatusOK)
	answer(s, consoletest.Text(t, elsewhere, "second_factor", "challenge"), app.codes[1]).Want(t, http.StatusOK)
}

// Parallel sign-ins with the right password used to fill the slots for hashing, and others got 503 after 5 s. Hashing
// has its usual cost, so that the flood is faster than it. The test runs alone, because it occupies all cores.
func TestSignIn_FloodFromOneAddressWaitsBehindItself(t *testing.T) {
	s := consoletest.Besieged(t, seal.PasswordCost{})
	flooding, stopped := flood(64, func(i int) consoletest.Reply {
		return sendPassword(at(s, "192.0.2.7"), []string{"owner", "admin", "member"}[i%3]+"@acme.example",
			consoletest.Password)
	})
	<-flooding
	for i := range 8 {
		sendPassword(at(s, fmt.Sprintf("198.51.100.%d", i)), "owner@globex.example", consoletest.Password).
			Want(t, http.StatusOK)
	}
	if got := stopped(); got[http.StatusServiceUnavailable] == 0 || got[http.StatusOK] == 0 {
		t.Errorf("got %v from the flood, want some served and some refused with 503", got)
	}
}

// A flood from many addresses fills the queue of those that ask often. Known devices and new addresses have their own.
// The test runs alone, as the one above.
func TestSignIn_FloodFromManyAddressesLeavesOthersAlone(t *testing.T) {
	s := consoletest.Besieged(t, seal.PasswordCost{})
	device := deviceCookie(sendPassword(at(s, "198.51.100.1"), "owner@globex.example", consoletest.Password), t)
	flooding, stopped := flood(120, func(i int) consoletest.Reply {
		return sendPassword(at(s, fmt.Sprintf("192.0.2.%d", i)), fmt.Sprintf("user%d@acme.example", i),
			consoletest.Password)
	})
	<-flooding
	for range 8 {
		sendPassword((&consoletest.Client{Stack: s, Peer: "203.0.113.1", Device: device}), "owner@globex.example",
			consoletest.Password).
			Want(t, http.StatusOK)
	}
	// At first the addresses of the flood are new too, until each of them has asked once.
	for i := 0; sendPassword(at(s, fmt.Sprintf("198.51.100.%d", i)), "owner@acme.example", consoletest.Password).
		StatusCode !=
		http.StatusOK; i++ {
		if i == 250 {
			t.Fatal("no new address was served")
		}
	}
	for i := range 8 {
		sendPassword(at(s, fmt.Sprintf("203.0.113.%d", 2+i)), "owner@acme.example", consoletest.Password).
			Want(t, http.StatusOK)
	}
	stopped()
}

// flood calls send again and again, n times at once. The channel is closed when the first client was refused for
// lack of a place. The function stops the flood and counts the statuses.
func flood(n int, send func(int) consoletest.Reply) (<-chan struct{}, func() map[int]int) {
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
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		home := netip.MustParseAddr("2001:db8::1")
		for i, address := range []netip.Addr{home, home, {}} {
			s.Must(s.Store.Signin.CreateSession(s.Context(), consoletest.System, signin.NewSession{
				UserID: s.Acme.Owner.ID, PasswordHash: s.Hashed(), Hash: [32]byte{byte(i)},
				Client: signin.Client{Address: address}, ExpiresAt: time.Now().Add(time.Hour),
			}))
		}
		found, err := s.Store.Signin.SessionAddresses(s.Context(), consoletest.System, "owner@acme.example")
		s.Must(err)
		if len(found) != 1 || found[0] != home {
			s.Errorf("got %v, want %v", found, home)
		}
		none, err := s.Store.Signin.SessionAddresses(s.Context(), consoletest.System, "owner@globex.example")
		s.Must(err)
		if len(none) != 0 {
			s.Errorf("got %v, want none", none)
		}
	})
}
