package e2e

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"

	"github.com/tollgate/tollgate/e2e/story"
)

// events returns the contents of the data lines of an SSE body.
func events(payload []byte) (data []string) {
	for line := range strings.Lines(strings.ReplaceAll(string(payload), "\r\n", "\n")) {
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimSpace(value))
		}
	}
	return data
}

func TestStream_UnusualFramingIsReadAndMetered(t *testing.T) {
	w := sharedTestbed(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	tests := []struct {
		model     string
		estimated bool
	}{
		{"odd-crlf", false}, {"odd-comments", false}, {"odd-big", false}, {"odd-split", false},
		{"odd-unterminated", false}, {"odd-nospace", false}, {"odd-events", false},
		{"odd-always", false}, {"odd-every", false}, {"odd-early", false}, {"odd-finish", false},
		{"odd-null", true}, {"odd-absent", true},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			r := caller.post(story.Context(t), ask(tt.model, someCounts, streaming))
			got := events(r.body)
			if r.status != 200 || r.err != nil || len(got) < 3 || got[len(got)-1] != "[DONE]" {
				t.Fatalf("got status %d, %v, ends with %q", r.status, r.err, r.body[max(0, len(r.body)-300):])
			}
			l := owner.AwaitLog(t, r.id())
			if l.Outcome != "success" || l.Estimated != tt.estimated {
				t.Errorf("got the usage log %+v, want success, estimated %t", l, tt.estimated)
			}
			if !tt.estimated && l.Quota != usd(bill(someCounts, "1")) {
				t.Errorf("got quota %s, want %s", l.Quota, usd(bill(someCounts, "1")))
			}
			if tt.estimated && (l.Tokens.Input == 0 || l.Tokens.Output == 0 || l.Quota == "0") {
				t.Errorf("the estimate is 0: %+v", l)
			}
		})
	}
}

func TestMetering_EstimatesMissingUsageOfJSON(t *testing.T) {
	w := sharedTestbed(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	for _, model := range []string{"odd-null", "odd-absent"} {
		r := caller.post(story.Context(t), ask(model, someCounts))
		if l := owner.AwaitLog(t, r.id()); !r.complete(false) || !l.Estimated || l.Outcome != "success" ||
			l.Quota == "0" {
			t.Errorf("%s: got status %d, usage log %+v", model, r.status, l)
		}
	}
}

// TestStream_ThatBreaksIsPartialAndCharged checks streams that fail after the client has received content. They
// end with a typed error, without [DONE] and without a second attempt. The delivered part is charged, and the
// outcome is partial.
func TestStream_ThatBreaksIsPartialAndCharged(t *testing.T) {
	w := sharedTestbed(t)
	for _, model := range []string{"odd-cut", "odd-error-after"} {
		t.Run(model, func(t *testing.T) { w.testBreak(t, model) })
	}
}

// testBreak checks a stream of a model that fails after the client has received content.
func (w *testbed) testBreak(t *testing.T, model string) {
	t.Helper()
	r := w.caller(acmeToken).post(story.Context(t), ask(model, someCounts, streaming))
	got := events(r.body)
	if r.status != 200 || len(got) < 2 {
		t.Fatalf("got status %d, %v: %.300q", r.status, r.err, r.body)
	}
	last := got[len(got)-1]
	if !strings.Contains(last, `"error"`) || !strings.Contains(last, `"code"`) ||
		bytes.Contains(r.body, []byte("[DONE]")) {
		t.Errorf("got the last event %q, want an error", last)
	}
	if n := bytes.Count(r.body, []byte(`"role":"assistant"`)); n != 1 {
		t.Errorf("the answer contains %d streams, want 1", n)
	}
	checkNoSecrets(t, string(r.body), r.header)
	if l := w.signIn(t, acmeOwner).AwaitLog(t, r.id()); l.Outcome != "partial" || l.Quota == "0" {
		t.Errorf("got the usage log %+v, want partial and charged", l)
	}
}

// TestStream_ArrivesAsItIsProduced checks that chunks arrive without buffering. The upstream sends a chunk only after
// the client has the one before it.
func TestStream_ArrivesAsItIsProduced(t *testing.T) {
	w := sharedTestbed(t)
	params := hello("paused-chunks")
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	client := w.sdk(acmeToken)
	stream := client.Chat.Completions.NewStreaming(story.Context(t), params)
	defer stream.Close() //nolint:errcheck // read up to its end
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !all.AddChunk(chunk) {
			t.Fatalf("chunk does not fit: %s", chunk.RawJSON())
		}
		if first, last := all.Choices[0].Message.Content == "", len(chunk.Choices) == 0; !first && !last {
			w.upstream.Pass(t, "paused-chunks")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatalf("the stream stopped before its end, although the client has every chunk that the upstream sent: %v",
			err)
	}
	if all.Choices[0].FinishReason != "stop" || all.Choices[0].Message.Content == "" ||
		all.Usage.CompletionTokens != 13 {
		t.Errorf("got %+v, usage %+v", all.Choices, all.Usage)
	}
}

// TestStream_SendsCommentsDuringSilence checks that a client gets a comment while the upstream is silent, which it is
// until the client has the comment.
func TestStream_SendsCommentsDuringSilence(t *testing.T) {
	w := sharedTestbed(t)
	barrier := uuid.NewString()
	resp, err := w.caller(acmeToken).open(story.Context(t), askAt(barrier))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	in := bufio.NewReader(resp.Body)
	for line := ""; !strings.HasPrefix(line, ":"); {
		if line, err = in.ReadString('\n'); err != nil || strings.Contains(line, "[DONE]") {
			t.Fatalf("got no comment: %v %q", err, line)
		}
	}
	w.upstream.Open(t, barrier)
	if rest, err := io.ReadAll(in); err != nil || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("after the comment: got %v, %.500q", err, rest)
	}
}

func TestStream_ReportsQuotaInTheUsageIfRequested(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(acmeToken)
	caller.client.Transport = withHeader{caller.client.Transport, "X-Tollgate-Include-Quota", "true"}
	r := caller.post(story.Context(t), ask("gpt-4o-mini", someCounts, streaming, withUsage))
	want := `"quota":"` + usd(bill(someCounts, "1")) + `"`
	if got := events(r.body); !r.complete(true) || !strings.Contains(got[len(got)-2], want) {
		t.Errorf("the last events lack %s: %q", want, got[max(0, len(got)-2):])
	}
}
