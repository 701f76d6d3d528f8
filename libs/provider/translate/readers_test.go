package translate_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

// facts holds what the relay must know of an answer, whether its bytes pass unchanged or are translated.
type facts struct {
	usage  usage.Usage
	stated bool // it reports usage
	ended  bool // it has its end
	failed bool // it says that it failed
	text   bool // it has generated text; only of chat, where servers leave out usage
}

// recorded is an answer of an upstream, JSON or a stream.
type recorded struct {
	name    string
	dialect catalog.Dialect
	body    []byte
	stream  bool
}

// compatible are answers of servers that are compatible with OpenAI's in their own way.
var compatible = map[string]string{
	"empty finish reasons": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":""}]}` +
		"\n\n",
	"an empty finish, ended": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":""}]}` +
		"\n\ndata: [DONE]\n\n",
	"usage in the " +
		"choice": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":2}}]}` + "\n\ndata: [DONE]\n\n",
	"zeros at the end": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}` + "\n\ndata: [DONE]\n\n",
	"usage of each " +
		"chunk": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":1}}` + "\n\n" + `data: {"id":"c","choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}` + "\n\n",
	"groq": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":2}}}` + "\n\ndata: [DONE]\n\n",
	"no end": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}` +
		"\n\n",
	"reasoning, two " +
		"names": `data: {"id":"c","choices":[{"index":0,"delta":{"reasoning":"a","reasoning_content":"a"},"finish_reason":"stop"}]}` + "\n\n",
	"an error by its object":  `data: {"object":"error","message":"no","code":400}` + "\n\n",
	"an error by its event":   "event: error\n" + `data: {"message":"no"}` + "\n\n",
	"JSON, an error's object": `{"object":"error","message":"no","type":"BadRequestError","code":400}`,
	"an error":                `data: {"error":{"message":"no","code":500}}` + "\n\n",
	"an error after a text": `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}` +
		"\n\n" + `data: {"error":{"message":"no"}}` + "\n\n",
	"thoughts in the " +
		"total": `{"id":"c","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":99}}`,
	"reasoning in " +
		"addition": `{"id":"c","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":99,"completion_tokens_details":{"reasoning_tokens":88}}}`,
	"JSON with zeros": `{"id":"c","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`,
	"JSON without " +
		"counts": `{"id":"c","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{}}`,
	"JSON, usage in a " +
		"choice": `{"id":"c","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":2}}]}`,
	"JSON, groq":             `{"id":"c","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":2}}}`,
	"JSON, an error":         `{"error":{"message":"no"}}`,
	"JSON, an error as text": `{"error":"no"}`,
	"JSON, text in " +
		"parts": `{"id":"c","choices":[{"index":0,"message":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}]}`,
}

// compatibleEvents are the same for streams of responses and messages.
var compatibleEvents = []recorded{
	{"a response that was canceled", catalog.Responses,
		[]byte(`data: {"type":"response.created","response":{"id":"r","status":"in_progress"}}` + "\n\n" +
			`data: {"type":"response.cancelled","response":{"id":"r","status":"cancelled","error":null,"usage":{"input_tokens":9,"output_tokens":2}}}` + "\n\n"), true},
	{"types in event lines only", catalog.Responses,
		[]byte("event: response.created\n" + `data: {"response":{"id":"r"}}` + "\n\nevent: response.completed\n" +
			`data: {"response":{"id":"r","status":"completed","output":[],"usage":{"input_tokens":9,"output_tokens":2}}}` + "\n\n"), true},
	{"a failure in an event line only", catalog.Responses,
		[]byte("event: response.failed\n" + `data: {"response":{"id":"r","error":{"message":"no"}}}` + "\n\n"), true},
	{"types in event lines only", catalog.Messages,
		[]byte("event: message_start\n" + `data: {"message":{"id":"m","usage":{"input_tokens":9,"output_tokens":1}}}` +
			"\n\nevent: message_stop\ndata: {}\n\n"), true},
	{"an error in an event line only", catalog.Messages,
		[]byte("event: error\n" + `data: {"error":{"type":"overloaded_error","message":"no"}}` + "\n\n"), true},
	{"counts that are not plausible", catalog.Messages,
		[]byte(`data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":9,"output_tokens":1}}}` +
			"\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":"2"}}` +
			"\n\n" + `data: {"type":"message_stop"}` + "\n\n"), true},
}

// records returns the recorded answers of all dialects with two readers, and those of compatible servers.
func records(t *testing.T) (all []recorded) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../*/testdata/*.txtar", "../../wire/*/testdata/*.txtar",
		"../../wire/*/testdata/*/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name != "upstream_answer.json" && f.Name != "upstream.sse" {
				continue
			}
			body, stream := f.Data, f.Name == "upstream.sse"
			if dialect := dialectOf(body); dialect != "" {
				all = append(all, recorded{filepath.Base(file), dialect, body, stream})
			}
		}
	}
	if len(all) < 30 {
		t.Fatalf("found %d recorded answers in %d files, want at least 30", len(all), len(files))
	}
	for name, body := range compatible {
		all = append(all, recorded{name, catalog.Chat, []byte(body), body[0] == 'd'})
	}
	return append(all, compatibleEvents...)
}

// dialectOf returns the dialect of an answer by its shape, "" for that of Gemini, which has one reader only.
func dialectOf(body []byte) catalog.Dialect {
	switch {
	case bytes.Contains(body, []byte(`"candidates"`)), bytes.Contains(body, []byte(`"status": "UNAVAILABLE"`)):
		return ""
	case bytes.Contains(body, []byte(`"choices"`)):
		return catalog.Chat
	case bytes.Contains(body, []byte(`response.`)), bytes.Contains(body, []byte(`"output"`)):
		return catalog.Responses
	case bytes.Contains(body, []byte(`"type": "message"`)), bytes.Contains(body, []byte(`message_start`)):
		return catalog.Messages
	}
	return ""
}

// native reads the answer as the relay does if its bytes pass unchanged.
func native(r recorded) (f facts) {
	if !r.stream {
		answer, err := output.ScanAnswer(r.dialect, r.body)
		f.failed = err != nil || answer.Error != nil
		f.ended = !f.failed
		if answer.Usage != nil {
			f.usage, f.stated = *answer.Usage, true
		}
		output.EachText(answer.Generated(r.body), func([]byte) { f.text = true })
		return f
	}
	stream := open(r.dialect, bytes.NewReader(r.body), maxFrame)
	var report output.Report
	for {
		frame, err := stream.Next()
		if err != nil {
			f.ended = f.ended && errors.Is(err, io.EOF)
			break
		}
		report.Add(&frame)
		f.failed = f.failed || frame.UpstreamError() != nil
		f.ended = f.ended || frame.Done || frame.Chunk.Finished || frame.Event.Terminal()
		texts, _ := frame.CountText()
		f.text = f.text || texts > 0
	}
	if u := report.ReportedUsage(); u != nil {
		f.usage, f.stated = *u, true
	}
	f.ended = f.ended && !f.failed
	return f
}

// decoded reads the answer as the relay does if it translates it.
func decoded(r recorded, decoder provider.Decoder) (f facts) {
	var events []completion.Event
	var err error
	if r.stream {
		frames := sse.NewReader(bytes.NewReader(r.body), maxFrame, nil)
		for err == nil {
			var frame []byte
			if frame, err = frames.Next(); err != nil {
				break
			}
			if data := sse.Data(frame); len(data) > 0 {
				events, err = decoder.Frame(events, sse.Name(frame), data)
			}
		}
		if errors.Is(err, io.EOF) {
			events, err = decoder.Close(events)
		}
	} else {
		var whole completion.Response
		if whole, err = decoder.Whole(r.body); err == nil {
			events = whole.Events()
		}
	}
	f.failed = err != nil && !errors.Is(err, io.ErrUnexpectedEOF)
	for _, e := range events {
		f.failed = f.failed || e.Type == completion.EventFail
		f.ended = f.ended || e.Type == completion.EventEnd
		f.text = f.text || e.Item.Text != ""
		if u := e.Response.Usage; u != nil {
			f.usage, f.stated = *u, true
		}
	}
	if u := decoder.ReportedUsage(); !f.stated && u != nil {
		f.usage, f.stated = *u, true
	}
	f.ended = f.ended && !f.failed
	return f
}

// What one reader of a dialect knows, the other knows, too: the same answer has the same bill and the same end by any
// endpoint.
func TestReaders_AgreeAboutEachAnswer(t *testing.T) {
	for _, r := range records(t) {
		t.Run(fmt.Sprint(r.name, " ", r.dialect), func(t *testing.T) {
			got, want := decoded(r, decoders[r.dialect]()), native(r)
			if r.dialect != catalog.Chat {
				got.text, want.text = false, false
			}
			if got != want {
				t.Errorf("translated: %+v\nnative:     %+v\n%s", got, want, r.body)
			}
		})
	}
}
