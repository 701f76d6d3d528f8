package console_test

import (
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/verify"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestBillsComeOutTheSameAfterPricesChange(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.store.CreatePrice(t.Context(), system, pricing.Price{Model: "gpt-4o-mini", Rates: pricing.Rates{Input: usd("3")}})
	s.must(err)
	_, err = s.store.CreateRule(t.Context(), system, pricing.Rule{GroupID: s.group.ID, Model: "gpt-4o-mini", Multiplier: 2 * money.One})
	s.must(err)
	dear := s.call(&s.globex, usage.Usage{Input: 7})
	sum, err := verify.Walk(t.Context(), s.store, func(d verify.Difference) { t.Errorf("%s: %s", d.Log, d.Reason) })
	s.must(err)
	if want := 2*893 + dear.Quota; sum.Bills != 3 || sum.Quota != want || dear.Quota != 42_000 {
		t.Errorf("sum = %+v, want 3 bills of %s USD", sum, want)
	}
}
