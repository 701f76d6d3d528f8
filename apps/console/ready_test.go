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
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	deaf   = "the console does not listen"
	silent = "the database does not answer, or its schema is older than this program"
)

// probed is a console that can be asked whether it is ready.
type probed struct {
	*testing.T
	console *console.Console
	readyz  http.Handler
}

// probe returns a console on the store that has not started.
func probe(t *testing.T, s *store.Store) *probed {
	t.Helper()
	quiet, registry := slog.New(slog.DiscardHandler), prometheus.NewRegistry()
	c, err := console.New(console.Options{
		Config: config.Config{ConsoleURL: "http://localhost:8081", ConsoleAddr: "127.0.0.1:0", SecretKey: config.Secret{1}},
		Store:  s, Log: quiet, Registry: registry,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &probed{T: t, console: c, readyz: web.Ops(web.OpsOptions{Registry: registry, Checks: c.Checks(), Log: quiet})}
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
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.console.Stop(ctx); err != nil {
		p.Error(err)
	}
}

// wants checks what /readyz says: the reasons by check, none where it is ready.
func (p *probed) wants(when string, reasons map[string]string) {
	p.Helper()
	w := httptest.NewRecorder()
	p.readyz.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
	var said web.Readiness
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
		p.Fatalf("%v: %s", err, w.Body)
	}
	got := map[string]string{}
	for _, check := range said.Checks {
		if !check.Ready {
			got[check.Check] = check.Reason
		}
	}
	status := http.StatusOK
	if len(reasons) > 0 {
		status = http.StatusServiceUnavailable
	}
	if w.Code != status || said.Ready != (len(reasons) == 0) || !maps.Equal(got, reasons) {
		p.Errorf("%s: %d %s, want %d for %v", when, w.Code, w.Body, status, reasons)
	}
}

func TestAConsoleThatDoesNotListenIsNotReady(t *testing.T) {
	t.Parallel()
	p := probe(t, storetest.Open(t, db.Options{URL: storetest.SQLite(t)}))
	p.wants("before the start", map[string]string{"console_listens": deaf})
	p.start()
	p.wants("after it", nil)
	p.stop()
	p.wants("at the end", map[string]string{"console_listens": deaf})
}

func TestAConsoleNeedsItsDatabase(t *testing.T) {
	t.Parallel()
	for name, fresh := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			database := fresh(t)
			s := storetest.Open(t, db.Options{URL: database})
			p := probe(t, s)
			p.start()
			p.wants("at first", nil)
			storetest.Exec(t, database, "DELETE FROM bun_migrations WHERE id = (SELECT max(id) FROM bun_migrations)")
			p.wants("on an older schema", map[string]string{"database": silent})
			s.Close() //nolint:errcheck // it is not there any more, whatever it says
			p.wants("without it", map[string]string{"database": silent})
		})
	}
}
