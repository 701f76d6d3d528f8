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

// maxPeople bounds the users of one manifest: the hash of each password takes
// its time, and all are made in one transaction.
const maxPeople = 500

// importer applies manifests that operators upload. It is safe for concurrent
// use.
type importer struct {
	store  *store.Store
	sealer *seal.Sealer
}

// Do applies the manifest that is the job's input, as the user who asked, or
// tells what that would do. Both run the very same transaction; that of the
// latter is undone. Where it is kept, so is the end of the job: an import is
// done once, however often the work is cut.
func (i *importer) Do(ctx context.Context, t *jobs.Claim) error {
	var p job.ImportParameters
	if err := t.Read(&p, nil); err != nil {
		return err
	}
	text, err := i.sealer.Open(t.Input, job.InputPurpose(t.ID))
	if err != nil {
		return problem.New(problem.Conflict, "The manifest cannot be read: it was sealed with another secret key than this worker's.")
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

// faulty is the end of an import that changed nothing: to be told so is what
// the preview is for, and not what was asked for otherwise.
func faulty(apply bool, faults []job.CatalogueFault) jobdb.End { //nolint:revive // it is what was asked for
	end := jobdb.End{Result: job.ImportResult{Deeds: []job.ImportedThing{}, Warnings: []string{}, Faults: faults}}
	if apply {
		end.Fault = job.FailureOf(problem.New(problem.InvalidType, "The manifest has faults: nothing was changed."))
	}
	return end
}

// parseManifest reads the manifest. Variables of the environment are not filled in:
// whoever uploads a manifest must not read the server's.
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
		text := fmt.Sprintf("has %d users and operators, and at most %d are imported at once", people(m), maxPeople)
		return nil, []job.CatalogueFault{{Text: text}}, nil
	}
	return m, nil, err
}

func people(m *manifest.Manifest) int {
	n := len(m.Operators)
	for i := range m.Tenants {
		n += len(m.Tenants[i].Users)
	}
	return n
}

// errUndone undoes the transaction of a preview.
var errUndone = errors.New("only a preview")

// apply returns what stands against the manifest in the state of the database.
func (i *importer) apply(ctx context.Context, t *jobs.Claim, m *manifest.Manifest, keep bool) ([]job.CatalogueFault, error) { //nolint:revive // it is what was asked for
	var end jobdb.End
	err := i.store.Atomically(ctx, func(tx *store.Store) error {
		applied, err := m.Apply(ctx, manifest.Target{Store: tx, Sealer: i.sealer, Scope: t.As()})
		if err != nil {
			return err
		}
		if end, err = i.end(t, &applied, keep); err != nil {
			return err
		}
		if !keep {
			return errUndone
		}
		return t.FinishIn(ctx, tx, end)
	})
	wrong, against := (*manifest.ApplyError)(nil), (*problem.Problem)(nil)
	switch {
	case errors.Is(err, errUndone):
		return nil, t.Finish(ctx, end)
	case errors.As(err, &wrong) && errors.As(err, &against) && against.Kind != problem.Internal:
		return []job.CatalogueFault{{Line: wrong.Line, Key: wrong.Key, Text: against.Text()}}, nil
	}
	return nil, err
}

// end is what the import did. The values of tokens that it made are sealed:
// they are for the one who asked, and nobody may read them in the database.
func (i *importer) end(t *jobs.Claim, applied *manifest.Applied, kept bool) (jobdb.End, error) { //nolint:revive // it is what was asked for
	result := job.ImportResult{
		Applied: kept, Changes: len(applied.Changes), Deeds: []job.ImportedThing{}, Warnings: append([]string{}, applied.Warnings...),
		Faults: []job.CatalogueFault{}, Tokens: len(applied.Tokens),
	}
	for _, change := range applied.Changes[:min(len(applied.Changes), job.MaxShownChanges)] {
		result.Deeds = append(result.Deeds, job.ImportedThing(change))
	}
	end := jobdb.End{Result: result}
	if !kept || len(applied.Tokens) == 0 {
		return end, nil
	}
	tokens := make([]job.ImportedToken, len(applied.Tokens))
	for k, made := range applied.Tokens {
		tokens[k] = job.ImportedToken(made)
	}
	text, err := json.Marshal(tokens)
	if err != nil {
		return end, err
	}
	end.Secret, err = i.sealer.Seal(string(text), job.SecretPurpose(t.ID))
	return end, err
}
