package console_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	notListening = "the console does not listen"
	databaseDown = "the database does not answer, or its schema is older than this program"
)

// probed is a console together with its readiness endpoint.
type probed struct {
	*testing.T
	console *console.Console
	readyz  http.Handler
}

// probe returns a console on the store that is not started.
func probe(t *testing.T, s *store.Store) *probed {
	t.Helper()
	noLog, registry := slog.New(slog.DiscardHandler), prometheus.NewRegistry()
	c, err := console.New(console.Options{
		Config: config.Config{ConsoleURL: "http://localhost:8081", ConsoleAddr: "127.0.0.1:0",
			SecretKey: config.Secret{1}},
		Store: s, Log: noLog, Registry: registry, PasswordCost: consoletest.Cheap,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &probed{T: t, console: c, readyz: web.Ops(web.OpsOptions{Registry: registry, Checks: c.Checks(), Log: noLog})}
	t.Cleanup(p.stop)
	return p
}

func (p *probed) start() {
	p.Helper()
	if err := p.console.Start(p.Context()); err != nil {
		p.Fatal(err)
	}
}

func (p *probed) stop() {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := p.console.Stop(ctx); err != nil {
		p.Error(err)
	}
}

// wants checks the response of /readyz: the reasons of the failing checks, by name; nil if the console is ready.
func (p *probed) wants(when string, reasons map[string]string) {
	p.Helper()
	w := httptest.NewRecorder()
	p.readyz.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/readyz", http.NoBody))
	var readiness web.Readiness
	if err := json.Unmarshal(w.Body.Bytes(), &readiness); err != nil {
		p.Fatalf("%v: %s", err, w.Body)
	}
	got := map[string]string{}
	for _, check := range readiness.Checks {
		if !check.Ready {
			got[check.Check] = check.Reason
		}
	}
	status := http.StatusOK
	if len(reasons) > 0 {
		status = http.StatusServiceUnavailable
	}
	if w.Code != status || readiness.Ready != (len(reasons) == 0) || !maps.Equal(got, reasons) {
		p.Errorf("%s: got %d %s, want %d with the reasons %v", when, w.Code, w.Body, status, reasons)
	}
}

func TestReadiness_NeedsAListeningConsole(t *testing.T) {
	t.Parallel()
	p := probe(t, storetest.Open(t, db.Options{URL: storetest.SQLite(t)}))
	p.wants("before the start", map[string]string{"console_listens": notListening})
	p.start()
	p.wants("after the start", nil)
	p.stop()
	p.wants("after the stop", map[string]string{"console_listens": notListening})
}

func TestReadiness_NeedsAMigratedDatabase(t *testing.T) {
	t.Parallel()
	for name, fresh := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			database := fresh(t)
			s := storetest.Open(t, db.Options{URL: database})
			p := probe(t, s)
			p.start()
			p.wants("migrated", nil)
			storetest.Exec(t, database, "DELETE FROM bun_migrations WHERE id = (SELECT max(id) FROM bun_migrations)")
			p.wants("older schema", map[string]string{"database": databaseDown})
			s.Close() //nolint:errcheck // the test needs a closed store
			p.wants("closed database", map[string]string{"database": databaseDown})
		})
	}
}
