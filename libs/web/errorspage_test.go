package web

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The table of docs/errors.md has each status below 500 with which the console answers, with the code of the document.
func TestErrorsPage_HasTheErrorsOfTheConsole(t *testing.T) {
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## The console\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for status, kind := range kinds {
		class := kind.Class()
		if status >= http.StatusInternalServerError {
			continue
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| %d \\|[^|]*`%s`", class.Status, class.Name))
		if !row.MatchString(table) {
			t.Errorf("docs/errors.md has no row for %d %s", class.Status, class.Name)
		}
	}
}
