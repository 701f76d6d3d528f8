package catalog_test

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
		f := storetest.NewCustomer(t, s, "acme")
		storetest.AddModel(t, s, "m1")
		soon, later := time.Now().Add(50*time.Second), time.Now().Add(time.Hour)
		price := func(from time.Time) pricing.Price {
			return storetest.Need(s.Catalog.CreatePrice(background, platform,
				pricing.Price{Model: "m1",
					Rates:         pricing.Rates{ClassRates: pricing.ClassRates{Input: new(2 * money.USD)}},
					EffectiveFrom: from}))(t)
		}
		rule := func(from time.Time) pricing.Rule {
			return storetest.Need(s.Catalog.CreateRule(background, platform,
				pricing.Rule{GroupID: f.Group.ID, Model: "m1", Multiplier: 2 * money.One, EffectiveFrom: from}))(t)
		}
		dear, now, far := price(later), price(soon), rule(later)
		version := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Version
		withdrawn := storetest.Need(s.Catalog.WithdrawPrice(background, platform, dear.ID))(t)
		again := storetest.Need(s.Catalog.WithdrawPrice(background, platform, dear.ID))(t)
		storetest.Equal(t, "time of the withdrawal after a repeat", again.WithdrawnAt.UTC(),
			withdrawn.WithdrawnAt.UTC())
		storetest.Need(s.Catalog.WithdrawRule(background, platform, far.ID))(t)
		_, err := s.Catalog.WithdrawPrice(background, platform, now.ID)
		storetest.Refuses(t, err, problem.Conflict, "")
		_, err = s.Catalog.WithdrawRule(background, platform, rule(time.Time{}).ID)
		storetest.Refuses(t, err, problem.Conflict, "")
		_, err = s.Catalog.WithdrawRule(background, platform, dear.ID)
		storetest.Refuses(t, err, problem.NotFound, "")

		snapshot := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		// Two withdrawals and a rule.
		storetest.Equal(t, "version after the announced changes", snapshot.Version, version+3)
		terms, _ := snapshot.Book.Terms("m1", f.Group.ID, later.Add(time.Second))
		storetest.Equal(t, "price in force an hour later", terms.Price.ID, now.ID)
		storetest.Equal(t, "the withdrawn price has no time of withdrawal",
			storetest.Need(s.Catalog.Prices(background, platform, "m1", page.Page{}))(t).Items[1].WithdrawnAt.IsZero(),
			false)
		var actions []string
		for _, entry := range storetest.Need(s.Audit.List(background, platform,
			audit.Query{Page: page.Page{}}))(t).Items {
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
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		storetest.AddModel(t, s, "m1")
		for _, r := range []pricing.Rule{{GroupID: f.Group.ID}, {GroupID: f.Group.ID, Model: "m1"},
			{GroupID: other.Group.ID, Model: "m1"}} {
			r.Multiplier = money.One
			storetest.Need(s.Catalog.CreateRule(background, platform, r))(t)
		}
		for _, row := range []struct {
			query catalogdb.RuleQuery
			want  int
		}{
			{catalogdb.RuleQuery{}, 3}, {catalogdb.RuleQuery{Model: "m1"}, 2},
			{catalogdb.RuleQuery{GroupID: f.Group.ID}, 2},
			{catalogdb.RuleQuery{GroupID: f.Group.ID, Model: "m1"}, 1}, {catalogdb.RuleQuery{GroupID: uuid.Max}, 0},
		} {
			storetest.Equal(t, "rules",
				len(storetest.Need(s.Catalog.Rules(background, platform, row.query, page.Page{}))(t).Items), row.want)
		}
	})
}
