package readme

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages returns the paths of all pages but the changelog, which names things of the past.
func pages(t *testing.T) (found []string) {
	t.Helper()
	for _, folder := range []string{"", "docs", "docs/adr", ".github"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(files) == 0 {
			t.Fatalf("found no pages in %q: %v", folder, err)
		}
		for _, file := range files {
			if name := filepath.Base(file); name != "CHANGELOG.md" {
				found = append(found, path.Join(folder, name))
			}
		}
	}
	return found
}

// testNames returns the names of all test functions of the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, folder := range []string{"libs", "apps", "tools", "e2e", "openapi", "deploy"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.Name() == "node_modules":
				return filepath.SkipDir
			case !strings.HasSuffix(name, "_test.go"):
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

// anchor returns the fragment that links to a heading use.
func anchor(heading string) string {
	text := strings.ToLower(strings.TrimLeft(heading, "# "))
	text = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(text, "")
	return strings.ReplaceAll(text, " ", "-")
}

var (
	linked  = regexp.MustCompile(`\]\(([^)#: ]*)(?:#([^)]+))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ .*$`)
	located = regexp.MustCompile("`((?:libs|apps|tools|openapi|e2e|deploy)/[^` ]+|docs/[^` ]+\\.md)`")
	tested  = regexp.MustCompile("`(Test[A-Z]\\w*_\\w+)`")
	target  = regexp.MustCompile("`make ([a-z0-9-]+)")
	// placeholder matches names that stand for others, tags, names of a package, and files that a reader makes.
	placeholder = regexp.MustCompile(
		`NNNN|NAME|Name\.|acme|\*|\.{3}|\{|OS_ARCH|TestSubject_|/v0\.1\.0|\.[A-Z]\w*$|\.env$|\.pgo$`)
)

// The target of every link exists, and so does every path, test and make target that a page names.
func TestPages_NameOnlyThingsThatExist(t *testing.T) {
	tests, makefile := testNames(t), read(t, "Makefile")
	for _, page := range pages(t) {
		text := read(t, page)
		for _, link := range linked.FindAllStringSubmatch(text, -1) {
			file := path.Join(path.Dir(page), cmp.Or(link[1], path.Base(page)))
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s: the target of a link does not exist: %s", page, link[1])
				continue
			}
			is := func(h string) bool { return anchor(h) == link[2] }
			if link[2] != "" && !slices.ContainsFunc(heading.FindAllString(read(t, file), -1), is) {
				t.Errorf("%s: %s has no heading #%s", page, file, link[2])
			}
		}
		for _, name := range located.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, name[1])); err != nil && !placeholder.MatchString(name[1]) {
				t.Errorf("%s: the path does not exist: %s", page, name[1])
			}
		}
		for _, name := range tested.FindAllStringSubmatch(text, -1) {
			if !tests[name[1]] && !placeholder.MatchString(name[1]) {
				t.Errorf("%s: there is no test %s", page, name[1])
			}
		}
		for _, name := range target.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+name[1]+":") {
				t.Errorf("%s: the Makefile has no target %s", page, name[1])
			}
		}
	}
}

// The index of a folder lists every page in it.
func TestIndexes_AreComplete(t *testing.T) {
	for _, folder := range []string{"docs", "docs/adr"} {
		index := read(t, folder+"/README.md")
		for _, page := range pages(t) {
			if path.Dir(page) == folder && path.Base(page) != "README.md" &&
				!strings.Contains(index, "]("+path.Base(page)+")") {
				t.Errorf("%s/README.md does not list %s", folder, page)
			}
		}
	}
}
