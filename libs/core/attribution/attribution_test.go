package attribution_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestAddHeader_ReadsTagsOfAnySpelling(t *testing.T) {
	header := http.Header{}
	header.Set("x-tollgate-tag-team", "Blue")
	header.Set("X-TOLLGATE-TAG-feature_1", `say "hi"\`)
	header.Set("x-tollgate-tag-city", "Zürich")
	header.Set("x-tollgate-include-quota", "true")
	var set attribution.Set
	if err := set.AddHeader(header); err != nil {
		t.Fatal(err)
	}
	if got, want := set.Tags(), usage.Tags(`{"city":"Zürich","feature_1":"say \"hi\"\\","team":"Blue"}`); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAddHeader_RefusesWhatItCannotKeepAndNamesTheHeader(t *testing.T) {
	nine := http.Header{}
	for _, c := range "abcdefghi" {
		nine.Set(attribution.HeaderPrefix+string(c), "x")
	}
	for name, row := range map[string]struct {
		header http.Header
		at     string
	}{
		"no name":                {http.Header{"X-Tollgate-Tag-": {"x"}}, "x-tollgate-tag-"},
		"a character of no name": {http.Header{"X-Tollgate-Tag-A.b": {"x"}}, "x-tollgate-tag-a.b"},
		"a long name": {http.Header{"X-Tollgate-Tag-" + strings.Repeat("a", 33): {"x"}},
			"x-tollgate-tag-" + strings.Repeat("a", 33)},
		"an empty value":      {http.Header{"X-Tollgate-Tag-A": {""}}, "x-tollgate-tag-a"},
		"a long value":        {http.Header{"X-Tollgate-Tag-A": {strings.Repeat("x", 129)}}, "x-tollgate-tag-a"},
		"no UTF-8":            {http.Header{"X-Tollgate-Tag-A": {"\xff"}}, "x-tollgate-tag-a"},
		"a control character": {http.Header{"X-Tollgate-Tag-A": {"a\x00b"}}, "x-tollgate-tag-a"},
		"two values":          {http.Header{"X-Tollgate-Tag-A": {"x", "y"}}, "x-tollgate-tag-a"},
		"nine tags":           {nine, ""}, // any of the nine
	} {
		var set attribution.Set
		err := set.AddHeader(row.header)
		if p := problem.From(err); err == nil || p.Kind != problem.InvalidType || row.at != "" && p.Param != row.at {
			t.Errorf("%s: got %v at %q, want a problem at %q", name, err, problem.From(err).Param, row.at)
		}
	}
}

func TestAdd_KeepsTheFirstValueOfANameAndEightTags(t *testing.T) {
	var set attribution.Set
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		if !set.Add(name, "1") {
			t.Fatalf("%s was refused", name)
		}
	}
	if set.Add("a", "2") || set.Add("i", "1") || len(set.Tags().Map()) != 8 || set.Tags().Map()["a"] != "1" {
		t.Errorf("got %s", set.Tags())
	}
}

func TestCut_ShortensAtACharacter(t *testing.T) {
	long := strings.Repeat("a", 127)
	for value, want := range map[string]string{
		"": "", "user-1": "user-1", "a\nb": "", "\xff": "", long + "bc": long + "b", long + "é": long,
		strings.Repeat("é", 64): strings.Repeat("é", 64),
	} {
		if got := attribution.Cut(value); got != want {
			t.Errorf("Cut(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestNamesOf_ChecksTheList(t *testing.T) {
	names, err := attribution.NamesOf([]string{"team", "cost-centre"})
	if err != nil || !names.Has("team") || !names.Has("cost-centre") || names.Has("tea") || names.Has("") ||
		len(names.List()) != 2 {
		t.Errorf("got %q, %v", names, err)
	}
	if none, err := attribution.NamesOf(nil); err != nil || none.Has("") || len(none.List()) != 0 {
		t.Errorf("an empty list: got %q, %v", none, err)
	}
	for _, list := range [][]string{{"Team"}, {""}, {"a,b"}, {"a", "a"},
		{"a", "b", "c", "d", "e", "f", "g", "h", "i"}} {
		if _, err := attribution.NamesOf(list); problem.From(err).Param != "metadata_tags" ||
			!problem.Is(err, problem.InvalidType) {
			t.Errorf("%v: got %v", list, err)
		}
	}
}

func TestParseTags_ChecksEachFilter(t *testing.T) {
	if tags, err := attribution.ParseTags([]string{"team=a=b", "x=1"}); len(tags) != 2 ||
		tags[0] != (attribution.Tag{Name: "team", Value: "a=b"}) || err != nil {
		t.Errorf("got %q, %v", tags, err)
	}
	if _, err := attribution.ParseTags(strings.Split(strings.Repeat("a=b ", 8)+"a=b", " ")); problem.From(err).Param !=
		"tag" {
		t.Errorf("nine filters: got %v", err)
	}
	for _, text := range []string{"", "team", "=a", "team=", "Team=a", "team=a\nb"} {
		if _, err := attribution.ParseTags([]string{"a=b", text}); problem.From(err).Param != "tag" {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestSet_AllocatesNothingWithoutTags(t *testing.T) {
	header := http.Header{"Authorization": {"x"}, "Content-Type": {"y"}, "X-Tollgate-Include-Quota": {"true"}}
	if n := testing.AllocsPerRun(100, func() {
		var set attribution.Set
		if set.AddHeader(header) != nil || set.Tags() != "" {
			t.Fatal("tags without a header")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever bytes a header has, Tags is JSON that both databases can store, and Map returns what was added.
func FuzzTags(f *testing.F) {
	for _, value := range []string{"blue", `a"b\c`, "\x00", "é", "\xff", "\u2028</script>", "\u007f", "�"} {
		f.Add("team", value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		var set attribution.Set
		added := set.AddHeader(http.Header{attribution.HeaderPrefix + name: {value}}) == nil
		tags := set.Tags()
		if !added {
			if tags != "" {
				t.Fatalf("refused, but kept as %q", tags)
			}
			return
		}
		if !json.Valid([]byte(tags)) || !utf8.ValidString(string(tags)) || strings.Contains(string(tags), `\u`) {
			t.Fatalf("%q", tags)
		}
		if got := tags.Map(); len(got) != 1 || got[strings.ToLower(name)] != value {
			t.Fatalf("got %q for %q=%q", tags, name, value)
		}
		if cut := attribution.Cut(value); cut != value {
			t.Fatalf("Cut(%q) = %q", value, cut)
		}
	})
}
