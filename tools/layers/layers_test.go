package layers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// The test cache does not notice changes of the files that Load reads, so run this test with -count=1.
func TestRules_HoldInTheCodebase(t *testing.T) {
	codebase, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(codebase, func(p Package) bool { return p.Path == "libs/core/money" }) {
		t.Fatal("Load found no libs/core/money: root is not the root of the codebase")
	}
	for _, rule := range Rules() {
		t.Run(strings.ReplaceAll(rule.Name, " ", "-"), func(t *testing.T) {
			for _, where := range rule.Breaks(codebase) {
				t.Errorf("%s: %s\n\tThe rule: %s.", rule.Name, where, rule.Reason)
			}
		})
	}
	t.Logf("longest chain of imports: %s", strings.Join(LongestChain(codebase), " -> "))
}

func TestModules_AreNamedAfterTheirFolders(t *testing.T) {
	for _, folder := range []string{"libs", "apps", "tools", "e2e", "openapi/clients/go"} {
		text, err := os.ReadFile(filepath.Join(root, folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(string(text), "\n"); first != "module "+Prefix+folder {
			t.Errorf("%s/go.mod begins with %q, want %q", folder, first, "module "+Prefix+folder)
		}
	}
}

func TestModules_ToolsAndE2EDoNotRequireEachOther(t *testing.T) {
	for folder, other := range map[string]string{"tools": "e2e", "e2e": "tools"} {
		text, err := os.ReadFile(filepath.Join(root, folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), Prefix+other+" ") {
			t.Errorf("%s/go.mod requires the module %s", folder, other)
		}
	}
}

// source is a file of an artificial codebase.
type source struct{ name, text string }

// file returns a file with the imports.
func file(name string, imports ...string) source {
	text := "package x\n"
	for _, importPath := range imports {
		text += fmt.Sprintf("import _ %q\n", importPath)
	}
	return source{name, text}
}

// calls returns a file with one import and one use of it.
func calls(name, importPath, call string) source {
	return source{name, fmt.Sprintf("package x\nimport %q\nvar _ = %s\n", importPath, call)}
}

// build returns the codebase of the files, each in a package of its own.
func build(t *testing.T, sources ...source) (codebase Codebase) {
	t.Helper()
	for _, s := range sources {
		parsed, err := Parse(s.name, []byte(s.text))
		if err != nil {
			t.Fatal(err)
		}
		codebase = append(codebase, Package{Path: filepath.ToSlash(filepath.Dir(s.name)), Files: []File{parsed}})
	}
	return codebase
}

// row says whether a file breaks a rule.
type row struct {
	rule   string
	source source
	broken bool
}

func allow(rule string, s source) row { return row{rule, s, false} }
func deny(rule string, s source) row  { return row{rule, s, true} }

func TestHeavy_FollowsImports(t *testing.T) {
	codebase := build(t, file("apps/relay/a.go", Prefix+"libs/web"), file("libs/web/a.go", Prefix+"libs/store"),
		file("libs/store/a.go", Prefix+"libs/store/sqlite"))
	if got := heavy(codebase); len(got) != 1 || !strings.HasPrefix(got[0], "apps/relay imports libs/store/sqlite") {
		t.Errorf("got %v", got)
	}
}

func TestRules_FindViolations(t *testing.T) {
	rows := []row{
		allow("layers", file("libs/store/a.go", Prefix+"libs/core/money")),
		allow("layers", file("libs/core/pricing/a.go", Prefix+"libs/core/money")),
		allow("layers", file("apps/relay/a.go", Prefix+"libs/web")),
		allow("layers", file("e2e/bench/a.go", Prefix+"apps/relay", Prefix+"e2e/fakeupstream")),
		deny("layers", file("libs/core/money/a.go", Prefix+"libs/wire/sse")),
		deny("layers", file("libs/wire/openai/a.go", Prefix+"libs/provider")),
		deny("layers", file("libs/store/a.go", Prefix+"libs/config")),
		deny("layers", file("libs/service/a_test.go", Prefix+"apps/relay")),
		deny("layers", file("apps/relay/a.go", Prefix+"e2e/fakeupstream")),
		allow("layers", file("e2e/bench/a.go", Prefix+"e2e/stack")),
		deny("layers", file("libs/util/a.go")),
		deny("layers", file("pkg/a.go")),

		allow("components", file("libs/provider/openai/a.go", Prefix+"libs/provider")),
		allow("components", file("libs/wire/openai/a.go", Prefix+"libs/wire/sse")),
		deny("components", file("libs/store/a.go", Prefix+"libs/queue")),
		allow("components", file("e2e/bench/a.go", Prefix+"e2e/stack")),
		deny("components", file("e2e/bench/a_test.go", Prefix+"tools/layers")),
		deny("components", file("tools/layers/a.go", Prefix+"e2e/stack")),
		deny("components", file("libs/queue/a_test.go", Prefix+"libs/store")),
		deny("components", file("libs/service/a.go", Prefix+"libs/web")),
		allow("components", file("libs/service/a.go", Prefix+"libs/config")),

		allow("entry points", file("apps/standalone/a.go", Prefix+"apps/relay", Prefix+"apps/console")),
		allow("entry points", file("apps/relay/cmd/relay/main.go", Prefix+"apps/relay")),
		allow("entry points", file("apps/relay/a.go", Prefix+"apps/relay/internal/pipeline")),
		allow("entry points", file("e2e/bench/a.go", Prefix+"apps/relay")),
		deny("entry points", file("apps/relay/a.go", Prefix+"apps/console")),
		deny("entry points", file("apps/worker/a_test.go", Prefix+"apps/standalone")),
		deny("entry points", file("apps/standalone/a.go", Prefix+"apps/relay/cmd/relay")),
		deny("entry points", file("e2e/bench/a.go", Prefix+"apps/relay/internal/pipeline")),

		allow("core is pure", file("libs/core/problem/a.go", "net/http")),
		allow("core is pure", calls("libs/core/problem/a.go", "net/http", "http.StatusOK")),
		allow("core is pure", file("libs/core/token/a.go", "crypto/rand", "net/netip")),
		allow("core is pure", file("libs/core/money/a_test.go", "os", "math/rand/v2")),
		allow("core is pure", calls("libs/core/usage/a.go", "time", "time.Hour")),
		allow("core is pure", file("libs/core/usage/a.go", "github.com/google/uuid")),
		deny("core is pure", file("libs/core/money/a.go", "net/http")),
		deny("core is pure", calls("libs/core/problem/a.go", "net/http", "http.DefaultClient")),
		deny("core is pure", file("libs/core/money/a.go", "crypto/rand")),
		deny("core is pure", file("libs/core/money/a.go", "os")),
		deny("core is pure", file("libs/core/money/a.go", "context")),
		deny("core is pure", file("libs/core/money/a.go", "log/slog")),
		deny("core is pure", file("libs/core/money/a.go", "database/sql")),
		deny("core is pure", file("libs/core/money/a.go", "github.com/shopspring/decimal")),
		deny("core is pure", calls("libs/core/usage/a.go", "time", "time.Now()")),
		deny("core is pure", source{"libs/core/usage/a.go", "package x\nimport clock \"time\"\nvar _ = clock.Now()\n"}),
		deny("core is pure", calls("libs/core/usage/a.go", "github.com/google/uuid", "uuid.New()")),

		allow("adapters only convert", calls("libs/provider/openai/a.go", "net/http", "http.Header{}")),
		deny("adapters only convert", calls("libs/provider/openai/a.go", "net/http", "http.Client{}")),
		deny("adapters only convert", file("libs/wire/sse/a.go", "log/slog")),
		deny("adapters only convert", calls("libs/provider/echo/a.go", "time", "time.After(1)")),

		allow("SQL lives in store", file("libs/store/a.go", "github.com/uptrace/bun", "database/sql")),
		allow("SQL lives in store", file("libs/store/migrations/a.go", "github.com/uptrace/bun/migrate")),
		allow("SQL lives in store", file("e2e/audit/a.go", "github.com/jackc/pgx/v5")),
		allow("SQL lives in store", file("apps/relay/a_test.go", "database/sql")),
		deny("SQL lives in store", file("apps/console/a.go", "database/sql")),
		deny("SQL lives in store", file("apps/console/a.go", "database/sql/driver")),
		deny("SQL lives in store", file("libs/service/a.go", "github.com/jackc/pgx/v5/pgxpool")),
		deny("SQL lives in store", file("libs/queue/a.go", "github.com/uptrace/bun")),
		allow("SQL lives in store",
			source{"libs/store/a.go", "package x\ntype t struct {\n\tID int `bun:\"id\"`\n}\n"}),
		allow("SQL lives in store",
			source{"libs/core/a.go", "package x\ntype t struct {\n\tID int `json:\"id\"`\n}\n"}),
		deny("SQL lives in store", source{"libs/core/a.go", "package x\ntype t struct {\n\tID int `bun:\"id\"`\n}\n"}),

		allow("tasks live in queue", file("libs/queue/a.go", "github.com/hibiken/asynq")),
		deny("tasks live in queue", file("apps/worker/a.go", "github.com/hibiken/asynq")),
		deny("tasks live in queue", file("apps/standalone/a.go", "github.com/alicebob/miniredis/v2")),

		allow("programs hold what they use", file("apps/standalone/a.go", Prefix+"libs/store/sqlite",
			Prefix+"libs/queue/embedded")),
		allow("programs hold what they use", file("apps/console/a.go", Prefix+"libs/store/sqlite")),
		allow("programs hold what they use", file("apps/relay/a_test.go", Prefix+"libs/store/sqlite")),
		deny("programs hold what they use", file("apps/console/a.go", Prefix+"libs/queue/embedded")),
		deny("programs hold what they use", file("apps/relay/cmd/relay/a.go", Prefix+"libs/store/sqlite")),
		deny("programs hold what they use", file("libs/service/a.go", "github.com/alecthomas/kong")),
		deny("programs hold what they use", file("libs/mailer/a.go", "html/template")),

		allow("environment lives in config", calls("libs/config/a.go", "os", `os.Getenv("X")`)),
		allow("environment lives in config", calls("libs/store/storetest/a.go", "os", `os.Getenv("X")`)),
		allow("environment lives in config", calls("apps/relay/a_test.go", "os", `os.Getenv("X")`)),
		allow("environment lives in config", calls("apps/relay/a.go", "os", `os.Getpid()`)),
		allow("environment lives in config", source{"apps/relay/a.go",
			"package x\ntype env struct{ Getenv int }\nfunc f(os env) int { return os.Getenv }\n"}),
		deny("environment lives in config", calls("apps/relay/a.go", "os", `os.Getenv("X")`)),
		deny("environment lives in config", calls("libs/store/a.go", "os", `os.LookupEnv`)),
		deny("environment lives in config", calls("apps/console/a.go", "os", `os.Environ()`)),
		deny("environment lives in config",
			source{"apps/relay/a.go", "package x\nimport sys \"os\"\nvar _ = sys.Getenv(\"X\")\n"}),

		allow("fixtures are for tests", file("apps/console/a_test.go", Prefix+"apps/console/internal/consoletest")),
		allow("fixtures are for tests", file("apps/console/internal/consoletest/a.go", Prefix+"libs/store/storetest")),
		deny("fixtures are for tests", file("apps/console/a.go", Prefix+"apps/console/internal/consoletest")),
		deny("fixtures are for tests", file("libs/store/a.go", Prefix+"libs/store/storetest")),

		allow("no init", source{"apps/relay/a.go", "package x\ntype t int\nfunc (t) init() {}\n"}),
		deny("no init", source{"apps/relay/a.go", "package x\nfunc init() {}\n"}),
		deny("no init", source{"libs/web/a.go", "package x\nfunc init() {}\n"}),
	}
	rules := map[string]Rule{}
	for _, rule := range Rules() {
		rules[rule.Name] = rule
	}
	// The tests of these rules are in sizes_test.go, because they need more than one file.
	denied := map[string]bool{"one direction": true, "longest chain": true, "package files": true,
		"exported names": true}
	for _, row := range rows {
		rule, ok := rules[row.rule]
		if !ok {
			t.Fatalf("no rule is named %q", row.rule)
		}
		if breaks := rule.Breaks(build(t, row.source)); row.broken != (len(breaks) > 0) {
			t.Errorf("%s: %s: got the breaks %v, want some: %v\n%s", row.rule, row.source.name, breaks, row.broken,
				row.source.text)
		}
		denied[row.rule] = denied[row.rule] || row.broken
	}
	for name := range rules {
		if !denied[name] {
			t.Errorf("no row breaks the rule %q", name)
		}
	}
}
