package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// Limit shows one limit on spending, and its state: a quota, or a budget in the current day, week or month.
type Limit struct {
	Kind     string     `json:"kind" enum:"tenant,user,token" doc:"Kind of the owner"`
	OwnerID  uuid.UUID  `json:"owner_id" doc:"Id of the tenant, user or token"`
	Period   string     `json:"period" enum:"lifetime,day,week,month" doc:"lifetime: a quota. day, week, month: a budget"`
	ResetsAt *time.Time `json:"resets_at" nullable:"true" doc:"When the period ends and used returns to 0; null for lifetime"`
	resource.Quota
}

// limitOf returns the balance as the API shows it: a tenant's quota and its budgets both have the kind tenant.
func limitOf(b *quotadb.Balance) Limit {
	body := Limit{Kind: string(b.Limit.Kind), OwnerID: b.Limit.Owner, Period: string(b.Limit.Period),
		ResetsAt: null.Time(b.Resets), Quota: resource.QuotaOf(&b.Account)}
	if b.Limit.Kind == quota.TenantCap {
		body.Kind = string(quota.Wallet)
	}
	if b.Limit.Period == quota.Lifetime {
		body.Period = "lifetime"
	}
	return body
}

// OwnQuota shows all limits on the spending of a user.
type OwnQuota struct {
	Wallet *resource.Quota `json:"wallet,omitempty" doc:"Quota of the tenant; absent for operators"`
	Cap    resource.Quota  `json:"cap" doc:"Quota of the user"`

	WalletForecast *Forecast `json:"wallet_forecast,omitempty" doc:"When the tenant runs out of quota; absent for operators"`
	CapForecast    *Forecast `json:"cap_forecast,omitempty" doc:"When the user runs out of quota; absent for operators"`

	Limits []Limit `json:"limits" doc:"Limits of the tenant, of the user and, if token_id is set, of the token. For each, the quota comes first, then the budgets"`
}

type quotaQuery struct {
	UserID  uuid.UUID `query:"user_id" doc:"The user. Defaults to the caller; admins and owners may name another user"`
	TokenID uuid.UUID `query:"token_id" doc:"Also returns the limits of this token, and those of its user instead of the caller's"`
}

func registerQuotas(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getQuota", Method: http.MethodGet, Path: "/quota", Tag: "quota", Scope: token.ReadUsage,
		Summary: "Get the limits on spending and what is left",
		Description: "left = granted - used. Members see their own limits, admins and owners those of all users of " +
			"their tenant.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.ownQuota)
	api.Register(h.API, api.Operation{
		ID: "listLedger", Method: http.MethodGet, Path: "/ledger", Tag: "quota", Scope: token.ReadUsage,
		Summary:     "List the ledger of the caller's tenant",
		Description: "Newest first. The amounts add up to the quota that the tenant is granted. For admins and owners.",
		Errors:      []int{http.StatusForbidden},
	}, h.ledger)
}

// ownQuota returns the balances of all accounts that limit the user. Wallet and Cap repeat
// the lifetime limits of the tenant and the user, for clients that show only those.
func (h *handlers) ownQuota(ctx context.Context, in *quotaQuery) (*api.Answer[OwnQuota], error) {
	user, owners, err := h.quotaOwners(ctx, in)
	if err != nil {
		return nil, err
	}
	balances, err := h.Store.Quota.Balances(ctx, api.ScopeOf(ctx), owners)
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
	if err := h.forecasts(ctx, &user, &body); err != nil {
		return nil, err
	}
	return api.NewAnswer(body), nil
}

// quotaOwners returns the user that the query names, and the ids of all accounts
// that limit the user: the tenant, the user and, if the query names one, the token.
func (h *handlers) quotaOwners(ctx context.Context, in *quotaQuery) (user tenant.User, owners []uuid.UUID, err error) {
	user, scope := api.CallerOf(ctx).User, api.ScopeOf(ctx)
	var tokens []uuid.UUID
	if in.TokenID != uuid.Nil {
		t, err := h.Store.Token.Token(ctx, scope, in.TokenID)
		if err != nil {
			return user, nil, err
		}
		if in.UserID != uuid.Nil && in.UserID != t.UserID {
			return user, nil, problem.New(problem.InvalidType,
				"The token belongs to another user. Leave out user_id, or name the token's user.").At("token_id")
		}
		in.UserID, tokens = t.UserID, []uuid.UUID{t.ID}
	}
	if in.UserID != uuid.Nil {
		if user, err = h.Store.Identity.User(ctx, scope, in.UserID); err != nil {
			return user, nil, err
		}
	}
	owners = []uuid.UUID{user.ID}
	if user.Role != tenant.Operator {
		owners = []uuid.UUID{user.TenantID, user.ID}
	}
	return user, append(owners, tokens...), nil
}

// ledger lists the ledger of the caller's tenant. The store permits it to admins and owners only.
func (h *handlers) ledger(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[resource.LedgerEntry]], error) {
	page, err := h.Store.Quota.Ledger(ctx, api.ScopeOf(ctx), api.CallerOf(ctx).User.TenantID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, resource.LedgerEntryOf), nil
}
