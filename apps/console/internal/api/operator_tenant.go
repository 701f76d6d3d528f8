package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// Tenant is a customer organisation, with the state of its wallet.
type Tenant struct {
	ID        uuid.UUID `json:"id"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	Status    string    `json:"status" enum:"enabled,disabled"`
	CreatedAt time.Time `json:"created_at"`
	Quota     Quota     `json:"quota"`
	Caps      Caps      `json:"caps"`

	QuotaMode string `json:"quota_mode" enum:"hard,soft" doc:"A stream whose quota ends: hard ends it there, soft lets it run and deducts as far as the quota goes"`
}

func tenantOf(t *tenant.Tenant, s standing) Tenant {
	return Tenant{
		ID: t.ID, Slug: t.Slug, Name: t.Name, Status: string(t.Status), CreatedAt: t.CreatedAt.UTC(), Quota: s.quota(), Caps: Caps(s.caps),
		QuotaMode: string(t.QuotaMode),
	}
}

// NewTenant is the body of createTenant.
type NewTenant struct {
	Slug  string       `json:"slug" maxLength:"63" doc:"Lower case letters, digits and hyphens"`
	Name  string       `json:"name" minLength:"1" maxLength:"200"`
	Quota money.Amount `json:"quota,omitempty" pattern:"^[0-9]{1,9}(\\.[0-9]{1,9})?$" doc:"Granted at creation; nothing if absent"`
	Caps  NewCaps      `json:"caps,omitzero"`

	QuotaMode string `json:"quota_mode,omitempty" enum:"hard,soft" default:"hard"`
}

// TenantPatch is the body of updateTenant.
type TenantPatch struct {
	Name   Optional[string]    `json:"name,omitzero" minLength:"1" maxLength:"200"`
	Status Optional[string]    `json:"status,omitzero" enum:"enabled,disabled" doc:"disabled: nobody of the tenant may sign in or use a token"`
	Caps   Optional[CapsPatch] `json:"caps,omitzero"`

	QuotaMode Optional[string] `json:"quota_mode,omitzero" enum:"hard,soft"`
}

type tenantUpdate struct {
	ByID
	Body TenantPatch
}

func operatorTenants(a *API) {
	register(a, operation{
		id: "createTenant", method: http.MethodPost, path: "/operator/tenants", tag: "operator", summary: "Create a tenant",
		description: "With its wallet, and what it is granted to begin with.",
		status:      http.StatusCreated, errors: []int{http.StatusConflict},
	}, a.createTenant)
	register(a, operation{
		id: "listTenants", method: http.MethodGet, path: "/operator/tenants", tag: "operator", summary: "List tenants",
		description: "Oldest first, with what each was granted and has used.",
		errors:      []int{http.StatusForbidden},
	}, a.listTenants)
	register(a, operation{
		id: "getTenant", method: http.MethodGet, path: "/operator/tenants/{id}", tag: "operator", summary: "Get a tenant",
		description: "With what it was granted and has used.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.getTenant)
	register(a, operation{
		id: "updateTenant", method: http.MethodPatch, path: "/operator/tenants/{id}", tag: "operator", summary: "Edit, disable or enable a tenant",
		description: "Only the fields that are sent change. The tokens of a disabled tenant are refused within a second.",
		errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, a.updateTenant)
}

func (a *API) createTenant(ctx context.Context, in *struct{ Body NewTenant }) (*Answer[Tenant], error) {
	created, err := a.Store.CreateTenant(ctx, scopeOf(ctx), store.NewTenant{
		Slug: in.Body.Slug, Name: in.Body.Name, Quota: in.Body.Quota, Caps: quota.Caps(in.Body.Caps), QuotaMode: tenant.QuotaMode(in.Body.QuotaMode),
	})
	if err != nil {
		return nil, err
	}
	return a.showTenant(ctx, &created)
}

func (a *API) showTenant(ctx context.Context, t *tenant.Tenant) (*Answer[Tenant], error) {
	wallet, err := a.standing(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	return answer(tenantOf(t, wallet)), nil
}

type tenantQuery struct {
	PageQuery
	SearchQuery
}

func (a *API) listTenants(ctx context.Context, in *tenantQuery) (*Answer[List[Tenant]], error) {
	page, err := a.Store.Tenants(ctx, scopeOf(ctx), in.in(in.page()))
	if err != nil {
		return nil, err
	}
	wallets, err := standingsOf(ctx, a, page.Items, func(t *tenant.Tenant) uuid.UUID { return t.ID })
	if err != nil {
		return nil, err
	}
	return pageOf(page, func(t *tenant.Tenant) Tenant { return tenantOf(t, wallets[t.ID]) }), nil
}

func (a *API) getTenant(ctx context.Context, in *ByID) (*Answer[Tenant], error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	found, err := a.Store.Tenant(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return a.showTenant(ctx, &found)
}

func (a *API) updateTenant(ctx context.Context, in *tenantUpdate) (*Answer[Tenant], error) {
	updated, err := a.Store.UpdateTenant(ctx, scopeOf(ctx), in.ID, store.TenantPatch{
		Name: in.Body.Name.pointer(), Status: (*tenant.Status)(in.Body.Status.pointer()), Caps: in.Body.Caps.value.store(),
		QuotaMode: (*tenant.QuotaMode)(in.Body.QuotaMode.pointer()),
	})
	if err != nil {
		return nil, err
	}
	return a.showTenant(ctx, &updated)
}
