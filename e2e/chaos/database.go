package chaos

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// queryTimeout limits one query of the run itself, including its connection.
const queryTimeout = 20 * time.Second

// query runs a statement on the database, without a Link, and calls read for every row.
func (r *run) query(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, r.stage.DatabaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // a failure to close affects no other connection
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return rows.Err()
}

// number returns the integer that a statement yields, or -1 if the database does not answer.
func (r *run) number(ctx context.Context, sql string, args ...any) int64 {
	n := int64(-1)
	if err := r.query(ctx, sql, args, func(rows pgx.Rows) error { return rows.Scan(&n) }); err != nil {
		r.o.Progress(err.Error())
		return -1
	}
	return n
}

// unrecorded returns how many of the ids have no usage log.
func (r *run) unrecorded(ctx context.Context, ids []string) int64 {
	n := r.number(ctx, `SELECT count(*) FROM usage_logs WHERE id = ANY($1::uuid[])`, ids)
	return int64(len(ids)) - n
}

// leasedTo returns the quota leased to a relay in nano-dollars, or -1 if it cannot be read.
func (r *run) leasedTo(ctx context.Context, relay *Relay) int64 {
	id, err := relay.ID()
	if err != nil {
		r.o.Progress(err.Error())
		return -1
	}
	return r.number(ctx, `SELECT coalesce(sum(amount), 0)::bigint FROM leases WHERE relay_id = $1::uuid`, id)
}

// spoolBytes returns the sum of the sizes of all relays' spools, from their metrics.
func (r *run) spoolBytes(ctx context.Context) (sum int64, err error) {
	for _, relay := range r.stage.Relays {
		n, err := metric(ctx, relay.Ops, "tollgate_spool_bytes")
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// metric returns the value of a metric without labels from a program's /metrics.
func metric(ctx context.Context, ops, name string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, ops+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return int64(number), err
		}
	}
	return 0, fmt.Errorf("%s has no metric %s", ops, name)
}
