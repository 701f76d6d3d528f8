package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDependencies_AreDocumented compares docs/dependencies.md with the direct requirements of the programs and pages.
func TestDependencies_AreDocumented(t *testing.T) {
	t.Parallel()
	var used []string
	for _, module := range []string{"apps", "libs"} {
		used = append(used, requirements(t, "../../"+module+"/go.mod")...)
	}
	var pages struct{ Dependencies map[string]string }
	if err := json.Unmarshal(read(t, "../../apps/console/web/package.json"), &pages); err != nil {
		t.Fatal(err)
	}
	for name := range pages.Dependencies {
		used = append(used, name)
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").
		FindAllSubmatch(read(t, "../../docs/dependencies.md"), -1) {
		documented = append(documented, string(row[1]))
	}
	slices.Sort(used)
	slices.Sort(documented)
	if used = slices.Compact(used); !slices.Equal(used, documented) {
		t.Errorf("docs/dependencies.md lists\n%s\nbut these are used:\n%s", strings.Join(documented, "\n"),
			strings.Join(used, "\n"))
	}
}

// requirements returns the direct requirements of a go.mod file outside this repository.
func requirements(t *testing.T, path string) (names []string) {
	t.Helper()
	inside := false
	lines := bufio.NewScanner(strings.NewReader(string(read(t, path))))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "require (":
			inside = true
		case line == ")":
			inside = false
		case inside && line != "" && !strings.HasSuffix(line, "// indirect"):
			name, _, _ := strings.Cut(line, " ")
			if !strings.HasPrefix(name, "github.com/tollgate/") {
				names = append(names, name)
			}
		}
	}
	return names
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
