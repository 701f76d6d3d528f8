// Package release holds the tests of how releases are made: all parts have the
// version that the file VERSION names, and the workflows of .github do their work
// with targets of the Makefile, so that each step can be run on any machine.
package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/service"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// semantic matches a version of Semantic Versioning without build metadata, which
// tags of images cannot hold.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9a-z]+(\.[0-9a-z]+)*)?$`)

// version returns the content of the file VERSION.
func version(t *testing.T) string {
	t.Helper()
	text := read(t, "VERSION")
	number, ended := strings.CutSuffix(text, "\n")
	if !ended || !semantic.MatchString(number) {
		t.Fatalf("VERSION is %q, want one line with a version such as 0.1.0 or 0.2.0-rc.1", text)
	}
	return number
}

func TestVersion_IsTheSameInAllParts(t *testing.T) {
	want := version(t)
	for _, row := range []struct{ part, file, pattern string }{
		{"version of the Helm chart", "deploy/helm/tollgate/Chart.yaml", `(?m)^version: (\S+)$`},
		{"tag of the images that the Helm chart starts", "deploy/helm/tollgate/Chart.yaml",
			`(?m)^appVersion: "(\S+)"$`},
		{"Go client of the relay", "openapi/clients/go/relay/relay.go", `(?m)^const Version = "(\S+)"$`},
		{"Go client of the console", "openapi/clients/go/console/console.go", `(?m)^const Version = "(\S+)"$`},
		{"TypeScript client", "openapi/clients/typescript/package.json", `(?m)^  "version": "(\S+)",$`},
		{"lock file of the TypeScript client", "openapi/clients/typescript/package-lock.json",
			`(?m)^  "version": "(\S+)",$`},
		{"package in the lock file of the TypeScript client", "openapi/clients/typescript/package-lock.json",
			`(?m)^      "name": "@tollgate/client",\n      "version": "(\S+)",$`},
		{"file of the TypeScript client in its guide", "docs/clients.md", `tollgate-client-(\S+)\.tgz`},
	} {
		found := regexp.MustCompile(row.pattern).FindAllStringSubmatch(read(t, row.file), -1)
		if len(found) == 0 {
			t.Errorf("%s: %s has no match of %s", row.part, row.file, row.pattern)
		}
		for _, match := range found {
			if match[1] != want {
				t.Errorf("%s: %s has version %s, VERSION has %s", row.part, row.file, match[1], want)
			}
		}
	}
	if got := service.Version(); got != want+"-dev" && !strings.HasPrefix(got, want+"-dev.") {
		t.Errorf("the programs have version %s, want %s-dev: set release in libs/service/program.go", got, want)
	}
}

func TestChangelog_HasASectionForTheVersion(t *testing.T) {
	headings := regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - \d{4}-\d\d-\d\d)?$`).
		FindAllStringSubmatch(read(t, "CHANGELOG.md"), -1)
	for _, heading := range headings {
		if heading[1] == version(t) || heading[1] == "Unreleased" {
			return
		}
	}
	t.Errorf("CHANGELOG.md has sections %v, want Unreleased or %s", headings, version(t))
}
