package session_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// confirm sends a proof of the user's identity.
func confirm(c *consoletest.Client, proof map[string]any) consoletest.Reply {
	c.Helper()
	return c.Post("/api/session/confirmation", proof)
}

// stale reports whether an operation that always needs a confirmation refuses the client for want of one.
func stale(c *consoletest.Client) bool {
	c.Helper()
	return c.Post("/api/invitations", map[string]any{}).JSON["code"] == "confirmation_required"
}

// The thief of a session must not take over other accounts with a link for a new password.
func TestPasswordReset_OfOthersNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, owner := s.As(s.Operator), s.As(s.Acme.Owner)
	s.Advance(consoletest.ConfirmationLife)
	operator.Post("/api/operator/users/"+s.Acme.Owner.ID.String()+"/password-reset", nil).NeedsConfirmation(t)
	owner.Post("/api/members/"+s.Acme.Member.ID.String()+"/password-reset", nil).NeedsConfirmation(t)
	if rows := storetest.Dump(t, s.Database)["password_resets"]; len(rows) != 0 {
		t.Errorf("got the resets %v, want none", rows)
	}
	confirm(operator, map[string]any{"password": consoletest.Password}).Want(t, http.StatusOK)
	operator.Post("/api/operator/users/"+s.Acme.Owner.ID.String()+"/password-reset", nil).Want(t, http.StatusCreated)
}

func TestConfirmation_IsNotNeededForSmallGrantsAndOtherFields(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, second, member := s.As(s.Operator), s.As(s.Operator), s.As(s.Acme.Member)
	s.Advance(time.Hour - time.Minute)
	operator.Post("/api/operator/grants", map[string]any{"tenant_id": s.Acme.ID, "amount": "1000", "reason": "x"}).
		Want(t, http.StatusCreated)
	operator.Patch("/api/operator/channels/"+s.Channel.ID.String(), map[string]any{"weight": 2, "status": "disabled",
		"settings": map[string]any{"lacks": []string{"vision"}}}).Want(t, http.StatusOK)
	operator.Post("/api/operator/jobs/catalogue-import", map[string]any{"catalogue": "groups: []"}).
		Want(t, http.StatusAccepted)
	member.Post("/api/tokens", map[string]any{"name": "first"}).Want(t, http.StatusCreated)

	s.Config.ConfirmAmount = 5_000_000_000
	s.Serve()
	second.Post("/api/operator/grants", map[string]any{"tenant_id": s.Acme.ID, "amount": "5.01", "reason": "x"}).
		NeedsConfirmation(t)
	second.Post("/api/operator/grants", map[string]any{"tenant_id": s.Acme.ID, "amount": "5", "reason": "x"}).
		Want(t, http.StatusCreated)
}

// Somebody with a stolen session sends many grants just below the amount that needs a confirmation, to two consoles at
// once.
func TestConfirmation_CountsSmallGrantsOfASessionTogether(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		other := &consoletest.Stack{T: s.T, Store: s.Store, Database: s.Database, Secret: s.Secret, Config: s.Config,
			Cost: s.Cost}
		other.ClockOffset.Store(int64(consoletest.ConfirmationLife))
		other.Serve()
		thief := s.As(s.Operator)
		s.Advance(consoletest.ConfirmationLife)
		consoles := []*consoletest.Client{thief, {Stack: other, Cookie: thief.Cookie}}
		grant := func(c *consoletest.Client, to uuid.UUID) consoletest.Reply {
			return c.Post("/api/operator/grants", map[string]any{"tenant_id": to, "amount": "300", "reason": "paid"})
		}
		var wg sync.WaitGroup
		var granted atomic.Int64
		for i := range 4 {
			wg.Go(func() {
				for range 3 {
					r := grant(consoles[i%2], []uuid.UUID{s.Acme.ID, s.Globex.ID}[i/2])
					if r.StatusCode == http.StatusCreated {
						granted.Add(1)
					} else if r.JSON["code"] != "confirmation_required" {
						s.Errorf("got %d %s, want 201 or a demand for a confirmation", r.StatusCode, r.Raw)
					}
				}
			})
		}
		wg.Wait()
		if got := granted.Load(); got != 3 {
			s.Errorf("the session granted 300 USD %d times without a confirmation, want 3 times", got)
		}
		thief.Post("/api/operator/adjustments", map[string]any{"tenant_id": s.Acme.ID, "amount": "-101",
			"reason": "x"}).NeedsConfirmation(s)
		thief.Post("/api/operator/transfers", map[string]any{"from_tenant_id": s.Acme.ID, "to_tenant_id": s.Globex.ID,
			"amount": "101", "reason": "x"}).NeedsConfirmation(s)
		thief.Post("/api/operator/tenants", map[string]any{"slug": "new", "name": "New", "quota": "101"}).
			NeedsConfirmation(s)
		confirm(thief, map[string]any{"password": consoletest.Password}).Want(s, http.StatusOK)
		grant(thief, s.Acme.ID).Want(s, http.StatusCreated)
	})
}

func TestConfirmation_CountsForFifteenMinutesAndDoesNotExtendTheSession(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	me, elsewhere := s.As(s.Acme.Owner), s.As(s.Acme.Owner)
	expires := consoletest.Text(t, me.Get("/api/session").Want(t, http.StatusOK), "expires_at")
	s.Advance(consoletest.ConfirmationLife - time.Second)
	if stale(me) {
		t.Error("a sign-in of 14:59 minutes ago does not count")
	}
	s.Advance(time.Second)
	if !stale(me) {
		t.Fatal("a sign-in of 15 minutes ago counts")
	}
	body := confirm(me, map[string]any{"password": consoletest.Password}).Want(t, http.StatusOK)
	if got := consoletest.Text(t, body, "confirmed_at"); got != s.Now().UTC().Truncate(time.Microsecond).
		Format(time.RFC3339Nano) {
		t.Errorf("confirmed at %s, want %s", got, s.Now().UTC())
	}
	if stale(me) || !stale(elsewhere) {
		t.Errorf("got stale = %v, and %v for another session of the user; want false and true", stale(me),
			stale(elsewhere))
	}
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), expires, "expires_at")
	s.Advance(consoletest.ConfirmationLife)
	if !stale(me) {
		t.Error("a confirmation of 15 minutes ago counts")
	}
}

func TestConfirmation_AcceptsEachKindOfProof(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	user := s.Acme.Owner
	phone, app := register(s, user, "phone"), enrol(s, user)
	rows := []struct {
		name  string
		proof func(me *consoletest.Client) map[string]any
	}{
		{"password", func(*consoletest.Client) map[string]any {
			return map[string]any{"password": consoletest.Password}
		}},
		{"code", func(*consoletest.Client) map[string]any { return map[string]any{"code": app.code()} }},
		{"recovery code", func(*consoletest.Client) map[string]any { return map[string]any{"code": app.codes[0]} }},
		{"passkey", func(me *consoletest.Client) map[string]any {
			return map[string]any{"passkey": phone.assert(me.Post("/api/session/confirmation/passkey", nil).
				Want(t, http.StatusOK))}
		}},
	}
	sessions := make([]*consoletest.Client, len(rows))
	for i := range sessions {
		sessions[i] = s.As(user)
	}
	s.Advance(consoletest.ConfirmationLife)
	for i, row := range rows {
		me := sessions[i]
		if !stale(me) {
			t.Fatalf("%s: the session needs no confirmation", row.name)
		}
		confirm(me, row.proof(me)).Want(t, http.StatusOK)
		if stale(me) {
			t.Errorf("%s: the proof does not count", row.name)
		}
	}
}

func TestConfirmation_ListsTheWaysOfTheUser(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	ways := func(u tenant.User) string {
		var names []string
		for _, name := range consoletest.As[[]any](t,
			consoletest.At(t, s.As(u).Get("/api/session/confirmation").Want(t, http.StatusOK), "methods")) {
			names = append(names, consoletest.As[string](t, name))
		}
		return strings.Join(names, " ")
	}
	if got := ways(s.Acme.Owner); got != "password" {
		t.Errorf("got the ways %q, want the password", got)
	}
	register(s, s.Acme.Owner, "phone")
	enrol(s, s.Acme.Owner)
	if got := ways(s.Acme.Owner); got != "passkey password totp recovery_code" {
		t.Errorf("got the ways %q of a user with all factors", got)
	}
	key := &consoletest.Client{Stack: s, Key: s.Acme.KeyValue}
	key.Get("/api/session/confirmation").Refused(t, http.StatusForbidden, "")
	confirm(key, map[string]any{"password": consoletest.Password}).Refused(t, http.StatusForbidden, "")
}

func TestConfirmation_RefusesProofsOfOthers(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	own, colleagues, foreign := register(s, s.Acme.Owner, "own"), register(s, s.Acme.Admin, "colleague's"),
		register(s, s.Globex.Owner, "foreign")
	app, otherApp := enrol(s, s.Acme.Owner), enrol(s, s.Globex.Owner)
	me, mine, colleague, stranger := s.As(s.Acme.Owner), s.As(s.Acme.Owner), s.As(s.Acme.Admin), s.As(s.Globex.Owner)
	s.Advance(consoletest.ConfirmationLife)
	ask := func(c *consoletest.Client) map[string]any {
		return c.Post("/api/session/confirmation/passkey", nil).Want(t, http.StatusOK)
	}
	used := map[string]any{"code": app.code()}
	confirm(mine, used).Want(t, http.StatusOK)
	for _, row := range []struct {
		name, field string
		proof       map[string]any
	}{
		{"wrong password", "password", map[string]any{"password": "wrong horse battery"}},
		{"wrong code", "code", map[string]any{"code": "000000"}},
		{"code of another tenant's user", "code", map[string]any{"code": otherApp.code()}},
		{"code that was used before", "code", used},
		{"recovery code of another user", "code", map[string]any{"code": otherApp.codes[0]}},
		{"passkey of a colleague", "passkey", map[string]any{"passkey": colleagues.assert(ask(me))}},
		{"passkey of another tenant's user", "passkey", map[string]any{"passkey": foreign.assert(ask(me))}},
		{"own passkey for the session of a colleague", "passkey",
			map[string]any{"passkey": own.assert(ask(colleague))}},
		{"another user's proof for that user's session", "passkey",
			map[string]any{"passkey": foreign.assert(ask(stranger))}},
		{"own passkey for another session of the user", "passkey", map[string]any{"passkey": own.assert(ask(mine))}},
		{"own passkey for a sign-in", "passkey", map[string]any{"passkey": own.assert(beginPasskey(s))}},
		{"no proof", "password", map[string]any{}},
		{"two proofs", "password", map[string]any{"password": consoletest.Password, "code": "123456"}},
	} {
		r := confirm(me, row.proof)
		if r.StatusCode != http.StatusBadRequest || r.JSON["param"] != row.field || !stale(me) {
			t.Errorf("%s: got %d %s, want 400 for the field %s and no confirmation", row.name, r.StatusCode,
				r.Raw, row.field)
		}
	}
	answer := own.assert(ask(me))
	confirm(me, map[string]any{"passkey": answer}).Want(t, http.StatusOK)
	confirm(me, map[string]any{"passkey": answer}).Refused(t, http.StatusBadRequest, "passkey")
	present(s, own.assert(ask(me))).Refused(t, http.StatusUnauthorized, "credential")
}

func TestConfirmation_IsRefusedForAnEndedSession(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me, ended := s.As(s.Acme.Owner), s.As(s.Acme.Owner)
	me.Do(http.MethodDelete, "/api/sessions", nil).Want(t, http.StatusNoContent)
	confirm(ended, map[string]any{"password": consoletest.Password}).Refused(t, http.StatusUnauthorized, "")
	confirm(me, map[string]any{"password": consoletest.Password}).Want(t, http.StatusOK)
}

// A thief of a session must not be able to guess the password or codes, and must not keep the user out.
func TestConfirmation_BoundsTheGuessesOfASession(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	app := enrol(s, s.Acme.Owner)
	thief, user := s.As(s.Acme.Owner), s.As(s.Acme.Owner)
	s.StopClock()
	tries := func(proof map[string]any) int {
		for n := range 40 {
			if confirm(thief, proof).StatusCode == http.StatusTooManyRequests {
				return n
			}
		}
		return 40
	}
	if got := tries(map[string]any{"password": "wrong horse battery"}); got != 10 {
		t.Errorf("the session could guess %d passwords, want 10", got)
	}
	confirm(thief, map[string]any{"password": consoletest.Password}).Refused(t, http.StatusTooManyRequests, "")
	if got := tries(map[string]any{"code": "000000"}); got != 5 {
		t.Errorf("the session could guess %d codes, want 5", got)
	}
	s.Advance(time.Minute)
	if got := tries(map[string]any{"code": "000000"}); got != 0 {
		t.Errorf("a minute later the session could guess %d more codes, want 0", got)
	}
	if got := tries(map[string]any{"code": app.codes[0]}); got != 0 {
		t.Errorf("the session could try %d recovery codes afterwards, want 0", got)
	}
	confirm(user, map[string]any{"password": consoletest.Password}).Want(t, http.StatusOK)
	confirm(user, map[string]any{"code": app.code()}).Want(t, http.StatusOK)
	s.Anonymous().Post("/api/session", consoletest.Credentials(s.Acme.Owner.Email, consoletest.Password)).
		Want(t, http.StatusOK)
}

func TestConfirmation_CountsConcurrentGuesses(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	enrol(s, s.Acme.Owner)
	thief := s.As(s.Acme.Owner)
	s.StopClock()
	statuses := make(chan int)
	for range 30 {
		go func() { statuses <- confirm(thief, map[string]any{"code": "aaaa-bbbb-cccc-dddd"}).StatusCode }()
	}
	checked := 0
	for range 30 {
		if <-statuses == http.StatusBadRequest {
			checked++
		}
	}
	if checked != 5 {
		t.Errorf("%d guesses were checked, want 5", checked)
	}
}

func TestConfirmation_IsRecordedInTheAuditLog(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	confirm(s.As(s.Acme.Owner), map[string]any{"password": consoletest.Password}).Want(t, http.StatusOK)
	entry := consoletest.Items(t, s.As(s.Operator).Get("/api/operator/audit-log?action=session.confirm").
		Want(t, http.StatusOK))[0]
	consoletest.Equal(t, entry, s.Acme.Owner.ID.String(), "target")
	consoletest.Equal(t, entry, "password", "detail", "means")
	if _, err := uuid.Parse(consoletest.Text(t, entry, "detail", "session_id")); err != nil {
		t.Error(err)
	}
}
