package layers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLongestChain_CountsPackagesAndIgnoresTests(t *testing.T) {
	chain := func(packages int) (sources []source) {
		for i := range packages - 1 {
			sources = append(sources, file(fmt.Sprintf("apps/p%02d/a.go", i), fmt.Sprintf("%sapps/p%02d", Prefix, i+1)))
		}
		return append(sources, file(fmt.Sprintf("apps/p%02d/a.go", packages-1)))
	}
	if breaks := longestChain(build(t, chain(MaxChain)...)); len(breaks) != 0 {
		t.Errorf("a chain of %d packages: %v", MaxChain, breaks)
	}
	if breaks := longestChain(build(t, chain(MaxChain+1)...)); len(breaks) != 1 {
		t.Errorf("a chain of %d packages: %v", MaxChain+1, breaks)
	}
	branching := build(t,
		file("apps/top/a.go", Prefix+"libs/short", Prefix+"libs/long"),
		file("apps/top/a_test.go", Prefix+"libs/testkit"),
		file("libs/short/a.go"),
		file("libs/long/a.go", Prefix+"libs/end"),
		file("libs/end/a.go"),
		file("libs/testkit/a.go", Prefix+"libs/long"),
	)
	if got := strings.Join(LongestChain(branching), " "); got != "apps/top libs/long libs/end" &&
		got != "libs/testkit libs/long libs/end" {
		t.Errorf("LongestChain = %s, want a chain of 3 packages", got)
	}
}

func TestOneDirection_FindsCyclesBetweenSiblings(t *testing.T) {
	for _, row := range []struct {
		condition string
		sources   []source
		want      string
	}{
		{"imports in one direction", []source{
			file("libs/store/quota/a.go", Prefix+"libs/store/db"),
			file("libs/store/identity/a.go", Prefix+"libs/store/quota"), file("libs/store/db/a.go"),
		}, ""},
		{"a folder imports its subfolder, and the subfolder its own", []source{
			file("libs/store/a.go", Prefix+"libs/store/db"), file("libs/store/db/a.go", Prefix+"libs/store/db/row"),
		}, ""},
		{"a subfolder imports its parent", []source{file("libs/provider/openai/a.go", Prefix+"libs/provider"),
			file("libs/provider/a.go")}, ""},
		{"two siblings import packages below each other", []source{
			file("libs/store/quota/a.go", Prefix+"libs/store/identity/token"),
			file("libs/store/identity/a.go", Prefix+"libs/store/quota"),
		}, "libs/store: identity -> quota -> identity"},
		{"three siblings", []source{
			file("apps/a/internal/x/a.go", Prefix+"apps/a/internal/y"), file("apps/a/internal/y/a.go",
				Prefix+"apps/a/internal/z"), file("apps/a/internal/z/a.go", Prefix+"apps/a/internal/x"),
		}, "apps/a/internal: x -> y -> z -> x"},
		{"top folders", []source{file("apps/relay/a.go", Prefix+"libs/web"),
			file("libs/core/a.go", Prefix+"apps/relay")}, ".: apps -> libs -> apps"},
		{"a cycle through a test file", []source{
			file("libs/a/a.go", Prefix+"libs/b"), file("libs/b/a_test.go", Prefix+"libs/a"),
		}, ""},
	} {
		if got := strings.Join(oneDirection(build(t, row.sources...)), "; "); got != row.want {
			t.Errorf("%s: %q, want %q", row.condition, got, row.want)
		}
	}
}

func TestOver_ComparesWithTheLimitAndTheExceptions(t *testing.T) {
	files := func(folder string, n int) Codebase {
		p := Package{Path: folder, Files: []File{{Name: folder + "/a_test.go", Test: true}}}
		return Codebase{{Path: folder, Files: append(p.Files, slices.Repeat([]File{{Exports: 1}}, n)...)}}
	}
	one := func(File) int { return 1 }
	for _, row := range []struct {
		condition  string
		codebase   Codebase
		exceptions map[string]int
		want       string
	}{
		{"at the limit", files("libs/a", 5), nil, ""},
		{"over the limit", files("libs/a", 6), nil, "libs/a has 6 things"},
		{"outside of libs and apps", files("e2e", 6), nil, ""},
		{"at the size of the exception", files("apps/a", 7), map[string]int{"apps/a": 7}, ""},
		{"over the size of the exception", files("apps/a", 8), map[string]int{"apps/a": 7}, "apps/a has 8 things"},
		{"an exception at the limit", files("apps/a", 5), map[string]int{"apps/a": 7},
			"apps/a has 5 things: remove its exception"},
		{"an exception for no package", nil, map[string]int{"apps/a": 7}, "apps/a has 0 things: remove its exception"},
	} {
		if got := strings.Join(over(row.codebase, "things", 5, row.exceptions, one), "; "); got != row.want {
			t.Errorf("%s: %q, want %q", row.condition, got, row.want)
		}
	}
}

func TestParse_CountsExportedNames(t *testing.T) {
	const text = `package x
type A struct{ Field int }
type b int
func (A) M() {}
func (b) N() {}
func (A) m() {}
func F() { type Local int }
func f() {}
const C, d = 1, 2
var (
	E int
	e int
)
`
	parsed, err := Parse("libs/a/a.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if parsed.Exports != 6 { // A M N F C E
		t.Errorf("Exports = %d, want 6", parsed.Exports)
	}
}
