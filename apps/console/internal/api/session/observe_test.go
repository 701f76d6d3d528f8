package session_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Neither the log nor a span contains anything that proves an identity, whether the request succeeds or fails.
func TestLogAndTraces_ContainNoSecrets(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	w := f.Watch()
	secrets := map[string]string{"a wrong password": "a-wrong-password-of-somebody",
		"the password": consoletest.Password, "the next password": consoletest.NewPassword,
		"the issuer's answer": "code=" + goodCode, "a guessed code": "a-guessed-code",
		"the client's secret": "client secret", "the credential": consoletest.Credential,
		"a token of the playground": "sk-tg-of-the-page", "a prompt": "a-secret-prompt",
		"a key in a path": "a-key-in-a-path", "a key in a query": "a-key-in-a-query",
		"a guessed key": token.NewAccessKey(w.Acme.Key.ID), "an access key": w.Acme.KeyValue}

	w.Anonymous().Post("/api/session", consoletest.Credentials(w.Acme.Member.Email, secrets["a wrong password"])).
		Want(t, http.StatusUnauthorized)
	r := w.Anonymous().Post("/api/session", consoletest.Credentials(w.Acme.Member.Email, consoletest.Password))
	r.Want(t, http.StatusOK)
	secrets["the session"] = r.SessionCookie(t).Value
	me, owner, operator := &consoletest.Client{Stack: w.Stack, Cookie: secrets["the session"]}, w.As(w.Acme.Owner),
		w.As(w.Operator)
	secrets["another session"], secrets["the operator's session"] = owner.Cookie, operator.Cookie
	for _, key := range []string{"an access key", "a guessed key"} {
		(&consoletest.Client{Stack: w.Stack, Key: secrets[key]}).Get("/api/quota")
	}
	secrets["a token"] = consoletest.Text(t, me.Post("/api/tokens", map[string]any{"name": "new"}).
		Want(t, http.StatusCreated), "value")
	secrets["a key"] = consoletest.Text(t, me.Post("/api/access-keys", map[string]any{"name": "new", "access": "read",
		"expires_at": time.Now().Add(time.Hour)}).Want(t, http.StatusCreated), "value")

	secrets["an invitation"] = secretIn(t, consoletest.Text(t,
		owner.Post("/api/invitations", invite("new@acme.example", "member")).
			Want(t, http.StatusCreated), "link"), "invitation")
	secrets["a reset"] = secretIn(t,
		consoletest.Text(t, owner.Post("/api/members/"+w.Acme.Member.ID.String()+"/password-reset",
			nil).Want(t, http.StatusCreated), "link"), "password-reset")
	w.Anonymous().Post("/api/invitations/accept", withSecret(secrets["an invitation"], consoletest.NewPassword)).
		Want(t, http.StatusOK)
	w.Anonymous().Post("/api/invitations/accept", withSecret(secrets["an invitation"], consoletest.NewPassword)).
		Want(t, http.StatusNotFound)
	w.Anonymous().Post("/api/session/password-reset/complete", withSecret(secrets["a reset"], consoletest.NewPassword)).
		Want(t, http.StatusNoContent)

	f.provider.setClaims(verified("owner@acme.example"))
	for _, code := range []string{secrets["a guessed code"], goodCode} {
		state, flow := f.startSignIn("/usage-logs?model=a-key-in-a-query")
		secrets["the state for "+code], secrets["the flow cookie for "+code] = state, flow.Value
		response := f.finishSignIn(url.Values{"state": {state}, "code": {code}}, flow)
		if opened := cookieOf(response, "tollgate_session"); opened != nil {
			secrets["the session by the issuer"] = opened.Value
		}
	}
	if secrets["the session by the issuer"] == "" {
		t.Fatal("got no session by OpenID Connect")
	}

	w.ServeRelay(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
	owner.PlayToEnd(`{"messages":[{"role":"user","content":"a-secret-prompt"}]}`)
	for _, path := range []string{"/api/made-up/a-key-in-a-path", "/a-key-in-a-path?x=a-key-in-a-query",
		"/api/tokens?token=a-key-in-a-query"} {
		owner.GetTraced(path, "00-a-key-in-a-path-01")
	}
	operator.Patch("/api/operator/channels/"+w.Channel.ID.String(),
		map[string]any{"api_keys": []string{consoletest.Credential}}).
		Want(t, http.StatusOK)
	w.Store.Close() //nolint:errcheck // the following requests must fail, to check their log lines too
	owner.Get("/api/quota").Want(t, http.StatusInternalServerError)
	w.Anonymous().Post("/api/session", consoletest.Credentials(w.Acme.Member.Email, consoletest.NewPassword)).
		Want(t, http.StatusInternalServerError)
	w.Flush()

	if lines, spans := len(w.Lines.Lines(t, "request")), len(w.Collector.Spans("")); lines < 20 || spans != lines {
		t.Fatalf("got %d lines and %d spans, want at least 20 of each and equally many", lines, spans)
	}
	log, traces := w.Lines.Text(), w.Collector.Raw()
	for name, secret := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains %s: %s", name, secret)
		}
		if bytes.Contains(traces, []byte(secret)) {
			t.Errorf("a span contains %s: %s", name, secret)
		}
	}
}

// A wrong old password is a refused proof, and a weak new one is not.
func TestChangePassword_RecordsWrongOldPasswordsOnly(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock() // an entry counts the attempts of one minute
	me := s.As(s.Acme.Member)
	change := func(current, next string) consoletest.Reply {
		return me.Post("/api/session/password", map[string]any{"old_password": current, "new_password": next})
	}
	change("wrong horse battery", consoletest.NewPassword).Refused(t, http.StatusBadRequest, "old_password")
	change(consoletest.Password, "password").Refused(t, http.StatusBadRequest, "new_password")
	s.Must(s.App.Stop(t.Context()))
	refused := consoletest.Items(t, s.As(s.Acme.Owner).Get("/api/audit-log?action=session.refused").
		Want(t, http.StatusOK))
	if len(refused) != 1 {
		t.Fatalf("got %v, want one entry", refused)
	}
	consoletest.Equal(t, refused[0], 1.0, "detail", "count")
}
