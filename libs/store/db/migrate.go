package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/tollgate/tollgate/libs/store/migrations"
)

const (
	migrationsTable = "bun_migrations"
	migrationsLock  = 0x746f6c6c // "toll": key of the Postgres advisory lock
	lockInterval    = 100 * time.Millisecond
)

// errApplied ends a migration step that another process applied after this process had listed the missing
// steps. migrate lists them again.
var errApplied = errors.New("migration already applied")

// Migrate applies the missing steps of package migrations. Many processes may call it at once. A process that
// dies leaves neither a lock nor half a step behind: each step is one transaction, unless it builds an index
// concurrently or changes rows in batches, which may be repeated.
//
// On Postgres no statement waits longer than two seconds for a lock on a table, because every later query on
// that table waits behind it. After two seconds the step is rolled back and tried again a second later, 40
// times, which is about two minutes. Then Migrate fails with an error that names the transactions that use
// tables.
//
// After the last step Migrate calls after, even if there was nothing to apply. On Postgres it still holds the
// lock of migrations at that time, so that only one process runs after at once. If the programs have database roles of
// their own, it then grants them the rights that this version needs (see migrations.Roles).
//
// On Postgres Migrate fails at once if the database's user does not own the tables. It uses connections of its own if
// Options has a DirectURL; after then still runs on the DB of the caller.
func (d *DB) Migrate(ctx context.Context, after func(context.Context) error) error {
	return d.MigrateWith(ctx, migrations.Files, defaultPatience, after)
}

// Patience limits how long a migration waits for tables that other transactions use. SQLite ignores it.
type Patience struct {
	Lock  time.Duration // longest wait of each statement for a lock
	Tries int           // attempts at most
	Pause time.Duration // between two tries
}

var defaultPatience = Patience{Lock: 2 * time.Second, Tries: 40, Pause: time.Second}

// MigrateWith does the same as Migrate, with steps in files of the form of migrations.Files, and a patience. Tests use
// it.
func (d *DB) MigrateWith(ctx context.Context, files fs.FS, p Patience, after func(context.Context) error) error {
	if !d.Postgres() {
		if err := d.migrate(ctx, files, p); err != nil {
			return err
		}
		return after(ctx)
	}
	if d.directURL != "" {
		direct, err := Open(ctx, Options{URL: d.directURL, Log: d.log, Now: d.clock})
		if err != nil {
			return err
		}
		return errors.Join(direct.MigrateWith(ctx, files, p, after), direct.Close())
	}
	if err := d.checkOwner(ctx); err != nil {
		return err
	}
	lock, err := d.lockMigrations(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	result := d.migrate(ctx, files, p)
	if result == nil {
		result = after(ctx)
	}
	if result == nil {
		result = d.grantRoles(ctx)
	}
	if err := lock.Commit(); err != nil { // the connection is broken, and Postgres has released the lock
		return errors.Join(result, fmt.Errorf("migrate: release the lock: %w", err))
	}
	return result
}

// lockMigrations takes the lock of migrations, an advisory lock that belongs to a transaction: behind a pooler, a
// transaction is all that keeps a server process. It returns the transaction, whose end releases the lock. While it
// only holds the lock, it has no snapshot, for which the build of an index CONCURRENTLY would wait. For the same reason
// lockMigrations asks again and again: a statement that waited for the lock would have a snapshot, and the process with
// the lock would wait for it when it builds an index.
func (d *DB) lockMigrations(ctx context.Context) (bun.Tx, error) {
	for {
		lock, ok, err := d.tryLockMigrations(ctx)
		if err != nil || ok {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return bun.Tx{}, ctx.Err()
		case <-time.After(lockInterval):
		}
	}
}

// tryLockMigrations begins a transaction and takes the lock if it is free. If not, it ends the transaction. The
// transaction outlives ctx, so that a step that ctx interrupts ends before the lock.
func (d *DB) tryLockMigrations(ctx context.Context) (lock bun.Tx, ok bool, err error) {
	if lock, err = d.write.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return lock, false, err
	}
	err = lock.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock(?)", migrationsLock).Scan(&ok)
	if err == nil && ok {
		// The transaction is idle during all steps. This statement comes last because the query above keeps its portal,
		// and with it a snapshot, until the next statement; this one, which pgx sends in the simple protocol, keeps
		// nothing.
		_, err = lock.ExecContext(ctx, endlessTransaction)
	}
	if err != nil || !ok {
		err = errors.Join(err, lock.Rollback())
	}
	return lock, ok, err
}

// endlessTransaction switches off the time limits that the server, the database or the role sets, for the rest of the
// transaction. Only Postgres 17 and later have transaction_timeout.
const endlessTransaction = `SELECT count(set_config(name, '0', true)) > 0 FROM pg_settings
	WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`

// migrate applies the missing steps. It starts over if another process applied a step meanwhile, and retries a
// step that waited too long for a lock.
func (d *DB) migrate(ctx context.Context, files fs.FS, p Patience) error {
	steps, err := d.steps(files, p)
	if err != nil {
		return err
	}
	migrator := migrate.NewMigrator(d.write, steps, migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true))
	if err := migrator.Init(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := d.checkBaseline(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for tries := 1; ; {
		_, err := migrator.Migrate(ctx)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errApplied): // the other process made progress, so the count of attempts starts again
			tries = 1
		case LockedOut(err) && tries < p.Tries:
			tries++
			if err := d.awaitLocks(ctx, p); err != nil {
				return fmt.Errorf("migrate: %w", err)
			}
		case LockedOut(err):
			return fmt.Errorf("migrate: %w", errors.Join(err, d.lockHolders(ctx)))
		case timedOut(err) && d.Pooler():
			return fmt.Errorf("migrate: %w", errors.Join(err, errTimeLimit))
		default:
			return fmt.Errorf("migrate: %w", err)
		}
	}
}

// checkBaseline refuses a database whose schema is older than the baseline. A database that is exactly at the baseline
// has its number, because the baseline has the number of the last of the steps whose place it takes.
func (d *DB) checkBaseline(ctx context.Context) error {
	var newest, baseline string
	err := d.write.QueryRowContext(ctx, "SELECT coalesce(max(name), ''), coalesce(max(CASE WHEN name = '"+
		migrations.Baseline+"' THEN name END), '') FROM "+migrationsTable).Scan(&newest, &baseline)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if newest != "" && baseline == "" {
		return fmt.Errorf("the schema is at step %s, and this version upgrades schemas from step %s on: first run "+
			"`console migrate` of commit %s, the last one with the steps between them",
			newest, migrations.Baseline, migrations.LastBeforeBaseline)
	}
	return nil
}

// kind returns the name of this kind of database in package migrations.
func (d *DB) kind() string {
	if d.Postgres() {
		return "postgres"
	}
	return "sqlite"
}

// steps returns the migrations for this kind of database. Migrations.Discover would do it too, but it can fill in
// templates, which look methods up by their names, and so make the linker keep every method of the program.
func (d *DB) steps(files fs.FS, p Patience) (*migrate.Migrations, error) {
	paths, err := migrations.Paths(files, d.kind())
	if err != nil {
		return nil, err
	}
	steps := migrate.NewMigrations()
	for _, file := range paths {
		steps.Add(migrate.Migration{Name: stepName(file),
			Up: func(ctx context.Context, _ *migrate.Migrator, step *migrate.Migration) error {
				text, err := fs.ReadFile(files, file)
				if err != nil {
					return err
				}
				return d.applyFile(ctx, p, file, string(text), step)
			}})
	}
	return steps, nil
}

// stepName returns the number at the beginning of a file's name.
func stepName(file string) string {
	number, _, _ := strings.Cut(path.Base(file), "_")
	return number
}

// applyFile applies the text of a step, in a transaction if the name of its file says so.
func (d *DB) applyFile(ctx context.Context, p Patience, file, text string, step *migrate.Migration) error {
	if strings.HasSuffix(file, ".tx.up.sql") {
		return d.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			return d.apply(ctx, tx, p, text, step)
		})
	}
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	if !d.Postgres() {
		return d.applyCopy(ctx, conn, p, text, step)
	}
	if !d.Pooler() { // behind a pooler, the setting would stay with a connection that others use
		if _, err := conn.ExecContext(ctx, "SET statement_timeout = 0"); err != nil {
			return err
		}
		defer conn.ExecContext(context.WithoutCancel(ctx), "RESET statement_timeout") //nolint:errcheck // fails on a broken connection, which ends
	}
	return d.apply(ctx, conn, p, text, step)
}

// applyCopy applies a step of SQLite that replaces a table by a copy, in a transaction. Foreign keys are off meanwhile,
// because to drop the old table would delete the rows that refer to it. They can only be switched outside of a
// transaction. It returns an error, and the step is rolled back, if references are broken that were not before.
func (d *DB) applyCopy(ctx context.Context, conn bun.Conn, p Patience, text string, step *migrate.Migration) error {
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	err := conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		before, err := brokenReferences(ctx, tx)
		if err != nil {
			return err
		}
		if err := d.apply(ctx, tx, p, text, step); err != nil {
			return err
		}
		after, err := brokenReferences(ctx, tx)
		if err == nil && after > before {
			err = fmt.Errorf("%d rows would refer to rows that do not exist", after-before)
		}
		return err
	})
	_, on := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA foreign_keys = ON")
	return errors.Join(err, on)
}

// brokenReferences returns the number of references to rows that do not exist.
func brokenReferences(ctx context.Context, tx bun.Tx) (n int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&n)
	return n, err
}

// apply runs the text of a step. Before, it limits the waits for locks, and nothing else, and refuses a step that is
// applied already. After, it records the step.
func (d *DB) apply(ctx context.Context, on bun.IConn, p Patience, text string, step *migrate.Migration) error {
	if d.Postgres() {
		limits := fmt.Sprintf("SET LOCAL lock_timeout = '%dms'; ", p.Lock.Milliseconds()) + endlessTransaction
		if _, err := on.ExecContext(ctx, limits); err != nil {
			return err
		}
	}
	if err := refuseApplied(ctx, on, step); err != nil {
		return err
	}
	if _, err := on.ExecContext(ctx, text); err != nil {
		return err
	}
	return markApplied(ctx, on, step)
}

// refuseApplied returns errApplied if the step is applied already. It runs inside the step's transaction
// because SQLite has no advisory lock: there, the write lock of the transaction lets one process migrate at a
// time.
func refuseApplied(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
	var count int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+migrationsTable+" WHERE name = '"+step.Name+"'").
		Scan(&count)
	if err != nil {
		return err
	}
	if count > 0 {
		return errApplied
	}
	return nil
}

// markApplied records the step in the step's own transaction, so that a crash cannot leave a step applied but
// not recorded. bun records the step once more after the commit, which changes nothing (see WithUpsert).
func markApplied(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(
		"INSERT INTO %s (name, group_id, migrated_at) VALUES ('%s', %d, CURRENT_TIMESTAMP)", migrationsTable,
		step.Name, step.GroupID))
	return err
}

// Ping returns nil if the database answers and has every migration that this program knows. A schema that is
// newer than the program is fine.
func (d *DB) Ping(ctx context.Context) error {
	steps, err := migrations.Paths(migrations.Files, d.kind())
	if err != nil {
		return err
	}
	var names []string
	if err := d.NewSelect().Table(migrationsTable).Column("name").Scan(ctx, &names); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	isApplied := map[string]bool{}
	for _, name := range names {
		isApplied[name] = true
	}
	for _, step := range steps {
		if name := stepName(step); !isApplied[name] {
			return fmt.Errorf("the schema is older than this program: migration %s is missing", name)
		}
	}
	return nil
}
