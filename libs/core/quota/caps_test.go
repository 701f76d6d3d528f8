package quota_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

func TestCaps_HoldOneAmountForEachPeriod(t *testing.T) {
	var caps quota.Caps
	amount := money.USD
	for _, period := range quota.Periods() {
		if caps.Of(period) != nil {
			t.Errorf("the zero Caps have a cap for the %s", period)
		}
		caps.Set(period, &amount)
		if got := caps.Of(period); got == nil || *got != amount {
			t.Errorf("Of(%s) = %v, want %v", period, got, amount)
		}
		amount++
	}
	if caps.Day == nil || caps.Week == nil || caps.Month == nil {
		t.Errorf("periods share a cap: %+v", caps)
	}
	caps.Set(quota.Lifetime, &amount)
	if got := caps.Of(quota.Lifetime); got != nil {
		t.Errorf("Of(Lifetime) = %v, want nil", *got)
	}
}
