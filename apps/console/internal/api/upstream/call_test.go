package upstream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

const (
	call = `{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"ping"}]}`
	// 1,000,000 input and 500,000 output tokens
	streamed = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"pong"}}]}` + "\n\n" +
		`data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"id":"c","choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":500000}}` + "\n\n" +
		"data: [DONE]\n\n"
)

func callPath(id uuid.UUID) string { return "/api/operator/channels/" + id.String() + "/call" }

// begin sends a call of a channel and returns the response before its body is read.
func begin(ctx context.Context, c *consoletest.Client, channel uuid.UUID, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+callPath(channel), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.AddCookie(&http.Cookie{Name: "tollgate_session", Value: c.Cookie})
	return http.DefaultClient.Do(request)
}

// send sends a call of a channel and reads the whole answer.
func send(c *consoletest.Client, channel uuid.UUID, body string) consoletest.Reply {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.URL+callPath(channel),
		strings.NewReader(body))
	c.Must(err)
	request.Header.Set("Content-Type", "application/json")
	return c.Send(request)
}

// receiptOf returns the receipt at the end of an answer.
func receiptOf(t *testing.T, r consoletest.Reply) map[string]any {
	t.Helper()
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %s: %s", r.StatusCode, r.Header.Get("Content-Type"), r.Raw)
	}
	_, last, found := strings.Cut(r.Raw, "event: receipt\ndata: ")
	var event struct{ Receipt map[string]any }
	if err := json.Unmarshal([]byte(last), &event); !found || err != nil {
		t.Fatalf("got no receipt (%v) in %s", err, r.Raw)
	}
	return event.Receipt
}

func TestCallChannel_StreamsTheAnswerAndItsReceipt(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, upstream := s.As(s.Operator), newFake(t, http.StatusOK, streamed)
	channel := stored(s, upstream.URL)
	r := send(operator, channel.ID, call)
	upstream.got(t, "POST /chat/completions Bearer "+consoletest.Credential)
	if !strings.Contains(r.Raw, `"content":"pong"`) || !strings.Contains(r.Raw, "data: [DONE]\n\nevent: receipt\n") {
		t.Errorf("got %s", r.Raw)
	}
	receipt := receiptOf(t, r)
	consoletest.Equal(t, receipt, true, "ok")
	consoletest.Equal(t, receipt, 200.0, "status")
	consoletest.Equal(t, receipt, 1_000_000.0, "tokens", "input")
	consoletest.Equal(t, receipt, 500_000.0, "tokens", "output")
	consoletest.Equal(t, receipt, "0.45", "price") // without the rule of a group
	consoletest.Equal(t, receipt, nil, "supplier_cost")
	if receipt["first_token_ms"] == nil || receipt["mask"] == "" {
		t.Errorf("got the receipt %v", receipt)
	}

	rate := money.Amount(100_000_000)
	_, err := s.Store.Catalog.CreateChannelCost(t.Context(), consoletest.System, pricing.ChannelCost{
		ChannelID: channel.ID, UpstreamModel: "up", Factor: money.One,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate, Output: &rate}}})
	s.Must(err)
	consoletest.Equal(t, receiptOf(t, send(operator, channel.ID, call)), "0.15", "supplier_cost")
}

func TestCallChannel_LeavesNoTraceButAnEntryOfTheAuditLog(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, upstream := s.As(s.Operator), newFake(t, http.StatusOK, streamed)
	channel := stored(s, upstream.URL)
	disabled := tenant.Disabled
	_, err := s.Store.Catalog.UpdateChannel(t.Context(), consoletest.System, channel.ID,
		catalogdb.ChannelPatch{Status: &disabled})
	s.Must(err)
	logs := operator.Get("/api/usage-logs").Raw
	for range 2 { // a disabled channel can be called
		receiptOf(t, send(operator, channel.ID, call))
	}
	if now := operator.Get("/api/usage-logs").Raw; now != logs {
		t.Errorf("a usage log was written: %s", now)
	}
	s.Must(s.App.Stop(s.Context()))
	log := operator.Get("/api/operator/audit-log?action=channel.test").Want(t, http.StatusOK)
	consoletest.Equal(t, log, channel.ID.String(), "items", 0, "target")
	consoletest.Equal(t, log, s.Operator.Email, "items", 0, "actor")
	consoletest.Equal(t, log, 2.0, "items", 0, "detail", "tests", "sk-u…6789 gpt-4o-mini")
}

func TestCallChannel_ShowsErrorsOfTheUpstreamWithoutTheCredential(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	body := `{"error":{"message":"no such key: ` + consoletest.Credential + `","hint":"rotate it"}}`
	upstream := newFake(t, http.StatusUnauthorized, body)
	channel := stored(s, upstream.URL)
	r := send(s.As(s.Operator), channel.ID, call)
	receipt := receiptOf(t, r)
	consoletest.Equal(t, receipt, false, "ok")
	consoletest.Equal(t, receipt, 401.0, "status")
	consoletest.Equal(t, receipt, "credential", "error")
	consoletest.Equal(t, receipt, nil, "tokens")
	consoletest.Equal(t, receipt, nil, "price")
	if !strings.Contains(consoletest.Text(t, receipt, "detail"), "rotate it") ||
		strings.Contains(r.Raw, consoletest.Credential) {
		t.Errorf("got %s", r.Raw)
	}
	// The answer may be that of any server that the console reaches, so programs do not see it.
	_, value := s.ScopedKey(s.Operator, token.AccessKey{Scopes: []token.AccessScope{token.WriteChannels}})
	key := &consoletest.Client{Stack: s, Key: value}
	consoletest.Equal(t, receiptOf(t, send(key, channel.ID, call)), "", "detail")
}

func TestCallChannel_RefusesWhatItCannotSend(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, upstream := s.As(s.Operator), newFake(t, http.StatusOK, streamed)
	channel := stored(s, upstream.URL)
	for body, field := range map[string]string{
		`{"model":"other","messages":[{"role":"user","content":"x"}]}`:       "model",
		`{"model":"gpt-4o-mini"}`:                                            "messages",
		`{"model":"gpt-4o-mini","messages":[{"role":"king","content":"x"}]}`: "messages[0].role",
		`[]`: "",
	} {
		send(operator, channel.ID, body).Refused(t, http.StatusBadRequest, field)
	}
	operator.Post(callPath(channel.ID)+"?fingerprint=unknown", json.RawMessage(call)).
		Refused(t, http.StatusBadRequest, "fingerprint")
	send(operator, channel.ID, strings.Repeat(" ", 1<<20+1)).Refused(t, http.StatusRequestEntityTooLarge, "")
	send(operator, uuid.New(), call).Refused(t, http.StatusNotFound, "")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+callPath(channel.ID),
		strings.NewReader(call))
	s.Must(err)
	request.Header.Set("Content-Type", "text/plain")
	operator.Send(request).Refused(t, http.StatusUnsupportedMediaType, "")
	upstream.got(t)
}

func TestCallChannel_IsForOperators(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	upstream := newFake(t, http.StatusOK, streamed)
	channel := stored(s, upstream.URL)
	for _, user := range []tenant.User{s.Acme.Owner, s.Acme.Admin, s.Acme.Member, s.Globex.Admin} {
		send(s.As(user), channel.ID, call).Refused(t, http.StatusForbidden, "")
	}
	send(&consoletest.Client{Stack: s, Key: s.Acme.KeyValue}, channel.ID, call).Refused(t, http.StatusForbidden, "")
	send(s.Anonymous(), channel.ID, call).Refused(t, http.StatusUnauthorized, "")
	_, value := s.ScopedKey(s.Operator, token.AccessKey{Scopes: []token.AccessScope{token.ReadCatalog}})
	send(&consoletest.Client{Stack: s, Key: value}, channel.ID, call).Refused(t, http.StatusForbidden, "")
	bare, err := s.Store.Catalog.CreateChannel(t.Context(), consoletest.System, catalog.Channel{
		Name: "bare", Type: "openai", BaseURL: upstream.URL, Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"gpt-4o-mini": "up"}, Weight: 1, Status: tenant.Enabled})
	s.Must(err)
	_, value = s.ScopedKey(s.Operator, token.AccessKey{Scopes: []token.AccessScope{token.WriteChannels}})
	send(&consoletest.Client{Stack: s, Key: value}, bare.ID, call).Refused(t, http.StatusForbidden, "")
	upstream.got(t)
}

// open is an upstream that begins an answer and ends it when proceed is closed, or the call ends.
func open(t *testing.T, proceed <-chan struct{}, ended chan<- struct{}) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		first, rest, _ := strings.Cut(streamed, "\n\n")
		_, _ = io.WriteString(w, first+"\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-proceed:
			_, _ = io.WriteString(w, rest)
		case <-r.Context().Done():
			ended <- struct{}{}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// firstToken reads a response up to the first text of the answer.
func firstToken(response *http.Response) error {
	lines := bufio.NewReader(response.Body)
	for {
		if line, err := lines.ReadString('\n'); err != nil || strings.Contains(line, "pong") {
			return err
		}
	}
}

func TestCallChannel_BoundsTheCallsOfAnOperator(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	proceed := make(chan struct{})
	channel := stored(s, open(t, proceed, make(chan struct{}, 8)))
	me := s.As(s.Operator)
	var calls sync.WaitGroup
	for range 4 {
		response, err := begin(t.Context(), me, channel.ID, call)
		s.Must(err)
		s.Must(firstToken(response)) // before the upstream has sent the rest
		calls.Go(func() {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		})
	}
	fifth := send(me, channel.ID, call)
	if fifth.StatusCode != http.StatusTooManyRequests || fifth.Header.Get("Retry-After") != "1" {
		t.Errorf("got %d %s, want 429 with Retry-After 1", fifth.StatusCode, fifth.Raw)
	}
	close(proceed)
	calls.Wait()
	receiptOf(t, send(me, channel.ID, call))
}

func TestCallChannel_EndsTheCallWhenTheClientDisconnects(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	ended := make(chan struct{}, 1)
	channel := stored(s, open(t, nil, ended))
	ctx, leave := context.WithCancel(t.Context())
	response, err := begin(ctx, s.As(s.Operator), channel.ID, call)
	s.Must(err)
	defer response.Body.Close() //nolint:errcheck // the response is aborted
	s.Must(firstToken(response))
	leave()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the call to the upstream was not ended within 30 seconds")
	}
}
