package operator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

func TestChannelCosts_AreCreatedListedAndWithdrawn(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, path := s.As(s.Operator), "/api/operator/channels/"+s.Channel.ID.String()+"/costs"
	body := map[string]any{"upstream_model": "upstream-mini", "factor": "0.9",
		"rates": map[string]any{"input": "0.1", "tiers": []any{map[string]any{"above_input": 1000, "input": "0.2"}}}}
	created := operator.Post(path, body).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "current", "state")
	consoletest.Equal(t, created, "0.9", "factor")
	consoletest.Equal(t, created, "0.2", "rates", "tiers", 0, "input")
	body["effective_from"] = time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	delete(body, "factor")
	later := operator.Post(path, body).Want(t, http.StatusCreated)
	consoletest.Equal(t, later, "scheduled", "state")
	consoletest.Equal(t, later, "1", "factor")
	withdraw := "/api/operator/channel-costs/" + later["id"].(string) + "/withdraw" //nolint:errcheck // a failed assertion fails the test
	consoletest.Equal(t, operator.Post(withdraw, nil).Want(t, http.StatusOK), "withdrawn", "state")
	list := operator.Get(path).Want(t, http.StatusOK)
	consoletest.Equal(t, list, "withdrawn", "items", 0, "state")
	consoletest.Equal(t, list, "current", "items", 1, "state")
	for field, wrong := range map[string]map[string]any{
		"rates":       {"upstream_model": "m", "rates": map[string]any{}},
		"rates.input": {"upstream_model": "m", "rates": map[string]any{"input": "-1"}},
		"body.factor": {"upstream_model": "m", "rates": map[string]any{"input": "1"}, "factor": "-1"},
		"effective_from": {"upstream_model": "m", "rates": map[string]any{"input": "1"},
			"effective_from": "2020-01-01T00:00:00Z"},
		"body.rates":      {"upstream_model": "m"},
		"body.rates.tool": {"upstream_model": "m", "rates": map[string]any{"tool": "1"}},
	} {
		r := operator.Post(path, wrong)
		if r.StatusCode < 400 || r.StatusCode >= 500 || !strings.Contains(r.Raw, strings.TrimPrefix(field, "body.")) {
			t.Errorf("%s: got %d %s", field, r.StatusCode, r.Raw)
		}
	}
	operator.Get("/api/operator/channels/"+uuid.NewString()+"/costs").Refused(t, http.StatusNotFound, "")
	for _, who := range []tenant.User{s.Acme.Owner, s.Acme.Member} {
		s.As(who).Get(path).Refused(t, http.StatusForbidden, "")
		s.As(who).Post(path, body).Refused(t, http.StatusForbidden, "")
		s.As(who).Post(withdraw, nil).Refused(t, http.StatusForbidden, "")
	}
}
