// Package metering stores usage: one usage log for each request. It records the events of relays, searches
// and sums usage logs, lists them for bills, and drops old ones.
//
// # Recording
//
// RecordEvents takes a batch of events from a relay's spool. One transaction does all of this, for the events
// that are not in the table yet:
//
//	usage_logs     insert a row for each event
//	accounts       used + quota, leased - quota, for tenant, user, token and each window that limited the call
//	leases         amount - quota, spent + quota, of this relay
//	usage_outbox   insert a row for each hour and key; package rollup adds it to the rollups
//
// An event counts once, however often it is sent, because its id is the primary key of usage_logs, and
// everything else is done for exactly the inserted rows. So a relay may repeat a batch after any error, and
// several relays may send the same events at the same time.
//
// Events are inserted in the order of their ids, and accounts are locked last, also in the order of their ids (see
// package quota). Therefore concurrent batches wait for each other and do not deadlock.
//
// On Postgres the batch is first tried in one COPY and one round trip for the rest. If a row exists already,
// the batch goes through a staging table. If a lease does not cover its events, because it was reclaimed, the
// transaction is rolled back and recordExactly takes the events one by one. SQLite always uses recordExactly.
//
// # Reading
//
// UsageLogs never counts and never scans the whole table: see logSearch for how it bounds the work of a page.
// UsageSummary and Spent read rollups. All reads of tenants run under row-level security.
//
// # Partitions
//
// On Postgres usage_logs is partitioned by month, by the time in the id. MakePartitions creates the
// partitions of the coming months; rows of a month without one go to a default partition. DropUsageLogs drops
// whole months.
//
// # Callers
//
// The exported functions that take a db.DB, and the names of columns and tables, are for other packages of the store.
//
// # Adding a column to the usage logs
//
// usage.Columns describes each column once. The relay's spool, both ways of inserting, reading, and exported
// files are derived from it. A new column takes five files:
//
//  1. a migration in migrations/both that adds it with a constant default;
//  2. core/usage: the field of Log in log.go, and its line in columns.go;
//  3. the stage of the relay that sets it, for most fields pipeline/exchange.go;
//  4. console/internal/api/tenant/usage_log.go: the field of the console API;
//  5. console/web, pages/usage-logs/LogDetail.tsx: the page that shows it.
//
// `make generate` then brings the OpenAPI document and the clients up to date. A field of a type that no other column
// has also needs its cases in log_rows.go and copy_postgres.go.
package metering

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Store reads and writes usage logs. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// readAs runs a function as db.DB.ReadAs does, with a Store under the row-level security of the scope.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}
