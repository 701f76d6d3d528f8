package money_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"testing/quick"

	"github.com/tollgate/tollgate/libs/core/money"
)

type parsing struct {
	text string
	want money.Amount
	err  error
}

func reads(text string, want money.Amount) parsing { return parsing{text, want, nil} }
func refuses(text string, err error) parsing       { return parsing{text, 0, err} }

func TestParse_AcceptsOnlyPlainDecimals(t *testing.T) {
	for _, row := range []parsing{
		reads("0", 0),
		reads("-0", 0),
		reads("1", money.USD),
		reads("0.15", 150_000_000),
		reads("-3", -3*money.USD),
		reads("12.000000001", 12*money.USD+1),
		reads("0.000000001", 1),
		reads("0.1500000000000", 150_000_000),
		reads("007", 7*money.USD),
		reads("9223372036.854775807", money.Max),
		reads("-9223372036.854775808", math.MinInt64),

		refuses("", money.ErrSyntax),
		refuses("-", money.ErrSyntax),
		refuses("+1", money.ErrSyntax),
		refuses("--1", money.ErrSyntax),
		refuses(" 1", money.ErrSyntax),
		refuses("1 ", money.ErrSyntax),
		refuses("1\n", money.ErrSyntax),
		refuses(".5", money.ErrSyntax),
		refuses("5.", money.ErrSyntax),
		refuses("1.-5", money.ErrSyntax),
		refuses("1.2.3", money.ErrSyntax),
		refuses("1,5", money.ErrSyntax),
		refuses("1_000", money.ErrSyntax),
		refuses("1e3", money.ErrSyntax),
		refuses("0x10", money.ErrSyntax),
		refuses("NaN", money.ErrSyntax),
		refuses("Inf", money.ErrSyntax),
		refuses("٣", money.ErrSyntax), // a digit, but not an ASCII digit
		refuses("0.0000000001", money.ErrTooFine),
		refuses("9223372036.854775808", money.ErrRange),
		refuses("-9223372036.854775809", money.ErrRange),
		refuses("10000000000", money.ErrRange),
		refuses(strings.Repeat("9", 400), money.ErrRange),
	} {
		got, err := money.Parse(row.text)
		if got != row.want || !errors.Is(err, row.err) {
			t.Errorf("Parse(%q) = %d, %v; want %d, %v", row.text, got, err, row.want, row.err)
		}
	}
}

func TestParseFactor_RefusesNegativeNumbers(t *testing.T) {
	for _, row := range []struct {
		text string
		want money.Factor
		err  error
	}{
		{"1", money.One, nil},
		{"0.85", 850_000_000, nil},
		{"0", 0, nil},
		{"-0", 0, nil},
		{"-0.5", -500_000_000, money.ErrNegative},
		{"1e-1", 0, money.ErrSyntax},
	} {
		got, err := money.ParseFactor(row.text)
		if got != row.want || !errors.Is(err, row.err) {
			t.Errorf("ParseFactor(%q) = %d, %v; want %d, %v", row.text, got, err, row.want, row.err)
		}
	}
}

func TestString_IsTheShortestDecimal(t *testing.T) {
	for want, amount := range map[string]money.Amount{
		"0":                     0,
		"1":                     money.USD,
		"10":                    10 * money.USD,
		"0.00015":               150_000,
		"-0.000000001":          -1,
		"-1.5":                  -3 * money.USD / 2,
		"9223372036.854775807":  money.Max,
		"-9223372036.854775808": math.MinInt64,
	} {
		if got := amount.String(); got != want {
			t.Errorf("Amount(%d).String() = %q, want %q", int64(amount), got, want)
		}
	}
}

func TestParse_ReversesString(t *testing.T) {
	readBack := func(n int64) bool {
		amount, err := money.Parse(money.Amount(n).String())
		return err == nil && amount == money.Amount(n)
	}
	if err := quick.Check(readBack, nil); err != nil {
		t.Error(err)
	}
}

func TestJSON_UsesDecimalStrings(t *testing.T) {
	type bill struct {
		Quota  money.Amount
		Factor money.Factor
		Cap    *money.Amount
	}
	text, err := json.Marshal(bill{Quota: 893, Factor: 850_000_000})
	if want := `{"Quota":"0.000000893","Factor":"0.85","Cap":null}`; err != nil || string(text) != want {
		t.Fatalf("Marshal = %s, %v; want %s", text, err, want)
	}
	var back bill
	if err := json.Unmarshal(text, &back); err != nil || back.Quota != 893 || back.Factor != 850_000_000 ||
		back.Cap != nil {
		t.Errorf("Unmarshal = %+v, %v", back, err)
	}
	for _, bad := range []string{`{"Quota":0.15}`, `{"Quota":"1e3"}`, `{"Factor":"-1"}`, `{"Quota":true}`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("Unmarshal(%s) was accepted", bad)
		}
	}
}

func TestAdd_StopsAtMax(t *testing.T) {
	for _, row := range []struct{ a, b, want money.Amount }{
		{0, 0, 0},
		{1, 2, 3},
		{money.Max, 0, money.Max},
		{money.Max - 1, 1, money.Max},
		{money.Max, 1, money.Max},
		{money.Max, money.Max, money.Max},
	} {
		if got := money.Add(row.a, row.b); got != row.want {
			t.Errorf("Add(%d, %d) = %d, want %d", row.a, row.b, got, row.want)
		}
	}
}

var decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0", "-1.5", "0.000000001", "9223372036.854775807", "-9223372036.854775808", "1e9",
		"..", "-", "00.10"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := money.Parse(text)
		if !decimal.MatchString(text) {
			if !errors.Is(err, money.ErrSyntax) {
				t.Fatalf("Parse(%q) = %d, %v; want ErrSyntax", text, amount, err)
			}
			return
		}
		exact, _ := new(big.Rat).SetString(text)
		exact.Mul(exact, big.NewRat(int64(money.USD), 1))
		switch {
		case !exact.IsInt():
			if !errors.Is(err, money.ErrTooFine) {
				t.Fatalf("Parse(%q) = %d, %v; want ErrTooFine", text, amount, err)
			}
		case !exact.Num().IsInt64():
			if !errors.Is(err, money.ErrRange) {
				t.Fatalf("Parse(%q) = %d, %v; want ErrRange", text, amount, err)
			}
		case err != nil || int64(amount) != exact.Num().Int64():
			t.Fatalf("Parse(%q) = %d, %v; want %s", text, amount, err, exact.Num())
		}
	})
}
