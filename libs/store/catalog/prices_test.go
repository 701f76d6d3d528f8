package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/pricecatalog"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestPriceFile_IsReplacedNotedAndRemoved(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		worker := tenant.SystemScope("worker")
		storetest.Equal(t, "file at first", storetest.Need(s.Catalog.PriceFile(background, platform))(t),
			catalogdb.PriceFile{})
		storetest.OK(t, s.Catalog.NotePriceFetch(background, worker, "no answer"))
		noted := storetest.Need(s.Catalog.PriceFile(background, platform))(t)
		if noted.Text != "" || noted.Fault != "no answer" || noted.CheckedAt.IsZero() {
			t.Errorf("after a failed fetch: %+v", noted)
		}
		storetest.OK(t, s.Catalog.ReplacePriceFile(background, worker, pricecatalog.Builtin(),
			"https://prices.example/prices.json"))
		fetched := storetest.Need(s.Catalog.PriceFile(background, platform))(t)
		if fetched.Text != string(pricecatalog.Builtin()) ||
			fetched.SHA256 != catalogdb.SHA256(pricecatalog.Builtin()) || fetched.Fault != "" ||
			fetched.Source != "https://prices.example/prices.json" {
			t.Errorf("after a fetch: %.80q, %s, %q from %s", fetched.Text, fetched.SHA256,
				fetched.Fault, fetched.Source)
		}
		storetest.Refuses(t, s.Catalog.ReplacePriceFile(background, platform, []byte(`{"version": 1}`),
			catalogdb.UploadedPrices), problem.InvalidType, "updated")
		storetest.OK(t, s.Catalog.NotePriceFetch(background, worker, "a fault\x00"))
		kept := storetest.Need(s.Catalog.PriceFile(background, platform))(t)
		if kept.Text != fetched.Text || kept.Fault != "a fault" || !kept.StoredAt.Equal(fetched.StoredAt) {
			t.Errorf("after a refused file: %q at %v", kept.Fault, kept.StoredAt)
		}
		storetest.OK(t, s.Catalog.DropPriceFile(background, platform))
		storetest.Equal(t, "file after its removal", storetest.Need(s.Catalog.PriceFile(background, platform))(t),
			catalogdb.PriceFile{})
	})
}

func TestPriceFile_IsForThePlatformOnly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, err := s.Catalog.PriceFile(background, f.AsOwner)
		storetest.Refuses(t, err, problem.Forbidden, "")
		storetest.Refuses(t, s.Catalog.ReplacePriceFile(background, f.AsOwner, pricecatalog.Builtin(),
			catalogdb.UploadedPrices), problem.Forbidden, "")
		storetest.Refuses(t, s.Catalog.DropPriceFile(background, f.AsOwner), problem.Forbidden, "")
		storetest.Refuses(t, s.Catalog.NotePriceFetch(background, f.AsOwner, ""), problem.Forbidden, "")
		_, err = s.Catalog.CreatePrices(background, f.AsOwner, time.Now().Add(time.Hour), nil)
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}

func TestCreatePrices_AddsAllOrNone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		storetest.AddModel(t, s, "m1")
		storetest.AddModel(t, s, "m2")
		book := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Book
		plan := func(model string) catalogdb.PlannedPrice {
			terms, _ := book.Terms(model, uuid.Nil, time.Now())
			return catalogdb.PlannedPrice{Model: model, CurrentID: terms.Price.ID, Entry: "acme/" + model,
				Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: new(7 * money.USD)}}}
		}
		from := time.Now().Add(time.Hour)
		stale := plan("m2")
		stale.CurrentID = storetest.NewID()
		_, err := s.Catalog.CreatePrices(background, platform, from, []catalogdb.PlannedPrice{plan("m1"), stale})
		storetest.Refuses(t, err, problem.Conflict, "changes[1].model")
		_, err = s.Catalog.CreatePrices(background, platform, from,
			[]catalogdb.PlannedPrice{plan("m1"), {Model: "none"}})
		storetest.Refuses(t, err, problem.InvalidType, "changes[1].model")
		_, err = s.Catalog.CreatePrices(background, platform, time.Now().Add(-time.Minute),
			[]catalogdb.PlannedPrice{plan("m1")})
		storetest.Refuses(t, err, problem.InvalidType, "effective_from")
		before := len(storetest.Need(s.Catalog.Prices(background, platform, "", storepage.Page{}))(t).Items)
		made := storetest.Need(s.Catalog.CreatePrices(background, platform, from,
			[]catalogdb.PlannedPrice{plan("m1"), plan("m2")}))(t)
		storetest.Equal(t, "versions made", len(made), 2)
		storetest.Equal(t, "versions more",
			len(storetest.Need(s.Catalog.Prices(background, platform, "", storepage.Page{}))(t).Items), before+2)
		later := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Book
		if terms, _ := later.Terms("m2", uuid.Nil, from.Add(time.Second)); terms.Price.ID != made[1].ID ||
			!strings.HasPrefix(terms.Price.Rates.Input.String(), "7") {
			t.Errorf("after the moment the price is %+v", terms.Price)
		}
	})
}

func TestCreateOfferedModels_CreatesTheMissingOnesAllOrNone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		storetest.AddModel(t, s, "m1")
		offer := func(id string, rate money.Amount) catalogdb.OfferedModel {
			return catalogdb.OfferedModel{
				Model: catalog.Model{ID: id, OwnedBy: "acme", MaxOutput: 4_096, ContextLength: 128_000,
					Modalities: catalog.Modalities{Input: []catalog.Modality{"text", "image"},
						Output: []catalog.Modality{"text"}}},
				Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: new(rate)}}, Entry: "acme/" + id,
			}
		}
		_, err := s.Catalog.CreateOfferedModels(background, storetest.NewCustomer(t, s, "acme").AsOwner,
			[]catalogdb.OfferedModel{offer("m2", money.USD)})
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = s.Catalog.CreateOfferedModels(background, platform,
			[]catalogdb.OfferedModel{offer("m2", money.USD), offer("no price", 0)})
		storetest.Refuses(t, err, problem.InvalidType, "models[1].model")
		_, err = s.Catalog.CreateOfferedModels(background, platform,
			[]catalogdb.OfferedModel{offer("m2", money.USD), offer("m3", 0)})
		storetest.Refuses(t, err, problem.MissingParameter, "models[1].model")
		if models := storetest.Need(s.Catalog.Models(background, platform, storepage.Page{}))(t).Items; len(models) !=
			1 {
			t.Fatalf("refused models were created: %+v", models)
		}

		created := storetest.Need(s.Catalog.CreateOfferedModels(background, platform,
			[]catalogdb.OfferedModel{offer("m1", 7*money.USD), offer("m2", 7*money.USD), offer("m3", 7*money.USD)}))(t)
		storetest.Equal(t, "models created", strings.Join(created, " "), "m2 m3")
		book := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Book
		for model, want := range map[string]money.Amount{"m1": money.USD, "m2": 7 * money.USD, "m3": 7 * money.USD} {
			if terms, ok := book.Terms(model, uuid.Nil, time.Now()); !ok || *terms.Price.Rates.Input != want {
				t.Errorf("%s has the price %+v, want an input of %s", model, terms.Price.Rates, want)
			}
		}
		m2 := storetest.Need(s.Catalog.Models(background, platform, storepage.Page{}))(t).Items[1]
		if m2.ID != "m2" || m2.OwnedBy != "acme" || m2.MaxOutput != 4_096 || m2.ContextLength != 128_000 ||
			len(m2.Modalities.Input) != 2 || len(m2.Modalities.Output) != 1 {
			t.Errorf("created %+v", m2)
		}
		noted := map[string]int{}
		for _, entry := range storetest.Need(s.Audit.List(background, platform, audit.Query{}))(t).Items {
			if strings.Contains(string(storetest.Need(json.Marshal(entry.Detail))(t)), `"catalog_entry":"acme/m2"`) {
				noted[entry.Action]++
			}
		}
		storetest.Equal(t, "entries of the audit log that name the entry of the catalog", fmt.Sprint(noted),
			"map[model.create:1 price.create:1]")
		storetest.Equal(t, "models created again",
			len(storetest.Need(s.Catalog.CreateOfferedModels(background, platform,
				[]catalogdb.OfferedModel{offer("m2", 7*money.USD)}))(t)), 0)
	})
}
