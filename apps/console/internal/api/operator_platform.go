package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
)

// NewGrant is the body of createGrant.
type NewGrant struct {
	TenantID uuid.UUID    `json:"tenant_id"`
	Amount   money.Amount `json:"amount" doc:"Not zero; negative takes back"`
	Reason   string       `json:"reason" minLength:"1" maxLength:"500"`
}

type grantQuery struct {
	PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"All tenants if absent"`
}

func operatorGrants(a *API) {
	register(a, operation{
		id: "createGrant", method: http.MethodPost, path: "/operator/grants", tag: "operator", summary: "Grant quota to a tenant",
		status: http.StatusCreated, errors: []int{http.StatusNotFound, http.StatusConflict},
	}, a.createGrant)
	register(a, operation{
		id: "listGrants", method: http.MethodGet, path: "/operator/grants", tag: "operator", summary: "List what tenants were granted",
		description: "Newest first.", errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listGrants)
}

func (a *API) createGrant(ctx context.Context, in *struct{ Body NewGrant }) (*Answer[LedgerEntry], error) {
	if in.Body.Amount == 0 {
		return nil, problem.New(problem.InvalidType, "A grant of nothing changes nothing.").At("amount")
	}
	entry, err := a.Store.GrantQuota(ctx, scopeOf(ctx), in.Body.TenantID, in.Body.Amount, in.Body.Reason)
	if err != nil {
		return nil, err
	}
	return answer(ledgerEntryOf(&entry)), nil
}

func (a *API) listGrants(ctx context.Context, in *grantQuery) (*Answer[List[LedgerEntry]], error) {
	if err := a.operatorsOnly(ctx); err != nil {
		return nil, err
	}
	page, err := a.Store.Ledger(ctx, scopeOf(ctx), in.TenantID, in.page())
	if err != nil {
		return nil, err
	}
	return pageOf(page, ledgerEntryOf), nil
}

// AuditEntry is one mutation.
type AuditEntry struct {
	ID        uuid.UUID      `json:"id"`
	TenantID  *uuid.UUID     `json:"tenant_id" nullable:"true" doc:"null for the platform's own things"`
	Actor     string         `json:"actor" doc:"E-mail address of the user, or name of the program"`
	Action    string         `json:"action" example:"token.create"`
	Target    string         `json:"target" doc:"Id of the thing"`
	Detail    map[string]any `json:"detail" doc:"Changed fields"`
	CreatedAt time.Time      `json:"created_at"`
}

func auditEntryOf(e *store.AuditEntry) AuditEntry {
	shown := AuditEntry{
		ID: e.ID, TenantID: some(e.TenantID), Actor: e.Actor, Action: e.Action, Target: e.Target,
		Detail: e.Detail, CreatedAt: e.CreatedAt.UTC(),
	}
	if shown.Detail == nil {
		shown.Detail = map[string]any{}
	}
	return shown
}

func operatorAudit(a *API) {
	register(a, operation{
		id: "listAuditLog", method: http.MethodGet, path: "/operator/audit-log", tag: "operator", summary: "Who changed what",
		description: "Newest first.", errors: []int{http.StatusForbidden},
	}, a.auditLog)
}

func (a *API) auditLog(ctx context.Context, in *PageQuery) (*Answer[List[AuditEntry]], error) {
	page, err := a.Store.Audit(ctx, scopeOf(ctx), in.page())
	if err != nil {
		return nil, err
	}
	return pageOf(page, auditEntryOf), nil
}
