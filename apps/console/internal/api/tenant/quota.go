package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/resource"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// Limit is one of the limits that a call has to keep, in the window that is
// open.
type Limit struct {
	Kind     string     `json:"kind" enum:"tenant,user,token" doc:"Whose limit it is"`
	OwnerID  uuid.UUID  `json:"owner_id" doc:"Of the tenant, user or token"`
	Period   string     `json:"period" enum:"lifetime,day,week,month"`
	ResetsAt *time.Time `json:"resets_at" nullable:"true" doc:"When nothing of it is used again; null: never"`
	resource.Quota
}

func limitOf(b *quotadb.Balance) Limit {
	shown := Limit{Kind: string(b.Limit.Kind), OwnerID: b.Limit.Owner, Period: string(b.Limit.Period), ResetsAt: api.NullableTime(b.Resets), Quota: resource.QuotaOf(&b.Account)}
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
	Wallet *resource.Quota `json:"wallet,omitempty" doc:"Of the tenant; absent for operators"`
	Cap    resource.Quota  `json:"cap" doc:"Of the user"`

	WalletForecast *Forecast `json:"wallet_forecast,omitempty" doc:"When the tenant runs out; absent for operators"`
	CapForecast    *Forecast `json:"cap_forecast,omitempty" doc:"When the user does; absent for operators"`

	Limits []Limit `json:"limits" doc:"Of the tenant, the user and, where one is named, the token: of each its quota, and then its caps"`
}

type quotaQuery struct {
	UserID  uuid.UUID `query:"user_id" doc:"Whose: one's own if absent; admins may name another user"`
	TokenID uuid.UUID `query:"token_id" doc:"Shows the limits of the token and its user"`
}

func quotas(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getQuota", Method: http.MethodGet, Path: "/quota", Tag: "quota", Summary: "What limits one's calls, and what is left of it",
		Description: "left = granted - used. Members see their own, admins and owners that of their tenant's users.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.ownQuota)
	api.Register(h.API, api.Operation{
		ID: "listLedger", Method: http.MethodGet, Path: "/ledger", Tag: "quota", Summary: "What the tenant was granted",
		Description: "Newest first. The amounts add up to what the wallet was granted. For admins and owners.",
		Errors:      []int{http.StatusForbidden},
	}, h.ledger)
}

func (h *handlers) ownQuota(ctx context.Context, in *quotaQuery) (*api.Answer[OwnQuota], error) {
	user, owners, err := h.limiting(ctx, in)
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

// limiting returns the user, and whose limits his calls, or the token's, keep.
func (h *handlers) limiting(ctx context.Context, in *quotaQuery) (user tenant.User, owners []uuid.UUID, err error) {
	user, scope := api.CallerOf(ctx).User, api.ScopeOf(ctx)
	var tokens []uuid.UUID
	if in.TokenID != uuid.Nil {
		found, err := h.Store.Token.Token(ctx, scope, in.TokenID)
		if err != nil {
			return user, nil, err
		}
		if in.UserID != uuid.Nil && in.UserID != found.UserID {
			return user, nil, problem.New(problem.InvalidType, "The token is another user's.").At("token_id")
		}
		in.UserID, tokens = found.UserID, []uuid.UUID{found.ID}
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

func (h *handlers) ledger(ctx context.Context, in *api.PageQuery) (*api.Answer[api.List[resource.LedgerEntry]], error) {
	page, err := h.Store.Quota.Ledger(ctx, api.ScopeOf(ctx), api.CallerOf(ctx).User.TenantID, in.Page())
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, resource.LedgerEntryOf), nil
}
