package translate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"weak"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/gemini"
	"github.com/tollgate/tollgate/libs/wire/messages"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

const maxFrame = 1 << 20

var request = &conversation.Request{Model: "m", Stream: true,
	Tools: []conversation.Tool{{Name: "f"}, {Name: "free", Custom: true}}}

// decoders creates the decoders of all dialects that upstreams speak.
var decoders = map[catalog.Dialect]func() provider.Decoder{
	catalog.Chat:      func() provider.Decoder { return decoderOf(catalog.Chat, request) },
	catalog.Responses: func() provider.Decoder { return decoderOf(catalog.Responses, request) },
	catalog.Messages:  func() provider.Decoder { return decoderOf(catalog.Messages, request) },
	catalog.Gemini:    func() provider.Decoder { return decoderOf(catalog.Gemini, request) },
}

func decoderOf(upstream catalog.Dialect, r *conversation.Request) provider.Decoder {
	switch upstream {
	case catalog.Responses:
		return responses.NewDecoder(r)
	case catalog.Messages:
		return messages.NewDecoder(r)
	case catalog.Gemini:
		return gemini.NewDecoder(r)
	}
	return chat.NewDecoder(r)
}

var clients = []catalog.Dialect{catalog.Chat, catalog.Responses, catalog.Messages}

// open returns the stream of a client.
func open(client catalog.Dialect, src io.Reader, limit int) *output.Stream {
	return output.NewStream(client, src, limit, nil)
}

func answer(client catalog.Dialect, decoder provider.Decoder) *translate.Translator {
	head := completion.Header{ID: "0123", Model: "m", Created: time.Unix(1, 0), Request: request}
	return translate.NewTranslator(client, head, decoder)
}

// streams holds complete streams of upstreams, some of which report an error. The first one of each dialect succeeds.
var streams = map[catalog.Dialect][]string{
	catalog.Chat: {
		"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
		"data: {\"error\":{\"message\":\"no\"}}\n\n",
	},
	catalog.Responses: {
		"data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\ndata: " +
			"{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"hi\"}\n\ndata: " +
			"{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
		"event: response.failed\ndata: " +
			"{\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"no\"}}}\n\n",
	},
	catalog.Messages: {
		"event: message_start\ndata: " +
			"{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
		"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"}}\n\n",
	},
	catalog.Gemini: {
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"},{\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":1}}}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":1}}\n\n",
		"data: {\"error\":{\"code\":503,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}\n\n",
	},
}

func TestStream_TranslatesEveryDialect(t *testing.T) {
	for upstream, samples := range streams {
		for _, client := range clients {
			for _, sample := range samples {
				if err := check(client, answer(client, decoders[upstream]()).
					Stream(iotest.OneByteReader(bytes.NewReader([]byte(sample))), maxFrame)); err != nil {
					t.Errorf("%s for %s: %v in\n%s", upstream, client, err, sample)
				}
			}
		}
	}
}

func TestStream_FailsIfTheUpstreamStreamIsTruncated(t *testing.T) {
	for upstream, samples := range streams {
		for _, client := range clients {
			half := samples[0][:len(samples[0])/2]
			_, err := io.ReadAll(answer(client, decoders[upstream]()).Stream(bytes.NewReader([]byte(half)), maxFrame))
			if err == nil {
				t.Errorf("%s for %s: a truncated stream ends without an error", upstream, client)
			}
		}
	}
}

// A cut anywhere leaves the client with whole events, and with an error unless the model had finished.
func TestStream_SendsOnlyWholeEventsOfAStreamThatIsCut(t *testing.T) {
	for upstream, samples := range streams {
		for _, client := range clients {
			for at := range len(samples[0]) {
				cut := samples[0][:at]
				whole, err := io.ReadAll(answer(client, decoders[upstream]()).
					Stream(iotest.OneByteReader(strings.NewReader(cut)), maxFrame))
				for event := range strings.SplitSeq(strings.TrimSuffix(string(whole), "\n\n"), "\n\n") {
					_, data, _ := strings.Cut(event, "data: ")
					if event != "" && data != "[DONE]" && !json.Valid([]byte(data)) {
						t.Fatalf("%s for %s, cut to %q: the client got %q", upstream, client, cut, event)
					}
				}
				if err == nil &&
					(check(client, bytes.NewReader(whole)) != nil || !strings.Contains(string(whole), "hi")) {
					t.Fatalf("%s for %s, cut to %q: no error after %q", upstream, client, cut, whole)
				}
			}
		}
	}
}

func TestStopAt_EndsAStreamWithoutReadingTheRest(t *testing.T) {
	for upstream, samples := range streams {
		at := strings.Index(samples[0], "hi")
		frame := at + strings.Index(samples[0][at:], "\n\n") + 2
		translator := answer(catalog.Chat, decoders[upstream]())
		translator.StopAt([]string{"i"})
		rest := errors.New("the rest was read")
		got, err := io.ReadAll(translator.Stream(io.MultiReader(strings.NewReader(samples[0][:frame]),
			iotest.ErrReader(rest)), maxFrame))
		if err != nil || !strings.HasSuffix(string(got), "data: [DONE]\n\n") || !translator.Stopped() ||
			strings.Contains(string(got), `"hi"`) {
			t.Errorf("%s: %v after %s", upstream, err, got)
		}
	}
}

// A stream may last for minutes, and its request may hold megabytes of images.
func TestTranslator_DoesNotRetainTheRequest(t *testing.T) {
	for upstream := range decoders {
		for _, client := range clients {
			translator, sent := translatorOfLargeRequest(client, upstream)
			runtime.GC()
			if sent.Value() != nil {
				t.Errorf("%s for %s: the translator keeps the request in memory", upstream, client)
			}
			runtime.KeepAlive(translator)
		}
	}
}

// translatorOfLargeRequest returns a translator and a weak pointer to its request.
func translatorOfLargeRequest(client, upstream catalog.Dialect) (*translate.Translator,
	weak.Pointer[conversation.Request]) {
	large := &conversation.Request{Model: "m", Tools: request.Tools, Messages: []conversation.Message{{
		Role: conversation.RoleUser,
		Parts: []conversation.Part{{Type: conversation.PartImage,
			Media: conversation.Media{Data: strings.Repeat("A", 1<<20)}}},
	}}}
	return translate.NewTranslator(client, completion.Header{ID: "0", Request: large}, decoderOf(upstream, large)),
		weak.Make(large)
}

func TestStream_RefusesAnEndlessFrame(t *testing.T) {
	endless := io.MultiReader(bytes.NewReader([]byte("data: ")), zeros{})
	_, err := io.ReadAll(answer(catalog.Chat, chat.NewDecoder(nil)).Stream(endless, 4<<10))
	if err == nil {
		t.Error("an endless frame is accepted")
	}
}

func TestTranslator_PassesPicturesOfChatToResponses(t *testing.T) {
	const (
		images = `"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]`
		usage  = `"usage":{"prompt_tokens":3,"completion_tokens":1290}`
		want   = `"type":"image_generation_call","status":"completed","output_format":"png","result":"iVBORw0KGgo="`
	)
	client := func() *translate.Translator { return answer(catalog.Responses, chat.NewDecoder(request)) }
	whole, err := client().Whole([]byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"",` + images +
		`},"finish_reason":"stop"}],` + usage + `}`))
	if err != nil || !bytes.Contains(whole, []byte(want)) {
		t.Errorf("got %s, %v, want %s", whole, err, want)
	}
	stream, err := io.ReadAll(client().Stream(strings.NewReader(`data: {"choices":[{"index":0,"delta":{"content":"",`+
		images+`},"finish_reason":null}]}`+"\n\n"+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],`+
		usage+"}\n\ndata: [DONE]\n\n"), maxFrame))
	if err != nil || bytes.Count(stream, []byte(want)) != 2 { // in its own event and in the last one
		t.Errorf("got %s, %v, want %s", stream, err, want)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// FuzzStream checks that a client always gets either a well-formed stream that ends once, or an error.
func FuzzStream(f *testing.F) {
	for _, samples := range streams {
		for _, sample := range samples {
			f.Add([]byte(sample))
		}
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		for upstream, decoder := range decoders {
			for _, client := range clients {
				if err := check(client, answer(client, decoder()).Stream(bytes.NewReader(sent), maxFrame)); err != nil {
					t.Errorf("%s for %s: %v", upstream, client, err)
				}
				stopped := answer(client, decoder())
				stopped.StopAt([]string{"i", "h!"})
				if err := check(client, stopped.Stream(bytes.NewReader(sent), maxFrame)); err != nil {
					t.Errorf("%s for %s, with stop sequences: %v", upstream, client, err)
				}
			}
		}
	})
}

// FuzzWhole checks that a client always gets either a well-formed response or an error.
func FuzzWhole(f *testing.F) {
	f.Add(
		[]byte(
			`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`))
	f.Add(
		[]byte(
			`{"id":"r","object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]}]}`))
	f.Add(
		[]byte(
			`{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}`))
	f.Fuzz(func(t *testing.T, sent []byte) {
		for upstream, decoder := range decoders {
			for _, client := range clients {
				body, err := answer(client, decoder()).Whole(sent)
				if err != nil {
					continue
				}
				if scanned, err := output.ScanAnswer(client, body); err != nil || scanned.Error != nil {
					t.Errorf("%s for %s: %v, %+v in %s", upstream, client, err, scanned.Error, body)
				}
			}
		}
	})
}

// check reads a stream as its client would. It returns an error if the stream is malformed; a stream that ends with an
// error is valid.
func check(client catalog.Dialect, stream io.Reader) error {
	switch frames := open(client, stream, 64<<20); client {
	case catalog.Responses:
		return checkEvents(frames)
	case catalog.Messages:
		return checkMessage(frames)
	default:
		return checkChunks(frames)
	}
}

func checkChunks(frames *output.Stream) error {
	ended := false
	for {
		frame, err := frames.Next()
		switch {
		case errors.Is(err, io.EOF) && !ended:
			return errors.New("the stream ends without a final event")
		case err != nil:
			return nil //nolint:nilerr // truncated with an error, or complete
		case ended:
			return fmt.Errorf("%s after the final event", frame.Data)
		case frame.Err != nil:
			return fmt.Errorf("%w in %s", frame.Err, frame.Data)
		case !frame.Done && !json.Valid(frame.Data):
			return fmt.Errorf("not JSON: %s", frame.Data)
		}
		ended = frame.Done || frame.Chunk.Error != nil
	}
}

func checkEvents(events *output.Stream) error {
	ended := false
	for sequence := 0; ; sequence++ {
		frame, err := events.Next()
		switch {
		case errors.Is(err, io.EOF) && !ended:
			return errors.New("the stream ends without a final event")
		case err != nil:
			return nil //nolint:nilerr // truncated with an error, or complete
		case ended:
			return fmt.Errorf("%s after the final event", frame.Data)
		case frame.Err != nil:
			return fmt.Errorf("%w in %s", frame.Err, frame.Data)
		}
		var event struct {
			Type   string `json:"type"`
			Number *int   `json:"sequence_number"`
		}
		if err := json.Unmarshal(frame.Data, &event); err != nil || event.Number == nil || *event.Number != sequence {
			return fmt.Errorf("number %d expected in %s (%w)", sequence, frame.Data, err)
		}
		ended = frame.Event.Terminal()
	}
}

// checkMessage checks a messages stream: it begins once, has one open block at a time, and ends once.
func checkMessage(stream *output.Stream) error {
	begun, open, ended := false, false, false
	for {
		frame, err := stream.Next()
		switch {
		case errors.Is(err, io.EOF) && !ended:
			return errors.New("the stream ends without a final event")
		case err != nil:
			return nil //nolint:nilerr // the relay ends the stream with an error
		case frame.Err != nil:
			return frame.Err
		case ended:
			return fmt.Errorf("a frame after the end: %s", frame.Data)
		}
		isStart := frame.Event.Name == "message_start"
		switch name := frame.Event.Name; {
		case frame.Chunk.Error != nil:
			ended = true
		case isStart == begun:
			return fmt.Errorf("the stream begins twice or late: %s", frame.Data)
		case name == "content_block_start" && open, name == "content_block_stop" && !open,
			frame.Event.Type == output.EventDelta && !open, name == "message_delta" && open:
			return fmt.Errorf("not in a block of its own: %s", frame.Data)
		case name == "content_block_start", name == "content_block_stop":
			open = !open
		case frame.Event.Terminal():
			ended = true
		}
		begun = true
	}
}
