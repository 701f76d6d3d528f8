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

// readyz asks the worker whether it is ready.
func readyz(t *testing.T, w *worker.Worker) (status int, said web.Readiness) {
	t.Helper()
	ops := web.Ops(web.OpsOptions{Registry: prometheus.NewRegistry(), Checks: w.Checks(), Log: slog.New(slog.DiscardHandler)})
	answer := httptest.NewRecorder()
	ops.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
	if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return answer.Code, said
}

// A worker needs its database, and not Redis: what waits there is found again.
func TestAWorkerNeedsItsDatabase(t *testing.T) {
	t.Parallel()
	for name, fresh := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			database, quiet := fresh(t), slog.New(slog.DiscardHandler)
			s := storetest.Open(t, db.Options{URL: database})
			away, err := queue.Open("redis://127.0.0.1:1", quiet)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = away.Close() })
			w, err := worker.New(worker.Options{Store: s, Redis: away, Log: quiet, Registry: prometheus.NewRegistry()})
			if err != nil {
				t.Fatal(err)
			}
			wants := func(when string, status int, want web.CheckOutcome) {
				t.Helper()
				if got, said := readyz(t, w); got != status || said.Ready != want.Ready || !slices.Equal(said.Checks, []web.CheckOutcome{want}) {
					t.Errorf("%s: %d %+v, want %d %+v", when, got, said, status, want)
				}
			}
			silent := web.CheckOutcome{Check: "database", Reason: "the database does not answer, or its schema is older than this program"}
			wants("at first", http.StatusOK, web.CheckOutcome{Check: "database", Ready: true})
			storetest.Exec(t, database, "DELETE FROM bun_migrations WHERE id = (SELECT max(id) FROM bun_migrations)")
			wants("on an older schema", http.StatusServiceUnavailable, silent)
			s.Close() //nolint:errcheck // it is not there any more, whatever it says
			wants("without it", http.StatusServiceUnavailable, silent)
			if err := w.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
