package retention

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// fakeLogs is a Logs and Store that records the arguments of DropUsageLogs and returns fixed results.
type fakeLogs struct {
	keeps   []time.Duration
	dropped metering.Dropped
	cleared int
	err     error
}

func (s *fakeLogs) EnsurePartitions(context.Context, tenant.Scope) error { return nil }
func (s *fakeLogs) Sweep(context.Context, tenant.Scope) error            { return nil }

func (s *fakeLogs) DropUsageLogs(_ context.Context, _ tenant.Scope, keep time.Duration) (metering.Dropped, error) {
	s.keeps = append(s.keeps, keep)
	return s.dropped, s.err
}

func TestDropUsageLogs_LogsTheNumberOfDroppedRows(t *testing.T) {
	t.Parallel()
	failed := errors.New("the table is locked")
	for _, row := range []struct {
		name  string
		keep  time.Duration
		logs  fakeLogs
		calls int
		line  string // part of the log line; "" for no line
	}{
		{"logs are kept forever", 0, fakeLogs{}, 0, ""},
		{"no log is old enough", time.Hour, fakeLogs{}, 1, ""},
		{"some logs are old enough", time.Hour, fakeLogs{dropped: metering.Dropped{Partitions: 2, Rows: 3}}, 1,
			"partitions=2 rows=3"},
		{"the deletion fails after the first partition", time.Hour,
			fakeLogs{dropped: metering.Dropped{Partitions: 1}, err: failed}, 1, "partitions=1 rows=0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			lines := &bytes.Buffer{}
			k := New(Options{Store: &row.logs, Logs: &row.logs, KeepLogs: row.keep,
				Log: slog.New(slog.NewTextHandler(lines, nil))})
			if err := k.DropUsageLogs(t.Context()); !errors.Is(err, row.logs.err) {
				t.Errorf("got error %v, want %v", err, row.logs.err)
			}
			if len(row.logs.keeps) != row.calls || row.calls > 0 && row.logs.keeps[0] != row.keep {
				t.Errorf("got calls with %v, want %d with %v", row.logs.keeps, row.calls, row.keep)
			}
			if (row.line == "") != (lines.Len() == 0) || !strings.Contains(lines.String(), row.line) {
				t.Errorf("got log %q, want %q", lines, row.line)
			}
		})
	}
}

// Prune makes fakeLogs an Audit: it deletes five entries, or fails.
func (s *fakeLogs) Prune(_ context.Context, _ tenant.Scope, keep time.Duration) (int64, error) {
	s.keeps = append(s.keeps, keep)
	return 5, s.err
}

func TestPruneAuditLog_KeepsEntriesForTheRetention(t *testing.T) {
	t.Parallel()
	for _, keep := range []time.Duration{0, 400 * 24 * time.Hour} {
		lines, log := &bytes.Buffer{}, &fakeLogs{err: errors.New("the database is down")}
		k := New(Options{Audit: log, KeepAudit: keep, Log: slog.New(slog.NewTextHandler(lines, nil))})
		err := k.PruneAuditLog(t.Context())
		if keep == 0 && (err != nil || len(log.keeps) > 0) {
			t.Errorf("got %v and calls with %v, want none without a retention", err, log.keeps)
		}
		if keep > 0 && (!errors.Is(err, log.err) || len(log.keeps) != 1 || log.keeps[0] != keep ||
			!strings.Contains(lines.String(), "entries=5")) {
			t.Errorf("got %v, calls with %v, log %q", err, log.keeps, lines)
		}
	}
}

// Clear makes fakeLogs a Clients.
func (s *fakeLogs) Clear(context.Context, tenant.Scope) error {
	s.cleared++
	return s.err
}

func TestSweep_DeletesTheClientsOfTokensIfNoneAreStored(t *testing.T) {
	t.Parallel()
	for forget, want := range map[bool]int{false: 0, true: 1} {
		logs := &fakeLogs{}
		k := New(Options{Store: logs, Clients: logs, ForgetClients: forget})
		if err := k.Sweep(t.Context()); err != nil || logs.cleared != want {
			t.Errorf("forget %v: got %d deletions and the error %v, want %d", forget, logs.cleared, err, want)
		}
	}
}
