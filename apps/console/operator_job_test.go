package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestPriceSimulation_ChecksParametersAndShowsTheResult(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	const path = "/api/operator/jobs/price-simulation"
	group := s.group.ID.String()
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
		operator.post(path, row.body).refused(t, row.status, row.param)
	}
	created := operator.post(path, `{"price":{"model":"gpt-4o-mini","price":{"input":"0.30"}},"rule":{"group_id":"`+
		group+`","multiplier":"0.9"}}`).want(t, http.StatusAccepted)
	equal(t, created, "0.3", "parameters", "price_simulation", "price", "price", "input")
	equal(t, created, "0.9", "parameters", "price_simulation", "rule", "multiplier")
	c := s.claimOf(created)
	s.must(s.store.Job.FinishJob(t.Context(), system, c.Ref, jobdb.End{Result: job.SimulationResult{
		Totals: job.Totals{Calls: 2, Before: 3, After: 5, Difference: 2}, Affected: 1,
	}}))
	done := operator.get("/api/jobs/"+text(t, created, "id")).want(t, http.StatusOK)
	equal(t, done, "0.000000002", "result", "price_simulation", "difference")
	equal(t, done, 1.0, "result", "price_simulation", "affected")
	another, err := s.store.Identity.CreateUser(t.Context(), storetest.Confirmed(system),
		identity.NewUser{Email: "second@example.com", PasswordHash: s.hashed(), Role: tenant.Operator})
	s.must(err)
	s.as(another).get("/api/jobs/"+text(t, created, "id")).want(t, http.StatusOK)
	s.as(another).get("/api/jobs/"+text(t, created, "id")+"/file").refused(t, http.StatusNotFound, "")
}

// The manifest is stored encrypted, and the values of created tokens
// are returned once, only to the operator who created the import.
func TestManifestImport_KeepsSecretsEncrypted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	const secret = "super-secret-password"
	body := map[string]any{"catalogue": "operators: [{email: x@example.com, password: " + secret + "}]", "apply": true}
	r := operator.post("/api/operator/jobs/catalogue-import", body)
	created := r.want(t, http.StatusAccepted)
	equal(t, created, true, "parameters", "catalogue_import", "apply")
	c := s.claimOf(created)
	opened, err := seal.New(s.secret).Open(c.Input, job.InputPurpose(c.ID))
	s.must(err)
	if opened != body["catalogue"] || strings.Contains(string(c.Input), secret) {
		t.Errorf("got input %q, which decrypts to %q", c.Input, opened)
	}
	tokens, err := json.Marshal([]job.ImportedToken{{Tenant: "acme", User: "a@acme.example", Name: "ci",
		Value: "sk-tg-value"}})
	s.must(err)
	sealed, err := seal.New(s.secret).Seal(string(tokens), job.SecretPurpose(c.ID))
	s.must(err)
	s.must(s.store.Job.FinishJob(t.Context(), system, c.Ref,
		jobdb.End{Result: job.ImportResult{Applied: true, Tokens: 1}, Secret: sealed}))
	path := "/api/jobs/" + c.ID.String()
	shown := operator.get(path)
	equal(t, shown.want(t, http.StatusOK), true, "tokens")
	all := r.raw + shown.raw + operator.get("/api/jobs").raw + operator.get("/api/operator/audit-log").raw
	for _, hidden := range []string{secret, "sk-tg-value"} {
		if strings.Contains(all, hidden) {
			t.Errorf("a response contains %q", hidden)
		}
	}
	another, err := s.store.Identity.CreateUser(t.Context(), storetest.Confirmed(system),
		identity.NewUser{Email: "second@example.com", PasswordHash: s.hashed(), Role: tenant.Operator})
	s.must(err)
	take := "/api/operator/jobs/" + c.ID.String() + "/tokens"
	s.as(another).post(take, nil).refused(t, http.StatusNotFound, "")
	taken := operator.post(take, nil).want(t, http.StatusOK)
	equal(t, taken, "sk-tg-value", "items", 0, "value")
	operator.post(take, nil).refused(t, http.StatusNotFound, "")
	equal(t, operator.get(path).want(t, http.StatusOK), false, "tokens")
}

func TestManifestImport_RefusesEmptyAndTooLargeManifests(t *testing.T) {
	t.Parallel()
	s := setup(t)
	r := s.as(s.operator).post("/api/operator/jobs/catalogue-import",
		map[string]any{"catalogue": strings.Repeat("é", job.MaxManifest/2+1)})
	r.refused(t, http.StatusRequestEntityTooLarge, "catalogue")
	s.as(s.operator).post("/api/operator/jobs/catalogue-import", `{"catalogue":""}`).
		refused(t, http.StatusBadRequest, "catalogue")
}

// An import fails if the operator who created it is disabled before it runs.
func TestManifestImport_FailsWhenItsOperatorIsDisabled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	another, err := s.store.Identity.CreateUser(t.Context(), storetest.Confirmed(system),
		identity.NewUser{Email: "second@example.com", PasswordHash: s.hashed(), Role: tenant.Operator})
	s.must(err)
	created := s.as(another).post("/api/operator/jobs/catalogue-import", `{"catalogue":"groups: []","apply":true}`).
		want(t, http.StatusAccepted)
	s.as(s.operator).patch("/api/operator/users/"+another.ID.String(), `{"status":"disabled"}`).want(t, http.StatusOK)
	if c, err := s.store.Job.ClaimJob(t.Context(), system, []job.Kind{job.ManifestImport}, time.Minute); err != nil ||
		c != nil {
		t.Errorf("got claim %+v, %v, want none", c, err)
	}
	failed := s.as(s.operator).get("/api/jobs/"+text(t, created, "id")).want(t, http.StatusOK)
	equal(t, failed, "failed", "status")
	equal(t, failed, "forbidden", "error", "code")
}
