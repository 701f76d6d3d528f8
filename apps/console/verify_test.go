package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/verify"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestBillsComeOutTheSameAfterPricesChange(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.store.Catalog.CreatePrice(t.Context(), system, pricing.Price{Model: "gpt-4o-mini", Rates: pricing.Rates{Input: usd("3")}})
	s.must(err)
	_, err = s.store.Catalog.CreateRule(t.Context(), system, pricing.Rule{GroupID: s.group.ID, Model: "gpt-4o-mini", Multiplier: 2 * money.One})
	s.must(err)
	dear := s.call(&s.globex, usage.Usage{Input: 7})
	sum, err := verify.Walk(t.Context(), verify.Source{Billing: s.store.Metering, Versions: s.store.Catalog}, verify.Range{}, func(d verify.Difference) { t.Errorf("%s: %s", d.Log, d.Reason) })
	s.must(err)
	if want := 2*893 + dear.Quota; sum.Bills != 3 || sum.Quota != want || dear.Quota != 42_000 {
		t.Errorf("sum = %+v, want 3 bills of %s USD", sum, want)
	}
}

// What is falsified in the database is found, on either kind of it, and
// nothing else.
func TestFalsifiedBillsAreFound(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			database := url(t)
			s := &stack{T: t, secret: config.Secret{1}, store: storetest.Open(t, db.Options{URL: database})}
			s.serve()
			s.seed()
			falsified := map[uuid.UUID]string{}
			for falsify, reason := range map[string]string{
				"quota = quota + 1":               "were deducted",
				"quota = 0, cost = 0":             "the cost is",
				"cost = cost + 1":                 "the cost is",
				"cost = cost - 1":                 "the cost is",
				"price_id = id":                   "there is no price",
				"rule_id = id":                    "there is no group rule",
				"input_tokens = input_tokens + 9": "the cost is",
				"outcome = 'failed'":              "the cost is 0 USD",
				"model = 'another'":               "the price is of",
			} {
				l := s.call(&s.acme, usage.Usage{Input: 700, Output: 30})
				falsified[l.ID] = reason
				storetest.Exec(t, database, fmt.Sprintf("UPDATE usage_logs SET %s WHERE id = '%s'", falsify, l.ID))
			}
			short := s.call(&s.globex, usage.Usage{Input: 700})
			storetest.Exec(t, database, fmt.Sprintf("UPDATE usage_logs SET quota = quota - 5 WHERE id = '%s'", short.ID))

			sum, err := verify.Walk(t.Context(), verify.Source{Billing: s.store.Metering, Versions: s.store.Catalog}, verify.Range{}, func(d verify.Difference) {
				if reason, falsified := falsified[d.Log]; !falsified || !strings.Contains(d.Reason, reason) {
					t.Errorf("%s: %q, want %q", d.Log, d.Reason, reason)
				}
				delete(falsified, d.Log)
			})
			s.must(err)
			if len(falsified) > 0 || sum.Differences != 9 || sum.Shortfalls != 1 || sum.Shortfall != 5 {
				t.Errorf("%+v; not found: %v", sum, falsified)
			}
			at := short.CreatedAt.Truncate(time.Microsecond)
			for _, row := range []struct {
				within      verify.Range
				differences int
			}{
				{verify.Range{TenantID: s.acme.ID}, 9}, {verify.Range{TenantID: s.globex.ID}, 0},
				{verify.Range{From: at}, 0}, {verify.Range{To: at}, 9},
			} {
				sum, err := verify.Walk(t.Context(), verify.Source{Billing: s.store.Metering, Versions: s.store.Catalog}, row.within, func(verify.Difference) {})
				s.must(err)
				if sum.Differences != row.differences || sum.Bills == 0 {
					t.Errorf("%+v: %+v", row.within, sum)
				}
			}
		})
	}
}
