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

// errApplied ends a migration that another process applied meanwhile.
var errApplied = errors.New("migration already applied")

// Migrate brings the schema up to date. Many processes may call it at once,
// and one that dies half-way leaves neither a lock nor half a step behind. On
// Postgres no statement waits longer than two seconds for a table that others
// use, for everybody else waits behind it: the step is undone and tried again,
// for about two minutes. Then the error names who holds the table. After the
// last step Migrate calls after, which no other process does at the same time.
func (d *DB) Migrate(ctx context.Context, after func(context.Context) error) error {
	return d.MigrateWith(ctx, usualPatience, after)
}

// Patience limits how long a migration waits for tables that others use.
type Patience struct {
	Lock  time.Duration // of each statement
	Tries int           // of each step
	Pause time.Duration // between two tries
}

var usualPatience = Patience{Lock: 2 * time.Second, Tries: 40, Pause: time.Second}

// MigrateWith is Migrate with other patience.
func (d *DB) MigrateWith(ctx context.Context, p Patience, after func(context.Context) error) error {
	if !d.Postgres() {
		if err := d.migrate(ctx, p); err != nil {
			return err
		}
		return after(ctx)
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
	// A connection whose unlock fails is broken, and its lock ends with it.
	_, err = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(?)", migrationsLock)
	return errors.Join(done, err)
}

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
		case errors.Is(err, errApplied):
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

// beforeStep runs inside the step's transaction.
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

// steps are the migrations of this kind of database.
func (d *DB) steps() (*migrate.Migrations, error) {
	folder := "sqlite"
	if d.Postgres() {
		folder = "postgres"
	}
	files, err := fs.Sub(migrations.Files, folder)
	if err != nil {
		return nil, err
	}
	steps := migrate.NewMigrations()
	return steps, steps.Discover(files)
}

// refuseApplied runs inside the step's transaction: on SQLite, which has no
// advisory lock, that is where processes take turns.
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

// markApplied notes the step in its own transaction, so that no crash can
// part the two. bun notes it once more afterwards, which changes nothing.
func markApplied(ctx context.Context, tx bun.IConn, step *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(
		"INSERT INTO %s (name, group_id, migrated_at) VALUES ('%s', %d, CURRENT_TIMESTAMP)", migrationsTable, step.Name, step.GroupID))
	return err
}

// Ping reports whether the database answers and its schema is the one this
// program was built for, or a later one.
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
