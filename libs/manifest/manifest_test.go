package manifest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/provider/registry"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing them")

// environment is the Lookup function of the tests.
func environment(name string) (string, bool) {
	values := map[string]string{
		"KEY": "sk-upstream-hunter2", "TOKEN": "imported-hunter2-0123456789", "PASSWORD": "hunter2-hunter2",
		"EMPTY": "", "WEIGHT": "3", "QUOTA": "2.5",
		"OPENAI_API_KEY": "sk-upstream-hunter2", "ACME_PASSWORD": "hunter2-hunter2",
		"ACME_TOKEN": "imported-hunter2-0123456789", "OPERATOR_PASSWORD": "hunter2-hunter2",
		"OPENAI_BASE_URL": "https://api.openai.com/v1",
	}
	value, ok := values[name]
	return value, ok
}

func parse(text string) (*Manifest, error) {
	return Parse(Source{File: "manifest.yaml", Text: []byte(text), Lookup: environment, CheckChannel: registry.Check})
}

// Each case is a file that contains the manifest, a separator line, and the expected errors.
func TestParse_ReportsAllFaults(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/faults/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	const separator = "\n---- errors ----\n"
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, want, _ := strings.Cut(string(golden), separator)
			_, err = parse(text)
			var faulty *Error
			if !errors.As(err, &faulty) {
				t.Fatalf("err = %v, want a *Error", err)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the errors show a secret:\n%v", err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(text+separator+err.Error()+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.TrimSpace(want), err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Manifests from before dialects had their name have them as endpoints.
func TestParse_AcceptsTheFormerNameOfDialects(t *testing.T) {
	t.Parallel()
	const channel = `
models: [{id: m, owned_by: o, free: true}]
channels: [{name: c, type: openai, base_url: "https://api.example/v1", models: {m: m}, `
	for _, keys := range []string{
		"dialects: [chat, responses]", "endpoints: [chat, responses]",
		"endpoints: [chat, responses], dialects: [chat, responses]",
	} {
		m, err := parse(channel + keys + "}]")
		if err != nil {
			t.Errorf("%s: %v", keys, err)
			continue
		}
		if diff := cmp.Diff([]catalog.Dialect{catalog.Chat, catalog.Responses}, m.Channels[0].Dialects); diff != "" {
			t.Errorf("%s: %s", keys, diff)
		}
		written, err := m.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if text := string(written); !strings.Contains(text, "dialects: [") || strings.Contains(text, "endpoints") {
			t.Errorf("%s: written as\n%s", keys, text)
		}
	}
}

func TestParse_ReplacesVariables(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{"plain", "plain"},
		{"${KEY}", "sk-upstream-hunter2"},
		{"a-${WEIGHT}-${WEIGHT}-b", "a-3-3-b"},
		{"$${KEY}", "${KEY}"},
		{"$$${KEY}", "$${KEY}"},
		{"costs $5", "costs $5"},
		{"$KEY", "$KEY"},
	} {
		c, err := parse("tenants: [{slug: a, name: '" + row.text + "'}]")
		if err != nil {
			t.Errorf("%s: %v", row.text, err)
		} else if got := c.Tenants[0].Name; got != row.want {
			t.Errorf("%s: %q, want %q", row.text, got, row.want)
		}
	}
}

func TestParse_DoesNotReadVariablesAsYAML(t *testing.T) {
	t.Parallel()
	c, err := Parse(Source{
		Text:   []byte("tenants:\n  - slug: a\n    name: ${NAME}\n"),
		Lookup: func(string) (string, bool) { return "x\n    quota: '100'\n# ", true }, CheckChannel: registry.Check,
	})
	if err == nil {
		t.Fatalf("a name with line breaks was accepted: %+v", c.Tenants[0])
	}
	if strings.Contains(err.Error(), "unknown") {
		t.Errorf("the value was read as YAML: %v", err)
	}
}

func TestParse_AcceptsQuotedAndPlainNumbers(t *testing.T) {
	t.Parallel()
	c, err := parse(`
groups: [{name: default, multiplier: 0.85, models: []}]
models: [{id: m, owned_by: o, price: {input: 0.15, output: "0.60", request: 1}, max_output_tokens: 100}]
channels: [{name: c, type: echo, endpoints: [chat], models: {m: m}, weight: "${WEIGHT}"}]
tenants: [{slug: a, name: A, quota: "${QUOTA}"}]
`)
	if err != nil {
		t.Fatal(err)
	}
	amount := func(a money.Amount) *money.Amount { return &a }
	wantRates := pricing.Rates{ClassRates: pricing.ClassRates{Input: amount(150_000_000), Output: amount(600_000_000),
		Request: amount(money.USD)}}
	if !c.Models[0].Price.Equal(wantRates) {
		t.Errorf("price %+v", c.Models[0].Price)
	}
	if *c.Groups[0].Multiplier != 850_000_000 || *c.Channels[0].Weight != 3 || c.Tenants[0].Quota != 2_500_000_000 {
		t.Errorf("multiplier %v, weight %v, quota %v", *c.Groups[0].Multiplier, *c.Channels[0].Weight,
			c.Tenants[0].Quota)
	}
}

func TestParse_AcceptsAnEmptyManifest(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n# nothing\n", "---\n", "groups: []\n"} {
		c, err := parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if len(c.Groups)+len(c.Models)+len(c.Channels)+len(c.Tenants)+len(c.Operators) != 0 {
			t.Errorf("%q declares something: %+v", text, c)
		}
	}
}

func TestRead_RefusesAFileThatIsTooLarge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(path, []byte("models: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{MaxBytes + 1, 100 << 20} {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, Source{}); err == nil || err.Error() != path+":1: has more than 16 MiB" {
			t.Errorf("%d bytes: got %v", size, err)
		}
	}
}

func TestRead_FailsWithoutTheFile(t *testing.T) {
	t.Parallel()
	if _, err := Read(filepath.Join(t.TempDir(), "none.yaml"), Source{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

func TestExampleManifest_IsValid(t *testing.T) {
	t.Parallel()
	c, err := Read("../../deploy/manifest.example.yaml", Source{Lookup: environment, CheckChannel: registry.Check})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Groups) != 2 || len(c.Models) != 4 || len(c.Channels) != 2 || len(c.Tenants) != 1 ||
		len(c.Operators) != 1 {
		t.Errorf("%+v", c)
	}
	owner := c.Tenants[0].Users[0]
	if owner.Role != tenant.Owner || owner.Tokens[0].Value != "imported-hunter2-0123456789" ||
		*owner.Tokens[0].Quota != money.USD {
		t.Errorf("%+v", owner)
	}
}

func FuzzParse(f *testing.F) {
	example, err := os.ReadFile("../../deploy/manifest.example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(example), "a: &x [*x]", "groups: {a: b}", "? [a]\n: b", "<<: {a: 1}",
		"channels: [{models: {? {a: b} : c}}]", "groups: [~]", "%YAML 1.2\n---\na: !!binary x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse(text)
		if (c == nil) == (err == nil) {
			t.Errorf("manifest %v and error %v", c, err)
		}
	})
}

// Deep nesting is refused before the parser uses much memory for it.
func TestParse_RefusesDeepNesting(t *testing.T) {
	t.Parallel()
	const n = 150_000
	for name, text := range map[string]string{
		"lists":          strings.Repeat("[", n),
		"mappings":       strings.Repeat("{a: ", n),
		"both":           strings.Repeat("[{a: ", n),
		"quoted closers": strings.Repeat(`["]", `, n),
		"wrong closers":  strings.Repeat("[ } ", n),
		"entries":        strings.Repeat("- ", n),
		"keys":           strings.Repeat("? ", n),
		"anchors":        "a: " + strings.Repeat("&a ", n),
		"tags":           "a: " + strings.Repeat("!a ", n),
	} {
		_, err := Parse(Source{File: "deep.yaml", Text: []byte(text)})
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

func TestParse_RefusesVariablesWithoutLookup(t *testing.T) {
	t.Parallel()
	text := "groups:\n  - name: ${HOME}\n    models: [\"$${x}\"]\n"
	_, err := Parse(Source{File: "up", Text: []byte(text)})
	if want := "up:2: groups[0].name: ${HOME} is not replaced here"; err == nil ||
		!strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("%v, want %s", err, want)
	}
}
