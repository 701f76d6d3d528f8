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
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

var errGone = errors.New("the client is gone")

// leaver is a client that reads so many frames and is gone then.
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

func TestAClientThatLeaves(t *testing.T) {
	whole := strings.Repeat(frameA, 10) + frameStop + frameUsage + frameDone
	want := usage.Usage{Input: 3, Output: 2}
	for name, c := range map[string]struct {
		stream   string
		drain    bool
		usage    bool
		complete bool
		chunks   int64
	}{
		"the upstream is left too":           {whole, false, false, false, 4},
		"the upstream is drained to its end": {whole, true, true, true, 12},
		"the upstream is drained, and cut":   {strings.Repeat(frameA, 10), true, false, false, 10},
		"the upstream is drained to a fault": {strings.Repeat(frameA, 10) + `data: {"error":{"message":"no"}}` + "\n\n", true, false, false, 10},
		"the upstream is drained too long":   {strings.Repeat(frameA, 400_000), true, false, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := &leaver{client: newClient(), frames: 3}
			left := 0
			var src = strings.NewReader(c.stream)
			stream := output.NewChatStream(iotest.OneByteReader(src), 1<<20, nil)
			if len(c.stream) > 1<<20 {
				stream = output.NewChatStream(src, 1<<20, nil)
				l.frames = 0
			}
			delivery, result := tap.Deliver(t.Context(), l, tap.Options{
				Source: stream, OnSilence: func() {}, OnClientGone: func() { left++ }, Drain: c.drain, Choices: 1, Timeouts: pace, Buffers: &tap.Buffers{},
			})
			if result.End != tap.ClientGone || !c.drain && !errors.Is(result.Cause, errGone) || left != 1 {
				t.Errorf("end %v, %v, left %d times", result.End, result.Cause, left)
			}
			if (result.Usage != nil) != c.usage || c.usage && *result.Usage != want || result.Complete != c.complete || c.chunks > 0 && result.Chunks != c.chunks {
				t.Errorf("seen %+v", result)
			}
			if c.chunks == 0 && (src.Len() == 0 || len(c.stream)-src.Len() < 16<<20) {
				t.Errorf("%d bytes were read of %d", len(c.stream)-src.Len(), len(c.stream))
			}
			delivery.Abandon()
			if l.writes != l.frames+1 {
				t.Errorf("%d writes, want none after the one that failed", l.writes)
			}
		})
	}
}

func TestADrainedStreamGoesNoFurtherThanItsQuota(t *testing.T) {
	l := &leaver{client: newClient(), frames: 1}
	source := output.NewChatStream(iotest.OneByteReader(strings.NewReader(strings.Repeat(frameA, 100)+frameStop+frameUsage+frameDone)), 1<<20, nil)
	_, result := tap.Deliver(t.Context(), l, tap.Options{
		Source: source, OnSilence: func() {}, OnClientGone: func() {}, Drain: true, Choices: 1, Mark: text(50), Allowance: &purse{}, Timeouts: pace, Buffers: &tap.Buffers{},
	})
	if result.End != tap.ClientGone || result.Chunks != 50 || result.Complete {
		t.Errorf("seen %+v", result)
	}
}

// Writing to a client that has left may work for a while: its context tells.
func TestAClientWhoseContextEnds(t *testing.T) {
	for name, c := range map[string]struct {
		drain bool
		cause error
		want  tap.End
	}{
		"it left as the stream ended": {false, context.Canceled, tap.Completed},
		"it left, and was drained":    {true, context.Canceled, tap.ClientGone},
		"the relay stops":             {true, errors.New("stopping"), tap.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(c.cause)
			source := output.NewChatStream(strings.NewReader(frameA+frameStop+frameUsage+frameDone), 1<<20, nil)
			_, result := tap.Deliver(ctx, newClient(), tap.Options{Source: source, OnSilence: func() {}, Drain: c.drain, Choices: 1, Timeouts: pace, Buffers: &tap.Buffers{}})
			if result.End != c.want || result.Usage == nil {
				t.Errorf("end %v, usage %v", result.End, result.Usage)
			}
		})
	}
}

// stuck is a client that reads nothing: writing to it waits for its deadline.
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

func TestAClientThatDoesNotReadIsGivenUp(t *testing.T) {
	for name, drain := range map[string]bool{"cancelled": false, "drained": true} {
		t.Run(name, func(t *testing.T) {
			slow := tap.Timeouts{KeepAlive: time.Minute, IdleTimeout: time.Minute, WriteTimeout: 20 * time.Millisecond}
			source := output.NewChatStream(strings.NewReader(frameA+frameStop+frameUsage+frameDone), 1<<20, nil)
			s := &stuck{client: newClient(), over: make(chan struct{})}
			// The first frames come together and go together: only the end of a
			// drained stream is left to read.
			_, result := tap.Deliver(t.Context(), s, tap.Options{
				Source: &oneByOne{source}, OnSilence: func() {}, OnClientGone: func() {}, Drain: drain, Choices: 1, Timeouts: slow, Buffers: &tap.Buffers{},
			})
			if result.End != tap.ClientGone || result.Complete != drain || (result.Usage != nil) != drain {
				t.Errorf("seen %+v", result)
			}
		})
	}
}

// oneByOne is a source whose frames go one by one.
type oneByOne struct{ *output.Stream }

func (oneByOne) Buffered() bool { return false }
