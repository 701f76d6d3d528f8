package quota

import (
	"math/big"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
)

const (
	day = 24 * time.Hour
	// forecastDays is what a rate is taken from: today and the six days of UTC
	// before it.
	forecastDays = 7
	// horizon is beyond what anything is foretold.
	horizon = 100 * 365 * day
)

// Forecast is when an account runs out at the rate of late.
type Forecast struct {
	Daily     money.Amount // average spend of 24 hours, rounded half up
	RunsOutAt time.Time    // zero: not within a hundred years
}

// ForecastSince is where the time begins that a forecast at now looks back on:
// a midnight of UTC. An owner who is younger than that is looked at since the
// midnight before he was made.
func ForecastSince(now, made time.Time) time.Time {
	since := now.UTC().Truncate(day).AddDate(0, 0, 1-forecastDays)
	if born := made.UTC().Truncate(day); born.After(since) {
		return born
	}
	return since
}

// ForecastOf returns the forecast at now of an account with left to spend (nil:
// unlimited), whose owner has spent so much since. The first day counts as a
// whole one.
func ForecastOf(left *money.Amount, spent money.Amount, since, now time.Time) Forecast {
	elapsed := big.NewInt(int64(max(day, now.Sub(since))))
	total := big.NewInt(int64(max(0, spent)))
	f := Forecast{Daily: money.Amount(halfUp(new(big.Int).Mul(total, big.NewInt(int64(day))), elapsed).Int64())}
	switch {
	case left == nil:
	case *left <= 0:
		f.RunsOutAt = now
	case total.Sign() > 0:
		lasts := new(big.Int).Mul(big.NewInt(int64(*left)), elapsed)
		if lasts.Quo(lasts, total).Cmp(big.NewInt(int64(horizon))) <= 0 {
			f.RunsOutAt = now.Add(time.Duration(lasts.Int64()))
		}
	}
	return f
}

// halfUp is a / b, neither of them negative.
func halfUp(a, b *big.Int) *big.Int {
	twice := new(big.Int).Lsh(a, 1)
	return twice.Quo(twice.Add(twice, b), new(big.Int).Lsh(b, 1))
}
