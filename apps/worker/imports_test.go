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

const good = `
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

// importStage is a store with an operator, who imports.
type importStage struct {
	*testing.T
	*store.Store
	sealer   *seal.Sealer
	operator tenant.User
}

func eachImportStage(t *testing.T, test func(s *importStage)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, of *store.Store) {
		s := &importStage{T: t, Store: of, sealer: seal.New([32]byte{7})}
		var err error
		s.operator, err = s.Identity.CreateUser(t.Context(), system, identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"})
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

func (s *importStage) ask(text string, apply bool) job.Job {
	s.Helper()
	id := uuid.Must(uuid.NewV7())
	sealed, err := s.sealer.Seal(text, job.InputPurpose(id))
	s.must(err)
	j, err := s.Job.CreateJob(s.Context(), tenant.ScopeOf(s.operator), jobdb.NewJob{
		ID: id, Kind: job.ManifestImport, Parameters: job.ImportParameters{Apply: apply, Bytes: len(text)}, Input: sealed,
	})
	s.must(err)
	return j
}

func (s *importStage) work(w jobs.Work) {
	s.Helper()
	runner, err := jobs.New(jobs.Options{
		Store: s.Store, Scope: system, Work: map[job.Kind]jobs.Work{job.ManifestImport: w},
		Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Lease: time.Minute, Beat: 10 * time.Millisecond,
	})
	s.must(err)
	s.must(runner.Run(s.Context()))
}

// done returns the job and its result after a worker was there.
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

// things are how many groups, models, channels and tenants there are.
func (s *importStage) things() (n [3]int) {
	s.Helper()
	snapshot, err := s.Catalog.Snapshot(s.Context(), system)
	s.must(err)
	tenants, err := s.Identity.Tenants(s.Context(), system, page.Page{})
	s.must(err)
	return [3]int{len(snapshot.Models()), len(snapshot.Channels()), len(tenants.Items)}
}

func TestAPreviewTellsWhatApplyingDoes(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		version := func() int64 {
			snapshot, err := s.Catalog.Snapshot(s.Context(), system)
			s.must(err)
			return snapshot.Version
		}
		before := version()
		j, preview := s.done(s.ask(good, false))
		if j.Status != job.Succeeded || preview.Applied || preview.Tokens != 1 || j.Secret || len(preview.Faults) != 0 {
			s.Errorf("%+v: %+v", j, preview)
		}
		if s.things() != [3]int{} || version() != before {
			s.Fatal("the preview changed something")
		}
		j, applied := s.done(s.ask(good, true))
		if j.Status != job.Succeeded || !applied.Applied || applied.Changes != preview.Changes || len(applied.Deeds) != len(preview.Deeds) || applied.Changes != 8 {
			s.Errorf("%+v: %+v, previewed %+v", j, applied, preview)
		}
		for i := range applied.Deeds {
			if applied.Deeds[i] != preview.Deeds[i] {
				s.Errorf("%+v, previewed %+v", applied.Deeds[i], preview.Deeds[i])
			}
		}
		if s.things() != [3]int{1, 1, 1} {
			s.Errorf("%v", s.things())
		}
		if _, again := s.done(s.ask(good, true)); again.Changes != 0 {
			s.Errorf("again: %+v", again)
		}
		s.tokens(j)
		s.audited()
	})
}

// tokens checks that the value of the token that was made is handed out, and works.
func (s *importStage) tokens(j job.Job) {
	s.Helper()
	sealed, err := s.Job.TakeJobSecret(s.Context(), tenant.ScopeOf(s.operator), j.ID)
	s.must(err)
	text, err := s.sealer.Open(sealed, job.SecretPurpose(j.ID))
	s.must(err)
	var made []job.ImportedToken
	s.must(json.Unmarshal([]byte(text), &made))
	if len(made) != 1 || made[0].Name != "made" || made[0].Tenant != "acme" {
		s.Fatalf("%+v", made)
	}
	for _, value := range []string{made[0].Value, "given-token-value-0123456789"} {
		_, err = s.Token.Caller(s.Context(), system, token.HashOf(s.sealer.Pepper(), value))
		s.must(err)
	}
}

// audited checks that it is the operator who did it all.
func (s *importStage) audited() {
	s.Helper()
	entries, err := s.Audit.List(s.Context(), system, audit.Query{Page: page.Page{Limit: 200}})
	s.must(err)
	for _, e := range entries.Items {
		if e.Actor != s.operator.Email && e.Target != s.operator.ID.String() {
			s.Errorf("%s was done by %s", e.Action, e.Actor)
		}
	}
}

func TestFaultsAreToldWithTheirLines(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		s.done(s.ask(good, true))
		for _, row := range []struct {
			name, text string
			line       int
			key, says  string
		}{
			{"no YAML", "groups: [", 1, "", "not valid YAML"},
			{"an unknown key", "groups:\n  - name: x\n    models: []\n    colour: red\n", 4, "groups[0].colour", "unknown key"},
			{"a variable", "operators:\n  - email: x@example.com\n    password: ${HOME}\n", 3, "operators[0].password", "${HOME} is not filled in"},
			{"what is there stands against it", "\nmodels:\n  - {id: small, owned_by: acme, price: {input: \"1\"}}\nchannels:\n  - {name: main, type: echo, endpoints: [chat], models: {small: small}}\n", 5, "channels[0]", "cannot be changed"},
			{"too many people", "operators:" + strings.Repeat("\n  - {email: x@example.com, password: y}", maxPeople+1), 0, "", "at most 500"},
		} {
			before := s.things()
			for apply, status := range map[bool]job.Status{false: job.Succeeded, true: job.Failed} {
				j, r := s.done(s.ask(row.text, apply))
				if j.Status != status || r.Applied || len(r.Faults) == 0 {
					s.Errorf("%s: %s, %+v", row.name, j.Status, r)
					continue
				}
				f := r.Faults[0]
				if row.name != "too many people" && (f.Line != row.line || f.Key != row.key || !strings.Contains(f.Text, row.says)) {
					s.Errorf("%s: %+v", row.name, f)
				}
			}
			if s.things() != before {
				s.Errorf("%s: something was changed", row.name)
			}
		}
	})
}

// thief has the job cancelled behind the importer's back.
type thief struct {
	importer
	steal func(context.Context, *jobs.Claim)
}

func (i *thief) Do(ctx context.Context, t *jobs.Claim) error {
	i.steal(ctx, t)
	return i.importer.Do(context.WithoutCancel(ctx), t)
}

// A worker that lost its job changes nothing, although it does not know yet.
func TestALostImportChangesNothing(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		s.ask(good, true)
		s.work(&thief{importer: importer{store: s.Store, sealer: s.sealer}, steal: func(ctx context.Context, t *jobs.Claim) {
			_, err := s.Job.CancelJob(ctx, tenant.ScopeOf(s.operator), t.ID)
			s.must(err)
		}})
		if s.things() != [3]int{} {
			s.Errorf("%v", s.things())
		}
	})
}

func TestAnotherSecretKeyIsToldSo(t *testing.T) {
	t.Parallel()
	eachImportStage(t, func(s *importStage) {
		asked := s.ask(good, true)
		s.sealer = seal.New([32]byte{8})
		if j, _ := s.done(asked); j.Status != job.Failed || !strings.Contains(j.Failure.Text, "another secret key") {
			s.Errorf("%+v", j)
		}
	})
}
