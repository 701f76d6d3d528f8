package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
)

func TestCreateToken_ShowsTheValueOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	created := me.post("/api/tokens", map[string]any{
		"name": "laptop", "models": []string{"gpt-4o*"}, "addresses": []string{"203.0.113.7", "10.1.2.3/8"},
		"quota": "1.50", "expires_at": "2099-01-01T00:00:00Z",
	}).want(t, http.StatusCreated)
	equal(t, created, "laptop", "name")
	equal(t, created, "enabled", "status")
	equal(t, created, s.acme.member.ID.String(), "user_id")
	equal(t, created, s.acme.ID.String(), "tenant_id")
	equal(t, created, "gpt-4o*", "models", 0)
	equal(t, created, "203.0.113.7", "addresses", 0)
	equal(t, created, "10.0.0.0/8", "addresses", 1)
	equal(t, created, "1.5", "quota", "granted")
	equal(t, created, "0", "quota", "used")
	equal(t, created, "1.5", "quota", "left")
	equal(t, created, "2099-01-01T00:00:00Z", "expires_at")
	equal(t, created, nil, "last_used")

	value := text(t, created, "value")
	if err := token.Check(value); err != nil || !strings.HasPrefix(value, token.Prefix) {
		t.Errorf("got value %q (%v), want a valid token with its prefix", value, err)
	}
	caller, err := s.store.Token.Caller(t.Context(), system, token.HashOf(seal.New(s.secret).Pepper(), value))
	s.must(err)
	if caller.Token.ID.String() != created["id"] || caller.Limits[len(caller.Limits)-1].Kind != quota.TokenCap {
		t.Errorf("got the caller %+v, want the created token with its quota", caller)
	}
	secret := value[len(token.Prefix)+10:]
	for _, path := range []string{"/api/tokens", "/api/tokens/" + text(t, created, "id"),
		"/api/tokens?include_revoked=true"} {
		if r := me.get(path); strings.Contains(r.raw, secret) || r.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200 without the value", path, r.StatusCode, r.raw)
		}
	}
	if r := s.as(s.operator).get("/api/operator/audit-log"); strings.Contains(r.raw, secret) {
		t.Error("the audit log shows the value")
	}
}

func TestTokens_ShowTheTimeOfTheLatestCall(t *testing.T) {
	t.Parallel()
	s := setup(t)
	log := s.call(&s.acme, usage.Usage{Input: 10, Output: 10})
	if _, err := s.store.Rollup.DrainOutbox(t.Context(), system, 0); err != nil {
		t.Fatal(err)
	}
	me, want := s.as(s.acme.member), log.CreatedAt.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	equal(t, me.get("/api/tokens/"+s.acme.token.ID.String()).want(t, http.StatusOK), want, "last_used")
	equal(t, me.get("/api/tokens").want(t, http.StatusOK), want, "items", 0, "last_used")
}

func TestCreateToken_RefusesWrongFields(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
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
			me.post("/api/tokens", row.body).refused(t, row.status, row.param)
		})
	}
	big := me.post("/api/tokens", `{"name":"`+strings.Repeat("x", 1<<20)+`"}`)
	big.refused(t, http.StatusRequestEntityTooLarge, "")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/tokens",
		strings.NewReader("name=a"))
	s.must(err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	me.send(request).refused(t, http.StatusUnsupportedMediaType, "")
	if listed := items(t, me.get("/api/tokens").want(t, 200)); len(listed) != 1 {
		t.Errorf("got %d tokens, want 1", len(listed))
	}
}

func TestCreateToken_FollowsTheRoleOfTheCaller(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, row := range []struct {
		name    string
		who     *client
		user    uuid.UUID
		allowed bool
	}{
		{"member for themself", s.as(s.acme.member), s.acme.member.ID, true},
		{"member for another user", s.as(s.acme.member), s.acme.owner.ID, false},
		{"admin for a member", s.as(s.acme.admin), s.acme.member.ID, true},
		{"admin for a member of another tenant", s.as(s.globex.admin), s.acme.member.ID, false},
		{"operator for a member", s.as(s.operator), s.acme.member.ID, true},
		{"unknown user", s.as(s.acme.admin), uuid.Must(uuid.NewV7()), false},
	} {
		r := row.who.post("/api/tokens", map[string]any{"name": "x", "user_id": row.user})
		denied := r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
		if row.allowed != (r.StatusCode == http.StatusCreated) || !row.allowed && !denied {
			t.Errorf("%s: got status %d: %s", row.name, r.StatusCode, r.raw)
		}
	}
	s.as(s.operator).post("/api/tokens", map[string]any{"name": "x"}).refused(t, http.StatusBadRequest, "user_id")
}

func TestUpdateToken_ChangesOnlyTheFieldsThatAreSent(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me, path := s.as(s.acme.member), "/api/tokens/"+s.acme.token.ID.String()
	edited := me.patch(path, map[string]any{
		"name": "new name", "quota": "2", "expires_at": "2099-01-01T00:00:00Z", "models": []string{"gpt-4o-mini"},
		"addresses": []string{"10.0.0.1"},
	}).want(t, http.StatusOK)
	equal(t, edited, "new name", "name")
	equal(t, edited, "2", "quota", "granted")
	equal(t, edited, "0.000000893", "quota", "used")
	equal(t, edited, "10.0.0.1", "addresses", 0)

	same := me.patch(path, map[string]any{}).want(t, http.StatusOK)
	equal(t, same, "new name", "name")
	equal(t, same, "2", "quota", "granted")
	equal(t, same, "2099-01-01T00:00:00Z", "expires_at")

	cleared := me.patch(path, `{"quota":null,"expires_at":null,"models":[],"addresses":[]}`).want(t, http.StatusOK)
	equal(t, cleared, nil, "quota", "granted")
	equal(t, cleared, nil, "quota", "left")
	equal(t, cleared, nil, "expires_at")
	if len(as[[]any](t, cleared["models"]))+len(as[[]any](t, cleared["addresses"])) > 0 {
		t.Errorf("got models or addresses in %v, want none", cleared)
	}
	equal(t, me.patch(path, map[string]any{"status": "disabled"}).want(t, http.StatusOK), "disabled", "status")
	equal(t, me.patch(path, map[string]any{"status": "enabled"}).want(t, http.StatusOK), "enabled", "status")

	for _, row := range []struct{ body, param string }{
		{`{"name":null}`, "name"}, {`{"models":null}`, "models"}, {`{"status":null}`, "status"},
		{`{"status":"revoked"}`, "status"},
		{`{"quota":"-1"}`, "quota"}, {`{"addresses":["x"]}`, "addresses[0]"}, {`{"models":[""]}`, "models"},
		{`{"value":"x"}`, "value"},
	} {
		me.patch(path, row.body).refused(t, http.StatusBadRequest, row.param)
	}
	equal(t, me.get(path).want(t, http.StatusOK), "new name", "name")
}

func TestRevokeToken_IsFinal(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me, path := s.as(s.acme.member), "/api/tokens/"+s.acme.token.ID.String()
	equal(t, me.post(path+"/revoke", nil).want(t, http.StatusOK), "revoked", "status")
	if r := me.patch(path, map[string]any{"status": "enabled"}); r.StatusCode != http.StatusConflict {
		t.Errorf("enabling a revoked token: got status %d, want 409", r.StatusCode)
	}
	me.post(path+"/rotate", nil).refused(t, http.StatusConflict, "")
	if listed := items(t, me.get("/api/tokens").want(t, 200)); len(listed) != 0 {
		t.Errorf("got revoked tokens %v, want none", listed)
	}
	equal(t, me.get("/api/tokens?include_revoked=true").want(t, 200), s.acme.token.ID.String(), "items", 0, "id")
}

func TestRotateToken_KeepsTheRemainingQuota(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me, path := s.as(s.acme.member), "/api/tokens/"+s.acme.token.ID.String()
	rotated := me.post(path+"/rotate", nil).want(t, http.StatusCreated)
	equal(t, rotated, s.acme.token.Name, "name")
	equal(t, rotated, "0.999999107", "quota", "granted")
	if rotated["id"] == s.acme.token.ID.String() || rotated["value"] == nil {
		t.Errorf("got %v, want a new id and a value", rotated)
	}
	equal(t, me.get(path).want(t, http.StatusOK), "revoked", "status")
}

// Each rotation gives the successor what is left of the budget. Two consoles rotate a token at the same time.
func TestRotateToken_SucceedsOnceInARace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		other := &stack{T: s.T, store: s.store, database: s.database, secret: s.secret, config: s.config, cost: s.cost}
		other.serve()
		me := s.as(s.acme.member)
		consoles := []*client{me, {stack: other, cookie: me.cookie}}
		for range 4 {
			path := "/api/tokens/" + text(s, me.post("/api/tokens", map[string]any{"name": "x", "quota": "0.05"}).
				want(s, http.StatusCreated), "id") + "/rotate"
			statuses := make(chan int)
			for i := range 16 {
				go func() { statuses <- consoles[i%2].post(path, nil).StatusCode }()
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
	s := setup(t)
	me := s.as(s.acme.member)
	want := map[string]bool{s.acme.token.ID.String(): true}
	for range 4 {
		want[text(t, me.post("/api/tokens", map[string]any{"name": "x"}).want(t, http.StatusCreated), "id")] = true
	}
	next, pages := "", 0
	for {
		page := me.get("/api/tokens?limit=2&after="+next).want(t, http.StatusOK)
		for _, item := range items(t, page) {
			id := text(t, item, "id")
			if !want[id] {
				t.Errorf("got %s twice, or from another user", id)
			}
			delete(want, id)
		}
		pages++
		if next = text(t, page, "next"); next == "" {
			break
		}
	}
	if pages != 3 || len(want) != 0 {
		t.Errorf("got %d pages without the tokens %v, want 3 pages with all", pages, want)
	}
	for _, query := range []string{"limit=0", "limit=201", "limit=x", "after=%00", "nothing=1", "user_id=x",
		"include_revoked=maybe", "sort=hash", "order=up"} {
		r := me.get("/api/tokens?" + query)
		param, _, _ := strings.Cut(query, "=")
		r.refused(t, http.StatusBadRequest, param)
	}
	me.get("/api/tokens/not-an-id").refused(t, http.StatusBadRequest, "id")
}

func TestLists_AreInTheOrderThatTheCallerAsksFor(t *testing.T) {
	t.Parallel()
	s := setup(t)
	member, owner, operator := s.as(s.acme.member), s.as(s.acme.owner), s.as(s.operator)
	for _, name := range []string{"bbb", "aaa", "ccc"} {
		member.post("/api/tokens", map[string]any{"name": name}).want(t, http.StatusCreated)
	}
	ids := func(as *client, path string) (all []string) {
		for _, item := range items(t, as.get(path).want(t, http.StatusOK)) {
			all = append(all, text(t, item, "id"))
		}
		return all
	}
	for path, as := range map[string]*client{
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
	first := member.get("/api/tokens?sort=name&limit=1").want(t, http.StatusOK)
	equal(t, first, "aaa", "items", 0, "name")
	next := text(t, first, "next")
	equal(t, member.get("/api/tokens?sort=name&order=asc&limit=1&after="+next).want(t, http.StatusOK), "bbb",
		"items", 0, "name")
	for _, query := range []string{"", "sort=name&order=desc&", "sort=created_at&", "sort=last_used&", "order=asc&"} {
		member.get("/api/tokens?"+query+"after="+next).refused(t, http.StatusBadRequest, "after")
	}
	owner.get("/api/members?after="+next).refused(t, http.StatusBadRequest, "after")
	owner.get("/api/audit-log?sort=created_at&order=asc").want(t, http.StatusOK)
	operator.get("/api/operator/audit-log?sort=created_at&order=asc").want(t, http.StatusOK)
	owner.get("/api/usage-logs?sort=quota").refused(t, http.StatusBadRequest, "sort")
}

func TestSearch_FindsTokensMembersUsersAndTenants(t *testing.T) {
	t.Parallel()
	s := setup(t)
	admin, operator := s.as(s.acme.admin), s.as(s.operator)
	for path, want := range map[string]string{
		"/api/tokens?search=CI%20of":                     s.acme.token.ID.String(),
		"/api/tokens?search=" + s.acme.token.ID.String(): s.acme.token.ID.String(),
		"/api/tokens?status=enabled":                     s.acme.token.ID.String(),
		"/api/members?search=MEMBER%40":                  s.acme.member.ID.String(),
	} {
		found := admin.get(path).want(t, http.StatusOK)
		if len(items(t, found)) != 1 {
			t.Errorf("%s: got %v, want 1 item", path, found)
			continue
		}
		equal(t, found, want, "items", 0, "id")
	}
	equal(t, admin.get("/api/tokens").want(t, 200), s.acme.member.Email, "items", 0, "user_email")
	equal(t, admin.get("/api/tokens/"+s.acme.token.ID.String()).want(t, 200), s.acme.member.Email, "user_email")
	for path, want := range map[string]int{
		"/api/tokens?search=ci": 2, "/api/operator/users?search=owner": 2, "/api/operator/tenants?search=GLOB": 1,
		"/api/tokens?search=_": 0, "/api/tokens?status=revoked": 0,
	} {
		if found := items(t, operator.get(path).want(t, 200)); len(found) != want {
			t.Errorf("%s: got %d items, want %d", path, len(found), want)
		}
	}
	admin.get("/api/tokens?search="+strings.Repeat("x", 201)).refused(t, http.StatusBadRequest, "search")
	admin.get("/api/tokens?status=lost").refused(t, http.StatusBadRequest, "status")
	operator.get("/api/operator/groups?search=x").refused(t, http.StatusBadRequest, "search")
}
