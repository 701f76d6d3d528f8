package invoice_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

func usd(s string) *money.Amount {
	a, err := money.Parse(s)
	if err != nil {
		panic(err)
	}
	return &a
}

func to[T any](v T) *T { return &v }

func TestSum_IsExactAndRoundsOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amounts []string // as JSON
		unit    invoice.Unit
		want    string
	}{
		"a float with trailing zeros": {[]string{`0.8958740000000000`}, invoice.Dollars, "0.895874"},
		"an exponent":                 {[]string{`1.5e-3`, `2E2`}, invoice.Dollars, "200.0015"},
		"a string of cents":           {[]string{`"123.45"`}, invoice.Cents, "1.2345"},
		"many digits round half up": {[]string{`0.00000000049999999999999999`,
			`0.00000000000000000000000001`}, invoice.Dollars, "0.000000001"},
		"thirds of a nano-dollar add up": {[]string{`0.0000000003333333333`, `0.0000000003333333333`,
			`0.0000000003333333334`}, invoice.Dollars, "0.000000001"},
		"a tenth ten times is one": {[]string{`0.1`, `0.1`, `0.1`, `0.1`, `0.1`, `0.1`, `0.1`, `0.1`, `0.1`,
			`0.1`}, invoice.Dollars, "1"},
		"null adds nothing":                   {[]string{`null`, `1`}, invoice.Dollars, "1"},
		"a credit":                            {[]string{`5`, `-0.5`}, invoice.Dollars, "4.5"},
		"leading zeros are decimal, no octal": {[]string{`"010"`}, invoice.Dollars, "10"},
	} {
		t.Run(name, func(t *testing.T) {
			var sum invoice.Sum
			for _, raw := range c.amounts {
				var d invoice.Decimal
				if err := json.Unmarshal([]byte(raw), &d); err != nil {
					t.Fatal(err)
				}
				if err := sum.Add(d, c.unit); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := sum.Amount(); err != nil || got != *usd(c.want) {
				t.Errorf("got %v, error %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestDecimal_RefusesOtherValues(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`"1e1000000000"`, `1e41`, `"1/3"`, `"0x10"`, `"1_000"`, `"NaN"`, `"Infinity"`, `""`,
		`"."`, `"1."`, `".5"`, `"+1"`, `" 1"`, `true`, `{}`, `"` + strings.Repeat("9", 81) + `"`} {
		var d invoice.Decimal
		if err := json.Unmarshal([]byte(raw), &d); err == nil {
			t.Errorf("%s: got %q, want an error", raw, d)
		}
	}
	var sum invoice.Sum
	if err := sum.Add("1e30", invoice.Dollars); err != nil {
		t.Fatal(err)
	}
	if _, err := sum.Amount(); !errors.Is(err, money.ErrRange) {
		t.Errorf("1e30 USD: got error %v, want %v", err, money.ErrRange)
	}
}

func TestDecimal_CountIsAWholeNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[invoice.Decimal]int64{"": 0, "0": 0, "50": 50, "50.0": 50, "1e3": 1000,
		"1000000000000000": 1_000_000_000_000_000} {
		if got, err := text.Count(); err != nil || got != want {
			t.Errorf("%q: got %d, error %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []invoice.Decimal{"-1", "0.5", "1e30", "1000000000000001", "x"} {
		if got, err := text.Count(); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func TestCanonical_JoinsAliasAndSnapshot(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"gpt-4o-2024-08-06": "gpt-4o", "gpt-4o": "gpt-4o", "claude-sonnet-4-20250514": "claude-sonnet-4",
		"claude-sonnet-4-0":        "claude-sonnet-4",
		"claude-3-7-sonnet-latest": "claude-3-7-sonnet", "GPT-4o": "gpt-4o", "gpt-4-0613": "gpt-4-0613",
		"-20250514": "-20250514", "": "",
	} {
		if got := invoice.Canonical(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestAccount_CheckNamesTheField(t *testing.T) {
	t.Parallel()
	sound := func() invoice.Account {
		return invoice.Account{Name: "OpenAI", Provider: invoice.OpenAI, Status: tenant.Enabled,
			Channels: []uuid.UUID{{1}}, Keys: []invoice.Key{{ID: "key_1", Mask: "sk-…1"}}}
	}
	if a := sound(); a.Check() != nil {
		t.Fatalf("got %v, want no problem", a.Check())
	}
	for name, c := range map[string]struct {
		change func(*invoice.Account)
		field  string
	}{
		"no name":          {func(a *invoice.Account) { a.Name = "" }, "name"},
		"no provider":      {func(a *invoice.Account) { a.Provider = "" }, "provider"},
		"another scheme":   {func(a *invoice.Account) { a.BaseURL = "file:///etc/passwd" }, "base_url"},
		"metadata service": {func(a *invoice.Account) { a.BaseURL = "http://169.254.169.254" }, "base_url"},
		"URL of CSV files": {func(a *invoice.Account) {
			a.Provider, a.BaseURL = invoice.Upload, "https://a.example"
		}, "base_url"},
		"a channel twice": {func(a *invoice.Account) { a.Channels = append(a.Channels, a.Channels[0]) },
			"channels"},
		"too many channels":  {func(a *invoice.Account) { a.Channels = make([]uuid.UUID, 201) }, "channels"},
		"a key twice":        {func(a *invoice.Account) { a.Keys = append(a.Keys, a.Keys[0]) }, "keys"},
		"a key without mask": {func(a *invoice.Account) { a.Keys[0].Mask = "" }, "keys"},
		"control characters": {func(a *invoice.Account) { a.Keys[0].ID = "a\x00b" }, "keys"},
		"an unknown status":  {func(a *invoice.Account) { a.Status = "away" }, "status"},
		"too long a base URL": {func(a *invoice.Account) {
			a.BaseURL = "https://a.example/" + strings.Repeat("x", 2000)
		}, "base_url"},
	} {
		a := sound()
		c.change(&a)
		if err := a.Check(); err == nil || problem.From(err).Param != c.field {
			t.Errorf("%s: got %v, want a problem at %q", name, err, c.field)
		}
	}
}
