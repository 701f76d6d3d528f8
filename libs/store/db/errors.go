package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// ErrRefused means that the database refused the data itself, for example because it breaks a constraint: the
// same call fails again. A batch of events that is refused has at least one bad row; the caller may retry its
// halves separately.
var ErrRefused = errors.New("the database refused the data")

// Transient reports whether a call that failed with err may succeed if it is repeated unchanged: the database
// was unreachable, busy, full or not yet migrated. It is false for nil, for problems and for ErrRefused.
func Transient(err error) bool {
	var p *problem.Problem
	return err != nil && !errors.As(err, &p) && !errors.Is(err, ErrRefused)
}

// Refusal adds ErrRefused to the chain of an error that the data caused, and returns other errors unchanged.
func Refusal(err error) error {
	if err == nil || !refused(err) {
		return err
	}
	return errors.Join(ErrRefused, err)
}

// liteError is an error of SQLite. The interface stands for *sqlite.Error of the driver, so that programs without
// SQLite do not contain it.
type liteError interface {
	error
	Code() int // result code of SQLite; the lowest 8 bits are the primary code
}

// Result codes of SQLite, see https://sqlite.org/rescode.html.
const (
	liteBusy       = 5
	liteTooBig     = 18
	liteConstraint = 19
	liteMismatch   = 20
	liteRange      = 25
	litePrimaryKey = liteConstraint | 6<<8
	liteUnique     = liteConstraint | 8<<8
)

// refused reports whether the data caused the error, by the error codes of the two databases. A row that waited while a
// partition for it was attached violates the constraint of the partition to which it was routed before. That constraint
// has no name, and the same call then succeeds.
func refused(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		if pg.Code == checkViolation && pg.ConstraintName == "" {
			return false
		}
		switch pg.Code[:min(2, len(pg.Code))] {
		case "22", "23", "54": // data exception, integrity violation, program limit
			return true
		}
		return false
	}
	if lite := liteError(nil); errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case liteConstraint, liteTooBig, liteMismatch, liteRange:
			return true
		}
	}
	return false
}

// busy reports whether SQLite refused because another connection has the file locked.
func busy(err error) bool {
	lite := liteError(nil)
	return errors.As(err, &lite) && lite.Code()&0xff == liteBusy
}

// SQLSTATEs of Postgres for a duplicate key, and for a row that violates a check or the constraint of a partition.
const (
	uniqueViolation = "23505"
	checkViolation  = "23514"
)

// Duplicate reports whether the database refused a row because a row with the same unique key exists.
func Duplicate(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return pg.Code == uniqueViolation
	}
	if lite := liteError(nil); errors.As(err, &lite) {
		return lite.Code() == liteUnique || lite.Code() == litePrimaryKey
	}
	return false
}

// Unsupported reports whether Postgres refused a statement that it does not support for the table and the connection's
// user, such as COPY into a table with row-level security (SQLSTATE 0A000).
func Unsupported(err error) bool {
	pg := (*pgconn.PgError)(nil)
	return errors.As(err, &pg) && pg.Code == "0A000"
}

// Insert stores a new row. If a row with the same unique key exists, it returns a Conflict problem of the field
// param. Use it for tables where param is the only unique field besides the id.
func (d *DB) Insert(ctx context.Context, row any, param string) error {
	_, err := d.NewInsert().Model(row).Exec(ctx)
	return taken(err, param)
}

// Update runs q on the row with the primary key of its model. If the new values break a unique key it returns a
// Conflict problem of the field param, as Insert does. It is no error if there is no such row.
func (d *DB) Update(ctx context.Context, q *bun.UpdateQuery, param string) error {
	_, err := q.WherePK().Exec(ctx)
	return taken(err, param)
}

// taken turns a duplicate key into a Conflict problem of the field.
func taken(err error, param string) error {
	if Duplicate(err) {
		return problem.New(problem.Conflict, "this %s is taken", strings.ReplaceAll(param, "_", " ")).At(param)
	}
	return err
}

// Missing turns sql.ErrNoRows into the NotFound problem "no such ...", where noun names the kind of object. It
// returns other errors, and nil, unchanged.
func Missing(err error, noun string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return problem.New(problem.NotFound, "no such %s", noun)
	}
	return err
}

// Unknown turns the NotFound problem of an object that a field refers to into an InvalidType problem of that
// field: the request itself is wrong. It returns other errors, and nil, unchanged.
func Unknown(err error, param string) error {
	if problem.Is(err, problem.NotFound) {
		return problem.New(problem.InvalidType, "%s", problem.From(err).Text()).At(param)
	}
	return err
}

// Wrap adds the operation to an error of the database, so that logs name it. It leaves problems unchanged,
// whose text clients read, and does nothing if *err is nil. Every method of a Store that takes a context begins
// with
//
//	defer db.Wrap(&err, "create token")
//
// A test checks that.
func Wrap(err *error, operation string) {
	var p *problem.Problem
	if *err != nil && !errors.As(*err, &p) {
		*err = fmt.Errorf("%s: %w", operation, *err)
	}
}
