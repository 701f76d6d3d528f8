package quota

import (
	"math/big"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
)

const (
	day = 24 * time.Hour
	// forecastDays is the number of days that the average covers: today and the six days before, in UTC.
	forecastDays = 7
	// horizon is the longest time that a forecast covers. It also keeps RunsOutAt within the range of time.Time.
	horizon = 100 * 365 * day
)

// Forecast estimates when the quota of an account will be used up at its recent rate.
type Forecast struct {
	Daily     money.Amount // average spend in 24 hours, rounded half up
	RunsOutAt time.Time    // zero: not within a hundred years, or the account is unlimited
}

// ForecastSince returns the start of the period whose spend a forecast at now averages: the UTC midnight six days
// before today, or the UTC midnight before the owner was created if that is later.
func ForecastSince(now, creation time.Time) time.Time {
	start := now.UTC().Truncate(day).AddDate(0, 0, 1-forecastDays)
	if createdDay := creation.UTC().Truncate(day); createdDay.After(start) {
		return createdDay
	}
	return start
}

// ForecastOf returns the forecast for an account at the time now. balance is the quota that the account has left
// (nil: unlimited). spend is the amount that its owner has spent between start and now. A period shorter than a
// day counts as a day, so that the burst of a new owner in its first hour does not count as its usual rate.
func ForecastOf(balance *money.Amount, spend money.Amount, start, now time.Time) Forecast {
	elapsed := big.NewInt(int64(max(day, now.Sub(start))))
	total := big.NewInt(int64(max(0, spend)))
	f := Forecast{Daily: money.Amount(halfUp(new(big.Int).Mul(total, big.NewInt(int64(day))), elapsed).Int64())}
	switch {
	case balance == nil:
	case *balance <= 0:
		f.RunsOutAt = now
	case total.Sign() > 0:
		lasts := new(big.Int).Mul(big.NewInt(int64(*balance)), elapsed)
		if lasts.Quo(lasts, total).Cmp(big.NewInt(int64(horizon))) <= 0 {
			f.RunsOutAt = now.Add(time.Duration(lasts.Int64()))
		}
	}
	return f
}

// halfUp returns a / b rounded half up. Neither may be negative.
func halfUp(a, b *big.Int) *big.Int {
	twice := new(big.Int).Lsh(a, 1)
	return twice.Quo(twice.Add(twice, b), new(big.Int).Lsh(b, 1))
}
