package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/apps/console/internal/verify"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestVerify_IsUnaffectedByLaterPrices(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	_, err := s.Store.Catalog.CreatePrice(t.Context(), consoletest.System,
		pricing.Price{Model: "gpt-4o-mini",
			Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: consoletest.USD("3")}}})
	s.Must(err)
	_, err = s.Store.Catalog.CreateRule(t.Context(), consoletest.System,
		pricing.Rule{GroupID: s.Group.ID, Model: "gpt-4o-mini", Multiplier: 2 * money.One})
	s.Must(err)
	expensive := s.Call(&s.Globex, usage.Usage{Input: 7})
	sum, err := verify.Walk(t.Context(), verify.Source{Billing: s.Store.Metering, Versions: s.Store.Catalog},
		verify.Range{}, func(d verify.Difference) { t.Errorf("%s: %s", d.Log, d.Reason) })
	s.Must(err)
	if want := 2*893 + expensive.Quota; sum.Bills != 3 || sum.Quota != want || expensive.Quota != 42_000 {
		t.Errorf("got %+v, want 3 charges of %s USD", sum, want)
	}
}

// Verify finds every charge that was falsified in the database, and reports no other, on each kind of database.
func TestVerify_FindsFalsifiedCharges(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			database := url(t)
			s := consoletest.SetupOn(t, database)
			falsified := map[uuid.UUID]string{}
			for falsify, reason := range map[string]string{
				"quota = quota + 1":               "deducted quota",
				"quota = 0, cost = 0":             "recomputed cost is",
				"cost = cost + 1":                 "recomputed cost is",
				"cost = cost - 1":                 "recomputed cost is",
				"price_id = id":                   "does not exist",
				"rule_id = id":                    "does not exist",
				"input_tokens = input_tokens + 9": "recomputed cost is",
				"outcome = 'failed'":              "recomputed cost is 0 USD",
				"model = 'another'":               "the price is for model",
			} {
				l := s.Call(&s.Acme, usage.Usage{Input: 700, Output: 30})
				falsified[l.ID] = reason
				storetest.Exec(t, database, fmt.Sprintf("UPDATE usage_logs SET %s WHERE id = '%s'", falsify, l.ID))
			}
			// The upstream reported tokens with its failure, so the charge is right.
			failed := s.Call(&s.Globex, usage.Usage{Input: 700})
			storetest.Exec(t, database,
				fmt.Sprintf("UPDATE usage_logs SET outcome = 'failed', error = 'upstream_error' WHERE id = '%s'",
					failed.ID))
			short := s.Call(&s.Globex, usage.Usage{Input: 700})
			storetest.Exec(t, database,
				fmt.Sprintf("UPDATE usage_logs SET quota = quota - 5 WHERE id = '%s'", short.ID))

			sum, err := verify.Walk(t.Context(), verify.Source{Billing: s.Store.Metering, Versions: s.Store.Catalog},
				verify.Range{}, func(d verify.Difference) {
					if reason, falsified := falsified[d.Log]; !falsified || !strings.Contains(d.Reason, reason) {
						t.Errorf("%s: got the reason %q, want %q", d.Log, d.Reason, reason)
					}
					delete(falsified, d.Log)
				})
			s.Must(err)
			if len(falsified) > 0 || sum.Differences != 9 || sum.Shortfalls != 1 || sum.Shortfall != 5 {
				t.Errorf("got %+v, not reported: %v", sum, falsified)
			}
			at := short.CreatedAt.Truncate(time.Microsecond)
			for _, row := range []struct {
				within      verify.Range
				differences int
			}{
				{verify.Range{TenantID: s.Acme.ID}, 9}, {verify.Range{TenantID: s.Globex.ID}, 0},
				{verify.Range{From: at}, 0}, {verify.Range{To: at}, 9},
			} {
				sum, err := verify.Walk(t.Context(), verify.Source{Billing: s.Store.Metering,
					Versions: s.Store.Catalog}, row.within, func(verify.Difference) {})
				s.Must(err)
				if sum.Differences != row.differences || sum.Bills == 0 {
					t.Errorf("%+v: got %+v, want %d differences", row.within, sum, row.differences)
				}
			}
		})
	}
}
