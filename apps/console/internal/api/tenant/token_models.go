package tenant

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
)

// PreviewToken is the body of previewToken.
type PreviewToken struct {
	Models []string   `json:"models,omitempty" maxItems:"1000" doc:"Permitted models of the token: ids, or prefixes with a trailing *. Empty or absent: all models of the user's group"`
	UserID *uuid.UUID `json:"user_id,omitempty" doc:"The owner of the token. Defaults to the caller; admins and owners may name another user. Required for operators"`
}

// TokenModels lists models, and for each whether a token may use it.
type TokenModels struct {
	Items []TokenModel `json:"items" doc:"Ordered by id. Only operators see models that the user's group does not permit"`
	Next  string       `json:"next" doc:"Pass it as after to get the following models; empty if there are none. A page ends at about 1 MiB"`
}

// TokenModel is a model and whether a token may use it.
type TokenModel struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Visible bool   `json:"visible" doc:"Whether the token may use the model"`
	Reason  string `json:"reason" enum:",not_in_token,group_disabled,not_in_group,model_disabled,not_served,not_priced" doc:"Why the token may not use the model; empty if it may"`
}

type tokenModelsQuery struct {
	api.ByID
	part.AfterQuery
}

type tokenPreview struct {
	part.AfterQuery
	Body PreviewToken
}

func registerTokenModels(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listTokenModels", Method: http.MethodGet, Path: "/tokens/{id}/models", Tag: "tokens",
		Scope: token.ReadTokens, Summary: "List the models that a token may use",
		Description: "Returns for each model whether the token may use it, and the reason if it may not.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.tokenModels)
	api.Register(h.API, api.Operation{
		ID: "previewToken", Method: http.MethodPost, Path: "/tokens/preview", Tag: "tokens", Scope: token.ReadTokens,
		Summary:     "List the models that a new token could use",
		Description: "Checks a list of permitted models before a token is created. Creates nothing.",
		Status:      http.StatusOK, Errors: []int{http.StatusNotFound},
		Body: api.ListBody, NoEntry: true,
	}, h.previewToken)
}

// tokenModels lists the models for the token and its owner, regardless of the caller.
func (h *handlers) tokenModels(ctx context.Context, in *tokenModelsQuery) (*api.Answer[TokenModels], error) {
	t, err := h.Store.Token.Token(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	owner, err := h.Store.Identity.User(ctx, api.ScopeOf(ctx), t.UserID)
	if err != nil {
		return nil, err
	}
	return h.modelsOf(ctx, &token.Caller{Token: t, User: owner}, in.After)
}

// previewToken lists the models for a token that does not exist yet, with the permitted models of the body.
func (h *handlers) previewToken(ctx context.Context, in *tokenPreview) (*api.Answer[TokenModels], error) {
	owner, err := h.ownerOf(ctx, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if err := catalog.CheckPatterns(in.Body.Models); err != nil {
		return nil, err
	}
	return h.modelsOf(ctx, &token.Caller{Token: token.Token{Models: in.Body.Models}, User: owner}, in.After)
}

// modelsOf lists the models with the verdict that a relay would reach for the token and its user.
func (h *handlers) modelsOf(ctx context.Context, caller *token.Caller, after string) (*api.Answer[TokenModels], error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	group, everything := snapshot.Group(caller.User.GroupID), api.CallerOf(ctx).User.Role == tenant.Operator
	if everything && caller.User.TenantID != uuid.Nil { // the snapshot for a tenant has no channels of other tenants
		if caller.Tenant, err = h.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), caller.User.TenantID); err != nil {
			return nil, err
		}
	}
	now := h.Now()
	page, err := part.Of(byModel, after, snapshot.Models(), modelID, func(model *catalog.Model) (TokenModel, bool) {
		if !everything && (group == nil || !catalog.MatchAny(group.Models, model.ID)) {
			return TokenModel{}, false // a tenant must not learn of models outside of its groups
		}
		reason := visibility.WhyHidden(snapshot, caller, model, now)
		return TokenModel{ID: model.ID, OwnedBy: model.OwnedBy, Visible: reason == visibility.NotHidden,
			Reason: string(reason)}, true
	})
	return api.NewAnswer(TokenModels(page)), err
}
