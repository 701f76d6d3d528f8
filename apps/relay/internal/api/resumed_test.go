package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// channel is a backend of one stream.
type channel struct {
	frames string
	end    error // after the frames; nil: the upstream is silent
}

func (c channel) Do(context.Context, stored.Request) (stored.Result, error) {
	source, end := io.Pipe()
	if c.end != nil {
		_ = end.CloseWithError(c.end)
	}
	reader := io.MultiReader(strings.NewReader(c.frames), source)
	return stored.Result{Stream: &storedStream{output.NewStream(catalog.Responses, reader, 1<<20, nil), end},
		IdleTimeout: 10 * time.Second}, nil
}

// storedStream is the stream of a channel.
type storedStream struct {
	*output.Stream
	end *io.PipeWriter
}

func (*storedStream) LastRead() (never time.Time) { return never }
func (s *storedStream) CancelSilent()             { _ = s.end.CloseWithError(errors.New("canceled")) }
func (s *storedStream) Close()                    { s.CancelSilent() }

// refusing is a backend that refuses all operations after a minute.
type refusing struct{}

func (refusing) Do(context.Context, stored.Request) (stored.Result, error) {
	<-time.After(time.Minute)
	return stored.Result{}, problem.Of(problem.UpstreamTimeout)
}

// pace keeps a client waiting with comments.
var pace = tap.Timeouts{KeepAlive: 30 * time.Second, IdleTimeout: time.Hour, WriteTimeout: time.Hour}

func TestResumedStream_EndsWithAFailedResponse(t *testing.T) {
	delta := func(sequence int) string {
		return fmt.Sprintf("data: {\"type\":\"response.output_text.delta\",\"sequence_number\":%d,\"delta\":\"a\"}\n\n",
			sequence)
	}
	for name, c := range map[string]struct {
		upstream channel
		sequence int // of the last event, 0 for an empty stream
	}{
		"the upstream breaks off":               {channel{frames: delta(51) + delta(52), end: io.ErrUnexpectedEOF}, 53},
		"the upstream ends early":               {channel{frames: delta(51), end: io.EOF}, 52},
		"the upstream is silent":                {channel{frames: delta(51)}, 52},
		"the upstream is silent from the start": {channel{}, 51},
		"the upstream has no more events":       {channel{end: io.EOF}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &API{Options: Options{Stored: stored.Backends{c.upstream}, Timeouts: pace}}
				w, begun := httptest.NewRecorder(), time.Now()
				if err := a.sendStream(w, httptest.NewRequest(http.MethodGet, "/", nil),
					stored.Request{ID: "resp_public", Operation: stored.Stream, After: 50}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took > time.Minute {
					t.Errorf("took %v, want the idle timeout of the channel", took)
				}
				if c.sequence == 0 {
					if w.Body.Len() > 0 {
						t.Errorf("got %s, want an empty stream", w.Body)
					}
					return
				}
				frames := strings.SplitAfter(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n")
				last, want := frames[len(frames)-1], fmt.Sprintf("event: response.failed\ndata: "+
					`{"type":"response.failed","sequence_number":%d,"response":{"id":"resp_public",`, c.sequence)
				if !strings.HasPrefix(last, want) || !strings.Contains(last, `"status":"failed","error":{"code":`) {
					t.Errorf("the last event is %s, want %s", last, want)
				}
			})
		})
	}
}

func TestResumedStream_EndsWithAnErrorIfNoUpstreamBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &API{Options: Options{Stored: stored.Backends{refusing{}}, Timeouts: pace}}
		w := httptest.NewRecorder()
		if err := a.sendStream(w, httptest.NewRequest(http.MethodGet, "/", nil),
			stored.Request{ID: "resp_public", Operation: stored.Stream, After: 50}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(w.Body.String(), "event: error\ndata: {\"type\":\"error\",\"sequence_number\":51,") {
			t.Errorf("got %s, want an error with the number 51", w.Body)
		}
	})
}
