package db

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// sqliteReaders is the number of connections that read if Options has none.
const sqliteReaders = 4

// openSQLite needs the driver that package sqlite registers. It creates a pool of one connection that writes, and a
// pool of a few that read. With one writing connection, writers queue up in the program, in order, instead of polling
// for the lock of the file. Commits are synchronous (FULL): they survive a power failure.
func openSQLite(o Options, path string) (*database, error) {
	path = strings.TrimPrefix(path, "//")
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("a SQLite URL must name a file: sqlite:PATH")
	}
	file := "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) +
		"?_pragma=busy_timeout(15000)&_pragma=journal_mode(WAL)" +
		"&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)&_timezone=UTC"
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
