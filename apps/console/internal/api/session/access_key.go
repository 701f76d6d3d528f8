package session

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/part"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// AccessKey describes a key for programs that call this API. It does not contain the key's value.
type AccessKey struct {
	ID         uuid.UUID           `json:"id"`
	TenantID   *uuid.UUID          `json:"tenant_id" nullable:"true" doc:"null for the key of an operator"`
	UserID     uuid.UUID           `json:"user_id" doc:"The user whose rights the key has, within its scopes"`
	Name       string              `json:"name"`
	Mask       string              `json:"mask" doc:"Part of the value by which people recognize the key; useless for authentication"`
	Scopes     []token.AccessScope `json:"scopes" maxItems:"20" doc:"What the key may do. Each operation names the scope that it needs"`
	GrantLimit *money.Amount       `json:"grant_limit" nullable:"true" doc:"The most that the key may grant, adjust and transfer in one day (UTC), all amounts together; null without the scope billing:write"`
	Addresses  []string            `json:"addresses" doc:"Permitted client addresses; empty: every address. A list of keys has the first 20 of each key"`
	Count      int                 `json:"addresses_count" doc:"Number of permitted client addresses"`
	Access     string              `json:"access" enum:"read,write" doc:"write if one of the scopes permits changes, else read"`
	CreatedAt  time.Time           `json:"created_at"`
	LastUsed   *time.Time          `json:"last_used" doc:"When the key was last used, accurate to a minute; null if never"`
	ExpiresAt  time.Time           `json:"expires_at"`
}

// CreatedAccessKey is an AccessKey with its value. Only the response to createAccessKey contains the value.
type CreatedAccessKey struct {
	AccessKey
	Value string `json:"value" doc:"The key itself. It is shown only in this response: store it in a safe place"`
}

// NewAccessKey is the body of createAccessKey.
type NewAccessKey struct {
	Name       string              `json:"name" minLength:"1" maxLength:"200"`
	Scopes     []token.AccessScope `json:"scopes,omitempty" maxItems:"50" doc:"What the key may do: at least one scope, each permitted by the caller's role"`
	GrantLimit money.Amount        `json:"grant_limit,omitempty" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"The most that the key may grant, adjust and transfer in one day (UTC), all amounts together. Required for the scope billing:write"`
	Addresses  []string            `json:"addresses,omitempty" maxItems:"100" doc:"Permitted client addresses and networks, such as 203.0.113.7 or 10.0.0.0/8; absent or empty: every address"`
	Access     string              `json:"access,omitempty" enum:"read,write" deprecated:"true" doc:"Instead of scopes. read: all scopes for reading that the caller's role permits. write: all of them but billing:write"`
	ExpiresAt  time.Time           `json:"expires_at" doc:"At most 400 days from now"`
}

// accessKeyOf returns the key as the API shows it. The value of a key is not stored, so it cannot be shown.
func accessKeyOf(k *token.AccessKey) AccessKey {
	body := AccessKey{
		ID: k.ID, TenantID: null.ID(k.TenantID), UserID: k.UserID, Name: k.Name, Mask: k.Mask,
		Scopes: null.List(k.Scopes), Addresses: token.AddressTexts(k.Addresses), Count: len(k.Addresses),
		Access:    string(k.Access()),
		CreatedAt: k.CreatedAt.UTC(), LastUsed: null.Time(k.LastUsed), ExpiresAt: k.ExpiresAt.UTC(),
	}
	if k.GrantLimit > 0 {
		body.GrantLimit = &k.GrantLimit
	}
	return body
}

// scopesOf returns the scopes that the body asks for, by name or as the former access.
func scopesOf(ctx context.Context, body *NewAccessKey) ([]token.AccessScope, error) {
	switch {
	case body.Access == "":
		return body.Scopes, nil
	case len(body.Scopes) > 0:
		return nil, problem.New(problem.InvalidType, "Send either scopes or access, not both.").At("access")
	}
	return permission.AccessScopes(api.ScopeOf(ctx), token.Access(body.Access)), nil
}

type accessKeyQuery struct {
	api.PageQuery
	UserID uuid.UUID `query:"user_id" doc:"Only keys of this user"`
}

func registerAccessKeys(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createAccessKey", Method: http.MethodPost, Path: "/access-keys", Tag: "access keys",
		Summary: "Create an access key for oneself",
		Description: "The response contains the key's value, which is never shown again. The key acts as the " +
			"caller, within its scopes: a later change of the caller's role applies to the key too.",
		Status: http.StatusCreated, Confirm: api.Always, Errors: []int{http.StatusConflict},
	}, h.createAccessKey)
	api.Register(h.API, api.Operation{
		ID: "listAccessKeys", Method: http.MethodGet, Path: "/access-keys", Tag: "access keys", Scope: token.ReadAudit,
		Summary: "List access keys",
		Description: "Newest first. Members see their own keys, admins and owners those of their tenant, operators " +
			"all keys. Keys stay in the list for 90 days after they expire. Each key has the first 20 of its " +
			"addresses; getAccessKey has all.",
	}, h.listAccessKeys)
	api.Register(h.API, api.Operation{
		ID: "getAccessKey", Method: http.MethodGet, Path: "/access-keys/{id}", Tag: "access keys",
		Scope: token.ReadAudit, Summary: "Get an access key",
		Description: "The response does not contain the key's value.", Errors: []int{http.StatusNotFound},
	}, h.getAccessKey)
	api.Register(h.API, api.Operation{
		ID: "revokeAccessKey", Method: http.MethodDelete, Path: "/access-keys/{id}", Tag: "access keys",
		Summary:     "Revoke an access key",
		Description: "The key stops working at once. This cannot be undone.",
		Status:      http.StatusNoContent, Confirm: api.Always, Errors: []int{http.StatusNotFound},
	}, h.revokeAccessKey)
}

// createAccessKey creates a key for the caller. The store keeps a keyed hash of the value and never the value itself.
func (h *handlers) createAccessKey(ctx context.Context,
	in *struct{ Body NewAccessKey }) (*api.Answer[CreatedAccessKey], error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	body := &in.Body
	scopes, err := scopesOf(ctx, body)
	if err != nil {
		return nil, err
	}
	addresses, err := token.ParseAddresses(body.Addresses)
	if err != nil {
		return nil, err
	}
	secret, pepper := token.NewAccessKey(id), h.Sealer.Peppers().Current
	key, err := h.Store.Token.CreateAccessKey(ctx, api.CallerOf(ctx).Confirmed, tokendb.NewAccessKey{
		AccessKey: token.AccessKey{
			ID: id, Name: body.Name, Mask: token.Mask(secret), Scopes: scopes, GrantLimit: body.GrantLimit,
			Addresses: addresses, ExpiresAt: body.ExpiresAt,
		},
		Hash: token.HashOf(pepper.Key, secret), PepperID: pepper.ID,
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(CreatedAccessKey{AccessKey: accessKeyOf(&key), Value: secret}), nil
}

func (h *handlers) listAccessKeys(ctx context.Context, in *accessKeyQuery) (*api.Answer[api.List[AccessKey]], error) {
	page, err := h.Store.Token.AccessKeys(ctx, api.ScopeOf(ctx), in.UserID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, func(k *token.AccessKey) AccessKey {
		body := accessKeyOf(k)
		body.Addresses = part.Few(body.Addresses)
		return body
	}), nil
}

func (h *handlers) getAccessKey(ctx context.Context, in *api.ByID) (*api.Answer[AccessKey], error) {
	key, err := h.Store.Token.AccessKey(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(accessKeyOf(&key)), nil
}

// revokeAccessKey revokes a key that the caller's scope reaches:
// the caller's own, or for admins and owners any key of their tenant.
func (h *handlers) revokeAccessKey(ctx context.Context, in *api.ByID) (*struct{}, error) {
	return nil, h.Store.Token.RevokeAccessKey(ctx, api.CallerOf(ctx).Confirmed, in.ID)
}
