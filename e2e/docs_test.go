package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/pages"
	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// unrun maps the reasons for which a command of a document may not run here to explanations.
var unrun = map[string]string{
	"suite":     "the command runs the tests themselves: TestCI_RunsTheCommandsThatDocumentsLeaveToIt",
	"warehouse": "the statement is for ClickHouse, DuckDB or BigQuery",
	"docker":    "the command needs a Docker engine: e2e/shipped runs it",
	"builder":   "the command needs a builder for several architectures: make bake-test runs it",
	"cluster":   "the command needs a Kubernetes cluster: make cluster-test runs it",
	"storage":   "the command needs a storage class that can expand volumes",
	"pages": "the command needs the packages of the console's pages: make pages runs npm run check, which fails " +
		"where npm run extract has something to do",
	pages.PyPI: "the command installs from PyPI: it runs if PyPI responds",
}

// documents returns the README and the pages of docs, with their paths in the repository. It leaves out translations
// (NAME.LANGUAGE.md): their blocks are those of the English page, as TestTranslations of tools/readme checks.
func documents(t *testing.T) []pages.Page {
	t.Helper()
	root, err := stack.Root()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no documents found: %v", err)
	}
	var all []pages.Page
	for _, path := range append(found, filepath.Join(root, "README.md")) {
		if strings.Count(filepath.Base(path), ".") > 1 {
			continue
		}
		page, err := pages.Read(root, path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page)
	}
	return all
}

// TestDocs runs every command that the documents show, and compares its output with the output that they show.
func TestDocs(t *testing.T) {
	all := documents(t)
	checkUnrun(t, all)
	kit := suite.build(t)
	for _, page := range all {
		if !page.Runs() {
			continue
		}
		t.Run(page.Name, func(t *testing.T) {
			t.Parallel()
			runPage(t, kit, &page)
		})
	}
}

// checkUnrun logs how many blocks run and how many don't, and fails for unknown and for unused reasons.
func checkUnrun(t *testing.T, all []pages.Page) {
	t.Helper()
	run, skipped := 0, map[string]int{}
	for _, page := range all {
		for _, b := range page.Blocks {
			if b.Kind != pages.Unrun {
				run++
				continue
			}
			skipped[b.Reason]++
			if unrun[b.Reason] == "" {
				t.Errorf("%s:%d the reason %q is unknown", page.Name, b.Line, b.Reason)
			}
		}
	}
	t.Logf("%d blocks of %d pages run", run, len(all))
	for reason, text := range unrun {
		t.Logf("%d blocks don't run (%s): %s", skipped[reason], reason, text)
		if skipped[reason] == 0 {
			t.Errorf("no block has the reason for which %s", text)
		}
	}
}

// runPage runs the blocks of one page. It skips the test if a program is missing.
func runPage(t *testing.T, kit *stack.Kit, page *pages.Page) {
	if slices.Contains(page.Setup, "npm") {
		needNode(t)
		npmCache(t)
	}
	venv := ""
	if slices.ContainsFunc(page.Blocks, func(b pages.Block) bool { return b.Reason == pages.PyPI }) {
		dir := t.TempDir()
		t.Run("PyPI", func(t *testing.T) { venv = pipVenv(t, dir) })
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := pages.Run(ctx, kit, page, venv); err != nil {
		story.Missing(t, err)
		t.Error(err)
	}
}

// npmCache fills npm's cache with the packages that the pages install, because they run without network.
func npmCache(t *testing.T) {
	t.Helper()
	client, err := filepath.Abs(typescriptClient)
	if err != nil {
		t.Fatal(err)
	}
	quietly := []string{"--ignore-scripts", "--no-audit", "--no-fund"}
	run(t, t.TempDir(), nil, "npm", append(quietly, "install", "--install-links", "openai", "typescript@5",
		"@types/node@20", client)...)
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(client, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, nil, "npm", append(quietly, "ci")...)
}

// pipVenv returns a Python virtual environment in the folder dir, with the wheels that the pages install. If PyPI does
// not respond, the blocks that install from it do not run, and the test is skipped; with TEST_REQUIRE=all it fails,
// unless TEST_WITHOUT=pypi states that this machine cannot reach PyPI.
func pipVenv(t *testing.T, dir string) string {
	t.Helper()
	if os.Getenv("TEST_WITHOUT") == "pypi" {
		t.Skip("TEST_WITHOUT=pypi: the blocks that install with pip")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, argv := range [][]string{
		{"python3", "-m", "venv", dir},
		{filepath.Join(dir, "bin", "pip"), "download", "--retries=0", "--timeout=5",
			"--dest=" + filepath.Join(dir, pages.Wheels), "openai"},
	} {
		if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Logf("%s: %v\n%s", argv[0], err, out)
			story.Missing(t, fmt.Errorf("PyPI, for the blocks that install with pip: %w", stack.ErrMissing))
		}
	}
	return dir
}
