package console_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// withKey returns a client with a new access key of the user that may write.
func (s *stack) withKey(u tenant.User) *client {
	s.Helper()
	_, value := s.accessKey(u)
	return &client{stack: s, key: value}
}

func newKey(access string, expires time.Duration) map[string]any {
	return map[string]any{"name": "ci", "access": access, "expires_at": time.Now().Add(expires)}
}

func TestAccessKey_WorksUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.owner)
	created := me.post("/api/access-keys", newKey("write", time.Hour)).want(t, http.StatusCreated)
	value := text(t, created, "value")
	program := &client{stack: s, key: value}
	equal(t, program.get("/api/session").want(t, http.StatusOK), "owner@acme.example", "user", "email")
	program.post("/api/tokens", map[string]any{"name": "created by a program"}).want(t, http.StatusCreated)

	list := me.get("/api/access-keys?user_id=" + s.acme.owner.ID.String())
	shown := list.want(t, http.StatusOK)
	equal(t, shown, value[:10]+"…"+value[len(value)-4:], "items", 0, "mask")
	if at(t, shown, "items", 0, "last_used") == nil || strings.Contains(list.raw, value) {
		t.Errorf("got list %s, want last_used and not the value", list.raw)
	}
	entries := s.as(s.operator).get("/api/operator/audit-log").want(t, http.StatusOK)
	equal(t, entries, "owner@acme.example ("+text(t, created, "mask")+")", "items", 1, "actor")

	me.do(http.MethodDelete, "/api/access-keys/"+text(t, created, "id"), nil).want(t, http.StatusNoContent)
	program.get("/api/session").refused(t, http.StatusUnauthorized, "")
}

func TestCreateAccessKey_ChecksAccessAndExpiry(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	me.post("/api/access-keys", newKey("read", 400*24*time.Hour)).want(t, http.StatusCreated)
	me.post("/api/access-keys", newKey("read", 401*24*time.Hour)).refused(t, http.StatusBadRequest, "expires_at")
	me.post("/api/access-keys", newKey("read", -time.Minute)).refused(t, http.StatusBadRequest, "expires_at")
	me.post("/api/access-keys", newKey("all", time.Hour)).refused(t, http.StatusBadRequest, "access")
	me.post("/api/access-keys", map[string]any{"name": "ci", "access": "read"}).
		refused(t, http.StatusBadRequest, "expires_at")
}

func TestCreateAccessKey_ShowsWhatItsMakerChose(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	body := map[string]any{
		"name": "billing", "scopes": []string{"usage:read", "billing:write"}, "grant_limit": "250.5",
		"addresses": []string{"203.0.113.7", "10.1.2.3/8"}, "expires_at": inAnHour,
	}
	operator.post("/api/access-keys", body).want(t, http.StatusCreated)
	key := at(t, operator.get("/api/access-keys?user_id="+s.operator.ID.String()).want(t, http.StatusOK), "items", 0)
	equal(t, key, "usage:read", "scopes", 0)
	equal(t, key, "billing:write", "scopes", 1)
	equal(t, key, "250.5", "grant_limit")
	equal(t, key, "203.0.113.7", "addresses", 0)
	equal(t, key, "10.0.0.0/8", "addresses", 1)
	equal(t, key, "write", "access")

	for field, change := range map[string]map[string]any{
		"scopes":       {"scopes": []string{}},
		"scopes[0]":    {"scopes": []string{"members:write"}},
		"access":       {"access": "read"},
		"grant_limit":  {"grant_limit": "0"},
		"addresses[0]": {"addresses": []string{"example.com"}},
	} {
		wrong := maps.Clone(body)
		maps.Copy(wrong, change)
		operator.post("/api/access-keys", wrong).refused(t, http.StatusBadRequest, field)
	}
	for _, who := range []tenant.User{s.acme.owner, s.acme.member} {
		s.as(who).post("/api/access-keys", body).refused(t, http.StatusForbidden, "scopes")
	}
}

// A stolen access key must not be enough to take over the user: it cannot set passwords,
// create access keys, or manage sessions, second factors, passkeys and linked accounts.
func TestAccessKey_IsRefusedWhereASessionIsNeeded(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner, operator := s.withKey(s.acme.owner), s.withKey(s.operator)
	member := s.acme.member.ID.String()
	for _, r := range []reply{
		owner.post("/api/session/password", map[string]any{"old_password": password, "new_password": newPassword}),
		owner.do(http.MethodDelete, "/api/session", nil),
		owner.get("/api/sessions"),
		owner.do(http.MethodDelete, "/api/sessions", nil),
		owner.do(http.MethodDelete, "/api/sessions/"+s.sessionOf(s.acme.owner).String(), nil),
		owner.post("/api/access-keys", newKey("write", time.Hour)),
		owner.post("/api/session/totp", map[string]any{"password": password}),
		owner.post("/api/session/totp/confirm", map[string]any{"code": "123456"}),
		owner.post("/api/session/totp/disable", map[string]any{"password": password, "code": "123456"}),
		owner.post("/api/session/recovery-codes", map[string]any{"password": password, "code": "123456"}),
		owner.post("/api/session/passkeys/begin", map[string]any{"password": password}),
		owner.post("/api/session/passkeys", map[string]any{"name": "mine", "credential": map[string]any{"id": "x"}}),
		s.withKey(s.acme.member).patch("/api/session/passkeys/"+s.acme.passkey.ID.String(),
			map[string]any{"name": "mine"}),
		s.withKey(s.acme.member).do(http.MethodDelete, "/api/session/passkeys/"+s.acme.passkey.ID.String(), nil),
		s.withKey(s.acme.member).do(http.MethodDelete, "/api/session/identities/"+s.acme.identity.ID.String(), nil),
		owner.post("/api/members/"+member+"/reset-factors", nil),
		operator.post("/api/operator/users/"+member+"/reset-factors", nil),
		owner.post("/api/members/"+member+"/password-reset", nil),
		operator.post("/api/operator/users/"+member+"/password-reset", nil),
		operator.patch("/api/operator/users/"+member, map[string]any{"password": newPassword}),
		operator.get("/api/operator/users/" + member + "/sessions"),
		operator.do(http.MethodDelete, "/api/operator/users/"+member+"/sessions", nil),
	} {
		r.refused(t, http.StatusForbidden, "")
	}
}

func TestAccessKey_FollowsRoleAndStatusOfItsUser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	admin, member := s.withKey(s.acme.admin), s.withKey(s.acme.member)
	operator := s.as(s.operator)
	admin.get("/api/members").want(t, http.StatusOK)
	member.get("/api/members").refused(t, http.StatusForbidden, "")
	operator.patch("/api/operator/users/"+s.acme.admin.ID.String(), map[string]any{"role": "member"}).
		want(t, http.StatusOK)
	admin.get("/api/members").refused(t, http.StatusForbidden, "")
	operator.patch("/api/operator/users/"+s.acme.admin.ID.String(), map[string]any{"status": "disabled"}).
		want(t, http.StatusOK)
	admin.get("/api/session").refused(t, http.StatusUnauthorized, "")
	operator.patch("/api/operator/tenants/"+s.acme.ID.String(), map[string]any{"status": "disabled"}).
		want(t, http.StatusOK)
	member.get("/api/session").refused(t, http.StatusUnauthorized, "")
}

func TestAccessKeys_AreVisibleToOwnTenantOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	path := "/api/access-keys/" + s.acme.key.ID.String()
	for _, row := range []struct {
		who  tenant.User
		sees bool
	}{{s.acme.member, true}, {s.acme.admin, true}, {s.acme.owner, true}, {s.operator, true}, {s.globex.owner, false},
		{s.globex.member, false}} {
		list := s.as(row.who).get("/api/access-keys")
		list.want(t, http.StatusOK)
		if strings.Contains(list.raw, s.acme.key.ID.String()) != row.sees {
			t.Errorf("%s: got list %s, want the key in it = %v", row.who.Email, list.raw, row.sees)
		}
	}
	s.as(s.globex.owner).do(http.MethodDelete, path, nil).refused(t, http.StatusNotFound, "")
	s.as(s.acme.admin).do(http.MethodDelete, path, nil).want(t, http.StatusNoContent)
	(&client{stack: s, key: s.acme.keyValue}).get("/api/session").refused(t, http.StatusUnauthorized, "")
}

// If a request has a bearer token, the cookie is ignored, even if the token is not valid.
func TestBearer_IsUsedInsteadOfTheCookie(t *testing.T) {
	t.Parallel()
	s := setup(t)
	both := s.as(s.acme.owner)
	both.key = s.acme.keyValue
	equal(t, both.get("/api/session").want(t, http.StatusOK), "member@acme.example", "user", "email")
	for _, bad := range []string{"x", "tgk-x", token.NewAccessKey(s.acme.key.ID), s.acme.keyValue[:len(s.acme.keyValue)-
		1], token.New(s.acme.token.ID)} {
		both.key = bad
		both.get("/api/session").refused(t, http.StatusUnauthorized, "")
	}
}

func TestAccessKey_WithoutCookieMayComeFromAnyOrigin(t *testing.T) {
	t.Parallel()
	s := setup(t)
	call := func(c *client) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/tokens",
			strings.NewReader(`{"name":"a"}`))
		s.must(err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", "https://elsewhere.example")
		return c.send(request).StatusCode
	}
	if got := call(&client{stack: s, key: s.acme.keyValue}); got != http.StatusCreated {
		t.Errorf("with a key only: got status %d, want 201", got)
	}
	both := s.as(s.acme.member)
	both.key = s.acme.keyValue
	if got := call(both); got != http.StatusForbidden {
		t.Errorf("with a key and a cookie: got status %d, want 403", got)
	}
}
