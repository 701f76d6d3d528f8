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

// Quota is the state of an account.
type Quota struct {
	Granted *money.Amount `json:"granted" nullable:"true" doc:"null: unlimited"`
	Used    money.Amount  `json:"used"`
	Left    *money.Amount `json:"left" nullable:"true" doc:"granted - used; null: unlimited"`
}

func quotaOf(account *quota.Account) Quota {
	return Quota{Granted: account.Granted, Used: account.Used, Left: account.Left()}
}

// accountsOf returns the accounts of the items by their owners' ids.
func accountsOf[T any](ctx context.Context, a *API, items []T, id func(*T) uuid.UUID) (map[uuid.UUID]quota.Account, error) {
	ids := make([]uuid.UUID, 0, len(items))
	for i := range items {
		ids = append(ids, id(&items[i]))
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return a.Store.Accounts(ctx, scopeOf(ctx), ids)
}

// capOf is nil where the field is absent.
func capOf(n Nullable[money.Amount]) *store.Cap {
	if !n.set {
		return nil
	}
	return &store.Cap{Amount: n.value}
}

// OwnQuota is what the caller may spend of.
type OwnQuota struct {
	Wallet *Quota `json:"wallet,omitempty" doc:"Of the tenant; absent for operators"`
	Cap    Quota  `json:"cap" doc:"Of the user"`
}

// LedgerEntry is one movement of a tenant's granted quota.
type LedgerEntry struct {
	ID        uuid.UUID    `json:"id"`
	TenantID  uuid.UUID    `json:"tenant_id"`
	Amount    money.Amount `json:"amount" doc:"Negative takes back"`
	Reason    string       `json:"reason"`
	Actor     string       `json:"actor" doc:"Who granted it"`
	CreatedAt time.Time    `json:"created_at"`
}

func ledgerEntryOf(e *store.LedgerEntry) LedgerEntry {
	return LedgerEntry{ID: e.ID, TenantID: e.TenantID, Amount: e.Amount, Reason: e.Reason, Actor: e.Actor, CreatedAt: e.CreatedAt.UTC()}
}

func quotas(a *API) {
	register(a, operation{
		id: "getQuota", method: http.MethodGet, path: "/quota", tag: "quota", summary: "The tenant's wallet and one's own cap",
		errors: []int{http.StatusForbidden},
	}, a.ownQuota)
	register(a, operation{
		id: "listLedger", method: http.MethodGet, path: "/ledger", tag: "quota", summary: "What the tenant was granted",
		description: "Newest first. For admins and owners.",
		errors:      []int{http.StatusForbidden},
	}, a.ledger)
}

func (a *API) ownQuota(ctx context.Context, _ *struct{}) (*Answer[OwnQuota], error) {
	user, scope := callerOf(ctx).User, scopeOf(ctx)
	own, err := a.Store.Account(ctx, scope, user.ID)
	if err != nil {
		return nil, err
	}
	body := OwnQuota{Cap: quotaOf(&own)}
	if user.Role != tenant.Operator {
		account, err := a.Store.Account(ctx, scope, user.TenantID)
		if err != nil {
			return nil, err
		}
		wallet := quotaOf(&account)
		body.Wallet = &wallet
	}
	return answer(body), nil
}

func (a *API) ledger(ctx context.Context, in *PageQuery) (*Answer[List[LedgerEntry]], error) {
	page, err := a.Store.Ledger(ctx, scopeOf(ctx), callerOf(ctx).User.TenantID, in.page())
	if err != nil {
		return nil, err
	}
	return pageOf(page, ledgerEntryOf), nil
}
