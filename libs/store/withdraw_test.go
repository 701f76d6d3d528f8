package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestWithdraw_OnlyBeforeThePriceTakesEffect(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		addModel(t, s, "m1")
		soon, later := time.Now().Add(50*time.Second), time.Now().Add(time.Hour)
		price := func(from time.Time) pricing.Price {
			return need(s.Catalog.CreatePrice(background, platform,
				pricing.Price{Model: "m1",
					Rates:         pricing.Rates{ClassRates: pricing.ClassRates{Input: to(2 * money.USD)}},
					EffectiveFrom: from}))(t)
		}
		rule := func(from time.Time) pricing.Rule {
			return need(s.Catalog.CreateRule(background, platform,
				pricing.Rule{GroupID: f.group.ID, Model: "m1", Multiplier: 2 * money.One, EffectiveFrom: from}))(t)
		}
		dear, now, far := price(later), price(soon), rule(later)
		version := need(s.Catalog.Snapshot(background, platform))(t).Version
		withdrawn := need(s.Catalog.WithdrawPrice(background, platform, dear.ID))(t)
		again := need(s.Catalog.WithdrawPrice(background, platform, dear.ID))(t)
		equal(t, "time of the withdrawal after a repeat", again.WithdrawnAt.UTC(), withdrawn.WithdrawnAt.UTC())
		need(s.Catalog.WithdrawRule(background, platform, far.ID))(t)
		_, err := s.Catalog.WithdrawPrice(background, platform, now.ID)
		refuses(t, err, problem.Conflict, "")
		_, err = s.Catalog.WithdrawRule(background, platform, rule(time.Time{}).ID)
		refuses(t, err, problem.Conflict, "")
		_, err = s.Catalog.WithdrawRule(background, platform, dear.ID)
		refuses(t, err, problem.NotFound, "")

		snapshot := need(s.Catalog.Snapshot(background, platform))(t)
		equal(t, "version after the announced changes", snapshot.Version, version+3) // two withdrawals and a rule
		terms, _ := snapshot.Book.Terms("m1", f.group.ID, later.Add(time.Second))
		equal(t, "price in force an hour later", terms.Price.ID, now.ID)
		equal(t, "the withdrawn price has no time of withdrawal",
			need(s.Catalog.Prices(background, platform, "m1", page.Page{}))(t).Items[1].WithdrawnAt.IsZero(), false)
		var actions []string
		for _, entry := range need(s.Audit.List(background, platform, audit.Query{Page: page.Page{}}))(t).Items {
			if entry.Target == dear.ID.String() {
				actions = append(actions, entry.Action)
			}
		}
		if len(actions) != 2 || actions[0] != "price.withdraw" {
			t.Errorf("got audit entries %q, want the creation and one price.withdraw", actions)
		}
	})
}

func TestRules_FiltersByModelAndGroup(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		addModel(t, s, "m1")
		for _, r := range []pricing.Rule{{GroupID: f.group.ID}, {GroupID: f.group.ID, Model: "m1"},
			{GroupID: other.group.ID, Model: "m1"}} {
			r.Multiplier = money.One
			need(s.Catalog.CreateRule(background, platform, r))(t)
		}
		for _, row := range []struct {
			query catalogdb.RuleQuery
			want  int
		}{
			{catalogdb.RuleQuery{}, 3}, {catalogdb.RuleQuery{Model: "m1"}, 2},
			{catalogdb.RuleQuery{GroupID: f.group.ID}, 2},
			{catalogdb.RuleQuery{GroupID: f.group.ID, Model: "m1"}, 1}, {catalogdb.RuleQuery{GroupID: uuid.Max}, 0},
		} {
			equal(t, "rules", len(need(s.Catalog.Rules(background, platform, row.query, page.Page{}))(t).Items),
				row.want)
		}
	})
}
