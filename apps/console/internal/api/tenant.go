package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// OwnTenant is the tenant of the signed-in user.
type OwnTenant struct {
	ID        uuid.UUID `json:"id"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	QuotaMode string    `json:"quota_mode" enum:"hard,soft" doc:"A stream whose quota ends: hard ends it there, soft lets it run and deducts as far as the quota goes"`
	Group     string    `json:"group" doc:"Name of the user's group"`
}

// OwnTenantPatch is the body of updateOwnTenant.
type OwnTenantPatch struct {
	Name string `json:"name" minLength:"1" maxLength:"200"`
}

type ownTenantUpdate struct{ Body OwnTenantPatch }

func ownTenant(a *API) {
	register(a, operation{
		id: "getOwnTenant", method: http.MethodGet, path: "/tenant", tag: "members", summary: "The tenant that one belongs to",
		description: "Operators belong to none.", errors: []int{http.StatusForbidden},
	}, a.ownTenant)
	register(a, operation{
		id: "updateOwnTenant", method: http.MethodPatch, path: "/tenant", tag: "members", summary: "Rename the tenant that one belongs to",
		description: "For owners.",
	}, a.updateOwnTenant)
}

func (a *API) ownTenant(ctx context.Context, _ *struct{}) (*Answer[OwnTenant], error) {
	id, err := home(ctx)
	if err != nil {
		return nil, err
	}
	found, err := a.Store.Tenant(ctx, scopeOf(ctx), id)
	if err != nil {
		return nil, err
	}
	return a.showOwnTenant(ctx, &found)
}

func (a *API) showOwnTenant(ctx context.Context, t *tenant.Tenant) (*Answer[OwnTenant], error) {
	snapshot, err := a.Store.Snapshot(ctx, scopeOf(ctx))
	if err != nil {
		return nil, err
	}
	shown := OwnTenant{ID: t.ID, Slug: t.Slug, Name: t.Name, CreatedAt: t.CreatedAt.UTC(), QuotaMode: string(t.QuotaMode)}
	if group := snapshot.Group(callerOf(ctx).User.GroupID); group != nil {
		shown.Group = group.Name
	}
	return answer(shown), nil
}

func (a *API) updateOwnTenant(ctx context.Context, in *ownTenantUpdate) (*Answer[OwnTenant], error) {
	id, err := home(ctx)
	if err != nil {
		return nil, err
	}
	updated, err := a.Store.UpdateTenant(ctx, scopeOf(ctx), id, store.TenantPatch{Name: &in.Body.Name})
	if err != nil {
		return nil, err
	}
	return a.showOwnTenant(ctx, &updated)
}
