package tenant

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
)

// PreviewToken is the body of previewToken.
type PreviewToken struct {
	Models []string   `json:"models,omitempty" maxItems:"1000" doc:"As of the token to be: model ids, or prefixes with a trailing *; none permits all of the group's"`
	UserID *uuid.UUID `json:"user_id,omitempty" doc:"Whose token it would be: one's own if absent; admins may name another user"`
}

// TokenModels are the models that a token may or may not call.
type TokenModels struct {
	Items []TokenModel `json:"items" doc:"In order of id. What the user's group does not permit is shown to operators alone"`
}

// TokenModel is one of them.
type TokenModel struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Visible bool   `json:"visible" doc:"The token may call it"`
	Reason  string `json:"reason" enum:",not_in_token,group_disabled,not_in_group,model_disabled,not_served,not_priced" doc:"Why it is not visible; empty where it is"`
}

type tokenPreview struct{ Body PreviewToken }

func tokenModels(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listTokenModels", Method: http.MethodGet, Path: "/tokens/{id}/models", Tag: "tokens", Summary: "Which models a token sees, and why not the others",
		Description: "For each model of the platform whether the token may call it, and the reason where it may not.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.tokenModels)
	api.Register(h.API, api.Operation{
		ID: "previewToken", Method: http.MethodPost, Path: "/tokens/preview", Tag: "tokens", Summary: "Which models a token with such a list would see",
		Description: "Nothing is made.", Status: http.StatusOK, Errors: []int{http.StatusNotFound},
	}, h.previewToken)
}

func (h *handlers) tokenModels(ctx context.Context, in *api.ByID) (*api.Answer[TokenModels], error) {
	found, err := h.Store.Token.Token(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	owner, err := h.Store.Identity.User(ctx, api.ScopeOf(ctx), found.UserID)
	if err != nil {
		return nil, err
	}
	return h.modelsOf(ctx, &token.Caller{Token: found, User: owner})
}

func (h *handlers) previewToken(ctx context.Context, in *tokenPreview) (*api.Answer[TokenModels], error) {
	owner, err := h.ownerOf(ctx, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if err := catalog.CheckPatterns(in.Body.Models); err != nil {
		return nil, err
	}
	return h.modelsOf(ctx, &token.Caller{Token: token.Token{Models: in.Body.Models}, User: owner})
}

// modelsOf judges each model as a relay does.
func (h *handlers) modelsOf(ctx context.Context, bearer *token.Caller) (*api.Answer[TokenModels], error) {
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	group, everything := snapshot.Group(bearer.User.GroupID), api.CallerOf(ctx).User.Role == tenant.Operator
	now, body := h.Now(), TokenModels{Items: []TokenModel{}}
	for _, model := range snapshot.Models() {
		if !everything && (group == nil || !catalog.MatchAny(group.Models, model.ID)) {
			continue // which does not exist for the tenant
		}
		reason := visibility.WhyHidden(snapshot, bearer, model, now)
		body.Items = append(body.Items, TokenModel{ID: model.ID, OwnedBy: model.OwnedBy, Visible: reason == visibility.NotHidden, Reason: string(reason)})
	}
	return api.NewAnswer(body), nil
}
