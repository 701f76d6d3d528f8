package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// maxPeople bounds the users and operators of an imported manifest. All are made in one transaction, and the
// hash of each password takes tens of milliseconds, during which the transaction stays open.
const maxPeople = 500

// importer runs the jobs that apply an uploaded manifest. It is safe for concurrent use.
type importer struct {
	store  *store.Store
	sealer *seal.Sealer
}

// Do applies the manifest in the job's input with the rights of the job's user, or previews the changes. A
// preview runs the same transaction and rolls it back. An import finishes the job in the transaction that
// applies the manifest, so it is applied exactly once, even if the worker dies.
func (i *importer) Do(ctx context.Context, t *jobs.Claim) error {
	var p job.ImportParameters
	if err := t.Read(&p, nil); err != nil {
		return err
	}
	text, err := i.sealer.Open(t.Input, job.InputPurpose(t.ID))
	if err != nil {
		return problem.New(problem.Conflict, "The manifest cannot be read because it was sealed with a secret key "+
			"that this worker does not have.")
	}
	m, faults, err := parseManifest(text)
	if err != nil {
		return err
	}
	if len(faults) == 0 {
		faults, err = i.apply(ctx, t, m, p.Apply)
	}
	if err != nil || len(faults) == 0 {
		return err
	}
	return t.Finish(ctx, faulty(p.Apply, faults))
}

// faulty returns the end of a job whose manifest has faults. A preview succeeds, because its purpose is to
// show the faults. An import fails, because nothing was changed.
func faulty(apply bool, faults []job.CatalogueFault) jobdb.End { //nolint:revive // apply is data of the job, no switch between two functions
	end := jobdb.End{Result: job.ImportResult{Deeds: []job.ImportedThing{}, Warnings: []string{}, Faults: faults}}
	if apply {
		end.Fault = job.FailureOf(problem.New(problem.InvalidType,
			"The manifest has faults, so nothing was changed. Correct the faults that the result lists."))
	}
	return end
}

// parseManifest parses the manifest and returns its faults, up to job.MaxShownChanges. It does not expand
// environment variables, because a person who uploads a manifest must not read the worker's environment.
func parseManifest(text string) (*manifest.Manifest, []job.CatalogueFault, error) {
	m, err := manifest.Parse(manifest.Source{File: "manifest", Text: []byte(text), CheckChannel: registry.Check})
	if wrong := (*manifest.Error)(nil); errors.As(err, &wrong) {
		faults := make([]job.CatalogueFault, 0, len(wrong.Faults))
		for _, f := range wrong.Faults[:min(len(wrong.Faults), job.MaxShownChanges)] {
			faults = append(faults, job.CatalogueFault{Line: f.Line, Key: f.Key, Text: f.Text})
		}
		return nil, faults, nil
	}
	if err == nil && people(m) > maxPeople {
		text := fmt.Sprintf("has %d users and operators; an import may have at most %d", people(m), maxPeople)
		return nil, []job.CatalogueFault{{Text: text}}, nil
	}
	return m, nil, err
}

// people returns the number of users and operators in the manifest.
func people(m *manifest.Manifest) int {
	n := len(m.Operators)
	for i := range m.Tenants {
		n += len(m.Tenants[i].Users)
	}
	return n
}

// errPreview rolls the transaction of a preview back.
var errPreview = errors.New("preview only")

// apply applies the manifest and finishes the job, or, if keep is false, only finishes the job with what
// would change. It returns faults if the manifest conflicts with the state of the database; then it changed
// nothing and the job is not finished.
func (i *importer) apply(ctx context.Context, t *jobs.Claim, m *manifest.Manifest, keep bool) ([]job.CatalogueFault, error) { //nolint:revive // keep is data of the job, no switch between two functions
	var end jobdb.End
	err := i.store.Atomically(ctx, func(tx *store.Store) error {
		outcome, err := m.Apply(ctx, manifest.Target{Store: tx, Sealer: i.sealer, Scope: t.As()})
		if err != nil {
			return err
		}
		if end, err = i.end(t, &outcome, keep); err != nil {
			return err
		}
		if !keep {
			return errPreview
		}
		return t.FinishIn(ctx, tx, end)
	})
	wrong, against := (*manifest.ApplyError)(nil), (*problem.Problem)(nil)
	switch {
	case errors.Is(err, errPreview):
		return nil, t.Finish(ctx, end)
	case errors.As(err, &wrong) && errors.As(err, &against) && against.Kind != problem.Internal:
		return []job.CatalogueFault{{Line: wrong.Line, Key: wrong.Key, Text: against.Text()}}, nil
	}
	return nil, err
}

// end returns the end of an import with what it changed. The values of new tokens are sealed: only the job's
// user may read them, and nobody can read them in the database.
func (i *importer) end(t *jobs.Claim, outcome *manifest.Applied, applied bool) (jobdb.End, error) { //nolint:revive // applied is data of the result
	result := job.ImportResult{
		Applied: applied, Changes: len(outcome.Changes), Deeds: []job.ImportedThing{},
		Warnings: append([]string{}, outcome.Warnings...),
		Faults:   []job.CatalogueFault{}, Tokens: len(outcome.Tokens),
	}
	for _, change := range outcome.Changes[:min(len(outcome.Changes), job.MaxShownChanges)] {
		result.Deeds = append(result.Deeds, job.ImportedThing(change))
	}
	end := jobdb.End{Result: result}
	if !applied || len(outcome.Tokens) == 0 {
		return end, nil
	}
	tokens := make([]job.ImportedToken, len(outcome.Tokens))
	for k, token := range outcome.Tokens {
		tokens[k] = job.ImportedToken(token)
	}
	text, err := json.Marshal(tokens)
	if err != nil {
		return end, err
	}
	end.Secret, err = i.sealer.Seal(string(text), job.SecretPurpose(t.ID))
	return end, err
}
