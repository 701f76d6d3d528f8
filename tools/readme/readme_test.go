// Package readme checks that the README and the pages in docs/ agree with the code: environment variables,
// errors, make targets, links, and the worked examples of prices and token counts.
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

// read returns the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rows returns the cells of all table rows whose first cell matches.
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

func TestConfigurationPage_HasEveryEnvironmentVariable(t *testing.T) {
	documented := map[string]string{} // the default by variable
	for _, row := range rows(read(t, "docs/configuration.md"), regexp.MustCompile("^`"+config.Prefix)) {
		documented[strings.Trim(row[0], "`")] = row[2]
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
		text, ok := documented[name]
		if !ok {
			t.Errorf("%s is not in docs/configuration.md", name)
		}
		if standard := tag.Get("envDefault"); ok && standard != "" && !strings.Contains(text, "`"+standard+"`") {
			t.Errorf("%s: docs/configuration.md has the default %s, want %s", name, text, standard)
		}
	}
	if len(documented) != known {
		t.Errorf("docs/configuration.md has %d variables, want %d", len(documented), known)
	}
}

// classOnly are the kinds of errors that have no row of their own in the table of the relay's errors: those
// of the console, the upstream's own refusals, the error of a client that has left and cannot read it, and
// the upstream's rate limit, which shares the row of the relay's own.
var classOnly = []problem.Kind{
	problem.UpstreamRejected, problem.UpstreamBusy, problem.ClientClosed, problem.Unauthenticated, problem.Forbidden,
	problem.NotFound, problem.Conflict,
	problem.ConfirmationRequired,
}

func TestErrorsPage_TableAgreesWithTheCode(t *testing.T) {
	documented := map[string]string{}
	for _, row := range rows(read(t, "docs/errors.md"), regexp.MustCompile(`.`)) {
		if len(row) == 5 && regexp.MustCompile(`^\d{3}$`).MatchString(row[1]) {
			documented[strings.Trim(row[3], "`")] = strings.Join(row[1:], " ")
		}
	}
	for _, kind := range problem.Kinds() {
		class := kind.Class()
		text, ok := documented[class.Code]
		if slices.Contains(classOnly, kind) {
			if ok {
				t.Errorf("the table has %s, which the relay never returns", class.Code)
			}
			continue
		}
		retry := map[bool]string{true: "yes", false: "no"}[class.Retry]
		if want := fmt.Sprintf("%d %#q %#q %s", class.Status, class.Type, class.Code, retry); text != want {
			t.Errorf("%s: got the row %q, want %q", class.Code, text, want)
		}
		delete(documented, class.Code)
	}
	if len(documented) > 0 {
		t.Errorf("the table has errors that do not exist: %v", documented)
	}
}
