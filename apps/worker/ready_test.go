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
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
	"github.com/tollgate/tollgate/libs/web"
)

// readyz returns the response of the worker's readiness endpoint.
func readyz(t *testing.T, w *worker.Worker) (status int, body web.Readiness) {
	t.Helper()
	ops := web.Ops(web.OpsOptions{Registry: prometheus.NewRegistry(), Checks: w.Checks(), Log: slog.New(slog.DiscardHandler)})
	answer := httptest.NewRecorder()
	ops.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/readyz", http.NoBody))
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return answer.Code, body
}

// Redis is unavailable all the time.
func TestChecks_RequireTheDatabaseAndNotRedis(t *testing.T) {
	t.Parallel()
	for name, fresh := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			database, quiet := fresh(t), slog.New(slog.DiscardHandler)
			s := storetest.Open(t, db.Options{URL: database})
			unavailable, err := queue.Open("redis://127.0.0.1:1", quiet)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = unavailable.Close() })
			w, err := worker.New(worker.Options{Store: s, Redis: unavailable, Log: quiet, Registry: prometheus.NewRegistry()})
			if err != nil {
				t.Fatal(err)
			}
			wants := func(when string, status int, want web.CheckOutcome) {
				t.Helper()
				if got, body := readyz(t, w); got != status || body.Ready != want.Ready || !slices.Equal(body.Checks, []web.CheckOutcome{want}) {
					t.Errorf("%s: got %d %+v, want %d %+v", when, got, body, status, want)
				}
			}
			notReady := web.CheckOutcome{Check: "database", Reason: "the database does not answer, or its schema is older than this program"}
			wants("with the database", http.StatusOK, web.CheckOutcome{Check: "database", Ready: true})
			storetest.Exec(t, database, "DELETE FROM bun_migrations WHERE id = (SELECT max(id) FROM bun_migrations)")
			wants("with an older schema", http.StatusServiceUnavailable, notReady)
			s.Close() //nolint:errcheck // the test needs a closed store; an error of Close does not matter
			wants("without the database", http.StatusServiceUnavailable, notReady)
			if err := w.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
