package session_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

const period = 30 * time.Second

// authenticator is a user's authenticator app, together with the user's recovery codes.
type authenticator struct {
	*consoletest.Stack
	secret string
	codes  []string
}

// code moves the clock to the next period and returns its code, because no code works twice.
func (a *authenticator) code() string {
	a.Helper()
	a.Advance(period)
	code, err := totp.GenerateCode(a.secret, a.Now())
	a.Must(err)
	return code
}

// enrol sets up an authenticator as the user's second factor.
func enrol(s *consoletest.Stack, u tenant.User) *authenticator {
	s.Helper()
	me := s.As(u)
	started := me.Post("/api/session/totp", map[string]any{"password": consoletest.Password}).Want(s, http.StatusOK)
	app := &authenticator{Stack: s, secret: consoletest.Text(s, started, "secret")}
	for _, code := range consoletest.As[[]any](s, consoletest.At(s,
		me.Post("/api/session/totp/confirm", map[string]any{"code": app.code()}).
			Want(s, http.StatusOK), "recovery_codes")) {
		app.codes = append(app.codes, consoletest.As[string](s, code))
	}
	return app
}

// challengeOf signs in with the correct password and returns the challenge for the second factor.
func challengeOf(s *consoletest.Stack, u tenant.User) string {
	s.Helper()
	r := s.Anonymous().Post("/api/session", consoletest.Credentials(u.Email, consoletest.Password))
	body := r.Want(s, http.StatusOK)
	if len(r.Cookies()) > 0 || body["user"] != nil || body["tenant"] != nil || body["expires_at"] != nil {
		s.Errorf("before the second factor: got %s and cookies %v, want only the challenge", r.Raw, r.Cookies())
	}
	return consoletest.Text(s, body, "second_factor", "challenge")
}

// answer sends the code as the second factor.
func answer(s *consoletest.Stack, challenge, code string) consoletest.Reply {
	s.Helper()
	return s.Anonymous().Post("/api/session/second-factor", map[string]any{"challenge": challenge, "code": code})
}

func TestTOTP_IsRequiredOnlyAfterConfirmation(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	begin := func(secret string) consoletest.Reply {
		return me.Post("/api/session/totp", map[string]any{"password": secret})
	}
	confirm := func(code string) consoletest.Reply {
		return me.Post("/api/session/totp/confirm", map[string]any{"code": code})
	}
	confirm("123456").Refused(t, http.StatusConflict, "")
	begin("wrong horse battery").Refused(t, http.StatusBadRequest, "password")
	begin(consoletest.Password).Want(t, http.StatusOK)
	started := begin(consoletest.Password).Want(t, http.StatusOK)
	link, err := url.Parse(consoletest.Text(t, started, "uri"))
	s.Must(err)
	if link.Scheme != "otpauth" || link.Host != "totp" || link.Path != "/Tollgate:member@acme.example" ||
		link.Query().Get("secret") != started["secret"] {
		t.Errorf("got URI %s, want one of the member with the secret", link)
	}
	app := &authenticator{Stack: s, secret: consoletest.Text(t, started, "secret")}
	right := app.code()
	for _, wrong := range []string{"12345", "abcdef", other(right)} {
		confirm(wrong).Refused(t, http.StatusBadRequest, "code")
	}
	s.SignIn("member@acme.example", consoletest.Password) // no code is required before the confirmation
	codes := consoletest.As[[]any](t, consoletest.At(t, confirm(right).Want(t, http.StatusOK), "recovery_codes"))
	if len(codes) != 10 || len(consoletest.As[string](t, codes[0])) != 19 {
		t.Errorf("got recovery codes %v, want 10 of 19 characters", codes)
	}
	confirm(app.code()).Refused(t, http.StatusConflict, "")
	begin(consoletest.Password).Refused(t, http.StatusConflict, "")
	factors := me.Get("/api/session/factors").Want(t, http.StatusOK)
	consoletest.Equal(t, factors, true, "totp")
	consoletest.Equal(t, factors, 10.0, "recovery_codes")
	consoletest.Equal(t, s.As(s.Acme.Owner).Get("/api/session/factors").Want(t, http.StatusOK), false, "totp")
}

// other returns a code that differs from the given one.
func other(code string) string {
	return string('0'+(code[0]-'0'+1)%10) + code[1:]
}

func TestSecondFactor_OpensASessionWithACode(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	app := enrol(s, s.Acme.Member)
	body := s.Anonymous().Post("/api/session", consoletest.Credentials("member@acme.example", consoletest.Password)).
		Want(t, http.StatusOK)
	consoletest.Equal(t, body, "totp", "second_factor", "methods", 0)
	consoletest.Equal(t, body, "recovery_code", "second_factor", "methods", 1)
	r := answer(s, consoletest.Text(t, body, "second_factor", "challenge"), app.code())
	consoletest.Equal(t, r.Want(t, http.StatusOK), "member", "user", "role")
	me := &consoletest.Client{Stack: s, Cookie: r.SessionCookie(t).Value}
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), "acme", "tenant", "slug")
}

func TestSecondFactor_RefusesWrongUsedAndExpiredCodes(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	app, otherApp := enrol(s, s.Acme.Member), enrol(s, s.Globex.Member)
	used := app.code()
	first := challengeOf(s, s.Acme.Member)
	answer(s, first, used).Want(t, http.StatusOK)
	answer(s, first, app.code()).Refused(t, http.StatusUnauthorized, "challenge")
	for _, row := range []struct{ name, code string }{
		{"used code", used},
		{"another user's code", otherApp.code()},
		{"another user's recovery code", otherApp.codes[0]},
		{"code without digits", "------"},
	} {
		r := answer(s, challengeOf(s, s.Acme.Member), row.code)
		if r.StatusCode != http.StatusBadRequest || r.JSON["param"] != "code" {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.Raw)
		}
	}
	answer(s, "x", app.code()).Refused(t, http.StatusUnauthorized, "challenge")
	late := challengeOf(s, s.Acme.Member)
	s.Advance(5 * time.Minute)
	answer(s, late, app.code()).Refused(t, http.StatusUnauthorized, "challenge")
	stale := app.code()
	s.Advance(2 * period)
	answer(s, challengeOf(s, s.Acme.Member), stale).Refused(t, http.StatusBadRequest, "code")
}

// If several requests send the same code at the same time, only one of them opens a session.
func TestSecondFactor_CodeOpensOneSessionUnderConcurrency(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	app := enrol(s, s.Acme.Member)
	for _, code := range []string{app.code(), app.codes[0]} {
		var challenges []string
		for range 4 {
			challenges = append(challenges, challengeOf(s, s.Acme.Member))
		}
		var opened atomic.Int64
		var wg sync.WaitGroup
		for _, challenge := range append(challenges, challenges...) {
			wg.Go(func() {
				if r := answer(s, challenge, code); r.StatusCode == http.StatusOK {
					opened.Add(1)
				}
			})
		}
		wg.Wait()
		if opened.Load() != 1 {
			t.Errorf("got %d sessions, want 1", opened.Load())
		}
	}
}

func TestRecoveryCodes_WorkOnceAndCanBeReplaced(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	app := enrol(s, s.Acme.Member)
	answer(s, challengeOf(s, s.Acme.Member), app.codes[3]).Want(t, http.StatusOK)
	answer(s, challengeOf(s, s.Acme.Member), app.codes[3]).Refused(t, http.StatusBadRequest, "code")
	answer(s, challengeOf(s, s.Acme.Member), strings.ToUpper(strings.ReplaceAll(app.codes[4], "-", " "))).
		Want(t, http.StatusOK)
	me := s.As(s.Acme.Member)
	consoletest.Equal(t, me.Get("/api/session/factors").Want(t, http.StatusOK), 8.0, "recovery_codes")

	renew := func(secret, code string) consoletest.Reply {
		return me.Post("/api/session/recovery-codes", map[string]any{"password": secret, "code": code})
	}
	renew("wrong horse battery", app.code()).Refused(t, http.StatusBadRequest, "password")
	renew(consoletest.Password, app.codes[3]).Refused(t, http.StatusBadRequest, "code")
	fresh := renew(consoletest.Password, app.code()).Want(t, http.StatusOK)
	answer(s, challengeOf(s, s.Acme.Member), app.codes[5]).Refused(t, http.StatusBadRequest, "code")
	answer(s, challengeOf(s, s.Acme.Member), consoletest.Text(t, fresh, "recovery_codes", 0)).Want(t, http.StatusOK)
}

func TestSecondFactor_UsesUpNoRecoveryCodeAfterTooManySignIns(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	for range 100 {
		s.SignIn("owner@acme.example", consoletest.Password)
	}
	phone, app := register(s, s.Acme.Owner, "phone"), enrol(s, s.Acme.Owner)
	for present(s, phone.assert(beginPasskey(s))).StatusCode == http.StatusOK { // the clock went on during enrol
		continue
	}
	challenge := challengeOf(s, s.Acme.Owner)
	answer(s, challenge, app.codes[0]).Refused(t, http.StatusTooManyRequests, "")
	s.Advance(2 * time.Second)
	answer(s, challenge, app.codes[0]).Want(t, http.StatusOK)
}

func TestDisableTOTP_NeedsPasswordAndCode(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	app := enrol(s, s.Acme.Member)
	me := s.As(s.Acme.Member)
	end := func(secret, code string) consoletest.Reply {
		return me.Post("/api/session/totp/disable", map[string]any{"password": secret, "code": code})
	}
	end("wrong horse battery", app.code()).Refused(t, http.StatusBadRequest, "password")
	end(consoletest.Password, "123").Refused(t, http.StatusBadRequest, "code")
	waiting := challengeOf(s, s.Acme.Member)
	end(consoletest.Password, app.codes[0]).Want(t, http.StatusNoContent)
	answer(s, waiting, app.codes[1]).Refused(t, http.StatusBadRequest, "code")
	s.SignIn("member@acme.example", consoletest.Password)
	end(consoletest.Password, app.code()).Refused(t, http.StatusBadRequest, "code")
}

// A challenge allows 5 wrong codes, and a user 10 over all challenges.
func TestSecondFactor_ThrottlesWrongCodes(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	app := enrol(s, s.Acme.Member)
	guesses := 0
	challenge := challengeOf(s, s.Acme.Member)
	for ; ; guesses++ {
		r := answer(s, challenge, other(app.code()))
		if r.StatusCode == http.StatusTooManyRequests {
			break
		}
		if r.StatusCode == http.StatusUnauthorized {
			if guesses%5 != 0 || guesses == 0 {
				t.Errorf("a challenge ended after %d guesses, want 5", guesses)
			}
			challenge = challengeOf(s, s.Acme.Member)
			guesses--
			continue
		}
		r.Refused(t, http.StatusBadRequest, "code")
		s.ClockOffset.Add(-int64(period)) // go back to the period of the last code, so that waiting does not help
		if guesses > 10 {
			t.Fatal("more than 10 guesses were checked")
		}
	}
	if guesses != 10 {
		t.Errorf("got %d checked guesses, want 10", guesses)
	}
	answer(s, challengeOf(s, s.Acme.Member), app.codes[0]).Want(t, http.StatusOK)
	s.Advance(time.Minute)
	answer(s, challengeOf(s, s.Acme.Member), app.code()).Want(t, http.StatusOK)
	answer(s, challengeOf(s, s.Acme.Member), app.code()).Want(t, http.StatusOK)
}

// A pending sign-in ends when the password, the status of the user or the status of the tenant changes.
func TestSecondFactor_IsRefusedAfterAChangeOfTheUser(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	for _, row := range []struct {
		name   string
		user   tenant.User
		path   string
		bodies []map[string]any
	}{
		{"password changed", s.Acme.Member, "/api/operator/users/" + s.Acme.Member.ID.String(),
			[]map[string]any{{"password": "another horse battery"}}},
		{"user disabled", s.Acme.Admin, "/api/operator/users/" + s.Acme.Admin.ID.String(),
			[]map[string]any{{"status": "disabled"}}},
		{"user disabled and enabled again", s.Globex.Member, "/api/operator/users/" + s.Globex.Member.ID.String(),
			[]map[string]any{{"status": "disabled"}, {"status": "enabled"}}},
		{"role changed", s.Globex.Admin, "/api/operator/users/" + s.Globex.Admin.ID.String(),
			[]map[string]any{{"role": "owner"}}},
		{"tenant disabled", s.Globex.Owner, "/api/operator/tenants/" + s.Globex.ID.String(),
			[]map[string]any{{"status": "disabled"}}},
	} {
		app := enrol(s, row.user)
		challenge := challengeOf(s, row.user)
		for _, body := range row.bodies {
			operator.Patch(row.path, body).Want(t, http.StatusOK)
		}
		if r := answer(s, challenge, app.code()); r.StatusCode != http.StatusUnauthorized || len(r.Cookies()) > 0 {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.Raw)
		}
	}
}

func TestResetFactors_FollowsTheRolesOfBothUsers(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, row := range []struct {
		name   string
		who    *consoletest.Client
		path   string
		lost   tenant.User
		status int
	}{
		{"admin resets a member", s.As(s.Acme.Admin), "/api/members/%s/reset-factors", s.Acme.Member,
			http.StatusNoContent},
		{"admin resets an owner", s.As(s.Acme.Admin), "/api/members/%s/reset-factors", s.Acme.Owner,
			http.StatusForbidden},
		{"owner resets an admin", s.As(s.Acme.Owner), "/api/members/%s/reset-factors", s.Acme.Admin,
			http.StatusNoContent},
		{"owner resets their own", s.As(s.Globex.Owner), "/api/members/%s/reset-factors", s.Globex.Owner,
			http.StatusConflict},
		{"member resets an admin", s.As(s.Globex.Member), "/api/members/%s/reset-factors", s.Globex.Admin,
			http.StatusForbidden},
		{"owner resets a member of another tenant", s.As(s.Acme.Owner), "/api/members/%s/reset-factors",
			s.Globex.Member, http.StatusNotFound},
		{"operator resets an owner", s.As(s.Operator), "/api/operator/users/%s/reset-factors", s.Globex.Owner,
			http.StatusNoContent},
	} {
		session := s.As(row.lost)
		if !hasTOTP(s, row.lost) {
			enrol(s, row.lost)
		}
		r := row.who.Post(fmt.Sprintf(row.path, row.lost.ID), nil)
		if r.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", row.name, r.StatusCode, row.status, r.Raw)
			continue
		}
		reset := row.status == http.StatusNoContent
		if got := !hasTOTP(s, row.lost); got != reset {
			t.Errorf("%s: got reset = %v", row.name, got)
		}
		if ended := session.Get("/api/session").StatusCode == http.StatusUnauthorized; ended != reset {
			t.Errorf("%s: got session ended = %v", row.name, ended)
		}
	}
}

// hasTOTP reports whether the user has a second factor.
func hasTOTP(s *consoletest.Stack, u tenant.User) bool {
	s.Helper()
	return consoletest.As[bool](s, consoletest.At(s, s.As(u).Get("/api/session/factors").Want(s, http.StatusOK),
		"totp"))
}
