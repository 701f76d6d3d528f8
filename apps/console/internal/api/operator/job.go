package operator

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// NewPriceSimulation is the body of createPriceSimulation.
type NewPriceSimulation struct {
	Price *job.ProposedPrice `json:"price,omitempty" doc:"Proposed price of a model"`
	Rule  *job.ProposedRule  `json:"rule,omitempty" doc:"Proposed price rule of a group"`
	From  *time.Time         `json:"from,omitempty" doc:"Start of the calls to price, inclusive. Defaults to 30 days before to; at most 92 days before it"`
	To    *time.Time         `json:"to,omitempty" doc:"End, exclusive. Defaults to now; a later time is replaced with now"`
}

// NewCatalogueImport is the body of createCatalogueImport.
type NewCatalogueImport struct {
	Catalogue string `json:"catalogue" minLength:"1" maxLength:"524288" doc:"The manifest: YAML that declares groups, models, channels and tenants. It is stored encrypted until the job ends, and never shown"`
	Apply     bool   `json:"apply,omitempty" doc:"false: only report what would be created and changed, and what is wrong"`
}

// ImportedTokens holds the tokens that an import created, with their values.
type ImportedTokens struct {
	Items []job.ImportedToken `json:"items"`
}

// simulatedByDefault is the range of a simulation whose request names no start.
const simulatedByDefault = 30 * 24 * time.Hour

func registerJobs(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createPriceSimulation", Method: http.MethodPost, Path: "/operator/jobs/price-simulation", Tag: "jobs",
		Scope:   token.ReadUsage,
		Summary: "Simulate a change of prices",
		Description: "Prices past calls again with a proposed price of a model, a proposed rule of a group, or " +
			"both, instead of those that applied. Changes no data. Failed calls stay free.",
		Status: http.StatusAccepted, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, h.createPriceSimulation)
	api.Register(h.API, api.Operation{
		ID: "createCatalogueImport", Method: http.MethodPost, Path: "/operator/jobs/catalogue-import", Tag: "jobs",
		Summary: "Preview or apply a manifest",
		Description: "The preview makes all changes in a transaction and rolls it back. A manifest that refers to " +
			"environment variables as ${NAME} is refused: uploads must not read the server's environment. " +
			"takeImportedTokens returns the values of tokens for which the manifest gives no value.",
		Status: http.StatusAccepted, Errors: []int{http.StatusConflict},
		Needs: permission.WritePlatform, Confirm: "apply is true", Body: api.DocumentBody,
	}, h.createCatalogueImport)
	api.Register(h.API, api.Operation{
		ID: "takeImportedTokens", Method: http.MethodPost, Path: "/operator/jobs/{id}/tokens", Tag: "jobs",
		Summary: "Get the values of the tokens that an import created",
		Description: "Works once, for the operator who created the import. The values are deleted and cannot be " +
			"read again.",
		Status: http.StatusOK, Errors: []int{http.StatusNotFound},
	}, h.takeImportedTokens)
}

// createPriceSimulation fills in the range and fixes its end now, so that the result does
// not depend on when a worker runs the job. It refuses proposals that could not be set.
func (h *handlers) createPriceSimulation(ctx context.Context,
	in *struct{ Body NewPriceSimulation }) (*api.Answer[resource.Job], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	p := job.SimulationParameters{Price: in.Body.Price, Rule: in.Body.Rule, From: null.Deref(in.Body.From).UTC(),
		To: null.Deref(in.Body.To).UTC()}
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

// checkProposal refuses a proposal for a model or group that does
// not exist, and a price that could not be set for the model.
func (h *handlers) checkProposal(ctx context.Context, p *job.SimulationParameters) error {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return err
	}
	if p.Price != nil {
		model := snapshot.Model(p.Price.Model)
		if model == nil {
			return problem.New(problem.InvalidType, "There is no such model.").At("price.model")
		}
		if err := p.Price.Price.Check(model.Free); err != nil {
			return problem.New(problem.InvalidType, "%s", problem.From(err).Text()).
				At("price." + problem.From(err).Param)
		}
	}
	if p.Rule == nil {
		return nil
	}
	if snapshot.Group(p.Rule.GroupID) == nil {
		return problem.New(problem.InvalidType, "There is no such group.").At("rule.group_id")
	}
	if p.Rule.Model != "" && snapshot.Model(p.Rule.Model) == nil {
		return problem.New(problem.InvalidType, "There is no such model.").At("rule.model")
	}
	return nil
}

// createCatalogueImport stores the manifest encrypted, because it may contain credentials. The
// encryption is bound to the id of the job, so that nobody can move the manifest to another job.
func (h *handlers) createCatalogueImport(ctx context.Context,
	in *struct{ Body NewCatalogueImport }) (*api.Answer[resource.Job], error) {
	if in.Body.Apply { // it may create people and credentials, and grant quota
		if _, err := h.Confirm(ctx); err != nil {
			return nil, err
		}
	}
	size := len(in.Body.Catalogue)
	if size > job.MaxManifest {
		return nil, problem.New(problem.TooLarge, "A manifest can have at most %d bytes.", job.MaxManifest).
			At("catalogue")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	input, err := h.Sealer.Seal(in.Body.Catalogue, job.InputPurpose(id))
	if err != nil {
		return nil, err
	}
	return h.Jobs.Create(ctx, api.ScopeOf(ctx), jobdb.NewJob{
		ID: id, Kind: job.ManifestImport, Parameters: job.ImportParameters{Apply: in.Body.Apply, Bytes: size},
		Input: input,
	})
}

// takeImportedTokens returns the values of created tokens and deletes them from the job, in one transaction.
func (h *handlers) takeImportedTokens(ctx context.Context, in *api.ByID) (*api.Answer[ImportedTokens], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	var tokens ImportedTokens
	// If they cannot be decrypted, the transaction keeps them.
	err := h.Store.Atomically(ctx, func(s *store.Store) error {
		secret, err := s.Job.TakeJobSecret(ctx, api.ScopeOf(ctx), in.ID)
		if err != nil {
			return err
		}
		text, err := h.Sealer.Open(secret, job.SecretPurpose(in.ID))
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
