package operator

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// NewPriceSimulation is the body of createPriceSimulation.
type NewPriceSimulation struct {
	Price *job.ProposedPrice `json:"price,omitempty" doc:"Another price of a model"`
	Rule  *job.ProposedRule  `json:"rule,omitempty" doc:"Another rule of a group"`
	From  *time.Time         `json:"from,omitempty" doc:"Inclusive; 30 days before to if absent, 92 at the most"`
	To    *time.Time         `json:"to,omitempty" doc:"Exclusive; now if absent, or if it is to come"`
}

// NewCatalogueImport is the body of createCatalogueImport.
type NewCatalogueImport struct {
	Catalogue string `json:"catalogue" minLength:"1" maxLength:"524288" doc:"YAML, in the form of the catalogue file. It is kept sealed until the job ends, and never shown"`
	Apply     bool   `json:"apply,omitempty" doc:"false: only tell what would be made and changed, and what is wrong"`
}

// ImportedTokens are tokens with their values.
type ImportedTokens struct {
	Items []job.ImportedToken `json:"items"`
}

const simulatedByDefault = 30 * 24 * time.Hour

func jobs(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createPriceSimulation", Method: http.MethodPost, Path: "/operator/jobs/price-simulation", Tag: "jobs",
		Summary:     "Tell what a change of prices would have cost",
		Description: "Prices the calls of a range once more, with a model's price or a group's rule, or both, in place of what held. Failed calls stay free.",
		Status:      http.StatusAccepted, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createPriceSimulation)
	api.Register(h.API, api.Operation{
		ID: "createCatalogueImport", Method: http.MethodPost, Path: "/operator/jobs/catalogue-import", Tag: "jobs",
		Summary: "Preview or apply a catalogue",
		Description: "The preview does all that applying does, and undoes it. ${NAME} is refused: variables of the server's environment are not for uploads. " +
			"Tokens that are made without a value are handed out by takeImportedTokens.",
		Status: http.StatusAccepted, Errors: []int{http.StatusConflict},
	}, h.createCatalogueImport)
	api.Register(h.API, api.Operation{
		ID: "takeImportedTokens", Method: http.MethodPost, Path: "/operator/jobs/{id}/tokens", Tag: "jobs",
		Summary:     "Take the values of the tokens that an import made",
		Description: "Once, by the operator who asked for the import; nobody can read them afterwards.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound},
	}, h.takeImportedTokens)
}

func (h *handlers) createPriceSimulation(ctx context.Context, in *struct{ Body NewPriceSimulation }) (*api.Answer[resource.Job], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	p := job.SimulationParameters{Price: in.Body.Price, Rule: in.Body.Rule, From: api.Deref(in.Body.From).UTC(), To: api.Deref(in.Body.To).UTC()}
	if now := h.Now().UTC().Truncate(time.Microsecond); p.To.IsZero() || p.To.After(now) {
		p.To = now
	}
	if p.From.IsZero() {
		p.From = p.To.Add(-simulatedByDefault)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := h.checkProposal(ctx, &p); err != nil {
		return nil, err
	}
	return h.Jobs.Create(ctx, api.ScopeOf(ctx), jobdb.NewJob{Kind: job.PriceSimulation, Parameters: p})
}

// checkProposal refuses prices and rules of what is not there.
func (h *handlers) checkProposal(ctx context.Context, p *job.SimulationParameters) error {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return err
	}
	if p.Price != nil {
		model := snapshot.Model(p.Price.Model)
		if model == nil {
			return problem.New(problem.InvalidType, "no such model").At("price.model")
		}
		if err := p.Price.Price.Check(model.Free); err != nil {
			return problem.New(problem.InvalidType, "%s", problem.From(err).Text()).At("price." + problem.From(err).Param)
		}
	}
	if p.Rule == nil {
		return nil
	}
	if snapshot.Group(p.Rule.GroupID) == nil {
		return problem.New(problem.InvalidType, "no such group").At("rule.group_id")
	}
	if p.Rule.Model != "" && snapshot.Model(p.Rule.Model) == nil {
		return problem.New(problem.InvalidType, "no such model").At("rule.model")
	}
	return nil
}

func (h *handlers) createCatalogueImport(ctx context.Context, in *struct{ Body NewCatalogueImport }) (*api.Answer[resource.Job], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	size := len(in.Body.Catalogue)
	if size > job.MaxManifest {
		return nil, problem.New(problem.TooLarge, "A catalogue has at most %d bytes.", job.MaxManifest).At("catalogue")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	sealed, err := h.Sealer.Seal(in.Body.Catalogue, job.InputPurpose(id))
	if err != nil {
		return nil, err
	}
	return h.Jobs.Create(ctx, api.ScopeOf(ctx), jobdb.NewJob{
		ID: id, Kind: job.ManifestImport, Parameters: job.ImportParameters{Apply: in.Body.Apply, Bytes: size}, Input: sealed,
	})
}

func (h *handlers) takeImportedTokens(ctx context.Context, in *api.ByID) (*api.Answer[ImportedTokens], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	var tokens ImportedTokens
	err := h.Store.Atomically(ctx, func(s *store.Store) error { // they stay where they cannot be opened
		sealed, err := s.Job.TakeJobSecret(ctx, api.ScopeOf(ctx), in.ID)
		if err != nil {
			return err
		}
		text, err := h.Sealer.Open(sealed, job.SecretPurpose(in.ID))
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(text), &tokens.Items)
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(tokens), nil
}
