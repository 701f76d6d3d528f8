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

// books is a Source in memory. It returns versions in pages of two, and counts the reads.
type books struct {
	logs   []usage.Log
	prices []pricing.Price
	rules  []pricing.Rule
	costs  []pricing.ChannelCost
	err    error
	loads  int                  // pages of prices that were read
	asked  []metering.BillQuery // queries for usage logs
}

func (b *books) source() Source { return Source{Billing: b, Versions: b} }

// page returns a page of at most two items.
func page[T any](items []T, p storepage.Page) storepage.List[T] {
	start, _ := strconv.Atoi(p.After)
	end := min(start+2, len(items))
	list := storepage.List[T]{Items: items[start:end]}
	if end < len(items) {
		list.Next = strconv.Itoa(end)
	}
	return list
}

// Bills returns the usage logs before q.Before. The logs must be ordered by descending id.
func (b *books) Bills(_ context.Context, _ tenant.Scope, q metering.BillQuery) ([]usage.Log, error) {
	b.asked = append(b.asked, q)
	rest := b.logs
	for q.Before != uuid.Nil && len(rest) > 0 && bytes.Compare(rest[0].ID[:], q.Before[:]) >= 0 {
		rest = rest[1:]
	}
	return rest[:min(q.Limit, len(rest))], b.err
}

func (b *books) Prices(_ context.Context, _ tenant.Scope, _ string,
	p storepage.Page) (storepage.List[pricing.Price], error) {
	b.loads++
	return page(b.prices, p), b.err
}

func (b *books) Rules(_ context.Context, _ tenant.Scope, _ catalogdb.RuleQuery,
	p storepage.Page) (storepage.List[pricing.Rule], error) {
	return page(b.rules, p), b.err
}

func (b *books) ChannelCosts(_ context.Context, _ tenant.Scope, _ uuid.UUID,
	p storepage.Page) (storepage.List[pricing.ChannelCost], error) {
	return page(b.costs, p), b.err
}

func amount(a money.Amount) *money.Amount { return &a }

var (
	group   = uuid.MustParse("01900000-0000-7000-8000-000000000001")
	price   = uuid.MustParse("01900000-0000-7000-8000-000000000002")
	rule    = uuid.MustParse("01900000-0000-7000-8000-000000000003")
	fixed   = uuid.MustParse("01900000-0000-7000-8000-000000000004")
	absent  = uuid.MustParse("01900000-0000-7000-8000-000000000005")
	special = uuid.MustParse("01900000-0000-7000-8000-000000000007")
	others  = uuid.MustParse("01900000-0000-7000-8000-000000000006")
)

// bill returns a usage log with a correct charge: 7 input tokens at 0.15 USD per 1M, times 0.85.
func bill() usage.Log {
	return usage.Log{
		ID: uuid.MustParse("01900000-0000-7000-8000-0000000000ff"), CreatedAt: time.Unix(1, 0), GroupID: group,
		Model: "m", Outcome: usage.Success,
		Usage: usage.Usage{Input: 7}, PriceID: price, RuleID: rule, Cost: 893, Quota: 893,
	}
}

// bills returns n usage logs with correct charges, in the order in which they are read.
func bills(n int) []usage.Log {
	logs := make([]usage.Log, n)
	for i := range logs {
		logs[i] = bill()
		binary.BigEndian.PutUint32(logs[i].ID[12:], uint32(n-i))
	}
	return logs
}

// newBooks returns books with the logs and with all versions except the one with the id absent.
func newBooks(logs ...usage.Log) *books {
	return &books{
		logs: logs,
		prices: []pricing.Price{
			{ID: others, Model: "other",
				Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: amount(150_000_000)}}},
			{ID: price, Model: "m", Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: amount(150_000_000)}}},
		},
		rules: []pricing.Rule{
			{ID: rule, GroupID: group, Multiplier: 850_000_000},
			{ID: fixed, GroupID: group, Multiplier: money.One, Fixed: amount(5)},
			{ID: others, GroupID: others, Multiplier: money.One},
			{ID: special, GroupID: group, Model: "other", Multiplier: 850_000_000},
		},
	}
}

func TestWalk_ReportsWrongCharges(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(*usage.Log)
		want   string // part of the reason; "" if the charge is correct
	}{
		{"correct charge", func(*usage.Log) {}, ""},
		{"no rule, multiplier 1", func(l *usage.Log) { l.RuleID, l.Cost, l.Quota = uuid.Nil, 1050, 1050 }, ""},
		{"fixed price", func(l *usage.Log) { l.RuleID, l.Cost, l.Quota = fixed, 5, 5 }, ""},
		{"failed request without a charge", func(l *usage.Log) {
			l.Outcome, l.PriceID, l.RuleID, l.Cost, l.Quota = usage.Failed, uuid.Nil, uuid.Nil, 0, 0
		}, ""},
		{"free model", func(l *usage.Log) { l.PriceID, l.Cost, l.Quota = uuid.Nil, 0, 0 }, ""},
		{"quota ran out", func(l *usage.Log) { l.Quota = 100 }, ""},
		{"cost a nano-dollar too high", func(l *usage.Log) { l.Cost, l.Quota = 894, 894 },
			"recomputed cost is 0.000000893 USD"},
		{"cost a nano-dollar too low", func(l *usage.Log) { l.Cost, l.Quota = 892, 892 }, "recomputed cost"},
		{"changed counts", func(l *usage.Log) { l.Usage.Output = 0; l.Usage.CachedInput = 1 }, "recomputed cost"},
		{"more deducted than the cost", func(l *usage.Log) { l.Quota = 894 }, "deducted quota"},
		{"negative deduction", func(l *usage.Log) { l.Quota = -1 }, "deducted quota"},
		{"failed request whose upstream reported tokens",
			func(l *usage.Log) { l.Outcome, l.Error = usage.Failed, "upstream_error" }, ""},
		{"failed request with a charge and no error", func(l *usage.Log) { l.Outcome = usage.Failed },
			"recomputed cost is 0 USD"},
		{"failed request with a charge and no price", func(l *usage.Log) {
			l.Outcome, l.PriceID, l.RuleID = usage.Failed, uuid.Nil, uuid.Nil
		}, "recomputed cost is 0 USD"},
		{"failed request with a fixed price", func(l *usage.Log) {
			l.Outcome, l.Error, l.RuleID, l.Cost, l.Quota = usage.Failed, "upstream_error", fixed, 5, 5
		}, "recomputed cost is 0 USD"},
		{"missing price", func(l *usage.Log) { l.PriceID = absent }, "does not exist"},
		{"missing price rule", func(l *usage.Log) { l.RuleID = absent }, "does not exist"},
		{"price of another model", func(l *usage.Log) { l.PriceID = others }, "the price is for model other"},
		{"price rule of another model", func(l *usage.Log) { l.RuleID = special }, "the price rule is for model other"},
		{"negative count", func(l *usage.Log) { l.Usage.Output, l.Usage.Input = -1, 11 }, "negative"},
		{"cost out of range", func(l *usage.Log) { l.Usage.Input = math.MaxInt64 }, "out of range"},
		{"price rule of another group", func(l *usage.Log) { l.GroupID = others }, "the price rule is for group"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := bill()
			row.change(&l)
			var got []Difference
			sum, err := Walk(t.Context(), newBooks(bill(), l, bill()).source(), Range{},
				func(d Difference) { got = append(got, d) })
			if err != nil || sum.Bills != 3 || sum.Differences != len(got) {
				t.Fatalf("Walk: got %+v, %v and %d reports, want 3 charges", sum, err, len(got))
			}
			switch {
			case row.want == "" && len(got) > 0:
				t.Errorf("got reports %v, want none", got)
			case row.want != "" && (len(got) != 1 || !strings.Contains(got[0].Reason, row.want)):
				t.Errorf("got reports %v, want one with %q", got, row.want)
			}
		})
	}
}

func TestWalk_ReportsStoredAndRecomputedAmounts(t *testing.T) {
	t.Parallel()
	l := bill()
	l.TenantID, l.Cost, l.Quota = others, 894, 890
	missing := bill()
	missing.PriceID = absent
	var got []Difference
	if _, err := Walk(t.Context(), newBooks(l, missing).source(), Range{},
		func(d Difference) { got = append(got, d) }); err != nil {
		t.Fatal(err)
	}
	want := []Difference{
		{Log: l.ID, TenantID: others, CreatedAt: l.CreatedAt, Cost: 894, Quota: 890, Recomputed: amount(893),
			Reason: "recomputed cost is 0.000000893 USD, stored cost is 0.000000894 USD"},
		{Log: l.ID, CreatedAt: l.CreatedAt, Cost: 893, Quota: 893,
			Reason: "price " + absent.String() + " does not exist"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// A deduction below the cost is not a difference, because the quota may have run out, but it is part of the summary.
func TestWalk_SumsShortfalls(t *testing.T) {
	t.Parallel()
	short, none := bill(), bill()
	short.Quota, none.Quota = 890, 0
	sum, err := Walk(t.Context(), newBooks(bill(), short, none).source(), Range{},
		func(d Difference) { t.Errorf("got report %v, want none", d) })
	if want := (Summary{Bills: 3, Quota: 893 + 890, Shortfalls: 2, Shortfall: 3 + 893}); err != nil || sum != want {
		t.Errorf("Walk: got %+v, %v, want %+v", sum, err, want)
	}
}

func TestWalk_ReadsEveryPage(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, billPage - 1, billPage, billPage + 1, 2*billPage + 7} {
		source := newBooks(bills(n)...)
		sum, err := Walk(t.Context(), source.source(), Range{},
			func(d Difference) { t.Errorf("got report %v, want none", d) })
		if err != nil || sum != (Summary{Bills: n, Quota: money.Amount(n) * 893}) {
			t.Errorf("Walk of %d charges: got %+v, %v", n, sum, err)
		}
		if pages := n/billPage + 1; len(source.asked) != pages {
			t.Errorf("%d charges: got %d pages, want %d", n, len(source.asked), pages)
		}
	}
}

func TestWalk_PassesTheRangeToEachQuery(t *testing.T) {
	t.Parallel()
	source := newBooks(bills(billPage + 1)...)
	within := Range{TenantID: others, From: time.Unix(1, 0), To: time.Unix(2, 0)}
	if _, err := Walk(t.Context(), source.source(), within, func(Difference) {}); err != nil {
		t.Fatal(err)
	}
	for _, q := range source.asked {
		if q.TenantID != within.TenantID || !q.From.Equal(within.From) || !q.To.Equal(within.To) {
			t.Errorf("got query %+v, want the range %+v", q, within)
		}
	}
}

// The versions are loaded at most once per page of usage logs, however
// many are missing. A version that is created in the meantime is found.
func TestWalk_LoadsVersionsAtMostOncePerPage(t *testing.T) {
	t.Parallel()
	logs := bills(2 * billPage)
	for i := range logs {
		logs[i].PriceID = uuid.New()
	}
	source := newBooks(logs...)
	late := pricing.Price{ID: logs[len(logs)-1].PriceID, Model: "m",
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: amount(150_000_000)}}}
	sum, err := Walk(t.Context(), source.source(), Range{}, func(Difference) {
		if len(source.asked) == 1 && len(source.prices) == 2 {
			source.prices = append(source.prices, late)
		}
	})
	if err != nil || sum.Differences != 2*billPage-1 {
		t.Errorf("Walk: got %+v, %v, want %d differences", sum, err, 2*billPage-1)
	}
	if source.loads > 3 { // one page of two versions, then two pages of three
		t.Errorf("got %d reads of price pages, want at most 3", source.loads)
	}
}

func TestWalk_ReturnsTheErrorOfTheSource(t *testing.T) {
	t.Parallel()
	source := newBooks(bill())
	source.err = errors.New("database unavailable")
	if _, err := Walk(t.Context(), source.source(), Range{}, func(Difference) {}); !errors.Is(err, source.err) {
		t.Errorf("Walk: got error %v, want %v", err, source.err)
	}
}
