package tenant

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// Forecast is when quota runs out if it is spent as of late.
type Forecast struct {
	DailySpend money.Amount `json:"daily_spend" doc:"Average of 24 hours since six days before today began, in UTC, or since the owner was made"`
	RunsOutAt  *time.Time   `json:"runs_out_at" nullable:"true" doc:"null: never at this rate"`
}

// forecasts adds them to what the user may spend of.
func (h *handlers) forecasts(ctx context.Context, user *tenant.User, body *OwnQuota) error {
	if user.Role == tenant.Operator {
		return nil
	}
	home, err := h.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), user.TenantID)
	if err != nil {
		return err
	}
	if body.Wallet != nil {
		if body.WalletForecast, err = h.forecast(ctx, body.Wallet.Left, home.CreatedAt, metering.SpentQuery{TenantID: home.ID}); err != nil {
			return err
		}
	}
	body.CapForecast, err = h.forecast(ctx, body.Cap.Left, user.CreatedAt, metering.SpentQuery{TenantID: home.ID, UserID: user.ID})
	return err
}

func (h *handlers) forecast(ctx context.Context, left *money.Amount, made time.Time, query metering.SpentQuery) (*Forecast, error) {
	now := h.Now()
	query.Since = quota.ForecastSince(now, made)
	spent, err := h.Store.Metering.Spent(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, err
	}
	found := quota.ForecastOf(left, spent, query.Since, now)
	return &Forecast{DailySpend: found.Daily, RunsOutAt: api.NullableTime(found.RunsOutAt)}, nil
}
