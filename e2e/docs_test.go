package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/pages"
	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// unrun are the reasons for which a command of a document may be left out.
var unrun = map[string]string{
	"suite":    "it is the tests, or a part of them: TestTheSuiteHasWhatDocumentsLeaveToIt",
	"docker":   "it needs a Docker engine: e2e/shipped runs it",
	"builder":  "it needs a builder for several architectures: make bake-test runs it",
	"cluster":  "it needs a Kubernetes cluster: make cluster-test runs it",
	pages.PyPI: "it installs from PyPI: it is run where that answers",
}

// documents returns the README and all of docs, by their paths in the repository.
func documents(t *testing.T) []pages.Page {
	t.Helper()
	root, err := stack.Root()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no documents: %v", err)
	}
	var all []pages.Page
	for _, path := range append(found, filepath.Join(root, "README.md")) {
		page, err := pages.Read(root, path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page)
	}
	return all
}

// TestDocs runs every command that the documents show, and compares what it
// prints where they say so.
func TestDocs(t *testing.T) {
	all := documents(t)
	tellLeftOut(t, all)
	kit := stage.build(t)
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

// tellLeftOut says what is run and what is not, and why.
func tellLeftOut(t *testing.T, all []pages.Page) {
	t.Helper()
	run, left := 0, map[string]int{}
	for _, page := range all {
		for _, b := range page.Blocks {
			if b.Kind != pages.Unrun {
				run++
				continue
			}
			left[b.Reason]++
			if unrun[b.Reason] == "" {
				t.Errorf("%s:%d is not run for a reason that nobody knows: %s", page.Name, b.Line, b.Reason)
			}
		}
	}
	t.Logf("%d blocks are run, of %d pages", run, len(all))
	for reason, text := range unrun {
		t.Logf("%d are not run (%s): %s", left[reason], reason, text)
		if left[reason] == 0 {
			t.Errorf("nothing is left out because %s", text)
		}
	}
}

func runPage(t *testing.T, kit *stack.Kit, page *pages.Page) {
	if slices.Contains(page.Setup, "npm") {
		needNode(t)
		npmCache(t)
	}
	venv := ""
	if slices.ContainsFunc(page.Blocks, func(b pages.Block) bool { return b.Reason == pages.PyPI }) {
		venv = pipVenv(t)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := pages.Run(ctx, kit, page, venv); err != nil {
		story.Missing(t, err)
		t.Error(err)
	}
}

// npmCache fills npm's cache with what the pages install: they have no network.
func npmCache(t *testing.T) {
	t.Helper()
	client, err := filepath.Abs(typescriptClient)
	if err != nil {
		t.Fatal(err)
	}
	quietly := []string{"--ignore-scripts", "--no-audit", "--no-fund"}
	run(t, t.TempDir(), nil, "npm", append(quietly, "install", "--install-links", "openai", "typescript@5", "@types/node@20", client)...)
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

// pipVenv returns a virtual environment of Python with the wheels that the pages
// install, or "" where PyPI does not answer.
func pipVenv(t *testing.T) string {
	t.Helper()
	venv := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, argv := range [][]string{
		{"python3", "-m", "venv", venv},
		{filepath.Join(venv, "bin", "pip"), "download", "--retries=0", "--timeout=5", "--dest=" + filepath.Join(venv, pages.Wheels), "openai"},
	} {
		if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Logf("LEFT OUT: what pip installs: %s: %v\n%s", argv[0], err, out)
			return ""
		}
	}
	return venv
}
