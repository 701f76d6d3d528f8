package output_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

const (
	messageStart = `{"type":"message_start","message":{"id":"m","type":"message","content":[],"usage":{"input_tokens":7,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":2,"ephemeral_5m_input_tokens":3},"cache_read_input_tokens":4,"output_tokens":1,"service_tier":"priority"}}}`
	messageText  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`
	messageLast  = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9,"server_tool_use":{"web_search_requests":2}}}`
	messageStop  = `{"type":"message_stop"}`
)

func TestMessagesStream_AddsTheUsageOfItsEvents(t *testing.T) {
	source := strings.NewReader("event: message_start\ndata: " + messageStart +
		"\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\ndata: " + messageText + "\n\ndata: " + messageLast +
		"\n\ndata: " + messageStop + "\n\ndata: [DONE]\n\n")
	stream := output.NewStream(catalog.Messages, iotest.OneByteReader(source), 1<<20, nil)
	first, err := stream.Peek()
	if err != nil || first.Event.Type != output.EventDelta {
		t.Fatalf("Peek: got %+v, %v, want the first piece of a block", first.Event, err)
	}
	var types []output.EventType
	var names []string
	var last *usage.Usage
	for {
		frame, err := stream.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			break
		}
		types = append(types, frame.Event.Type)
		names = append(names, frame.Event.Name)
		if frame.Chunk.Usage != nil {
			last = frame.Chunk.Usage
		}
	}
	want := usage.Usage{Input: 7, CacheWrite: 5, CachedInput: 4, Output: 9,
		Details: usage.Details{CacheWrite1h: 2, ServiceTier: "priority", Tools: usage.Tools{WebSearchCalls: 2}}}
	if last == nil || *last != want {
		t.Errorf("got the usage %+v, want %+v", last, want)
	}
	if len(types) != 5 || types[0] != output.EventPending || types[1] != output.EventPending ||
		names[3] != "message_delta" || types[4] != output.EventCompleted {
		t.Errorf("got the events %v", types)
	}
}

func TestMessagesStream_ReadsErrorsAndCountsText(t *testing.T) {
	frame := func(data string) output.Frame {
		t.Helper()
		got, err := output.NewStream(catalog.Messages, strings.NewReader("data: "+data+"\n\n"), 1<<20, nil).Next()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if f := frame(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`); f.Chunk.Error ==
		nil || f.Chunk.Error.Type != "overloaded_error" || f.Event.Type != output.EventError {
		t.Errorf("got %+v", f)
	}
	if f := frame(`{"error":"no"}`); f.Chunk.Error == nil {
		t.Errorf("an error without a type: got %+v", f)
	}
	if f := frame(`{"type":`); f.Err == nil {
		t.Error("malformed data has no error")
	}
	if f := frame(`{"index":3,"type":"content_block_stop"}`); f.Event.Index != 3 ||
		f.Event.Name != "content_block_stop" {
		t.Errorf("got %+v", f.Event)
	}
	for data, want := range map[string]int64{
		messageText: 2,
		`{"type": "content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`: 5,
		`{"delta":{"thinking":"hmm"},"type":"content_block_delta"}`:                                              3,
		`{"type":"content_block_start","content_block":{"type":"text","text":"again"}}`:                          0,
	} {
		f := frame(data)
		if _, bytes := f.CountText(); f.Event.Type == output.EventDelta && bytes != want ||
			f.Event.Type != output.EventDelta && want != 0 {
			t.Errorf("%s: got %d bytes", data, bytes)
		}
	}
}

func TestScanMessage_ReadsTheUsage(t *testing.T) {
	const body = `{"type":"message","content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":7,"output_tokens":3,"cost":1}}`
	got, err := output.ScanAnswer(catalog.Messages, []byte(body))
	if err != nil || got.Usage == nil || *got.Usage != (usage.Usage{Input: 7, Output: 3}) ||
		string(got.Generated([]byte(body))) != `[{"type":"text","text":"hi"}]` {
		t.Errorf("got %+v, %v", got, err)
	}
	if string(got.UsageAt.Of([]byte(body))) != `{"input_tokens":7,"output_tokens":3,"cost":1}` {
		t.Errorf("reported: %s", got.UsageAt.Of([]byte(body)))
	}
	for _, other := range []string{`{"choices":[]}`, `{"type":"message"}`, `{"type":"other","content":[]}`,
		`{"type":"message","content":[]`, `[]`} {
		if _, err := output.ScanAnswer(catalog.Messages, []byte(other)); err == nil {
			t.Errorf("%s: got no error", other)
		}
	}
	if got, err := output.ScanAnswer(catalog.Messages,
		[]byte(`{"type":"error","error":{"type":"api_error","message":"m"}}`)); err != nil || got.Error == nil {
		t.Errorf("an error: got %+v, %v", got, err)
	}
}

// FuzzMessagesStream checks that no stream leads to a usage that cannot be recorded.
func FuzzMessagesStream(f *testing.F) {
	f.Add([]byte("data: " + messageStart + "\n\ndata: " + messageLast + "\n\n"))
	f.Add(
		[]byte(
			`data: {"type":"message_delta","usage":{"input_tokens":-1,"output_tokens":1e99,"cache_creation":[],"speed":"fast","service_tier":7}}` + "\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		stream := output.NewStream(catalog.Messages, strings.NewReader(string(data)), 1<<16, nil)
		for {
			frame, err := stream.Next()
			if err != nil {
				return
			}
			if u := frame.Chunk.Usage; u != nil && u.Fault() != "" {
				t.Fatalf("%s: %s", data, u.Fault())
			}
		}
	})
}
