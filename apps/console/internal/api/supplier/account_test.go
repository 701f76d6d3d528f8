package supplier_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/seal"
)

// An operator stores a billing credential. Nothing that the console answers or records contains it, and only the
// worker's key opens it.
func TestBillingAccount_NeverShowsItsCredential(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	const secret = "sk-admin-very-secret-0123456789"
	body := map[string]any{
		"name": "OpenAI", "provider": "openai", "channels": []string{s.Channel.ID.String()}, "credential": secret,
		"keys": []map[string]any{{"id": "key_1", "mask": "sk-…1"}},
	}
	created := operator.Post("/api/operator/billing-accounts", body).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, true, "has_credential")
	consoletest.Equal(t, created, "key_1", "keys", 0, "id")
	path := "/api/operator/billing-accounts/" + consoletest.Text(t, created, "id")
	operator.Patch(path, map[string]any{"credential": secret, "name": "OpenAI 2"}).Want(t, http.StatusOK)
	for _, path := range []string{path, "/api/operator/billing-accounts", "/api/operator/audit-log"} {
		if r := operator.Get(path); strings.Contains(r.Raw, "very-secret") || r.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d with the credential: %s", path, r.StatusCode, r.Raw)
		}
	}
	claim, err := s.Store.Invoice.Claim(t.Context(), consoletest.System, time.Minute)
	s.Must(err)
	if plain, err := seal.New(s.Secret).OpenBilling(claim.Credential.Sealed, claim.ID.String()); err != nil ||
		plain != secret {
		t.Errorf("the stored credential opens as %q, error %v", plain, err)
	}
	// The credential was given for one address.
	consoletest.Equal(t, operator.Patch(path, map[string]any{"base_url": "https://other.example"}).
		Want(t, http.StatusOK), false, "has_credential")

	do(s, operator, "DELETE", path, http.StatusNoContent)
	operator.Get(path).Refused(t, http.StatusNotFound, "")
}

// do sends a request without a body and checks the status.
func do(s *consoletest.Stack, c *consoletest.Client, method, path string, status int) {
	s.Helper()
	if r := c.Do(method, path, nil); r.StatusCode != status {
		s.Errorf("%s %s: got %d %s, want %d", method, path, r.StatusCode, r.Raw, status)
	}
}

func TestBillingAccount_NamesTheWrongField(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	for field, change := range map[string]map[string]any{
		"credential": {"credential": "two words"},
		"base_url":   {"base_url": "http://169.254.169.254/"},
		"channels":   {"channels": []string{s.Acme.ID.String()}},
		"keys":       {"keys": []map[string]any{{"id": "a", "mask": "x"}, {"id": "a", "mask": "y"}}},
		"provider":   {"provider": "nobody"},
	} {
		body := map[string]any{"name": "x", "provider": "openai"}
		for name, value := range change {
			body[name] = value
		}
		operator.Post("/api/operator/billing-accounts", body).Refused(t, http.StatusBadRequest, field)
	}
	operator.Get("/api/operator/supplier-days?from=2026-01-01&to=2026-11-01").Refused(t, http.StatusBadRequest, "from")
	operator.Get("/api/operator/supplier-days?to=2026-02-30").Refused(t, http.StatusBadRequest, "to")
}

func TestSupplierCharges_AreUploadedAndCompared(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	created := operator.Post("/api/operator/billing-accounts", map[string]any{"name": "Reseller", "provider": "csv",
		"channels": []string{s.Channel.ID.String()}}).Want(t, http.StatusCreated)
	id := consoletest.Text(t, created, "id")
	path := "/api/operator/billing-accounts/" + id
	day := string(invoice.DayOf(s.Now()).Add(-5))
	for _, csv := range []string{"day,amount,model\n" + day + ",1,=1+1\n", "day,amount\n" + day + ",-1\n",
		"day,amount\n" + day + ",1e30\n"} {
		operator.Post(path+"/charges", map[string]any{"csv": csv}).Refused(t, http.StatusBadRequest, "csv")
	}
	if r := operator.Post(path+"/charges", map[string]any{"csv": strings.Repeat("x", 100<<20)}); r.StatusCode !=
		http.StatusRequestEntityTooLarge {
		t.Errorf("100 MB: got %d, want 413", r.StatusCode)
	}
	uploaded := operator.Post(path+"/charges",
		map[string]any{"csv": "day,model,amount,requests\n" + day + ",upstream-mini,12.5,3\n"}).Want(t, http.StatusOK)
	consoletest.Equal(t, uploaded, float64(1), "days")
	if n := len(s.Woken.Woken); n == 0 || s.Woken.Woken[n-1] != queue.FetchCharges {
		t.Errorf("woke %v, want a fetch", s.Woken.Woken)
	}
	if more, err := s.Store.Invoice.Compare(t.Context(), consoletest.System, uuid.MustParse(id)); err != nil || more {
		t.Fatalf("compare: more %v, error %v", more, err)
	}
	days := consoletest.Items(t, operator.Get("/api/operator/supplier-days?account_id="+id+"&status=differs").
		Want(t, http.StatusOK))
	if len(days) != 1 {
		t.Fatalf("got %v, want one day", days)
	}
	consoletest.Equal(t, days[0], "12.5", "difference")
	consoletest.Equal(t, days[0], "other_use", "reason")
	detail := operator.Get(path+"/comparison?day="+day).Want(t, http.StatusOK)
	consoletest.Equal(t, detail, "upstream-mini", "models", 0, "name")
	consoletest.Equal(t, detail, float64(3), "models", 0, "provider", "requests")
	consoletest.Equal(t, detail, nil, "models", 0, "provider", "input_tokens")
	operator.Get(path+"/comparison?day=2026-01-01").Refused(t, http.StatusNotFound, "")
	operator.Post(path+"/fetch", nil).Want(t, http.StatusAccepted)
}

// Supplier costs are for operators: nobody in a tenant learns anything of them.
func TestSupplierInvoices_AreHiddenFromTenants(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	id := consoletest.Text(t, operator.Post("/api/operator/billing-accounts",
		map[string]any{"name": "Reseller", "provider": "csv"}).Want(t, http.StatusCreated), "id")
	for _, caller := range []*consoletest.Client{s.As(s.Acme.Owner), s.As(s.Acme.Admin), s.As(s.Acme.Member)} {
		for _, path := range []string{"/api/operator/billing-accounts", "/api/operator/billing-accounts/" + id,
			"/api/operator/billing-accounts/" + id + "/comparison?day=2026-11-01", "/api/operator/supplier-days"} {
			caller.Get(path).Refused(t, http.StatusForbidden, "")
		}
		caller.Post("/api/operator/billing-accounts", map[string]any{"name": "x", "provider": "csv"}).
			Refused(t, http.StatusForbidden, "")
		caller.Post("/api/operator/billing-accounts/"+id+"/charges",
			map[string]any{"csv": "day,amount\n2026-11-01,1\n"}).Refused(t, http.StatusForbidden, "")
		do(s, caller, "DELETE", "/api/operator/billing-accounts/"+id, http.StatusForbidden)
	}
}
