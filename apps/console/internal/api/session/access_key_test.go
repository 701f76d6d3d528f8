package session_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

func newKey(access string, expires time.Duration) map[string]any {
	return map[string]any{"name": "ci", "access": access, "expires_at": time.Now().Add(expires)}
}

func TestAccessKey_WorksUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Owner)
	created := me.Post("/api/access-keys", newKey("write", time.Hour)).Want(t, http.StatusCreated)
	value := consoletest.Text(t, created, "value")
	program := &consoletest.Client{Stack: s, Key: value}
	consoletest.Equal(t, program.Get("/api/session").Want(t, http.StatusOK), "owner@acme.example", "user", "email")
	program.Post("/api/tokens", map[string]any{"name": "created by a program"}).Want(t, http.StatusCreated)

	list := me.Get("/api/access-keys?user_id=" + s.Acme.Owner.ID.String())
	shown := list.Want(t, http.StatusOK)
	consoletest.Equal(t, shown, value[:10]+"…"+value[len(value)-4:], "items", 0, "mask")
	if consoletest.At(t, shown, "items", 0, "last_used") == nil || strings.Contains(list.Raw, value) {
		t.Errorf("got list %s, want last_used and not the value", list.Raw)
	}
	entries := s.As(s.Operator).Get("/api/operator/audit-log").Want(t, http.StatusOK)
	consoletest.Equal(t, entries, "owner@acme.example ("+consoletest.Text(t, created, "mask")+")", "items", 1, "actor")

	me.Do(http.MethodDelete, "/api/access-keys/"+consoletest.Text(t, created, "id"), nil).Want(t, http.StatusNoContent)
	program.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestCreateAccessKey_ChecksAccessAndExpiry(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	me.Post("/api/access-keys", newKey("read", 400*24*time.Hour)).Want(t, http.StatusCreated)
	me.Post("/api/access-keys", newKey("read", 401*24*time.Hour)).Refused(t, http.StatusBadRequest, "expires_at")
	me.Post("/api/access-keys", newKey("read", -time.Minute)).Refused(t, http.StatusBadRequest, "expires_at")
	me.Post("/api/access-keys", newKey("all", time.Hour)).Refused(t, http.StatusBadRequest, "access")
	me.Post("/api/access-keys", map[string]any{"name": "ci", "access": "read"}).
		Refused(t, http.StatusBadRequest, "expires_at")
}

func TestCreateAccessKey_ShowsWhatItsMakerChose(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	body := map[string]any{
		"name": "billing", "scopes": []string{"usage:read", "billing:write"}, "grant_limit": "250.5",
		"addresses": []string{"203.0.113.7", "10.1.2.3/8"}, "expires_at": time.Now().Add(time.Hour),
	}
	operator.Post("/api/access-keys", body).Want(t, http.StatusCreated)
	key := consoletest.At(t, operator.Get("/api/access-keys?user_id="+s.Operator.ID.String()).Want(t, http.StatusOK),
		"items", 0)
	consoletest.Equal(t, key, "usage:read", "scopes", 0)
	consoletest.Equal(t, key, "billing:write", "scopes", 1)
	consoletest.Equal(t, key, "250.5", "grant_limit")
	consoletest.Equal(t, key, "203.0.113.7", "addresses", 0)
	consoletest.Equal(t, key, "10.0.0.0/8", "addresses", 1)
	consoletest.Equal(t, key, "write", "access")

	for field, change := range map[string]map[string]any{
		"scopes":       {"scopes": []string{}},
		"scopes[0]":    {"scopes": []string{"members:write"}},
		"access":       {"access": "read"},
		"grant_limit":  {"grant_limit": "0"},
		"addresses[0]": {"addresses": []string{"example.com"}},
	} {
		wrong := maps.Clone(body)
		maps.Copy(wrong, change)
		operator.Post("/api/access-keys", wrong).Refused(t, http.StatusBadRequest, field)
	}
	for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Member} {
		s.As(who).Post("/api/access-keys", body).Refused(t, http.StatusForbidden, "scopes")
	}
}

// A stolen access key must not be enough to take over the user: it cannot set passwords,
// create access keys, or manage sessions, second factors, passkeys and linked accounts.
func TestAccessKey_IsRefusedWhereASessionIsNeeded(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	owner, operator := s.WithKey(s.Acme.Owner), s.WithKey(s.Operator)
	member := s.Acme.Member.ID.String()
	for _, r := range []consoletest.Reply{
		owner.Post("/api/session/password", map[string]any{"old_password": consoletest.Password,
			"new_password": consoletest.NewPassword}),
		owner.Do(http.MethodDelete, "/api/session", nil),
		owner.Get("/api/sessions"),
		owner.Do(http.MethodDelete, "/api/sessions", nil),
		owner.Do(http.MethodDelete, "/api/sessions/"+s.SessionOf(s.Acme.Owner).String(), nil),
		owner.Post("/api/access-keys", newKey("write", time.Hour)),
		owner.Post("/api/session/totp", map[string]any{"password": consoletest.Password}),
		owner.Post("/api/session/totp/confirm", map[string]any{"code": "123456"}),
		owner.Post("/api/session/totp/disable", map[string]any{"password": consoletest.Password, "code": "123456"}),
		owner.Post("/api/session/recovery-codes", map[string]any{"password": consoletest.Password, "code": "123456"}),
		owner.Post("/api/session/passkeys/begin", map[string]any{"password": consoletest.Password}),
		owner.Post("/api/session/passkeys", map[string]any{"name": "mine", "credential": map[string]any{"id": "x"}}),
		s.WithKey(s.Acme.Member).Patch("/api/session/passkeys/"+s.Acme.Passkey.ID.String(),
			map[string]any{"name": "mine"}),
		s.WithKey(s.Acme.Member).Do(http.MethodDelete, "/api/session/passkeys/"+s.Acme.Passkey.ID.String(), nil),
		s.WithKey(s.Acme.Member).Do(http.MethodDelete, "/api/session/identities/"+s.Acme.Identity.ID.String(), nil),
		owner.Post("/api/members/"+member+"/reset-factors", nil),
		operator.Post("/api/operator/users/"+member+"/reset-factors", nil),
		owner.Post("/api/members/"+member+"/password-reset", nil),
		operator.Post("/api/operator/users/"+member+"/password-reset", nil),
		operator.Patch("/api/operator/users/"+member, map[string]any{"password": consoletest.NewPassword}),
		operator.Get("/api/operator/users/" + member + "/sessions"),
		operator.Do(http.MethodDelete, "/api/operator/users/"+member+"/sessions", nil),
	} {
		r.Refused(t, http.StatusForbidden, "")
	}
}

func TestAccessKey_FollowsRoleAndStatusOfItsUser(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	admin, member := s.WithKey(s.Acme.Admin), s.WithKey(s.Acme.Member)
	operator := s.As(s.Operator)
	admin.Get("/api/members").Want(t, http.StatusOK)
	member.Get("/api/members").Refused(t, http.StatusForbidden, "")
	operator.Patch("/api/operator/users/"+s.Acme.Admin.ID.String(), map[string]any{"role": "member"}).
		Want(t, http.StatusOK)
	admin.Get("/api/members").Refused(t, http.StatusForbidden, "")
	operator.Patch("/api/operator/users/"+s.Acme.Admin.ID.String(), map[string]any{"status": "disabled"}).
		Want(t, http.StatusOK)
	admin.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	operator.Patch("/api/operator/tenants/"+s.Acme.ID.String(), map[string]any{"status": "disabled"}).
		Want(t, http.StatusOK)
	member.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestAccessKeys_AreVisibleToOwnTenantOnly(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	path := "/api/access-keys/" + s.Acme.Key.ID.String()
	for _, row := range []struct {
		who  tenant.User
		sees bool
	}{{s.Acme.Member, true}, {s.Acme.Admin, true}, {s.Acme.Owner, true}, {s.Operator, true}, {s.Globex.Owner, false},
		{s.Globex.Member, false}} {
		list := s.As(row.who).Get("/api/access-keys")
		list.Want(t, http.StatusOK)
		if strings.Contains(list.Raw, s.Acme.Key.ID.String()) != row.sees {
			t.Errorf("%s: got list %s, want the key in it = %v", row.who.Email, list.Raw, row.sees)
		}
	}
	s.As(s.Globex.Owner).Do(http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "")
	s.As(s.Acme.Admin).Do(http.MethodDelete, path, nil).Want(t, http.StatusNoContent)
	(&consoletest.Client{Stack: s, Key: s.Acme.KeyValue}).Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

// If a request has a bearer token, the cookie is ignored, even if the token is not valid.
func TestBearer_IsUsedInsteadOfTheCookie(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	both := s.As(s.Acme.Owner)
	both.Key = s.Acme.KeyValue
	consoletest.Equal(t, both.Get("/api/session").Want(t, http.StatusOK), "member@acme.example", "user", "email")
	for _, bad := range []string{"x", "tgk-x", token.NewAccessKey(s.Acme.Key.ID), s.Acme.KeyValue[:len(s.Acme.KeyValue)-
		1], token.New(s.Acme.Token.ID)} {
		both.Key = bad
		both.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	}
}

func TestAccessKey_WithoutCookieMayComeFromAnyOrigin(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	call := func(c *consoletest.Client) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/tokens",
			strings.NewReader(`{"name":"a"}`))
		s.Must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", "https://elsewhere.example")
		return c.Send(request).StatusCode
	}
	if got := call(&consoletest.Client{Stack: s, Key: s.Acme.KeyValue}); got != http.StatusCreated {
		t.Errorf("with a key only: got status %d, want 201", got)
	}
	both := s.As(s.Acme.Member)
	both.Key = s.Acme.KeyValue
	if got := call(both); got != http.StatusForbidden {
		t.Errorf("with a key and a cookie: got status %d, want 403", got)
	}
}
