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
	// More than 7.5 s for more than one stream in twenty, for 10 minutes.
	{"TollgateSlowFirstToken",
		`gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="7.5"} 0+94x60
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="10"} 0+100x60
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="+Inf"} 0+100x60`,
		`gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="7.5"} 0+95x60
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="10"} 0+100x60
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="+Inf"} 0+100x60`},
	{"TollgateSlowFirstToken",
		`gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="7.5"} 0+100x49 4900x11
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="10"} 0+100x60
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="+Inf"} 0+100x60`,
		`gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="7.5"} 0+100x50 5000x10
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="10"} 0+100x60
gen_ai_server_time_to_first_token_seconds_bucket{gen_ai_request_model="a",le="+Inf"} 0+100x60`},
	// More than 5 % of the requests, for 5 minutes; those that the caller got wrong are none.
	{"TollgateConsoleErrors",
		`tollgate_console_request_seconds_count{route="GET /api/quota",status="200"} 0+94x60
tollgate_console_request_seconds_count{route="GET /api/tokens",status="500"} 0+4x60
tollgate_console_request_seconds_count{route="GET /api/tokens",status="503"} 0+2x60`,
		`tollgate_console_request_seconds_count{route="GET /api/quota",status="200"} 0+108x60
tollgate_console_request_seconds_count{route="GET /api/quota",status="401"} 0+120x60
tollgate_console_request_seconds_count{route="GET /api/tokens",status="500"} 0+12x60`},
	{"TollgateConsoleErrors",
		`tollgate_console_request_seconds_count{route="GET /api/quota",status="200"} 0+100x60
tollgate_console_request_seconds_count{route="GET /api/tokens",status="500"} 0x54 50+50x5`,
		`tollgate_console_request_seconds_count{route="GET /api/quota",status="200"} 0+100x60
tollgate_console_request_seconds_count{route="GET /api/tokens",status="500"} 0x55 50+50x4`},
	// Within the hour, by whichever worker; a worker that was started anew is not meant.
	{"TollgateRelayWasAway", `tollgate_relays_reclaimed_total 0x1 1x58`, `tollgate_relays_reclaimed_total 0 1x59`},
	{"TollgateRelayWasAway",
		"tollgate_relays_reclaimed_total{instance=\"a\"} 3x60\ntollgate_relays_reclaimed_total{instance=\"b\"} 3x30 0x28 1",
		"tollgate_relays_reclaimed_total{instance=\"a\"} 3x60\ntollgate_relays_reclaimed_total{instance=\"b\"} 3x30 0x29"},
	// For more than 300 s, for 5 minutes. The workers all tell of the same queue.
	{"TollgateTasksWait",
		`tollgate_queue_latency_seconds{queue="tollgate"} 301x60`,
		"tollgate_queue_latency_seconds{instance=\"a\",queue=\"tollgate\"} 300x60\ntollgate_queue_latency_seconds{instance=\"b\",queue=\"tollgate\"} 300x60"},
	{"TollgateTasksWait",
		`tollgate_queue_latency_seconds{instance="a",queue="tollgate"} 0x54 301+60x5
tollgate_queue_latency_seconds{instance="b",queue="tollgate"} 0x54 301+60x2 _x3`,
		`tollgate_queue_latency_seconds{instance="a",queue="tollgate"} 0x55 301+60x4
tollgate_queue_latency_seconds{instance="b",queue="tollgate"} 0x55 301+60x4`},
	// More than a second of waiting a second, of all that waits, for 10 minutes.
	{"TollgateConnectionsShort", `tollgate_database_connection_wait_seconds_total 0+61x60`, `tollgate_database_connection_wait_seconds_total 0+60x60`},
	{"TollgateConnectionsShort",
		`tollgate_database_connection_wait_seconds_total 0x49 600+600x10`,
		`tollgate_database_connection_wait_seconds_total 0x50 600+600x9`},
	// More than 80 %, for 5 minutes, of a process of ours: others that Prometheus watches are not meant.
	{"TollgateFilesShort",
		`process_open_fds{job="tollgate",instance="a"} 801x60
process_max_fds{job="tollgate",instance="a"} 1000x60
tollgate_ready{job="tollgate",instance="a",check="console_listens"} 0x60
tollgate_ready{job="tollgate",instance="a",check="database"} 0x60`,
		`process_open_fds{job="tollgate",instance="a"} 800x60
process_max_fds{job="tollgate",instance="a"} 1000x60
tollgate_ready{job="tollgate",instance="a",check="catalogue"} 1x60`},
	{"TollgateFilesShort",
		`process_open_fds{job="tollgate",instance="a"} 10x54 900x5
process_max_fds{job="tollgate",instance="a"} 1000x60
tollgate_ready{job="tollgate",instance="a",check="catalogue"} 1x60`,
		`process_open_fds{job="tollgate",instance="a"} 10x55 900x4
process_max_fds{job="tollgate",instance="a"} 1000x60
process_open_fds{job="another",instance="b"} 1000x60
process_max_fds{job="another",instance="b"} 1000x60
tollgate_ready{job="tollgate",instance="a",check="catalogue"} 1x60`},
}

func TestEveryAlertIsPlayed(t *testing.T) {
	for _, rule := range allOf(t) {
		if rule.Alert != "" && !slices.ContainsFunc(scenes, func(s scene) bool { return s.alert == rule.Alert }) {
			t.Errorf("%s is played no history", rule.Alert)
		}
	}
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
