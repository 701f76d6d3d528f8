package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestControl_AppliesWithinASecond makes each change through the console, which is another process than the
// relay. It applies as soon as the relay has recorded it, and the recorded time is at most a second.
func TestControl_AppliesWithinASecond(t *testing.T) {
	w := sharedTestbed(t)
	owner, root := w.signIn(t, victimOwner), w.signIn(t, operator)
	token, channel, tenant, user := owner.Token(t, "main"), root.Channel(t, "switched-0"), root.Tenant(t, "victim"),
		root.User(t, victimMember)
	tests := []struct {
		name, topic, bearer, model string
		refused                    int
		set                        func(t *testing.T, status string)
	}{
		{"token", "token", victimToken, "left-alone", http.StatusUnauthorized, func(t *testing.T, status string) {
			to := consoleclient.TokenPatchStatus(status)
			got, err := owner.UpdateToken(story.Context(t), token, consoleclient.TokenPatch{Status: &to})
			story.Must(t, got, err)
		}},
		{"model", "catalog", victimToken, "switched", http.StatusNotFound, func(t *testing.T, status string) {
			to := consoleclient.ModelPatchStatus(status)
			got, err := root.UpdateModel(story.Context(t), "switched", consoleclient.ModelPatch{Status: &to})
			story.Must(t, got, err)
		}},
		{"channel", "catalog", victimToken, "switched", http.StatusNotFound, func(t *testing.T, status string) {
			to := consoleclient.ChannelPatchStatus(status)
			got, err := root.UpdateChannel(story.Context(t), channel, consoleclient.ChannelPatch{Status: &to})
			story.Must(t, got, err)
		}},
		{"tenant", "tenant", victimToken, "left-alone", http.StatusUnauthorized, func(t *testing.T, status string) {
			to := consoleclient.TenantPatchStatus(status)
			got, err := root.UpdateTenant(story.Context(t), tenant, consoleclient.TenantPatch{Status: &to})
			story.Must(t, got, err)
		}},
		{"user", "user", memberToken, "left-alone", http.StatusUnauthorized, func(t *testing.T, status string) {
			to := consoleclient.UserPatchStatus(status)
			got, err := root.UpdateUser(story.Context(t), user, consoleclient.UserPatch{Status: &to})
			story.Must(t, got, err)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			caller := w.caller(tt.bearer)
			answers := func(status int) func() bool {
				return func() bool {
					call := caller.post(story.Context(t), ask(tt.model, someCounts))
					model := caller.raw(t,
						raw{http.MethodGet, "/v1/models/" + tt.model, "Bearer " + tt.bearer, "", nil})
					return call.status == status && model.status == status
				}
			}
			if !answers(http.StatusOK)() {
				t.Fatal("a call failed before the first change")
			}
			for range 3 {
				w.applied(t, tt.topic, func() { tt.set(t, "disabled") })
				if !answers(tt.refused)() {
					t.Error("served after it was disabled")
				}
				w.applied(t, tt.topic, func() { tt.set(t, "enabled") })
				if !answers(http.StatusOK)() {
					t.Error("refused after it was enabled")
				}
			}
		})
	}
}

func TestPrice_AppliesWithinASecondAndKeepsOlderBills(t *testing.T) {
	w := sharedTestbed(t)
	root := w.signIn(t, operator)
	caller := w.caller(victimToken)
	charge := func(price consoleclient.Rates, quota string) (last reply) {
		t.Helper()
		w.applied(t, "catalog", func() {
			got, err := root.CreatePrice(story.Context(t), consoleclient.NewPrice{Model: "repriced", Price: price})
			story.Must(t, got, err)
		})
		last = caller.post(story.Context(t), ask("repriced", someCounts))
		if got := last.header.Get("X-Tollgate-Quota"); got != quota {
			t.Errorf("after the new price: got quota %s, want %s", got, quota)
		}
		return last
	}
	in, cached, out, half := "0.15", "0.075", "0.60", "0.5"
	before := charge(consoleclient.Rates{Input: &in, CachedInput: &cached, Output: &out}, usd(bill(someCounts, "1")))
	charge(consoleclient.Rates{Request: &half}, half)
	if l := root.AwaitLog(t, before.id()); l.Quota != usd(bill(someCounts, "1")) || l.Receipt == nil ||
		l.Receipt.Total != l.Cost {
		t.Errorf("the older usage log is %+v, its receipt %+v", l, l.Receipt)
	}
}

// TestToken_ServesFromCreationToRevocation checks that a new token works at every relay at once, and that a revoked one
// works at none.
func TestToken_ServesFromCreationToRevocation(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Relays: 2})
	owner := w.signIn(t, victimOwner)
	made, err := owner.CreateToken(story.Context(t),
		consoleclient.NewToken{Name: "fresh", Models: &[]string{"gpt-4o-mini"}})
	story.Must(t, made, err)
	callers := w.callers(made.JSON201.Value)
	for _, caller := range callers {
		r := caller.post(story.Context(t), ask("gpt-4o-mini", someCounts))
		if !r.complete(false) {
			t.Fatalf("the new token: got status %d: %s", r.status, r.body)
		}
		l := owner.AwaitLog(t, r.id())
		if l.Model != "gpt-4o-mini" || l.Channel != "gpt-4o-mini-0" || l.Quota != usd(bill(someCounts, "1")) ||
			l.TokenId != made.JSON201.Id {
			t.Errorf("got the usage log %+v", l)
		}
		if want := (consoleclient.LogTokenCounts{Input: 70, CachedInput: 30, Output: 30, Reasoning: 10,
			Total: 140}); l.Tokens != want {
			t.Errorf("got the tokens %+v, want %+v", l.Tokens, want)
		}
	}
	w.applied(t, "token", func() {
		revoked, err := owner.RevokeToken(story.Context(t), made.JSON201.Id)
		story.Must(t, revoked, err)
	})
	for _, caller := range callers {
		if r := caller.post(story.Context(t), ask("gpt-4o-mini", someCounts)); r.status != http.StatusUnauthorized {
			t.Errorf("the revoked token: got status %d: %s", r.status, r.body)
		}
	}
	to := consoleclient.TokenPatchStatus("enabled")
	if got, err := owner.UpdateToken(story.Context(t), made.JSON201.Id, consoleclient.TokenPatch{Status: &to}); err !=
		nil || got.StatusCode() < 400 {
		t.Errorf("a revoked token could be enabled again: %v", err)
	}
}

func TestGrant_AppliesWithinASecond(t *testing.T) {
	w := sharedTestbed(t)
	root := w.signIn(t, operator)
	caller := w.caller(brokeToken)
	if r := caller.post(story.Context(t), ask("flat-model", someCounts)); r.status != http.StatusTooManyRequests {
		t.Fatalf("before the grant: got status %d: %s", r.status, r.body)
	}
	w.applied(t, "account", func() {
		got, err := root.CreateGrant(story.Context(t), nil, consoleclient.NewGrant{TenantId: root.Tenant(t, "broke"),
			Amount: "0.01", Reason: "one request"})
		story.Must(t, got, err)
	})
	if r := caller.post(story.Context(t), ask("flat-model", someCounts)); r.status != http.StatusOK {
		t.Errorf("after the grant: got status %d: %s", r.status, r.body)
	}
	if r := caller.post(story.Context(t), ask("flat-model", someCounts)); r.status != http.StatusTooManyRequests ||
		r.header.Get("X-Should-Retry") != "false" {
		t.Errorf("after the grant was used up: got status %d: %s", r.status, r.body)
	}
}

// TestTenants_CannotSeeEachOthersData checks that a tenant cannot see another tenant's data, nor find out that
// it exists.
func TestTenants_CannotSeeEachOthersData(t *testing.T) {
	w := sharedTestbed(t)
	client, rival := w.sdk(acmeToken), w.sdk(victimToken)
	var response *http.Response
	made, err := client.Responses.New(story.Context(t), askFor("gpt-4o-mini"), option.WithResponseInto(&response))
	if err != nil {
		t.Fatal(err)
	}
	acme, victim := w.signIn(t, acmeOwner), w.signIn(t, victimOwner)
	l := acme.AwaitLog(t, response.Header.Get("X-Request-Id"))
	name := "mine"
	if got, err := victim.GetUsageLog(story.Context(t), l.Id); err != nil || got.StatusCode() != http.StatusNotFound {
		t.Errorf("usage log of another tenant: got %v, %s", err, got.Body)
	}
	logs, err := victim.ListUsageLogs(story.Context(t), nil)
	story.Must(t, logs, err)
	for _, log := range logs.JSON200.Items {
		if log.Id == l.Id {
			t.Error("the list of another tenant has the usage log")
		}
	}
	if got, err := victim.UpdateToken(story.Context(t), l.TokenId, consoleclient.TokenPatch{Name: &name}); err != nil ||
		got.StatusCode() != http.StatusNotFound {
		t.Errorf("token of another tenant: got %v, %s", err, got.Body)
	}
	tokens, err := victim.ListTokens(story.Context(t), nil)
	story.Must(t, tokens, err)
	for _, token := range tokens.JSON200.Items {
		if !strings.HasSuffix(token.UserEmail, "@victim.example") {
			t.Errorf("another tenant sees the token %+v", token)
		}
	}
	if got, err := victim.ListTenants(story.Context(t), nil); err != nil || got.StatusCode() != http.StatusForbidden {
		t.Errorf("list of tenants: got %v, %s", err, got.Body)
	}
	if got, err := victim.ListChannels(story.Context(t), nil); err != nil || got.StatusCode() < http.StatusBadRequest {
		t.Errorf("list of channels: got %v, %s", err, got.Status())
	}
	if _, err := client.Responses.Get(story.Context(t), made.ID, responses.ResponseGetParams{}); err != nil {
		t.Errorf("response for its own tenant: got %v", err)
	}
	if _, err := rival.Responses.Get(story.Context(t), made.ID, responses.ResponseGetParams{}); status(err) !=
		http.StatusNotFound {
		t.Errorf("response for another tenant: got %v", err)
	}
}
