// Package rollup sums usage by hour and day. A rollup is the sum of all usage logs of one key (tenant, user,
// token, model, channel) in one hour or day. Lists, charts and bills read rollups, because reading usage logs
// costs time that grows with traffic.
//
// # How usage gets here
//
//	RecordEvents (package metering)   one transaction: usage logs, accounts, and one
//	    |                             row in usage_outbox for each hour and key
//	    v
//	usage_outbox
//	    |  DrainOutbox                one transaction: deletes up to 10,000 outbox rows and adds them to
//	    v
//	usage_rollups_hourly, _daily      sums by key
//	usage_totals_hourly, _daily       sums by tenant, model and channel; the platform's under uuid.Nil
//	tokens.last_used                  the last hour in which each token was used
//	reconcile_hours                   the hours are opened, so that package reconcile checks them
//
// Costs of suppliers, speeds of models, and usage by end user and tag have outboxes and sums of their own: see
// DrainCosts, DrainSpeeds and DrainAttribution.
//
// The outbox exists so that recording an event never waits for the lock of a rollup that all relays share. An
// outbox row is deleted in the transaction that adds it to the rollups. Therefore each row counts exactly
// once, however often DrainOutbox is called, fails or is repeated. Until it is drained, its usage is missing
// from the rollups; it is never lost.
//
// # Locks
//
// Several processes may drain at once: on Postgres each takes outbox rows that no other process has locked
// (SKIP LOCKED). Each then locks rollups, tokens, totals and hours in that order, and rows within one table
// in the order of their keys, so no two drains can deadlock. The totals come late because they are few rows
// that every drain needs.
//
// # Callers
//
// A worker calls DrainOutbox until it returns less than the limit. The rows, and the names of columns and
// tables, are exported for other packages of the store alone.
package rollup

import (
	"context"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Store drains the outbox into the rollups. It is safe for concurrent use unless it was made from a
// transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}
