package output_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

const (
	delta     = `{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"hello","logprobs":[],"obfuscation":"x8sdf"}`
	completed = `{"type":"response.completed","sequence_number":9,"response":{"id":"resp_1","status":"completed","error":null,"output":[],"usage":{"input_tokens":3,"output_tokens":2}}}`
)

func TestScanEvent_ReadsTypeUsageAndError(t *testing.T) {
	for name, c := range map[string]struct {
		data         string
		want         output.EventType
		usage, fault bool
	}{
		"a delta": {delta, output.EventDelta, false, false},
		"a delta, spaced": {`{"type": "response.refusal.delta","delta":"a"}`,
			output.EventDelta, false, false},
		"a delta whose type comes last": {`{"delta":"a","type":"response.output_text.delta"}`,
			output.EventDelta, false, false},
		"created": {`{"type":"response.created","response":{"id":"1","usage":null}}`,
			output.EventPending, false, false},
		"queued": {`{"type":"response.queued","response":{"id":"1"}}`,
			output.EventPending, false, false},
		"keepalive": {`{"type":"keepalive","sequence_number":2}`, output.EventPending, false, false},
		"an item": {`{"type":"response.output_item.added","item":{}}`,
			output.EventOther, false, false},
		"an unknown type": {`{"type":"response.new.thing"}`, output.EventOther, false, false},
		"no type":         {`{"x":1}`, output.EventOther, false, false},
		"completed":       {completed, output.EventCompleted, true, false},
		"incomplete": {strings.Replace(completed, "response.completed", "response.incomplete", 1),
			output.EventIncomplete, true, false},
		"failed": {strings.Replace(completed, "response.completed", "response.failed", 1),
			output.EventFailed, true, true},
		"an error, flat": {`{"type":"error","code":"c","message":"m","param":null,"sequence_number":1}`,
			output.EventError, false, true},
		"an error, nested": {`{"type":"error","error":{"code":"c","message":"m"}}`,
			output.EventError, false, true},
		"an error of chat": {`{"error":{"message":"m"}}`, output.EventError, false, true},
		"keys inside a text": {`{"type":"response.output_text.done","text":"\"type\":\"error\",\"error\":{}"}`,
			output.EventOther, false, false},
		"a delta's name in the metadata": {`{"response":{"metadata":{"type":"x.delta"}},"type":"response.completed"}`,
			output.EventCompleted, false, false},
		"the response is an array": {`{"type":"response.completed","response":[{"usage":{}}]}`,
			output.EventCompleted, false, false},
		"the type is an object": {`{"type":{"a":"x.delta"}}`, output.EventOther, false, false},
		"an escaped type": {`{"type":"response.complete\u0064","response":{"usage":{"input_tokens":1}}}`,
			output.EventCompleted, true, false},
		"an escaped quote in the type": {`{"type":"a\".delta"}`, output.EventDelta, false, false},
		"usage outside the response": {`{"type":"response.completed","usage":{"input_tokens":1},"response":{}}`,
			output.EventCompleted, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			chunk, event, err := output.ScanEvent([]byte(c.data))
			if err != nil {
				t.Fatal(err)
			}
			frame := output.Frame{Data: []byte(c.data), Chunk: chunk, Event: event}
			if event.Type != c.want || (chunk.Usage != nil) != c.usage || (frame.UpstreamError() != nil) != c.fault {
				t.Errorf("got %+v, usage %v, error %v; want type %d, usage %v, error %v", event, chunk.Usage,
					frame.UpstreamError(), c.want, c.usage, c.fault)
			}
		})
	}
	for _, bad := range []string{``, `hello`, `[]`, `{`, `{"type":"response.completed"`,
		`{"type":"response.completed","response":{`} {
		if _, _, err := output.ScanEvent([]byte(bad)); err == nil {
			t.Errorf("ScanEvent(%q) returned no error", bad)
		}
	}
}

// rewriter replaces values by ones that are easy to recognize.
var rewriter = output.Rewriter{
	ResponseID:   func(id string) string { return "public " + id },
	PreviousID:   func(string) string { return "previous" },
	Tag:          func() string { return "tag" },
	CleanMessage: func(text string) string { return strings.ReplaceAll(text, "secret", "[redacted]") },
}

func TestRewriteBody_ReplacesOnlyItsFields(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"the id and the text": {
			`{ "id" : "resp_1", "zeta":1.0e+3, "output" : [{"type":"message","id":"m","content":[{"type":"output_text","text":"a\u00e4\"b"},{"type":"refusal","refusal":"no"},{"text":"c","type":"output_text"}]},{"type":"reasoning","content":[{"type":"output_text","text":"x"}]}] }`,
			`{ "id" : "public resp_1", "zeta":1.0e+3, "output" : [{"type":"message","id":"m","content":[{"type":"output_text","text":"a\u00e4\"b"},{"type":"refusal","refusal":"no"},{"text":"c","type":"output_text"}]},{"type":"reasoning","content":[{"type":"output_text","text":"x"}]}] ,"output_text":"a\u00e4\"bc"}`,
		},
		"no text":             {`{"output":[]}`, `{"output":[],"output_text":""}`},
		"output_text is kept": {`{"output_text":"x","output":[]}`, `{"output_text":"x","output":[]}`},
		"the previous id": {`{"previous_response_id":"resp_0","id":"r"}`,
			`{"previous_response_id":"previous","id":"public r"}`},
		"null stays null": {`{"previous_response_id":null,"error":null}`,
			`{"previous_response_id":null,"error":null}`},
		"the error's message": {`{"error":{"code":"secret","message":"a secret"}}`,
			`{"error":{"code":"[redacted]","message":"a [redacted]"}}`},
		"all texts of the " +
			"error": {`{"error":{"code":"secret","param":["a secret",{"x":"secr\u0065t"}],"n":1.0,"type":"\u0061"}}`,
			`{"error":{"code":"[redacted]","param":["a [redacted]",{"x":"[redacted]"}],"n":1.0,"type":"\u0061"}}`},
		"a secret as sealed content": {`{"error":{"encrypted_content":"a secret"}}`,
			`{"error":{"encrypted_content":"a [redacted]"}}`},
		"encrypted content": {`{"output":[{"encrypted_content" : "x"},{"encrypted_content":null},{"encrypted_content":""}],"output_text":""}`, `{"output":[{"encrypted_content" : "tg1.tag.x"},{"encrypted_content":null},{"encrypted_content":""}],"output_text":""}`},
		"encrypted_content as text": {`{"include":["encrypted_content"],"x":"\"encrypted_content\":\"y\""}`,
			`{"include":["encrypted_content"],"x":"\"encrypted_content\":\"y\""}`},
		"an item's id": {`{"data":[{"id":"msg_1"}]}`, `{"data":[{"id":"msg_1"}]}`},
		"an array":     {`[{"id":"x"}]`, `[{"id":"x"}]`},
		"cut off":      {`{"id":"x"`, `{"id":"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(rewriter.RewriteBody([]byte(c.body))); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestRewriteFrame_WritesWellFormedFrames(t *testing.T) {
	created := `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","output":[]}}`
	item := `{"type":"response.output_item.done","item":{"id":"rs_1","encrypted_content":"x"}}`
	source := "data: " + created + "\r\n\r\n" + "event: response.output_item.done\ndata: " + item + "\n\n" + "data: " +
		delta + "\n\n" +
		"event: response.completed\ndata: {\"type\":\"response.completed\",\ndata: " +
		"\"response\":{\"id\":\"resp_1\",\"output\":[],\"usage\":{\"input_tokens\":3}}}\n\n" + "data: [DONE]\n\n"
	want := "event: response.created\ndata: " + strings.Replace(created, "resp_1", "public resp_1", 1) + "\n\n" +
		"event: response.output_item.done\ndata: " + strings.Replace(item, `"x"`, `"tg1.tag.x"`, 1) + "\n\n" +
		"data: " + delta + "\n\n" +
		"event: response.completed\ndata: {\"type\":\"response.completed\",\ndata: \"response\":{\"id\":\"public " +
		"resp_1\",\"output\":[],\"usage\":{\"input_tokens\":3},\"output_text\":\"\"}}\n\n"
	stream := output.NewStream(catalog.Responses, iotest.OneByteReader(strings.NewReader(source)), 1<<20, nil)
	var got strings.Builder
	for {
		frame, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rewriter.RewriteFrame(&frame)
		if frame.Err != nil {
			t.Errorf("the rewritten frame is malformed: %v: %s", frame.Err, frame.Raw)
		}
		got.Write(frame.Raw)
		if frame.Event.Terminal() {
			if quoted := string(frame.WithQuota("0.5")); !strings.Contains(quoted,
				`{"input_tokens":3,"quota":"0.5"}`) || !strings.HasPrefix(quoted, "event: response.completed\n") {
				t.Errorf("WithQuota: got %s, want the quota in the usage and the event line", quoted)
			}
		}
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestPeek_LooksPastPendingEvents(t *testing.T) {
	early := `data: {"type":"response.created","response":{}}` + "\n\n" +
		`data: {"type":"response.in_progress","response":{}}` + "\n\n"
	source := early + "data: " + delta + "\n\n" + "data: " + completed + "\n\n"
	stream := output.NewStream(catalog.Responses, iotest.HalfReader(strings.NewReader(source)), 1<<20, make([]byte, 64))
	frame, err := stream.Peek()
	if err != nil || frame.Event.Type != output.EventDelta {
		t.Fatalf("got %+v, %v, want a delta", frame.Event, err)
	}
	var got strings.Builder
	for range 4 {
		frame, err := stream.Next()
		if err != nil {
			t.Fatal(err)
		}
		got.Write(frame.Raw)
	}
	if got.String() != source {
		t.Errorf("got %s, want all frames that Peek read", got.String())
	}

	long := strings.Repeat(early, 30_000)
	stream = output.NewStream(catalog.Responses, strings.NewReader(long+source), 1<<20, nil)
	if frame, err := stream.Peek(); err != nil || frame.Event.Type != output.EventPending {
		t.Errorf("more pending events than Peek keeps: got %+v, %v, want a pending event", frame.Event, err)
	}
	if _, err := output.NewStream(catalog.Responses, strings.NewReader(early), 1<<20, nil).
		Peek(); !errors.Is(err, io.EOF) {
		t.Errorf("only pending events: got %v, want io.EOF", err)
	}
}

func TestTakeTags_RemovesTagsFromTheRequest(t *testing.T) {
	const body = `{"model":"m","input":[{"type":"reasoning","encrypted_content":"tg1.AAA.one"},{"x":[{"encrypted_content" : "tg1.BBB.two.three"}]},{"encrypted_content":"three"},{"encrypted_content":"tg1.four"},"encrypted_content"],"previous_response_id":"p"}`
	r, err := openai.ScanRequest([]byte(body), catalog.Responses)
	if err != nil || r.Previous != "p" {
		t.Fatalf("got %+v, %v, want the previous id p", r, err)
	}
	var tags []string
	if err := r.RemoveTags(func(tag string) error { tags = append(tags, tag); return nil }); err != nil ||
		strings.Join(tags, " ") != "AAA BBB" {
		t.Errorf("got the tags %v, %v, want AAA BBB", tags, err)
	}
	r.SetUpstreamPrevious(`up"stream`)
	want := strings.NewReplacer("tg1.AAA.", "", "tg1.BBB.", "", `"p"`, `"up\"stream"`, `"m"`, `"n"`).Replace(body)
	forwarded := r.Forward("n")
	if got := string(forwarded.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	r, _ = openai.ScanRequest([]byte(body), catalog.Responses)
	err = r.RemoveTags(func(tag string) error {
		if tag == "BBB" {
			return errors.New("unknown tag")
		}
		return nil
	})
	var p *problem.Problem
	if !errors.As(err, &p) || p.Kind != problem.InvalidType || p.Param != "input[1].encrypted_content" {
		t.Errorf("got %v", err)
	}
}

func TestResponseTemplateOf_EmptiesLargeMembers(t *testing.T) {
	frame := func(instructions string) *output.Frame {
		data := []byte(`{"type":"response.created","response":{"id":"r","tools":[{"x":"` + instructions +
			`"}],"instructions":"` + instructions + `","model":"m","usage":null}}`)
		_, event, err := output.ScanEvent(data)
		if err != nil {
			t.Fatal(err)
		}
		return &output.Frame{Data: data, Event: event}
	}
	for name, c := range map[string]struct{ instructions, want string }{
		"a small object": {"x", `"tools":[{"x":"x"}],"instructions":"x",`},
		"a large object": {strings.Repeat("x", 100_000), `"tools":[],"instructions":null,`},
	} {
		failed := string(output.ResponseTemplateOf(frame(c.instructions)).FailedFrame(7, "code", `a "message"`))
		want := "event: response.failed\ndata: " +
			`{"type":"response.failed","sequence_number":7,"response":{"id":"r",` + c.want +
			`"model":"m","usage":null,"status":"failed","error":{"code":"code","message":"a \"message\""}}}` + "\n\n"
		if failed != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, failed, want)
		}
	}
	var none output.ResponseTemplate
	if failed := none.FailedFrame(0, "c", "m"); !bytes.Contains(failed, []byte(`"object":"response"`)) {
		t.Errorf("a template without a response: got %s, want a response object", failed)
	}
}

func TestTranscript_EndsOpenItems(t *testing.T) {
	var transcript output.Transcript
	for _, data := range []string{
		`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
		`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
		`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"thinking"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"thinking"}]}}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[]}}`,
		`{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"a\u00e4"}`,
		`{"type":"response.content_part.done","output_index":1,"content_index":0,"part":{"type":"output_text","text":"aä","annotations":[]}}`,
		`{"type":"response.content_part.added","output_index":1,"content_index":1,"part":{"type":"output_text","text":"","annotations":[]}}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":1,"delta":"b\""}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":1,"delta":"c"}`,
		`{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","name":"f","call_id":"c1","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"x\":"}`,
		`{"type":"response.output_text.delta","output_index":7,"delta":"of no item"}`,
		`{"type":"response.output_item.added","output_index":3}`,
		`malformed`,
	} {
		transcript.Follow([]byte(data))
	}
	frames, next, items := transcript.Close(20)
	message :=
		`{"id":"msg_1","type":"message","status":"incomplete","content":[{"type":"output_text","text":"aä","annotations":[]},{"type":"output_text","text":"b\"c","annotations":[]}]}`
	call := `{"id":"fc_1","type":"function_call","status":"incomplete","name":"f","call_id":"c1","arguments":"{\"x\":"}`
	event := func(n int, name, members string) string {
		return fmt.Sprintf("event: response.%s\ndata: {\"type\":\"response.%s\",\"sequence_number\":%d,%s}\n\n", name,
			name, n, members)
	}
	want := event(20, "output_text.done",
		`"item_id":"msg_1","output_index":1,"content_index":1,"text":"b\"c","logprobs":[]`) +
		event(21, "content_part.done",
			`"item_id":"msg_1","output_index":1,"content_index":1,"part":{"type":"output_text","text":"b\"c","annotations":[]}`) +
		event(22, "output_item.done", `"output_index":1,"item":`+message) +
		event(23, "function_call_arguments.done",
			`"item_id":"fc_1","output_index":2,"arguments":"{\"x\":","name":"f"`) +
		event(24, "output_item.done", `"output_index":2,"item":`+call)
	if string(frames) != want || next != 25 {
		t.Errorf("got next %d and\n%s\nwant next 25 and\n%s", next, frames, want)
	}
	if want := `[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"thinking"}]},` + message +
		`,` + call + `]`; string(items) != want {
		t.Errorf("output\n%s\nwant\n%s", items, want)
	}

	end := output.ResponseTemplateOf(&output.Frame{}).IncompleteFrame(next, items, usage.Usage{Input: 1, CachedInput: 2,
		CacheWrite: 3, Output: 4, Reasoning: 5, Details: usage.Details{CacheWrite1h: 1}}, "0.5")
	frame, err := output.NewStream(catalog.Responses, bytes.NewReader(end), 1<<20, nil).Next()
	if err != nil || frame.Event.Type != output.EventIncomplete ||
		*frame.Chunk.Usage != (usage.Usage{Input: 1, CachedInput: 2, CacheWrite: 3, Output: 4, Reasoning: 5,
			Details: usage.Details{CacheWrite1h: 1}}) ||
		!bytes.Contains(end, []byte(`"output_text":"aäb\"c"`)) || !bytes.Contains(end, []byte(`"quota":"0.5"`)) {
		t.Errorf("got %+v, %v, want an incomplete response with usage, text and quota: %s", frame.Event, err, end)
	}
}

func TestTranscript_KeepsNothingOfALongStream(t *testing.T) {
	var transcript output.Transcript
	transcript.Follow([]byte(`{"type":"response.output_item.added","output_index":0,"item":{"id":"m"}}`))
	transcript.Follow(
		[]byte(
			`{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}`))
	piece := []byte(`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"` +
		strings.Repeat("x", 1000) + `"}`)
	for range 1000 {
		transcript.Follow(piece)
	}
	if frames, next, items := transcript.Close(3); len(frames) > 0 || next != 3 || string(items) != `[]` {
		t.Errorf("got %d bytes of frames, %d of output, want none and []", len(frames), len(items))
	}
}

// FuzzEvents checks that no bytes make the readers panic, that a rewritten event is still JSON, and that the
// end that a Transcript writes is well formed.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: x\ndata: " + delta + "\n\ndata: " + completed + "\n\n"))
	f.Add(
		[]byte(
			`data: {"type":"response.created","response":{"id":"1","error":{"message":"m"},"output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}}` + "\n\n"))
	f.Add([]byte(`data: {"type":"response.output_item.added","output_index":0,"item":{"encrypted_content":"x"}}` +
		"\n\n" + `data: {"type":"response.output_text.delta","delta":"a"}` + "\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		s := output.NewStream(catalog.Responses, bytes.NewReader(stream), 1<<16, nil)
		_, _ = s.Peek()
		var transcript output.Transcript
		var template output.ResponseTemplate
		for {
			frame, err := s.Next()
			if err != nil {
				break
			}
			valid := json.Valid(frame.Data)
			rewriter.RewriteFrame(&frame)
			frame.CountText()
			frame.UpstreamError()
			output.SequenceNumber(frame.Data)
			if valid && !json.Valid(frame.Data) {
				t.Fatalf("the rewritten event is not JSON: %s", frame.Data)
			}
			if valid {
				transcript.Follow(frame.Data)
				template = output.ResponseTemplateOf(&frame)
			}
		}
		frames, next, items := transcript.Close(0)
		end := template.IncompleteFrame(next, items, usage.Usage{}, "")
		closed := output.NewStream(catalog.Responses, bytes.NewReader(append(frames, end...)), 1<<24, nil)
		for {
			frame, err := closed.Next()
			if err != nil {
				break
			}
			if frame.Err != nil || !json.Valid(frame.Data) {
				t.Fatalf("a frame of the written end is malformed: %s", frame.Raw)
			}
		}
		rewriter.RewriteBody(stream)
	})
}

func BenchmarkScanEvent(b *testing.B) {
	data := []byte(delta)
	b.ReportAllocs()
	for b.Loop() {
		_, event, err := output.ScanEvent(data)
		if _, ok := output.SequenceNumber(data); err != nil || event.Type != output.EventDelta || !ok {
			b.Fatal(err)
		}
	}
}

func TestRewriteFrame_CleansAFailedAnswer(t *testing.T) {
	clean := func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	rewriter := output.Rewriter{
		ResponseID: func(string) string { return "public" }, Tag: func() string { return "t" }, CleanMessage: clean,
		Model:  func(name string) string { return strings.Replace(name, "vendor", "mine", 1) },
		MarkID: func(id string) string { return id + ".mark" },
	}
	for name, row := range map[string]struct{ data, want string }{
		"an error event": {`{"type":"error","code":"c","message":"a secret","param":null}`,
			`{"type":"error","code":"c","message":"a ***","param":null}`},
		"all texts of an " +
			"event": {`{"type":"error","code":"secret","param":"a secret","item_id":"secret","details":[{"file_id":"secret"}]}`, `{"type":"error","code":"***","param":"a ***","item_id":"***","details":[{"file_id":"***"}]}`},
		"a nested error": {`{"type":"error","error":{"message":"a secret"}}`,
			`{"type":"error","error":{"message":"a ***"}}`},
		"a text as the error": {`{"type":"error","error":"a secret"}`, `{"type":"error","error":"a ***"}`},
		"a failed response":   {`{"type":"response.failed","response":{"id":"r","model":"vendor","error":{"message":"a secret"}}}`, `{"type":"response.failed","response":{"id":"public","model":"mine","error":{"message":"a ***"}}}`},
		"a failed text": {`{"type":"response.failed","response":{"id":"r","error":"a secret"}}`,
			`{"type":"response.failed","response":{"id":"public","error":"a ***"}}`},
		"an error without text": {`{"type":"error","error":null,"message":""}`,
			`{"type":"error","error":null,"message":""}`},
	} {
		stream := output.NewStream(catalog.Responses, strings.NewReader("data: "+row.data+"\n\n"), 1<<20, nil)
		frame, err := stream.Next()
		if err != nil {
			t.Fatal(err)
		}
		rewriter.RewriteFrame(&frame)
		if string(frame.Data) != row.want {
			t.Errorf("%s: got %s, want %s", name, frame.Data, row.want)
		}
	}
}

func TestHoldFailure_KeepsTheFailedAnswerInMemory(t *testing.T) {
	const (
		created = `data: {"type":"response.created","response":{"id":"r"}}` + "\n\n"
		fault   = `data: {"type":"error","message":"no"}` + "\n\n"
		more    = `data: {"type":"response.output_text.delta","delta":"x"}` + "\n\n"
		failed  = `data: {"type":"response.failed","response":{"id":"r","status":"failed"}}` + "\n\n"
	)
	for name, row := range map[string]struct{ stream, want string }{
		"failed":                     {created + failed + more, created + failed},
		"an error":                   {created + fault, created + fault},
		"an error, then failed":      {fault + failed + more, fault + failed},
		"other events before failed": {fault + more + fault + failed, fault + failed},
		"an error, then [DONE]":      {fault + "data: [DONE]\n\n", fault},
		"an error, then no JSON":     {fault + "data: {\n\n" + failed, fault},
		"an error, then endless":     {fault + strings.Repeat(more, 40_000) + failed, fault},
	} {
		stream := output.NewStream(catalog.Responses, iotest.OneByteReader(strings.NewReader(row.stream)), 1<<20, nil)
		if _, err := stream.Peek(); err != nil {
			t.Fatal(err)
		}
		stream.HoldFailure()
		clear(stream.Release())
		var got strings.Builder
		frame, err := stream.Next()
		for ; err == nil; frame, err = stream.Next() {
			got.Write(frame.Raw)
		}
		if got.String() != row.want || !errors.Is(err, io.EOF) {
			t.Errorf("%s: got %q and %v, want %q", name, got.String(), err, row.want)
		}
	}
}
