package reconcile

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/reconcile"
)

// fakeStore is a Comparer that returns fixed results.
type fakeStore struct {
	done  reconcile.Result
	found reconcile.State
	err   error
}

func (b *fakeStore) Run(context.Context, tenant.Scope) (reconcile.Result, error) {
	return b.done, b.err
}

func (b *fakeStore) State(context.Context, tenant.Scope, int) (reconcile.State, error) {
	return b.found, b.err
}

func setup(t *testing.T, b *fakeStore) (*Reconciler, *prometheus.Registry, *bytes.Buffer) {
	t.Helper()
	registry, lines := prometheus.NewRegistry(), &bytes.Buffer{}
	r, err := New(Options{
		Comparer: b, Scope: tenant.SystemScope("worker"), Log: slog.New(slog.NewTextHandler(lines, nil)),
		Registry: registry,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, registry, lines
}

func TestRun_LogsEachNewDriftOnOneLine(t *testing.T) {
	t.Parallel()
	hour := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	owner, account := uuid.New(), uuid.New()
	b := &fakeStore{done: reconcile.Result{New: []reconcile.Drift{
		{Check: reconcile.CheckLogs, Start: hour, TenantID: owner, Measure: reconcile.InQuota, Expected: 12,
			Found: 5, Difference: 7},
		{Check: reconcile.CheckUsed, TenantID: owner, AccountID: account, Measure: reconcile.InQuota, Expected: 1,
			Found: 2, Difference: 1},
	}}}
	r, _, lines := setup(t, b)
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(lines.String()), "\n")
	want := []string{
		"check=logs_hourly tenant_id=" + owner.String() +
			" start=2026-03-01T12:00:00.000Z measure=quota expected=12 found=5 difference=7",
		"check=account_used tenant_id=" + owner.String() + " account_id=" + account.String() +
			" measure=quota expected=1 found=2 difference=1",
	}
	for i := range want {
		if len(got) != len(want) || !strings.Contains(got[i], "level=ERROR") || !strings.HasSuffix(got[i], want[i]) {
			t.Errorf("line %d: got log\n%s\nwant an error that ends with\n%s", i, got, want[i])
		}
	}
}

func TestRun_LimitsTheLogLines(t *testing.T) {
	t.Parallel()
	r, _, lines := setup(t, &fakeStore{done: reconcile.Result{New: make([]reconcile.Drift, maxLines+23)}})
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(lines.String(), "\n"); n != maxLines+1 || !strings.Contains(lines.String(), "count=23") {
		t.Errorf("got %d log lines, want %d, the last with count=23:\n%s", n, maxLines+1, lines)
	}
}

func TestRun_CountsAFailureAndLogsTheDriftsFound(t *testing.T) {
	t.Parallel()
	b := &fakeStore{done: reconcile.Result{New: make([]reconcile.Drift, 1)},
		err: errors.New("the database is unavailable")}
	r, registry, lines := setup(t, b)
	if err := r.Run(t.Context()); !errors.Is(err, b.err) {
		t.Errorf("got error %v, want %v", err, b.err)
	}
	if got := testutil.ToFloat64(r.failures); got != 1 || !strings.Contains(lines.String(), "found a drift") {
		t.Errorf("got %v failures and log %q, want 1 failure and a drift", got, lines)
	}
	if n, err := testutil.GatherAndCount(registry); err != nil || n != 1 {
		t.Errorf("got %d metrics without a database (error %v), want only the count of failures", n, err)
	}
}

func TestCollect_ReadsTheMetricsFromTheStore(t *testing.T) {
	t.Parallel()
	b := &fakeStore{found: reconcile.State{
		CheckedAt: time.UnixMilli(1_700_000_000_500), OpenHours: 3,
		ByCheck: map[reconcile.Check]reconcile.DriftSum{reconcile.CheckDays: {Count: 2, Quota: 17}},
	}}
	_, registry, _ := setup(t, b)
	want := `
# HELP tollgate_reconcile_drift_nano_usd Sum of the differences in quota between records that must agree, in nano-dollars.
# TYPE tollgate_reconcile_drift_nano_usd gauge
tollgate_reconcile_drift_nano_usd{check="account_leased"} 0
tollgate_reconcile_drift_nano_usd{check="account_used"} 0
tollgate_reconcile_drift_nano_usd{check="daily_totals"} 0
tollgate_reconcile_drift_nano_usd{check="hourly_daily"} 17
tollgate_reconcile_drift_nano_usd{check="hourly_totals"} 0
tollgate_reconcile_drift_nano_usd{check="logs_hourly"} 0
tollgate_reconcile_drift_nano_usd{check="wallet_granted"} 0
# HELP tollgate_reconcile_drifts Number of differences between records that must agree, in quota, requests or tokens.
# TYPE tollgate_reconcile_drifts gauge
tollgate_reconcile_drifts{check="account_leased"} 0
tollgate_reconcile_drifts{check="account_used"} 0
tollgate_reconcile_drifts{check="daily_totals"} 0
tollgate_reconcile_drifts{check="hourly_daily"} 2
tollgate_reconcile_drifts{check="hourly_totals"} 0
tollgate_reconcile_drifts{check="logs_hourly"} 0
tollgate_reconcile_drifts{check="wallet_granted"} 0
# HELP tollgate_reconcile_last_run_timestamp_seconds Time of the last reconciliation that ran without an error; 0 if there was none.
# TYPE tollgate_reconcile_last_run_timestamp_seconds gauge
tollgate_reconcile_last_run_timestamp_seconds 1.7000000005e+09
# HELP tollgate_reconcile_open_hours Hours of usage that are still to be checked, the present hour included.
# TYPE tollgate_reconcile_open_hours gauge
tollgate_reconcile_open_hours 3
`
	err := testutil.GatherAndCompare(registry, strings.NewReader(want), "tollgate_reconcile_drift_nano_usd",
		"tollgate_reconcile_drifts", "tollgate_reconcile_last_run_timestamp_seconds", "tollgate_reconcile_open_hours")
	if err != nil {
		t.Error(err)
	}
}
