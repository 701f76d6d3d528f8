package tap

import (
	"context"
	"math"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Allowance decides how many output tokens of a stream may be delivered.
type Allowance interface {
	// Extend is called before a frame that would bring the output to delivered tokens, more than the current
	// mark. It returns the new mark. A mark below delivered ends the stream before that frame.
	Extend(ctx context.Context, delivered int64) Mark
}

// Mark says how much may be delivered before the Allowance is asked again.
type Mark struct {
	Tokens int64 // output tokens since the beginning of the stream
	// ByText also counts tokens by the bytes of the text. Otherwise a chunk counts as one token, which costs
	// nothing but may be too low.
	ByText bool
	// Chunks counts each chunk from now on. Otherwise chunks that cannot reach the mark pass uncounted.
	Chunks bool
}

// Unlimited is the Mark of a stream without a limit.
var Unlimited = Mark{Tokens: math.MaxInt64}

// bytesPerToken is the number of bytes of text that count as one token.
const bytesPerToken = 4

// length counts the delivered text of a stream. Far from the mark it does not count: the next chunks, as many
// as sleeps says, pass without a look at their text.
type length struct {
	mark     Mark
	sleeps   int64 // number of chunks that pass uncounted
	counting bool  // each chunk is counted
	texts    int64 // delivered chunks with text
	bytes    int64 // delivered bytes of text
}

// set sets the mark and decides how many chunks may pass uncounted.
func (l *length) set(m Mark) {
	l.mark = m
	switch {
	case m == Unlimited:
		l.sleeps = math.MaxInt64
	case m.ByText || m.Chunks || l.counting:
		l.sleeps, l.counting = 0, true
	default:
		l.sleeps = m.Tokens
	}
}

// fits reports whether the frame may be delivered. If so, it counts the frame.
func (d *Delivery) fits(ctx context.Context, frame *output.Frame) bool {
	l := &d.length
	if !l.counting && !d.count() {
		return true
	}
	texts, bytes := frame.CountText()
	if texts == 0 {
		return true
	}
	texts, bytes = l.texts+1, l.bytes+bytes
	tokens := texts
	if l.mark.ByText {
		tokens = max(tokens, (bytes+bytesPerToken-1)/bytesPerToken)
	}
	if tokens > l.mark.Tokens {
		l.set(d.Allowance.Extend(ctx, tokens))
	}
	if tokens > l.mark.Tokens {
		return false
	}
	l.texts, l.bytes = texts, bytes
	return true
}

// count starts to count when as many chunks were delivered as tokens are allowed. Some of those chunks had no
// text; the sample tells which share. If that leaves room before the mark, count postpones the start again and
// returns false.
func (d *Delivery) count() (ok bool) {
	l := &d.length
	l.texts = d.result.Chunks
	if d.result.Sampled > 0 {
		texts := int64(0)
		output.EachText(d.result.Sample, func([]byte) { texts++ })
		l.texts = min(l.texts, texts*d.result.Chunks/d.result.Sampled)
	}
	if room := l.mark.Tokens - l.texts; room > 0 {
		l.sleeps = d.result.Chunks + room
		return false
	}
	l.counting, l.sleeps, l.bytes = true, 0, l.texts*bytesPerToken
	return true
}

// exhausted ends the stream before the frame. The frame serves as the template of the chunks that end the
// stream.
func (d *Delivery) exhausted(frame *output.Frame) bool {
	if d.events == nil && d.message == nil {
		d.envelope = output.ChunkTemplateOf(frame.Data)
	}
	return d.end(QuotaExhausted, nil)
}

// FinishExhausted sends the end of a QuotaExhausted stream. It closes each open choice with the finish reason
// "length", a responses stream as incomplete, or a messages stream with the stop reason "max_tokens". It reports the
// usage if the client asked for it. quota is in USD; "" omits it.
func (d *Delivery) FinishExhausted(u usage.Usage, quota string) error {
	switch {
	case d.events != nil:
		return d.send(d.events.incomplete(u, quota))
	case d.message != nil:
		return d.send(d.message.exhausted(u, quota))
	}
	for choice := range max(d.Choices, 1) {
		if !d.finished[choice] {
			d.append(d.envelope.FinishChunk(choice))
		}
	}
	if d.WantsUsage {
		d.append(d.envelope.UsageChunk(u, quota))
	}
	return d.last("[DONE]")
}

// FinishStopped sends the end of a chat or messages stream that ends at a stop sequence before the upstream reported
// the usage. It reports the usage if the client asked for it and did not get it. quota is in USD; "" omits it.
func (d *Delivery) FinishStopped(u usage.Usage, quota string) error {
	if d.message != nil {
		d.enqueue(d.message.counted(u, quota))
		return d.send(d.message.terminal)
	}
	if d.WantsUsage && d.result.Usage == nil {
		d.append(output.ChunkTemplateOf(d.result.Sample).UsageChunk(u, quota)) // the sample begins with a chunk
	}
	return d.last("[DONE]")
}

// finish records which of several choices have ended.
func (d *Delivery) finish(frame *output.Frame) {
	if d.finished == nil {
		d.finished = map[int64]bool{}
	}
	output.EachFinishedChoice(frame.Data, func(choice int64) {
		if choice >= 0 && choice < d.Choices {
			d.finished[choice] = true
		}
	})
}
