package tenant_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
)

func TestCreateToken_ShowsTheValueOnce(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	created := me.Post("/api/tokens", map[string]any{
		"name": "laptop", "models": []string{"gpt-4o*"}, "addresses": []string{"203.0.113.7", "10.1.2.3/8"},
		"quota": "1.50", "expires_at": "2099-01-01T00:00:00Z",
	}).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "laptop", "name")
	consoletest.Equal(t, created, "enabled", "status")
	consoletest.Equal(t, created, s.Acme.Member.ID.String(), "user_id")
	consoletest.Equal(t, created, s.Acme.ID.String(), "tenant_id")
	consoletest.Equal(t, created, "gpt-4o*", "models", 0)
	consoletest.Equal(t, created, "203.0.113.7", "addresses", 0)
	consoletest.Equal(t, created, "10.0.0.0/8", "addresses", 1)
	consoletest.Equal(t, created, "1.5", "quota", "granted")
	consoletest.Equal(t, created, "0", "quota", "used")
	consoletest.Equal(t, created, "1.5", "quota", "left")
	consoletest.Equal(t, created, "2099-01-01T00:00:00Z", "expires_at")
	consoletest.Equal(t, created, nil, "last_used")

	value := consoletest.Text(t, created, "value")
	if err := token.Check(value); err != nil || !strings.HasPrefix(value, token.Prefix) {
		t.Errorf("got value %q (%v), want a valid token with its prefix", value, err)
	}
	caller, err := s.Store.Token.Caller(t.Context(), consoletest.System,
		token.HashOf(seal.New(s.Secret).Pepper(), value))
	s.Must(err)
	if caller.Token.ID.String() != created["id"] || caller.Limits[len(caller.Limits)-1].Kind != quota.TokenCap {
		t.Errorf("got the caller %+v, want the created token with its quota", caller)
	}
	secret := value[len(token.Prefix)+10:]
	for _, path := range []string{"/api/tokens", "/api/tokens/" + consoletest.Text(t, created, "id"),
		"/api/tokens?include_revoked=true"} {
		if r := me.Get(path); strings.Contains(r.Raw, secret) || r.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200 without the value", path, r.StatusCode, r.Raw)
		}
	}
	if r := s.As(s.Operator).Get("/api/operator/audit-log"); strings.Contains(r.Raw, secret) {
		t.Error("the audit log shows the value")
	}
}

func TestTokens_ShowTheTimeOfTheLatestCall(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	log := s.Call(&s.Acme, usage.Usage{Input: 10, Output: 10})
	if _, err := s.Store.Rollup.DrainOutbox(t.Context(), consoletest.System, 0); err != nil {
		t.Fatal(err)
	}
	me, want := s.As(s.Acme.Member), log.CreatedAt.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	consoletest.Equal(t, me.Get("/api/tokens/"+s.Acme.Token.ID.String()).Want(t, http.StatusOK), want, "last_used")
	consoletest.Equal(t, me.Get("/api/tokens").Want(t, http.StatusOK), want, "items", 0, "last_used")
}

func TestCreateToken_RefusesWrongFields(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	for _, row := range []struct {
		name   string
		body   any
		status int
		param  string
	}{
		{"no body", "", 400, ""},
		{"broken JSON", `{"name":`, 400, ""},
		{"not an object", `[]`, 400, ""},
		{"no name", `{}`, 400, "name"},
		{"null as name", `{"name":null}`, 400, "name"},
		{"a number as name", `{"name":1}`, 400, "name"},
		{"an empty name", `{"name":""}`, 400, "name"},
		{"a control character", `{"name":"a\u0000b"}`, 400, "name"},
		{"an unknown field", `{"name":"a","colour":"red"}`, 400, "colour"},
		{"field that the client may not set", `{"name":"a","tenant_id":"01900000-0000-7000-8000-000000000000"}`,
			400, "tenant_id"},
		{"quota as number", `{"name":"a","quota":1}`, 400, "quota"},
		{"negative quota", `{"name":"a","quota":"-1"}`, 400, "quota"},
		{"quota with ten decimals", `{"name":"a","quota":"0.0000000001"}`, 400, "quota"},
		{"huge quota", `{"name":"a","quota":"99999999999999999999"}`, 400, "quota"},
		{"quota with an exponent", `{"name":"a","quota":"1e3"}`, 400, "quota"},
		{"malformed expires_at", `{"name":"a","expires_at":"tomorrow"}`, 400, "expires_at"},
		{"expires_at in the past", `{"name":"a","expires_at":"2001-01-01T00:00:00Z"}`, 400, "expires_at"},
		{"bad address", `{"name":"a","addresses":["10.0.0.1","nowhere"]}`, 400, "addresses[1]"},
		{"bad model", `{"name":"a","models":["*a"]}`, 400, "models"},
		{"bad user", `{"name":"a","user_id":"me"}`, 400, "user_id"},
	} {
		t.Run(row.name, func(t *testing.T) {
			me.Post("/api/tokens", row.body).Refused(t, row.status, row.param)
		})
	}
	big := me.Post("/api/tokens", `{"name":"`+strings.Repeat("x", 1<<20)+`"}`)
	big.Refused(t, http.StatusRequestEntityTooLarge, "")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/tokens",
		strings.NewReader("name=a"))
	s.Must(err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	me.Send(request).Refused(t, http.StatusUnsupportedMediaType, "")
	if listed := consoletest.Items(t, me.Get("/api/tokens").Want(t, 200)); len(listed) != 1 {
		t.Errorf("got %d tokens, want 1", len(listed))
	}
}

func TestCreateToken_FollowsTheRoleOfTheCaller(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, row := range []struct {
		name    string
		who     *consoletest.Client
		user    uuid.UUID
		allowed bool
	}{
		{"member for themself", s.As(s.Acme.Member), s.Acme.Member.ID, true},
		{"member for another user", s.As(s.Acme.Member), s.Acme.Owner.ID, false},
		{"admin for a member", s.As(s.Acme.Admin), s.Acme.Member.ID, true},
		{"admin for a member of another tenant", s.As(s.Globex.Admin), s.Acme.Member.ID, false},
		{"operator for a member", s.As(s.Operator), s.Acme.Member.ID, true},
		{"unknown user", s.As(s.Acme.Admin), uuid.Must(uuid.NewV7()), false},
	} {
		r := row.who.Post("/api/tokens", map[string]any{"name": "x", "user_id": row.user})
		denied := r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
		if row.allowed != (r.StatusCode == http.StatusCreated) || !row.allowed && !denied {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.Raw)
		}
	}
	s.As(s.Operator).Post("/api/tokens", map[string]any{"name": "x"}).Refused(t, http.StatusBadRequest, "user_id")
}

func TestUpdateToken_ChangesOnlyTheFieldsThatAreSent(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me, path := s.As(s.Acme.Member), "/api/tokens/"+s.Acme.Token.ID.String()
	edited := me.Patch(path, map[string]any{
		"name": "new name", "quota": "2", "expires_at": "2099-01-01T00:00:00Z", "models": []string{"gpt-4o-mini"},
		"addresses": []string{"10.0.0.1"},
	}).Want(t, http.StatusOK)
	consoletest.Equal(t, edited, "new name", "name")
	consoletest.Equal(t, edited, "2", "quota", "granted")
	consoletest.Equal(t, edited, "0.000000893", "quota", "used")
	consoletest.Equal(t, edited, "10.0.0.1", "addresses", 0)

	same := me.Patch(path, map[string]any{}).Want(t, http.StatusOK)
	consoletest.Equal(t, same, "new name", "name")
	consoletest.Equal(t, same, "2", "quota", "granted")
	consoletest.Equal(t, same, "2099-01-01T00:00:00Z", "expires_at")

	cleared := me.Patch(path, `{"quota":null,"expires_at":null,"models":[],"addresses":[]}`).Want(t, http.StatusOK)
	consoletest.Equal(t, cleared, nil, "quota", "granted")
	consoletest.Equal(t, cleared, nil, "quota", "left")
	consoletest.Equal(t, cleared, nil, "expires_at")
	if len(consoletest.As[[]any](t, cleared["models"]))+len(consoletest.As[[]any](t, cleared["addresses"])) > 0 {
		t.Errorf("got models or addresses in %v, want none", cleared)
	}
	consoletest.Equal(t, me.Patch(path, map[string]any{"status": "disabled"}).Want(t, http.StatusOK), "disabled",
		"status")
	consoletest.Equal(t, me.Patch(path, map[string]any{"status": "enabled"}).Want(t, http.StatusOK), "enabled",
		"status")

	for _, row := range []struct{ body, param string }{
		{`{"name":null}`, "name"}, {`{"models":null}`, "models"}, {`{"status":null}`, "status"},
		{`{"status":"revoked"}`, "status"},
		{`{"quota":"-1"}`, "quota"}, {`{"addresses":["x"]}`, "addresses[0]"}, {`{"models":[""]}`, "models"},
		{`{"value":"x"}`, "value"},
	} {
		me.Patch(path, row.body).Refused(t, http.StatusBadRequest, row.param)
	}
	consoletest.Equal(t, me.Get(path).Want(t, http.StatusOK), "new name", "name")
}

func TestRevokeToken_IsFinal(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me, path := s.As(s.Acme.Member), "/api/tokens/"+s.Acme.Token.ID.String()
	consoletest.Equal(t, me.Post(path+"/revoke", nil).Want(t, http.StatusOK), "revoked", "status")
	if r := me.Patch(path, map[string]any{"status": "enabled"}); r.StatusCode != http.StatusConflict {
		t.Errorf("enabling a revoked token: got status %d, want 409", r.StatusCode)
	}
	me.Post(path+"/rotate", nil).Refused(t, http.StatusConflict, "")
	if listed := consoletest.Items(t, me.Get("/api/tokens").Want(t, 200)); len(listed) != 0 {
		t.Errorf("got revoked tokens %v, want none", listed)
	}
	consoletest.Equal(t, me.Get("/api/tokens?include_revoked=true").Want(t, 200), s.Acme.Token.ID.String(), "items", 0,
		"id")
}

func TestRotateToken_KeepsTheRemainingQuota(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me, path := s.As(s.Acme.Member), "/api/tokens/"+s.Acme.Token.ID.String()
	rotated := me.Post(path+"/rotate", nil).Want(t, http.StatusCreated)
	consoletest.Equal(t, rotated, s.Acme.Token.Name, "name")
	consoletest.Equal(t, rotated, "0.999999107", "quota", "granted")
	if rotated["id"] == s.Acme.Token.ID.String() || rotated["value"] == nil {
		t.Errorf("got %v, want a new id and a value", rotated)
	}
	consoletest.Equal(t, me.Get(path).Want(t, http.StatusOK), "revoked", "status")
}

// Each rotation gives the successor what is left of the budget. Two consoles rotate a token at the same time.
func TestRotateToken_SucceedsOnceInARace(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		other := &consoletest.Stack{T: s.T, Store: s.Store, Database: s.Database, Secret: s.Secret, Config: s.Config,
			Cost: s.Cost}
		other.Serve()
		me := s.As(s.Acme.Member)
		consoles := []*consoletest.Client{me, {Stack: other, Cookie: me.Cookie}}
		for range 4 {
			path := "/api/tokens/" +
				consoletest.Text(s, me.Post("/api/tokens", map[string]any{"name": "x", "quota": "0.05"}).
					Want(s, http.StatusCreated), "id") + "/rotate"
			statuses := make(chan int)
			for i := range 16 {
				go func() { statuses <- consoles[i%2].Post(path, nil).StatusCode }()
			}
			counts := map[int]int{}
			for range 16 {
				counts[<-statuses]++
			}
			if counts[http.StatusCreated] != 1 || counts[http.StatusConflict] != 15 {
				s.Errorf("16 rotations at once: got the statuses %v, want one 201 and 15 times 409", counts)
			}
		}
	})
}

func TestListTokens_ReturnsEachTokenOnOnePage(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	want := map[string]bool{s.Acme.Token.ID.String(): true}
	for range 4 {
		want[consoletest.Text(t, me.Post("/api/tokens", map[string]any{"name": "x"}).Want(t, http.StatusCreated),
			"id")] = true
	}
	next, pages := "", 0
	for {
		page := me.Get("/api/tokens?limit=2&after="+next).Want(t, http.StatusOK)
		for _, item := range consoletest.Items(t, page) {
			id := consoletest.Text(t, item, "id")
			if !want[id] {
				t.Errorf("got %s twice, or from another user", id)
			}
			delete(want, id)
		}
		pages++
		if next = consoletest.Text(t, page, "next"); next == "" {
			break
		}
	}
	if pages != 3 || len(want) != 0 {
		t.Errorf("got %d pages without the tokens %v, want 3 pages with all", pages, want)
	}
	urn := base64.RawURLEncoding.EncodeToString([]byte("urn:uuid:" + uuid.NewString()))
	for _, query := range []string{"limit=0", "limit=201", "limit=x", "after=%00", "after=" + urn, "nothing=1",
		"user_id=x", "include_revoked=maybe", "sort=hash", "order=up"} {
		r := me.Get("/api/tokens?" + query)
		param, _, _ := strings.Cut(query, "=")
		r.Refused(t, http.StatusBadRequest, param)
	}
	me.Get("/api/tokens/not-an-id").Refused(t, http.StatusBadRequest, "id")
}

func TestLists_AreInTheOrderThatTheCallerAsksFor(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	member, owner, operator := s.As(s.Acme.Member), s.As(s.Acme.Owner), s.As(s.Operator)
	for _, name := range []string{"bbb", "aaa", "ccc"} {
		member.Post("/api/tokens", map[string]any{"name": name}).Want(t, http.StatusCreated)
	}
	ids := func(as *consoletest.Client, path string) (all []string) {
		for _, item := range consoletest.Items(t, as.Get(path).Want(t, http.StatusOK)) {
			all = append(all, consoletest.Text(t, item, "id"))
		}
		return all
	}
	for path, as := range map[string]*consoletest.Client{
		"/api/tokens?": member, "/api/tokens?sort=name&": member, "/api/tokens?sort=last_used&": owner,
		"/api/members?": owner, "/api/usage-logs?": owner,
		"/api/operator/tenants?": operator, "/api/operator/tenants?sort=name&": operator,
		"/api/operator/users?": operator,
	} {
		up, down := ids(as, path+"limit=200&order=asc"), ids(as, path+"limit=200&order=desc")
		slices.Reverse(down)
		if len(up) == 0 || !slices.Equal(up, down) {
			t.Errorf("%s: got %v, and downward %v", path, up, down)
		}
	}
	first := member.Get("/api/tokens?sort=name&limit=1").Want(t, http.StatusOK)
	consoletest.Equal(t, first, "aaa", "items", 0, "name")
	next := consoletest.Text(t, first, "next")
	consoletest.Equal(t, member.Get("/api/tokens?sort=name&order=asc&limit=1&after="+next).Want(t, http.StatusOK),
		"bbb", "items", 0, "name")
	for _, query := range []string{"", "sort=name&order=desc&", "sort=created_at&", "sort=last_used&", "order=asc&"} {
		member.Get("/api/tokens?"+query+"after="+next).Refused(t, http.StatusBadRequest, "after")
	}
	owner.Get("/api/members?after="+next).Refused(t, http.StatusBadRequest, "after")
	owner.Get("/api/audit-log?sort=created_at&order=asc").Want(t, http.StatusOK)
	operator.Get("/api/operator/audit-log?sort=created_at&order=asc").Want(t, http.StatusOK)
	owner.Get("/api/usage-logs?sort=quota").Refused(t, http.StatusBadRequest, "sort")
}

func TestSearch_FindsTokensMembersUsersAndTenants(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	admin, operator := s.As(s.Acme.Admin), s.As(s.Operator)
	for path, want := range map[string]string{
		"/api/tokens?search=CI%20of":                     s.Acme.Token.ID.String(),
		"/api/tokens?search=" + s.Acme.Token.ID.String(): s.Acme.Token.ID.String(),
		"/api/tokens?status=enabled":                     s.Acme.Token.ID.String(),
		"/api/members?search=MEMBER%40":                  s.Acme.Member.ID.String(),
	} {
		found := admin.Get(path).Want(t, http.StatusOK)
		if len(consoletest.Items(t, found)) != 1 {
			t.Errorf("%s: got %v, want 1 item", path, found)
			continue
		}
		consoletest.Equal(t, found, want, "items", 0, "id")
	}
	consoletest.Equal(t, admin.Get("/api/tokens").Want(t, 200), s.Acme.Member.Email, "items", 0, "user_email")
	consoletest.Equal(t, admin.Get("/api/tokens/"+s.Acme.Token.ID.String()).Want(t, 200), s.Acme.Member.Email,
		"user_email")
	for path, want := range map[string]int{
		"/api/tokens?search=ci": 2, "/api/operator/users?search=owner": 2, "/api/operator/tenants?search=GLOB": 1,
		"/api/tokens?search=_": 0, "/api/tokens?status=revoked": 0,
	} {
		if found := consoletest.Items(t, operator.Get(path).Want(t, 200)); len(found) != want {
			t.Errorf("%s: got %d items, want %d", path, len(found), want)
		}
	}
	admin.Get("/api/tokens?search="+strings.Repeat("x", 201)).Refused(t, http.StatusBadRequest, "search")
	admin.Get("/api/tokens?status=lost").Refused(t, http.StatusBadRequest, "status")
	operator.Get("/api/operator/groups?search=x").Refused(t, http.StatusBadRequest, "search")
}
