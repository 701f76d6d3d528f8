package claim

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFirstUnmet_ComparesScalarsAndTheElementsOfArrays(t *testing.T) {
	t.Parallel()
	hd, groups := Requirement{"hd", []string{"acme.example", "acme.org"}},
		Requirement{"groups", []string{"/staff", "7", "true"}}
	for _, row := range []struct {
		name     string
		required []Requirement
		claims   string
		want     string
	}{
		{"nothing is required", nil, `{}`, ""},
		{"the value", []Requirement{hd}, `{"hd":"acme.org"}`, ""},
		{"another value", []Requirement{hd}, `{"hd":"evil.example"}`, "hd"},
		{"other letters", []Requirement{hd}, `{"hd":"ACME.example"}`, "hd"},
		{"the value is only a part", []Requirement{hd}, `{"hd":"sub.acme.example"}`, "hd"},
		{"other name of the claim", []Requirement{hd}, `{"HD":"acme.example"}`, "hd"},
		{"absent", []Requirement{hd}, `{"sub":"1"}`, "hd"},
		{"null", []Requirement{hd}, `{"hd":null}`, "hd"},
		{"empty", []Requirement{hd}, `{"hd":""}`, "hd"},
		{"object", []Requirement{hd}, `{"hd":{"acme.example":true}}`, "hd"},
		{"array with the value", []Requirement{groups}, `{"groups":["a","/staff"]}`, ""},
		{"array without the value", []Requirement{groups}, `{"groups":["a","staff"]}`, "groups"},
		{"empty array", []Requirement{groups}, `{"groups":[]}`, "groups"},
		{"array of arrays", []Requirement{groups}, `{"groups":[["/staff"]]}`, "groups"},
		{"number", []Requirement{groups}, `{"groups":[7]}`, ""},
		{"another spelling of the number", []Requirement{groups}, `{"groups":7.0}`, "groups"},
		{"Boolean", []Requirement{groups}, `{"groups":true}`, ""},
		{"first is met, second is not", []Requirement{hd, groups}, `{"hd":"acme.example","groups":"none"}`, "groups"},
	} {
		var claims map[string]json.RawMessage
		if err := json.Unmarshal([]byte(row.claims), &claims); err != nil {
			t.Fatal(err)
		}
		if got := FirstUnmet(row.required, claims); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

func TestParse_CollectsTheValuesOfAClaim(t *testing.T) {
	t.Parallel()
	got, err := Parse("hd=acme.example, groups=acme:red team,groups=a=b,https://acme.example/role=x")
	want := []Requirement{{"hd", []string{"acme.example"}}, {"groups", []string{"acme:red team", "a=b"}},
		{"https://acme.example/role", []string{"x"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, text := range []string{"", "hd", "hd=", "=x", "hd=a,", "h d=x", "hd=a\x00", strings.Repeat("h", 101) + "=x",
		"hd=" + strings.Repeat("x", 301)} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestCheck_BoundsNumberAndSize(t *testing.T) {
	t.Parallel()
	many := func(n int) (values []string) {
		for i := range n {
			values = append(values, fmt.Sprint(i))
		}
		return values
	}
	requirements := func(n int) (all []Requirement) {
		for _, name := range many(n) {
			all = append(all, Requirement{name, []string{"x"}})
		}
		return all
	}
	for _, row := range []struct {
		name string
		all  []Requirement
		good bool
	}{
		{"none", nil, true},
		{"ten claims", requirements(10), true},
		{"eleven claims", requirements(11), false},
		{"fifty values", []Requirement{{"groups", many(50)}}, true},
		{"fifty-one values", []Requirement{{"groups", many(51)}}, false},
		{"no values", []Requirement{{"groups", nil}}, false},
		{"a claim twice", []Requirement{{"hd", []string{"a"}}, {"hd", []string{"b"}}}, false},
		{"an empty value", []Requirement{{"hd", []string{""}}}, false},
	} {
		if err := Check(row.all); (err == nil) != row.good {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
}
