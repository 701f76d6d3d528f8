package pricecatalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/pricecatalog"
)

const entry = `{"provider": "acme", "model": "large", "aliases": ["large-2026-01-01"], "price": {"input": "2", "cached_input": "0.20", "output": "10",
	"tiers": [{"above_input": 200000, "input": "4"}]}, "context_length": 400000, "max_output_tokens": 32000,
	"modalities": {"input": ["text", "image"], "output": ["text"]}, "source": "https://acme.example/prices", "read": "2026-11-01", "checked": true}`

// file returns a file with the entries.
func file(entries ...string) string {
	return `{"version": 1, "updated": "2026-11-02", "entries": [` + strings.Join(entries, ",") + `]}`
}

// with returns the entry with a replacement.
func with(old, replacement string) string { return strings.Replace(entry, old, replacement, 1) }

func parse(t *testing.T, text string) *pricecatalog.Catalog {
	t.Helper()
	c, err := pricecatalog.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func usd(text string) *money.Amount {
	amount, err := money.Parse(text)
	if err != nil {
		panic(err)
	}
	return &amount
}

func TestParse_ReadsAllFields(t *testing.T) {
	t.Parallel()
	c := parse(t, file(entry))
	e := c.Entry("acme/large")
	if e == nil || e.ContextLength != 400_000 || e.MaxOutputTokens != 32_000 || len(e.Input) != 2 ||
		e.Input[1] != "image" || len(e.Output) != 1 ||
		!e.Checked || e.Source != "https://acme.example/prices" || e.Read.Format(time.DateOnly) != "2026-11-01" ||
		c.Updated.Format(time.DateOnly) != "2026-11-02" {
		t.Errorf("Entry = %+v, updated %v", e, c.Updated)
	}
	terms := pricing.Terms{Price: &pricing.Price{Rates: e.Price}, Rule: pricing.Rule{Multiplier: money.One}}
	if cost, err := terms.Cost(usage.Usage{Input: 300_000, CachedInput: 1_000_000, Output: 1_000_000}); err != nil ||
		cost.String() != "15.2" {
		t.Errorf("a call above the threshold costs %v, %v; want 15.2", cost, err)
	}
	for _, name := range []string{"large", "large-2026-01-01", "acme/large", "acme/large-2026-01-01"} {
		if found := c.Find(name); len(found) != 1 || found[0] != e {
			t.Errorf("Find(%q) = %v", name, found)
		}
	}
	if found := c.Find("other"); found != nil {
		t.Errorf("Find of an unknown name = %v", found)
	}
	if found := c.Search("LARGE", "", 10); len(found) != 1 {
		t.Errorf("Search = %v", found)
	}
}

func TestParse_KnowsTheSameModelOfSeveralProviders(t *testing.T) {
	t.Parallel()
	c := parse(t, file(entry, with(`"acme"`, `"other"`)))
	if found := c.Find("large"); len(found) != 2 || found[0].Provider != "acme" || found[1].Provider != "other" {
		t.Errorf("Find = %v", found)
	}
	if found := c.Find("other/large"); len(found) != 1 {
		t.Errorf("Find with a provider = %v", found)
	}
	for first, want := range map[string]string{"acme": "acme other", "other": "other acme", "nobody": "acme other"} {
		found := c.Search("large", first, 10)
		if len(found) != 2 || found[0].Provider+" "+found[1].Provider != want {
			t.Errorf("Search with %s first = %v, want %s", first, found, want)
		}
	}
	if found := c.Search("", "other", 1); len(found) != 1 || found[0].Provider != "other" {
		t.Errorf("Search for one entry = %v", found)
	}
}

func TestParse_RefusesTheWholeFileAndNamesEntryAndField(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ condition, text, param, says string }{
		{"a negative rate", file(entry, with(`"2"`, `"-2"`)), "entries[1].price.input",
			"entry 1 (acme/large): entries[1].price.input: must be from 0 to 10000"},
		{"an exponent in quotes", file(with(`"2"`, `"1e30"`)), "entries[0].price.input", "must be a decimal"},
		{"an exponent", file(with(`"2"`, `1e30`)), "entries[0].price.input", "must be a decimal"},
		{"a number without quotes", file(with(`"2"`, `2`)), "entries[0].price.input", "in quotes"},
		{"NaN", file(with(`"2"`, `NaN`)), "entries[0].price.input", "not valid JSON"},
		{"NaN in quotes", file(with(`"2"`, `"NaN"`)), "entries[0].price.input", "must be a decimal"},
		{"too many decimals", file(with(`"2"`, `"0.0000000001"`)), "entries[0].price.input", "at most 9 places"},
		{"an absurd rate", file(with(`"2"`, `"10000.01"`)), "entries[0].price.input", "must be from 0 to 10000"},
		{"a rate beyond the range of amounts", file(with(`"2"`, `"99999999999999999999"`)), "entries[0].price.input",
			"must be a decimal"},
		{"null", file(with(`"2"`, `null`)), "entries[0].price.input", "has no value"},
		{"an unknown class", file(with(`"cached_input"`, `"video_input"`)), "entries[0].price.video_input",
			"not a class that this version knows"},
		{"an unknown class in a tier", file(with(`"input": "4"`, `"input": "4", "hologram": "1"`)),
			"entries[0].price.tiers[0].hologram", "not a class"},
		{"a malformed rate in a tier", file(with(`"input": "4"`, `"input": "four"`)), "entries[0].price.tiers[0].input",
			"must be a decimal"},
		{"an unknown tool", file(with(`"output": "10"`, `"output": "10", "tools": {"teleport": "1"}`)),
			"entries[0].price.tools.teleport", "not a class"},
		{"a negative tool", file(with(`"output": "10"`, `"output": "10", "tools": {"web_search": "-0.01"}`)),
			"entries[0].price.tools.web_search", "from 0 to 10000"},
		{"a service tier with a factor of 1e30",
			file(with(`"output": "10"`, `"output": "10", "service_tiers": {"priority": {"multiplier": "1e30"}}`)),
			"entries[0].price.service_tiers.priority.multiplier", "must be a decimal"},
		{"tiers out of order",
			file(with(`{"above_input": 200000, "input": "4"}`,
				`{"above_input": 9, "input": "4"}, {"above_input": 9, "input": "5"}`)),
			"entries[0].price.tiers[1].above_input", "ascending order"},
		{"a list of rates", file(with(`{"input": "2", "cached`, `[{"input": "2"}], "x": {"cached`)), "entries[0].x",
			"not a known field"},
		{"rates that are not an object",
			file(with(`"aliases": ["large-2026-01-01"], "price": {"input": "2", "cached_input": "0.20", "output": "10",
	"tiers": [{"above_input": 200000, "input": "4"}]}`, `"price": "free"`)), "entries[0].price", "must be an object"},
		{"an unknown field", file(with(`"read"`, `"discount": "1", "read"`)), "entries[0].discount",
			"not a known field"},
		{"an unknown field of the file",
			`{"version": 1, "include": "/etc/passwd", "updated": "2026-11-02", "entries": [` + entry + `]}`, "include",
			"not a known field"},
		{"a field in upper case", file(with(`"input": "2"`, `"INPUT": "2"`)), "entries[0].price", "lower-case"},
		{"a duplicate rate", file(with(`"input": "2"`, `"input": "2", "input": "0"`)),
			"entries[0].price.input", "named twice"},
		{"a duplicate field", file(with(`"read"`, `"checked": false, "read"`)), "entries[0].checked", "named twice"},
		{"a model that is listed twice", file(entry, entry), "entries[1].model", "named twice"},
		{"an alias of another model",
			file(entry, with(`"large", "aliases": ["large-2026-01-01"]`, `"small", "aliases": ["large"]`)),
			"entries[1].aliases[0]", "named twice"},
		{"a path as a model", file(with(`"large"`, `"../../etc/passwd"`)), "entries[0].model",
			"must be 1 to 200 letters"},
		{"a path within a model", file(with(`"large"`, `"a/../b"`)), "entries[0].model", "without .."},
		{"a model with control characters", file(with(`"large"`, `"la\u0000rge"`)), "entries[0].model",
			"must be 1 to 200 letters"},
		{"a provider with slashes", file(with(`"acme"`, `"acme/x"`)), "entries[0].provider", "lower-case letters"},
		{"a source that is a script", file(with(`https://acme.example/prices`, `javascript:alert(1)`)),
			"entries[0].source", "https URL"},
		{"a source with credentials", file(with(`https://acme`, `https://me:secret@acme`)),
			"entries[0].source", "https URL"},
		{"no source", file(with(`"source": "https://acme.example/prices",`, ``)), "entries[0].source",
			"must be a text"},
		{"no day", file(with(`"read": "2026-11-01",`, ``)), "entries[0].read", "must be a day"},
		{"a malformed day", file(with(`2026-11-01`, `2026-13-01`)), "entries[0].read", "must be a day"},
		{"a word for checked", file(with(`"checked": true`, `"checked": "yes"`)), "entries[0].checked",
			"true or false"},
		{"an unknown modality", file(with(`"image"`, `"smell"`)), "entries[0].modalities.input",
			"text, image, audio, video, file"},
		{"a modality twice", file(with(`"image"`, `"text"`)), "entries[0].modalities.input", "at most once"},
		{"a negative bound", file(with(`32000`, `-1`)), "entries[0].max_output_tokens", "whole number"},
		{"a fraction as a bound", file(with(`32000`, `0.5`)), "entries[0].max_output_tokens", "whole number"},
		{"an enormous bound", file(with(`400000`, `1e30`)), "entries[0].context_length", "whole number"},
		{"aliases that are not a list", file(with(`["large-2026-01-01"]`, `{"a": "b"}`)), "entries[0].aliases",
			"must be a list"},
		{"an alias that is a list", file(with(`["large-2026-01-01"]`, `[[]]`)), "entries[0].aliases[0]",
			"must be 1 to 200 letters"},
		{"an entry that is a number", file(`7`), "entries[0]", "must be an object"},
		{"no entries", file(), "entries", "at least one"},
		{"another version", strings.Replace(file(entry), `"version": 1`, `"version": 2`, 1), "version", "must be 1"},
		{"no version", strings.Replace(file(entry), `"version": 1,`, ``, 1), "version", "must be"},
		{"YAML with anchors", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "file", "not valid JSON"},
		{"text after the end", file(entry) + "{}", "file", "after the end"},
		{"an end too early", file(entry)[:200], "", "not valid JSON"},
		{"an empty file", "", "file", "not valid JSON"},
		{"a list", "[]", "file", "must be an object"},
		{"invalid UTF-8", file(with("acme.example", "acme.example/\xff")), "file", "UTF-8"},
		{"deep nesting", strings.Repeat("[", 100_000), "", "nested more than 16 levels"},
		{"deep nesting of objects", strings.Repeat(`{"a":`, 100_000), "", "nested more than 16 levels"},
		{"a file of 5 MB", `{"version": 1, "note": "` + strings.Repeat("a", 5<<20) + `"}`, "file",
			"larger than 4194304 bytes"},
		{"too many entries", file(slices.Repeat([]string{"{}"}, pricecatalog.MaxEntries+1)...), "entries",
			"at most 5000"},
		{"too many aliases", file(with(`["large-2026-01-01"]`, `["`+strings.Repeat(`a","`, 60)+`b"]`)),
			"entries[0].aliases", "at most 50"},
	} {
		c, err := pricecatalog.Parse([]byte(row.text))
		fault := problem.From(err)
		if c != nil || !problem.Is(err, problem.InvalidType) || row.param != "" && fault.Param != row.param ||
			!strings.Contains(fault.Message, row.says) || len(fault.Message) > 600 {
			t.Errorf("%s: Parse = %v, %v at %q; want %q at %q", row.condition, c, err, fault.Param, row.says, row.param)
		}
	}
}

func TestBuiltin_IsAValidCatalogOfTheModelsThatMatter(t *testing.T) {
	t.Parallel()
	c, err := pricecatalog.Parse(pricecatalog.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	providers := map[string]int{}
	for i := range c.Entries {
		e := &c.Entries[i]
		providers[e.Provider]++
		if err := e.Price.Check(false); err != nil {
			t.Errorf("%s: %v", e.ID(), err)
		}
		if e.Price.Input == nil || e.Price.Output == nil {
			t.Errorf("%s has no rate for input or output", e.ID())
		}
		if e.Provider == "anthropic" && (e.Price.CacheWrite == nil || e.Price.CacheWrite1h == nil) {
			t.Errorf("%s has no rate for cache writes", e.ID())
		}
		if e.ContextLength > 0 && e.MaxOutputTokens > e.ContextLength {
			t.Errorf("%s: more output than context", e.ID())
		}
	}
	if len(c.Entries) < 60 {
		t.Errorf("%d entries, want at least 60", len(c.Entries))
	}
	for _, provider := range []string{"openai", "anthropic", "google", "deepseek", "mistral", "xai", "groq", "cohere"} {
		if providers[provider] == 0 {
			t.Errorf("no entries of %s", provider)
		}
	}
}

// offered returns an entry with the price.
func offered(checked bool, rates pricing.Rates) *pricecatalog.Entry {
	return &pricecatalog.Entry{Provider: "acme", Model: "large", Price: rates, Checked: checked}
}

func plain(input, output string) pricing.Rates {
	return pricing.Rates{ClassRates: pricing.ClassRates{Input: usd(input), Output: usd(output)}}
}

func TestCompare_ListsWhatChangesAndWhatAPersonMustConfirm(t *testing.T) {
	t.Parallel()
	cached, written := plain("2", "10"), plain("2", "10")
	cached.CachedInput, written.CacheWrite = usd("0.2"), usd("4")
	long := plain("2", "10")
	long.Tiers = []pricing.Tier{{AboveInput: 200_000, ClassRates: pricing.ClassRates{Input: usd("4")}}}
	request := plain("2", "10")
	request.Request = usd("0.01")
	for _, row := range []struct {
		condition    string
		before       pricing.Rates
		after        *pricecatalog.Entry
		changes      string
		confirmation string
	}{
		{"the same price", plain("2", "10"), offered(true, plain("2", "10")), "", ""},
		{"the same price, not verified", plain("2", "10"), offered(false, plain("2", "10")), "", ""},
		{"a small rise and a fall", plain("2", "10"), offered(true, plain("3", "9")),
			"input 2 3 +50.0; output 10 9 -10.0", ""},
		{"a rise of more than half", plain("2", "10"), offered(true, plain("3.01", "10")),
			"input 2 3.01 +50.5", "large_rise"},
		{"a fall to zero", plain("2", "10"), offered(true, plain("0", "10")), "input 2 0 -100.0", "zero"},
		{"an entry that is not verified", plain("2", "10"), offered(false, plain("2", "9")),
			"output 10 9 -10.0", "unverified"},
		{"a discount for cached input", plain("2", "10"), offered(true, cached), "cached_input 2 0.2 -90.0", ""},
		{"dearer cache writes", plain("2", "10"), offered(true, written), "cache_write 2 4 +100.0", "large_rise"},
		{"the discount ends", cached, offered(true, plain("2", "10")), "cached_input 0.2 2 +900.0", "large_rise"},
		{"a tier for long inputs", plain("2", "10"), offered(true, long), "tiers[200000].input 2 4 +100.0",
			"large_rise"},
		{"a tier ends", long, offered(true, plain("2", "10")), "tiers[200000].input 4 2 -50.0", ""},
		{"a new price per request", plain("2", "10"), offered(true, request), "request - 0.01 +0.0", "new_rate"},
		{"a price per request ends", request, offered(true, plain("2", "10")), "request 0.01 - +0.0", "removed"},
		{"a free model gets a price", pricing.Rates{}, offered(false, plain("2", "10")),
			"input - 2 +0.0; output - 10 +0.0", "new_rate,unverified"},
	} {
		c := pricecatalog.Compare(row.before, row.after)
		var changes, warnings []string
		for _, change := range c.Changes {
			changes = append(changes, fmt.Sprintf("%s %s %s %+.1f", change.Rate, show(change.Old), show(change.New),
				change.Percent))
		}
		for _, w := range c.Warnings {
			warnings = append(warnings, string(w))
		}
		if got := strings.Join(changes, "; "); got != row.changes {
			t.Errorf("%s: changes %q, want %q", row.condition, got, row.changes)
		}
		if got := strings.Join(warnings, ","); got != row.confirmation {
			t.Errorf("%s: warnings %q, want %q", row.condition, got, row.confirmation)
		}
	}
}

func show(rate *money.Amount) string {
	if rate == nil {
		return "-"
	}
	return rate.String()
}

func TestCompare_ListsServiceTiersAndTools(t *testing.T) {
	t.Parallel()
	searching := plain("2", "10")
	searching.Tools.WebSearch = usd("0.01")
	cheaper := plain("2", "10")
	cheaper.Tools.WebSearch = usd("0.005")
	half, twice := money.One/2, 2*money.One
	flex, priority := plain("2", "10"), plain("2", "10")
	flex.ServiceTiers = map[string]pricing.ServiceTier{"flex": {Multiplier: &half}}
	priority.ServiceTiers = map[string]pricing.ServiceTier{"flex": {Multiplier: &twice}}
	for _, row := range []struct {
		condition     string
		before, after pricing.Rates
		change        pricecatalog.Change
	}{
		{"a new tool", plain("2", "10"), searching, pricecatalog.Change{Rate: "tools.web_search", New: usd("0.01"),
			Warning: pricecatalog.WarnNew}},
		{"a cheaper tool", searching, cheaper, pricecatalog.Change{Rate: "tools.web_search", Old: usd("0.01"),
			New: usd("0.005"), Percent: -50}},
		{"a tool ends", searching, plain("2", "10"), pricecatalog.Change{Rate: "tools.web_search", Old: usd("0.01"),
			Warning: pricecatalog.WarnRemoved}},
		{"a dearer service tier", flex, priority, pricecatalog.Change{Rate: "service_tiers.flex.multiplier",
			Old: usd("0.5"), New: usd("2"), Percent: 300, Warning: pricecatalog.WarnRise}},
	} {
		c := pricecatalog.Compare(row.before, offered(true, row.after))
		if len(c.Changes) != 1 || show(c.Changes[0].Old) != show(row.change.Old) ||
			show(c.Changes[0].New) != show(row.change.New) ||
			c.Changes[0].Rate != row.change.Rate || c.Changes[0].Percent != row.change.Percent ||
			c.Changes[0].Warning != row.change.Warning {
			t.Errorf("%s: got %+v, want %+v", row.condition, c.Changes, row.change)
		}
	}
}

func TestNew_WarnsOfWhatANewModelNeedsConfirmed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		condition string
		entry     *pricecatalog.Entry
		warnings  []pricecatalog.Warning
	}{
		{"checked", offered(true, plain("2", "10")), nil},
		{"unchecked", offered(false, plain("2", "10")), []pricecatalog.Warning{pricecatalog.WarnUnchecked}},
		{"without a price for input", offered(true, plain("0", "10")), []pricecatalog.Warning{pricecatalog.WarnZero}},
	} {
		c := pricecatalog.New(row.entry)
		if !slices.Equal(c.Warnings, row.warnings) {
			t.Errorf("%s: warnings %v, want %v", row.condition, c.Warnings, row.warnings)
		}
	}
}

func TestMissing_ListsTheWarningsThatWereNotConfirmed(t *testing.T) {
	t.Parallel()
	c := pricecatalog.Compare(plain("2", "10"), offered(false, plain("4", "0")))
	if got := c.Missing([]pricecatalog.Warning{pricecatalog.WarnZero}); !slices.Equal(got,
		[]pricecatalog.Warning{pricecatalog.WarnRise, pricecatalog.WarnUnchecked}) {
		t.Errorf("Missing = %v", got)
	}
	if got := c.Missing(c.Warnings); len(got) != 0 {
		t.Errorf("Missing = %v, want none", got)
	}
}

// FuzzParse checks that Parse never panics, that errors are problems of bounded length, and that what it accepts is
// priced.
func FuzzParse(f *testing.F) {
	f.Add([]byte(file(entry)))
	f.Add([]byte(file(entry, with(`"acme"`, `"other"`))))
	f.Add([]byte(file(with(`"2"`, `1e30`))))
	f.Add([]byte(`{"entries": [{"price": {"tiers": [[[{}]]]}}]}`))
	f.Add([]byte("[*a, &a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := pricecatalog.Parse(text)
		if err != nil {
			if fault := problem.From(err); c != nil || fault.Kind != problem.InvalidType || fault.Param == "" ||
				len(fault.Message) > 4_000 {
				t.Errorf("Parse = %v, %v at %q", c, err, fault.Param)
			}
			return
		}
		for i := range c.Entries {
			e := &c.Entries[i]
			if err := e.Price.Check(true); err != nil || c.Entry(e.ID()) != e {
				t.Errorf("entry %d: %v, found %v", i, err, c.Entry(e.ID()))
			}
			if same := pricecatalog.Compare(e.Price, e); len(same.Changes) != 0 {
				t.Errorf("entry %d differs from itself: %+v", i, same.Changes)
			}
		}
	})
}
