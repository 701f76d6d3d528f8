package telemetry

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
)

// scene is a history of an hour, a sample a minute in promqltest's notation, in
// which the alert fires at its end, and one in which it does not.
type scene struct{ alert, fires, quiet string }

var scenes = []scene{
	{"TollgateNotReady", `tollgate_ready{instance="a",check="spool_room"} 1x30 0x30`, `tollgate_ready{instance="a",check="spool_room"} 1x59 0`},
	{"TollgateGatewayErrors",
		`tollgate_requests_total{endpoint="chat",outcome="success",error_domain=""} 0+90x60
tollgate_requests_total{endpoint="chat",outcome="failed",error_domain="gateway"} 0+10x60`,
		`tollgate_requests_total{endpoint="chat",outcome="success",error_domain=""} 0+90x60
tollgate_requests_total{endpoint="chat",outcome="failed",error_domain="provider"} 0+10x60
tollgate_requests_total{endpoint="chat",outcome="failed",error_domain="caller"} 0+90x60`},
	{"TollgateProviderErrors",
		`tollgate_requests_total{endpoint="chat",outcome="success",error_domain=""} 0+90x60
tollgate_requests_total{endpoint="chat",outcome="partial",error_domain="provider"} 0+10x60`,
		`tollgate_requests_total{endpoint="chat",outcome="success",error_domain=""} 0+990x60
tollgate_requests_total{endpoint="chat",outcome="failed",error_domain="provider"} 0+10x60`},
	{"TollgateChannelFailing",
		`tollgate_upstream_attempts_total{channel="a",result="served"} 0+1x60
tollgate_upstream_attempts_total{channel="a",result="timeout"} 0+9x60`,
		`tollgate_upstream_attempts_total{channel="a",result="served"} 0+9x60
tollgate_upstream_attempts_total{channel="a",result="rejected"} 0+90x60`},
	{"TollgateChannelResting", `tollgate_upstream_breakers{channel="a",state="cooling"} 2x60`, `tollgate_upstream_breakers{channel="a",state="trial"} 2x60`},
	{"TollgateRelayNearlyFull",
		`tollgate_relay_requests_in_flight{instance="a"} 950x60
tollgate_relay_requests_in_flight_max{instance="a"} 1000x60`,
		`tollgate_relay_requests_in_flight{instance="a"} 850x60
tollgate_relay_requests_in_flight_max{instance="a"} 1000x60`},
	{"TollgateEventsWait", `tollgate_spool_oldest_seconds 0x30 0+60x30`, `tollgate_spool_oldest_seconds 0x50 600 0x9`},
	{"TollgateSpoolFilling", "tollgate_spool_bytes 600x60\ntollgate_spool_max_bytes 1000x60", "tollgate_spool_bytes 400x60\ntollgate_spool_max_bytes 1000x60"},
	{"TollgateEventsQuarantined", `tollgate_spool_quarantined 0x59 1`, `tollgate_spool_quarantined 0x60`},
	{"TollgateShippingFails", `tollgate_shipping_failures_total 0+6x60`, `tollgate_shipping_failures_total 0x30 1x30`},
	{"TollgateBooksDiffer", `tollgate_reconcile_drifts{check="account_used"} 0x40 1x20`, `tollgate_reconcile_drifts{check="account_used"} 0x60`},
	{"TollgateNotReconciled", `tollgate_reconcile_last_run_timestamp_seconds -600x60`, `tollgate_reconcile_last_run_timestamp_seconds 0+60x60`},
	{"TollgateLeasesRunOut",
		"tollgate_leases_valid_seconds 3240-60x60\ntollgate_leases_valid_max_seconds 3240x60",
		"tollgate_leases_valid_seconds 3200x60\ntollgate_leases_valid_max_seconds 3240x60"},
	{"TollgateChangesNotHeard", `tollgate_feed_heard_timestamp_seconds 60+60x50 3000x10`, `tollgate_feed_heard_timestamp_seconds 0+60x60`},
	{"TollgateLimitsNotShared", `tollgate_limits_shared 1x40 0x20`, `tollgate_limits_shared 1x60`},
	{"TollgateNoWorker", `something 1x60`, `tollgate_reconcile_last_run_timestamp_seconds 1x60`},
	{"TollgateTasksFail",
		`tollgate_task_duration_seconds_count{task="usage:rollup",result="failed"} 0+1x60`,
		`tollgate_task_duration_seconds_count{task="usage:rollup",result="done"} 0+9x60`},
	{"TollgateRollupsLate", `tollgate_outbox_rows 60000x60`, `tollgate_outbox_rows 100x60`},
}

func TestAlertsFire(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.alert, func(t *testing.T) {
			t.Parallel()
			if !fires(t, s.alert, s.fires) {
				t.Error("it does not fire")
			}
			if fires(t, s.alert, s.quiet) {
				t.Error("it fires without a cause")
			}
		})
	}
}

// fires plays the history to the rules, as Prometheus would minute by minute,
// and tells whether the alert fires in the end.
func fires(t *testing.T, alert, history string) bool {
	t.Helper()
	played := promqltest.LoadedStorage(t, "load 1m\n"+history)
	t.Cleanup(func() { _ = played.Close() })
	query := rules.EngineQueryFunc(promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery), played)
	var recorded []*rules.RecordingRule
	var watched *rules.AlertingRule
	for _, rule := range allOf(t) {
		expr, err := promQL.ParseExpr(rule.Expr)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case rule.Record != "":
			recorded = append(recorded, rules.NewRecordingRule(rule.Record, expr, labels.EmptyLabels()))
		case rule.Alert == alert:
			watched = rules.NewAlertingRule(alert, expr, time.Duration(rule.For), 0, labels.EmptyLabels(), labels.EmptyLabels(), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
		}
	}
	if watched == nil {
		t.Fatalf("there is no alert %s", alert)
	}
	for minute := range 61 {
		at := time.Unix(0, 0).Add(time.Duration(minute) * time.Minute)
		for _, rule := range recorded {
			keep(t, played, at, func() (promql.Vector, error) { return rule.Eval(t.Context(), 0, at, query, nil, 0) })
		}
		if _, err := watched.Eval(t.Context(), 0, at, query, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return slices.ContainsFunc(watched.ActiveAlerts(), func(a *rules.Alert) bool { return a.State == rules.StateFiring })
}

// keep writes down what a rule records.
func keep(t *testing.T, in storage.Appendable, at time.Time, eval func() (promql.Vector, error)) {
	t.Helper()
	found, err := eval()
	if err != nil {
		t.Fatal(err)
	}
	appender := in.Appender(t.Context())
	for _, sample := range found {
		if _, err := appender.Append(0, sample.Metric, at.UnixMilli(), sample.F); err != nil {
			t.Fatal(err)
		}
	}
	if err := appender.Commit(); err != nil {
		t.Fatal(err)
	}
}
