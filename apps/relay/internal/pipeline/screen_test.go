package pipeline

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/fair"
)

// readCounter counts the bytes that are read of a body.
type readCounter struct {
	io.Reader
	read int
}

func (c *readCounter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}

// A call whose event might find no room is refused with its body unread. The connection of a small body stays usable.
func TestScreen_RefusesACallWhileTheSpoolIsFull(t *testing.T) {
	for name, row := range map[string]struct{ size int }{
		"a small body": {size: 100}, "a large body": {size: memory.SmallBody + 100},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.full = true
			body := &readCounter{Reader: strings.NewReader(`{"model":"m","input":"` + strings.Repeat("x", row.size) +
				`"}`)}
			r := httptest.NewRequest(http.MethodPost, "/v1/responses", body)
			r.ContentLength = int64(row.size)
			r.Header.Set("Authorization", "Bearer "+tokenValue)
			recorder := httptest.NewRecorder()
			err := w.Serve(recorder, r, inbound.Call{ID: uuid.New(), Dialect: catalog.Responses, Started: time.Now(),
				Report: &telemetry.Request{}, Slot: new(fair.Lease[uuid.UUID])})
			if !problem.Is(err, problem.Overloaded) || problem.From(err).RetryAfter != time.Second || body.read != 0 {
				t.Errorf("got %v with %d bytes read, want overloaded with none", err, body.read)
			}
			if closes := recorder.Header().Get("Connection") == "close"; closes != (row.size > memory.SmallBody) {
				t.Errorf("the connection closes: %v", closes)
			}
		})
	}
}

// The spool is asked once for each call, whatever the size of its body.
func TestScreen_AsksTheSpoolOnce(t *testing.T) {
	for _, padding := range []int{0, memory.SmallBody} {
		w := newWorld(t)
		if _, err := w.respond("m", `,"metadata":{"a":"`+strings.Repeat("x", padding)+`"}`); err != nil {
			t.Fatal(err)
		}
		if w.asked != 1 {
			t.Errorf("with %d more bytes the spool was asked %d times, want once", padding, w.asked)
		}
	}
}
