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

func TestFrontPages_NameExistingFilesTestsAndTargets(t *testing.T) {
	tests, makefile := testNames(t), read(t, "Makefile")
	for _, page := range []string{"CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", ".github/pull_request_template.md"} {
		text := read(t, page)
		for _, link := range regexp.MustCompile(`\]\(([^)#: ]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, link[1])); err != nil {
				t.Errorf("%s: the target of a link does not exist: %s", page, link[1])
			}
		}
		for _, path := range regexp.MustCompile("`((?:libs|apps|tools|openapi|e2e|deploy|docs)/[^` ]+)`").FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, path[1])); err != nil && !placeholder.MatchString(path[1]) {
				t.Errorf("%s: the path does not exist: %s", page, path[1])
			}
		}
		for _, name := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1) {
			if !tests[name[1]] && !strings.HasPrefix(name[1], "TestSubject_") {
				t.Errorf("%s: there is no test %s", page, name[1])
			}
		}
		for _, target := range regexp.MustCompile("`make ([a-z-]+)").FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+target[1]+":") {
				t.Errorf("%s: the Makefile has no target %s", page, target[1])
			}
		}
	}
}
