package storetest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Dump returns every row of every table of a database of either kind, as text, without the columns of the
// given names. Tests compare two dumps to find what a call changed.
func Dump(t testing.TB, url string, exclusions ...string) Contents {
	t.Helper()
	read := dumpPostgres
	if strings.HasPrefix(url, "sqlite:") {
		read = dumpSQLite
	}
	rows := Contents{}
	if err := read(context.Background(), url, exclusions, rows); err != nil {
		t.Fatalf("dump the database: %v", err)
	}
	for _, lines := range rows {
		slices.Sort(lines)
	}
	return rows
}

// Contents are the rows of a database by table, as sorted text.
type Contents map[string][]string

// Changed returns, in order, the names of the tables whose rows differ between c and a later dump. A table
// that is missing in the later dump is left out.
func (c Contents) Changed(after Contents) (tables []string) {
	for table := range after {
		if !slices.Equal(c[table], after[table]) {
			tables = append(tables, table)
		}
	}
	slices.Sort(tables)
	return tables
}

// Naming returns the rows that contain one of the texts, such as ids, and not the text except. The result has every
// table of c.
func (c Contents) Naming(texts []string, except string) Contents {
	naming := Contents{}
	for table, rows := range c {
		naming[table] = nil
		for _, row := range rows {
			if !strings.Contains(row, except) &&
				slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(row, text) }) {
				naming[table] = append(naming[table], row)
			}
		}
	}
	return naming
}

// dumpPostgres reads all tables in one statement, so that the dump is of one moment. Rows of partitions
// belong to the partitioned table.
func dumpPostgres(ctx context.Context, url string, exclusions []string, into Contents) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	var query string
	err = conn.QueryRow(ctx, `
		SELECT string_agg(format('SELECT %L, (to_jsonb(r) - coalesce($1::text[], ARRAY[]::text[]))::text FROM %I AS r', relname, relname), ' UNION ALL ')
		FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`).Scan(&query)
	if err == nil {
		var rows pgx.Rows
		if rows, err = conn.Query(ctx, query, exclusions); err == nil {
			var table, row string
			_, err = pgx.ForEachRow(rows, []any{&table, &row}, func() error {
				into[table] = append(into[table], row)
				return nil
			})
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

// dumpSQLite reads one table after the other: no one else writes to the file of a test.
func dumpSQLite(ctx context.Context, url string, exclusions []string, into Contents) error {
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, "sqlite:")+
		"?_pragma=busy_timeout(15000)&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	tables, err := rowsOf(ctx, db, "SELECT name FROM sqlite_master WHERE type = 'table'", nil)
	for _, table := range tables {
		name := fmt.Sprint(table["name"])
		rows, fault := rowsOf(ctx, db, `SELECT * FROM "`+name+`"`, exclusions)
		err = errors.Join(err, fault)
		for _, row := range rows {
			text, fault := json.Marshal(row) // its keys are in order
			err = errors.Join(err, fault)
			into[name] = append(into[name], string(text))
		}
	}
	return errors.Join(err, db.Close())
}

// rowsOf runs a query and returns its rows as maps from column to value.
func rowsOf(ctx context.Context, db *sql.DB, query string, exclusions []string) (list []map[string]any, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err returns the error
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, column := range columns {
			if !slices.Contains(exclusions, column) {
				row[column] = values[i]
			}
		}
		list = append(list, row)
	}
	return list, rows.Err()
}
