package readme

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// named returns the exported fields of a struct by their names in the documents, for example cached_input.
func named(t *testing.T, of reflect.Value) map[string]reflect.Value {
	t.Helper()
	fields := map[string]reflect.Value{}
	for _, field := range reflect.VisibleFields(of.Type()) {
		name := regexp.MustCompile(`(.)([A-Z]|\d+)`).ReplaceAllString(field.Name, "${1}_${2}")
		fields[strings.ToLower(name)] = of.FieldByIndex(field.Index)
	}
	return fields
}

// words reads a text such as "input 7, output 3" into the fields of a struct.
func words(t *testing.T, text string, into reflect.Value, read func(text string) reflect.Value) {
	t.Helper()
	fields := named(t, into)
	for word := range strings.SplitSeq(text, ", ") {
		name, value, _ := strings.Cut(word, " ")
		field, ok := fields[name]
		if !ok {
			t.Fatalf("unknown class %q", word)
		}
		field.Set(read(value))
	}
}

// amount parses an amount of money.
func amount(t *testing.T, text string) *money.Amount {
	t.Helper()
	a, err := money.Parse(text)
	if err != nil {
		t.Fatalf("parse the amount %q: %v", text, err)
	}
	return &a
}

// rates parses rates such as "input 2.50, output 10".
func rates(t *testing.T, text string) (r pricing.Rates) {
	t.Helper()
	words(t, text, reflect.ValueOf(&r).Elem(), func(text string) reflect.Value {
		return reflect.ValueOf(amount(t, text))
	})
	return r
}

// counts parses token counts such as "input 7, output 3".
func counts(t *testing.T, text string) (u usage.Usage) {
	t.Helper()
	words(t, text, reflect.ValueOf(&u).Elem(), func(text string) reflect.Value {
		count, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return reflect.ValueOf(count)
	})
	return u
}

// rule parses a price rule: "x 0.85" or "fixed 0.002".
func rule(t *testing.T, text string) pricing.Rule {
	t.Helper()
	if fixed, ok := strings.CutPrefix(text, "fixed "); ok {
		return pricing.Rule{Fixed: amount(t, fixed)}
	}
	factor, err := money.ParseFactor(strings.TrimPrefix(text, "x "))
	if err != nil {
		t.Fatalf("parse the multiplier %q: %v", text, err)
	}
	return pricing.Rule{Multiplier: factor}
}

// Each worked example in docs/pricing.md costs what the code computes.
func TestPricingPage_ExamplesHaveTheComputedCost(t *testing.T) {
	examples := 0
	for _, row := range rows(read(t, "docs/pricing.md"), regexp.MustCompile(`.`)) {
		if len(row) != 5 || !regexp.MustCompile(`^0\.\d+$`).MatchString(row[4]) {
			continue
		}
		examples++
		terms := pricing.Terms{Price: &pricing.Price{Rates: rates(t, row[1])}, Rule: rule(t, row[2])}
		if cost, err := terms.Cost(counts(t, row[3])); err != nil || cost.String() != row[4] {
			t.Errorf("%s: the code computes %v, %v, docs/pricing.md has %s", row[0], cost, err, row[4])
		}
	}
	if examples < 10 {
		t.Errorf("found %d examples, want at least 10", examples)
	}
}

// Each usage object in docs/pricing.md is counted as its row says.
func TestPricingPage_ExamplesAreCountedAsTheCodeCounts(t *testing.T) {
	examples := rows(read(t, "docs/pricing.md"), regexp.MustCompile("^`{"))
	for _, row := range examples {
		if got, want := tally.Parse([]byte(strings.Trim(row[0], "`"))), counts(t, row[1]); got == nil || *got != want {
			t.Errorf("%s: got %+v, want %+v", row[0], got, want)
		}
	}
	if len(examples) < 2 {
		t.Errorf("found %d examples, want at least 2", len(examples))
	}
}
