package readme

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// placeholder matches paths of files that a contributor will create.
var placeholder = regexp.MustCompile(`NNNN|NAME|Name\.|acme|\*|\.{3}|\{|OS_ARCH`)

// testNames returns the names of all test functions of the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, folder := range []string{"libs", "apps", "tools", "e2e", "openapi"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(name)
			for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
				names[match[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// A page may name a test as a proof. A test that was renamed would leave a promise without one.
func TestDocs_NameExistingTests(t *testing.T) {
	tests, named := testNames(t), 0
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, match := range regexp.MustCompile("`(Test[A-Z]\\w*_\\w+)`").FindAllStringSubmatch(string(text), -1) {
			named++
			if !tests[match[1]] {
				t.Errorf("%s: there is no test %s", name, match[1])
			}
		}
		return err
	})
	if err != nil || named < 20 {
		t.Errorf("the pages name %d tests, err = %v; want at least 20", named, err)
	}
}

// Each row of the threat model names what proves its protection: a test or a make target.
func TestSecurityPage_NamesAProofForEachThreat(t *testing.T) {
	_, model, _ := strings.Cut(read(t, "docs/security.md"), "## Threat model")
	model, _, _ = strings.Cut(model, "\n## ")
	threats := rows(model, regexp.MustCompile(`^[a-z]`))
	for _, row := range threats {
		if proof := row[len(row)-1]; row[0] != "who" && !regexp.MustCompile("`(Test\\w+|make \\w+)`").
			MatchString(proof) {
			t.Errorf("%s: got the proof %q, want a test or a make target", row[0], proof)
		}
	}
	if len(threats) < 8 {
		t.Errorf("the threat model has %d rows, want at least 8", len(threats))
	}
}

func TestFrontPages_NameExistingFilesTestsAndTargets(t *testing.T) {
	tests, makefile := testNames(t), read(t, "Makefile")
	for _, page := range []string{"CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md",
		".github/pull_request_template.md"} {
		text := read(t, page)
		for _, link := range regexp.MustCompile(`\]\(([^)#: ]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, link[1])); err != nil {
				t.Errorf("%s: the target of a link does not exist: %s", page, link[1])
			}
		}
		for _, path := range regexp.MustCompile("`((?:libs|apps|tools|openapi|e2e|deploy|docs)/[^` ]+)`").
			FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, path[1])); err != nil && !placeholder.MatchString(path[1]) {
				t.Errorf("%s: the path does not exist: %s", page, path[1])
			}
		}
		for _, name := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1) {
			if !tests[name[1]] && !strings.HasPrefix(name[1], "TestSubject_") {
				t.Errorf("%s: there is no test %s", page, name[1])
			}
		}
		for _, target := range regexp.MustCompile("`make ([a-z0-9-]+)").FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+target[1]+":") {
				t.Errorf("%s: the Makefile has no target %s", page, target[1])
			}
		}
	}
}
