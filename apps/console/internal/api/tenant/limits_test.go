package tenant_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

func TestRateLimits_AreSetAndChangedForTokensUsersGroupsAndModels(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, owner, me := s.As(s.Operator), s.As(s.Acme.Owner), s.As(s.Acme.Member)
	for _, row := range []struct {
		who          *consoletest.Client
		create, edit string
		body         map[string]any
	}{
		{me, "/api/tokens", "/api/tokens/", map[string]any{"name": "x"}},
		{owner, "/api/members", "/api/members/", map[string]any{"email": "a@acme.example",
			"password": consoletest.Password}},
		{operator, "/api/operator/users", "/api/operator/users/", map[string]any{
			"email": "b@acme.example", "password": consoletest.Password, "role": "member", "tenant_id": s.Acme.ID,
			"group_id": s.Group.ID,
		}},
		{operator, "/api/operator/groups", "/api/operator/groups/",
			map[string]any{"name": "x", "models": []string{"*"}}},
		{operator, "/api/operator/models", "/api/operator/models/",
			map[string]any{"id": "x", "owned_by": "x", "free": true}},
	} {
		row.body["limits"] = map[string]any{"requests_per_minute": -1}
		row.who.Post(row.create, row.body).Refused(t, http.StatusBadRequest, "limits.requests_per_minute")
		row.body["limits"] = map[string]any{"requests_per_hour": 1}
		row.who.Post(row.create, row.body).Refused(t, http.StatusBadRequest, "limits.requests_per_hour")
		row.body["limits"] = map[string]any{"requests_per_minute": 60, "concurrency": 5}
		created := row.who.Post(row.create, row.body).Want(t, http.StatusCreated)
		consoletest.Equal(t, created, 60.0, "limits", "requests_per_minute")
		consoletest.Equal(t, created, 0.0, "limits", "tokens_per_minute")
		consoletest.Equal(t, created, 5.0, "limits", "concurrency")
		path := row.edit + consoletest.Text(t, created, "id")
		edited := row.who.Patch(path, `{"limits":{"requests_per_minute":0,"tokens_per_minute":100000}}`).
			Want(t, http.StatusOK)
		consoletest.Equal(t, edited, 0.0, "limits", "requests_per_minute")
		consoletest.Equal(t, edited, 100000.0, "limits", "tokens_per_minute")
		consoletest.Equal(t, edited, 5.0, "limits", "concurrency")
		same := row.who.Patch(path, `{}`).Want(t, http.StatusOK)
		consoletest.Equal(t, same, 100000.0, "limits", "tokens_per_minute")
		for _, wrong := range []struct{ body, param string }{
			{`{"limits":{"concurrency":-1}}`, "limits.concurrency"},
			{`{"limits":{"concurrency":1000000001}}`, "limits.concurrency"},
			{`{"limits":{"tokens_per_minute":"1"}}`, "limits.tokens_per_minute"},
			{`{"limits":{"tokens_per_minute":1.5}}`, "limits.tokens_per_minute"},
			{`{"limits":{"hour":1}}`, "limits.hour"}, {`{"limits":null}`, "limits"},
		} {
			row.who.Patch(path, wrong.body).Refused(t, http.StatusBadRequest, wrong.param)
		}
		listed := false
		for _, item := range consoletest.Items(t, row.who.Get(row.create).Want(t, http.StatusOK)) {
			if consoletest.At(t, item, "id") == created["id"] {
				listed = true
				consoletest.Equal(t, item, 100000.0, "limits", "tokens_per_minute")
			}
		}
		if !listed {
			t.Errorf("%s does not list the created resource", row.create)
		}
		cleared := row.who.Patch(path, `{"limits":{"concurrency":null}}`).Want(t, http.StatusOK)
		consoletest.Equal(t, cleared, 0.0, "limits", "concurrency")
	}
}

func TestRotateToken_KeepsRateLimits(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	created := me.Post("/api/tokens", map[string]any{"name": "x", "limits": map[string]any{"concurrency": 3}}).
		Want(t, http.StatusCreated)
	rotated := me.Post("/api/tokens/"+consoletest.Text(t, created, "id")+"/rotate", nil).Want(t, http.StatusCreated)
	consoletest.Equal(t, rotated, 3.0, "limits", "concurrency")
}

// Members may set the rate limits of their own tokens only.
func TestRateLimits_FollowTheRoleOfTheCaller(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	body := `{"limits":{"concurrency":1}}`
	own, member, group := "/api/tokens/"+s.Acme.Token.ID.String(), "/api/members/"+s.Acme.Member.ID.String(),
		"/api/operator/groups/"+s.Group.ID.String()
	for _, row := range []struct {
		name   string
		who    *consoletest.Client
		path   string
		status int
	}{
		{"member, own token", s.As(s.Acme.Member), own, http.StatusOK},
		{"admin, token of a member", s.As(s.Acme.Admin), own, http.StatusOK},
		{"owner of another tenant, token", s.As(s.Globex.Owner), own, http.StatusNotFound},
		{"member, themself", s.As(s.Acme.Member), member, http.StatusForbidden},
		{"admin, member", s.As(s.Acme.Admin), member, http.StatusOK},
		{"admin of another tenant, member", s.As(s.Globex.Admin), member, http.StatusNotFound},
		{"owner, group", s.As(s.Acme.Owner), group, http.StatusForbidden},
		{"owner, model", s.As(s.Acme.Owner), "/api/operator/models/gpt-4o-mini", http.StatusForbidden},
		{"operator, group", s.As(s.Operator), group, http.StatusOK},
		{"operator, model", s.As(s.Operator), "/api/operator/models/gpt-4o-mini", http.StatusOK},
	} {
		if r := row.who.Patch(row.path, body); r.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", row.name, r.StatusCode, row.status, r.Raw)
		}
	}
}

// A member must not undo what an admin has set on the member's token, in any way that the API has.
func TestMember_CannotUndoWhatAnAdminSet(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		admin, me := s.As(s.Acme.Admin), s.As(s.Acme.Member)
		path := "/api/tokens/" + consoletest.Text(s.T, me.Post("/api/tokens", `{"name":"mine"}`).
			Want(s.T, http.StatusCreated), "id")
		restricted := map[string]any{"status": "disabled", "quota": "1", "caps": map[string]any{"day": "0.5"},
			"limits": map[string]any{"concurrency": 2},
			"models": []string{"gpt-4o*"}, "addresses": []string{"192.0.2.0/24"},
			"expires_at": s.Now().Add(24 * time.Hour)}
		me.Patch(path, restricted).Want(s.T, http.StatusOK)
		// Their own, so far.
		me.Patch(path,
			`{"status":"enabled","quota":null,"caps":{"day":null},"limits":{"concurrency":0},"models":[],"addresses":[],"expires_at":null}`).Want(s.T, http.StatusOK)

		set := admin.Patch(path, restricted).Want(s.T, http.StatusOK)
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
			if r := me.Patch(path, undo); r.StatusCode != http.StatusForbidden {
				s.Errorf("%s: got status %d, want 403: %s", undo, r.StatusCode, r.Raw)
			}
		}
		me.Post(path+"/rotate", nil).Refused(s.T, http.StatusForbidden, "")
		if after := me.Get(path).Want(s.T, http.StatusOK); fmt.Sprint(after) != fmt.Sprint(admin.Get(path).JSON) ||
			after["status"] != "disabled" {
			s.Errorf("the token changed: %v", after)
		}
		me.Patch(path, `{"name":"mine","limits":{"requests_per_minute":5},"caps":{"week":"9"}}`).
			Want(s.T, http.StatusOK)

		// The restrictions survive a rotation, and the admin takes them back.
		admin.Patch(path, `{"status":"enabled"}`).Want(s.T, http.StatusOK)
		next := "/api/tokens/" + consoletest.Text(s.T, me.Post(path+"/rotate", nil).Want(s.T, http.StatusCreated), "id")
		me.Patch(next, `{"caps":{"day":null}}`).Refused(s.T, http.StatusForbidden, "caps.day")
		admin.Patch(next, `{"caps":{"day":null}}`).Want(s.T, http.StatusOK)
		me.Patch(next, `{"caps":{"day":"3"}}`).Want(s.T, http.StatusOK)
		me.Patch(next, `{"quota":null}`).Refused(s.T, http.StatusForbidden, "quota")
		me.Patch(next, `{"models":[]}`).Refused(s.T, http.StatusForbidden, "models")
		admin.Patch(next, `{"models":["*"],"addresses":[],"expires_at":null}`).Want(s.T, http.StatusOK)
		me.Patch(next, `{"models":[],"addresses":["192.0.2.1"]}`).Want(s.T, http.StatusOK)
		me.Post(next+"/revoke", nil).Want(s.T, http.StatusOK)

		// A token that an admin creates with a cap keeps it too.
		made := admin.Post("/api/tokens", map[string]any{"name": "capped", "user_id": s.Acme.Member.ID, "quota": "2"}).
			Want(s.T, http.StatusCreated)
		me.Patch("/api/tokens/"+consoletest.Text(s.T, made, "id"), `{"quota":"20"}`).
			Refused(s.T, http.StatusForbidden, "quota")

		// An admin who rotates the token of a member restricts nothing.
		free := me.Post("/api/tokens", `{"name":"free","models":["gpt-4o*"]}`).Want(s.T, http.StatusCreated)
		rotated := admin.Post("/api/tokens/"+consoletest.Text(s.T, free, "id")+"/rotate", nil).
			Want(s.T, http.StatusCreated)
		me.Patch("/api/tokens/"+consoletest.Text(s.T, rotated, "id"), `{"models":[]}`).Want(s.T, http.StatusOK)
	})
}
