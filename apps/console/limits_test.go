package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestRateLimits_AreSetAndChangedForTokensUsersGroupsAndModels(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, owner, me := s.as(s.operator), s.as(s.acme.owner), s.as(s.acme.member)
	for _, row := range []struct {
		who          *client
		create, edit string
		body         map[string]any
	}{
		{me, "/api/tokens", "/api/tokens/", map[string]any{"name": "x"}},
		{owner, "/api/members", "/api/members/", map[string]any{"email": "a@acme.example", "password": password}},
		{operator, "/api/operator/users", "/api/operator/users/", map[string]any{
			"email": "b@acme.example", "password": password, "role": "member", "tenant_id": s.acme.ID,
			"group_id": s.group.ID,
		}},
		{operator, "/api/operator/groups", "/api/operator/groups/",
			map[string]any{"name": "x", "models": []string{"*"}}},
		{operator, "/api/operator/models", "/api/operator/models/",
			map[string]any{"id": "x", "owned_by": "x", "free": true}},
	} {
		row.body["limits"] = map[string]any{"requests_per_minute": -1}
		row.who.post(row.create, row.body).refused(t, http.StatusBadRequest, "limits.requests_per_minute")
		row.body["limits"] = map[string]any{"requests_per_hour": 1}
		row.who.post(row.create, row.body).refused(t, http.StatusBadRequest, "limits.requests_per_hour")
		row.body["limits"] = map[string]any{"requests_per_minute": 60, "concurrency": 5}
		created := row.who.post(row.create, row.body).want(t, http.StatusCreated)
		equal(t, created, 60.0, "limits", "requests_per_minute")
		equal(t, created, 0.0, "limits", "tokens_per_minute")
		equal(t, created, 5.0, "limits", "concurrency")
		path := row.edit + text(t, created, "id")
		edited := row.who.patch(path, `{"limits":{"requests_per_minute":0,"tokens_per_minute":100000}}`).
			want(t, http.StatusOK)
		equal(t, edited, 0.0, "limits", "requests_per_minute")
		equal(t, edited, 100000.0, "limits", "tokens_per_minute")
		equal(t, edited, 5.0, "limits", "concurrency")
		same := row.who.patch(path, `{}`).want(t, http.StatusOK)
		equal(t, same, 100000.0, "limits", "tokens_per_minute")
		for _, wrong := range []struct{ body, param string }{
			{`{"limits":{"concurrency":-1}}`, "limits.concurrency"},
			{`{"limits":{"concurrency":1000000001}}`, "limits.concurrency"},
			{`{"limits":{"tokens_per_minute":"1"}}`, "limits.tokens_per_minute"},
			{`{"limits":{"tokens_per_minute":1.5}}`, "limits.tokens_per_minute"},
			{`{"limits":{"hour":1}}`, "limits.hour"}, {`{"limits":null}`, "limits"},
		} {
			row.who.patch(path, wrong.body).refused(t, http.StatusBadRequest, wrong.param)
		}
		listed := false
		for _, item := range items(t, row.who.get(row.create).want(t, http.StatusOK)) {
			if at(t, item, "id") == created["id"] {
				listed = true
				equal(t, item, 100000.0, "limits", "tokens_per_minute")
			}
		}
		if !listed {
			t.Errorf("%s does not list the created resource", row.create)
		}
		cleared := row.who.patch(path, `{"limits":{"concurrency":null}}`).want(t, http.StatusOK)
		equal(t, cleared, 0.0, "limits", "concurrency")
	}
}

func TestRotateToken_KeepsRateLimits(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	created := me.post("/api/tokens", map[string]any{"name": "x", "limits": map[string]any{"concurrency": 3}}).
		want(t, http.StatusCreated)
	rotated := me.post("/api/tokens/"+text(t, created, "id")+"/rotate", nil).want(t, http.StatusCreated)
	equal(t, rotated, 3.0, "limits", "concurrency")
}

// Members may set the rate limits of their own tokens only.
func TestRateLimits_FollowTheRoleOfTheCaller(t *testing.T) {
	t.Parallel()
	s := setup(t)
	body := `{"limits":{"concurrency":1}}`
	own, member, group := "/api/tokens/"+s.acme.token.ID.String(), "/api/members/"+s.acme.member.ID.String(),
		"/api/operator/groups/"+s.group.ID.String()
	for _, row := range []struct {
		name   string
		who    *client
		path   string
		status int
	}{
		{"member, own token", s.as(s.acme.member), own, http.StatusOK},
		{"admin, token of a member", s.as(s.acme.admin), own, http.StatusOK},
		{"owner of another tenant, token", s.as(s.globex.owner), own, http.StatusNotFound},
		{"member, themself", s.as(s.acme.member), member, http.StatusForbidden},
		{"admin, member", s.as(s.acme.admin), member, http.StatusOK},
		{"admin of another tenant, member", s.as(s.globex.admin), member, http.StatusNotFound},
		{"owner, group", s.as(s.acme.owner), group, http.StatusForbidden},
		{"owner, model", s.as(s.acme.owner), "/api/operator/models/gpt-4o-mini", http.StatusForbidden},
		{"operator, group", s.as(s.operator), group, http.StatusOK},
		{"operator, model", s.as(s.operator), "/api/operator/models/gpt-4o-mini", http.StatusOK},
	} {
		if r := row.who.patch(row.path, body); r.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", row.name, r.StatusCode, row.status, r.raw)
		}
	}
}

// A member must not undo what an admin has set on the member's token, in any way that the API has.
func TestMember_CannotUndoWhatAnAdminSet(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		admin, me := s.as(s.acme.admin), s.as(s.acme.member)
		path := "/api/tokens/" + text(s.T, me.post("/api/tokens", `{"name":"mine"}`).want(s.T, http.StatusCreated),
			"id")
		restricted := map[string]any{"status": "disabled", "quota": "1", "caps": map[string]any{"day": "0.5"},
			"limits": map[string]any{"concurrency": 2},
			"models": []string{"gpt-4o*"}, "addresses": []string{"192.0.2.0/24"},
			"expires_at": s.now().Add(24 * time.Hour)}
		me.patch(path, restricted).want(s.T, http.StatusOK)
		// Their own, so far.
		me.patch(path,
			`{"status":"enabled","quota":null,"caps":{"day":null},"limits":{"concurrency":0},"models":[],"addresses":[],"expires_at":null}`).want(s.T, http.StatusOK)

		set := admin.patch(path, restricted).want(s.T, http.StatusOK)
		if held := fmt.Sprint(set["held"]); held !=
			"[addresses caps.day expires_at limits.concurrency models quota status]" {
			s.Errorf("held = %s", held)
		}
		for _, undo := range []string{
			`{"status":"enabled"}`, `{"quota":null}`, `{"quota":"9"}`, `{"caps":{"day":null}}`, `{"caps":{"day":"9"}}`,
			`{"limits":{"concurrency":0}}`,
			`{"models":[]}`, `{"models":["*"]}`, `{"addresses":[]}`, `{"addresses":["0.0.0.0/0","::/0"]}`,
			`{"expires_at":null}`,
		} {
			if r := me.patch(path, undo); r.StatusCode != http.StatusForbidden {
				s.Errorf("%s: got status %d, want 403: %s", undo, r.StatusCode, r.raw)
			}
		}
		me.post(path+"/rotate", nil).refused(s.T, http.StatusForbidden, "")
		if after := me.get(path).want(s.T, http.StatusOK); fmt.Sprint(after) != fmt.Sprint(admin.get(path).body) ||
			after["status"] != "disabled" {
			s.Errorf("the token changed: %v", after)
		}
		me.patch(path, `{"name":"mine","limits":{"requests_per_minute":5},"caps":{"week":"9"}}`).
			want(s.T, http.StatusOK)

		// The restrictions survive a rotation, and the admin takes them back.
		admin.patch(path, `{"status":"enabled"}`).want(s.T, http.StatusOK)
		next := "/api/tokens/" + text(s.T, me.post(path+"/rotate", nil).want(s.T, http.StatusCreated), "id")
		me.patch(next, `{"caps":{"day":null}}`).refused(s.T, http.StatusForbidden, "caps.day")
		admin.patch(next, `{"caps":{"day":null}}`).want(s.T, http.StatusOK)
		me.patch(next, `{"caps":{"day":"3"}}`).want(s.T, http.StatusOK)
		me.patch(next, `{"quota":null}`).refused(s.T, http.StatusForbidden, "quota")
		me.patch(next, `{"models":[]}`).refused(s.T, http.StatusForbidden, "models")
		admin.patch(next, `{"models":["*"],"addresses":[],"expires_at":null}`).want(s.T, http.StatusOK)
		me.patch(next, `{"models":[],"addresses":["192.0.2.1"]}`).want(s.T, http.StatusOK)
		me.post(next+"/revoke", nil).want(s.T, http.StatusOK)

		// A token that an admin creates with a cap keeps it too.
		made := admin.post("/api/tokens", map[string]any{"name": "capped", "user_id": s.acme.member.ID, "quota": "2"}).
			want(s.T, http.StatusCreated)
		me.patch("/api/tokens/"+text(s.T, made, "id"), `{"quota":"20"}`).refused(s.T, http.StatusForbidden, "quota")

		// An admin who rotates the token of a member restricts nothing.
		free := me.post("/api/tokens", `{"name":"free","models":["gpt-4o*"]}`).want(s.T, http.StatusCreated)
		rotated := admin.post("/api/tokens/"+text(s.T, free, "id")+"/rotate", nil).want(s.T, http.StatusCreated)
		me.patch("/api/tokens/"+text(s.T, rotated, "id"), `{"models":[]}`).want(s.T, http.StatusOK)
	})
}
