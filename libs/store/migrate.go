package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

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
// and one that dies half-way leaves neither a lock nor half a step behind.
func (s *Store) Migrate(ctx context.Context) error {
	if !s.postgres() {
		return s.migrate(ctx)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(?)", migrationsLock); err != nil {
		return err
	}
	done := s.migrate(ctx)
	if done == nil {
		done = s.ensurePartitions(ctx)
	}
	// A connection whose unlock fails is broken, and its lock ends with it.
	_, err = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(?)", migrationsLock)
	return errors.Join(done, err)
}

func (s *Store) migrate(ctx context.Context) error {
	steps, err := s.steps()
	if err != nil {
		return err
	}
	migrator := migrate.NewMigrator(s.write, steps,
		migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true),
		migrate.BeforeMigration(refuseApplied), migrate.AfterMigration(markApplied))
	if err := migrator.Init(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for {
		_, err := migrator.Migrate(ctx)
		if errors.Is(err, errApplied) {
			continue
		}
		if err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		return nil
	}
}

// steps are the migrations of this kind of database.
func (d *database) steps() (*migrate.Migrations, error) {
	folder := "sqlite"
	if d.postgres() {
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
func (s *Store) Ping(ctx context.Context) error {
	steps, err := s.steps()
	if err != nil {
		return err
	}
	var names []string
	if err := s.db.NewSelect().Table(migrationsTable).Column("name").Scan(ctx, &names); err != nil {
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
