package tenant

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// Forecast predicts when an account runs out of quota if spending continues at the recent rate.
type Forecast struct {
	DailySpend money.Amount `json:"daily_spend" doc:"Average spend per 24 hours, over today and the six days before it (UTC), or since the tenant or user was created if that is later"`
	RunsOutAt  *time.Time   `json:"runs_out_at" nullable:"true" doc:"When nothing is left; null if that does not happen at this rate"`
}

// forecasts adds the forecasts of the user and, if the body shows
// it, of the tenant. Operators have no quota to run out of.
func (h *handlers) forecasts(ctx context.Context, user *tenant.User, body *OwnQuota) error {
	if user.Role == tenant.Operator {
		return nil
	}
	t, err := h.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), user.TenantID)
	if err != nil {
		return err
	}
	if body.Wallet != nil {
		if body.WalletForecast, err = h.forecast(ctx, body.Wallet.Left, t.CreatedAt,
			metering.SpentQuery{TenantID: t.ID}); err != nil {
			return err
		}
	}
	body.CapForecast, err = h.forecast(ctx, body.Cap.Left, user.CreatedAt,
		metering.SpentQuery{TenantID: t.ID, UserID: user.ID})
	return err
}

// forecast returns the forecast of an account with remaining to spend (nil: unlimited),
// whose owner was created at the given time. query selects the owner's usage.
func (h *handlers) forecast(ctx context.Context, remaining *money.Amount, createdAt time.Time,
	query metering.SpentQuery) (*Forecast, error) {
	now := h.Now()
	query.Since = quota.ForecastSince(now, createdAt)
	spend, err := h.Store.Metering.Spent(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, err
	}
	forecast := quota.ForecastOf(remaining, spend, query.Since, now)
	return &Forecast{DailySpend: forecast.Daily, RunsOutAt: null.Time(forecast.RunsOutAt)}, nil
}
