package verify

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// books holds bills and versions in memory, with pages of two versions.
type books struct {
	logs   []usage.Log
	prices []pricing.Price
	rules  []pricing.Rule
	err    error
	loads  int
	asked  []metering.BillQuery
}

func (b *books) source() Source { return Source{Billing: b, Versions: b} }

func page[T any](items []T, p storepage.Page) storepage.List[T] {
	start, _ := strconv.Atoi(p.After)
	end := min(start+2, len(items))
	list := storepage.List[T]{Items: items[start:end]}
	if end < len(items) {
		list.Next = strconv.Itoa(end)
	}
	return list
}

// Bills are in order: each has an id of its own.
func (b *books) Bills(_ context.Context, _ tenant.Scope, q metering.BillQuery) ([]usage.Log, error) {
	b.asked = append(b.asked, q)
	rest := b.logs
	for q.Before != uuid.Nil && len(rest) > 0 && bytes.Compare(rest[0].ID[:], q.Before[:]) >= 0 {
		rest = rest[1:]
	}
	return rest[:min(q.Limit, len(rest))], b.err
}

func (b *books) Prices(_ context.Context, _ tenant.Scope, _ string, p storepage.Page) (storepage.List[pricing.Price], error) {
	b.loads++
	return page(b.prices, p), b.err
}

func (b *books) Rules(_ context.Context, _ tenant.Scope, _ catalogdb.RuleQuery, p storepage.Page) (storepage.List[pricing.Rule], error) {
	return page(b.rules, p), b.err
}

func amount(a money.Amount) *money.Amount { return &a }

var (
	group   = uuid.MustParse("01900000-0000-7000-8000-000000000001")
	price   = uuid.MustParse("01900000-0000-7000-8000-000000000002")
	rule    = uuid.MustParse("01900000-0000-7000-8000-000000000003")
	fixed   = uuid.MustParse("01900000-0000-7000-8000-000000000004")
	gone    = uuid.MustParse("01900000-0000-7000-8000-000000000005")
	special = uuid.MustParse("01900000-0000-7000-8000-000000000007")
	others  = uuid.MustParse("01900000-0000-7000-8000-000000000006")
)

// bill is right: 7 input tokens at 0.15 USD per 1M, times 0.85.
func bill() usage.Log {
	return usage.Log{
		ID: uuid.MustParse("01900000-0000-7000-8000-0000000000ff"), CreatedAt: time.Unix(1, 0), GroupID: group, Model: "m", Outcome: usage.Success,
		Usage: usage.Usage{Input: 7}, PriceID: price, RuleID: rule, Cost: 893, Quota: 893,
	}
}

// bills are right and in the order of reading.
func bills(n int) []usage.Log {
	logs := make([]usage.Log, n)
	for i := range logs {
		logs[i] = bill()
		binary.BigEndian.PutUint32(logs[i].ID[12:], uint32(n-i))
	}
	return logs
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
			{ID: special, GroupID: group, Model: "other", Multiplier: 850_000_000},
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
		{"another model's rule", func(l *usage.Log) { l.RuleID = special }, "the rule is for other"},
		{"a count below zero", func(l *usage.Log) { l.Usage.Output, l.Usage.Input = -1, 11 }, "below zero"},
		{"more than there can be", func(l *usage.Log) { l.Usage.Input = math.MaxInt64 }, "out of range"},
		{"another group's rule", func(l *usage.Log) { l.GroupID = others }, "the rule is of group"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := bill()
			row.change(&l)
			var got []Difference
			sum, err := Walk(t.Context(), shelves(bill(), l, bill()).source(), Range{}, func(d Difference) { got = append(got, d) })
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

func TestWalkTellsWhatIsStoredAndWhatItShouldBe(t *testing.T) {
	t.Parallel()
	l := bill()
	l.TenantID, l.Cost, l.Quota = others, 894, 890
	missing := bill()
	missing.PriceID = gone
	var got []Difference
	if _, err := Walk(t.Context(), shelves(l, missing).source(), Range{}, func(d Difference) { got = append(got, d) }); err != nil {
		t.Fatal(err)
	}
	want := []Difference{
		{Log: l.ID, TenantID: others, CreatedAt: l.CreatedAt, Cost: 894, Quota: 890, Recomputed: amount(893),
			Reason: "the cost is 0.000000893 USD, stored is 0.000000894 USD"},
		{Log: l.ID, CreatedAt: l.CreatedAt, Cost: 893, Quota: 893, Reason: "there is no price " + gone.String()},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Less may be deducted than a call cost, where the grant ended: that is no
// difference, but it is told.
func TestWalkAddsUpWhatWasNotDeducted(t *testing.T) {
	t.Parallel()
	short, none := bill(), bill()
	short.Quota, none.Quota = 890, 0
	sum, err := Walk(t.Context(), shelves(bill(), short, none).source(), Range{}, func(d Difference) { t.Errorf("reported %v", d) })
	if want := (Summary{Bills: 3, Quota: 893 + 890, Shortfalls: 2, Shortfall: 3 + 893}); err != nil || sum != want {
		t.Errorf("Walk = %+v, %v; want %+v", sum, err, want)
	}
}

func TestWalkReachesEveryPageAndAddsUp(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, billPage - 1, billPage, billPage + 1, 2*billPage + 7} {
		source := shelves(bills(n)...)
		sum, err := Walk(t.Context(), source.source(), Range{}, func(d Difference) { t.Errorf("reported %v", d) })
		if err != nil || sum != (Summary{Bills: n, Quota: money.Amount(n) * 893}) {
			t.Errorf("Walk = %+v, %v", sum, err)
		}
		if pages := n/billPage + 1; len(source.asked) != pages {
			t.Errorf("%d bills in %d pages, want %d", n, len(source.asked), pages)
		}
	}
}

func TestWalkKeepsToItsRange(t *testing.T) {
	t.Parallel()
	source := shelves(bills(billPage + 1)...)
	within := Range{TenantID: others, From: time.Unix(1, 0), To: time.Unix(2, 0)}
	if _, err := Walk(t.Context(), source.source(), within, func(Difference) {}); err != nil {
		t.Fatal(err)
	}
	for _, q := range source.asked {
		if q.TenantID != within.TenantID || !q.From.Equal(within.From) || !q.To.Equal(within.To) {
			t.Errorf("asked for %+v", q)
		}
	}
}

// However many versions are missing, the books are read but once for a page;
// and a version that was made meanwhile is found.
func TestWalkReadsTheBooksOnceForEachPage(t *testing.T) {
	t.Parallel()
	logs := bills(2 * billPage)
	for i := range logs {
		logs[i].PriceID = uuid.New()
	}
	source := shelves(logs...)
	late := pricing.Price{ID: logs[len(logs)-1].PriceID, Model: "m", Rates: pricing.Rates{Input: amount(150_000_000)}}
	sum, err := Walk(t.Context(), source.source(), Range{}, func(Difference) {
		if len(source.asked) == 1 && len(source.prices) == 2 {
			source.prices = append(source.prices, late)
		}
	})
	if err != nil || sum.Differences != 2*billPage-1 {
		t.Errorf("Walk = %+v, %v", sum, err)
	}
	if source.loads > 3 { // one page of two versions, then two pages of three
		t.Errorf("%d pages of prices were read", source.loads)
	}
}

func TestWalkEndsWithTheError(t *testing.T) {
	t.Parallel()
	source := shelves(bill())
	source.err = errors.New("the database is gone")
	if _, err := Walk(t.Context(), source.source(), Range{}, func(Difference) {}); !errors.Is(err, source.err) {
		t.Errorf("err = %v", err)
	}
}
