package console_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// confirmed maps each operation that needs a recent confirmation to the condition under which it does. An operation
// that makes or changes people, roles, keys, credentials or ways to sign in belongs here; one that makes tokens does
// not.
var confirmed = map[string]string{
	"createMember": "always", "updateMember": "always", "createUser": "always", "updateUser": "always",
	"createInvitation": "always", "resendInvitation": "always", "revokeInvitation": "always",
	"createAccessKey": "always", "revokeAccessKey": "always",
	"changePassword": "always", "beginTOTP": "always", "confirmTOTP": "always", "disableTOTP": "always",
	"createRecoveryCodes": "always",
	"beginPasskey":        "always", "createPasskey": "always", "updatePasskey": "always", "deletePasskey": "always",
	"deleteIdentity":     "always",
	"resetMemberFactors": "always", "resetUserFactors": "always", "resetMemberPassword": "always",
	"resetUserPassword": "always",
	"setTenantIssuer":   "always", "deleteTenantIssuer": "always", "approveTenantIssuer": "always",

	"createChannel": "the channel is enabled, or the body contains API keys, a proxy, certificate authorities, " +
		"headers that route requests, account_of or parameters that may give prompts to others",
	"updateChannel": "the request changes API keys, base_url, settings.proxy, settings.ca, " +
		"settings.account_of, headers that route requests or parameters that may give prompts to others, or enables " +
		"a channel without API keys",
	"testChannelDraft": "the body contains a proxy, certificate authorities, headers that route requests, " +
		"account_of, parameters that may give prompts to others, or another destination of a stored channel",
	"listUpstreamModels": "the body contains a proxy, certificate authorities, headers that route requests, or " +
		"another destination of a stored channel",
	"createBillingAccount":   "the body contains a credential",
	"updateBillingAccount":   "the request changes base_url or credential",
	"createCatalogueImport":  "apply is true",
	"createAlertDestination": "channel is webhook or slack", "updateAlertDestination": "url is sent",
	"replaceAlertSecret": "always",
	"updateTenant":       "the body has require_second_factor", "updateOwnTenant": "the body has require_second_factor",
	"createGrant": largeAmount, "createAdjustment": largeAmount, "createTransfer": largeAmount,
	"createTenant": largeAmount,
}

const largeAmount = "the amounts of the session since its confirmation expired, this one included, add up (signs " +
	"ignored) to more than TOLLGATE_CONFIRM_AMOUNT"

func TestConfirmation_IsDocumentedForEachOperationThatNeedsIt(t *testing.T) {
	seen := map[string]string{}
	operations(t, func(_, _ string, op map[string]any) {
		id := consoletest.Text(t, op, "operationId")
		condition, needs := op["x-confirmation"].(string)
		if told := strings.Contains(consoletest.Text(t, op, "description"), "see createConfirmation"); told != needs {
			t.Errorf("%s: the description names createConfirmation: %v, want %v", id, told, needs)
		}
		if !needs {
			return
		}
		seen[id] = condition
		if confirmed[id] != condition {
			t.Errorf("%s needs a confirmation: %q, want %q", id, condition, confirmed[id])
		}
		if consoletest.At(t, op, "responses", "403") == nil {
			t.Errorf("%s does not document 403", id)
		}
	})
	for id := range confirmed {
		if seen[id] == "" {
			t.Errorf("%s needs no confirmation", id)
		}
	}
}

func TestConfirmation_GuardsExactlyTheDocumentedOperations(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	bodies := map[string]map[string]any{ // that meet the condition of their operation
		"createGrant":      {"tenant_id": s.Acme.ID, "amount": "1000.000000001", "reason": "x"},
		"createAdjustment": {"tenant_id": s.Acme.ID, "amount": "-1000.5", "reason": "x"},
		"createTransfer": {"from_tenant_id": s.Acme.ID, "to_tenant_id": s.Globex.ID,
			"amount": "1001", "reason": "x"},
		"createTenant":           {"slug": "rich", "name": "Rich", "quota": "5000"},
		"updateChannel":          {"rotation": map[string]any{"add": []string{"sk-x"}}},
		"updateTenant":           {"require_second_factor": true},
		"updateOwnTenant":        {"require_second_factor": false},
		"createCatalogueImport":  {"catalogue": "groups: []", "apply": true},
		"createAlertDestination": {"channel": "slack", "name": "x", "url": "https://hooks.example.com/x"},
		"updateAlertDestination": {"url": "https://hooks.example.com/x"},
		"createBillingAccount":   {"name": "x", "provider": "openai", "credential": "sk-x"},
		"updateBillingAccount":   {"credential": "sk-x"},
		"testChannelDraft": {"name": "x", "type": "openai", "base_url": "https://x.example/v1",
			"api_keys": []string{"sk-x"}, "dialects": []string{"chat"}, "models": map[string]string{"x": "x"},
			"settings": map[string]any{"proxy": "http://proxy.example:3128"}},
		"listUpstreamModels": {"type": "openai", "base_url": "https://x.example/v1", "api_keys": []string{"sk-x"},
			"settings": map[string]any{"proxy": "http://proxy.example:3128"}},
		"createChannel": {"name": "x", "type": "openai", "base_url": "https://x.example/v1",
			"endpoints": []string{"chat"}, "models": map[string]string{}},
	}
	clients := map[bool]*consoletest.Client{true: s.As(s.Operator), false: s.As(s.Globex.Owner)} // acme is the victim
	s.Advance(consoletest.ConfirmationLife)
	for _, a := range attacksOn(s, &s.Acme) {
		// The latter two change the session of the test.
		if a.public || a.id == "createConfirmation" || a.id == "deleteSession" {
			continue
		}
		if body := bodies[a.id]; body != nil {
			a.body = body
		}
		r := sendAttack(clients[a.operator], a)
		asked := r.StatusCode == http.StatusForbidden && r.JSON["code"] == "confirmation_required"
		if want := confirmed[a.id] != ""; asked != want {
			t.Errorf("%s (%s): asked for a confirmation: %v, want %v: %d %s", a.key, a, asked, want,
				r.StatusCode, r.Raw)
		}
	}
}

// Prompts of all tenants go to the base URL of an enabled channel, also if it has no credentials.
func TestConfirmation_GuardsTheFirstPromptOfAChannel(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	thief, path := s.As(s.Operator), "/api/operator/channels"
	s.Advance(consoletest.ConfirmationLife)
	draft := map[string]any{"name": "x", "type": "openai", "base_url": "https://x.example/v1",
		"dialects": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "x"}}
	thief.Post(path, draft).NeedsConfirmation(t)
	draft["api_keys"], draft["status"] = []string{"sk-x"}, "disabled"
	thief.Post(path, draft).NeedsConfirmation(t)
	delete(draft, "api_keys")
	made := path + "/" + consoletest.Text(t, thief.Post(path, draft).Want(t, http.StatusCreated), "id")
	enable := map[string]any{"status": "enabled"}
	thief.Patch(made, map[string]any{"weight": 2}).Want(t, http.StatusOK)
	thief.Patch(made, enable).NeedsConfirmation(t)
	consoletest.Equal(t, thief.Get(made).Want(t, http.StatusOK), "disabled", "status")

	stored := path + "/" + s.Channel.ID.String() // somebody confirmed its base URL with its credentials
	thief.Patch(stored, map[string]any{"status": "disabled"}).Want(t, http.StatusOK)
	thief.Patch(stored, enable).Want(t, http.StatusOK)
	s.As(s.Operator).Patch(made, enable).Want(t, http.StatusOK)
}

// signInData names the columns that decide how a person signs in, by table. A nil list stands for all columns.
var signInData = map[string][]string{
	"users": {"address", "owned_at", "proof", "password_hash", "role", "status"},
	"totps": nil, "recovery_codes": nil, "passkeys": nil, "identities": nil,
	"password_resets": nil, "invitations": nil, "access_keys": nil,
	"issuers": nil, "issuer_domains": nil, "tenants": {"require_second_factor", "require_issuer"},
}

// signInRows returns the rows of signInData as text.
func signInRows(s *consoletest.Stack) string {
	s.Helper()
	var all strings.Builder
	dump := storetest.Dump(s, s.Database, bookkeeping...)
	for _, table := range slices.Sorted(maps.Keys(signInData)) {
		if len(dump[table]) == 0 && !slices.Contains([]string{"issuers", "issuer_domains", "password_resets", "totps",
			"recovery_codes"}, table) {
			s.Fatalf("the table %s is empty or does not exist", table)
		}
		for _, row := range dump[table] {
			var values map[string]any
			s.Must(json.Unmarshal([]byte(row), &values))
			maps.DeleteFunc(values, func(column string, _ any) bool {
				return signInData[table] != nil && column != "id" && !slices.Contains(signInData[table], column)
			})
			fmt.Fprintln(&all, table, values)
		}
	}
	return all.String()
}

// The test calls every operation for its caller's own tenant, and looks for changes of the data with which people sign
// in. So it finds an operation that needs a confirmation although no list has it.
func TestConfirmation_GuardsWhateverChangesHowAPersonSignsIn(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.User(s.Globex.ID, "second-owner@example.com", tenant.Owner) // so that the first one can be changed
	changed := map[string]bool{}
	for operator, victim := range map[bool]*consoletest.Company{false: &s.Acme, true: &s.Globex} {
		who := s.Acme.Owner
		if operator {
			who = s.Operator
		}
		for _, a := range attacksOn(s, victim) {
			if a.public || a.operator != operator {
				continue
			}
			me, before := s.As(who), signInRows(s)
			r := sendAttack(me, a)
			if signInRows(s) == before {
				continue
			}
			changed[a.id] = true
			if confirmed[a.id] == "" {
				t.Errorf("%s changes how a person signs in, and needs no confirmation: %d %s", a, r.StatusCode, r.Raw)
			}
		}
	}
	for _, id := range []string{"createMember", "updateMember", "createUser", "updateUser", "resetMemberPassword",
		"resetUserPassword", "createInvitation", "changePassword"} {
		if !changed[id] {
			t.Errorf("%s changed nothing: the test does not see what it does", id)
		}
	}
}
