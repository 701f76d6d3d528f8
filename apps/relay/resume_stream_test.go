package relay_test

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
)

// resume sends the stream of a response that the upstream stores, after the event with the number starting_after.
func (k *responsesUpstream) resume(w http.ResponseWriter, r *http.Request) {
	after := -1
	if text := r.URL.Query().Get("starting_after"); text != "" {
		after, _ = strconv.Atoi(text)
	}
	stored := strings.ReplaceAll(eventsWhole, "resp_up", "resp_"+k.name+"_1")
	stream(w, strings.SplitAfter(stored, "\n\n")[min(after+1, 9):]...)
}

// streamed retrieves the stream of a response and returns its events.
func (h *testRelay) streamed(id, query string) []streamEvent {
	h.t.Helper()
	got := h.do("GET", responses+"/"+id+"?stream=true"+query, token, "")
	if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
		h.t.Fatalf("got %d %v %s, want a stream", got.status, got.header, got.body)
	}
	return later(h.t, got.body)
}

// later returns the events of a stream that may begin after its first event.
func later(t *testing.T, body string) (all []streamEvent) {
	t.Helper()
	for frame := range strings.SplitAfterSeq(body, "\n\n") {
		if frame != "" {
			all = append(all, parseEvent(t, frame))
		}
	}
	return all
}

// numbers returns the sequence numbers of events.
func numbers(all []streamEvent) (n []int64) {
	for _, e := range all {
		n = append(n, e.Sequence)
	}
	return n
}

func TestRetrieveStream_PassesTheStreamOfTheChannelOn(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	made := h.create(token, "")
	key := first.latest().key
	got := h.do("GET", responses+"/"+made.ID+"?stream=true&starting_after=1&include_obfuscation=false", token, "")
	if a := first.latest(); a.path != "/v1/responses/resp_first_1" ||
		a.query != "stream=true&starting_after=1&include_obfuscation=false" || a.key != key {
		t.Errorf("the upstream received %+v", a)
	}
	all := later(t, got.body)
	if got.status != 200 || got.header.Get("X-Tollgate-Channel") != "first" ||
		!slices.Equal(numbers(all), []int64{2, 3, 4, 5, 6, 7, 8}) {
		t.Fatalf("got %d %v %s", got.status, got.header, got.body)
	}
	if last := all[len(all)-1].Response; last.ID != made.ID || last.Status != "completed" || last.OutputText == nil ||
		*last.OutputText != "hi there" {
		t.Errorf("the last event has %+v", last)
	}
	if strings.Contains(got.body, "resp_first") || strings.Contains(got.body, `"msg_1"`) {
		t.Errorf("an id of the upstream is not replaced: %s", got.body)
	}
	if end := h.do("GET", responses+"/"+made.ID+"?stream=true&starting_after=8", token, ""); end.status != 200 ||
		end.body != "" {
		t.Errorf("after the last event: got %d %q, want an empty stream", end.status, end.body)
	}
	if body := h.do("GET", responses+"/"+made.ID+"?starting_after=6", token,
		`{"stream":true}`); !slices.Equal(numbers(later(t, body.body)), []int64{7, 8}) {
		t.Errorf("with stream in a body: got %d %s", body.status, body.body)
	}
	h.log(h.respond(token, ""))
	h.expectLogs(2)
}

func TestRetrieveStream_ReturnsErrors(t *testing.T) {
	h, first, _ := newResponsesUpstreams(t)
	at := responses + "/" + h.create(token, "").ID + "?stream=true"
	param := "starting_after"
	for _, wrong := range []string{"x", "-1", "1.5", "", "9223372036854775807"} {
		got := h.do("GET", at+"&starting_after="+wrong, token, "")
		if got.status != 400 {
			t.Errorf("starting_after=%s: got %d %s, want 400", wrong, got.status, got.body)
		}
		checkEnvelope(t, got.body, "invalid_request_error", "invalid_type", &param)
	}
	for name, c := range map[string]struct {
		upstream   http.HandlerFunc
		status     int
		kind, code string
	}{
		"the response was not made in the background": {status(400,
			`{"error":{"message":"resp_first_1 cannot be streamed by sk-first-channel-key","type":"invalid_request_error","param":null,"code":null}}`), 400, "invalid_request_error", ""},
		"the upstream has deleted the response": {status(404,
			`{"error":{"message":"Response with id 'resp_first_1' not found."}}`), 404, "invalid_request_error",
			"response_not_found"},
		"the upstream fails":          {status(500, `{}`), 502, "upstream_error", "upstream_error"},
		"the upstream ignores stream": {first.serve, 502, "upstream_error", "upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			serve := c.upstream
			if name == "the upstream ignores stream" {
				serve = status(200, responseObject("resp_first_1", "completed", messageItem, ","+responseUsage))
			}
			h.setUpstreams(serve, serve)
			got := h.do("GET", at, token, "")
			if got.status != c.status || strings.Contains(got.body, "resp_first") ||
				strings.Contains(got.body, "sk-first") {
				t.Errorf("got %d %s, want %d", got.status, got.body, c.status)
			}
			checkEnvelope(t, got.body, c.kind, c.code, nil)
		})
	}
	h.setUpstreams(aborts(eventsHi), nil)
	all := events(t, h.do("GET", at, token, "").body)
	if last := all[len(all)-1]; last.Type != "response.failed" || last.Sequence != 5 || last.Response.Error == nil {
		t.Errorf("a stream that broke off: the last event is %+v", last)
	}
}

func TestRetrieveStream_EndsWithItsClientAndAfterASilence(t *testing.T) {
	h := newRelayWith(t, responsesManifest, func(c *config.Config) { c.UpstreamIdleTimeout = 2 * time.Second })
	made := &responsesUpstream{name: "first"}
	h.setUpstreams(made.serve, nil)
	at := responses + "/" + h.create(token, "").ID + "?stream=true"
	silent := make(chan struct{}, 2)
	h.setUpstreams(func(w http.ResponseWriter, r *http.Request) {
		stream(w, eventsHi)
		<-r.Context().Done()
		silent <- struct{}{}
	}, nil)
	all := events(t, h.do("GET", at, token, "").body)
	if last := all[len(all)-1]; last.Type != "response.failed" {
		t.Errorf("after a silence: the last event is %+v", last)
	}
	waitFor(t, silent)

	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+at, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	leave()
	waitFor(t, silent)
}

// waitFor waits until the upstream's request has ended.
func waitFor(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the request to the upstream did not end")
	}
}

func TestRetrieveStream_ReplaysAResponseOfTheGateway(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, _ := newChatOnly(t)
			made := h.create(token, extra)
			whole := h.do("GET", responses+"/"+made.ID, token, "").body
			all := h.streamed(made.ID, "")
			var types []string
			for _, e := range all {
				types = append(types, strings.TrimPrefix(e.Type, "response."))
			}
			want := []string{"created", "in_progress", "output_item.added", "content_part.added", "output_text.delta",
				"output_text.done", "content_part.done", "output_item.done", "completed"}
			if !slices.Equal(types, want) || !slices.Equal(numbers(all), []int64{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
				t.Errorf("got %v %v, want %v", types, numbers(all), want)
			}
			if last := h.do("GET", responses+"/"+made.ID+"?stream=true&starting_after=7", token, ""); last.body !=
				"event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":8,\"response\":"+
					whole+"}\n\n" {
				t.Errorf("the last event is\n%s\nwant the response\n%s", last.body, whole)
			}
			if beyond := h.streamed(made.ID, "&starting_after=400"); !slices.Equal(numbers(beyond), []int64{401}) ||
				beyond[0].Type != "response.completed" {
				t.Errorf("after more events than there are: got %+v", beyond)
			}
			if got := h.do("GET", responses+"/"+made.ID+"?stream=false&starting_after=2", token,
				""); got.body != whole {
				t.Errorf("without a stream: got %s", got.body)
			}
		})
	}
}
