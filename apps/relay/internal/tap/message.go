package tap

import (
	"bytes"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/messages"
	"github.com/tollgate/tollgate/libs/wire/metered"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// message is the state of a messages stream that is needed to end it. The event with the stop reason and the usage,
// message_delta, is held back together with message_stop, so that a client never takes an answer for complete whose
// call is not recorded yet.
type message struct {
	open      map[int64]bool // the content blocks that have begun and not ended; never more than maxOpenBlocks
	delta     []byte         // the frame of message_delta, nil for none
	uncounted bool           // last has no usage
	terminal  []byte         // the frame of message_stop
}

// maxOpenBlocks bounds the open blocks that are known. A correct stream has one.
const maxOpenBlocks = 128

// see updates the state with a frame and reports whether the frame has a piece of a block.
func (m *message) see(frame *output.Frame) (piece bool) {
	if frame.Event == nil {
		return false
	}
	switch frame.Event.Name {
	case "content_block_start":
		if len(m.open) < maxOpenBlocks {
			m.open[frame.Event.Index] = true
		}
	case "content_block_stop":
		delete(m.open, frame.Event.Index)
	}
	return frame.Event.Type == output.EventDelta
}

// enqueueMessage adds a frame of a messages stream to those that are not written yet. It keeps message_delta, and a
// frame before it that was kept goes first.
func (d *Delivery) enqueueMessage(frame *output.Frame) {
	m := d.message
	if m.delta != nil {
		d.enqueue(m.delta)
		m.delta = nil
	}
	if frame.Event.Name == "message_delta" {
		m.delta, m.uncounted = bytes.Clone(d.withQuota(frame)), frame.Chunk.Usage == nil
		return
	}
	d.enqueue(d.withQuota(frame))
}

// Uncounted reports whether a complete messages stream ends without a report of its usage. FinishStopped then adds it.
func (d *Delivery) Uncounted() bool { return d.message != nil && d.message.uncounted }

// counted returns the frame of message_delta with the usage, unless it has one.
func (m *message) counted(u usage.Usage, quota string) []byte {
	if !m.uncounted {
		return m.delta
	}
	draft, err := rawjson.NewDraft(sse.Data(m.delta))
	if err != nil { // the frame was scanned before
		return m.delta
	}
	draft.Set("usage", metered.AppendUsage(nil, u, quota))
	frame := append([]byte("event: message_delta\ndata: "), draft.Finish().Bytes()...)
	return append(frame, "\n\n"...)
}

// exhausted returns the frames that end the stream because the quota is used up: the ends of the open blocks, and of
// the message.
func (m *message) exhausted(u usage.Usage, quota string) (frames []byte) {
	for index := range m.open {
		frames = append(frames, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":"...)
		frames = append(strconv.AppendInt(frames, index, 10), "}\n\n"...)
	}
	frames = append(frames, "event: message_delta\ndata: "+
		"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\",\"stop_sequence\":null},\"usage\":"...)
	frames = append(metered.AppendUsage(frames, u, quota), "}\n\n"...)
	return append(frames, messages.StopFrame...)
}
