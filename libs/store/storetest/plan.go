package storetest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// Statements is a hook that records the statements of a store.
type Statements struct{ Seen []string }

// BeforeQuery does nothing.
func (s *Statements) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

// AfterQuery records the statement.
func (s *Statements) AfterQuery(_ context.Context, event *bun.QueryEvent) {
	s.Seen = append(s.Seen, event.Query)
}

// plan is a node of the output of EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON).
type plan struct {
	Kind    string  `json:"Node Type"`
	Table   string  `json:"Relation Name"`
	Index   string  `json:"Index Name"`
	Sought  string  `json:"Index Cond"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Hit     int     `json:"Shared Hit Blocks"`
	Read    int     `json:"Shared Read Blocks"`
	Parts   []plan  `json:"Plans"`
}

// Work is the work of statements in the database.
type Work struct {
	Rows, Blocks int // rows that scans examined, and pages that were touched
	Tables       []string
	Scans        []string // tables that a sequential scan read, except the outbox
	Sorts        int      // sorts of rows that no index had in order
}

// add adds the work of a plan and its parts.
func (w *Work) add(p *plan) {
	if p.Table != "" {
		w.Tables = append(w.Tables, p.Table)
		w.Rows += int((p.Rows + p.Removed) * p.Loops)
		if p.Kind == "Seq Scan" && !strings.Contains(p.Table, "outbox") {
			w.Scans = append(w.Scans, p.Table)
		}
	}
	if strings.HasSuffix(p.Kind, "Sort") {
		w.Sorts++
	}
	for i := range p.Parts {
		w.add(&p.Parts[i])
	}
}

// Explain runs the statements again, in one transaction of its own, and returns their work.
func Explain(t *testing.T, conn *pgx.Conn, run []string) (work Work) {
	t.Helper()
	tx := Need(conn.Begin(background))(t)
	defer tx.Rollback(background) //nolint:errcheck // the transaction changed nothing
	for _, statement := range run {
		if statement == "BEGIN" || statement == "COMMIT" || statement == "ROLLBACK" {
			continue
		}
		if !strings.HasPrefix(statement, "SELECT") {
			_, err := tx.Exec(background, statement)
			OK(t, err)
			continue
		}
		var raw []byte
		OK(t, tx.QueryRow(background, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+statement).Scan(&raw))
		var plans []struct{ Plan plan }
		OK(t, json.Unmarshal(raw, &plans))
		work.add(&plans[0].Plan)
		work.Blocks += plans[0].Plan.Hit + plans[0].Plan.Read
	}
	return work
}

// FullScans returns the tables and indexes that the plan of a statement reads from their beginning to their end.
func FullScans(t *testing.T, conn *pgx.Conn, statement string) []string {
	t.Helper()
	var raw []byte
	OK(t, conn.QueryRow(background, "EXPLAIN (FORMAT JSON) "+statement).Scan(&raw))
	var plans []struct{ Plan plan }
	OK(t, json.Unmarshal(raw, &plans))
	return plans[0].Plan.fullScans()
}

func (p *plan) fullScans() (names []string) {
	switch {
	case p.Kind == "Seq Scan":
		names = append(names, p.Table)
	case p.Index != "" && p.Sought == "":
		names = append(names, p.Index)
	}
	for i := range p.Parts {
		names = append(names, p.Parts[i].fullScans()...)
	}
	return names
}
