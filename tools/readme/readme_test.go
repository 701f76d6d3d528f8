// Package readme holds the README to what the code says.
package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/problem"
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

// rows returns the cells of the tables' rows whose first cell matches.
func rows(text string, first *regexp.Regexp) (found [][]string) {
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " ")
		}
		if strings.HasPrefix(line, "|") && first.MatchString(cells[0]) {
			found = append(found, cells)
		}
	}
	return found
}

func TestEveryVariableIsTold(t *testing.T) {
	told := map[string]string{} // default by variable
	for _, row := range rows(read(t, "README.md"), regexp.MustCompile("^`"+config.Prefix)) {
		told[strings.Trim(row[0], "`")] = row[2]
	}
	variables := reflect.TypeFor[config.Config]()
	known := 0
	for i := range variables.NumField() {
		tag := variables.Field(i).Tag
		if tag.Get("env") == "-" {
			continue
		}
		known++
		name := config.Prefix + tag.Get("env")
		text, ok := told[name]
		if !ok {
			t.Errorf("%s is not in the README", name)
		}
		if standard := tag.Get("envDefault"); ok && standard != "" && !strings.Contains(text, "`"+standard+"`") {
			t.Errorf("%s is %s by default, the README says %s", name, standard, text)
		}
	}
	if len(told) != known {
		t.Errorf("the README tells %d variables, there are %d", len(told), known)
	}
}

// classOnly are the kinds that the relay's table has no row for: those of the
// console, the upstream's own refusals, what a client that left cannot read, and
// the upstream's limits, which share the row of ours.
var classOnly = []problem.Kind{
	problem.UpstreamRejected, problem.UpstreamBusy, problem.ClientClosed, problem.Unauthenticated, problem.Forbidden, problem.NotFound, problem.Conflict,
}

func TestEveryErrorIsTold(t *testing.T) {
	for _, name := range []string{"README.md", "docs/errors.md"} {
		t.Run(name, func(t *testing.T) { checkErrors(t, name) })
	}
}

// checkErrors holds the page's table of the relay's errors to the code's.
func checkErrors(t *testing.T, name string) {
	told := map[string]string{}
	for _, row := range rows(read(t, name), regexp.MustCompile(`.`)) {
		if len(row) == 5 && regexp.MustCompile(`^\d{3}$`).MatchString(row[1]) {
			told[strings.Trim(row[3], "`")] = strings.Join(row[1:], " ")
		}
	}
	for _, kind := range problem.Kinds() {
		class := kind.Class()
		text, ok := told[class.Code]
		if slices.Contains(classOnly, kind) {
			if ok {
				t.Errorf("%s is told, but the relay never answers it", class.Code)
			}
			continue
		}
		retry := map[bool]string{true: "yes", false: "no"}[class.Retry]
		if want := fmt.Sprintf("%d %#q %#q %s", class.Status, class.Type, class.Code, retry); text != want {
			t.Errorf("it says %q, the code %q", text, want)
		}
		delete(told, class.Code)
	}
	if len(told) > 0 {
		t.Errorf("it tells errors that do not exist: %v", told)
	}
}

func TestWhatIsNamedExists(t *testing.T) {
	text := read(t, "README.md")
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, link[1])); err != nil {
			t.Errorf("a link leads nowhere: %s", link[1])
		}
	}
	for _, path := range regexp.MustCompile("`((?:libs|apps|tools|openapi|e2e|deploy)/[a-z./_-]+)`").FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, path[1])); err != nil {
			t.Errorf("a path leads nowhere: %s", path[1])
		}
	}
	makefile := read(t, "Makefile")
	for _, target := range regexp.MustCompile("make ([a-z]+)[ `]").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(makefile, "\n"+target[1]+":") {
			t.Errorf("there is no make %s", target[1])
		}
	}
}

// Every target of the Makefile that is not a file is in its help.
func TestHelpListsEveryTarget(t *testing.T) {
	makefile := read(t, "Makefile")
	phony := strings.Fields(regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindStringSubmatch(makefile)[1])
	for _, target := range phony {
		if !regexp.MustCompile(`(?m)^` + target + `:.*## .`).MatchString(makefile) {
			t.Errorf("make help does not tell of %s", target)
		}
	}
	for _, target := range regexp.MustCompile(`(?m)^([a-z]+):`).FindAllStringSubmatch(makefile, -1) {
		if !slices.Contains(phony, target[1]) {
			t.Errorf("%s is not phony", target[1])
		}
	}
}
