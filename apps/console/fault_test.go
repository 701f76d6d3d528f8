package console_test

import (
	"database/sql"
	"net/http"
	"strings"
	"testing"
)

// breakTable renames the table, so that every statement on it fails.
func (s *stack) breakTable(name string) {
	s.Helper()
	database, err := sql.Open("sqlite", strings.TrimPrefix(s.database, "sqlite:"))
	s.must(err)
	_, err = database.ExecContext(s.Context(), "ALTER TABLE "+name+" RENAME TO broken")
	s.must(err)
	s.must(database.Close())
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
		t.Errorf("operation %v of request %v, want listTokens of %s", line["operation"], line["request_id"], answer.Header.Get("X-Request-Id"))
	}
	if cause, _ := line["error"].(string); !strings.Contains(cause, "no such table: tokens") {
		t.Errorf("error = %q, want it to contain \"no such table: tokens\"", cause)
	}
}
