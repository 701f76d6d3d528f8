package console_test

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

	"github.com/tollgate/tollgate/libs/core/tenant"
)

const period = 30 * time.Second

// authenticator is a user's authenticator app, together with the user's recovery codes.
type authenticator struct {
	*stack
	secret string
	codes  []string
}

// code moves the clock to the next period and returns its code, because no code works twice.
func (a *authenticator) code() string {
	a.Helper()
	a.advance(period)
	code, err := totp.GenerateCode(a.secret, a.now())
	a.must(err)
	return code
}

// enrol sets up an authenticator as the user's second factor.
func (s *stack) enrol(u tenant.User) *authenticator {
	s.Helper()
	me := s.as(u)
	started := me.post("/api/session/totp", map[string]any{"password": password}).want(s, http.StatusOK)
	app := &authenticator{stack: s, secret: text(s, started, "secret")}
	for _, code := range as[[]any](s, at(s, me.post("/api/session/totp/confirm", map[string]any{"code": app.code()}).
		want(s, http.StatusOK), "recovery_codes")) {
		app.codes = append(app.codes, as[string](s, code))
	}
	return app
}

// challenge signs in with the correct password and returns the challenge for the second factor.
func (s *stack) challenge(u tenant.User) string {
	s.Helper()
	r := s.anonymous().post("/api/session", credentials(u.Email, password))
	body := r.want(s, http.StatusOK)
	if len(r.Cookies()) > 0 || body["user"] != nil || body["tenant"] != nil || body["expires_at"] != nil {
		s.Errorf("before the second factor: got %s and cookies %v, want only the challenge", r.raw, r.Cookies())
	}
	return text(s, body, "second_factor", "challenge")
}

// answer sends the code as the second factor.
func (s *stack) answer(challenge, code string) reply {
	s.Helper()
	return s.anonymous().post("/api/session/second-factor", map[string]any{"challenge": challenge, "code": code})
}

func TestTOTP_IsRequiredOnlyAfterConfirmation(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	begin := func(secret string) reply { return me.post("/api/session/totp", map[string]any{"password": secret}) }
	confirm := func(code string) reply { return me.post("/api/session/totp/confirm", map[string]any{"code": code}) }
	confirm("123456").refused(t, http.StatusConflict, "")
	begin("wrong horse battery").refused(t, http.StatusBadRequest, "password")
	begin(password).want(t, http.StatusOK)
	started := begin(password).want(t, http.StatusOK)
	link, err := url.Parse(text(t, started, "uri"))
	s.must(err)
	if link.Scheme != "otpauth" || link.Host != "totp" || link.Path != "/Tollgate:member@acme.example" ||
		link.Query().Get("secret") != started["secret"] {
		t.Errorf("got URI %s, want one of the member with the secret", link)
	}
	app := &authenticator{stack: s, secret: text(t, started, "secret")}
	right := app.code()
	for _, wrong := range []string{"12345", "abcdef", other(right)} {
		confirm(wrong).refused(t, http.StatusBadRequest, "code")
	}
	s.signIn("member@acme.example", password) // no code is required before the confirmation
	codes := as[[]any](t, at(t, confirm(right).want(t, http.StatusOK), "recovery_codes"))
	if len(codes) != 10 || len(as[string](t, codes[0])) != 19 {
		t.Errorf("got recovery codes %v, want 10 of 19 characters", codes)
	}
	confirm(app.code()).refused(t, http.StatusConflict, "")
	begin(password).refused(t, http.StatusConflict, "")
	factors := me.get("/api/session/factors").want(t, http.StatusOK)
	equal(t, factors, true, "totp")
	equal(t, factors, 10.0, "recovery_codes")
	equal(t, s.as(s.acme.owner).get("/api/session/factors").want(t, http.StatusOK), false, "totp")
}

// other returns a code that differs from the given one.
func other(code string) string {
	return string('0'+(code[0]-'0'+1)%10) + code[1:]
}

func TestSecondFactor_OpensASessionWithACode(t *testing.T) {
	t.Parallel()
	s := setup(t)
	app := s.enrol(s.acme.member)
	body := s.anonymous().post("/api/session", credentials("member@acme.example", password)).want(t, http.StatusOK)
	equal(t, body, "totp", "second_factor", "methods", 0)
	equal(t, body, "recovery_code", "second_factor", "methods", 1)
	r := s.answer(text(t, body, "second_factor", "challenge"), app.code())
	equal(t, r.want(t, http.StatusOK), "member", "user", "role")
	me := &client{stack: s, cookie: r.sessionCookie(t).Value}
	equal(t, me.get("/api/session").want(t, http.StatusOK), "acme", "tenant", "slug")
}

func TestSecondFactor_RefusesWrongUsedAndExpiredCodes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	app, otherApp := s.enrol(s.acme.member), s.enrol(s.globex.member)
	used := app.code()
	first := s.challenge(s.acme.member)
	s.answer(first, used).want(t, http.StatusOK)
	s.answer(first, app.code()).refused(t, http.StatusUnauthorized, "challenge")
	for _, row := range []struct{ name, code string }{
		{"used code", used},
		{"another user's code", otherApp.code()},
		{"another user's recovery code", otherApp.codes[0]},
		{"code without digits", "------"},
	} {
		r := s.answer(s.challenge(s.acme.member), row.code)
		if r.StatusCode != http.StatusBadRequest || r.body["param"] != "code" {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.raw)
		}
	}
	s.answer("x", app.code()).refused(t, http.StatusUnauthorized, "challenge")
	late := s.challenge(s.acme.member)
	s.advance(5 * time.Minute)
	s.answer(late, app.code()).refused(t, http.StatusUnauthorized, "challenge")
	stale := app.code()
	s.advance(2 * period)
	s.answer(s.challenge(s.acme.member), stale).refused(t, http.StatusBadRequest, "code")
}

// If several requests send the same code at the same time, only one of them opens a session.
func TestSecondFactor_CodeOpensOneSessionUnderConcurrency(t *testing.T) {
	t.Parallel()
	s := setup(t)
	app := s.enrol(s.acme.member)
	for _, code := range []string{app.code(), app.codes[0]} {
		var challenges []string
		for range 4 {
			challenges = append(challenges, s.challenge(s.acme.member))
		}
		var opened atomic.Int64
		var wg sync.WaitGroup
		for _, challenge := range append(challenges, challenges...) {
			wg.Go(func() {
				if r := s.answer(challenge, code); r.StatusCode == http.StatusOK {
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
	s := setup(t)
	app := s.enrol(s.acme.member)
	s.answer(s.challenge(s.acme.member), app.codes[3]).want(t, http.StatusOK)
	s.answer(s.challenge(s.acme.member), app.codes[3]).refused(t, http.StatusBadRequest, "code")
	s.answer(s.challenge(s.acme.member), strings.ToUpper(strings.ReplaceAll(app.codes[4], "-", " "))).
		want(t, http.StatusOK)
	me := s.as(s.acme.member)
	equal(t, me.get("/api/session/factors").want(t, http.StatusOK), 8.0, "recovery_codes")

	renew := func(secret, code string) reply {
		return me.post("/api/session/recovery-codes", map[string]any{"password": secret, "code": code})
	}
	renew("wrong horse battery", app.code()).refused(t, http.StatusBadRequest, "password")
	renew(password, app.codes[3]).refused(t, http.StatusBadRequest, "code")
	fresh := renew(password, app.code()).want(t, http.StatusOK)
	s.answer(s.challenge(s.acme.member), app.codes[5]).refused(t, http.StatusBadRequest, "code")
	s.answer(s.challenge(s.acme.member), text(t, fresh, "recovery_codes", 0)).want(t, http.StatusOK)
}

func TestDisableTOTP_NeedsPasswordAndCode(t *testing.T) {
	t.Parallel()
	s := setup(t)
	app := s.enrol(s.acme.member)
	me := s.as(s.acme.member)
	end := func(secret, code string) reply {
		return me.post("/api/session/totp/disable", map[string]any{"password": secret, "code": code})
	}
	end("wrong horse battery", app.code()).refused(t, http.StatusBadRequest, "password")
	end(password, "123").refused(t, http.StatusBadRequest, "code")
	waiting := s.challenge(s.acme.member)
	end(password, app.codes[0]).want(t, http.StatusNoContent)
	s.answer(waiting, app.codes[1]).refused(t, http.StatusBadRequest, "code")
	s.signIn("member@acme.example", password)
	end(password, app.code()).refused(t, http.StatusBadRequest, "code")
}

// A challenge allows 5 wrong codes, and a user 10 over all challenges.
func TestSecondFactor_ThrottlesWrongCodes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	app := s.enrol(s.acme.member)
	guesses := 0
	challenge := s.challenge(s.acme.member)
	for ; ; guesses++ {
		r := s.answer(challenge, other(app.code()))
		if r.StatusCode == http.StatusTooManyRequests {
			break
		}
		if r.StatusCode == http.StatusUnauthorized {
			if guesses%5 != 0 || guesses == 0 {
				t.Errorf("a challenge ended after %d guesses, want 5", guesses)
			}
			challenge = s.challenge(s.acme.member)
			guesses--
			continue
		}
		r.refused(t, http.StatusBadRequest, "code")
		s.clockOffset.Add(-int64(period)) // go back to the period of the last code, so that waiting does not help
		if guesses > 10 {
			t.Fatal("more than 10 guesses were checked")
		}
	}
	if guesses != 10 {
		t.Errorf("got %d checked guesses, want 10", guesses)
	}
	s.answer(s.challenge(s.acme.member), app.codes[0]).want(t, http.StatusOK)
	s.advance(time.Minute)
	s.answer(s.challenge(s.acme.member), app.code()).want(t, http.StatusOK)
	s.answer(s.challenge(s.acme.member), app.code()).want(t, http.StatusOK)
}

// A pending sign-in ends when the password, the status of the user or the status of the tenant changes.
func TestSecondFactor_IsRefusedAfterPasswordOrStatusChange(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	for _, row := range []struct {
		name string
		user tenant.User
		path string
		body map[string]any
	}{
		{"password changed", s.acme.member, "/api/operator/users/" + s.acme.member.ID.String(),
			map[string]any{"password": "another horse battery"}},
		{"user disabled", s.acme.admin, "/api/operator/users/" + s.acme.admin.ID.String(),
			map[string]any{"status": "disabled"}},
		{"tenant disabled", s.globex.owner, "/api/operator/tenants/" + s.globex.ID.String(),
			map[string]any{"status": "disabled"}},
	} {
		app := s.enrol(row.user)
		challenge := s.challenge(row.user)
		operator.patch(row.path, row.body).want(t, http.StatusOK)
		if r := s.answer(challenge, app.code()); r.StatusCode != http.StatusUnauthorized || len(r.Cookies()) > 0 {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.raw)
		}
	}
}

func TestResetFactors_FollowsTheRolesOfBothUsers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, row := range []struct {
		name   string
		who    *client
		path   string
		lost   tenant.User
		status int
	}{
		{"admin resets a member", s.as(s.acme.admin), "/api/members/%s/reset-factors", s.acme.member,
			http.StatusNoContent},
		{"admin resets an owner", s.as(s.acme.admin), "/api/members/%s/reset-factors", s.acme.owner,
			http.StatusForbidden},
		{"owner resets an admin", s.as(s.acme.owner), "/api/members/%s/reset-factors", s.acme.admin,
			http.StatusNoContent},
		{"owner resets their own", s.as(s.globex.owner), "/api/members/%s/reset-factors", s.globex.owner,
			http.StatusConflict},
		{"member resets an admin", s.as(s.globex.member), "/api/members/%s/reset-factors", s.globex.admin,
			http.StatusForbidden},
		{"owner resets a member of another tenant", s.as(s.acme.owner), "/api/members/%s/reset-factors",
			s.globex.member, http.StatusNotFound},
		{"operator resets an owner", s.as(s.operator), "/api/operator/users/%s/reset-factors", s.globex.owner,
			http.StatusNoContent},
	} {
		session := s.as(row.lost)
		if !s.hasTOTP(row.lost) {
			s.enrol(row.lost)
		}
		r := row.who.post(fmt.Sprintf(row.path, row.lost.ID), nil)
		if r.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", row.name, r.StatusCode, row.status, r.raw)
			continue
		}
		reset := row.status == http.StatusNoContent
		if got := !s.hasTOTP(row.lost); got != reset {
			t.Errorf("%s: got reset = %v", row.name, got)
		}
		if ended := session.get("/api/session").StatusCode == http.StatusUnauthorized; ended != reset {
			t.Errorf("%s: got session ended = %v", row.name, ended)
		}
	}
}

// hasTOTP reports whether the user has a second factor.
func (s *stack) hasTOTP(u tenant.User) bool {
	s.Helper()
	return as[bool](s, at(s, s.as(u).get("/api/session/factors").want(s, http.StatusOK), "totp"))
}
