package stored_test

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
)

// streamed retrieves the stream of a response and returns its events.
func streamed(h *relaytest.Relay, id, query string) []responsetest.StreamEvent {
	h.T.Helper()
	got := h.Do("GET", relaytest.ResponsesPath+"/"+id+"?stream=true"+query, token, "")
	if got.Status != 200 || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
		h.T.Fatalf("got %d %v %s, want a stream", got.Status, got.Header, got.Body)
	}
	return later(h.T, got.Body)
}

// later returns the events of a stream that may begin after its first event.
func later(t *testing.T, body string) (all []responsetest.StreamEvent) {
	t.Helper()
	for frame := range strings.SplitAfterSeq(body, "\n\n") {
		if frame != "" {
			all = append(all, responsetest.ParseEvent(t, frame))
		}
	}
	return all
}

// numbers returns the sequence numbers of events.
func numbers(all []responsetest.StreamEvent) (n []int64) {
	for _, e := range all {
		n = append(n, e.Sequence)
	}
	return n
}

func TestRetrieveStream_PassesTheStreamOfTheChannelOn(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	made := responsetest.Create(h, token, "")
	key := first.Latest().Key
	got := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"?stream=true&starting_after=1&include_obfuscation=false",
		token, "")
	if a := first.Latest(); a.Path != "/v1/responses/resp_first_1" ||
		a.Query != "stream=true&starting_after=1&include_obfuscation=false" || a.Key != key {
		t.Errorf("the upstream received %+v", a)
	}
	all := later(t, got.Body)
	if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != "first" ||
		!slices.Equal(numbers(all), []int64{2, 3, 4, 5, 6, 7, 8}) {
		t.Fatalf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	if last := all[len(all)-1].Response; last.ID != made.ID || last.Status != "completed" || last.OutputText == nil ||
		*last.OutputText != "hi there" {
		t.Errorf("the last event has %+v", last)
	}
	if strings.Contains(got.Body, "resp_first") || strings.Contains(got.Body, `"msg_1"`) {
		t.Errorf("an id of the upstream is not replaced: %s", got.Body)
	}
	if end := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"?stream=true&starting_after=8", token,
		""); end.Status != 200 || end.Body != "" {
		t.Errorf("after the last event: got %d %q, want an empty stream", end.Status, end.Body)
	}
	if body := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"?starting_after=6", token,
		`{"stream":true}`); !slices.Equal(numbers(later(t, body.Body)), []int64{7, 8}) {
		t.Errorf("with stream in a body: got %d %s", body.Status, body.Body)
	}
	h.Log(responsetest.Post(h, token, ""))
	h.ExpectLogs(2)
}

func TestRetrieveStream_ReturnsErrors(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	id := responsetest.Create(h, token, "").ID
	at := relaytest.ResponsesPath + "/" + id + "?stream=true"
	param := "starting_after"
	for _, wrong := range []string{"x", "-1", "1.5", "", "9223372036854775807"} {
		got := h.Do("GET", at+"&starting_after="+wrong, token, "")
		if got.Status != 400 {
			t.Errorf("starting_after=%s: got %d %s, want 400", wrong, got.Status, got.Body)
		}
		relaytest.CheckError(t, got.Body, "invalid_request_error", "invalid_type", &param)
	}
	for name, c := range map[string]struct {
		upstream   http.HandlerFunc
		status     int
		kind, code string
	}{
		"the response was not made in the background": {relaytest.Status(400,
			`{"error":{"message":"resp_first_1 cannot be streamed by sk-first-channel-key","type":"invalid_request_error","param":null,"code":null}}`), 400, "invalid_request_error", ""},
		"the upstream has deleted the response": {relaytest.Status(404,
			`{"error":{"message":"Response with id 'resp_first_1' not found."}}`), 404, "invalid_request_error",
			"response_not_found"},
		"the upstream fails":          {relaytest.Status(500, `{}`), 502, "upstream_error", "upstream_error"},
		"the upstream ignores stream": {first.Serve, 502, "upstream_error", "upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			serve := c.upstream
			if name == "the upstream ignores stream" {
				serve = relaytest.Status(200, responsetest.Object("resp_first_1", "completed", responsetest.MessageItem,
					","+responsetest.Usage))
			}
			h.SetUpstreams(serve, serve)
			got := h.Do("GET", at, token, "")
			if got.Status != c.status || strings.Contains(got.Body, "resp_first") ||
				strings.Contains(got.Body, "sk-first") {
				t.Errorf("got %d %s, want %d", got.Status, got.Body, c.status)
			}
			relaytest.CheckError(t, got.Body, c.kind, c.code, nil)
		})
	}
	h.SetUpstreams(relaytest.Aborts(responsetest.EventsHi), nil)
	all := responsetest.Events(t, h.Do("GET", at, token, "").Body)
	if last := all[len(all)-1]; last.Type != "response.failed" || last.Sequence != 5 || last.Response.Error == nil {
		t.Errorf("a stream that broke off: the last event is %+v", last)
	}
	h.SetUpstreams(relaytest.Aborts(responsetest.EventPart, responsetest.EventDelta), nil)
	all = later(t, h.Do("GET", at+"&starting_after=2", token, "").Body)
	if last := all[len(all)-1]; !slices.Equal(numbers(all), []int64{3, 4, 5}) || last.Type != "response.failed" ||
		last.Response.ID != id || last.Response.Error == nil {
		t.Errorf("a resumed stream that broke off: got %+v", all)
	}
}

func TestRetrieveStream_EndsWithItsClientAndAfterASilence(t *testing.T) {
	h := relaytest.NewWith(t, responsetest.Manifest, func(c *config.Config) { c.UpstreamIdleTimeout = 2 * time.Second })
	made := &responsetest.Upstream{Name: "first"}
	h.SetUpstreams(made.Serve, nil)
	at := relaytest.ResponsesPath + "/" + responsetest.Create(h, token, "").ID + "?stream=true"
	silent := make(chan struct{}, 2)
	h.SetUpstreams(func(w http.ResponseWriter, r *http.Request) {
		relaytest.Stream(w, responsetest.EventsHi)
		<-r.Context().Done()
		silent <- struct{}{}
	}, nil)
	all := responsetest.Events(t, h.Do("GET", at, token, "").Body)
	if last := all[len(all)-1]; last.Type != "response.failed" {
		t.Errorf("after a silence: the last event is %+v", last)
	}
	waitFor(t, silent)

	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL+at, nil)
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
			h, _ := responsetest.NewChatOnly(t)
			made := responsetest.Create(h, token, extra)
			whole := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID, token, "").Body
			all := streamed(h, made.ID, "")
			var types []string
			for _, e := range all {
				types = append(types, strings.TrimPrefix(e.Type, "response."))
			}
			want := []string{"created", "in_progress", "output_item.added", "content_part.added", "output_text.delta",
				"output_text.done", "content_part.done", "output_item.done", "completed"}
			if !slices.Equal(types, want) || !slices.Equal(numbers(all), []int64{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
				t.Errorf("got %v %v, want %v", types, numbers(all), want)
			}
			if last := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"?stream=true&starting_after=7", token,
				""); last.Body !=
				"event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":8,\"response\":"+
					whole+"}\n\n" {
				t.Errorf("the last event is\n%s\nwant the response\n%s", last.Body, whole)
			}
			if beyond := streamed(h, made.ID, "&starting_after=400"); !slices.Equal(numbers(beyond), []int64{401}) ||
				beyond[0].Type != "response.completed" {
				t.Errorf("after more events than there are: got %+v", beyond)
			}
			if got := h.Do("GET", relaytest.ResponsesPath+"/"+made.ID+"?stream=false&starting_after=2", token,
				""); got.Body != whole {
				t.Errorf("without a stream: got %s", got.Body)
			}
		})
	}
}
