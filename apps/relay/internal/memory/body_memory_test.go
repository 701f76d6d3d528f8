package memory_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/config"
)

// tenantsYAML has two tenants with quota, of which the second has a token with limits, and one tenant without quota.
const tenantsYAML = `
groups:
  - {name: default, models: ["cheap"]}
  - {name: free, models: ["cheap", "gratis"]}
models:
  - {id: cheap, owned_by: acme, price: {input: "0.15", output: "0.60"}}
  - {id: gratis, owned_by: acme, free: true}
channels:
  - {name: first, type: openai, base_url: "${FIRST}/v1", api_keys: ["k"], endpoints: [chat], models: {cheap: cheap, gratis: gratis}}
tenants:
  - slug: greedy
    name: Greedy
    quota: "1000"
    users: [{email: a@greedy.example, password: "a-long-password", role: owner, group: default, 
     tokens: [{name: main, value: "a-token-of-the-greedy-tenant"}]}]
  - slug: calm
    name: Calm
    quota: "1000"
    users:
      - email: a@calm.example
        password: "a-long-password"
        role: owner
        group: default
        tokens:
          - {name: main, value: "a-token-of-the-calm-tenant"}
          - {name: limited, value: "a-token-with-a-rate-limit", limits: {requests_per_minute: 1}}
          - {name: busy, value: "a-token-with-one-slot", limits: {concurrency: 1}}
  - slug: broke
    name: Broke
    quota: "0"
    users:
      - {email: a@broke.example, password: "a-long-password", role: owner, group: default, tokens: [{name: main, value: "a-token-without-quota"}]}
      - {email: b@broke.example, password: "a-long-password", role: member, group: free, tokens: [{name: main, value: "a-token-of-a-free-model"}]}
`

const (
	greedyToken     = "a-token-of-the-greedy-tenant"
	calmToken       = "a-token-of-the-calm-tenant"
	oneRequestToken = "a-token-with-a-rate-limit"
	oneSlotToken    = "a-token-with-one-slot"
	brokeToken      = "a-token-without-quota"
	freeToken       = "a-token-of-a-free-model"
)

// sendHeader sends the header of a call with a body of the length, -1 for chunked, and returns the connection.
func sendHeader(h *relaytest.Relay, bearer string, length int) net.Conn {
	h.T.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		h.T.Fatal(err)
	}
	h.T.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	framing := fmt.Sprintf("Content-Length: %d", length)
	if length < 0 {
		framing = "Transfer-Encoding: chunked"
	}
	_, _ = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+
		"%s\r\nContent-Type: application/json\r\n%s\r\n\r\n", bearer, framing)
	return conn
}

// answerOn reads the response on a connection.
func answerOn(t *testing.T, conn net.Conn) (int, string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	return response.StatusCode, string(body)
}

// No byte of the body is sent, so an answer proves that the relay does not wait for the body.
func TestLargeBody_IsRefusedUnread(t *testing.T) {
	h := relaytest.NewWith(t, tenantsYAML)
	if got := h.Post(oneRequestToken, relaytest.ChatBody("cheap", "")); got.Status != 200 {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	arrived, slot := make(chan struct{}, 8), make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-slot
		relaytest.Answer(w, r)
	})
	running := make(chan relaytest.Reply, 1)
	go func() { running <- h.Post(oneSlotToken, relaytest.ChatBody("cheap", "")) }()
	select {
	case <-arrived: // the call has its slot
	case got := <-running:
		t.Fatalf("the running call: got %d %s", got.Status, got.Body)
	}
	for name, c := range map[string]struct {
		bearer string
		length int
		status int
		code   string
	}{
		"a token without quota":           {brokeToken, 32 << 20, 429, "insufficient_quota"},
		"a token without quota, chunked":  {brokeToken, -1, 429, "insufficient_quota"},
		"a token without requests":        {oneRequestToken, 32 << 20, 429, "rate_limit_exceeded"},
		"a token without a slot":          {oneSlotToken, -1, 429, "rate_limit_exceeded"},
		"an unknown token":                {"a-token-that-is-unknown", 32 << 20, 401, "invalid_api_key"},
		"more bytes than a body may have": {calmToken, 33 << 20, 413, "request_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := answerOn(t, sendHeader(h, c.bearer, c.length))
			if status != c.status || !strings.Contains(body, c.code) {
				t.Errorf("got %d %s, want %d %s", status, body, c.status, c.code)
			}
		})
	}
	if got := h.Series("tollgate_body_memory_bytes"); got != float64(len(relaytest.ChatBody("cheap", ""))) {
		t.Errorf("got %v bytes in use, want those of the running call", got)
	}
	close(slot)
	if got := <-running; got.Status != 200 {
		t.Errorf("the running call: got %d %s", got.Status, got.Body)
	}
}

// A client that sends its whole body before it reads must see the refusal too, and not a connection reset.
func TestLargeBody_RefusalReachesAClientThatSendsEverything(t *testing.T) {
	h := relaytest.NewWith(t, tenantsYAML)
	// The relay knows the caller before the machine is busy.
	if got := h.Post(brokeToken, relaytest.ChatBody("cheap", "")); got.Status != 429 {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			got := h.Post(brokeToken, relaytest.LargeBody(31<<20))
			if got.Status != 429 || !strings.Contains(got.Body, "insufficient_quota") {
				t.Errorf("got %d %.200s", got.Status, got.Body)
			}
		})
	}
	calls.Wait()
	if got := h.Series("tollgate_body_memory_bytes"); got != 0 {
		t.Errorf("got %v bytes in use", got)
	}
}

func TestLargeBody_OfAFreeModelNeedsNoQuota(t *testing.T) {
	h := relaytest.NewWith(t, tenantsYAML)
	body := strings.Replace(relaytest.LargeBody(100<<10), "cheap", "gratis", 1)
	if got := h.Post(freeToken, body); got.Status != 200 {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

func TestLargeBody_IsReadChunkedAndWithALength(t *testing.T) {
	h := relaytest.NewWith(t, tenantsYAML, func(c *config.Config) { c.MaxBodyBytes = 2 << 20 })
	for _, size := range []int{1 << 10, 64 << 10, 65 << 10, 1 << 20, 2<<20 - 200, 2 << 20} {
		for _, chunked := range []bool{false, true} {
			body := relaytest.LargeBody(size)
			var from io.Reader = strings.NewReader(body)
			if chunked {
				from = io.MultiReader(from) // hides the length
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/v1/chat/completions", from)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+calmToken)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			want := 200
			if len(body) > 2<<20 {
				want = 413
			}
			if response.StatusCode != want || want == 200 && h.LastBody() != body {
				t.Errorf("%d bytes, chunked %v: got %d, want %d", size, chunked, response.StatusCode, want)
			}
		}
	}
	if got := h.Series("tollgate_body_memory_bytes"); got != 0 {
		t.Errorf("got %v bytes in use", got)
	}
}

// One tenant sends 20 times what the budget holds. The budget is kept, and another tenant notices nothing.
func TestBodyMemory_KeepsATenantFromTakingEverything(t *testing.T) {
	const size = 4 << 20
	h := relaytest.NewWith(t, tenantsYAML, func(c *config.Config) { c.MaxBodyBytes, c.BodyMemory = size/4, size })
	release := make(chan struct{})
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 100<<10 {
			<-release
		}
		relaytest.Answer(w, r)
	})
	var calls sync.WaitGroup
	statuses := make(chan int, 80)
	for range 80 {
		calls.Go(func() { statuses <- h.Post(greedyToken, relaytest.LargeBody(size/4-1000)).Status })
	}
	h.Eventually("a call is refused", func() bool { return h.Series("tollgate_body_memory_refused_total") > 0 })
	for range 50 {
		if got := h.Post(calmToken, relaytest.ChatBody("cheap", "")); got.Status != 200 {
			t.Errorf("a small call of another tenant: got %d %s", got.Status, got.Body)
		}
		if used := h.Series("tollgate_body_memory_bytes"); used > size {
			t.Errorf("got %v bytes in use of %d", used, size)
		}
	}
	close(release)
	calls.Wait()
	close(statuses)
	counts := map[int]int{}
	for status := range statuses {
		counts[status]++
	}
	if counts[200] < 3 || counts[200]+counts[503] != 80 {
		t.Errorf("got statuses %v, want 200 for those that fit and 503 for the others", counts)
	}
}

// The headers of slow bodies reserve nothing: as many as would fill the budget ten times leave room for others.
func TestSlowBodies_HoldOnlyWhatHasArrived(t *testing.T) {
	h := relaytest.NewWith(t, tenantsYAML, func(c *config.Config) { c.BodyMemory = 128 << 20 })
	for range 40 {
		conn := sendHeader(h, greedyToken, 32<<20)
		_, _ = io.WriteString(conn, `{"model":"cheap"`)
	}
	h.Eventually("some are being read", func() bool { return h.Series("tollgate_body_memory_bytes") > 0 })
	if used := h.Series("tollgate_body_memory_bytes"); used > 40*64<<10 {
		t.Errorf("got %v bytes in use", used)
	}
	if got := h.Post(calmToken, relaytest.LargeBody(30<<20)); got.Status != 200 {
		t.Errorf("a large call of another tenant: got %d %.200s", got.Status, got.Body)
	}
}

// While a stream runs, its request is neither counted nor in memory.
func TestBodyMemory_IsGivenBackWhenTheUpstreamHasAnswered(t *testing.T) {
	const claude = `event: message_start` + "\n" +
		`data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"c","usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n" +
		`event: content_block_start` + "\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}` + "\n\n"
	for name, c := range map[string]struct{ manifest, extra, first string }{
		"a stream":            {tenantsYAML, `,"stream":true,"stream_options":{"include_usage":true}`, relaytest.ChunkHi},
		"an edited stream":    {tenantsYAML, `,"stream":true`, relaytest.ChunkHi},
		"a translated stream": {translatedYAML, `,"stream":true,"max_tokens":10`, claude},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				relaytest.Stream(w, c.first)
				<-release
			}))
			t.Cleanup(server.Close)
			h := relaytest.NewWith(t, strings.Replace(c.manifest, "${FIRST}", server.URL, 1),
				func(c *config.Config) { c.BodyMemory = 256 << 20 })
			before := heap()
			request := `{"model":"cheap","messages":[{"role":"user","content":"` + strings.Repeat("x", 30<<20) +
				`"}]` + c.extra + `}`
			conn := sendHeader(h, calmToken, len(request))
			if _, err := io.WriteString(conn, request); err != nil {
				t.Fatal(err)
			}
			request = "" //nolint:ineffassign,wastedassign // so that it is not part of the heap
			if head, err := bufio.NewReader(conn).ReadString('{'); err != nil || !strings.Contains(head, " 200 ") {
				t.Fatalf("got %q, %v", head, err)
			}
			h.Eventually("no bytes are in use", func() bool { return h.Series("tollgate_body_memory_bytes") == 0 })
			h.Eventually("the heap has grown by less than 10 MiB", func() bool { return heap() < before+10<<20 })
			close(release)
			_ = conn.Close()
		})
	}
}

// heap returns the bytes in use after garbage collections. The second one empties the pools of buffers.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// translatedYAML has a channel that speaks another dialect than its clients.
var translatedYAML = strings.Replace(tenantsYAML,
	`type: openai, base_url: "${FIRST}/v1", api_keys: ["k"], endpoints: [chat]`,
	`type: anthropic, base_url: "${FIRST}", api_keys: ["k"], endpoints: [messages]`, 1)

// A translation takes memory for each message. A body of many tiny messages would take 23 times its size.
func TestBodyMemory_CountsTranslations(t *testing.T) {
	h := relaytest.NewWith(t, translatedYAML, func(c *config.Config) { c.MaxBodyBytes, c.BodyMemory = 8<<20, 32<<20 })
	message := `{"role":"user","content":"a"},`
	for name, c := range map[string]struct {
		body   string
		status int
		sent   bool
	}{
		"one long message": {`{"model":"cheap","max_tokens":10,"messages":[{"role":"user","content":"` +
			strings.Repeat("x", 6<<20) + `"}]}`, 502, true},
		"many tiny messages": {`{"model":"cheap","max_tokens":10,"messages":[` +
			strings.TrimSuffix(strings.Repeat(message, (7<<20)/len(message)), ",") + `]}`, 413, false},
	} {
		t.Run(name, func(t *testing.T) {
			h.Mu.Lock()
			h.Bodies, h.First = nil, relaytest.Status(500, `{}`)
			h.Mu.Unlock()
			got := h.Post(calmToken, c.body)
			if got.Status != c.status || (h.LastBody() != "") != c.sent {
				t.Errorf("got %d %.300s, sent %d bytes; want %d", got.Status, got.Body, len(h.LastBody()), c.status)
			}
			if used := h.Series("tollgate_body_memory_bytes"); used != 0 {
				t.Errorf("got %v bytes in use", used)
			}
		})
	}
}
