package operator_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestPriceSimulation_ChecksParametersAndShowsTheResult(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	const path = "/api/operator/jobs/price-simulation"
	group := s.Group.ID.String()
	for _, row := range []struct {
		body   string
		status int
		param  string
	}{
		{`{}`, 400, "price"},
		{`{"price":{"model":"none","price":{"input":"1"}}}`, 400, "price.model"},
		{`{"price":{"model":"gpt-4o-mini","price":{}}}`, 400, "price.price"},
		{`{"price":{"model":"gpt-4o-mini","price":{"input":"-1"}}}`, 400, "price.price.input"},
		{`{"rule":{"group_id":"01900000-0000-7000-8000-000000000000"}}`, 400, "rule.group_id"},
		{`{"rule":{"group_id":"` + group + `","model":"none"}}`, 400, "rule.model"},
		{`{"rule":{"group_id":"` + group + `","multiplier":"-1"}}`, 400, "rule.multiplier"},
		{`{"rule":{"group_id":"` + group + `","fixed":"-1"}}`, 400, "rule.fixed"},
		{`{"rule":{"group_id":"` + group + `"},"from":"2025-01-01T00:00:00Z"}`, 400, "from"},
		{`{"rule":{"group_id":"` + group + `"},"from":"2999-01-01T00:00:00Z"}`, 400, "from"},
	} {
		operator.Post(path, row.body).Refused(t, row.status, row.param)
	}
	created := operator.Post(path, `{"price":{"model":"gpt-4o-mini","price":{"input":"0.30"}},"rule":{"group_id":"`+
		group+`","multiplier":"0.9"}}`).Want(t, http.StatusAccepted)
	consoletest.Equal(t, created, "0.3", "parameters", "price_simulation", "price", "price", "input")
	consoletest.Equal(t, created, "0.9", "parameters", "price_simulation", "rule", "multiplier")
	c := s.ClaimOf(created)
	s.Must(s.Store.Job.FinishJob(t.Context(), consoletest.System, c.Ref, jobdb.End{Result: job.SimulationResult{
		Totals: job.Totals{Calls: 2, Before: 3, After: 5, Difference: 2}, Affected: 1,
	}}))
	done := operator.Get("/api/jobs/"+consoletest.Text(t, created, "id")).Want(t, http.StatusOK)
	consoletest.Equal(t, done, "0.000000002", "result", "price_simulation", "difference")
	consoletest.Equal(t, done, 1.0, "result", "price_simulation", "affected")
	another, err := s.Store.Identity.CreateUser(t.Context(), storetest.Confirmed(consoletest.System),
		identity.NewUser{Email: "second@example.com", PasswordHash: s.Hashed(), Role: tenant.Operator})
	s.Must(err)
	s.As(another).Get("/api/jobs/"+consoletest.Text(t, created, "id")).Want(t, http.StatusOK)
	s.As(another).Get("/api/jobs/"+consoletest.Text(t, created, "id")+"/file").Refused(t, http.StatusNotFound, "")
}

// The manifest is stored encrypted, and the values of created tokens
// are returned once, only to the operator who created the import.
func TestManifestImport_KeepsSecretsEncrypted(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	const secret = "super-secret-password"
	body := map[string]any{"catalogue": "operators: [{email: x@example.com, password: " + secret + "}]", "apply": true}
	r := operator.Post("/api/operator/jobs/catalogue-import", body)
	created := r.Want(t, http.StatusAccepted)
	consoletest.Equal(t, created, true, "parameters", "catalogue_import", "apply")
	c := s.ClaimOf(created)
	opened, err := seal.New(s.Secret).Open(c.Input, job.InputPurpose(c.ID))
	s.Must(err)
	if opened != body["catalogue"] || strings.Contains(string(c.Input), secret) {
		t.Errorf("got input %q, which decrypts to %q", c.Input, opened)
	}
	tokens, err := json.Marshal([]job.ImportedToken{{Tenant: "acme", User: "a@acme.example", Name: "ci",
		Value: "sk-tg-value"}})
	s.Must(err)
	sealed, err := seal.New(s.Secret).Seal(string(tokens), job.SecretPurpose(c.ID))
	s.Must(err)
	s.Must(s.Store.Job.FinishJob(t.Context(), consoletest.System, c.Ref,
		jobdb.End{Result: job.ImportResult{Applied: true, Tokens: 1}, Secret: sealed}))
	path := "/api/jobs/" + c.ID.String()
	shown := operator.Get(path)
	consoletest.Equal(t, shown.Want(t, http.StatusOK), true, "tokens")
	all := r.Raw + shown.Raw + operator.Get("/api/jobs").Raw + operator.Get("/api/operator/audit-log").Raw
	for _, hidden := range []string{secret, "sk-tg-value"} {
		if strings.Contains(all, hidden) {
			t.Errorf("a response contains %q", hidden)
		}
	}
	another, err := s.Store.Identity.CreateUser(t.Context(), storetest.Confirmed(consoletest.System),
		identity.NewUser{Email: "second@example.com", PasswordHash: s.Hashed(), Role: tenant.Operator})
	s.Must(err)
	take := "/api/operator/jobs/" + c.ID.String() + "/tokens"
	s.As(another).Post(take, nil).Refused(t, http.StatusNotFound, "")
	taken := operator.Post(take, nil).Want(t, http.StatusOK)
	consoletest.Equal(t, taken, "sk-tg-value", "items", 0, "value")
	operator.Post(take, nil).Refused(t, http.StatusNotFound, "")
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), false, "tokens")
}

func TestManifestImport_RefusesEmptyAndTooLargeManifests(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	r := s.As(s.Operator).Post("/api/operator/jobs/catalogue-import",
		map[string]any{"catalogue": strings.Repeat("é", job.MaxManifest/2+1)})
	r.Refused(t, http.StatusRequestEntityTooLarge, "catalogue")
	s.As(s.Operator).Post("/api/operator/jobs/catalogue-import", `{"catalogue":""}`).
		Refused(t, http.StatusBadRequest, "catalogue")
}

// An import fails if the operator who created it is disabled before it runs.
func TestManifestImport_FailsWhenItsOperatorIsDisabled(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	another, err := s.Store.Identity.CreateUser(t.Context(), storetest.Confirmed(consoletest.System),
		identity.NewUser{Email: "second@example.com", PasswordHash: s.Hashed(), Role: tenant.Operator})
	s.Must(err)
	created := s.As(another).Post("/api/operator/jobs/catalogue-import", `{"catalogue":"groups: []","apply":true}`).
		Want(t, http.StatusAccepted)
	s.As(s.Operator).Patch("/api/operator/users/"+another.ID.String(), `{"status":"disabled"}`).Want(t, http.StatusOK)
	if c, err := s.Store.Job.ClaimJob(t.Context(), consoletest.System, []job.Kind{job.ManifestImport},
		time.Minute); err != nil || c != nil {
		t.Errorf("got claim %+v, %v, want none", c, err)
	}
	failed := s.As(s.Operator).Get("/api/jobs/"+consoletest.Text(t, created, "id")).Want(t, http.StatusOK)
	consoletest.Equal(t, failed, "failed", "status")
	consoletest.Equal(t, failed, "forbidden", "error", "code")
}
