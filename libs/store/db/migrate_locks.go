package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// lockNotAvailable is the SQLSTATE of Postgres for a lock that was not granted within lock_timeout.
const lockNotAvailable = "55P03"

// queryCanceled is the SQLSTATE of Postgres for a statement that took longer than statement_timeout, or that somebody
// canceled.
const queryCanceled = "57014"

// timedOut reports whether the server canceled a statement.
func timedOut(err error) bool {
	var fault *pgconn.PgError
	return errors.As(err, &fault) && fault.Code == queryCanceled
}

// errTimeLimit explains why the build of an index ends early behind a pooler.
var errTimeLimit = errors.New("a connection pooler keeps this program from switching off statement_timeout while it " +
	"builds an index: set TOLLGATE_DATABASE_DIRECT_URL to a URL of the database without the pooler")

// LockedOut reports whether a statement waited longer for a lock than lock_timeout permits.
func LockedOut(err error) bool {
	var fault *pgconn.PgError
	return errors.As(err, &fault) && fault.Code == lockNotAvailable
}

// awaitLocks logs which transactions use the tables and then pauses, so that the queries that queued up behind
// the migration can run.
func (d *DB) awaitLocks(ctx context.Context, p Patience) error {
	d.log.WarnContext(ctx, "migration waits for a lock on a table", "holders", d.lockHolders(ctx))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(p.Pause):
		return nil
	}
}

// maxHolders is the highest number of transactions that an error names.
const maxHolders = 5

// lockHolders returns an error that names the transactions with locks on tables of this schema, the oldest
// first, and says how to end them. It does not show their statements, which may contain values. It works after
// ctx has ended, for up to five seconds.
func (d *DB) lockHolders(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	var holders []struct {
		PID     int     `bun:"pid"`
		Program string  `bun:"program"`
		Login   string  `bun:"login"`
		State   string  `bun:"state"`
		Seconds float64 `bun:"seconds"`
		Tables  string  `bun:"tables"`
	}
	err := d.NewRaw(`
		SELECT a.pid, coalesce(a.application_name, '') AS program, coalesce(a.usename, '') AS login,
				coalesce(a.state, '') AS state,
			coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::float8 AS seconds,
			string_agg(DISTINCT c.relname || ' (' || l.mode || ')', ', ') AS tables
		FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid() AND c.relkind IN ('r', 'p')
			AND c.relnamespace = current_schema()::regnamespace
		GROUP BY 1, 2, 3, 4, 5 ORDER BY 5 DESC LIMIT ?`, maxHolders).Scan(ctx, &holders)
	if err != nil {
		return fmt.Errorf("read which transactions hold locks: %w", err)
	}
	if len(holders) == 0 {
		return errors.New("no transaction holds a lock on the tables any more: run the migration again")
	}
	var text strings.Builder
	text.WriteString("these transactions hold locks on tables:")
	for _, h := range holders {
		fmt.Fprintf(&text, "\n  process %d (%s, user %s, %s for %.0f s): %s", h.PID, h.Program, h.Login, h.State,
			h.Seconds, h.Tables)
	}
	text.WriteString("\nend them, for example with SELECT pg_cancel_backend(PROCESS) or " +
		"pg_terminate_backend(PROCESS), and run the migration again")
	return errors.New(text.String())
}
