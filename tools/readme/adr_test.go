package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/adr/README.md lists every decision. Each decision has the required sections. Every link and every path
// of the repository that a page names exists.
func TestDecisions_AreListedAndComplete(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "adr", "*.md"))
	if err != nil || len(pages) < 2 {
		t.Fatalf("found no decisions: %v", err)
	}
	index := read(t, "docs/adr/README.md")
	for _, page := range pages {
		name := filepath.Base(page)
		text := read(t, "docs/adr/"+name)
		if name != "README.md" {
			if !strings.Contains(index, "]("+name+")") {
				t.Errorf("docs/adr/README.md does not list %s", name)
			}
			for _, section := range []string{"## Context", "## Decision", "## Consequences",
				"## What would change it"} {
				if !strings.Contains(text, "\n"+section+"\n") {
					t.Errorf("%s has no section %q", name, section)
				}
			}
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#: ]+)\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, "docs", "adr", link[1])); err != nil {
				t.Errorf("%s: the target of a link does not exist: %s", name, link[1])
			}
		}
		for _, path := range regexp.MustCompile("`((?:libs|apps|tools|openapi|e2e|deploy)/[a-z./_-]+)`").
			FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, path[1])); err != nil {
				t.Errorf("%s: the path does not exist: %s", name, path[1])
			}
		}
	}
}
