package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestWithdrawing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		sell(t, s, "m1")
		soon, later := time.Now().Add(50*time.Second), time.Now().Add(time.Hour)
		price := func(from time.Time) pricing.Price {
			return need(s.CreatePrice(background, platform, pricing.Price{Model: "m1", Rates: pricing.Rates{Input: to(2 * money.USD)}, EffectiveFrom: from}))(t)
		}
		rule := func(from time.Time) pricing.Rule {
			return need(s.CreateRule(background, platform, pricing.Rule{GroupID: f.group.ID, Model: "m1", Multiplier: 2 * money.One, EffectiveFrom: from}))(t)
		}
		dear, now, far := price(later), price(soon), rule(later)
		version := need(s.Snapshot(background, platform))(t).Version
		withdrawn := need(s.WithdrawPrice(background, platform, dear.ID))(t)
		again := need(s.WithdrawPrice(background, platform, dear.ID))(t)
		equal(t, "the second time", again.WithdrawnAt.UTC(), withdrawn.WithdrawnAt.UTC())
		need(s.WithdrawRule(background, platform, far.ID))(t)
		_, err := s.WithdrawPrice(background, platform, now.ID)
		refuses(t, err, problem.Conflict, "")
		_, err = s.WithdrawRule(background, platform, rule(time.Time{}).ID)
		refuses(t, err, problem.Conflict, "")
		_, err = s.WithdrawRule(background, platform, dear.ID)
		refuses(t, err, problem.NotFound, "")

		snapshot := need(s.Snapshot(background, platform))(t)
		equal(t, "changes that relays are told of", snapshot.Version, version+3) // two withdrawals and a rule
		terms, _ := snapshot.Book.Terms("m1", f.group.ID, later.Add(time.Second))
		equal(t, "the price an hour later", terms.Price.ID, now.ID)
		equal(t, "the version is kept", need(s.Prices(background, platform, "m1", store.Page{}))(t).Items[1].WithdrawnAt.IsZero(), false)
		var actions []string
		for _, entry := range need(s.Audit(background, platform, store.AuditQuery{Page: store.Page{}}))(t).Items {
			if entry.Target == dear.ID.String() {
				actions = append(actions, entry.Action)
			}
		}
		if len(actions) != 2 || actions[0] != "price.withdraw" {
			t.Errorf("the audit log has %q", actions)
		}
	})
}

func TestRulesOfAModel(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := found(t, s, "acme"), found(t, s, "beta")
		sell(t, s, "m1")
		for _, r := range []pricing.Rule{{GroupID: f.group.ID}, {GroupID: f.group.ID, Model: "m1"}, {GroupID: other.group.ID, Model: "m1"}} {
			r.Multiplier = money.One
			need(s.CreateRule(background, platform, r))(t)
		}
		for _, row := range []struct {
			query store.RuleQuery
			want  int
		}{
			{store.RuleQuery{}, 3}, {store.RuleQuery{Model: "m1"}, 2}, {store.RuleQuery{GroupID: f.group.ID}, 2},
			{store.RuleQuery{GroupID: f.group.ID, Model: "m1"}, 1}, {store.RuleQuery{GroupID: uuid.Max}, 0},
		} {
			equal(t, "rules", len(need(s.Rules(background, platform, row.query, store.Page{}))(t).Items), row.want)
		}
	})
}
