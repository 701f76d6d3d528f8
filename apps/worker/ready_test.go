package worker_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/queue/embedded"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
	"github.com/tollgate/tollgate/libs/web"
)

// readyz returns the response of the worker's readiness endpoint.
func readyz(t *testing.T, w *worker.Worker) (status int, body web.Readiness) {
	t.Helper()
	ops := web.Ops(web.OpsOptions{Registry: prometheus.NewRegistry(), Checks: w.Checks(),
		Log: slog.New(slog.DiscardHandler)})
	answer := httptest.NewRecorder()
	ops.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/readyz", http.NoBody))
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return answer.Code, body
}

func TestChecks_RequireTheDatabaseAndRedis(t *testing.T) {
	t.Parallel()
	for name, fresh := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			database, quiet := fresh(t), slog.New(slog.DiscardHandler)
			s := storetest.Open(t, db.Options{URL: database})
			server, err := embedded.Start()
			if err != nil {
				t.Fatal(err)
			}
			redis := queue.Embed(server.Addr, server.Password, server.Close, quiet)
			t.Cleanup(func() { _ = redis.Close() })
			w, err := worker.New(worker.Options{Store: s, Redis: redis, Log: quiet, Registry: prometheus.NewRegistry()})
			if err != nil {
				t.Fatal(err)
			}
			wants := func(when string, failed ...string) {
				t.Helper()
				status, want := http.StatusOK,
					[]web.CheckOutcome{{Check: "database", Ready: true}, {Check: "tasks", Ready: true}}
				for i, check := range want {
					if slices.Contains(failed, check.Check) {
						status, want[i] = http.StatusServiceUnavailable,
							web.CheckOutcome{Check: check.Check, Reason: reasons[check.Check]}
					}
				}
				if got, body := readyz(t, w); got != status || body.Ready != (len(failed) == 0) ||
					!slices.Equal(body.Checks, want) {
					t.Errorf("%s: got %d %+v, want %d %+v", when, got, body, status, want)
				}
			}
			wants("with both")
			storetest.Exec(t, database, "DELETE FROM bun_migrations WHERE id = (SELECT max(id) FROM bun_migrations)")
			wants("with an older schema", "database")
			s.Close() //nolint:errcheck // the test needs a closed store; an error of Close does not matter
			wants("without the database", "database")
			if err := redis.Close(); err != nil {
				t.Fatal(err)
			}
			wants("without both", "database", "tasks")
			if err := w.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

var reasons = map[string]string{
	"database": "the database does not answer, or its schema is older than this program",
	"tasks": "background work does not run: Redis does not answer or does not accept tasks, or tasks wait for " +
		"minutes",
}
