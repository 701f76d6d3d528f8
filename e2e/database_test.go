package e2e

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/story"
)

// query runs a statement that returns one integer.
func (w *testbed) query(t *testing.T, sql string, args ...any) (n int64) {
	t.Helper()
	return story.Query(t, w.DatabaseURL, sql, args...)
}

// usageRow holds the fields of a usage log that the tests compare.
type usageRow struct {
	model, outcome string
	quota          int64 // nano-dollars
}

// rows returns the usage logs of a tenant by request id.
func (w *testbed) rows(t *testing.T, slug string) map[string]usageRow {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), story.Patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, w.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // a failure affects no other connection
	found, err := conn.Query(ctx,
		`SELECT l.id::text, l.model, l.outcome, l.quota FROM usage_logs l JOIN tenants t ON t.id = l.tenant_id WHERE t.slug = $1`, slug)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]usageRow{}
	for found.Next() {
		var id string
		var r usageRow
		if err := found.Scan(&id, &r.model, &r.outcome, &r.quota); err != nil {
			t.Fatal(err)
		}
		all[id] = r
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// awaitRow waits until the usage log of a request is recorded and returns it.
func (w *testbed) awaitRow(t *testing.T, slug, id string) usageRow {
	t.Helper()
	var found usageRow
	story.Eventually(t, story.Patience, "usage log "+id, func() (ok bool) {
		found, ok = w.rows(t, slug)[id]
		return ok
	})
	return found
}

// bill computes a price in nano-dollars with the tests' own copy of the formula: 0.15 USD per million input
// tokens, 0.075 cached, 0.60 output, times the multiplier, rounded half up.
func bill(c counts, multiplier string) int64 {
	nano := new(big.Rat)
	add := func(tokens int64, usdPerMillion string) {
		rate, _ := new(big.Rat).SetString(usdPerMillion)
		// USD per million tokens, times 1000, is nano-dollars per token
		nano.Add(nano, rate.Mul(rate, big.NewRat(tokens*1000, 1)))
	}
	add(c.prompt-c.cached, "0.15")
	add(c.cached, "0.075")
	add(c.completion, "0.60")
	factor, _ := new(big.Rat).SetString(multiplier)
	nano.Mul(nano, factor)
	nano.Add(nano, big.NewRat(1, 2))
	return new(big.Int).Div(nano.Num(), nano.Denom()).Int64()
}

// usd formats nano-dollars as a decimal number of USD, as the API does.
func usd(nano int64) string {
	digits := fmt.Sprintf("%d.%09d", nano/1_000_000_000, nano%1_000_000_000)
	return strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
}

const flatPrice = 10_000_000 // nano-dollars: 0.01 USD

func TestBill_RoundsHalfUpToNanoDollars(t *testing.T) {
	if got := bill(counts{prompt: 7}, "0.85"); got != 893 { // 7 x 150 x 0.85 = 892.5
		t.Errorf("bill of 7 tokens: got %d, want 893", got)
	}
	if got := bill(someCounts, "1"); got != 70*150+30*75+40*600 {
		t.Errorf("bill of %v: got %d", someCounts, got)
	}
}
