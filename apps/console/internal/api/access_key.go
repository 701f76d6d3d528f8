package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
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
		ID: k.ID, TenantID: some(k.TenantID), UserID: k.UserID, Name: k.Name, Mask: k.Mask, Access: string(k.Access),
		CreatedAt: k.CreatedAt.UTC(), LastUsed: moment(k.LastUsed), ExpiresAt: k.ExpiresAt.UTC(),
	}
}

type accessKeyQuery struct {
	PageQuery
	UserID uuid.UUID `query:"user_id" doc:"Only of this user"`
}

func accessKeys(a *API) {
	register(a, operation{
		id: "createAccessKey", method: http.MethodPost, path: "/access-keys", tag: "access keys", summary: "Create an access key of one's own",
		description: "The answer shows the key's value, this once. The key acts as the caller, with the role that he has at the time.",
		status:      http.StatusCreated, person: true, errors: []int{http.StatusConflict},
	}, a.createAccessKey)
	register(a, operation{
		id: "listAccessKeys", method: http.MethodGet, path: "/access-keys", tag: "access keys", summary: "List access keys",
		description: "Newest first. Members see their own, admins and owners their tenant's, operators all. They are kept for 90 days after they expire.",
	}, a.listAccessKeys)
	register(a, operation{
		id: "revokeAccessKey", method: http.MethodDelete, path: "/access-keys/{id}", tag: "access keys", summary: "Revoke an access key for ever",
		description: "It authenticates nothing from then on.",
		status:      http.StatusNoContent, errors: []int{http.StatusNotFound},
	}, a.revokeAccessKey)
}

func (a *API) createAccessKey(ctx context.Context, in *struct{ Body NewAccessKey }) (*Answer[CreatedAccessKey], error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	secret, body, pepper := token.NewAccessKey(id), &in.Body, a.Sealer.Peppers().Current
	created, err := a.Store.CreateAccessKey(ctx, scopeOf(ctx), store.NewAccessKey{
		AccessKey: token.AccessKey{ID: id, Name: body.Name, Mask: token.Mask(secret), Access: token.Access(body.Access), ExpiresAt: body.ExpiresAt},
		Hash:      token.HashOf(pepper.Key, secret), PepperID: pepper.ID,
	})
	if err != nil {
		return nil, err
	}
	return answer(CreatedAccessKey{AccessKey: accessKeyOf(&created), Value: secret}), nil
}

func (a *API) listAccessKeys(ctx context.Context, in *accessKeyQuery) (*Answer[List[AccessKey]], error) {
	page, err := a.Store.AccessKeys(ctx, scopeOf(ctx), in.UserID, in.page())
	if err != nil {
		return nil, err
	}
	return pageOf(page, accessKeyOf), nil
}

func (a *API) revokeAccessKey(ctx context.Context, in *ByID) (*struct{}, error) {
	return nil, a.Store.RevokeAccessKey(ctx, scopeOf(ctx), in.ID)
}
