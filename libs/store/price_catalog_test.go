package store_test

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
		equal(t, "file at first", need(s.Catalog.PriceFile(background, platform))(t), catalogdb.PriceFile{})
		ok(t, s.Catalog.NotePriceFetch(background, worker, "no answer"))
		noted := need(s.Catalog.PriceFile(background, platform))(t)
		if noted.Text != "" || noted.Fault != "no answer" || noted.CheckedAt.IsZero() {
			t.Errorf("after a failed fetch: %+v", noted)
		}
		ok(t, s.Catalog.ReplacePriceFile(background, worker, pricecatalog.Builtin(),
			"https://prices.example/prices.json"))
		fetched := need(s.Catalog.PriceFile(background, platform))(t)
		if fetched.Text != string(pricecatalog.Builtin()) ||
			fetched.SHA256 != catalogdb.SHA256(pricecatalog.Builtin()) || fetched.Fault != "" ||
			fetched.Source != "https://prices.example/prices.json" {
			t.Errorf("after a fetch: %.80q, %s, %q from %s", fetched.Text, fetched.SHA256,
				fetched.Fault, fetched.Source)
		}
		refuses(t, s.Catalog.ReplacePriceFile(background, platform, []byte(`{"version": 1}`), catalogdb.UploadedPrices),
			problem.InvalidType, "updated")
		ok(t, s.Catalog.NotePriceFetch(background, worker, "a fault\x00"))
		kept := need(s.Catalog.PriceFile(background, platform))(t)
		if kept.Text != fetched.Text || kept.Fault != "a fault" || !kept.StoredAt.Equal(fetched.StoredAt) {
			t.Errorf("after a refused file: %q at %v", kept.Fault, kept.StoredAt)
		}
		ok(t, s.Catalog.DropPriceFile(background, platform))
		equal(t, "file after its removal", need(s.Catalog.PriceFile(background, platform))(t), catalogdb.PriceFile{})
	})
}

func TestPriceFile_IsForThePlatformOnly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		_, err := s.Catalog.PriceFile(background, f.asOwner)
		refuses(t, err, problem.Forbidden, "")
		refuses(t, s.Catalog.ReplacePriceFile(background, f.asOwner, pricecatalog.Builtin(), catalogdb.UploadedPrices),
			problem.Forbidden, "")
		refuses(t, s.Catalog.DropPriceFile(background, f.asOwner), problem.Forbidden, "")
		refuses(t, s.Catalog.NotePriceFetch(background, f.asOwner, ""), problem.Forbidden, "")
		_, err = s.Catalog.CreatePrices(background, f.asOwner, time.Now().Add(time.Hour), nil)
		refuses(t, err, problem.Forbidden, "")
	})
}

func TestCreatePrices_AddsAllOrNone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		addModel(t, s, "m1")
		addModel(t, s, "m2")
		book := need(s.Catalog.Snapshot(background, platform))(t).Book
		plan := func(model string) catalogdb.PlannedPrice {
			terms, _ := book.Terms(model, uuid.Nil, time.Now())
			return catalogdb.PlannedPrice{Model: model, Present: terms.Price.ID, Entry: "acme/" + model,
				Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: to(7 * money.USD)}}}
		}
		from := time.Now().Add(time.Hour)
		stale := plan("m2")
		stale.Present = newID()
		_, err := s.Catalog.CreatePrices(background, platform, from, []catalogdb.PlannedPrice{plan("m1"), stale})
		refuses(t, err, problem.Conflict, "changes[1].model")
		_, err = s.Catalog.CreatePrices(background, platform, from,
			[]catalogdb.PlannedPrice{plan("m1"), {Model: "none"}})
		refuses(t, err, problem.InvalidType, "changes[1].model")
		_, err = s.Catalog.CreatePrices(background, platform, time.Now().Add(-time.Minute),
			[]catalogdb.PlannedPrice{plan("m1")})
		refuses(t, err, problem.InvalidType, "effective_from")
		before := len(need(s.Catalog.Prices(background, platform, "", storepage.Page{}))(t).Items)
		made := need(s.Catalog.CreatePrices(background, platform, from,
			[]catalogdb.PlannedPrice{plan("m1"), plan("m2")}))(t)
		equal(t, "versions made", len(made), 2)
		equal(t, "versions more", len(need(s.Catalog.Prices(background, platform, "", storepage.Page{}))(t).Items),
			before+2)
		later := need(s.Catalog.Snapshot(background, platform))(t).Book
		if terms, _ := later.Terms("m2", uuid.Nil, from.Add(time.Second)); terms.Price.ID != made[1].ID ||
			!strings.HasPrefix(terms.Price.Rates.Input.String(), "7") {
			t.Errorf("after the moment the price is %+v", terms.Price)
		}
	})
}

func TestCreateOfferedModels_CreatesTheMissingOnesAllOrNone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		addModel(t, s, "m1")
		offer := func(id string, rate money.Amount) catalogdb.OfferedModel {
			return catalogdb.OfferedModel{
				Model: catalog.Model{ID: id, OwnedBy: "acme", MaxOutput: 4_096, ContextLength: 128_000,
					Modalities: catalog.Modalities{Input: []catalog.Modality{"text", "image"},
						Output: []catalog.Modality{"text"}}},
				Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: to(rate)}}, Entry: "acme/" + id,
			}
		}
		_, err := s.Catalog.CreateOfferedModels(background, newCustomer(t, s, "acme").asOwner,
			[]catalogdb.OfferedModel{offer("m2", money.USD)})
		refuses(t, err, problem.Forbidden, "")
		_, err = s.Catalog.CreateOfferedModels(background, platform,
			[]catalogdb.OfferedModel{offer("m2", money.USD), offer("no price", 0)})
		refuses(t, err, problem.InvalidType, "models[1].model")
		_, err = s.Catalog.CreateOfferedModels(background, platform,
			[]catalogdb.OfferedModel{offer("m2", money.USD), offer("m3", 0)})
		refuses(t, err, problem.MissingParameter, "models[1].model")
		if models := need(s.Catalog.Models(background, platform, storepage.Page{}))(t).Items; len(models) != 1 {
			t.Fatalf("refused models were created: %+v", models)
		}

		created := need(s.Catalog.CreateOfferedModels(background, platform,
			[]catalogdb.OfferedModel{offer("m1", 7*money.USD), offer("m2", 7*money.USD), offer("m3", 7*money.USD)}))(t)
		equal(t, "models created", strings.Join(created, " "), "m2 m3")
		book := need(s.Catalog.Snapshot(background, platform))(t).Book
		for model, want := range map[string]money.Amount{"m1": money.USD, "m2": 7 * money.USD, "m3": 7 * money.USD} {
			if terms, ok := book.Terms(model, uuid.Nil, time.Now()); !ok || *terms.Price.Rates.Input != want {
				t.Errorf("%s has the price %+v, want an input of %s", model, terms.Price.Rates, want)
			}
		}
		m2 := need(s.Catalog.Models(background, platform, storepage.Page{}))(t).Items[1]
		if m2.ID != "m2" || m2.OwnedBy != "acme" || m2.MaxOutput != 4_096 || m2.ContextLength != 128_000 ||
			len(m2.Modalities.Input) != 2 || len(m2.Modalities.Output) != 1 {
			t.Errorf("created %+v", m2)
		}
		noted := map[string]int{}
		for _, entry := range need(s.Audit.List(background, platform, audit.Query{}))(t).Items {
			if strings.Contains(string(need(json.Marshal(entry.Detail))(t)), `"catalog_entry":"acme/m2"`) {
				noted[entry.Action]++
			}
		}
		equal(t, "entries of the audit log that name the entry of the catalog", fmt.Sprint(noted),
			"map[model.create:1 price.create:1]")
		equal(t, "models created again",
			len(need(s.Catalog.CreateOfferedModels(background, platform,
				[]catalogdb.OfferedModel{offer("m2", 7*money.USD)}))(t)), 0)
	})
}
