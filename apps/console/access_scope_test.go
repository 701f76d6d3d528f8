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

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// scopeOf returns the scope that an operation of the document demands of access keys, and whether it accepts them.
func scopeOf(t *testing.T, op map[string]any) (scope string, accepts bool) {
	t.Helper()
	for _, scheme := range consoletest.As[[]any](t, op["security"]) {
		if scopes, ok := consoletest.As[map[string]any](t, scheme)["accessKey"]; ok {
			for _, one := range consoletest.As[[]any](t, scopes) {
				scope = consoletest.As[string](t, one)
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
	s := consoletest.Setup(t)
	withScopes := func(scopes ...token.AccessScope) *consoletest.Client {
		k := token.AccessKey{Scopes: scopes}
		if slices.Contains(scopes, token.WriteBilling) {
			k.GrantLimit = money.USD
		}
		_, value := s.ScopedKey(s.Operator, k)
		return &consoletest.Client{Stack: s, Key: value}
	}
	all, only, without := withScopes(token.AccessScopes()...), map[string]*consoletest.Client{},
		map[string]*consoletest.Client{}
	for _, scope := range token.AccessScopes() {
		only[string(scope)] = withScopes(scope)
		without[string(scope)] = withScopes(slices.DeleteFunc(token.AccessScopes(), func(one token.AccessScope) bool {
			return one == scope
		})...)
	}
	attacks := map[string]attack{}
	for _, a := range attacksOn(s, &s.Acme) {
		attacks[a.id] = a
	}
	used := map[string]bool{}
	operations(t, func(_, _ string, op map[string]any) {
		a := attacks[consoletest.Text(t, op, "operationId")]
		scope, accepts := scopeOf(t, op)
		switch {
		case a.public:
			return
		case !accepts:
			sendAttack(all, a).Refused(t, http.StatusForbidden, "")
		case scope == "": // any key
			sendAttack(only["usage:read"], a)
		default:
			used[scope] = true
			if r := sendAttack(without[scope], a); r.StatusCode != http.StatusForbidden ||
				!strings.Contains(r.Raw, "lacks the scope "+scope) {
				t.Errorf("%s without %s: got status %d, want 403 for the scope: %s", a, scope, r.StatusCode, r.Raw)
			}
			if r := sendAttack(only[scope], a); strings.Contains(r.Raw, "lacks the scope") {
				t.Errorf("%s with %s: got status %d: %s", a, scope, r.StatusCode, r.Raw)
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
		id := consoletest.Text(t, op, "operationId")
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
	s := consoletest.Setup(t)
	operator, key := s.As(s.Operator), s.WithKey(s.Operator)
	cancel := "/api/jobs/" + consoletest.Text(t, operator.Post("/api/operator/jobs/catalogue-import",
		map[string]any{"catalogue": "groups: []"}).Want(t, http.StatusAccepted), "id") + "/cancel"
	key.Post(cancel, nil).Refused(t, http.StatusForbidden, "")
	operator.Post(cancel, nil).Want(t, http.StatusOK)
}

// A key with every scope makes no person who outlives it, changes no user's rights, and creates no other key.
func TestAccessKey_MakesAndChangesNoPeople(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	before := state(s, &s.Acme)
	for _, who := range []tenant.User{s.Acme.Owner, s.Operator} {
		key := s.WithKey(who)
		member, invitation := s.Acme.Member.ID.String(), s.Acme.Invitation.ID.String()
		for _, r := range []consoletest.Reply{
			key.Post("/api/members", map[string]any{"email": "intruder@acme.example",
				"password": consoletest.NewPassword, "role": "owner"}),
			key.Patch("/api/members/"+member, map[string]any{"role": "owner"}),
			key.Patch("/api/members/"+member, map[string]any{"status": "disabled"}),
			key.Patch("/api/members/"+member, map[string]any{"quota": nil}),
			key.Post("/api/operator/users", map[string]any{"email": "intruder@example.com",
				"password": consoletest.NewPassword, "role": "operator"}),
			key.Patch("/api/operator/users/"+member, map[string]any{"role": "owner"}),
			key.Patch("/api/operator/users/"+member, map[string]any{"password": consoletest.NewPassword}),
			key.Patch("/api/operator/users/"+member, map[string]any{"group_id": s.Group.ID}),
			key.Post("/api/invitations", map[string]any{"email": "intruder@acme.example", "role": "owner"}),
			key.Post("/api/invitations", map[string]any{"email": "intruder@example.com", "role": "operator"}),
			key.Post("/api/invitations/"+invitation+"/resend", nil),
			key.Post("/api/invitations/"+invitation+"/revoke", nil),
			key.Post("/api/access-keys", map[string]any{"name": "ci", "access": "write",
				"expires_at": time.Now().Add(time.Hour)}),
			key.Do(http.MethodDelete, "/api/access-keys/"+s.Acme.Key.ID.String(), nil),
			key.Patch("/api/tenant", map[string]any{"name": "Mine"}),
			key.Patch("/api/tenant", map[string]any{"require_second_factor": false}),
			key.Patch("/api/operator/groups/"+s.Group.ID.String(), map[string]any{"models": []string{"*"}}),
			key.Post("/api/operator/jobs/catalogue-import", map[string]any{"catalogue": "users: []", "apply": true}),
			key.Post("/api/operator/jobs/"+s.Acme.Job.ID.String()+"/tokens", nil),
		} {
			r.Refused(t, http.StatusForbidden, "")
		}
	}
	if state(s, &s.Acme) != before {
		t.Error("the state changed")
	}
}

func TestAccessKey_SetsNoCredentialsAndDestinationsOfChannels(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	_, value := s.ScopedKey(s.Operator,
		token.AccessKey{Scopes: []token.AccessScope{token.WriteChannels, token.ReadCatalog}})
	key, path := &consoletest.Client{Stack: s, Key: value}, "/api/operator/channels/"+s.Channel.ID.String()
	before := key.Get(path).Raw
	for field, body := range map[string]map[string]any{
		"base_url":            {"base_url": "https://evil.example/v1"},
		"api_keys":            {"api_keys": []string{"sk-of-the-intruder"}},
		"rotation":            {"rotation": map[string]any{"add": []string{"sk-of-the-intruder"}}},
		"settings.proxy":      {"settings": map[string]any{"proxy": "http://evil.example"}},
		"settings.ca":         {"settings": map[string]any{"ca": "x"}},
		"settings.headers":    {"settings": map[string]any{"headers": map[string]string{"x-upstream": "https://evil.example"}}},
		"settings.account_of": {"settings": map[string]any{"account_of": s.Globex.Slug}},
	} {
		key.Patch(path, body).Refused(t, http.StatusForbidden, field)
	}
	steering := []string{"tools", "tool_choice", "provider", "plugins", "web_search_options", "functions",
		"Temperature", "new_parameter"}
	for _, name := range steering {
		body := map[string]any{"settings": map[string]any{"parameters": map[string]any{name: []any{}}}}
		key.Patch(path, body).Refused(t, http.StatusForbidden, "settings.parameters")
	}
	key.Post(path+"/credentials/enable", map[string]any{"fingerprint": "f"}).Refused(t, http.StatusForbidden, "")
	if after := key.Get(path).Raw; after != before {
		t.Errorf("got channel %s, want %s", after, before)
	}

	created := map[string]any{"name": "new", "type": "openai", "base_url": "https://new.example/v1",
		"endpoints": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "x"}, "status": "disabled"}
	for field, change := range map[string]map[string]any{
		"status":              {"status": "enabled"},
		"api_keys":            {"api_keys": []string{"sk-of-the-intruder"}},
		"settings.proxy":      {"settings": map[string]any{"proxy": "http://evil.example"}},
		"settings.headers":    {"settings": map[string]any{"headers": map[string]string{"x-upstream": "https://evil.example"}}},
		"settings.account_of": {"settings": map[string]any{"account_of": s.Globex.Slug}},
		"settings.parameters": {"settings": map[string]any{"parameters": map[string]any{"tools": []any{}}}},
	} {
		wrong := maps.Clone(created)
		maps.Copy(wrong, change)
		key.Post("/api/operator/channels", wrong).Refused(t, http.StatusForbidden, field)
	}
	added := "/api/operator/channels/" +
		consoletest.Text(t, key.Post("/api/operator/channels", created).Want(t, http.StatusCreated), "id")
	key.Patch(added, map[string]any{"status": "enabled"}).Refused(t, http.StatusForbidden, "status")
	s.As(s.Operator).Patch(added, map[string]any{"api_keys": []string{"sk-of-the-operator"}}).Want(t, http.StatusOK)
	key.Patch(added, map[string]any{"status": "enabled", "weight": 3}).Want(t, http.StatusOK)
	key.Patch(added, map[string]any{"status": "disabled", "models": map[string]string{"gpt-4o-mini": "y"},
		"settings": map[string]any{"parameters": map[string]any{"temperature": 0.5}}}).Want(t, http.StatusOK)

	operator := s.As(s.Operator)
	s.Advance(consoletest.ConfirmationLife)
	operator.Patch(added, map[string]any{"settings": map[string]any{"account_of": s.Globex.Slug}}).NeedsConfirmation(t)
	for _, name := range steering {
		operator.Patch(added, map[string]any{"settings": map[string]any{"parameters": map[string]any{name: []any{}}}}).
			NeedsConfirmation(t)
	}
	created["name"], created["settings"] = "newer", map[string]any{"parameters": map[string]any{"tools": []any{}}}
	operator.Post("/api/operator/channels", created).NeedsConfirmation(t)
	operator.Patch(added,
		map[string]any{"settings": map[string]any{"parameters": map[string]any{"temperature": 1, "seed": 7}}}).
		Want(t, http.StatusOK)
}

func TestAccessKey_ChangesNoRuleForSignInsOfATenant(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	key, path := s.WithKey(s.Operator), "/api/operator/tenants/"+s.Acme.ID.String()
	for _, required := range []bool{false, true} {
		key.Patch(path, map[string]any{"require_second_factor": required}).
			Refused(t, http.StatusForbidden, "require_second_factor")
	}
	key.Patch(path, map[string]any{"name": "Renamed"}).Want(t, http.StatusOK)
}

func TestAccessKey_GrantsUpToItsLimitADay(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	_, value := s.ScopedKey(s.Operator,
		token.AccessKey{Scopes: []token.AccessScope{token.WriteBilling, token.WriteTenants},
			GrantLimit: 100 * money.USD})
	key := &consoletest.Client{Stack: s, Key: value}
	grant := func(amount string) consoletest.Reply {
		return key.Post("/api/operator/grants", map[string]any{"tenant_id": s.Acme.ID, "amount": amount,
			"reason": "paid"})
	}
	grant("100.000000001").Refused(t, http.StatusForbidden, "amount")
	grant("60").Want(t, http.StatusCreated)
	grant("60").Refused(t, http.StatusForbidden, "amount")
	key.Post("/api/operator/tenants", map[string]any{"slug": "new", "name": "New", "quota": "60"}).
		Refused(t, http.StatusForbidden, "quota")
	key.Post("/api/operator/adjustments", map[string]any{"tenant_id": s.Acme.ID, "amount": "-41", "reason": "x"}).
		Refused(t, http.StatusForbidden, "amount")
	key.Post("/api/operator/transfers", map[string]any{"from_tenant_id": s.Acme.ID, "to_tenant_id": s.Globex.ID,
		"amount": "41", "reason": "x"}).Refused(t, http.StatusForbidden, "amount")
	grant("40").Want(t, http.StatusCreated)
	grant("0.000000001").Refused(t, http.StatusForbidden, "amount")
}

func TestAccessKey_WorksOnlyFromItsAddresses(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for address, want := range map[string]int{"127.0.0.1/32": http.StatusOK, "203.0.113.0/24": http.StatusForbidden} {
		_, value := s.ScopedKey(s.Acme.Owner, token.AccessKey{Scopes: []token.AccessScope{token.ReadUsage},
			Addresses: []netip.Prefix{netip.MustParsePrefix(address)}})
		key := &consoletest.Client{Stack: s, Key: value}
		if r := key.Get("/api/usage-logs"); r.StatusCode != want {
			t.Errorf("%s: got status %d, want %d: %s", address, r.StatusCode, want, r.Raw)
		}
	}
}
