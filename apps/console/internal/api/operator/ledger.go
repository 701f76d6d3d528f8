package operator

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/token"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// NewGrant is the body of createGrant.
type NewGrant struct {
	TenantID uuid.UUID    `json:"tenant_id"`
	Amount   money.Amount `json:"amount" doc:"Must be greater than 0. Use createAdjustment to take quota back"`
	Reason   string       `json:"reason" minLength:"1" maxLength:"500" doc:"Why the entry is made. The tenant can read it"`
}

// NewAdjustment is the body of createAdjustment.
type NewAdjustment struct {
	TenantID uuid.UUID    `json:"tenant_id"`
	Amount   money.Amount `json:"amount" doc:"Must not be 0. A negative amount takes quota back"`
	Reason   string       `json:"reason" minLength:"1" maxLength:"500" doc:"Why the entry is made. The tenant can read it"`
}

// NewTransfer is the body of createTransfer.
type NewTransfer struct {
	FromTenantID uuid.UUID    `json:"from_tenant_id"`
	ToTenantID   uuid.UUID    `json:"to_tenant_id"`
	Amount       money.Amount `json:"amount" doc:"Must be greater than 0, and not more than the giving tenant has left and not leased to relays"`
	Reason       string       `json:"reason" minLength:"1" maxLength:"500" doc:"Why the entry is made. The tenant can read it"`
}

// Transfer shows a move of quota from one tenant to another: the entries that it adds to
// the ledgers of the giving and of the receiving tenant. Its fields have no doc tags:
// Huma would wrap their schema references in allOf, which changes generated clients.
type Transfer struct {
	Given    resource.LedgerEntry `json:"given"`
	Received resource.LedgerEntry `json:"received"`
}

// IdempotencyKey holds the header that makes repeating a POST safe.
type IdempotencyKey struct {
	Key string `header:"Idempotency-Key" maxLength:"255" doc:"A key that the client chooses. A second request with the same key has no effect: it returns the response of the first, or 409 if it asks for something else"`
}

type grantQuery struct {
	api.PageQuery
	TenantID uuid.UUID `query:"tenant_id" doc:"Only entries of this tenant. Absent: all tenants"`
}

// largeAmount is the condition under which operations that grant or move quota need a confirmation.
const largeAmount = "the amounts of the session since its confirmation expired, this one included, add up (signs " +
	"ignored) to more than TOLLGATE_CONFIRM_AMOUNT"

// sessionLimit returns what the caller's session may grant without a confirmation. Access keys have no session: they
// have a limit of their own, which a person has confirmed.
func (h *handlers) sessionLimit(ctx context.Context) quotadb.SessionLimit {
	return quotadb.SessionLimit{Session: api.CallerOf(ctx).ID, Unconfirmed: h.ConfirmAmount,
		Life: permission.ConfirmationLife}
}

func registerLedger(h *handlers) {
	missingOrTaken := []int{http.StatusNotFound, http.StatusConflict}
	api.Register(h.API, api.Operation{
		ID: "createGrant", Method: http.MethodPost, Path: "/operator/grants", Tag: "operator",
		Scope: token.WriteBilling, Summary: "Grant quota to a tenant",
		Description: "Adds an entry to the tenant's ledger. Entries are never changed; use createAdjustment to take " +
			"quota back.",
		Status: http.StatusCreated, Errors: missingOrTaken, Confirm: largeAmount,
	}, h.createGrant)
	api.Register(h.API, api.Operation{
		ID: "listGrants", Method: http.MethodGet, Path: "/operator/grants", Tag: "operator", Scope: token.ReadUsage,
		Summary:     "List the ledgers of tenants",
		Description: "Lists grants, adjustments and transfers, newest first.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listGrants)
	api.Register(h.API, api.Operation{
		ID: "createAdjustment", Method: http.MethodPost, Path: "/operator/adjustments", Tag: "operator",
		Scope: token.WriteBilling, Summary: "Correct the quota granted to a tenant",
		Description: "A negative amount may exceed what is left, but not what the tenant was granted. If it exceeds " +
			"what is left, the tenant cannot spend anything.",
		Status: http.StatusCreated, Errors: missingOrTaken, Confirm: largeAmount,
	}, h.createAdjustment)
	api.Register(h.API, api.Operation{
		ID: "createTransfer", Method: http.MethodPost, Path: "/operator/transfers", Tag: "operator",
		Scope: token.WriteBilling, Summary: "Move quota from one tenant to another",
		Description: "Adds an entry to both ledgers, in one transaction.",
		Status:      http.StatusCreated, Errors: missingOrTaken, Confirm: largeAmount,
	}, h.createTransfer)
}

type grantCreation struct {
	IdempotencyKey
	Body NewGrant
}

type adjustmentCreation struct {
	IdempotencyKey
	Body NewAdjustment
}

type transferCreation struct {
	IdempotencyKey
	Body NewTransfer
}

func (h *handlers) createGrant(ctx context.Context, in *grantCreation) (*api.Answer[resource.LedgerEntry], error) {
	return h.addEntry(ctx, quotadb.NewEntry{
		Kind: quotadb.Grant, TenantID: in.Body.TenantID, Amount: in.Body.Amount, Reason: in.Body.Reason, Key: in.Key,
	})
}

func (h *handlers) createAdjustment(ctx context.Context,
	in *adjustmentCreation) (*api.Answer[resource.LedgerEntry], error) {
	return h.addEntry(ctx, quotadb.NewEntry{
		Kind: quotadb.Adjustment, TenantID: in.Body.TenantID, Amount: in.Body.Amount,
		Reason: in.Body.Reason, Key: in.Key,
	})
}

// addEntry adds a grant or an adjustment to the ledger of a tenant. If the
// idempotency key was used before, it returns the entry of the first request.
func (h *handlers) addEntry(ctx context.Context, n quotadb.NewEntry) (*api.Answer[resource.LedgerEntry], error) {
	n.Session = h.sessionLimit(ctx)
	entry, err := h.Store.Quota.AddEntry(ctx, api.ScopeOf(ctx), n)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(resource.LedgerEntryOf(&entry)), nil
}

func (h *handlers) createTransfer(ctx context.Context, in *transferCreation) (*api.Answer[Transfer], error) {
	debit, credit, err := h.Store.Quota.TransferQuota(ctx, api.ScopeOf(ctx), quotadb.NewTransfer{
		FromTenantID: in.Body.FromTenantID, ToTenantID: in.Body.ToTenantID, Amount: in.Body.Amount,
		Reason: in.Body.Reason, Key: in.Key,
		Session: h.sessionLimit(ctx),
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(Transfer{Given: resource.LedgerEntryOf(&debit), Received: resource.LedgerEntryOf(&credit)}),
		nil
}

// listGrants lists the ledgers of one or all tenants. The store would also serve
// admins and owners, for their own tenant, so it checks for an operator first.
func (h *handlers) listGrants(ctx context.Context,
	in *grantQuery) (*api.Answer[api.List[resource.LedgerEntry]], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	page, err := h.Store.Quota.Ledger(ctx, api.ScopeOf(ctx), in.TenantID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, resource.LedgerEntryOf), nil
}
