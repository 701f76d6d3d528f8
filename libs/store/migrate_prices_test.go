package store_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/store/db"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// A price whose rates are in columns keeps them, and other prices do not change.
func TestMigrate_GivesRatesToOldPrices(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			database := url(t)
			s := storetest.Open(t, db.Options{URL: database})
			old, _ := storetest.AddModel(t, s, "old")
			current, _ := storetest.AddModel(t, s, "current")
			storetest.OK(t, storetest.Try(t, database, `
				CREATE TABLE upgrades (name text PRIMARY KEY);
				ALTER TABLE prices ADD COLUMN input_rate bigint;
				ALTER TABLE prices ADD COLUMN cached_input_rate bigint;
				ALTER TABLE prices ADD COLUMN cache_write_rate bigint;
				ALTER TABLE prices ADD COLUMN audio_input_rate bigint;
				ALTER TABLE prices ADD COLUMN output_rate bigint;
				ALTER TABLE prices ADD COLUMN reasoning_rate bigint;
				ALTER TABLE prices ADD COLUMN audio_output_rate bigint;
				ALTER TABLE prices ADD COLUMN request_rate bigint;
				UPDATE prices SET rates = NULL, input_rate = 1000000000, cache_write_rate = 7, request_rate = 0, output_rate = 123456789012 WHERE model = 'old';
				DELETE FROM bun_migrations WHERE name IN ('0087', '0092')`))
			storetest.OK(t, s.Migrate(background))
			rates := storetest.Need(s.Catalog.Prices(background, platform, old.ID, storepage.Page{}))(t).Items[0].Rates
			want := pricing.Rates{ClassRates: pricing.ClassRates{
				Input: new(money.USD), CacheWrite: new(money.Amount(7)), Request: new(money.Amount(0)),
				Output: new(money.Amount(123456789012)),
			}}
			if !rates.Equal(want) {
				t.Errorf("got %+v, want %+v", rates, want)
			}
			if rates := storetest.Need(s.Catalog.Prices(background, platform, current.ID, storepage.Page{}))(
				t).Items[0].Rates; !rates.Equal(pricing.Rates{ClassRates: pricing.ClassRates{Input: new(money.USD)}}) {
				t.Errorf("another price: got %+v", rates)
			}
		})
	}
}
