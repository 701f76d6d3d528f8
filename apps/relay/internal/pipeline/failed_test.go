package pipeline

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/fair"
)

// failing is an upstream that answers with a failed response that reports 8 tokens.
type failing struct{}

func (failing) RoundTrip(r *http.Request) (*http.Response, error) {
	const response = `{"id":"resp_up","object":"response","status":"failed","error":{"code":"server_error","message":"no"},"usage":{"input_tokens":7,"output_tokens":1}}`
	body, err := io.ReadAll(r.Body)
	header, answer := http.Header{"Content-Type": {"application/json"}}, response
	if strings.Contains(string(body), `"stream":true`) {
		header, answer = http.Header{"Content-Type": {"text/event-stream"}},
			`data: {"type":"response.failed","sequence_number":0,"response":`+response+"}\n\n"
	}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(answer)),
		ContentLength: int64(len(answer))}, err
}

// fail makes a call whose only channel answers with a failed response. It returns what the client got.
func (w *world) fail(more string) (*httptest.ResponseRecorder, error) {
	w.t.Helper()
	w.channel.Dialects = []catalog.Dialect{catalog.Responses}
	w.reload()
	w.Snapshots.Current().Target(w.channel.ID).Transport = failing{}
	r := httptest.NewRequest(http.MethodPost, "/v1/responses",
		strings.NewReader(`{"model":"m","input":"hello","max_output_tokens":16`+more+`}`))
	r.Header.Set("Authorization", "Bearer "+tokenValue)
	recorder := httptest.NewRecorder()
	appended := w.onAppend
	w.onAppend = func() error {
		if recorder.Body.Len() > 0 {
			w.t.Errorf("before its event was stored, the client got %s", recorder.Body)
		}
		return appended()
	}
	err := w.Serve(recorder, r, inbound.Call{ID: uuid.New(), Dialect: catalog.Responses, Started: time.Now(),
		Report: &telemetry.Request{}, Slot: new(fair.Lease[uuid.UUID])})
	return recorder, err
}

func TestServe_RecordsAFailedAnswerBeforeItIsSent(t *testing.T) {
	for name, more := range map[string]string{"JSON": "", "stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			got, err := w.fail(more)
			if err != nil || got.Code != 200 || !strings.Contains(got.Body.String(), `"status":"failed"`) ||
				strings.Contains(got.Body.String(), `"resp_up"`) {
				t.Fatalf("got %d %s, error %v", got.Code, got.Body, err)
			}
			// 8 tokens at 1 USD per million.
			if len(w.events) != 1 || w.events[0].Outcome != usage.Failed || w.events[0].Usage.Total() != 8 ||
				w.events[0].Quota != 8_000 || w.events[0].PriceID == uuid.Nil {
				t.Errorf("got events %+v", w.events)
			}

			w = newWorld(t)
			w.onAppend = func() error { return errors.New("the disk is full") }
			got, err = w.fail(more)
			if !problem.Is(err, problem.Internal) || got.Body.Len() > 0 {
				t.Errorf("without its event: got %q, error %v", got.Body, err)
			}
		})
	}
}
