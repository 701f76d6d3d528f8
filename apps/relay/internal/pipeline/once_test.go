package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/once"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// keyed sends a chat call with an Idempotency-Key.
func (w *world) keyed(more string) (*httptest.ResponseRecorder, error) {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions",
		strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hello"}],"max_tokens":16`+more+`}`))
	r.Header.Set("Authorization", "Bearer "+tokenValue)
	r.Header.Set(once.Header, "k")
	recorder := httptest.NewRecorder()
	err := w.Serve(recorder, r, inbound.Call{ID: uuid.New(), Dialect: catalog.Chat, Started: time.Now(),
		Report: &telemetry.Request{}, Slot: new(fair.Lease[uuid.UUID])})
	return recorder, err
}

// The spool refuses the event of a call that succeeded, so the call costs nothing. The client may not hear that it was
// charged when it repeats the call: when the usage logs are known, the repeated call is a first call.
func TestServe_KeepsNoKeyOfACallThatTheSpoolRefused(t *testing.T) {
	for name, more := range map[string]string{"JSON": "", "stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.caller.Remaining = make([]quota.Remaining, len(w.caller.Limits))
			w.Once = once.New(once.Options{
				Store:  storetest.Open(t, db.Options{URL: storetest.SQLite(t)}).Idempotency,
				Sealer: seal.New([32]byte{1}), Scope: tenant.SystemScope("test"), RelayID: uuid.New(),
				Lease: time.Minute, Requests: t.Context(),
				Flush: func(context.Context) error { return nil }, MaxAnswer: 1 << 20, MaxAnswers: 1 << 20,
				Now: time.Now, Log: slog.New(slog.DiscardHandler),
			})
			w.onAppend = func() error { return errors.New("the disk is full") }
			// A stream ends with the error.
			if got, err := w.keyed(more); !problem.Is(err, problem.Internal) &&
				!strings.Contains(got.Body.String(), `"type":"server_error"`) {
				t.Fatalf("the first call got %s, error %v, want an internal error", got.Body, err)
			}
			w.onAppend = func() error { return nil }
			if _, err := w.keyed(more); !problem.Is(err, problem.IdempotencyKeyInUse) {
				t.Errorf("the second call got %v, want IdempotencyKeyInUse", err)
			}
			if err := w.Once.Start(t.Context()); err != nil { // reads the usage logs
				t.Fatal(err)
			}
			defer w.Once.Stop()
			if got, err := w.keyed(more); err != nil || got.Code != http.StatusOK {
				t.Errorf("the third call got %d %s, error %v, want 200", got.Code, got.Body, err)
			}
			if len(w.events) != 1 || w.events[0].Outcome != usage.Success {
				t.Errorf("got events %+v, want one success", w.events)
			}
		})
	}
}
