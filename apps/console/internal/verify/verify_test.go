package verify

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
)

// books is a Source in memory with pages of two.
type books struct {
	logs   []usage.Log
	prices []pricing.Price
	rules  []pricing.Rule
	err    error
	loads  int
}

func page[T any](items []T, p store.Page) store.List[T] {
	start, _ := strconv.Atoi(p.After)
	end := min(start+2, len(items))
	list := store.List[T]{Items: items[start:end]}
	if end < len(items) {
		list.Next = strconv.Itoa(end)
	}
	return list
}

func (b *books) UsageLogs(_ context.Context, _ tenant.Scope, q store.LogQuery) (store.List[usage.Log], error) {
	return page(b.logs, q.Page), b.err
}

func (b *books) Prices(_ context.Context, _ tenant.Scope, _ string, p store.Page) (store.List[pricing.Price], error) {
	b.loads++
	return page(b.prices, p), b.err
}

func (b *books) Rules(_ context.Context, _ tenant.Scope, _ uuid.UUID, p store.Page) (store.List[pricing.Rule], error) {
	return page(b.rules, p), b.err
}

func amount(a money.Amount) *money.Amount { return &a }

var (
	group  = uuid.MustParse("01900000-0000-7000-8000-000000000001")
	price  = uuid.MustParse("01900000-0000-7000-8000-000000000002")
	rule   = uuid.MustParse("01900000-0000-7000-8000-000000000003")
	fixed  = uuid.MustParse("01900000-0000-7000-8000-000000000004")
	gone   = uuid.MustParse("01900000-0000-7000-8000-000000000005")
	others = uuid.MustParse("01900000-0000-7000-8000-000000000006")
)

// bill is right: 7 input tokens at 0.15 USD per 1M, times 0.85.
func bill() usage.Log {
	return usage.Log{
		ID: uuid.MustParse("01900000-0000-7000-8000-0000000000ff"), CreatedAt: time.Unix(1, 0), GroupID: group, Model: "m", Outcome: usage.Success,
		Usage: usage.Usage{Input: 7}, PriceID: price, RuleID: rule, Cost: 893, Quota: 893,
	}
}

// shelves hold the logs and all versions but the one that is gone.
func shelves(logs ...usage.Log) *books {
	return &books{
		logs: logs,
		prices: []pricing.Price{
			{ID: others, Model: "other", Rates: pricing.Rates{Input: amount(150_000_000)}},
			{ID: price, Model: "m", Rates: pricing.Rates{Input: amount(150_000_000)}},
		},
		rules: []pricing.Rule{
			{ID: rule, GroupID: group, Multiplier: 850_000_000},
			{ID: fixed, GroupID: group, Multiplier: money.One, Fixed: amount(5)},
			{ID: others, GroupID: others, Multiplier: money.One},
		},
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(*usage.Log)
		want   string // part of the reason, "" where the bill is right
	}{
		{"a right bill", func(*usage.Log) {}, ""},
		{"no rule multiplies by one", func(l *usage.Log) { l.RuleID, l.Cost, l.Quota = uuid.Nil, 1050, 1050 }, ""},
		{"a fixed price", func(l *usage.Log) { l.RuleID, l.Cost, l.Quota = fixed, 5, 5 }, ""},
		{"a failed call is free", func(l *usage.Log) {
			l.Outcome, l.PriceID, l.RuleID, l.Cost, l.Quota = usage.Failed, uuid.Nil, uuid.Nil, 0, 0
		}, ""},
		{"a free model", func(l *usage.Log) { l.PriceID, l.Cost, l.Quota = uuid.Nil, 0, 0 }, ""},
		{"a grant that ended first", func(l *usage.Log) { l.Quota = 100 }, ""},
		{"a nano-dollar too much", func(l *usage.Log) { l.Cost, l.Quota = 894, 894 }, "the cost is 0.000000893 USD"},
		{"a nano-dollar too little", func(l *usage.Log) { l.Cost, l.Quota = 892, 892 }, "the cost is"},
		{"changed counts", func(l *usage.Log) { l.Usage.Output = 0; l.Usage.CachedInput = 1 }, "the cost is"},
		{"more deducted than it cost", func(l *usage.Log) { l.Quota = 894 }, "were deducted"},
		{"less than nothing deducted", func(l *usage.Log) { l.Quota = -1 }, "were deducted"},
		{"a failed call that cost", func(l *usage.Log) { l.Outcome = usage.Failed }, "the cost is 0 USD"},
		{"a price that is not there", func(l *usage.Log) { l.PriceID = gone }, "there is no price"},
		{"a rule that is not there", func(l *usage.Log) { l.RuleID = gone }, "there is no group rule"},
		{"another model's price", func(l *usage.Log) { l.PriceID = others }, "the price is of other"},
		{"another group's rule", func(l *usage.Log) { l.GroupID = others }, "the rule is of group"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := bill()
			row.change(&l)
			var got []Difference
			sum, err := Walk(t.Context(), shelves(bill(), l, bill()), func(d Difference) { got = append(got, d) })
			if err != nil || sum.Bills != 3 || sum.Differences != len(got) {
				t.Fatalf("Walk = %+v, %v with %d reported", sum, err, len(got))
			}
			switch {
			case row.want == "" && len(got) > 0:
				t.Errorf("reported %v, want nothing", got)
			case row.want != "" && (len(got) != 1 || !strings.Contains(got[0].Reason, row.want)):
				t.Errorf("reported %v, want one with %q", got, row.want)
			}
		})
	}
}

func TestWalkReachesEveryPageAndAddsUp(t *testing.T) {
	t.Parallel()
	logs := slices.Repeat([]usage.Log{bill()}, 7)
	sum, err := Walk(t.Context(), shelves(logs...), func(d Difference) { t.Errorf("reported %v", d) })
	if err != nil || sum != (Summary{Bills: 7, Quota: 7 * 893}) {
		t.Errorf("Walk = %+v, %v", sum, err)
	}
}

func TestWalkReadsTheBooksOnceForEachMissingVersion(t *testing.T) {
	t.Parallel()
	l := bill()
	l.PriceID = gone
	source := shelves(slices.Repeat([]usage.Log{l}, 9)...)
	if _, err := Walk(t.Context(), source, func(Difference) {}); err != nil {
		t.Fatal(err)
	}
	if pages := 1; source.loads > 2*pages {
		t.Errorf("the prices were read %d times", source.loads)
	}
}

func TestWalkEndsWithTheError(t *testing.T) {
	t.Parallel()
	source := shelves(bill())
	source.err = errors.New("the database is gone")
	if _, err := Walk(t.Context(), source, func(Difference) {}); !errors.Is(err, source.err) {
		t.Errorf("err = %v", err)
	}
}
