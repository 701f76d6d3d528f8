package pipeline_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// mediaManifest declares a small tenant, an expensive model in all dialects, and a model with a limit on tokens.
const mediaManifest = `
groups:
  - {name: default, models: ["dear", "limited"]}
models:
  - {id: dear, owned_by: acme, price: {input: "2.50", output: "10"}}
  - {id: limited, owned_by: acme, price: {input: "1", output: "2"}, limits: {tokens_per_minute: 100000}}
channels:
  - {name: chat, type: openai, base_url: "${FIRST}/v1", endpoints: [chat], models: {dear: dear, limited: limited}}
  - {name: responses, type: openai, base_url: "${SECOND}/v1", endpoints: [responses], models: {dear: dear}}
  - {name: messages, type: anthropic, endpoints: [messages], base_url: "${SECOND}/v1", api_keys: ["sk-key"], models: {dear: dear}}
tenants:
  - slug: small
    name: Small
    quota: "0.50"
    users:
      - email: owner@small.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-on-a-small-wallet"}
`

// mediaUpstream answers in the dialect of the request.
func mediaUpstream(w http.ResponseWriter, r *http.Request) {
	answer := relaytest.Completion
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		answer =
			`{"id":"resp_1","object":"response","created_at":1,"model":"dear","status":"completed","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}],"usage":{"input_tokens":800,"input_tokens_details":{"cached_tokens":0},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":805}}`
	case strings.HasSuffix(r.URL.Path, "/messages"):
		answer =
			`{"id":"msg_1","type":"message","role":"assistant","model":"dear","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":800,"output_tokens":5}}`
	}
	relaytest.Status(http.StatusOK, answer)(w, r)
}

func chatPart(part string) string {
	return `{"model":"dear","messages":[{"role":"user","content":[{"type":"text","text":"What is it?"},` + part + `]}]}`
}

func responsesPart(part string) string {
	return `{"model":"dear","input":[{"role":"user","content":[{"type":"input_text","text":"What is it?"},` + part +
		`]}]}`
}

func messagesPart(part string) string {
	return `{"model":"dear","max_tokens":100,"messages":[{"role":"user","content":[{"type":"text","text":"What is it?"},` + part + `]}]}`
}

func TestMedia_CountByTheirOwnRulesInTheHold(t *testing.T) {
	h := relaytest.NewWith(t, mediaManifest)
	h.SetUpstreams(mediaUpstream, mediaUpstream)
	for name, row := range map[string]struct {
		path, body string // @ stands for the data
	}{
		"chat, an image": {"/v1/chat/completions",
			chatPart(`{"type":"image_url","image_url":{"url":"data:image/png;base64,@"}}`)},
		"chat, a sound": {"/v1/chat/completions",
			chatPart(`{"type":"input_audio","input_audio":{"data":"@","format":"mp3"}}`)},
		"chat, a PDF": {"/v1/chat/completions",
			chatPart(`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,@"}}`)},
		"responses, an image": {"/v1/responses",
			responsesPart(`{"type":"input_image","image_url":"data:image/png;base64,@"}`)},
		"responses, a PDF": {"/v1/responses",
			responsesPart(`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,@"}`)},
		"responses, a sound": {"/v1/responses",
			responsesPart(`{"type":"input_audio","input_audio":{"data":"@","format":"mp3"}}`)},
		"messages, an image": {"/v1/messages",
			messagesPart(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"@"}}`)},
		"messages, a PDF": {"/v1/messages",
			messagesPart(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"@"}}`)},
	} {
		for _, size := range []int{300_000, 30_000} {
			if got := h.Do(http.MethodPost, row.path, relaytest.SmallToken,
				strings.Replace(row.body, "@", strings.Repeat("A", size), 1)); got.Status != 200 {
				t.Errorf("%s of %d bytes: got %d %s", name, size, got.Status, got.Body)
			}
		}
	}
	// The same bytes as a text count one by one.
	for path, body := range map[string]string{
		"/v1/chat/completions": chatPart(`{"type":"text","text":"data:image/png;base64,@"}`),
		"/v1/responses":        responsesPart(`{"type":"input_text","text":"data:image/png;base64,@"}`),
		"/v1/messages":         messagesPart(`{"type":"text","text":"data:image/png;base64,@"}`),
	} {
		if got := h.Do(http.MethodPost, path, relaytest.SmallToken,
			strings.Replace(body, "@", strings.Repeat("A", 300_000),
				1)); got.Status != 429 || !strings.Contains(got.Body, "insufficient_quota") {
			t.Errorf("%s, a text: got %d %s", path, got.Status, got.Body)
		}
	}
}

// limitedPicture returns a chat request with a picture of size bytes.
func limitedPicture(size int) string {
	return fmt.Sprintf(
		`{"model":"limited","max_tokens":100,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]}]}`, strings.Repeat("A", size))
}

// receive returns the next value, and fails the test if there is none in time.
func receive[T any](t *testing.T, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(30 * time.Second):
		t.Fatal("waited for too long")
	}
	return value
}

func TestMedia_CountByTheirOwnRulesInTheRateLimit(t *testing.T) {
	h := relaytest.NewWith(t, mediaManifest)
	arrived, proceed := make(chan struct{}, 4), make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte("word")) { // a text is answered at once, and a picture when the test says so
			arrived <- struct{}{}
			select {
			case <-proceed:
			case <-r.Context().Done():
			}
		}
		mediaUpstream(w, r)
	})
	pictures := make(chan relaytest.Reply, 3)
	send := func(size int) { pictures <- h.Post(relaytest.SmallToken, limitedPicture(size)) }
	text := fmt.Sprintf(`{"model":"limited","max_tokens":100,"messages":[{"role":"user","content":%q}]}`,
		strings.Repeat("word ", 2_000))
	for _, sizes := range [][]int{{300_000, 300_000}, {500_000}} {
		for _, size := range sizes {
			go send(size)
			select {
			case <-arrived:
			case got := <-pictures:
				t.Fatalf("pictures of %v bytes at once: got %d %s", sizes, got.Status, got.Body)
			case <-time.After(30 * time.Second):
				t.Fatal("the call did not reach the upstream")
			}
		}
		got := h.Post(relaytest.SmallToken, text)
		left, err := strconv.Atoi(got.Header.Get("X-Ratelimit-Remaining-Tokens"))
		if got.Status != 200 || err != nil || left < 90_000 {
			t.Errorf("a text next to pictures of %v bytes: got %d with %d tokens left, %v, want more than 90000", sizes,
				got.Status, left, err)
		}
		for range sizes {
			proceed <- struct{}{}
			if got := receive(t, pictures); got.Status != 200 {
				t.Errorf("a picture: got %d %s", got.Status, got.Body)
			}
		}
	}
}

// An answer without usage is charged for an image as for an image, wherever it is in the request.
func TestMedia_CountByTheirOwnRulesInTheEstimate(t *testing.T) {
	h := relaytest.NewWith(t, mediaManifest)
	h.ServeFirst(relaytest.Status(http.StatusOK,
		`{"id":"c1","object":"chat.completion","created":1,"model":"dear","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`))
	long := strings.Repeat("many words ", 1_000) // more than the sample of a request
	image := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("A", 300_000) + `"}}`
	got := h.Post(relaytest.SmallToken, `{"model":"dear","messages":[{"role":"user","content":[{"type":"text","text":"`+long+
		`"},`+image+`]}]}`)
	if got.Status != 200 {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	if log := h.Log(got); log.Outcome != usage.Success || !log.Estimated || log.Usage.Input < 2_500 ||
		log.Usage.Input > 3_200 {
		t.Errorf("got %+v, want about 2,000 tokens of text and 765 of the image", log.Usage)
	}
}
