package store_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/store/db"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

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
