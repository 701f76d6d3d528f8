package db

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver
)

const sqliteReaders = 4

// openSQLite makes one connection that writes, so that writers queue in the
// program and not at the file's lock, and a few that read beside it.
func openSQLite(o Options, path string) (*database, error) {
	path = strings.TrimPrefix(path, "//")
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("a SQLite URL names a file: sqlite:PATH")
	}
	file := "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) +
		"?_pragma=busy_timeout(15000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)&_timezone=UTC"
	writer, err := sql.Open("sqlite", file+"&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	reader, err := sql.Open("sqlite", file+"&_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	readers := sqliteReaders
	if o.MaxConns > 0 {
		readers = o.MaxConns
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	return &database{
		read:  bun.NewDB(reader, sqlitedialect.New()),
		write: bun.NewDB(writer, sqlitedialect.New()),
	}, nil
}
