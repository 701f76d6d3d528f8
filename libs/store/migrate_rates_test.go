package store_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// Prices and logs from before the migration keep their meaning: the recomputed cost is the stored one.
func TestMigrate_KeepsTheCostOfOldCalls(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			database := url(t)
			migrateBefore(t, kind, database, "0032")
			ok(t, storetest.Try(t, database, `
				INSERT INTO models (id, owned_by, status, free, max_output, created_at) VALUES ('m', 'acme', 'enabled', false, 0, '2026-01-01 00:00:00+00:00');
				INSERT INTO prices (id, model, effective_from, input_rate, cached_input_rate, cache_write_rate, output_rate, request_rate, created_at) VALUES
					('00000000-0000-7000-8000-000000000001', 'm', '2026-01-01 00:00:00+00:00', 3000000000, 300000000, 3750000000, 15000000000, 1000000, '2026-01-01 00:00:00+00:00');
				INSERT INTO usage_logs (id, created_at, tenant_id, user_id, token_id, price_id, quota, cost, input_tokens, cached_input_tokens, cache_write_tokens,
					audio_input_tokens, output_tokens, reasoning_tokens, audio_output_tokens, latency_us, first_byte_us, status, stream, estimated, outcome, model,
					upstream_model, dialect, error, attempts)
				VALUES ('00000000-0000-7000-8000-0000000000a1', '2026-01-02 00:00:00+00:00', '00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b',
					'00000000-0000-7000-8000-00000000000c', '00000000-0000-7000-8000-000000000001', 10645000, 10645000, 10, 2000, 2000,
					0, 70, 30, 1, 1, 1, 200, false, false, 'success', 'm', 'm', 'chat', '', '[]')`))
			s := storetest.Open(t, db.Options{URL: database})
			prices := need(s.Catalog.Prices(background, platform, "m", storepage.Page{}))(t).Items
			bills := need(s.Metering.Bills(background, platform, metering.BillQuery{}))(t)
			if len(prices) != 1 || len(bills) != 1 {
				t.Fatalf("got %d prices and %d bills, want one each", len(prices), len(bills))
			}
			want := usage.Usage{Input: 10, CachedInput: 2000, CacheWrite: 2000, Output: 70, Reasoning: 30, AudioOutput: 1}
			equal(t, "counts", bills[0].Usage, want)
			terms := pricing.Terms{Price: &prices[0], Rule: pricing.Rule{GroupID: uuid.Nil, Multiplier: money.One}}
			equal(t, "recomputed cost", need(terms.Cost(bills[0].Usage))(t), bills[0].Cost)
		})
	}
}

// A price of the previous release, which has no rates in JSON, is read from its columns.
func TestPrices_ReadRowsOfThePreviousRelease(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			database := url(t)
			s := storetest.Open(t, db.Options{URL: database})
			model, _ := addModel(t, s, "m")
			ok(t, storetest.Try(t, database, `UPDATE prices SET rates = NULL, cache_write_rate = 7`))
			rates := need(s.Catalog.Prices(background, platform, model.ID, storepage.Page{}))(t).Items[0].Rates
			if !rates.Equal(pricing.Rates{ClassRates: pricing.ClassRates{Input: to(money.USD), CacheWrite: to(money.Amount(7))}}) {
				t.Errorf("got %+v", rates)
			}
		})
	}
}
