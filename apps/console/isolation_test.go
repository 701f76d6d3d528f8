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

// closed judges the attacks of somebody who is not signed in, or not any more.
func (s *stack) closed(a attack, r reply) {
	s.Helper()
	want := http.StatusUnauthorized
	if slices.Contains(openOperations, a.id) {
		want = http.StatusOK
	}
	if r.StatusCode != want && (!a.public || want == http.StatusOK) || strings.Contains(r.raw, "acme") {
		s.Errorf("%s: status %d, want %d: %s", a, r.StatusCode, want, r.raw)
	}
	if told := a.shows(r, s.acme.secretsOf()); len(told) > 0 {
		s.Errorf("%s shows %v", a, told)
	}
}

func TestNothingWorksWithoutASession(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		before := s.state(&s.acme)
		s.walkAlong(s.attacks(&s.acme), walk{as: s.anonymous, judge: s.closed})
		if s.state(&s.acme) != before {
			s.Error("something was changed")
		}
	})
}

func TestNoTenantReachesAnother(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		before := s.state(&s.acme)
		for _, who := range []tenant.User{s.globex.owner, s.globex.admin, s.globex.member} {
			s.walkAlong(s.attacks(&s.acme), walk{as: func() *client { return s.as(who) }, judge: func(a attack, r reply) {
				if !isDenied(r) && !a.own {
					s.Errorf("%s, %s: status %d, want 403 or 404: %s", who.Role, a, r.StatusCode, r.raw)
				}
				if told := a.shows(r, s.acme.secretsOf()); len(told) > 0 {
					s.Errorf("%s, %s shows %v: %s", who.Role, a, told, r.raw)
				}
			}})
		}
		if s.state(&s.acme) != before {
			s.Error("something was changed")
		}
	})
}

// An answer to what is another's and to what is nowhere is one and the same.
func TestOthersThingsLookLikeNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		ghost := nobody()
		imagined := map[string]attack{}
		for _, a := range s.attacks(&ghost) {
			imagined[a.key] = a
		}
		for _, who := range []tenant.User{s.globex.owner, s.globex.admin, s.globex.member} {
			compared := 0
			for _, real := range s.attacks(&s.acme) {
				if same(s, real, imagined[real.key]) {
					continue // it names nobody's ids
				}
				compared++
				got, want := s.as(who).attack(real), s.as(who).attack(imagined[real.key])
				if got.StatusCode != want.StatusCode || timeless(got.raw) != timeless(want.raw) || headersOf(got) != headersOf(want) {
					s.Errorf("%s, %s: %d %s %s, and of nothing %d %s %s", who.Role, real,
						got.StatusCode, got.raw, headersOf(got), want.StatusCode, want.raw, headersOf(want))
				}
			}
			if compared < 20 {
				s.Errorf("only %d attacks were compared", compared)
			}
		}
	})
}

// same reports whether two attacks send the same.
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

// timeless is a body without the moments in it.
func timeless(body string) string { return moment.ReplaceAllString(body, "") }

// headersOf are the headers but for those that name the moment and the request.
func headersOf(r reply) string {
	headers := r.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "Content-Length"} {
		headers.Del(name)
	}
	return fmt.Sprint(headers)
}

func TestMembersReachTheirOwnAlone(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		colleague := s.user(s.acme.ID, "colleague@acme.example", tenant.Member)
		before := s.state(&s.acme)
		others := slices.DeleteFunc(s.attacks(&s.acme), func(a attack) bool {
			return a.id == "createPlaygroundToken" // which the state shows, and is his own
		})
		s.walkAlong(others, walk{as: func() *client { return s.as(colleague) }, judge: func(a attack, r reply) {
			if (a.admin || !a.own) && !isDenied(r) {
				s.Errorf("%s: status %d, want 403 or 404: %s", a, r.StatusCode, r.raw)
			}
			secrets := []string{s.acme.token.Mask, s.acme.token.Name, s.acme.member.Email, s.acme.owner.Email}
			if told := a.shows(r, secrets); len(told) > 0 {
				s.Errorf("%s shows %v: %s", a, told, r.raw)
			}
		}})
		if s.state(&s.acme) != before {
			s.Error("something was changed")
		}
	})
}

func TestOwnersAndAdminsDoNotRunThePlatform(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		var operators []attack
		for _, a := range s.attacks(&s.acme) {
			if a.operator {
				operators = append(operators, a)
			}
		}
		for _, who := range []tenant.User{s.acme.owner, s.acme.admin} {
			s.walkAlong(operators, walk{as: func() *client { return s.as(who) }, judge: func(a attack, r reply) {
				if !isDenied(r) {
					s.Errorf("%s, %s: status %d, want 403 or 404: %s", who.Role, a, r.StatusCode, r.raw)
				}
			}})
		}
	})
}

// Whatever ends a sign-in ends it at once, for every operation: sessions that
// were open go on for nothing. The database is changed past the store, which
// would have ended the sessions as well.
func TestSessionsEndForEveryOperation(t *testing.T) {
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
				s.walkAlong(s.attacks(&s.acme), walk{
					as: func() *client { return s.as(s.acme.owner) }, judge: s.closed,
					then: func() { storetest.Exec(s, s.database, end) },
				})
			})
		})
	}
}

// A role counts as it is, not as it was at sign-in.
func TestADemotedAdminIsAMember(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.walkAlong(s.attacks(&s.acme), walk{
			as: func() *client { return s.as(s.acme.admin) },
			then: func() {
				storetest.Exec(s, s.database, "UPDATE users SET role = 'member' WHERE email = 'admin@acme.example'")
			},
			judge: func(a attack, r reply) {
				if (a.operator || a.admin || !a.own) && !isDenied(r) {
					s.Errorf("%s: status %d, want 403 or 404: %s", a, r.StatusCode, r.raw)
				}
			},
		})
	})
}

// A session that expires is over at that moment, not when it is swept.
func TestASessionEndsWithItsTime(t *testing.T) {
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

func TestNoAnswerHoldsASecret(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, who := range []tenant.User{s.operator, s.acme.owner, s.acme.admin, s.acme.member} {
		for _, a := range s.attacks(&s.acme) {
			if a.method != http.MethodGet {
				continue
			}
			r := s.as(who).attack(a)
			if told := a.shows(r, []string{credential, "argon2", "sealed", "password_hash", "sk-tg-0000000", s.acme.keyValue}); len(told) > 0 {
				t.Errorf("%s, %s shows %q", who.Role, a.path, told)
			}
			if who.Role != tenant.Operator && strings.Contains(r.raw, "upstream.example") {
				t.Errorf("%s, %s shows a base URL", who.Role, a.path)
			}
		}
	}
}
