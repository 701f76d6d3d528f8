package console_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/store/rollup"
)

// breakTable renames the table, so that every statement on it fails.
func (s *stack) breakTable(name string) { s.exec("ALTER TABLE " + name + " RENAME TO broken") }

// exec runs a statement on the database.
func (s *stack) exec(statement string) {
	s.Helper()
	database, err := sql.Open("sqlite", strings.TrimPrefix(s.database, "sqlite:"))
	s.must(err)
	_, err = database.ExecContext(s.Context(), statement)
	s.must(err)
	s.must(database.Close())
}

// multiplyModels replaces the model of each total by n models with the same sums.
func (s *stack) multiplyModels(n int) {
	s.Helper()
	for _, table := range []string{"usage_totals_hourly", "usage_totals_daily"} {
		names := slices.DeleteFunc(slices.Clone(rollup.Columns),
			func(name string) bool { return name == "user_id" || name == "token_id" })
		values := strings.Replace(strings.Join(names, ", r."), "r.model", "'model-' || n.i", 1)
		s.exec(fmt.Sprintf("INSERT INTO %s (%s) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "+
			"WHERE i < %d) SELECT r.%s FROM %s AS r, n", table, strings.Join(names, ", "), n, values, table))
		s.exec("DELETE FROM " + table + " WHERE model NOT LIKE 'model-%'")
	}
}

// The log line of a database error has the operation, the request id and the cause. The client must not see them.
func TestDatabaseFault_IsLoggedWithOperationRequestAndCause(t *testing.T) {
	t.Parallel()
	w := setup(t).watch()
	me := w.as(w.acme.member)
	w.breakTable("tokens")
	answer := me.get("/api/tokens")
	answer.refused(t, http.StatusInternalServerError, "")
	if strings.Contains(answer.raw, "no such table") || strings.Contains(answer.raw, "SQL") {
		t.Errorf("the response shows the cause: %s", answer.raw)
	}
	lines := w.lines.Lines(t, "request failed")
	if len(lines) != 1 {
		t.Fatalf("%d lines, want 1: %v", len(lines), lines)
	}
	line := lines[0]
	if line["operation"] != "listTokens" || line["request_id"] != answer.Header.Get("X-Request-Id") {
		t.Errorf("operation %v of request %v, want listTokens of %s", line["operation"], line["request_id"],
			answer.Header.Get("X-Request-Id"))
	}
	if cause, _ := line["error"].(string); !strings.Contains(cause, "no such table: tokens") {
		t.Errorf("error = %q, want it to contain \"no such table: tokens\"", cause)
	}
}
