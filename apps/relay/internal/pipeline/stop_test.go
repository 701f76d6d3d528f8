package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// newStopRelay returns a relay with channels that speak only responses, which has no stop sequences.
func newStopRelay(t *testing.T) *relaytest.Relay {
	t.Helper()
	h := relaytest.NewWith(t,
		strings.ReplaceAll(relaytest.Manifest, "endpoints: [chat]", "endpoints: [responses], unpriced: allow"))
	h.SetUpstreams(responsetest.Respond, responsetest.Respond)
	return h
}

// chatText holds the facts that the tests check of an answer, complete or streamed.
type chatText struct {
	text, finish string
	usage        *struct {
		Input  int64  `json:"prompt_tokens"`
		Output int64  `json:"completion_tokens"`
		Quota  string `json:"quota"`
	}
	done bool // of a stream: it ended with [DONE]
}

// readChat reads an answer of chat completions, complete or streamed.
func readChat(t *testing.T, body string) (got chatText) {
	t.Helper()
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimPrefix(line, "data: ")
		if line == "" {
			continue
		}
		if got.done = line == "[DONE]"; got.done {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta, Message struct{ Content string }
				Finish         string `json:"finish_reason"`
			}
			Usage json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &chunk); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, choice := range chunk.Choices {
			got.text += choice.Delta.Content + choice.Message.Content
			got.finish += choice.Finish
		}
		if chunk.Usage != nil {
			if err := json.Unmarshal(chunk.Usage, &got.usage); err != nil {
				t.Fatal(err)
			}
		}
	}
	return got
}

func TestStopSequence_EndsAStreamOfAChannelWithoutStopSequences(t *testing.T) {
	t.Parallel()
	h := newStopRelay(t)
	left := make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, responsetest.EventsHi, strings.Replace(responsetest.EventDelta, "hi there", " E", 1),
			strings.Replace(responsetest.EventDelta, "hi there", "ND and more", 1))
		<-r.Context().Done() // the answer is not complete
		close(left)
	})
	r := h.Post(token, relaytest.ChatBody("cheap", `,"stream":true,"stream_options":{"include_usage":true},"stop":["x","END"]`),
		"x-tollgate-include-quota", "true")
	got := readChat(t, r.Body)
	if r.Err != nil || got.text != "hi there " || got.finish != "stop" || !got.done {
		t.Errorf("got %+v, %v", got, r.Err)
	}
	select {
	case <-left:
	case <-time.After(30 * time.Second):
		t.Error("the upstream was not canceled")
	}
	log := h.Log(r)
	if log.Outcome != usage.Success || log.Error != "" || !log.Estimated || log.Usage.Output < 1 || log.Quota <= 0 {
		t.Errorf("usage log: got %+v", log)
	}
	if got.usage == nil || got.usage.Input != log.Usage.Input || got.usage.Output != log.Usage.Output ||
		got.usage.Quota == "" {
		t.Errorf("got usage %+v in %s, the log has %+v", got.usage, r.Body, log.Usage)
	}
	if strings.Contains(string(h.Bodies[0]), "stop") {
		t.Errorf("the upstream got %s", h.Bodies[0])
	}
}

func TestStopSequence_IsChargedByTheReportOfTheUpstream(t *testing.T) {
	t.Parallel()
	const asked = `,"stream_options":{"include_usage":true}`
	onlyEnd := strings.Replace(responsetest.EventEnd, "hi there", "hi the END", 1)
	for name, row := range map[string]struct {
		upstream http.HandlerFunc
		extra    string
		text     string
	}{
		"a complete answer that is cut":        {responsetest.Respond, `,"stop":" there"`, "hi"},
		"a complete answer without a sequence": {responsetest.Respond, `,"stop":"END"`, "hi there"},
		"a stream without a sequence": {responsetest.Respond, `,"stop":["there!","END"],"stream":true` +
			asked, "hi there"},
		"a stream whose last event has everything": {relaytest.Streams(responsetest.EventsBefore, onlyEnd), `,"stop":"END","stream":true` +
			asked, "hi the "},
		"no sequences": {responsetest.Respond, `,"stop":[]`, "hi there"},
		"null":         {responsetest.Respond, `,"stop":null`, "hi there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStopRelay(t)
			h.ServeFirst(row.upstream)
			r := h.Post(token, relaytest.ChatBody("cheap", row.extra))
			got := readChat(t, r.Body)
			if r.Status != 200 || got.text != row.text || got.finish != "stop" || got.usage == nil ||
				got.usage.Output != 500 {
				t.Errorf("got %d %s", r.Status, r.Body)
			}
			if log := h.Log(r); log.Outcome != usage.Success || log.Estimated || log.Usage.Input != 1000 ||
				log.Usage.Output != 500 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

// A channel that is drained is charged by the upstream's report: the answer may have cost much that the client does not
// see, such as reasoning.
func TestStopSequence_ReadsAStreamToItsEndOnADrainedChannel(t *testing.T) {
	t.Parallel()
	const extra = `,"stream":true,"stream_options":{"include_usage":true},"stop":"END"`
	end := strings.Replace(responsetest.EventDelta, "hi there", " END and", 1)
	more := strings.Replace(responsetest.EventDelta, "hi there", " more", 1)
	for name, row := range map[string]struct {
		upstream  http.HandlerFunc
		estimated bool
	}{
		"the upstream ends":              {relaytest.Streams(responsetest.EventsHi, end, more, responsetest.EventEnd), false},
		"the upstream breaks off":        {relaytest.Aborts(responsetest.EventsHi, end, more), true},
		"the upstream ends right behind": {relaytest.Streams(responsetest.EventsHi, end+more+responsetest.EventEnd), false},
		"the upstream fails, and reports usage": {relaytest.Streams(responsetest.EventsHi, end,
			strings.ReplaceAll(responsetest.EventEnd, "completed", "failed")), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := relaytest.NewWith(t,
				strings.ReplaceAll(drainManifest, "endpoints: [chat]", "endpoints: [responses], unpriced: allow"))
			h.ServeFirst(row.upstream)
			r := h.Post(token, relaytest.ChatBody("cheap", extra))
			got, log := readChat(t, r.Body), h.Log(r)
			if got.text != "hi there " || got.finish != "stop" || !got.done || got.usage == nil ||
				got.usage.Output != log.Usage.Output {
				t.Errorf("got %s", r.Body)
			}
			if log.Outcome != usage.Success || log.Estimated != row.estimated ||
				(log.Usage.Output == 500) == row.estimated {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

// Anthropic refuses blank stop sequences, and reports one output token at the beginning of each stream.
func TestStopSequence_IsNotChargedByAReportOfTheBeginning(t *testing.T) {
	t.Parallel()
	const stop = `,"stream":true,"stream_options":{"include_usage":true},"stop":"\n\n"`
	before := relaytest.MessageStart + relaytest.MessageBlock
	text := strings.Replace(relaytest.MessageHi, "hi there", strings.Repeat("many words ", 500)+`\n\nand more`, 1)
	for name, row := range map[string]struct {
		drains   bool
		upstream http.HandlerFunc
		reported bool
	}{
		"canceled": {false, relaytest.Aborts(before, text), false},
		"drained to the end": {true,
			relaytest.Streams(before, text, relaytest.MessageClose+relaytest.MessageDelta+relaytest.MessageStop), true},
		"drained, and broken off": {true, relaytest.Aborts(before, text), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := relaytest.MessagesManifest
			if row.drains {
				manifest = strings.Replace(manifest, "{name: first,", "{name: first, on_disconnect: drain,", 1)
			}
			h := relaytest.NewWith(t, manifest)
			h.ServeFirst(row.upstream)
			r := h.Post(token, relaytest.ChatBody("cheap", stop))
			got, log := readChat(t, r.Body), h.Log(r)
			if got.finish != "stop" || !got.done || strings.Contains(got.text, "more") || got.usage == nil ||
				got.usage.Output != log.Usage.Output {
				t.Errorf("got %s", r.Body)
			}
			if log.Outcome != usage.Success || log.Estimated == row.reported || log.Usage.Input != 1000 ||
				row.reported && log.Usage.Output != 500 || !row.reported && log.Usage.Output < 500 {
				t.Errorf("usage log: got %+v", log)
			}
		})
	}
}

func TestStopSequence_RefusesWhatOpenAIRefuses(t *testing.T) {
	t.Parallel()
	h := newStopRelay(t)
	for name, row := range map[string]struct{ stop, code, param string }{
		"five sequences":      {`["a","b","c","d","e"]`, "array_above_max_length", "stop"},
		"an empty sequence":   {`["a",""]`, "empty_string", "stop[1]"},
		"an empty string":     {`""`, "empty_string", "stop[0]"},
		"a very long one":     {`"` + strings.Repeat("a", 1025) + `"`, "string_above_max_length", "stop[0]"},
		"a number":            {`7`, "invalid_type", "stop"},
		"a list with numbers": {`["a",7]`, "invalid_type", "stop[1]"},
	} {
		r := h.Post(token, relaytest.ChatBody("cheap", `,"stop":`+row.stop))
		if r.Status != 400 {
			t.Errorf("%s: got %d %s", name, r.Status, r.Body)
		}
		relaytest.CheckError(t, r.Body, "invalid_request_error", row.code, &row.param)
	}
	if len(h.Bodies) > 0 {
		t.Errorf("%d refused calls reached the upstream", len(h.Bodies))
	}
}
