package e2e

import (
	"net/http"
	"testing"
	"time"
)

// prompt is how soon a change made in the console must hold on every relay.
const prompt = time.Second

// Each change is made through the console, another process than the relay.
func TestControlIsPrompt(t *testing.T) {
	w := commonWorld(t)
	owner, root := w.signIn(t, victimOwner), w.signIn(t, operator)
	caller, member := w.caller(victimToken), w.caller(memberToken)
	answers := func(model string, status int) func() bool {
		return func() bool {
			r := caller.post(testContext(t), ask(model, someCounts))
			return r.status == status
		}
	}
	toggle := func(t *testing.T, c *console, path, model string, refused int) {
		t.Helper()
		if !answers(model, http.StatusOK)() {
			t.Fatalf("%s is not served", model)
		}
		c.must(t, http.MethodPatch, path, map[string]string{"status": "disabled"}, nil)
		eventually(t, prompt, path+" disabled", answers(model, refused))
		c.must(t, http.MethodPatch, path, map[string]string{"status": "enabled"}, nil)
		eventually(t, prompt, path+" enabled", answers(model, http.StatusOK))
	}
	t.Run("token", func(t *testing.T) {
		toggle(t, owner, "/tokens/"+owner.find(t, "/tokens", "name", "main"), "left-alone", http.StatusUnauthorized)
	})
	t.Run("model", func(t *testing.T) { toggle(t, root, "/operator/models/switched", "switched", http.StatusNotFound) })
	t.Run("channel", func(t *testing.T) {
		toggle(t, root, "/operator/channels/"+root.find(t, "/operator/channels", "name", "switched-0"), "switched", http.StatusNotFound)
	})
	t.Run("tenant", func(t *testing.T) {
		toggle(t, root, "/operator/tenants/"+root.find(t, "/operator/tenants", "slug", "victim"), "left-alone", http.StatusUnauthorized)
	})
	t.Run("user", func(t *testing.T) {
		caller = member
		toggle(t, root, "/operator/users/"+root.find(t, "/operator/users", "email", victimMember), "left-alone", http.StatusUnauthorized)
	})
	t.Run("models list", func(t *testing.T) {
		root.must(t, http.MethodPatch, "/operator/models/switched", map[string]string{"status": "disabled"}, nil)
		eventually(t, prompt, "the list is without the model", func() bool {
			r := caller.raw(t, raw{http.MethodGet, "/v1/models/switched", "Bearer " + victimToken, "", nil})
			return r.status == http.StatusNotFound
		})
		root.must(t, http.MethodPatch, "/operator/models/switched", map[string]string{"status": "enabled"}, nil)
	})
}

func TestPriceChangeIsPrompt(t *testing.T) {
	w := commonWorld(t)
	root := w.signIn(t, operator)
	caller := w.caller(victimToken)
	before := caller.post(testContext(t), ask("repriced", someCounts))
	if got := before.header.Get("X-Tollgate-Quota"); got != usd(bill(someCounts, "1")) {
		t.Fatalf("status %d, quota %q", before.status, got)
	}
	root.must(t, http.MethodPost, "/operator/prices", map[string]any{"model": "repriced", "price": map[string]string{"request": "0.5"}}, nil)
	eventually(t, prompt, "the new price holds", func() bool {
		r := caller.post(testContext(t), ask("repriced", someCounts))
		return r.header.Get("X-Tollgate-Quota") == "0.5"
	})
	if l := root.awaitLog(t, before.id()); l.Quota != usd(bill(someCounts, "1")) || l.Receipt == nil || l.Receipt.Total != l.Cost {
		t.Errorf("the bill made before says %+v, receipt %+v", l, l.Receipt)
	}
}

func TestTokenMadeInTheConsoleServesUntilRevoked(t *testing.T) {
	w := commonWorld(t)
	owner := w.signIn(t, victimOwner)
	var made struct{ ID, Value, Status string }
	owner.must(t, http.MethodPost, "/tokens", map[string]any{"name": "fresh", "models": []string{"gpt-4o-mini"}}, &made)
	caller := w.caller(made.Value)
	r := caller.post(testContext(t), ask("gpt-4o-mini", someCounts))
	if !r.whole(false) {
		t.Fatalf("the fresh token: status %d: %s", r.status, r.body)
	}
	if l := owner.awaitLog(t, r.id()); l.Model != "gpt-4o-mini" || l.Channel != "gpt-4o-mini-0" || l.Quota != usd(bill(someCounts, "1")) ||
		l.Tokens.Input != 70 || l.Tokens.CachedInput != 30 || l.Tokens.Output != 30 || l.Tokens.Reasoning != 10 {
		t.Errorf("usage log %+v", l)
	}
	owner.must(t, http.MethodPost, "/tokens/"+made.ID+"/revoke", nil, nil)
	eventually(t, prompt, "the revoked token is refused", func() bool {
		r := caller.post(testContext(t), ask("gpt-4o-mini", someCounts))
		return r.status == http.StatusUnauthorized
	})
	if _, err := owner.call(http.MethodPatch, "/tokens/"+made.ID, map[string]string{"status": "enabled"}, nil); err == nil {
		t.Error("a revoked token was enabled again")
	}
}

func TestGrantIsPrompt(t *testing.T) {
	w := commonWorld(t)
	root := w.signIn(t, operator)
	caller := w.caller(brokeToken)
	if r := caller.post(testContext(t), ask("flat-model", someCounts)); r.status != http.StatusTooManyRequests {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	root.must(t, http.MethodPost, "/operator/grants", map[string]string{
		"tenant_id": root.find(t, "/operator/tenants", "slug", "broke"), "amount": "0.01", "reason": "one request",
	}, nil)
	var served int
	eventually(t, prompt, "the grant serves a request", func() bool {
		r := caller.post(testContext(t), ask("flat-model", someCounts))
		served = r.status
		return served == http.StatusOK
	})
	if r := caller.post(testContext(t), ask("flat-model", someCounts)); r.status != http.StatusTooManyRequests || r.header.Get("X-Should-Retry") != "false" {
		t.Errorf("after the grant was used: status %d: %s", r.status, r.body)
	}
}

// Nobody sees another tenant's things, not even that they exist.
func TestTenantsAreWalledOff(t *testing.T) {
	w := commonWorld(t)
	r := w.caller(acmeToken).post(testContext(t), ask("gpt-4o-mini", someCounts))
	acme, victim := w.signIn(t, acmeOwner), w.signIn(t, victimOwner)
	acme.awaitLog(t, r.id())
	for method, path := range map[string]string{
		http.MethodGet:   "/usage-logs/" + r.id(),
		http.MethodPatch: "/tokens/" + acme.find(t, "/tokens", "name", "main"),
	} {
		if status, err := victim.call(method, path, map[bool]any{true: map[string]string{"name": "mine"}, false: nil}[method == http.MethodPatch], nil); status != http.StatusNotFound {
			t.Errorf("%s %s: %d, %v", method, path, status, err)
		}
	}
	if status, err := victim.call(http.MethodGet, "/operator/tenants", nil, nil); status != http.StatusForbidden {
		t.Errorf("tenants: %d, %v", status, err)
	}
}
