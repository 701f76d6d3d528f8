// Package metering keeps what was used: RecordEvents writes usage logs, moves
// accounts and fills the outbox in one transaction; DrainOutbox moves the outbox
// into hourly and daily rollups. Usage logs are searched, summed, billed and, when
// they are old enough, dropped here.
//
// The exported functions that take a db.DB, and the names of columns and tables,
// are for other packages of the store.
//
// # Adding a column to the usage logs
//
// usage.Columns describes each column once. The relay's spool, both ways of
// inserting, reading, and exported files are derived from it. A new column takes
// five files:
//
//  1. a migration in migrations/both that adds it with a constant default;
//  2. core/usage/log.go: the field of Log with its bun tag, and its line in Columns;
//  3. the stage of the relay that sets it, for most fields pipeline/exchange.go;
//  4. console/internal/api/tenant/usage_log.go: the field of the console API;
//  5. console/web, pages/usage-logs/LogDetail.tsx: the page that shows it.
//
// `make generate` then brings the OpenAPI document and the clients up to date. A
// duration is the exception: the database stores microseconds, so logRow has it too.
package metering

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes usage.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}
