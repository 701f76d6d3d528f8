package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/money"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// NewGrant is the body of createGrant.
type NewGrant struct {
	TenantID uuid.UUID    `json:"tenant_id"`
	Amount   money.Amount `json:"amount" doc:"More than 0; adjustments take back"`
	Reason   string       `json:"reason" minLength:"1" maxLength:"500"`
}

// NewAdjustment is the body of createAdjustment.
type NewAdjustment struct {
	TenantID uuid.UUID    `json:"tenant_id"`
	Amount   money.Amount `json:"amount" doc:"Not zero; negative takes back"`
	Reason   string       `json:"reason" minLength:"1" maxLength:"500"`
}

// NewTransfer is the body of createTransfer.
type NewTransfer struct {
	FromTenantID uuid.UUID    `json:"from_tenant_id"`
	ToTenantID   uuid.UUID    `json:"to_tenant_id"`
	Amount       money.Amount `json:"amount" doc:"More than 0; at most what the giver has neither used nor in flight"`
	Reason       string       `json:"reason" minLength:"1" maxLength:"500"`
}

// Transfer is a move of quota from one tenant to another: an entry in the
// ledger of each.
type Transfer struct {
	Given    resource.LedgerEntry `json:"given"`
	Received resource.LedgerEntry `json:"received"`
}

// OnceKey makes repeating a POST safe.
type OnceKey struct {
	Key string `header:"Idempotency-Key" maxLength:"255" doc:"Chosen by the client. A request with a key that was used is not done again: it is answered as the first was, or with 409 where it asks for something else"`
}

type grantQuery struct {
	api.PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"All tenants if absent"`
}

func ledger(h *handlers) {
	missingOrTaken := []int{http.StatusNotFound, http.StatusConflict}
	api.Register(h.API, api.Operation{
		ID: "createGrant", Method: http.MethodPost, Path: "/operator/grants", Tag: "operator", Summary: "Grant quota to a tenant",
		Description: "Adds an entry to the tenant's ledger, which nothing changes later; a negative amount takes quota back.",
		Status:      http.StatusCreated, Errors: missingOrTaken,
	}, h.createGrant)
	api.Register(h.API, api.Operation{
		ID: "listGrants", Method: http.MethodGet, Path: "/operator/grants", Tag: "operator", Summary: "List the ledger of tenants",
		Description: "Grants, adjustments and transfers. Newest first.", Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listGrants)
	api.Register(h.API, api.Operation{
		ID: "createAdjustment", Method: http.MethodPost, Path: "/operator/adjustments", Tag: "operator", Summary: "Correct what a tenant was granted",
		Description: "It may take back what was used already: then nothing is left.",
		Status:      http.StatusCreated, Errors: missingOrTaken,
	}, h.createAdjustment)
	api.Register(h.API, api.Operation{
		ID: "createTransfer", Method: http.MethodPost, Path: "/operator/transfers", Tag: "operator", Summary: "Move quota from one tenant to another",
		Description: "Adds an entry to both ledgers, or to neither.",
		Status:      http.StatusCreated, Errors: missingOrTaken,
	}, h.createTransfer)
}

type newGrant struct {
	OnceKey
	Body NewGrant
}

type newAdjustment struct {
	OnceKey
	Body NewAdjustment
}

type newTransfer struct {
	OnceKey
	Body NewTransfer
}

func (h *handlers) createGrant(ctx context.Context, in *newGrant) (*api.Answer[resource.LedgerEntry], error) {
	return h.addEntry(ctx, quotadb.NewEntry{
		Kind: quotadb.Grant, TenantID: in.Body.TenantID, Amount: in.Body.Amount, Reason: in.Body.Reason, Key: in.Key,
	})
}

func (h *handlers) createAdjustment(ctx context.Context, in *newAdjustment) (*api.Answer[resource.LedgerEntry], error) {
	return h.addEntry(ctx, quotadb.NewEntry{
		Kind: quotadb.Adjustment, TenantID: in.Body.TenantID, Amount: in.Body.Amount, Reason: in.Body.Reason, Key: in.Key,
	})
}

func (h *handlers) addEntry(ctx context.Context, n quotadb.NewEntry) (*api.Answer[resource.LedgerEntry], error) {
	entry, err := h.Store.Quota.AddEntry(ctx, api.ScopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(resource.LedgerEntryOf(&entry)), nil
}

func (h *handlers) createTransfer(ctx context.Context, in *newTransfer) (*api.Answer[Transfer], error) {
	given, received, err := h.Store.Quota.TransferQuota(ctx, api.ScopeOf(ctx), quotadb.NewTransfer{
		FromTenantID: in.Body.FromTenantID, ToTenantID: in.Body.ToTenantID, Amount: in.Body.Amount, Reason: in.Body.Reason, Key: in.Key,
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(Transfer{Given: resource.LedgerEntryOf(&given), Received: resource.LedgerEntryOf(&received)}), nil
}

func (h *handlers) listGrants(ctx context.Context, in *grantQuery) (*api.Answer[api.List[resource.LedgerEntry]], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	page, err := h.Store.Quota.Ledger(ctx, api.ScopeOf(ctx), in.TenantID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, resource.LedgerEntryOf), nil
}
