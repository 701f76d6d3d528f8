package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/store"
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
	Given    LedgerEntry `json:"given"`
	Received LedgerEntry `json:"received"`
}

// OnceKey makes repeating a POST safe.
type OnceKey struct {
	Key string `header:"Idempotency-Key" maxLength:"255" doc:"Chosen by the client. A request with a key that was used is not done again: it is answered as the first was, or with 409 where it asks for something else"`
}

type grantQuery struct {
	PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"All tenants if absent"`
}

func operatorLedger(a *API) {
	missingOrTaken := []int{http.StatusNotFound, http.StatusConflict}
	register(a, operation{
		id: "createGrant", method: http.MethodPost, path: "/operator/grants", tag: "operator", summary: "Grant quota to a tenant",
		description: "Adds an entry to the tenant's ledger, which nothing changes later; a negative amount takes quota back.",
		status:      http.StatusCreated, errors: missingOrTaken,
	}, a.createGrant)
	register(a, operation{
		id: "listGrants", method: http.MethodGet, path: "/operator/grants", tag: "operator", summary: "List the ledger of tenants",
		description: "Grants, adjustments and transfers. Newest first.", errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, a.listGrants)
	register(a, operation{
		id: "createAdjustment", method: http.MethodPost, path: "/operator/adjustments", tag: "operator", summary: "Correct what a tenant was granted",
		description: "It may take back what was used already: then nothing is left.",
		status:      http.StatusCreated, errors: missingOrTaken,
	}, a.createAdjustment)
	register(a, operation{
		id: "createTransfer", method: http.MethodPost, path: "/operator/transfers", tag: "operator", summary: "Move quota from one tenant to another",
		description: "Adds an entry to both ledgers, or to neither.",
		status:      http.StatusCreated, errors: missingOrTaken,
	}, a.createTransfer)
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

func (a *API) createGrant(ctx context.Context, in *newGrant) (*Answer[LedgerEntry], error) {
	return a.addEntry(ctx, store.NewEntry{
		Kind: store.Grant, TenantID: in.Body.TenantID, Amount: in.Body.Amount, Reason: in.Body.Reason, Key: in.Key,
	})
}

func (a *API) createAdjustment(ctx context.Context, in *newAdjustment) (*Answer[LedgerEntry], error) {
	return a.addEntry(ctx, store.NewEntry{
		Kind: store.Adjustment, TenantID: in.Body.TenantID, Amount: in.Body.Amount, Reason: in.Body.Reason, Key: in.Key,
	})
}

func (a *API) addEntry(ctx context.Context, n store.NewEntry) (*Answer[LedgerEntry], error) {
	entry, err := a.Store.AddEntry(ctx, scopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	return answer(ledgerEntryOf(&entry)), nil
}

func (a *API) createTransfer(ctx context.Context, in *newTransfer) (*Answer[Transfer], error) {
	given, received, err := a.Store.TransferQuota(ctx, scopeOf(ctx), store.NewTransfer{
		FromTenantID: in.Body.FromTenantID, ToTenantID: in.Body.ToTenantID, Amount: in.Body.Amount, Reason: in.Body.Reason, Key: in.Key,
	})
	if err != nil {
		return nil, err
	}
	return answer(Transfer{Given: ledgerEntryOf(&given), Received: ledgerEntryOf(&received)}), nil
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
