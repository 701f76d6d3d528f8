package main

import (
	"context"
	"fmt"
	"time"
)

// comparison holds the costs of a comparison of rollups with logs.
type comparison struct {
	took   time.Duration // of the slowest of the runs
	server time.Duration // CPU time of Postgres in that run
}

// reconcileRuns is the number of runs in which all tenants are compared.
const reconcileRuns = 2

// reconcile runs the comparison of the worker on each base. Each run compares two hours in the middle of the period, as
// it does with older hours every time, and the accounts of the next tenants.
func reconcile(ctx context.Context, bases []*base, server int) (list []comparison, err error) {
	for _, b := range bases {
		var worst comparison
		for range reconcileRuns {
			result, err := b.reconcile(ctx, server)
			if err != nil {
				return nil, fmt.Errorf("%d logs: %w", b.rows, err)
			}
			if result.took > worst.took {
				worst = result
			}
		}
		list = append(list, worst)
	}
	return list, nil
}

func (b *base) reconcile(ctx context.Context, server int) (result comparison, err error) {
	_, err = b.conn.Exec(ctx, `INSERT INTO reconcile_hours (start, mark, open, checked_at)
		SELECT date_trunc('hour', at), gen_random_uuid(), false, now() - interval '2 days'
			FROM unnest($1::timestamptz[]) AS at
		ON CONFLICT (start) DO UPDATE SET open = false, checked_at = excluded.checked_at`,
		[]time.Time{b.at(0.3), b.at(0.6)})
	if err != nil {
		return result, err
	}
	began := time.Now()
	cost, err := meter(server, 1, func() error {
		_, err := b.store.Reconcile.Run(ctx, platform)
		return err
	})
	result.took, result.server = time.Since(began), time.Duration(cost.server*1e3)
	return result, err
}

// size is the disk space of a part of the database.
type size struct {
	name  string
	bytes int64
	rows  int64
}

// sizes returns the disk space of the usage logs, of each of their indexes, and of the rollups, without compression by
// the file system.
func (b *base) sizes(ctx context.Context) (list []size, err error) {
	rows, err := b.conn.Query(ctx, `
		SELECT 'usage logs: table', sum(pg_table_size(i.inhrelid))::bigint, sum(c.reltuples)::bigint
		FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'usage_logs'::regclass
		UNION ALL
		SELECT 'index ' || p.relname, sum(pg_relation_size(i.inhrelid))::bigint, sum(c.reltuples)::bigint
		FROM pg_index x JOIN pg_class p ON p.oid = x.indexrelid JOIN pg_inherits i ON i.inhparent = p.oid
			JOIN pg_class c ON c.oid = i.inhrelid
		WHERE x.indrelid = 'usage_logs'::regclass GROUP BY p.relname
		UNION ALL
		SELECT relname || part, bytes, reltuples::bigint FROM pg_class,
			LATERAL (VALUES (': table', pg_table_size(oid)), (': indexes', pg_indexes_size(oid))) AS parts (part, bytes)
		WHERE oid IN ('usage_rollups_hourly'::regclass, 'usage_rollups_daily'::regclass,
			'usage_totals_hourly'::regclass, 'usage_totals_daily'::regclass)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s size
		if err := rows.Scan(&s.name, &s.bytes, &s.rows); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// trace holds what recording and rolling up leave behind, so far.
type trace struct {
	wal     int64 // bytes of the write-ahead log
	rollups int64 // hourly rollups of the last hours
	outbox  int64 // bytes of the outboxes after a vacuum
}

// trace reads the trace.
func (b *base) trace(ctx context.Context, t *trace) error {
	for _, outbox := range []string{"usage_outbox", "usage_speed_outbox"} {
		if _, err := b.conn.Exec(ctx, "VACUUM "+outbox); err != nil {
			return err
		}
	}
	return b.conn.QueryRow(ctx, `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint,
		(SELECT count(*) FROM usage_rollups_hourly WHERE start >= now() - interval '3 hours'),
		pg_total_relation_size('usage_outbox') + pg_total_relation_size('usage_speed_outbox')`).
		Scan(&t.wal, &t.rollups, &t.outbox)
}
