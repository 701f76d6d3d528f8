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

// shelf notes how long logs are to be kept.
type shelf struct {
	kept    []time.Duration
	dropped metering.Dropped
	err     error
}

func (s *shelf) EnsurePartitions(context.Context, tenant.Scope) error { return nil }
func (s *shelf) Sweep(context.Context, tenant.Scope) error            { return nil }

func (s *shelf) DropUsageLogs(_ context.Context, _ tenant.Scope, keep time.Duration) (metering.Dropped, error) {
	s.kept = append(s.kept, keep)
	return s.dropped, s.err
}

func TestDropUsageLogs(t *testing.T) {
	t.Parallel()
	failed := errors.New("the table is held")
	for _, row := range []struct {
		name  string
		keep  time.Duration
		shelf shelf
		calls int
		line  string // "" for none
	}{
		{"for ever", 0, shelf{}, 0, ""},
		{"nothing old", time.Hour, shelf{}, 1, ""},
		{"something old", time.Hour, shelf{dropped: metering.Dropped{Partitions: 2, Rows: 3}}, 1, "partitions=2 rows=3"},
		{"half of it", time.Hour, shelf{dropped: metering.Dropped{Partitions: 1}, err: failed}, 1, "partitions=1 rows=0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			lines := &bytes.Buffer{}
			k := New(Options{Store: &row.shelf, Logs: &row.shelf, KeepLogs: row.keep, Log: slog.New(slog.NewTextHandler(lines, nil))})
			if err := k.DropUsageLogs(t.Context()); !errors.Is(err, row.shelf.err) {
				t.Errorf("err = %v", err)
			}
			if len(row.shelf.kept) != row.calls || row.calls > 0 && row.shelf.kept[0] != row.keep {
				t.Errorf("dropped with %v", row.shelf.kept)
			}
			if (row.line == "") != (lines.Len() == 0) || !strings.Contains(lines.String(), row.line) {
				t.Errorf("log %q, want %q", lines, row.line)
			}
		})
	}
}
