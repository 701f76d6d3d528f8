package tap_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

var errGone = errors.New("the client is gone")

// leaver is a client that disconnects after a number of frames.
type leaver struct {
	*client
	frames int
	writes int
}

func (l *leaver) Write(p []byte) (int, error) {
	l.writes++
	if l.writes > l.frames {
		return 0, errGone
	}
	return l.client.Write(p)
}

func TestDeliver_HandlesAClientThatDisconnects(t *testing.T) {
	whole := strings.Repeat(frameA, 10) + frameStop + frameUsage + frameDone
	want := usage.Usage{Input: 3, Output: 2}
	for name, c := range map[string]struct {
		stream   string
		drain    bool
		usage    bool
		complete bool
		chunks   int64
	}{
		"the upstream is canceled":           {whole, false, false, false, 4},
		"the upstream is drained to its end": {whole, true, true, true, 12},
		"the upstream is drained and aborts": {strings.Repeat(frameA, 10), true, false, false, 10},
		"the upstream is drained and sends an error": {strings.Repeat(frameA, 10) +
			`data: {"error":{"message":"no"}}` + "\n\n", true, false, false, 10},
		"the upstream is drained beyond the upper bound": {strings.Repeat(frameA, 400_000), true, false, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := &leaver{client: newClient(), frames: 3}
			left := 0
			var src = strings.NewReader(c.stream)
			stream := output.NewStream(catalog.Chat, iotest.OneByteReader(src), 1<<20, nil)
			if len(c.stream) > 1<<20 {
				stream = output.NewStream(catalog.Chat, src, 1<<20, nil)
				l.frames = 0
			}
			delivery, result := tap.Deliver(t.Context(), l, tap.Options{
				Source: stream, Upstream: quiet{}, OnClientGone: func() { left++ }, Drain: c.drain, Choices: 1,
				Timeouts: pace, Buffers: &tap.Buffers{},
			})
			if result.End != tap.ClientGone || !c.drain && !errors.Is(result.Cause, errGone) || left != 1 {
				t.Errorf("got end %v, cause %v, OnClientGone called %d times; want ClientGone and 1 call", result.End,
					result.Cause, left)
			}
			if (result.Usage != nil) != c.usage || c.usage && *result.Usage != want || result.Complete != c.complete ||
				c.chunks > 0 && result.Chunks != c.chunks {
				t.Errorf("got result %+v", result)
			}
			if c.chunks == 0 && (src.Len() == 0 || len(c.stream)-src.Len() < 16<<20) {
				t.Errorf("read %d bytes of %d, want more than 16 MiB and not all",
					len(c.stream)-src.Len(), len(c.stream))
			}
			delivery.Abandon()
			if l.writes != l.frames+1 {
				t.Errorf("got %d writes, want none after the one that failed", l.writes)
			}
		})
	}
}

func TestDeliver_DrainsNoFurtherThanTheQuota(t *testing.T) {
	l := &leaver{client: newClient(), frames: 1}
	source := output.NewStream(catalog.Chat,
		iotest.OneByteReader(strings.NewReader(strings.Repeat(frameA, 100)+frameStop+frameUsage+frameDone)), 1<<20, nil)
	_, result := tap.Deliver(t.Context(), l, tap.Options{
		Source: source, Upstream: quiet{}, OnClientGone: func() {}, Drain: true, Choices: 1, Mark: text(50),
		Allowance: &scripted{}, Timeouts: pace, Buffers: &tap.Buffers{},
	})
	if result.End != tap.ClientGone || result.Chunks != 50 || result.Complete {
		t.Errorf("got result %+v, want ClientGone after 50 chunks", result)
	}
}

// Writes to a client that has disconnected may succeed for a while; the context shows the disconnect.
func TestDeliver_DetectsADisconnectByTheContext(t *testing.T) {
	for name, c := range map[string]struct {
		drain bool
		cause error
		want  tap.End
	}{
		"disconnect at the end of the stream": {false, context.Canceled, tap.Completed},
		"disconnect with drain":               {true, context.Canceled, tap.ClientGone},
		"the relay stops":                     {true, errors.New("stopping"), tap.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(c.cause)
			source := output.NewStream(catalog.Chat, strings.NewReader(frameA+frameStop+frameUsage+frameDone), 1<<20,
				nil)
			_, result := tap.Deliver(ctx, newClient(), tap.Options{Source: source, Upstream: quiet{}, Drain: c.drain,
				Choices: 1, Timeouts: pace, Buffers: &tap.Buffers{}})
			if result.End != c.want || result.Usage == nil {
				t.Errorf("got end %v, usage %v, want end %v", result.End, result.Usage, c.want)
			}
		})
	}
}

// stuck is a client that reads nothing: a write to it blocks until the write deadline.
type stuck struct {
	*client
	once sync.Once
	over chan struct{}
}

func (s *stuck) Write([]byte) (int, error) {
	<-s.over
	return 0, errGone
}

func (s *stuck) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() && !at.After(time.Now()) {
		s.once.Do(func() { close(s.over) })
	}
	return nil
}

var _ http.ResponseWriter = (*stuck)(nil)

func TestDeliver_TreatsAClientThatDoesNotReadAsGone(t *testing.T) {
	for name, drain := range map[string]bool{"canceled": false, "drained": true} {
		t.Run(name, func(t *testing.T) {
			slow := tap.Timeouts{KeepAlive: time.Minute, IdleTimeout: time.Minute, WriteTimeout: 20 * time.Millisecond}
			source := output.NewStream(catalog.Chat, strings.NewReader(frameA+frameStop+frameUsage+frameDone), 1<<20,
				nil)
			s := &stuck{client: newClient(), over: make(chan struct{})}
			// The source hands out its frames one by one, so the first write blocks before the stream has been
			// read to its end.
			_, result := tap.Deliver(t.Context(), s, tap.Options{
				Source: &oneByOne{source}, Upstream: quiet{}, OnClientGone: func() {}, Drain: drain, Choices: 1,
				Timeouts: slow, Buffers: &tap.Buffers{},
			})
			if result.End != tap.ClientGone || result.Complete != drain || (result.Usage != nil) != drain {
				t.Errorf("got result %+v", result)
			}
		})
	}
}

// oneByOne is a source that reports no buffered frames, so each frame is written alone.
type oneByOne struct{ *output.Stream }

func (oneByOne) Buffered() bool { return false }
