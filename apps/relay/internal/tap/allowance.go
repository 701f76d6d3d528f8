package tap

import (
	"context"
	"math"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Allowance decides how far a stream may go.
type Allowance interface {
	// Extend is asked when the frame at hand would bring what was delivered
	// beyond the mark, to the given number of tokens. A mark below that ends the
	// stream without the frame.
	Extend(ctx context.Context, delivered int64) Mark
}

// Mark is how far a stream may go before its Allowance is asked.
type Mark struct {
	Tokens int64
	// ByText counts tokens by the bytes of the text as well. Without it a chunk
	// is a token, which costs nothing to count and may be too few.
	ByText bool
}

// Unlimited is the Mark of a stream that may run to its end.
var Unlimited = Mark{Tokens: math.MaxInt64}

// bytesPerToken is how much text is taken for a token.
const bytesPerToken = 4

// length is how much of a stream was delivered. Up to sleeps chunks nothing is
// counted: a stream far from its mark is not looked into.
type length struct {
	mark     Mark
	sleeps   int64
	counting bool
	texts    int64 // chunks with text
	bytes    int64 // of text
}

func (l *length) set(m Mark) {
	l.mark = m
	switch {
	case m == Unlimited:
		l.sleeps = math.MaxInt64
	case m.ByText || l.counting:
		l.sleeps, l.counting = 0, true
	default:
		l.sleeps = m.Tokens
	}
}

// fits reports whether the frame may be delivered too, and counts it then.
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

// count begins to count where as many chunks have come as tokens may. Not all
// of them had text: how many, the sample tells. While the mark is still away,
// it sleeps again.
func (d *Delivery) count() (begun bool) {
	l := &d.length
	l.texts = d.result.Chunks
	if d.result.Sampled > 0 {
		texts, _ := output.CountText(d.result.Sample)
		l.texts = min(l.texts, texts*d.result.Chunks/d.result.Sampled)
	}
	if away := l.mark.Tokens - l.texts; away > 0 {
		l.sleeps = d.result.Chunks + away
		return false
	}
	l.counting, l.sleeps, l.bytes = true, 0, l.texts*bytesPerToken
	return true
}

// exhausted ends the stream before the frame. The frame provides the envelope.
func (d *Delivery) exhausted(frame *output.Frame) bool {
	if d.events == nil {
		d.envelope = output.ChunkTemplateOf(frame.Data)
	}
	return d.end(QuotaExhausted, nil)
}

// FinishExhausted sends the end of a QuotaExhausted stream: it finishes what is
// open with the reason "length", of a responses stream as incomplete, and tells
// a client that wants to know what was consumed. quota is in USD, "" for none.
func (d *Delivery) FinishExhausted(u usage.Usage, quota string) error {
	if d.events != nil {
		return d.send(d.events.incomplete(u, quota))
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

// finish notes which of several choices have ended.
func (d *Delivery) finish(frame *output.Frame) {
	if d.finished == nil {
		d.finished = map[int64]bool{}
	}
	output.EachFinishedChoice(frame.Data, func(choice int64) {
		if choice < d.Choices {
			d.finished[choice] = true
		}
	})
}
