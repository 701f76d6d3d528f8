package console_test

import (
	"maps"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// scopeOf returns the scope that an operation of the document demands of access keys, and whether it accepts them.
func scopeOf(t *testing.T, op map[string]any) (scope string, accepts bool) {
	t.Helper()
	for _, scheme := range as[[]any](t, op["security"]) {
		if scopes, ok := as[map[string]any](t, scheme)["accessKey"]; ok {
			for _, one := range as[[]any](t, scopes) {
				scope = as[string](t, one)
			}
			return scope, true
		}
	}
	return "", false
}

// Each operation of the document is called with a key that has all scopes but the operation's own, and with a key that
// has only the operation's own.
func TestAccessKey_CallsOnlyOperationsOfItsScopes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	withScopes := func(scopes ...token.AccessScope) *client {
		k := token.AccessKey{Scopes: scopes}
		if slices.Contains(scopes, token.WriteBilling) {
			k.GrantLimit = money.USD
		}
		_, value := s.scopedKey(s.operator, k)
		return &client{stack: s, key: value}
	}
	all, only, without := withScopes(token.AccessScopes()...), map[string]*client{}, map[string]*client{}
	for _, scope := range token.AccessScopes() {
		only[string(scope)] = withScopes(scope)
		without[string(scope)] = withScopes(slices.DeleteFunc(token.AccessScopes(), func(one token.AccessScope) bool {
			return one == scope
		})...)
	}
	attacks := map[string]attack{}
	for _, a := range s.attacks(&s.acme) {
		attacks[a.id] = a
	}
	used := map[string]bool{}
	operations(t, func(_, _ string, op map[string]any) {
		a := attacks[text(t, op, "operationId")]
		scope, accepts := scopeOf(t, op)
		switch {
		case a.public:
			return
		case !accepts:
			all.attack(a).refused(t, http.StatusForbidden, "")
		case scope == "": // any key
			only["usage:read"].attack(a)
		default:
			used[scope] = true
			if r := without[scope].attack(a); r.StatusCode != http.StatusForbidden ||
				!strings.Contains(r.raw, "lacks the scope "+scope) {
				t.Errorf("%s without %s: got status %d, want 403 for the scope: %s", a, scope, r.StatusCode, r.raw)
			}
			if r := only[scope].attack(a); strings.Contains(r.raw, "lacks the scope") {
				t.Errorf("%s with %s: got status %d: %s", a, scope, r.StatusCode, r.raw)
			}
		}
	})
	for _, scope := range token.AccessScopes() {
		if !used[string(scope)] {
			t.Errorf("no operation needs the scope %s", scope)
		}
	}
}

// Operations that change nothing but own jobs need a scope for reading; all others need one for writing. None that
// makes or changes people, keys or ways to sign in has a scope.
func TestOperations_DeclareTheScopeOfAccessKeys(t *testing.T) {
	t.Parallel()
	reads := []string{"previewToken", "explainRouting", "createUsageExport", "createPriceSimulation",
		"previewPrices", "cancelJob", "lookUpToken"}
	operations(t, func(path, method string, op map[string]any) {
		id := text(t, op, "operationId")
		scope, accepts := scopeOf(t, op)
		declared, _ := op["x-access-key-scope"].(string)
		switch {
		case accepts != (declared != "") || scope != "" && scope != declared || scope == "" && accepts &&
			declared != "any":
			t.Errorf("%s: got x-access-key-scope %q, and %q in its security", id, declared, scope)
		case scope == "" && accepts && method != http.MethodGet:
			t.Errorf("%s changes something, and every key may call it", id)
		case scope != "" && strings.HasSuffix(scope, ":write") == (method == http.MethodGet ||
			slices.Contains(reads, id)):
			t.Errorf("%s %s needs the scope %s", method, id, scope)
		}
		if accepts && method != http.MethodGet &&
			regexp.MustCompile(`^/api/(members|invitations|access-keys|sessions?|operator/users)(/|$)`).
				MatchString(path) {
			t.Errorf("%s accepts access keys", id)
		}
	})
}

// A key that cannot start an import cannot stop it either, whatever its scopes.
func TestAccessKey_CancelsNoImport(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, key := s.as(s.operator), s.withKey(s.operator)
	cancel := "/api/jobs/" + text(t, operator.post("/api/operator/jobs/catalogue-import",
		map[string]any{"catalogue": "groups: []"}).want(t, http.StatusAccepted), "id") + "/cancel"
	key.post(cancel, nil).refused(t, http.StatusForbidden, "")
	operator.post(cancel, nil).want(t, http.StatusOK)
}

// A key with every scope makes no person who outlives it, changes no user's rights, and creates no other key.
func TestAccessKey_MakesAndChangesNoPeople(t *testing.T) {
	t.Parallel()
	s := setup(t)
	before := s.state(&s.acme)
	for _, who := range []tenant.User{s.acme.owner, s.operator} {
		key := s.withKey(who)
		member, invitation := s.acme.member.ID.String(), s.acme.invitation.ID.String()
		for _, r := range []reply{
			key.post("/api/members", map[string]any{"email": "intruder@acme.example", "password": newPassword,
				"role": "owner"}),
			key.patch("/api/members/"+member, map[string]any{"role": "owner"}),
			key.patch("/api/members/"+member, map[string]any{"status": "disabled"}),
			key.patch("/api/members/"+member, map[string]any{"quota": nil}),
			key.post("/api/operator/users", map[string]any{"email": "intruder@example.com", "password": newPassword,
				"role": "operator"}),
			key.patch("/api/operator/users/"+member, map[string]any{"role": "owner"}),
			key.patch("/api/operator/users/"+member, map[string]any{"password": newPassword}),
			key.patch("/api/operator/users/"+member, map[string]any{"group_id": s.group.ID}),
			key.post("/api/invitations", map[string]any{"email": "intruder@acme.example", "role": "owner"}),
			key.post("/api/invitations", map[string]any{"email": "intruder@example.com", "role": "operator"}),
			key.post("/api/invitations/"+invitation+"/resend", nil),
			key.post("/api/invitations/"+invitation+"/revoke", nil),
			key.post("/api/access-keys", newKey("write", time.Hour)),
			key.do(http.MethodDelete, "/api/access-keys/"+s.acme.key.ID.String(), nil),
			key.patch("/api/tenant", map[string]any{"name": "Mine"}),
			key.patch("/api/tenant", map[string]any{"require_second_factor": false}),
			key.patch("/api/operator/groups/"+s.group.ID.String(), map[string]any{"models": []string{"*"}}),
			key.post("/api/operator/jobs/catalogue-import", map[string]any{"catalogue": "users: []", "apply": true}),
			key.post("/api/operator/jobs/"+s.acme.job.ID.String()+"/tokens", nil),
		} {
			r.refused(t, http.StatusForbidden, "")
		}
	}
	if s.state(&s.acme) != before {
		t.Error("the state changed")
	}
}

func TestAccessKey_SetsNoCredentialsAndDestinationsOfChannels(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, value := s.scopedKey(s.operator,
		token.AccessKey{Scopes: []token.AccessScope{token.WriteChannels, token.ReadCatalog}})
	key, path := &client{stack: s, key: value}, "/api/operator/channels/"+s.channel.ID.String()
	before := key.get(path).raw
	for field, body := range map[string]map[string]any{
		"base_url":            {"base_url": "https://evil.example/v1"},
		"api_keys":            {"api_keys": []string{"sk-of-the-intruder"}},
		"rotation":            {"rotation": map[string]any{"add": []string{"sk-of-the-intruder"}}},
		"settings.proxy":      {"settings": map[string]any{"proxy": "http://evil.example"}},
		"settings.ca":         {"settings": map[string]any{"ca": "x"}},
		"settings.headers":    {"settings": map[string]any{"headers": map[string]string{"x-upstream": "https://evil.example"}}},
		"settings.account_of": {"settings": map[string]any{"account_of": s.globex.Slug}},
	} {
		key.patch(path, body).refused(t, http.StatusForbidden, field)
	}
	steering := []string{"tools", "tool_choice", "provider", "plugins", "web_search_options", "functions",
		"Temperature", "new_parameter"}
	for _, name := range steering {
		body := map[string]any{"settings": map[string]any{"parameters": map[string]any{name: []any{}}}}
		key.patch(path, body).refused(t, http.StatusForbidden, "settings.parameters")
	}
	key.post(path+"/credentials/enable", map[string]any{"fingerprint": "f"}).refused(t, http.StatusForbidden, "")
	if after := key.get(path).raw; after != before {
		t.Errorf("got channel %s, want %s", after, before)
	}

	created := map[string]any{"name": "new", "type": "openai", "base_url": "https://new.example/v1",
		"endpoints": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "x"}, "status": "disabled"}
	for field, change := range map[string]map[string]any{
		"status":              {"status": "enabled"},
		"api_keys":            {"api_keys": []string{"sk-of-the-intruder"}},
		"settings.proxy":      {"settings": map[string]any{"proxy": "http://evil.example"}},
		"settings.headers":    {"settings": map[string]any{"headers": map[string]string{"x-upstream": "https://evil.example"}}},
		"settings.account_of": {"settings": map[string]any{"account_of": s.globex.Slug}},
		"settings.parameters": {"settings": map[string]any{"parameters": map[string]any{"tools": []any{}}}},
	} {
		wrong := maps.Clone(created)
		maps.Copy(wrong, change)
		key.post("/api/operator/channels", wrong).refused(t, http.StatusForbidden, field)
	}
	added := "/api/operator/channels/" +
		text(t, key.post("/api/operator/channels", created).want(t, http.StatusCreated), "id")
	key.patch(added, map[string]any{"status": "enabled"}).refused(t, http.StatusForbidden, "status")
	s.as(s.operator).patch(added, map[string]any{"api_keys": []string{"sk-of-the-operator"}}).want(t, http.StatusOK)
	key.patch(added, map[string]any{"status": "enabled", "weight": 3}).want(t, http.StatusOK)
	key.patch(added, map[string]any{"status": "disabled", "models": map[string]string{"gpt-4o-mini": "y"},
		"settings": map[string]any{"parameters": map[string]any{"temperature": 0.5}}}).want(t, http.StatusOK)

	operator := s.as(s.operator)
	s.advance(confirmationLife)
	operator.patch(added, map[string]any{"settings": map[string]any{"account_of": s.globex.Slug}}).needsConfirmation(t)
	for _, name := range steering {
		operator.patch(added, map[string]any{"settings": map[string]any{"parameters": map[string]any{name: []any{}}}}).
			needsConfirmation(t)
	}
	created["name"], created["settings"] = "newer", map[string]any{"parameters": map[string]any{"tools": []any{}}}
	operator.post("/api/operator/channels", created).needsConfirmation(t)
	operator.patch(added,
		map[string]any{"settings": map[string]any{"parameters": map[string]any{"temperature": 1, "seed": 7}}}).
		want(t, http.StatusOK)
}

func TestAccessKey_ChangesNoRuleForSignInsOfATenant(t *testing.T) {
	t.Parallel()
	s := setup(t)
	key, path := s.withKey(s.operator), "/api/operator/tenants/"+s.acme.ID.String()
	for _, required := range []bool{false, true} {
		key.patch(path, map[string]any{"require_second_factor": required}).
			refused(t, http.StatusForbidden, "require_second_factor")
	}
	key.patch(path, map[string]any{"name": "Renamed"}).want(t, http.StatusOK)
}

func TestAccessKey_GrantsUpToItsLimitADay(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, value := s.scopedKey(s.operator,
		token.AccessKey{Scopes: []token.AccessScope{token.WriteBilling, token.WriteTenants},
			GrantLimit: 100 * money.USD})
	key := &client{stack: s, key: value}
	grant := func(amount string) reply {
		return key.post("/api/operator/grants", map[string]any{"tenant_id": s.acme.ID, "amount": amount,
			"reason": "paid"})
	}
	grant("100.000000001").refused(t, http.StatusForbidden, "amount")
	grant("60").want(t, http.StatusCreated)
	grant("60").refused(t, http.StatusForbidden, "amount")
	key.post("/api/operator/tenants", map[string]any{"slug": "new", "name": "New", "quota": "60"}).
		refused(t, http.StatusForbidden, "amount")
	key.post("/api/operator/adjustments", map[string]any{"tenant_id": s.acme.ID, "amount": "-41", "reason": "x"}).
		refused(t, http.StatusForbidden, "amount")
	key.post("/api/operator/transfers", map[string]any{"from_tenant_id": s.acme.ID, "to_tenant_id": s.globex.ID,
		"amount": "41", "reason": "x"}).refused(t, http.StatusForbidden, "amount")
	grant("40").want(t, http.StatusCreated)
	grant("0.000000001").refused(t, http.StatusForbidden, "amount")
}

func TestAccessKey_WorksOnlyFromItsAddresses(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for address, want := range map[string]int{"127.0.0.1/32": http.StatusOK, "203.0.113.0/24": http.StatusForbidden} {
		_, value := s.scopedKey(s.acme.owner, token.AccessKey{Scopes: []token.AccessScope{token.ReadUsage},
			Addresses: []netip.Prefix{netip.MustParsePrefix(address)}})
		key := &client{stack: s, key: value}
		if r := key.get("/api/usage-logs"); r.StatusCode != want {
			t.Errorf("%s: got status %d, want %d: %s", address, r.StatusCode, want, r.raw)
		}
	}
}
