package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
)

// An operator stores a billing credential. Nothing that the console answers or records contains it, and only the
// worker's key opens it.
func TestBillingAccount_NeverShowsItsCredential(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	const secret = "sk-admin-very-secret-0123456789"
	body := map[string]any{
		"name": "OpenAI", "provider": "openai", "channels": []string{s.channel.ID.String()}, "credential": secret,
		"keys": []map[string]any{{"id": "key_1", "mask": "sk-…1"}},
	}
	created := operator.post("/api/operator/billing-accounts", body).want(t, http.StatusCreated)
	equal(t, created, true, "has_credential")
	equal(t, created, "key_1", "keys", 0, "id")
	path := "/api/operator/billing-accounts/" + text(t, created, "id")
	operator.patch(path, map[string]any{"credential": secret, "name": "OpenAI 2"}).want(t, http.StatusOK)
	for _, path := range []string{path, "/api/operator/billing-accounts", "/api/operator/audit-log"} {
		if r := operator.get(path); strings.Contains(r.raw, "very-secret") || r.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d with the credential: %s", path, r.StatusCode, r.raw)
		}
	}
	claim, err := s.store.Invoice.Claim(t.Context(), system, time.Minute)
	s.must(err)
	if plain, err := seal.New(s.secret).OpenBilling(claim.Credential.Sealed, claim.ID.String()); err != nil ||
		plain != secret {
		t.Errorf("the stored credential opens as %q, error %v", plain, err)
	}
	// The credential was given for one address.
	equal(t, operator.patch(path, map[string]any{"base_url": "https://other.example"}).want(t, http.StatusOK), false,
		"has_credential")

	s.do(operator, "DELETE", path, http.StatusNoContent)
	operator.get(path).refused(t, http.StatusNotFound, "")
}

// do sends a request without a body and checks the status.
func (s *stack) do(c *client, method, path string, status int) {
	s.Helper()
	if r := c.do(method, path, nil); r.StatusCode != status {
		s.Errorf("%s %s: got %d %s, want %d", method, path, r.StatusCode, r.raw, status)
	}
}

func TestBillingAccount_NamesTheWrongField(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	for field, change := range map[string]map[string]any{
		"credential": {"credential": "two words"},
		"base_url":   {"base_url": "http://169.254.169.254/"},
		"channels":   {"channels": []string{s.acme.ID.String()}},
		"keys":       {"keys": []map[string]any{{"id": "a", "mask": "x"}, {"id": "a", "mask": "y"}}},
		"provider":   {"provider": "nobody"},
	} {
		body := map[string]any{"name": "x", "provider": "openai"}
		for name, value := range change {
			body[name] = value
		}
		operator.post("/api/operator/billing-accounts", body).refused(t, http.StatusBadRequest, field)
	}
	operator.get("/api/operator/supplier-days?from=2026-01-01&to=2026-11-01").refused(t, http.StatusBadRequest, "from")
	operator.get("/api/operator/supplier-days?to=2026-02-30").refused(t, http.StatusBadRequest, "to")
}

func TestSupplierCharges_AreUploadedAndCompared(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	created := operator.post("/api/operator/billing-accounts", map[string]any{"name": "Reseller", "provider": "csv",
		"channels": []string{s.channel.ID.String()}}).want(t, http.StatusCreated)
	id := text(t, created, "id")
	path := "/api/operator/billing-accounts/" + id
	day := string(invoice.DayOf(s.now()).Add(-5))
	for _, csv := range []string{"day,amount,model\n" + day + ",1,=1+1\n", "day,amount\n" + day + ",-1\n",
		"day,amount\n" + day + ",1e30\n"} {
		operator.post(path+"/charges", map[string]any{"csv": csv}).refused(t, http.StatusBadRequest, "csv")
	}
	if r := operator.post(path+"/charges", map[string]any{"csv": strings.Repeat("x", 100<<20)}); r.StatusCode !=
		http.StatusRequestEntityTooLarge {
		t.Errorf("100 MB: got %d, want 413", r.StatusCode)
	}
	uploaded := operator.post(path+"/charges",
		map[string]any{"csv": "day,model,amount,requests\n" + day + ",upstream-mini,12.5,3\n"}).want(t, http.StatusOK)
	equal(t, uploaded, float64(1), "days")
	if n := len(s.woken.woken); n == 0 || s.woken.woken[n-1] != queue.FetchCharges {
		t.Errorf("woke %v, want a fetch", s.woken.woken)
	}
	if more, err := s.store.Invoice.Compare(t.Context(), system, uuid.MustParse(id)); err != nil || more {
		t.Fatalf("compare: more %v, error %v", more, err)
	}
	days := items(t, operator.get("/api/operator/supplier-days?account_id="+id+"&status=differs").
		want(t, http.StatusOK))
	if len(days) != 1 {
		t.Fatalf("got %v, want one day", days)
	}
	equal(t, days[0], "12.5", "difference")
	equal(t, days[0], "other_use", "reason")
	detail := operator.get(path+"/comparison?day="+day).want(t, http.StatusOK)
	equal(t, detail, "upstream-mini", "models", 0, "name")
	equal(t, detail, float64(3), "models", 0, "provider", "requests")
	equal(t, detail, nil, "models", 0, "provider", "input_tokens")
	operator.get(path+"/comparison?day=2026-01-01").refused(t, http.StatusNotFound, "")
	operator.post(path+"/fetch", nil).want(t, http.StatusAccepted)
}

// Supplier costs are for operators: nobody in a tenant learns anything of them.
func TestSupplierInvoices_AreHiddenFromTenants(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	id := text(t, operator.post("/api/operator/billing-accounts",
		map[string]any{"name": "Reseller", "provider": "csv"}).want(t, http.StatusCreated), "id")
	for _, caller := range []*client{s.as(s.acme.owner), s.as(s.acme.admin), s.as(s.acme.member)} {
		for _, path := range []string{"/api/operator/billing-accounts", "/api/operator/billing-accounts/" + id,
			"/api/operator/billing-accounts/" + id + "/comparison?day=2026-11-01", "/api/operator/supplier-days"} {
			caller.get(path).refused(t, http.StatusForbidden, "")
		}
		caller.post("/api/operator/billing-accounts", map[string]any{"name": "x", "provider": "csv"}).
			refused(t, http.StatusForbidden, "")
		caller.post("/api/operator/billing-accounts/"+id+"/charges",
			map[string]any{"csv": "day,amount\n2026-11-01,1\n"}).refused(t, http.StatusForbidden, "")
		s.do(caller, "DELETE", "/api/operator/billing-accounts/"+id, http.StatusForbidden)
	}
}
