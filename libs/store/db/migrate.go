package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/tollgate/tollgate/libs/store/migrations"
)

const (
	migrationsTable = "bun_migrations"
	migrationsLock  = 0x746f6c6c // "toll": key of the Postgres advisory lock
)

// errApplied ends a migration step that another process applied after this process had listed the missing
// steps. migrate lists them again.
var errApplied = errors.New("migration already applied")

// Migrate applies the missing steps of package migrations. Many processes may call it at once. A process that
// dies leaves neither a lock nor half a step behind: each step is one transaction, unless it builds an index
// concurrently.
//
// On Postgres no statement waits longer than two seconds for a lock on a table, because every later query on
// that table waits behind it. After two seconds the step is rolled back and tried again a second later, 40
// times, which is about two minutes. Then Migrate fails with an error that names the transactions that use
// tables.
//
// After the last step Migrate calls after, even if there was nothing to apply. On Postgres it still holds the
// advisory lock at that time, so that only one process runs after at once. If the programs have database roles of their
// own, it then grants them the rights that this version needs (see migrations.Roles).
//
// On Postgres Migrate fails at once if the database's user does not own the tables.
func (d *DB) Migrate(ctx context.Context, after func(context.Context) error) error {
	return d.MigrateWith(ctx, defaultPatience, after)
}

// Patience limits how long a migration waits for tables that other transactions use. SQLite ignores it.
type Patience struct {
	Lock  time.Duration // longest wait of each statement for a lock
	Tries int           // attempts at most
	Pause time.Duration // between two tries
}

var defaultPatience = Patience{Lock: 2 * time.Second, Tries: 40, Pause: time.Second}

// MigrateWith does the same as Migrate, with a different patience. Tests use it.
func (d *DB) MigrateWith(ctx context.Context, p Patience, after func(context.Context) error) error {
	if !d.Postgres() {
		if err := d.migrate(ctx, p); err != nil {
			return err
		}
		return after(ctx)
	}
	if err := d.checkOwner(ctx); err != nil {
		return err
	}
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(?)", migrationsLock); err != nil {
		return err
	}
	done := d.migrate(ctx, p)
	if done == nil {
		done = after(ctx)
	}
	if done == nil {
		done = d.grantRoles(ctx)
	}
	// If the unlock fails, the connection is broken, and Postgres releases its locks.
	_, err = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(?)", migrationsLock)
	return errors.Join(done, err)
}

// migrate applies the missing steps. It starts over if another process applied a step meanwhile, and retries a
// step that waited too long for a lock.
func (d *DB) migrate(ctx context.Context, p Patience) error {
	steps, err := d.steps()
	if err != nil {
		return err
	}
	migrator := migrate.NewMigrator(d.write, steps,
		migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true),
		migrate.BeforeMigration(d.beforeStep(p)), migrate.AfterMigration(markApplied))
	if err := migrator.Init(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for tries := 1; ; {
		_, err := migrator.Migrate(ctx)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errApplied): // the other process made progress, so the count of attempts starts again
			tries = 1
		case lockedOut(err) && tries < p.Tries:
			tries++
			if err := d.awaitLocks(ctx, p); err != nil {
				return fmt.Errorf("migrate: %w", err)
			}
		case lockedOut(err):
			return fmt.Errorf("migrate: %w", errors.Join(err, d.lockHolders(ctx)))
		default:
			return fmt.Errorf("migrate: %w", err)
		}
	}
}

// beforeStep returns the hook that runs first in the transaction of each step. It limits the waits for locks
// and refuses a step that is applied already.
func (d *DB) beforeStep(p Patience) migrate.MigrationHook {
	return func(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
		if d.Postgres() {
			if _, err := tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL lock_timeout = '%dms'", p.Lock.Milliseconds())); err != nil {
				return err
			}
		}
		return refuseApplied(ctx, tx, step)
	}
}

// steps returns the migrations for this kind of database.
func (d *DB) steps() (*migrate.Migrations, error) {
	database := "sqlite"
	if d.Postgres() {
		database = "postgres"
	}
	steps := migrate.NewMigrations()
	for _, folder := range migrations.Folders(database) {
		files, err := fs.Sub(migrations.Files, folder)
		if err != nil {
			return nil, err
		}
		if err := steps.Discover(files); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// refuseApplied returns errApplied if the step is applied already. It runs inside the step's transaction
// because SQLite has no advisory lock: there, the write lock of the transaction lets one process migrate at a
// time.
func refuseApplied(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
	var applied int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+migrationsTable+" WHERE name = '"+step.Name+"'").Scan(&applied)
	if err != nil {
		return err
	}
	if applied > 0 {
		return errApplied
	}
	return nil
}

// markApplied records the step in the step's own transaction, so that a crash cannot leave a step applied but
// not recorded. bun records the step once more after the commit, which changes nothing (see WithUpsert).
func markApplied(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(
		"INSERT INTO %s (name, group_id, migrated_at) VALUES ('%s', %d, CURRENT_TIMESTAMP)", migrationsTable, step.Name, step.GroupID))
	return err
}

// Ping returns nil if the database answers and has every migration that this program knows. A schema that is
// newer than the program is fine.
func (d *DB) Ping(ctx context.Context) error {
	steps, err := d.steps()
	if err != nil {
		return err
	}
	var names []string
	if err := d.NewSelect().Table(migrationsTable).Column("name").Scan(ctx, &names); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	applied := map[string]bool{}
	for _, name := range names {
		applied[name] = true
	}
	for _, step := range steps.Sorted() {
		if !applied[step.Name] {
			return fmt.Errorf("the schema is older than this program: migration %s is missing", step.Name)
		}
	}
	return nil
}
