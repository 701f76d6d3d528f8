// Package responsetest gives tests of the relay what the Responses API needs: upstreams that speak it (Respond,
// Upstream) or only chat (ChatUpstream), relays in front of them, the events of a stream, and answers parsed as a
// strict client does.
package responsetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
)

// Manifest has the models of relaytest.Manifest on channels that speak responses. Each channel has one model
// of its own: flat and orphan.
var Manifest = strings.NewReplacer(
	"endpoints: [chat]", "endpoints: [chat, responses], unpriced: allow", "models: {cheap: cheap}, priority: 1",
	"models: {cheap: cheap, orphan: orphan}, priority: 1",
).Replace(relaytest.Manifest)

// Paths of operations on responses.
const (
	CompactPath     = relaytest.ResponsesPath + "/compact"
	InputTokensPath = relaytest.ResponsesPath + "/input_tokens"
)

// Parts of responses.
const (
	Usage       = `"usage":{"input_tokens":1000,"input_tokens_details":{"cached_tokens":0},"output_tokens":500,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":1500}`
	MessageItem = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"hi there","annotations":[]}]}`
)

// Object returns a response as an upstream sends it. members holds further ones.
func Object(id, status, output, members string) string {
	return fmt.Sprintf(
		`{"id":%q,"object":"response","created_at":1,"status":%q,"error":null,"incomplete_details":null,"model":"cheap","output":[%s],"previous_response_id":null%s}`, id, status, output, members)
}

// Compacted returns a compaction as the upstream with the name sends it.
func Compacted(name string) string {
	return fmt.Sprintf(
		`{"id":"resp_c_%s","object":"response.compaction","created_at":1,"output":[{"id":"msg_1","type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"hello"}]},`+
			`{"id":"cmp_1","type":"compaction","encrypted_content":"summary of %s"}], %s,"more":1.50}`, name,
		name, Usage)
}

// Respond is an upstream of the dialect responses that behaves well.
func Respond(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if bytes.Contains(body, []byte(`"stream":true`)) {
		relaytest.Stream(w, EventsWhole)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, Object("resp_up", "completed", MessageItem, ","+Usage))
}

// Both is an upstream that speaks chat and responses.
func Both(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/responses") {
		Respond(w, r)
		return
	}
	relaytest.Answer(w, r)
}

// New returns a relay with two channels that speak responses.
func New(t *testing.T) *relaytest.Relay {
	t.Helper()
	h := relaytest.NewWith(t, Manifest)
	h.SetUpstreams(Respond, Respond)
	return h
}

// Body returns the body of a request to create a response.
func Body(extra string) string {
	return fmt.Sprintf(`{"model":"cheap","input":"hello"%s}`, extra)
}

// Post creates a response with extra members.
func Post(h *relaytest.Relay, bearer, extra string, headers ...string) relaytest.Reply {
	h.T.Helper()
	return h.Do(http.MethodPost, relaytest.ResponsesPath, bearer, Body(extra), headers...)
}

// PostInput creates a response from an input, which is JSON.
func PostInput(h *relaytest.Relay, bearer, input, extra string) relaytest.Reply {
	h.T.Helper()
	return h.Do(http.MethodPost, relaytest.ResponsesPath, bearer,
		fmt.Sprintf(`{"model":"cheap","input":%s%s}`, input, extra))
}

// Create creates a response and returns it.
func Create(h *relaytest.Relay, bearer, extra string) Response {
	h.T.Helper()
	got := Post(h, bearer, extra)
	if got.Status != 200 {
		h.T.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	if strings.Contains(extra, `"stream":true`) {
		return LastEvent(h.T, got.Body).Response
	}
	return Parse(h.T, got.Body)
}

// Continuing returns the member that continues a response.
func Continuing(id string) string { return fmt.Sprintf(`,"previous_response_id":%q`, id) }

// Response is the part of a response object that the tests check.
type Response struct {
	ID, Status, Model string
	OutputText        *string `json:"output_text"`
	Previous          *string `json:"previous_response_id"`
	Output            []struct {
		Type, Status string
		Content      []struct{ Type, Text string }
		Encrypted    string `json:"encrypted_content"`
		Arguments    string
	}
	Error      *struct{ Code, Message string }
	Incomplete *struct{ Reason string } `json:"incomplete_details"`
	Usage      *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Quota  string
	}
}

// Parse parses a response object.
func Parse(t *testing.T, body string) (r Response) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

// Unmarked returns an answer without the marks on ids.
func Unmarked(answer string) string {
	return regexp.MustCompile(`\.tg1[A-Za-z0-9_-]{48}"`).ReplaceAllString(answer, `"`)
}
