// Package tap passes an upstream's stream to the client as it arrives. It reads
// only what metering needs: the usage, the text if there is no usage, and how the
// stream ended. It holds the last frame back until the call is metered.
package tap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/web"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Source hands out the frames of a stream.
type Source interface {
	Next() (output.Frame, error)
	Buffered() bool
}

// Options of one delivery.
type Options struct {
	Source       Source
	Dialect      catalog.Dialect          // Chat or Responses
	WantsUsage   bool                     // the client wants the usage chunk
	FormatQuota  func(usage.Usage) string // the quota in USD to put into the usage, nil for none
	OnSilence    func()                   // called when the upstream has been silent for too long
	OnClientGone func()                   // called when the client cannot be written to
	Drain        bool                     // read on, within bounds, when the client has left
	Choices      int64                    // how many answers the client asked for
	Mark         Mark                     // up to here the Allowance is not asked
	Allowance    Allowance                // nil: there is none
	Timeouts     Timeouts
	Buffers      *Buffers // where the delivery's memory comes from and goes to
}

// Buffers keeps the memory of deliveries that have ended. The zero value is
// ready; it is safe for concurrent use.
type Buffers struct{ pool sync.Pool }

type buffer struct{ pending, sample []byte }

func (b *Buffers) take() *buffer {
	if kept, ok := b.pool.Get().(*buffer); ok {
		return kept
	}
	return &buffer{pending: make([]byte, 0, 4<<10), sample: make([]byte, 0, firstSample)}
}

// End tells how a stream ended.
type End uint8

// The ends. Completed: only [DONE] or the terminal event is still to be sent.
// UpstreamAborted: the upstream broke off or sent malformed data. UpstreamError:
// it sent an error. ClientGone: the client left. QuotaExhausted: the Allowance
// ended the stream.
const (
	Completed End = iota
	UpstreamAborted
	UpstreamError
	ClientGone
	QuotaExhausted
)

// Result is what was seen of a stream.
type Result struct {
	End        End
	Cause      error        // of UpstreamAborted and ClientGone
	Complete   bool         // the upstream came to its end, whatever the client got of it
	Usage      *usage.Usage // the last one reported, nil for none
	SinceUsage int64        // how many frames came after the Usage
	Sample     []byte       // data of the first chunks, one after the other
	Sampled    int64        // how many chunks Sample has
	Chunks     int64        // how many came in all; of a responses stream, how many with a piece of text
	FirstByte  time.Time    // when the first frame went to the client
}

// maxSample bounds what is kept of a stream for the case that its usage must
// be estimated: more would cost memory for every open stream.
const (
	firstSample = 2 << 10
	maxSample   = 16 << 10
)

// maxPending is the size in bytes at which pending frames are sent though more
// are here: a source that is faster than its client costs few large writes.
const maxPending = 31_000

// maxDrained bounds the bytes that are read for a client that has left.
const maxDrained = 16 << 20

// maxKept is the size beyond which a buffer is not kept: it was for one large
// frame.
const maxKept = 64 << 10

// Delivery is a stream on its way to the client. It is not safe for
// concurrent use.
type Delivery struct {
	Options
	w      http.ResponseWriter
	pacer  *pacer
	result Result
	whole  bool // some choice has its finish reason
	// pending are frames that are not sent yet.
	pending []byte

	length   length
	finished map[int64]bool // of several choices, those that have ended
	envelope output.ChunkTemplate
	events   *events // nil in a chat stream

	clientGone bool // the client cannot be written to, and the upstream is drained
	drained    int  // bytes
}

// Deliver commits the client's 200, passes frames on until the stream ends,
// and returns what was seen. Only the end is missing then, and what came
// together with it: Finish sends it, or Fail.
func Deliver(ctx context.Context, w http.ResponseWriter, o Options) (*Delivery, Result) {
	header := w.Header()
	header["Content-Type"] = eventStream
	header["Cache-Control"] = noCache
	header["X-Accel-Buffering"] = no
	w.WriteHeader(http.StatusOK)
	kept := o.Buffers.take()
	d := &Delivery{Options: o, w: w, pacer: newPacer(w, o.Timeouts, o.OnSilence), pending: kept.pending[:0]}
	d.result.Sample = kept.sample[:0]
	defer d.pacer.close() // after a panic too: the timer must not write to an answer that is over
	if o.Allowance == nil {
		d.Mark = Unlimited
	}
	d.length.set(d.Mark)
	if o.Dialect == catalog.Responses {
		d.events = newEvents(&d.length)
	}
	for d.pass(ctx) {
	}
	d.result.Complete = d.result.End == Completed
	if d.isClientGone(ctx) {
		d.result.End = ClientGone
	}
	return d, d.result
}

// left reports whether the stream ended for a client that is no more there.
func (d *Delivery) isClientGone(ctx context.Context) bool {
	left := d.clientGone || errors.Is(context.Cause(ctx), context.Canceled) // another cause is a relay that stops
	switch d.result.End {
	case UpstreamAborted:
		return left
	case Completed, UpstreamError, QuotaExhausted:
		return left && d.Drain // who left as it ended, not knowing, is no concern without
	}
	return false
}

// Shared by all streams: net/http does not change header values.
var (
	eventStream = []string{"text/event-stream; charset=utf-8"}
	noCache     = []string{"no-cache"}
	no          = []string{"no"} // asks nginx not to buffer
)

// pass moves one frame and reports whether to go on. Frames that came
// together go on together.
func (d *Delivery) pass(ctx context.Context) bool {
	frame, err := d.Source.Next()
	switch {
	case errors.Is(err, io.EOF) && d.whole, err == nil && frame.Done: // some servers leave [DONE] out
		return d.end(Completed, nil)
	case err != nil:
		return d.end(UpstreamAborted, err)
	case frame.Chunk.Error != nil:
		return d.end(UpstreamError, nil)
	case frame.Event.Terminal():
		return d.terminal(&frame)
	case d.result.Chunks >= d.length.sleeps && !d.fits(ctx, &frame):
		return d.exhausted(&frame)
	}
	d.read(&frame)
	if d.clientGone {
		return d.drain(&frame)
	}
	if !frame.Chunk.UsageOnly || d.WantsUsage {
		d.pending = append(d.pending, d.withQuota(&frame)...)
	}
	if d.Source.Buffered() && len(d.pending) < maxPending {
		return true
	}
	return d.flush()
}

func (d *Delivery) flush() bool {
	if len(d.pending) == 0 {
		return true
	}
	if err := d.pacer.send(d.pending); err != nil {
		return d.leave(err)
	}
	d.pending = d.pending[:0]
	if d.result.FirstByte.IsZero() {
		d.result.FirstByte = time.Now()
	}
	return true
}

func (d *Delivery) end(end End, cause error) bool {
	d.result.End, d.result.Cause = end, cause
	return false
}

// leave ends what the client is given. Where the upstream is to be drained it
// goes on for the sake of what metering reads.
func (d *Delivery) leave(cause error) bool {
	if d.OnClientGone != nil {
		d.OnClientGone()
	}
	if !d.Drain {
		return d.end(ClientGone, cause)
	}
	d.clientGone = true
	d.pacer.leave()
	return true
}

// drain lets a frame go that nobody is there for.
func (d *Delivery) drain(frame *output.Frame) bool {
	d.pacer.hear()
	d.drained += len(frame.Raw)
	if d.drained > maxDrained {
		return d.end(ClientGone, nil)
	}
	return true
}

// read takes what metering needs.
func (d *Delivery) read(frame *output.Frame) {
	d.result.SinceUsage++
	if frame.Chunk.Usage != nil {
		d.result.Usage, d.result.SinceUsage = frame.Chunk.Usage, 0
	}
	if frame.Chunk.Finished {
		d.whole = true
		if d.Choices > 1 {
			d.finish(frame)
		}
	}
	if d.events != nil && !d.events.see(frame) {
		return
	}
	d.result.Chunks++
	if len(d.result.Sample)+len(frame.Data) <= maxSample {
		d.result.Sample = append(d.result.Sample, frame.Data...)
		d.result.Sampled++
	}
}

func (d *Delivery) withQuota(frame *output.Frame) []byte {
	if d.FormatQuota == nil || frame.Chunk.Usage == nil {
		return frame.Raw
	}
	return frame.WithQuota(d.FormatQuota(*frame.Chunk.Usage))
}

// Abandon ends a delivery whose client is gone. It, Finish, FinishExhausted and Fail
// are the ends of a Delivery: after one of them its Result's Sample is not valid.
func (d *Delivery) Abandon() {
	if cap(d.pending) <= maxKept {
		d.Buffers.pool.Put(&buffer{d.pending, d.result.Sample})
	}
	d.pending, d.result.Sample = nil, nil
}

// Finish sends the end of a whole stream.
func (d *Delivery) Finish() error {
	if d.events != nil {
		return d.send(d.events.terminal)
	}
	return d.last("[DONE]")
}

// last sends what is pending and an event with the data.
func (d *Delivery) last(data string) error {
	d.append([]byte(data))
	return d.send(nil)
}

// send sends what is pending and the last frames.
func (d *Delivery) send(frames []byte) error {
	defer d.Abandon()
	d.pending = append(d.pending, frames...)
	if err := web.Send(d.w, d.pending); err != nil {
		return fmt.Errorf("send to the client: %w", err)
	}
	return nil
}

func (d *Delivery) append(data []byte) {
	d.pending = append(append(append(d.pending, "data: "...), data...), "\n\n"...)
}

// Fail ends a stream with an error: in a chat stream with an event in place of
// [DONE], in a responses stream with response.failed.
func (d *Delivery) Fail(e envelope.ErrorResponse) error {
	if d.events != nil {
		return d.send(d.events.failed(d.result.End, e.Error))
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the error: %w", err)
	}
	return d.last(string(data))
}
