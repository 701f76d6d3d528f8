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

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// judgeSignedOut checks the reply to an attack by a caller without a valid session: it
// must be refused, unless the operation is public, and must show no secret of the company.
func judgeSignedOut(s *consoletest.Stack, a attack, r consoletest.Reply) {
	s.Helper()
	want := http.StatusUnauthorized
	if slices.Contains(openOperations, a.id) {
		want = http.StatusOK
	}
	if r.StatusCode != want && (!a.public || want == http.StatusOK) || strings.Contains(r.Raw, "acme") {
		s.Errorf("%s: got status %d, want %d: %s", a, r.StatusCode, want, r.Raw)
	}
	if leaked := a.shows(r, secretsOf(&s.Acme)); len(leaked) > 0 {
		s.Errorf("%s shows %v", a, leaked)
	}
}

func TestOperations_AreRefusedWithoutASession(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		before := state(s, &s.Acme)
		runAttacks(s, attacksOn(s, &s.Acme), attackRun{as: s.Anonymous,
			judge: func(a attack, r consoletest.Reply) { judgeSignedOut(s, a, r) }, fixed: ids(&s.Acme)})
		if state(s, &s.Acme) != before {
			s.Error("the state changed")
		}
	})
}

func TestTenant_CannotReachAnotherTenant(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		before := state(s, &s.Acme)
		for _, a := range actors(&s.Globex, s) {
			runAttacks(s, attacksOn(s, &s.Acme),
				attackRun{as: a.client, fixed: ids(&s.Acme), judge: func(sent attack, r consoletest.Reply) {
					if leaked := sent.shows(r, secretsOf(&s.Acme)); len(leaked) > 0 {
						s.Errorf("%s, %s shows %v: %s", a.name, sent, leaked, r.Raw)
					}
				}})
		}
		if state(s, &s.Acme) != before {
			s.Error("the state changed")
		}
	})
}

// actor is a caller of the walk over all operations.
type actor struct {
	name   string
	client func() *consoletest.Client // returns a new client, because some operations end their session
}

// actors returns an owner, an admin and a member of the company, each with a session and with an access key.
func actors(c *consoletest.Company, s *consoletest.Stack) (all []actor) {
	s.Helper()
	for _, who := range []tenant.User{c.Owner, c.Admin, c.Member} {
		all = append(all, actorsOf(s, who)...)
	}
	return all
}

// actorsOf returns the user with a session and with an access key that may write.
func actorsOf(s *consoletest.Stack, who tenant.User) []actor {
	s.Helper()
	_, key := s.AccessKey(who)
	return []actor{
		{string(who.Role), func() *consoletest.Client { return s.As(who) }},
		{string(who.Role) + "'s access key",
			func() *consoletest.Client { return &consoletest.Client{Stack: s, Key: key} }},
	}
}

// personal are the paths of resources that belong to one user. Nobody else reaches them, whatever their role.
var personal = []string{"/api/session", "/api/jobs"}

// Every operation is called with ids of resources that the caller must not reach, and with random ids. The responses
// must be equal, so that they tell nothing about what exists.
func TestResourcesOutOfReach_LookLikeMissingOnes(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		outside, inside := missingCompany(), missingCompany()
		inside.Tenant = s.Acme.Tenant // colleagues know their own tenant
		colleague := s.User(s.Acme.ID, "colleague@acme.example", tenant.Member)
		all := func(attack) bool { return true }
		own := func(a attack) bool {
			return slices.ContainsFunc(personal, func(path string) bool { return strings.HasPrefix(a.path, path) })
		}
		for _, walk := range []struct {
			actors  []actor
			missing *consoletest.Company
			covers  func(attack) bool
			least   int // compared attacks
		}{
			{[]actor{{"anonymous", s.Anonymous}}, &outside, all, 40},
			{actors(&s.Globex, s), &outside, all, 40},
			{actorsOf(s, colleague), &inside, all, 20},
			{actorsOf(s, s.Acme.Admin), &inside, own, 5},
			{actorsOf(s, s.Acme.Owner), &inside, own, 5},
			{actorsOf(s, s.Operator), &outside, own, 5},
		} {
			for _, who := range walk.actors {
				if compared := compare(s, who, walk.missing, walk.covers); compared < walk.least {
					s.Errorf("%s: got %d compared attacks, want at least %d", who.name, compared, walk.least)
				}
			}
		}
	})
}

// compare attacks the company acme and a missing one as the actor, and checks that the replies are equal. It returns
// the number of attacks that it compared.
func compare(s *consoletest.Stack, who actor, missing *consoletest.Company, covers func(attack) bool) (compared int) {
	s.Helper()
	twins := map[string]attack{}
	for _, a := range attacksOn(s, missing) {
		twins[a.key] = a
	}
	for _, real := range attacksOn(s, &s.Acme) {
		twin := twins[real.key]
		if same(s, real, twin) || !covers(real) { // the same: it names no ids
			continue
		}
		compared++
		got, want := sendAttack(who.client(), real), sendAttack(who.client(), twin)
		if got.StatusCode != want.StatusCode || withoutIDs(got.Raw) != withoutIDs(want.Raw) ||
			headersOf(got) != headersOf(want) {
			s.Errorf("%s, %s: got %d %s %s, want as for a missing resource %d %s %s", who.name, real,
				got.StatusCode, got.Raw, headersOf(got), want.StatusCode, want.Raw, headersOf(want))
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
	first := consoletest.Setup(t)
	missing := missingCompany()
	for i, a := range attacksOn(first, &first.Acme) {
		if slices.Contains(unreachable, a.id) || same(t, a, attacksOn(first, &missing)[i]) {
			continue
		}
		t.Run(a.key, func(t *testing.T) {
			t.Parallel()
			s := consoletest.Setup(t)
			twins, reached := attacksOn(s, &missing), attacksOn(s, &s.Acme)
			tried := ""
			for _, who := range []tenant.User{s.Acme.Member, s.Acme.Owner, s.Operator} {
				want, got := sendAttack(s.As(who), twins[i]), sendAttack(s.As(who), reached[i])
				if got.StatusCode != want.StatusCode || withoutIDs(got.Raw) != withoutIDs(want.Raw) {
					return
				}
				tried += fmt.Sprintf("\n%s: %d %s", who.Role, got.StatusCode, got.Raw)
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
func headersOf(r consoletest.Reply) string {
	headers := r.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "Content-Length"} {
		headers.Del(name)
	}
	return fmt.Sprint(headers)
}

func TestMember_ReachesOwnResourcesOnly(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		colleague := s.User(s.Acme.ID, "colleague@acme.example", tenant.Member)
		secrets := []string{s.Acme.Token.Mask, s.Acme.Token.Name, s.Acme.Member.Email, s.Acme.Owner.Email}
		for _, who := range actorsOf(s, colleague) {
			runAttacks(s, attacksOn(s, &s.Acme), attackRun{as: who.client, by: colleague.ID, fixed: idsOfUsers(&s.Acme),
				judge: func(a attack, r consoletest.Reply) {
					if (a.admin || a.operator) && !isDenied(r) {
						s.Errorf("%s, %s: got status %d, want 403 or 404: %s", who.name, a, r.StatusCode, r.Raw)
					}
					if leaked := a.shows(r, secrets); len(leaked) > 0 {
						s.Errorf("%s, %s shows %v: %s", who.name, a, leaked, r.Raw)
					}
				}})
		}
	})
}

func TestOperatorOperations_AreDeniedToOwnersAndAdmins(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		var operators []attack
		for _, a := range attacksOn(s, &s.Acme) {
			if a.operator {
				operators = append(operators, a)
			}
		}
		for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Admin} {
			runAttacks(s, operators, attackRun{as: func() *consoletest.Client { return s.As(who) },
				judge: func(a attack, r consoletest.Reply) {
					if !isDenied(r) {
						s.Errorf("%s, %s: got status %d, want 403 or 404: %s", who.Role, a, r.StatusCode, r.Raw)
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
		"user disabled":   "UPDATE users SET status = 'disabled' WHERE address LIKE '%@acme.example'",
		"session expired": "UPDATE sessions SET expires_at = '2020-01-01 00:00:00+00:00'",
		"session deleted": "DELETE FROM sessions",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			consoletest.OnBoth(t, func(s *consoletest.Stack) {
				runAttacks(s, attacksOn(s, &s.Acme), attackRun{
					as:    func() *consoletest.Client { return s.As(s.Acme.Owner) },
					judge: func(a attack, r consoletest.Reply) { judgeSignedOut(s, a, r) },
					then:  func() { storetest.Exec(s, s.Database, end) },
				})
			})
		})
	}
}

// The current role of a user counts, not the role at sign-in.
func TestDemotedAdmin_HasTheRightsOfAMemberAtOnce(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		privileged := slices.DeleteFunc(attacksOn(s, &s.Acme), func(a attack) bool { return !a.operator && !a.admin })
		runAttacks(s, privileged, attackRun{
			as: func() *consoletest.Client { return s.As(s.Acme.Admin) },
			then: func() {
				storetest.Exec(s, s.Database, "UPDATE users SET role = 'member' WHERE address = 'admin@acme.example'")
			},
			judge: func(a attack, r consoletest.Reply) {
				if !isDenied(r) {
					s.Errorf("%s: got status %d, want 403 or 404: %s", a, r.StatusCode, r.Raw)
				}
			},
		})
	})
}

// An expired session is refused even while it is still in the database.
func TestExpiredSession_IsRefusedBeforeItIsDeleted(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	s.Must(s.Store.Signin.CreateSession(t.Context(), consoletest.System, signin.NewSession{
		UserID: s.Acme.Owner.ID, PasswordHash: s.Hashed(), Hash: sha256.Sum256(raw[:]),
		ExpiresAt: time.Now().Add(-time.Microsecond),
	}))
	me := &consoletest.Client{Stack: s, Cookie: base64.RawURLEncoding.EncodeToString(raw[:])}
	me.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestResponses_ContainNoSecrets(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, who := range []tenant.User{s.Operator, s.Acme.Owner, s.Acme.Admin, s.Acme.Member} {
		for _, a := range attacksOn(s, &s.Acme) {
			if a.method != http.MethodGet {
				continue
			}
			r := sendAttack(s.As(who), a)
			if leaked := a.shows(r, []string{consoletest.Credential, "argon2", "sealed", "password_hash",
				"sk-tg-0000000", s.Acme.KeyValue}); len(leaked) > 0 {
				t.Errorf("%s, %s shows %q", who.Role, a.path, leaked)
			}
			if who.Role != tenant.Operator && strings.Contains(r.Raw, "upstream.example") {
				t.Errorf("%s, %s shows a base URL", who.Role, a.path)
			}
		}
	}
}
