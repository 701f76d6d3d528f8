package session

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/token"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// AccessKey is a key for programs that call this API, without its value.
type AccessKey struct {
	ID        uuid.UUID  `json:"id"`
	TenantID  *uuid.UUID `json:"tenant_id" nullable:"true" doc:"null: of an operator"`
	UserID    uuid.UUID  `json:"user_id" doc:"Who it acts as"`
	Name      string     `json:"name"`
	Mask      string     `json:"mask" doc:"The recognisable, harmless part of the value"`
	Access    string     `json:"access" enum:"read,write"`
	CreatedAt time.Time  `json:"created_at"`
	LastUsed  *time.Time `json:"last_used" doc:"Exact to a minute; null: never"`
	ExpiresAt time.Time  `json:"expires_at"`
}

// CreatedAccessKey is an AccessKey with its value, which is shown this once.
type CreatedAccessKey struct {
	AccessKey
	Value string `json:"value" doc:"Shown this once; keep it secret"`
}

// NewAccessKey is the body of createAccessKey.
type NewAccessKey struct {
	Name      string    `json:"name" minLength:"1" maxLength:"200"`
	Access    string    `json:"access" enum:"read,write" doc:"read: GET alone; write: all that the user may, but for what needs a person"`
	ExpiresAt time.Time `json:"expires_at" doc:"Within a year"`
}

func accessKeyOf(k *token.AccessKey) AccessKey {
	return AccessKey{
		ID: k.ID, TenantID: api.NullableID(k.TenantID), UserID: k.UserID, Name: k.Name, Mask: k.Mask, Access: string(k.Access),
		CreatedAt: k.CreatedAt.UTC(), LastUsed: api.NullableTime(k.LastUsed), ExpiresAt: k.ExpiresAt.UTC(),
	}
}

type accessKeyQuery struct {
	api.PageQuery
	UserID uuid.UUID `query:"user_id" doc:"Only of this user"`
}

func accessKeys(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createAccessKey", Method: http.MethodPost, Path: "/access-keys", Tag: "access keys", Summary: "Create an access key of one's own",
		Description: "The answer shows the key's value, this once. The key acts as the caller, with the role that he has at the time.",
		Status:      http.StatusCreated, Person: true, Errors: []int{http.StatusConflict},
	}, h.createAccessKey)
	api.Register(h.API, api.Operation{
		ID: "listAccessKeys", Method: http.MethodGet, Path: "/access-keys", Tag: "access keys", Summary: "List access keys",
		Description: "Newest first. Members see their own, admins and owners their tenant's, operators all. They are kept for 90 days after they expire.",
	}, h.listAccessKeys)
	api.Register(h.API, api.Operation{
		ID: "revokeAccessKey", Method: http.MethodDelete, Path: "/access-keys/{id}", Tag: "access keys", Summary: "Revoke an access key for ever",
		Description: "It authenticates nothing from then on.",
		Status:      http.StatusNoContent, Errors: []int{http.StatusNotFound},
	}, h.revokeAccessKey)
}

func (h *handlers) createAccessKey(ctx context.Context, in *struct{ Body NewAccessKey }) (*api.Answer[CreatedAccessKey], error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	secret, body, pepper := token.NewAccessKey(id), &in.Body, h.Sealer.Peppers().Current
	created, err := h.Store.Token.CreateAccessKey(ctx, api.ScopeOf(ctx), tokendb.NewAccessKey{
		AccessKey: token.AccessKey{ID: id, Name: body.Name, Mask: token.Mask(secret), Access: token.Access(body.Access), ExpiresAt: body.ExpiresAt},
		Hash:      token.HashOf(pepper.Key, secret), PepperID: pepper.ID,
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(CreatedAccessKey{AccessKey: accessKeyOf(&created), Value: secret}), nil
}

func (h *handlers) listAccessKeys(ctx context.Context, in *accessKeyQuery) (*api.Answer[api.List[AccessKey]], error) {
	page, err := h.Store.Token.AccessKeys(ctx, api.ScopeOf(ctx), in.UserID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, accessKeyOf), nil
}

func (h *handlers) revokeAccessKey(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Token.RevokeAccessKey(ctx, api.ScopeOf(ctx), in.ID)
}
