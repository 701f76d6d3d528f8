package worker

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

var system = tenant.SystemScope("test")

// validManifest makes eight things: a group, its rule, a model, its price, a channel, a tenant, a user and
// two tokens, one of them without a given value.
const validManifest = `
groups:
  - {name: default, models: ["*"], multiplier: "0.5"}
models:
  - {id: small, owned_by: acme, price: {input: "1"}}
channels:
  - {name: main, type: openai, base_url: "https://api.example/v1", api_keys: [sk-upstream-secret-1], endpoints: [chat], models: {small: small}}
tenants:
  - slug: acme
    name: Acme
    quota: "5"
    users:
      - {email: a@acme.example, password: correct-horse-1, role: owner, group: default, tokens: [{name: made}, {name: given, value: "given-token-value-0123456789"}]}
`

// importStage is a store with an operator who imports manifests.
type importStage struct {
	*testing.T
	*store.Store
	sealer   *seal.Sealer
	operator tenant.User
}

// eachImportStage runs the test on each kind of database.
func eachImportStage(t *testing.T, test func(s *importStage)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, of *store.Store) {
		s := &importStage{T: t, Store: of, sealer: seal.New([32]byte{7})}
		var err error
		s.operator, err = s.Identity.CreateUser(t.Context(), storetest.Confirmed(system),
			identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"})
		s.must(err)
		test(s)
	})
}

func (s *importStage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// ask creates the job of an import, or of a preview if apply is false.
func (s *importStage) ask(text string, apply bool) job.Job {
	s.Helper()
	id := uuid.Must(uuid.NewV7())
	sealed, err := s.sealer.Seal(text, job.InputPurpose(id))
	s.must(err)
	j, err := s.Job.CreateJob(s.Context(), tenant.ScopeOf(s.operator), jobdb.NewJob{
		ID: id, Kind: job.ManifestImport, Parameters: job.ImportParameters{Apply: apply, Bytes: len(text)},
		Input: sealed,
	})
	s.must(err)
	return j
}

// work runs all jobs that are due.
func (s *importStage) work(w jobs.Work) {
	s.Helper()
	runner, err := jobs.New(jobs.Options{
		Store: s.Store, Scope: system, Work: map[job.Kind]jobs.Work{job.ManifestImport: w},
		Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Lease: time.Minute,
		Beat: 10 * time.Millisecond,
	})
	s.must(err)
	s.must(runner.Run(s.Context()))
}

// done runs a worker and returns the job and its result. It checks that they show no secret of the manifest.
func (s *importStage) done(asked job.Job) (j job.Job, r job.ImportResult) {
	s.Helper()
	s.work(&importer{store: s.Store, sealer: s.sealer})
	j, err := s.Job.Job(s.Context(), tenant.ScopeOf(s.operator), asked.ID)
	s.must(err)
	if j.Result != nil {
		s.must(json.Unmarshal(j.Result, &r))
	}
	for _, secret := range []string{"sk-upstream-secret-1", "correct-horse-1", "given-token-value"} {
		if strings.Contains(string(j.Result)+j.Failure.Text+string(j.Parameters), secret) {
			s.Errorf("the job shows %s", secret)
		}
	}
	return j, r
}

// things returns the numbers of models, channels and tenants.
func (s *importStage) things() (n [3]int) {
	s.Helper()
	snapshot, err := s.Catalog.Snapshot(s.Context(), system)
	s.must(err)
	tenants, err := s.Identity.Tenants(s.Context(), system, page.Page{})
	s.must(err)
	return [3]int{len(snapshot.Models()), len(snapshot.Channels()), len(tenants.Items)}
}

func TestImport_PreviewReportsTheChangesWithoutMakingThem(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		version := func() int64 {
			snapshot, err := s.Catalog.Snapshot(s.Context(), system)
			s.must(err)
			return snapshot.Version
		}
		before := version()
		j, preview := s.done(s.ask(validManifest, false))
		if j.Status != job.Succeeded || preview.Applied || preview.Tokens != 1 || j.Secret || len(preview.Faults) != 0 {
			s.Errorf("got preview %+v with result %+v, want success with one token and no faults", j, preview)
		}
		if s.things() != [3]int{} || version() != before {
			s.Fatal("the preview changed the database")
		}
		j, applied := s.done(s.ask(validManifest, true))
		if j.Status != job.Succeeded || !applied.Applied || applied.Changes != preview.Changes ||
			len(applied.Deeds) != len(preview.Deeds) || applied.Changes != 8 {
			s.Errorf("got import %+v with result %+v, want the 8 changes of the preview %+v", j, applied, preview)
		}
		for i := range applied.Deeds {
			if applied.Deeds[i] != preview.Deeds[i] {
				s.Errorf("change %d: got %+v, the preview has %+v", i, applied.Deeds[i], preview.Deeds[i])
			}
		}
		if s.things() != [3]int{1, 1, 1} {
			s.Errorf("got %v models, channels and tenants, want one of each", s.things())
		}
		if _, again := s.done(s.ask(validManifest, true)); again.Changes != 0 {
			s.Errorf("second import: got %+v, want no changes", again)
		}
		s.tokens(j)
		s.audited()
	})
}

// tokens checks that the job's secret has the value of the new token, and that both tokens work.
func (s *importStage) tokens(j job.Job) {
	s.Helper()
	sealed, err := s.Job.TakeJobSecret(s.Context(), tenant.ScopeOf(s.operator), j.ID)
	s.must(err)
	text, err := s.sealer.Open(sealed, job.SecretPurpose(j.ID))
	s.must(err)
	var made []job.ImportedToken
	s.must(json.Unmarshal([]byte(text), &made))
	if len(made) != 1 || made[0].Name != "made" || made[0].Tenant != "acme" {
		s.Fatalf("got tokens %+v, want the one without a given value", made)
	}
	for _, value := range []string{made[0].Value, "given-token-value-0123456789"} {
		_, err = s.Token.Caller(s.Context(), system, token.HashOf(s.sealer.Pepper(), value))
		s.must(err)
	}
}

// audited checks that the audit log has the operator as the actor of every entry.
func (s *importStage) audited() {
	s.Helper()
	entries, err := s.Audit.List(s.Context(), system, audit.Query{Page: page.Page{Limit: 200}})
	s.must(err)
	for _, e := range entries.Items {
		if e.Actor != s.operator.Email && e.Target != s.operator.ID.String() {
			s.Errorf("%s: got actor %s, want %s", e.Action, e.Actor, s.operator.Email)
		}
	}
}

func TestImport_ReportsFaultsWithTheirLines(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		s.done(s.ask(validManifest, true))
		for _, row := range []struct {
			name, text string
			line       int
			key, part  string // of the fault's text
		}{
			{"malformed YAML", "groups: [", 1, "", "not valid YAML"},
			{"an unknown key", "groups:\n  - name: x\n    models: []\n    colour: red\n", 4,
				"groups[0].colour", "unknown key"},
			{"an environment variable", "operators:\n  - email: x@example.com\n    password: ${HOME}\n", 3,
				"operators[0].password", "${HOME} is not replaced"},
			{"a conflict with the database", "\nmodels:\n  - {id: small, owned_by: acme, price: {input: " +
				"\"1\"}}\nchannels:\n  - {name: main, type: echo, endpoints: [chat], models: {small: " +
				"small}}\n", 5, "channels[0]", "cannot be changed"},
			{"too many people", "operators:" + strings.Repeat("\n  - {email: x@example.com, password: y}", maxPeople+1),
				0, "", "at most 500"},
		} {
			before := s.things()
			for apply, status := range map[bool]job.Status{false: job.Succeeded, true: job.Failed} {
				j, r := s.done(s.ask(row.text, apply))
				if j.Status != status || r.Applied || len(r.Faults) == 0 {
					s.Errorf("%s: got %s with result %+v, want %s with faults", row.name, j.Status, r, status)
					continue
				}
				f := r.Faults[0]
				if row.name != "too many people" &&
					(f.Line != row.line || f.Key != row.key || !strings.Contains(f.Text, row.part)) {
					s.Errorf("%s: got fault %+v, want line %d, key %s, text with %q", row.name, f, row.line,
						row.key, row.part)
				}
			}
			if s.things() != before {
				s.Errorf("%s: the database was changed", row.name)
			}
		}
	})
}

// losingImporter loses its job before it begins, and does not notice because its context does not end.
type losingImporter struct {
	importer
	lose func(context.Context, *jobs.Claim)
}

func (i *losingImporter) Do(ctx context.Context, t *jobs.Claim) error {
	i.lose(ctx, t)
	return i.importer.Do(context.WithoutCancel(ctx), t)
}
func TestImport_ChangesNothingWhenTheJobWasLost(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		s.ask(validManifest, true)
		s.work(&losingImporter{importer: importer{store: s.Store, sealer: s.sealer},
			lose: func(ctx context.Context, t *jobs.Claim) {
				_, err := s.Job.CancelJob(ctx, tenant.ScopeOf(s.operator), t.ID)
				s.must(err)
			}})
		if s.things() != [3]int{} {
			s.Errorf("got %v models, channels and tenants, want none", s.things())
		}
	})
}

func TestImport_FailsWhenTheManifestWasSealedWithAnotherKey(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		asked := s.ask(validManifest, true)
		s.sealer = seal.New([32]byte{8})
		if j, _ := s.done(asked); j.Status != job.Failed ||
			!strings.Contains(j.Failure.Text, "a secret key that this worker does not have") {
			s.Errorf("got %+v, want a failure that names the secret key", j)
		}
	})
}
