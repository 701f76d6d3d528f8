package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// Quota is the state of an account.
type Quota struct {
	Granted *money.Amount `json:"granted" nullable:"true" doc:"null: unlimited"`
	Used    money.Amount  `json:"used"`
	Leased  money.Amount  `json:"leased" doc:"In the hands of relays, for calls in flight and those to come"`
	Left    *money.Amount `json:"left" nullable:"true" doc:"granted - used; null: unlimited"`
}

func quotaOf(account *quota.Account) Quota {
	return Quota{Granted: account.Granted, Used: account.Used, Leased: account.Leased, Left: account.Left()}
}

// Limit is one of the limits that a call has to keep, in the window that is
// open.
type Limit struct {
	Kind     string     `json:"kind" enum:"tenant,user,token" doc:"Whose limit it is"`
	OwnerID  uuid.UUID  `json:"owner_id" doc:"Of the tenant, user or token"`
	Period   string     `json:"period" enum:"lifetime,day,week,month"`
	ResetsAt *time.Time `json:"resets_at" nullable:"true" doc:"When nothing of it is used again; null: never"`
	Quota
}

func limitOf(b *store.Balance) Limit {
	shown := Limit{Kind: string(b.Limit.Kind), OwnerID: b.Limit.Owner, Period: string(b.Limit.Period), ResetsAt: moment(b.Resets), Quota: quotaOf(&b.Account)}
	if b.Limit.Kind == quota.TenantCap {
		shown.Kind = string(quota.Wallet)
	}
	if b.Limit.Period == quota.Lifetime {
		shown.Period = "lifetime"
	}
	return shown
}

// OwnQuota is what a user may spend of.
type OwnQuota struct {
	Wallet *Quota `json:"wallet,omitempty" doc:"Of the tenant; absent for operators"`
	Cap    Quota  `json:"cap" doc:"Of the user"`

	WalletForecast *Forecast `json:"wallet_forecast,omitempty" doc:"When the tenant runs out; absent for operators"`
	CapForecast    *Forecast `json:"cap_forecast,omitempty" doc:"When the user does; absent for operators"`

	Limits []Limit `json:"limits" doc:"Of the tenant, the user and, where one is named, the token: of each its quota, and then its caps"`
}

type quotaQuery struct {
	UserID  uuid.UUID `query:"user_id" doc:"Whose: one's own if absent; admins may name another user"`
	TokenID uuid.UUID `query:"token_id" doc:"Shows the limits of the token and its user"`
}

// LedgerEntry is one movement of a tenant's granted quota. It is never changed.
type LedgerEntry struct {
	ID            uuid.UUID    `json:"id"`
	TenantID      uuid.UUID    `json:"tenant_id"`
	Kind          string       `json:"kind" enum:"grant,adjustment,transfer"`
	Amount        money.Amount `json:"amount" doc:"Negative takes away"`
	Granted       money.Amount `json:"granted" doc:"In all, with this entry: the sum of the ledger up to it"`
	Reason        string       `json:"reason"`
	Actor         string       `json:"actor" doc:"Who did it"`
	TransferID    *uuid.UUID   `json:"transfer_id" nullable:"true" doc:"Both entries of a transfer have it; null for others"`
	CounterpartID *uuid.UUID   `json:"counterpart_id" nullable:"true" doc:"The other tenant of a transfer; operators alone are told"`
	CreatedAt     time.Time    `json:"created_at"`
}

func ledgerEntryOf(e *store.LedgerEntry) LedgerEntry {
	return LedgerEntry{
		ID: e.ID, TenantID: e.TenantID, Kind: string(e.Kind), Amount: e.Amount, Granted: e.Granted, Reason: e.Reason, Actor: e.Actor,
		TransferID: some(e.TransferID), CounterpartID: some(e.Counterpart), CreatedAt: e.CreatedAt.UTC(),
	}
}

func quotas(a *API) {
	register(a, operation{
		id: "getQuota", method: http.MethodGet, path: "/quota", tag: "quota", summary: "What limits one's calls, and what is left of it",
		description: "left = granted - used. Members see their own, admins and owners that of their tenant's users.",
		errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, a.ownQuota)
	register(a, operation{
		id: "listLedger", method: http.MethodGet, path: "/ledger", tag: "quota", summary: "What the tenant was granted",
		description: "Newest first. The amounts add up to what the wallet was granted. For admins and owners.",
		errors:      []int{http.StatusForbidden},
	}, a.ledger)
}

func (a *API) ownQuota(ctx context.Context, in *quotaQuery) (*Answer[OwnQuota], error) {
	user, owners, err := a.limiting(ctx, in)
	if err != nil {
		return nil, err
	}
	balances, err := a.Store.Balances(ctx, scopeOf(ctx), owners)
	if err != nil {
		return nil, err
	}
	body := OwnQuota{Limits: make([]Limit, 0, len(balances))}
	for i := range balances {
		limit := limitOf(&balances[i])
		body.Limits = append(body.Limits, limit)
		switch balances[i].Limit {
		case quota.Limit{Owner: limit.OwnerID, Kind: quota.Wallet}:
			body.Wallet = &limit.Quota
		case quota.Limit{Owner: limit.OwnerID, Kind: quota.UserCap}:
			body.Cap = limit.Quota
		}
	}
	if err := a.forecasts(ctx, &user, &body); err != nil {
		return nil, err
	}
	return answer(body), nil
}

// limiting returns the user, and whose limits his calls, or the token's, keep.
func (a *API) limiting(ctx context.Context, in *quotaQuery) (user tenant.User, owners []uuid.UUID, err error) {
	user, scope := callerOf(ctx).User, scopeOf(ctx)
	var tokens []uuid.UUID
	if in.TokenID != uuid.Nil {
		found, err := a.Store.Token(ctx, scope, in.TokenID)
		if err != nil {
			return user, nil, err
		}
		if in.UserID != uuid.Nil && in.UserID != found.UserID {
			return user, nil, problem.New(problem.InvalidType, "The token is another user's.").At("token_id")
		}
		in.UserID, tokens = found.UserID, []uuid.UUID{found.ID}
	}
	if in.UserID != uuid.Nil {
		if user, err = a.Store.User(ctx, scope, in.UserID); err != nil {
			return user, nil, err
		}
	}
	owners = []uuid.UUID{user.ID}
	if user.Role != tenant.Operator {
		owners = []uuid.UUID{user.TenantID, user.ID}
	}
	return user, append(owners, tokens...), nil
}

func (a *API) ledger(ctx context.Context, in *PageQuery) (*Answer[List[LedgerEntry]], error) {
	page, err := a.Store.Ledger(ctx, scopeOf(ctx), callerOf(ctx).User.TenantID, in.page())
	if err != nil {
		return nil, err
	}
	return pageOf(page, ledgerEntryOf), nil
}
