// Package tap passes an upstream's stream on to the client as it arrives, and observes it on the way.
//
// Only whole frames pass: a stream that breaks off within a frame, or has one with malformed data, ends with an error
// after the frames before it. The bytes of a frame pass unchanged, except that the quota is added to the usage if the
// client asked for it.
// The upstream's comments are left out, and so is a usage chunk that the client did not ask for. The tap only
// reads what metering needs: the reported usage, a sample of the text in case no usage is reported, and how the
// stream ended. It delays the last frame until the call is metered and its event is in the spool.
//
//	Source.Next -> frame -+- last frame (or [DONE]) ---------> held back: Finish or Fail sends it
//	                      +- Allowance: may more be delivered? -> no: QuotaExhausted
//	                      +- read usage, sample, finish reason
//	                      +- append to pending -> written when the source has no further frame at hand
//
// Frames that arrived together are written together, so a fast upstream costs few writes. A pacer runs next to
// this loop with one timer. It sends a keep-alive comment to the client during a silence, cancels an upstream
// that is silent for too long, and fails a write to a client that doesn't read.
//
// When the client disconnects, the tap ends the stream or, if the channel is set to drain, reads on within
// bounds without writing, because the provider bills for the whole answer and reports the usage at its end.
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
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/web"
	"github.com/tollgate/tollgate/libs/wire/messages"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Source returns the frames of a stream. output.Stream implements it.
type Source interface {
	// Next returns the next frame, io.EOF at the end. The frame is valid until the next call.
	Next() (output.Frame, error)
	// Buffered reports whether Next can return at once, without a wait for the upstream.
	Buffered() bool
}

// Upstream is the sender of a stream. Its methods are called while the Source is being read.
type Upstream interface {
	// LastRead returns when bytes of the stream arrived last, also those that are in no frame of the Source.
	LastRead() time.Time
	// CancelSilent ends the Source because the upstream has been silent for too long.
	CancelSilent()
}

// Options configures one delivery.
type Options struct {
	Source       Source
	Upstream     Upstream
	Dialect      catalog.Dialect          // Chat, Responses or Messages
	WantsUsage   bool                     // the client asked for the usage chunk
	FormatQuota  func(usage.Usage) string // formats the quota in USD for the usage object; nil omits it
	OnClientGone func()                   // called when a write to the client fails; may be nil
	Drain        bool                     // continue to read, within bounds, when the client has disconnected
	Choices      int64                    // number of answers that the client asked for
	Mark         Mark                     // up to here the Allowance need not be asked
	Allowance    Allowance                // nil: the stream is not limited
	Timeouts     Timeouts
	Buffers      *Buffers // pool for the memory of the delivery
}

// Buffers pools memory for frames that are about to be written, and for samples. The zero value is ready to use and
// safe for concurrent use.
type Buffers struct{ pending, samples sync.Pool }

// take returns an empty buffer of the pool, or a new one of the size.
func take(pool *sync.Pool, size int) *[]byte {
	if buf, ok := pool.Get().(*[]byte); ok {
		return buf
	}
	b := make([]byte, 0, size)
	return &b
}

// End says how a stream ended.
type End uint8

// The ends of a stream.
const (
	Completed       End = iota // only [DONE] or the terminal event is left to send
	UpstreamAborted            // the upstream ended the stream early or sent malformed data
	UpstreamError              // the upstream sent an error
	ClientGone                 // the client disconnected
	QuotaExhausted             // the Allowance ended the stream
)

// Result holds the tap's observations of a stream.
type Result struct {
	End           End
	Cause         error  // for UpstreamAborted and ClientGone
	Complete      bool   // the upstream sent its end, even if the client didn't get all of it
	output.Report        // what the frames say about the answer
	SinceUsage    int64  // number of frames after the last report of the usage
	Sample        []byte // data of the first chunks, concatenated; valid until the end of the Delivery
	Sampled       int64  // number of chunks in Sample
	// Number of all chunks; in the dialects responses and messages only those with a piece of text.
	Chunks int64
	// Number of the chunks of more than largeChunk bytes that are not in Sample, and the bytes of their text.
	Large, LargeText int64
	FirstByte        time.Time // when the first frame was written to the client
}

// maxSample bounds the text that is kept in case the usage must be estimated. Every open stream needs this
// memory.
const (
	firstSample = 512
	maxSample   = 16 << 10
)

// largeChunk is the size in bytes above which a chunk that has no room in the sample is not counted as one like those
// in the sample. Its text is counted.
const largeChunk = maxSample / 4

// firstPending is the capacity of a new buffer for frames.
const firstPending = 4 << 10

// maxPending is the size in bytes at which pending frames are written although more are available. It keeps the
// writes large when the source is faster than the client.
const maxPending = 31_000

// maxDrained bounds the bytes that are read after the client has disconnected.
const maxDrained = 16 << 20

// maxPooled is the capacity above which a buffer isn't returned to the pool, because only a single large frame
// needed it.
const maxPooled = 64 << 10

// Delivery is a stream on its way to the client. The caller must end it with exactly one of Finish,
// FinishExhausted, FinishStopped, Fail and Abandon. It is not safe for concurrent use.
type Delivery struct {
	Options
	w               http.ResponseWriter
	pacer           *pacer
	result          Result
	hasFinishReason bool // a choice has its finish reason
	hasTotal        bool // the last frame has only the usage, after a finish reason
	// pending holds frames that are not written yet. It is nil while there are none, because a stream spends most of
	// its time waiting for the upstream.
	pending *[]byte
	sample  *[]byte // memory of the result's Sample

	length   length
	finished map[int64]bool // the choices that have ended; only used if there are several
	// envelope is the template of the chunks that end a stream when the quota is exhausted.
	envelope output.ChunkTemplate
	events   *events  // only in a responses stream
	message  *message // only in a messages stream

	progress   bool // a frame since the last write is no ping
	clientGone bool // writes to the client failed, and the upstream is being drained
	drained    int  // bytes read since the client has gone
}

// Deliver sends the status 200 unless the client has it, passes frames on until the stream ends, and returns its
// observations. The end of the stream is not sent yet, and neither are frames that arrived together with it: Finish,
// FinishExhausted or Fail sends them.
func (o *Opening) Deliver(ctx context.Context, options Options) (*Delivery, Result) {
	o.EndComments()
	o.pacer.head()
	d := o.newDelivery(options)
	if d.events != nil {
		d.events.skeleton = o.skeleton
	}
	d.sample = take(&d.Buffers.samples, firstSample)
	d.result.Sample = (*d.sample)[:0]
	frame := keepAlive
	if d.message != nil {
		frame = ping
	}
	d.pacer.answered(d.Timeouts, d.Upstream, frame)
	defer d.pacer.close() // also after a panic: the timer must not write to a response that is over
	for d.pass(ctx) {
	}
	d.result.Complete = d.result.End == Completed
	if d.isClientGone(ctx) {
		d.result.End = ClientGone
	}
	return d, d.result
}

// newDelivery returns a delivery with the state that its dialect needs.
func (o *Opening) newDelivery(options Options) *Delivery {
	d := &Delivery{Options: options, w: o.pacer.w, pacer: o.pacer}
	if d.Allowance == nil {
		d.Mark = Unlimited
	}
	d.length.set(d.Mark)
	switch d.Dialect { //nolint:exhaustive // a chat stream needs no state
	case catalog.Responses:
		d.events = newEvents(&d.length)
		d.events.next = o.next
	case catalog.Messages:
		d.message = &message{open: map[int64]bool{}}
	}
	return d
}

// isClientGone reports whether the stream counts as ended by the client's disconnect.
func (d *Delivery) isClientGone(ctx context.Context) bool {
	// Any other cause is a relay that stops.
	clientGone := d.clientGone || errors.Is(context.Cause(ctx), context.Canceled)
	switch d.result.End {
	case UpstreamAborted:
		return clientGone
	case Completed, UpstreamError, QuotaExhausted:
		return clientGone && d.Drain // without Drain, a client that left at the end of the stream has its whole answer
	}
	return false
}

// Shared by all streams: net/http does not change header values.
var (
	eventStream = []string{"text/event-stream; charset=utf-8"}
	noCache     = []string{"no-cache"}
	noBuffering = []string{"no"} // asks nginx not to buffer the response
	ping        = []byte(messages.PingFrame)
)

// pass handles one frame and reports whether the stream continues. It writes only when no further frame is
// available at once.
func (d *Delivery) pass(ctx context.Context) bool {
	frame, err := d.Source.Next()
	switch {
	case errors.Is(err, io.EOF) && d.hasFinished(), err == nil && frame.Done: // some upstreams omit [DONE]
		return d.end(Completed, nil)
	case err != nil:
		return d.end(UpstreamAborted, err)
	case frame.Err != nil: // the client would get half a JSON
		return d.end(UpstreamAborted, frame.Err)
	case frame.Chunk.Error != nil:
		return d.end(UpstreamError, nil)
	case frame.Event.Terminal():
		return d.terminal(&frame)
	case d.result.Chunks >= d.length.sleeps && !d.fits(ctx, &frame):
		return d.exhausted(&frame)
	}
	d.read(&frame)
	d.progress = d.progress || frame.Event == nil || frame.Event.Type != output.EventPending
	if d.clientGone {
		return d.drain(&frame)
	}
	switch {
	case d.message != nil:
		d.enqueueMessage(&frame)
	case !frame.Chunk.UsageOnly || d.WantsUsage:
		d.enqueue(d.withQuota(&frame))
	}
	if d.Source.Buffered() && (d.pending == nil || len(*d.pending) < maxPending) {
		return true
	}
	return d.flush()
}

// hasFinished reports whether all choices of a chat stream have their finish reason, or those that the upstream has
// made: some upstreams ignore n and send one choice and its usage.
func (d *Delivery) hasFinished() bool {
	return d.hasFinishReason && (d.Choices < 2 || d.hasTotal || int64(len(d.finished)) == d.Choices)
}

// enqueue adds frames to those that are not written yet.
func (d *Delivery) enqueue(frames []byte) {
	if d.pending == nil {
		d.pending = take(&d.Buffers.pending, firstPending)
	}
	*d.pending = append(*d.pending, frames...)
}

// release returns the memory of the pending frames to the pool.
func (d *Delivery) release() {
	if d.pending != nil && cap(*d.pending) <= maxPooled {
		*d.pending = (*d.pending)[:0]
		d.Buffers.pending.Put(d.pending)
	}
	d.pending = nil
}

// flush writes the pending frames and reports whether the stream continues.
func (d *Delivery) flush() bool {
	if d.pending == nil {
		return true
	}
	send := d.pacer.sendPings
	if d.progress {
		send, d.progress = d.pacer.send, false
	}
	err := send(*d.pending)
	d.release()
	if err != nil {
		return d.leave(err)
	}
	if d.result.FirstByte.IsZero() {
		d.result.FirstByte = time.Now()
	}
	return true
}

// end sets how the stream ended. It returns false, which ends the loop in Deliver.
func (d *Delivery) end(end End, cause error) bool {
	d.result.End, d.result.Cause = end, cause
	return false
}

// leave handles a client that can no longer be written to. It ends the stream, or continues to read if the
// upstream must be drained.
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

// drain drops a frame that no client will read, and ends the stream after maxDrained bytes.
func (d *Delivery) drain(frame *output.Frame) bool {
	if d.progress {
		d.pacer.hear()
		d.progress = false
	}
	d.drained += len(frame.Raw)
	if d.drained > maxDrained {
		return d.end(ClientGone, nil)
	}
	return true
}

// read updates the result with the facts of a frame that metering needs.
func (d *Delivery) read(frame *output.Frame) {
	d.result.SinceUsage++
	d.result.Add(frame)
	d.hasTotal = d.hasFinishReason && frame.Chunk.UsageOnly
	if frame.Chunk.Usage != nil {
		d.result.SinceUsage = 0
	}
	if frame.Chunk.Finished {
		d.hasFinishReason = true
		if d.Choices > 1 {
			d.finish(frame)
		}
	}
	if d.events != nil && !d.events.see(frame) || d.message != nil && !d.message.see(frame) {
		return
	}
	d.result.Chunks++
	switch {
	case len(d.result.Sample)+len(frame.Data) <= maxSample:
		d.result.Sample = append(d.result.Sample, frame.Data...)
		d.result.Sampled++
	case len(frame.Data) > largeChunk:
		_, size := frame.CountText()
		d.result.Large++
		d.result.LargeText += size
	}
}

// withQuota returns the bytes of the frame, with the quota added to its usage if the client asked for it.
func (d *Delivery) withQuota(frame *output.Frame) []byte {
	if d.FormatQuota == nil || frame.Chunk.Usage == nil || frame.Event != nil &&
		frame.Event.Type == output.EventPending {
		return frame.Raw
	}
	return frame.WithQuota(d.FormatQuota(d.result.Charges.AddTo(*frame.Chunk.Usage)))
}

// Abandon ends a delivery whose client has disconnected: nothing more is sent. After Abandon, Finish,
// FinishExhausted, FinishStopped or Fail the Result's Sample is no longer valid.
func (d *Delivery) Abandon() {
	d.release()
	if d.sample != nil {
		*d.sample = d.result.Sample[:0]
		d.Buffers.samples.Put(d.sample)
	}
	d.sample, d.result.Sample = nil, nil
}

// Finish sends the end of a complete stream: the upstream's terminal event, with the event before it that has the usage
// of a message, or [DONE].
func (d *Delivery) Finish() error {
	switch {
	case d.events != nil:
		return d.send(d.events.terminal)
	case d.message != nil:
		d.enqueue(d.message.delta)
		return d.send(d.message.terminal)
	}
	return d.last("[DONE]")
}

// last sends the pending bytes, then an event with the data.
func (d *Delivery) last(data string) error {
	d.append([]byte(data))
	return d.send(nil)
}

// send writes the pending bytes and the last frames, then releases the memory.
func (d *Delivery) send(frames []byte) error {
	defer d.Abandon()
	d.enqueue(frames)
	if err := web.Send(d.w, *d.pending); err != nil {
		return fmt.Errorf("send to the client: %w", err)
	}
	return nil
}

// append adds an event with the data to the pending frames.
func (d *Delivery) append(data []byte) {
	d.enqueue([]byte("data: "))
	d.enqueue(data)
	d.enqueue([]byte("\n\n"))
}

// Fail ends a stream with an error. In a chat stream an error event replaces [DONE]; a responses stream ends
// with response.failed, and a messages stream with the event error.
func (d *Delivery) Fail(p *problem.Problem) error {
	e := envelope.Of(p)
	switch {
	case d.events != nil:
		return d.send(d.events.failed(d.result.End, e.Error))
	case d.message != nil:
		e = envelope.MessageOf(p, d.w.Header().Get("X-Request-Id"))
		d.enqueue([]byte("event: error\n"))
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the error event: %w", err)
	}
	return d.last(string(data))
}
