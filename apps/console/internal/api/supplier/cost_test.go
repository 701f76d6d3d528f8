package supplier_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

func TestSupplierCost_IsShownToOperators(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	log := s.Supplied()
	operator := s.As(s.Operator)
	detail := operator.Get("/api/usage-logs/"+log.ID.String()).Want(t, http.StatusOK)
	consoletest.Equal(t, detail, "0.008", "supplier_cost")
	consoletest.Equal(t, detail, log.CostID.String(), "cost_id")
	consoletest.Equal(t, detail, "0.005", "supplier_receipt", "total")
	consoletest.Equal(t, detail, "0.003", "attempts", 0, "supplier_cost")
	consoletest.Equal(t, detail, 3_133_731_337_313.0, "attempts", 0, "tokens", "input")
	consoletest.Equal(t, operator.Get("/api/usage-logs").Want(t, http.StatusOK), "0.008", "items", 0, "supplier_cost")
	for _, by := range []string{"", "&by=tenant", "&by=model", "&by=channel"} {
		summary := operator.Get("/api/usage-summary?tenant_id="+s.Acme.ID.String()+by+"&from="+time.Now().
			Add(-time.Hour).UTC().Format(time.RFC3339)).Want(t, http.StatusOK)
		row := -1
		for i := range consoletest.Items(t, summary) {
			if consoletest.At(t, summary, "items", i, "supplier", "cost") == "0.008" {
				row = i
			}
		}
		if row < 0 {
			t.Errorf("%q: no row has the cost: %v", by, summary)
			continue
		}
		consoletest.Equal(t, summary, "0.009", "items", row, "supplier", "quota")
		consoletest.Equal(t, summary, "0.001", "items", row, "supplier", "margin")
		consoletest.Equal(t, summary, 1.0, "items", row, "supplier", "requests")
	}
	consoletest.Equal(t, operator.Get("/api/usage-summary?by=user").Want(t, http.StatusOK), nil, "items", 0, "supplier")
	for _, query := range []string{"tenant_id=" + s.Acme.ID.String(), "outcome=success&from=" + time.Now().
		Add(-time.Hour).UTC().Format(time.RFC3339)} {
		totals := operator.Get("/api/usage-log-totals?"+query).Want(t, http.StatusOK)
		for key, want := range map[string]any{"cost": "0.008", "requests": 1.0, "quota": "0.009", "margin": "0.001"} {
			consoletest.Equal(t, totals, want, "supplier", key)
		}
	}
	consoletest.Equal(t, operator.Get("/api/usage-log-totals?user_id="+s.Acme.Member.ID.String()).
		Want(t, http.StatusOK), nil, "supplier")
}
