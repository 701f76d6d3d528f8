package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
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

func tokenModels(a *API) {
	register(a, operation{
		id: "listTokenModels", method: http.MethodGet, path: "/tokens/{id}/models", tag: "tokens", summary: "Which models a token sees, and why not the others",
		description: "For each model of the platform whether the token may call it, and the reason where it may not.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.tokenModels)
	register(a, operation{
		id: "previewToken", method: http.MethodPost, path: "/tokens/preview", tag: "tokens", summary: "Which models a token with such a list would see",
		description: "Nothing is made.", status: http.StatusOK, errors: []int{http.StatusNotFound},
	}, a.previewToken)
}

func (a *API) tokenModels(ctx context.Context, in *ByID) (*Answer[TokenModels], error) {
	found, err := a.Store.Token(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	owner, err := a.Store.User(ctx, scopeOf(ctx), found.UserID)
	if err != nil {
		return nil, err
	}
	return a.modelsOf(ctx, &token.Caller{Token: found, User: owner})
}

func (a *API) previewToken(ctx context.Context, in *tokenPreview) (*Answer[TokenModels], error) {
	owner, err := a.ownerOf(ctx, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if err := catalog.CheckPatterns(in.Body.Models); err != nil {
		return nil, err
	}
	return a.modelsOf(ctx, &token.Caller{Token: token.Token{Models: in.Body.Models}, User: owner})
}

// modelsOf judges each model as a relay does.
func (a *API) modelsOf(ctx context.Context, bearer *token.Caller) (*Answer[TokenModels], error) {
	snapshot, err := a.Store.Snapshot(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	group, everything := snapshot.Group(bearer.User.GroupID), callerOf(ctx).User.Role == tenant.Operator
	now, body := a.Now(), TokenModels{Items: []TokenModel{}}
	for _, model := range snapshot.Models() {
		if !everything && (group == nil || !catalog.MatchAny(group.Models, model.ID)) {
			continue // which does not exist for the tenant
		}
		reason := permission.Verdict(snapshot, bearer, model, now)
		body.Items = append(body.Items, TokenModel{ID: model.ID, OwnedBy: model.OwnedBy, Visible: reason == permission.Shown, Reason: string(reason)})
	}
	return answer(body), nil
}
