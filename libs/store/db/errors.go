package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// ErrRefused is in the chain of errors by which the database refused the data
// itself: repeating the same call is of no use. A batch of events that is
// refused holds at least one bad row; the halves of it may be tried apart.
var ErrRefused = errors.New("the database refused the data")

// Transient reports whether a call that failed with err may succeed when it is
// repeated as it is: the database was unreachable, busy, full or not yet
// migrated. It is false for problems and for refused data, and for nil.
func Transient(err error) bool {
	var p *problem.Problem
	return err != nil && !errors.As(err, &p) && !errors.Is(err, ErrRefused)
}

// Refusal adds ErrRefused to errors that the data itself caused.
func Refusal(err error) error {
	if err == nil || !refused(err) {
		return err
	}
	return errors.Join(ErrRefused, err)
}

func refused(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		switch pg.Code[:min(2, len(pg.Code))] {
		case "22", "23", "54": // data exception, integrity violation, program limit
			return true
		}
		return false
	}
	if lite := (*sqlite.Error)(nil); errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE:
			return true
		}
	}
	return false
}

// busy reports whether another process has a SQLite file to itself.
func busy(err error) bool {
	lite := (*sqlite.Error)(nil)
	return errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_BUSY
}

const uniqueViolation = "23505"

// Duplicate reports whether the database refused a row because its key exists.
func Duplicate(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return pg.Code == uniqueViolation
	}
	if lite := (*sqlite.Error)(nil); errors.As(err, &lite) {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}

// Insert stores a new row of a table on which param is the one field that
// must be unique.
func (d *DB) Insert(ctx context.Context, row any, param string) error {
	_, err := d.NewInsert().Model(row).Exec(ctx)
	return taken(err, param)
}

// Update runs q on the row its model names, where param is the one field that
// must be unique.
func (d *DB) Update(ctx context.Context, q *bun.UpdateQuery, param string) error {
	_, err := q.WherePK().Exec(ctx)
	return taken(err, param)
}

func taken(err error, param string) error {
	if Duplicate(err) {
		return problem.New(problem.Conflict, "this %s is taken", strings.ReplaceAll(param, "_", " ")).At(param)
	}
	return err
}

// Missing turns the absence of a row into a NotFound problem.
func Missing(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return problem.New(problem.NotFound, "no such %s", what)
	}
	return err
}

// Unknown turns a NotFound of something that a field refers to into an
// InvalidType problem of the field.
func Unknown(err error, param string) error {
	if problem.Is(err, problem.NotFound) {
		return problem.New(problem.InvalidType, "%s", problem.From(err).Text()).At(param)
	}
	return err
}

// Wrap adds the operation to an error of the database. Problems stay as they are:
// their text is for the caller. It does nothing where *err is nil.
func Wrap(err *error, operation string) {
	var p *problem.Problem
	if *err != nil && !errors.As(*err, &p) {
		*err = fmt.Errorf("%s: %w", operation, *err)
	}
}
