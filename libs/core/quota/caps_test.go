package quota_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

func TestCaps(t *testing.T) {
	var caps quota.Caps
	amount := money.USD
	for _, period := range quota.Periods() {
		if caps.Of(period) != nil {
			t.Errorf("there is a cap per %s before it is set", period)
		}
		caps.Set(period, &amount)
		if got := caps.Of(period); got == nil || *got != amount {
			t.Errorf("the cap per %s is %v", period, got)
		}
		amount++
	}
	if caps.Day == nil || caps.Week == nil || caps.Month == nil {
		t.Errorf("periods share a cap: %+v", caps)
	}
	caps.Set(quota.Lifetime, &amount)
	if got := caps.Of(quota.Lifetime); got != nil {
		t.Errorf("a lifetime has the cap %v", *got)
	}
}
