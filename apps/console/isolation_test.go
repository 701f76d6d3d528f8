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
		s.runAttacks(s.attacks(&s.acme), attackRun{as: s.anonymous, judge: s.judgeSignedOut, fixed: s.acme.ids()})
		if s.state(&s.acme) != before {
			s.Error("the state changed")
		}
	})
}

func TestTenant_CannotReachAnotherTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		before := s.state(&s.acme)
		for _, a := range s.globex.actors(s) {
			s.runAttacks(s.attacks(&s.acme),
				attackRun{as: a.client, fixed: s.acme.ids(), judge: func(sent attack, r reply) {
					if leaked := sent.shows(r, s.acme.secretsOf()); len(leaked) > 0 {
						s.Errorf("%s, %s shows %v: %s", a.name, sent, leaked, r.raw)
					}
				}})
		}
		if s.state(&s.acme) != before {
			s.Error("the state changed")
		}
	})
}

// actor is a caller of the walk over all operations.
type actor struct {
	name   string
	client func() *client // returns a new client, because some operations end their session
}

// actors returns an owner, an admin and a member of the company, each with a session and with an access key.
func (c *company) actors(s *stack) (all []actor) {
	s.Helper()
	for _, who := range []tenant.User{c.owner, c.admin, c.member} {
		all = append(all, s.actorsOf(who)...)
	}
	return all
}

// actorsOf returns the user with a session and with an access key that may write.
func (s *stack) actorsOf(who tenant.User) []actor {
	s.Helper()
	_, key := s.accessKey(who)
	return []actor{
		{string(who.Role), func() *client { return s.as(who) }},
		{string(who.Role) + "'s access key", func() *client { return &client{stack: s, key: key} }},
	}
}

// personal are the paths of resources that belong to one user. Nobody else reaches them, whatever their role.
var personal = []string{"/api/session", "/api/jobs"}

// Every operation is called with ids of resources that the caller must not reach, and with random ids. The responses
// must be equal, so that they tell nothing about what exists.
func TestResourcesOutOfReach_LookLikeMissingOnes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		outside, inside := missingCompany(), missingCompany()
		inside.Tenant = s.acme.Tenant // colleagues know their own tenant
		colleague := s.user(s.acme.ID, "colleague@acme.example", tenant.Member)
		all := func(attack) bool { return true }
		own := func(a attack) bool {
			return slices.ContainsFunc(personal, func(path string) bool { return strings.HasPrefix(a.path, path) })
		}
		for _, walk := range []struct {
			actors  []actor
			missing *company
			covers  func(attack) bool
			least   int // compared attacks
		}{
			{[]actor{{"anonymous", s.anonymous}}, &outside, all, 40},
			{s.globex.actors(s), &outside, all, 40},
			{s.actorsOf(colleague), &inside, all, 20},
			{s.actorsOf(s.acme.admin), &inside, own, 5},
			{s.actorsOf(s.acme.owner), &inside, own, 5},
			{s.actorsOf(s.operator), &outside, own, 5},
		} {
			for _, who := range walk.actors {
				if compared := s.compare(who, walk.missing, walk.covers); compared < walk.least {
					s.Errorf("%s: got %d compared attacks, want at least %d", who.name, compared, walk.least)
				}
			}
		}
	})
}

// compare attacks the company acme and a missing one as the actor, and checks that the replies are equal. It returns
// the number of attacks that it compared.
func (s *stack) compare(who actor, missing *company, covers func(attack) bool) (compared int) {
	s.Helper()
	twins := map[string]attack{}
	for _, a := range s.attacks(missing) {
		twins[a.key] = a
	}
	for _, real := range s.attacks(&s.acme) {
		twin := twins[real.key]
		if same(s, real, twin) || !covers(real) { // the same: it names no ids
			continue
		}
		compared++
		got, want := who.client().attack(real), who.client().attack(twin)
		if got.StatusCode != want.StatusCode || withoutIDs(got.raw) != withoutIDs(want.raw) ||
			headersOf(got) != headersOf(want) {
			s.Errorf("%s, %s: got %d %s %s, want as for a missing resource %d %s %s", who.name, real,
				got.StatusCode, got.raw, headersOf(got), want.StatusCode, want.raw, headersOf(want))
		}
	}
	return compared
}

// An attack proves something only if the server understands it. So somebody who may reach the resources of the victim
// must get another reply than for resources that do not exist.
func TestAttacks_ReachTheirResourceForSomebody(t *testing.T) {
	t.Parallel()
	// These need what the test's company does not have: configured mail, a job of another kind, a file of a job,
	// rollups, a price of the future, or an issuer.
	unreachable := []string{
		"resendInvitation", "resetMemberPassword", "resetUserPassword", "requestPasswordReset",
		"takeImportedTokens", "getJobFile", "getUsageSummary", "getUsageOverview", "getUsageLogTotals", "withdrawPrice",
		"withdrawGroupRule", "withdrawChannelCost", "approveTenantIssuer",
	}
	first := setup(t)
	missing := missingCompany()
	for i, a := range first.attacks(&first.acme) {
		if slices.Contains(unreachable, a.id) || same(t, a, first.attacks(&missing)[i]) {
			continue
		}
		t.Run(a.key, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			twins, reached := s.attacks(&missing), s.attacks(&s.acme)
			tried := ""
			for _, who := range []tenant.User{s.acme.member, s.acme.owner, s.operator} {
				want, got := s.as(who).attack(twins[i]), s.as(who).attack(reached[i])
				if got.StatusCode != want.StatusCode || withoutIDs(got.raw) != withoutIDs(want.raw) {
					return
				}
				tried += fmt.Sprintf("\n%s: %d %s", who.Role, got.StatusCode, got.raw)
			}
			t.Errorf("%s %v: nobody gets another reply than for a missing resource:%s", reached[i],
				reached[i].body, tried)
		})
	}
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

var identifier = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// withoutIDs removes the ids and the timestamps from a body.
func withoutIDs(body string) string {
	return identifier.ReplaceAllString(moment.ReplaceAllString(body, ""), "")
}

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
		secrets := []string{s.acme.token.Mask, s.acme.token.Name, s.acme.member.Email, s.acme.owner.Email}
		for _, who := range s.actorsOf(colleague) {
			s.runAttacks(s.attacks(&s.acme), attackRun{as: who.client, by: colleague.ID, fixed: s.acme.idsOfUsers(),
				judge: func(a attack, r reply) {
					if (a.admin || a.operator) && !isDenied(r) {
						s.Errorf("%s, %s: got status %d, want 403 or 404: %s", who.name, a, r.StatusCode, r.raw)
					}
					if leaked := a.shows(r, secrets); len(leaked) > 0 {
						s.Errorf("%s, %s shows %v: %s", who.name, a, leaked, r.raw)
					}
				}})
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
		privileged := slices.DeleteFunc(s.attacks(&s.acme), func(a attack) bool { return !a.operator && !a.admin })
		s.runAttacks(privileged, attackRun{
			as: func() *client { return s.as(s.acme.admin) },
			then: func() {
				storetest.Exec(s, s.database, "UPDATE users SET role = 'member' WHERE email = 'admin@acme.example'")
			},
			judge: func(a attack, r reply) {
				if !isDenied(r) {
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
		UserID: s.acme.owner.ID, PasswordHash: s.hashed(), Hash: sha256.Sum256(raw[:]),
		ExpiresAt: time.Now().Add(-time.Microsecond),
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
			if leaked := a.shows(r, []string{credential, "argon2", "sealed", "password_hash", "sk-tg-0000000",
				s.acme.keyValue}); len(leaked) > 0 {
				t.Errorf("%s, %s shows %q", who.Role, a.path, leaked)
			}
			if who.Role != tenant.Operator && strings.Contains(r.raw, "upstream.example") {
				t.Errorf("%s, %s shows a base URL", who.Role, a.path)
			}
		}
	}
}
