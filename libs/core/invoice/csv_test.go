package invoice_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestParseCSV_AddsUpRowsOfOneDayModelAndKey(t *testing.T) {
	t.Parallel()
	r, err := invoice.ParseCSV("\ufeffDay,amount, model " +
		",key,requests,input_tokens\n2026-11-01,0.1,gpt-4o,key_1,2,10\n2026-11-01,\"0.2\",gpt-4o,key_1,3,\n2026-11-02,1e-3,,,,\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Charges) != 2 || len(r.Days) != 2 {
		t.Fatalf("got %+v, want 2 charges on 2 days", r)
	}
	for _, c := range r.Charges {
		switch c.Day {
		case "2026-11-01":
			if *c.Amount != *usd("0.3") || *c.Requests != 5 || *c.InputTokens != 10 || *c.OutputTokens != 0 ||
				c.Model != "gpt-4o" || c.Key != "key_1" {
				t.Errorf("got %+v", c)
			}
		default:
			if *c.Amount != *usd("0.001") || c.Requests != nil || c.InputTokens != nil || c.Model != "" {
				t.Errorf("got %+v, want an amount and no counts", c)
			}
		}
	}
}

func TestParseCSV_RefusesHostileFiles(t *testing.T) {
	t.Parallel()
	row := func(s string) string { return "day,model,key,amount,input_tokens\n" + s }
	for name, c := range map[string]struct{ text, says string }{
		"empty":                 {"", "Line 1"},
		"no day":                {"amount\n1\n", "day is missing"},
		"unknown column":        {"day,amount,colour\n", `"colour" is not a column`},
		"a column twice":        {"day,amount,day\n", "there twice"},
		"only a header":         {"day,amount\n", "no charges"},
		"too few cells":         {row("2026-11-01,a\n"), "Line 2"},
		"an open quote":         {row("2026-11-01,\"a,b,1,1\n"), "Line"},
		"another date":          {row("01.11.2026,a,b,1,1\n"), "Line 2: day"},
		"no such day":           {row("2026-02-30,a,b,1,1\n"), "Line 2: day"},
		"a negative amount":     {row("2026-11-01,a,b,-1,1\n"), "Line 2: amount"},
		"an amount of 1e30":     {row("2026-11-01,a,b,1e30,1\n"), "too large"},
		"an endless exponent":   {row("2026-11-01,a,b,1e999999999,1\n"), "Line 2: amount"},
		"a formula as model":    {row("2026-11-01,\"=cmd|'/c calc'!A1\",b,1,1\n"), "Line 2: model"},
		"a formula as key":      {row("2026-11-01,a,@SUM(1),1,1\n"), "Line 2: key"},
		"a control character":   {row("2026-11-01,a\x00b,b,1,1\n"), "Line 2: model"},
		"a fraction of a token": {row("2026-11-01,a,b,1,0.5\n"), "Line 2: input_tokens"},
		"negative tokens":       {row("2026-11-01,a,b,1,-5\n"), "Line 2: input_tokens"},
		"too many bytes":        {strings.Repeat("x", invoice.MaxFile+1), "at most"},
		"too many rows":         {row(strings.Repeat("2026-11-01,a,b,1,1\n", 3) + manyRows(10_001)), "at most 10000"},
	} {
		_, err := invoice.ParseCSV(c.text)
		if err == nil || !strings.Contains(err.Error(), c.says) || problem.From(err).Param != "csv" {
			t.Errorf("%s: got %v, want a problem at csv that says %q", name, err, c.says)
		}
	}
}

// manyRows returns rows with different models.
func manyRows(n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString("2026-11-01,m")
		text.WriteString(strings.Repeat("x", i%7))
		text.WriteByte(byte('a' + i%26))
		text.WriteByte(byte('a' + i/26%26))
		text.WriteByte(byte('a' + i/676%26))
		text.WriteString(",k,1,1\n")
	}
	return text.String()
}

func FuzzParseCSV(f *testing.F) {
	f.Add("day,amount\n2026-11-01,1\n")
	f.Add("day,amount,model,key,requests\n2026-11-01,\"1e-3\",a,b,5\n")
	f.Add("\ufeffday,amount\r\n2026-11-01,0.1\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := invoice.ParseCSV(text)
		if err != nil {
			if problem.From(err).Param != "csv" {
				t.Fatalf("got %v, want a problem at csv", err)
			}
			return
		}
		for _, c := range r.Charges {
			if !r.Days[c.Day] || c.Amount == nil || *c.Amount < 0 || strings.ContainsAny(c.Model+c.Key, "\x00\n") {
				t.Fatalf("got charge %+v", c)
			}
		}
	})
}

func FuzzDecimal(f *testing.F) {
	f.Add(`1.5`)
	f.Add(`"1e-40"`)
	f.Fuzz(func(t *testing.T, raw string) {
		var d invoice.Decimal
		if d.UnmarshalJSON([]byte(raw)) != nil || d == "" {
			return
		}
		var sum invoice.Sum
		if err := sum.Add(d, invoice.Cents); err != nil {
			t.Fatalf("%q was decoded and is no number: %v", raw, err)
		}
		_, _ = sum.Amount()
		_, _ = d.Count()
	})
}
