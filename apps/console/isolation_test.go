package console_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// judgeSignedOut checks the reply to an attack by a caller without a valid session: it
// must be refused, unless the operation is public, and must show no secret of the company.
func (s *stack) judgeSignedOut(a attack, r reply) {
	s.Helper()
	want := http.StatusUnauthorized
	if slices.Contains(openOperations, a.id) {
		want = http.StatusOK
	}
	if r.StatusCode != want && (!a.public || want == http.StatusOK) || strings.Contains(r.raw, "acme") {
		s.Errorf("%s: got status %d, want %d: %s", a, r.StatusCode, want, r.raw)
	}
	if leaked := a.shows(r, s.acme.secretsOf()); len(leaked) > 0 {
		s.Errorf("%s shows %v", a, leaked)
	}
}

func TestOperations_AreRefusedWithoutASession(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		before := s.state(&s.acme)
		s.runAttacks(s.attacks(&s.acme), attackRun{as: s.anonymous, judge: s.judgeSignedOut})
		if s.state(&s.acme) != before {
			s.Error("the state changed")
		}
	})
}

func TestTenant_CannotReachAnotherTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		before := s.state(&s.acme)
		for _, who := range []tenant.User{s.globex.owner, s.globex.admin, s.globex.member} {
			s.runAttacks(s.attacks(&s.acme), attackRun{as: func() *client { return s.as(who) }, judge: func(a attack, r reply) {
				if !isDenied(r) && !a.own {
					s.Errorf("%s, %s: got status %d, want 403 or 404: %s", who.Role, a, r.StatusCode, r.raw)
				}
				if leaked := a.shows(r, s.acme.secretsOf()); len(leaked) > 0 {
					s.Errorf("%s, %s shows %v: %s", who.Role, a, leaked, r.raw)
				}
			}})
		}
		if s.state(&s.acme) != before {
			s.Error("the state changed")
		}
	})
}

// The response for a resource of another tenant must equal the response for a resource that does not exist.
func TestOtherTenantsResources_LookLikeMissingOnes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		absent := missingCompany()
		missing := map[string]attack{}
		for _, a := range s.attacks(&absent) {
			missing[a.key] = a
		}
		for _, who := range []tenant.User{s.globex.owner, s.globex.admin, s.globex.member} {
			compared := 0
			for _, real := range s.attacks(&s.acme) {
				if same(s, real, missing[real.key]) {
					continue // it names no ids
				}
				compared++
				got, want := s.as(who).attack(real), s.as(who).attack(missing[real.key])
				if got.StatusCode != want.StatusCode || withoutTimes(got.raw) != withoutTimes(want.raw) || headersOf(got) != headersOf(want) {
					s.Errorf("%s, %s: got %d %s %s, want as for a missing resource %d %s %s", who.Role, real,
						got.StatusCode, got.raw, headersOf(got), want.StatusCode, want.raw, headersOf(want))
				}
			}
			if compared < 20 {
				s.Errorf("got %d compared attacks, want at least 20", compared)
			}
		}
	})
}

// same reports whether two attacks send the same path and body.
func same(t testing.TB, a, b attack) bool {
	t.Helper()
	first, err := json.Marshal(a.body)
	second, failed := json.Marshal(b.body)
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return a.path == b.path && bytes.Equal(first, second)
}

var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)

// withoutTimes removes the timestamps from a body.
func withoutTimes(body string) string { return moment.ReplaceAllString(body, "") }

// headersOf returns the headers of a reply without those that differ for each request.
func headersOf(r reply) string {
	headers := r.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "Content-Length"} {
		headers.Del(name)
	}
	return fmt.Sprint(headers)
}

func TestMember_ReachesOwnResourcesOnly(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		colleague := s.user(s.acme.ID, "colleague@acme.example", tenant.Member)
		before := s.state(&s.acme)
		others := slices.DeleteFunc(s.attacks(&s.acme), func(a attack) bool {
			return a.id == "createPlaygroundToken" // the colleague may create one, and the state would show it
		})
		s.runAttacks(others, attackRun{as: func() *client { return s.as(colleague) }, judge: func(a attack, r reply) {
			if (a.admin || !a.own) && !isDenied(r) {
				s.Errorf("%s: got status %d, want 403 or 404: %s", a, r.StatusCode, r.raw)
			}
			secrets := []string{s.acme.token.Mask, s.acme.token.Name, s.acme.member.Email, s.acme.owner.Email}
			if leaked := a.shows(r, secrets); len(leaked) > 0 {
				s.Errorf("%s shows %v: %s", a, leaked, r.raw)
			}
		}})
		if s.state(&s.acme) != before {
			s.Error("the state changed")
		}
	})
}

func TestOperatorOperations_AreDeniedToOwnersAndAdmins(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		var operators []attack
		for _, a := range s.attacks(&s.acme) {
			if a.operator {
				operators = append(operators, a)
			}
		}
		for _, who := range []tenant.User{s.acme.owner, s.acme.admin} {
			s.runAttacks(operators, attackRun{as: func() *client { return s.as(who) }, judge: func(a attack, r reply) {
				if !isDenied(r) {
					s.Errorf("%s, %s: got status %d, want 403 or 404: %s", who.Role, a, r.StatusCode, r.raw)
				}
			}})
		}
	})
}

// When a tenant or user is disabled, or a session expires or is deleted, every operation refuses the session
// at once. The test changes the database directly, because the store would also delete the sessions.
func TestEndedSession_IsRefusedByEveryOperation(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"tenant disabled": "UPDATE tenants SET status = 'disabled' WHERE slug = 'acme'",
		"user disabled":   "UPDATE users SET status = 'disabled' WHERE email LIKE '%@acme.example'",
		"session expired": "UPDATE sessions SET expires_at = '2020-01-01 00:00:00+00:00'",
		"session deleted": "DELETE FROM sessions",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(s *stack) {
				s.runAttacks(s.attacks(&s.acme), attackRun{
					as: func() *client { return s.as(s.acme.owner) }, judge: s.judgeSignedOut,
					then: func() { storetest.Exec(s, s.database, end) },
				})
			})
		})
	}
}

// The current role of a user counts, not the role at sign-in.
func TestDemotedAdmin_HasTheRightsOfAMemberAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.runAttacks(s.attacks(&s.acme), attackRun{
			as: func() *client { return s.as(s.acme.admin) },
			then: func() {
				storetest.Exec(s, s.database, "UPDATE users SET role = 'member' WHERE email = 'admin@acme.example'")
			},
			judge: func(a attack, r reply) {
				if (a.operator || a.admin || !a.own) && !isDenied(r) {
					s.Errorf("%s: got status %d, want 403 or 404: %s", a, r.StatusCode, r.raw)
				}
			},
		})
	})
}

// An expired session is refused even while it is still in the database.
func TestExpiredSession_IsRefusedBeforeItIsDeleted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	s.must(s.store.Signin.CreateSession(t.Context(), system, signin.NewSession{
		UserID: s.acme.owner.ID, PasswordHash: hashed(), Hash: sha256.Sum256(raw[:]), ExpiresAt: time.Now().Add(-time.Microsecond),
	}))
	me := &client{stack: s, cookie: base64.RawURLEncoding.EncodeToString(raw[:])}
	me.get("/api/session").refused(t, http.StatusUnauthorized, "")
}

func TestResponses_ContainNoSecrets(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, who := range []tenant.User{s.operator, s.acme.owner, s.acme.admin, s.acme.member} {
		for _, a := range s.attacks(&s.acme) {
			if a.method != http.MethodGet {
				continue
			}
			r := s.as(who).attack(a)
			if leaked := a.shows(r, []string{credential, "argon2", "sealed", "password_hash", "sk-tg-0000000", s.acme.keyValue}); len(leaked) > 0 {
				t.Errorf("%s, %s shows %q", who.Role, a.path, leaked)
			}
			if who.Role != tenant.Operator && strings.Contains(r.raw, "upstream.example") {
				t.Errorf("%s, %s shows a base URL", who.Role, a.path)
			}
		}
	}
}
