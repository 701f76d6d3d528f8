package stored_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/polltest"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/metering"
)

func TestFollowUp_GoesToTheChannelThatMadeTheResponse(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, first, second := responsetest.NewUpstreams(t)
			first.Fail(true)
			made := responsetest.Create(h, token, extra)
			first.Fail(false)
			tried := len(first.Requests())
			next := responsetest.Create(h, token, responsetest.Continuing(made.ID)+extra)
			if sent := second.Latest().Body; !strings.Contains(sent, `"previous_response_id":"resp_`) ||
				strings.Contains(sent, made.ID) {
				t.Errorf("the upstream received %s", sent)
			}
			if next.Previous == nil || *next.Previous != made.ID {
				t.Errorf("previous response: got %v, want %s", next.Previous, made.ID)
			}
			second.Fail(true)
			if got := responsetest.Post(h, token, responsetest.Continuing(next.ID)+extra); got.Status != 502 {
				t.Errorf("got %d %s, want 502", got.Status, got.Body)
			}
			if len(first.Requests()) != tried {
				t.Errorf("the other channel received the follow-up")
			}
		})
	}
}

func TestFollowUp_UsesTheCredentialThatMadeTheResponse(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	made := responsetest.Create(h, token, "")
	key := first.Latest().Key
	for range 4 {
		made = responsetest.Create(h, token, responsetest.Continuing(made.ID))
		if got := first.Latest().Key; got != key {
			t.Errorf("credential: got %s, want %s", got, key)
		}
	}
}

func TestFollowUp_WaitsForTheCredentialThatMadeTheResponse(t *testing.T) {
	h := relaytest.NewWith(t, strings.Replace(responsetest.Manifest, `["sk-first-channel-key"]`,
		`["sk-key-of-account-one-01", "sk-key-of-account-two-02"]`, 1))
	first := &responsetest.Upstream{Name: "first"}
	h.ServeFirst(first.Serve)
	made := responsetest.Create(h, token, "")
	owner := first.Latest().Key
	// serveOwner lets serve answer calls with the owner's key. The account of the other key does not have the response.
	serveOwner := func(serve http.HandlerFunc) {
		h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer "+owner {
				serve(w, r)
				return
			}
			relaytest.Status(400,
				`{"error":{"message":"no","type":"invalid_request_error","code":"previous_response_not_found"}}`)(w, r)
		})
	}
	serveOwner(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "30")
		relaytest.Status(429, `{}`)(w, r)
	})
	for _, rule := range []string{"the owner is busy", "the owner's circuit breaker is open"} {
		got := responsetest.Post(h, token, responsetest.Continuing(made.ID))
		if got.Status != 429 || got.Header.Get("Retry-After") != "30" {
			t.Errorf("%s: got %d with Retry-After %q: %s; want 429 with 30", rule, got.Status,
				got.Header.Get("Retry-After"), got.Body)
		}
	}
	serveOwner(first.Serve)
	if got := responsetest.Post(h, token, responsetest.Continuing(made.ID)); got.Status != 200 {
		t.Errorf("the owner works again: got %d %s, want 200", got.Status, got.Body)
	}
}

func TestFollowUp_IsUnknownWithAForeignID(t *testing.T) {
	h, first, second := responsetest.NewUpstreams(t)
	made := responsetest.Create(h, token, "")
	before := len(first.Requests())
	other := []byte(made.ID)
	other[len(other)/2] ^= 1
	for name, c := range map[string]struct{ bearer, id string }{
		"an id of another tenant":    {relaytest.SmallToken, made.ID},
		"a modified id":              {token, string(other)},
		"an id of the upstream":      {token, "resp_first_1"},
		"an empty id":                {token, "resp_"},
		"an id of a chat completion": {token, "chatcmpl-1"},
		"a very long id":             {token, "resp_" + strings.Repeat("A", 10_000)},
	} {
		t.Run(name, func(t *testing.T) {
			param := "previous_response_id"
			got := responsetest.Post(h, c.bearer, responsetest.Continuing(c.id))
			if got.Status != 400 || got.Header.Get("X-Should-Retry") != "false" {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			relaytest.CheckError(t, got.Body, "invalid_request_error", "previous_response_not_found", &param)
			for _, operation := range []struct{ method, path string }{{"GET", ""}, {"DELETE", ""},
				{"GET", "/input_items"}, {"POST", "/cancel"}} {
				got := h.Do(operation.method, relaytest.ResponsesPath+"/"+c.id+operation.path, c.bearer, "")
				if got.Status != 404 {
					t.Errorf("%s %s: got %d %s, want 404", operation.method, operation.path, got.Status, got.Body)
				}
				relaytest.CheckError(t, got.Body, "invalid_request_error", "response_not_found", nil)
			}
		})
	}
	if len(first.Requests()) != before || len(second.Requests()) != 0 {
		t.Error("an upstream received a request")
	}
}

func TestResponse_OperationsGoToItsChannel(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	made := responsetest.Create(h, token, "")
	key := first.Latest().Key
	at := relaytest.ResponsesPath + "/" + made.ID

	got := h.Do("GET", at+"?include=reasoning.encrypted_content", token, "")
	if r := responsetest.Parse(t, got.Body); got.Status != 200 || r.ID != made.ID || r.OutputText == nil ||
		*r.OutputText != "hi there" || !strings.HasPrefix(r.Output[0].Encrypted, "tg1.") {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if a := first.Latest(); a.Path != "/v1/responses/resp_first_1" ||
		a.Query != "include=reasoning.encrypted_content" || a.Key != key {
		t.Errorf("the upstream received %+v", a)
	}
	if c := got.Header.Get("X-Tollgate-Channel"); c != "first" {
		t.Errorf("X-Tollgate-Channel: got %q, want first", c)
	}
	got = h.Do("GET", at+"/input_items?limit=1&order=asc", token, "")
	if got.Status != 200 || !strings.Contains(responsetest.Unmarked(got.Body), `"first_id":"msg_0"`) ||
		first.Latest().Query != "limit=1&order=asc" {
		t.Errorf("got %d %s from %+v", got.Status, got.Body, first.Latest())
	}
	got = h.Do("POST", at+"/cancel", token, "")
	if r := responsetest.Parse(t, got.Body); got.Status != 200 || r.ID != made.ID ||
		first.Latest().Path != "/v1/responses/resp_first_1/cancel" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	got = h.Do("DELETE", at, token, "")
	if want := `{"id":"` + made.ID + `","object":"response","deleted":true}`; got.Status != 200 || got.Body != want {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, want)
	}
	h.LogOf("")
	if logs, err := h.Store.Metering.UsageLogs(t.Context(), tenant.SystemScope("test"), metering.LogQuery{}); err !=
		nil || len(logs.Items) != 1 {
		t.Errorf("got %d usage logs, error %v, want only that of the call", len(logs.Items), err)
	}
}

func TestResponse_OperationsReturnErrors(t *testing.T) {
	h, first, _ := responsetest.NewUpstreams(t)
	at := relaytest.ResponsesPath + "/" + responsetest.Create(h, token, "").ID
	got := h.Do("GET", at, "", "")
	relaytest.CheckError(t, got.Body, "invalid_request_error", "invalid_api_key", nil)

	first.Fail(true)
	got = h.Do("GET", at, token, "")
	relaytest.CheckError(t, got.Body, "upstream_error", "upstream_error", nil)

	for name, body := range map[string]struct {
		status     int
		body, kind string
		code       string
	}{
		"the upstream has deleted the response": {404,
			`{"error":{"message":"Response with id 'resp_first_1' not found.","type":"invalid_request_error"}}`,
			"invalid_request_error", "response_not_found"},
		"the upstream refuses the request": {400,
			`{"error":{"message":"resp_first_1 cannot be cancelled by sk-first-channel-key","type":"invalid_request_error","param":null,"code":null}}`, "invalid_request_error", ""},
		"the credential is refused":    {401, `{}`, "upstream_error", "upstream_error"},
		"the upstream is busy":         {429, `{}`, "rate_limit_error", "rate_limit_exceeded"},
		"an HTML page instead of JSON": {200, `<html>`, "upstream_error", "upstream_error"},
		"an incomplete answer":         {200, `{"id":`, "upstream_error", "upstream_error"},
		"an empty answer":              {200, ``, "upstream_error", "upstream_error"},
	} {
		t.Run(name, func(t *testing.T) {
			h.ServeFirst(relaytest.Status(body.status, body.body))
			got := h.Do("POST", at+"/cancel", token, "")
			if got.Status == 200 || strings.Contains(got.Body, "resp_first") || strings.Contains(got.Body, "sk-first") {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			relaytest.CheckError(t, got.Body, body.kind, body.code, nil)
		})
	}
}

func TestFollowUp_IsRefusedWhenTheChannelIsDisabled(t *testing.T) {
	h, first, second := responsetest.NewUpstreams(t)
	made := responsetest.Create(h, token, "")
	before := len(first.Requests())
	disableChannel(h, "first", "flat")
	got := responsetest.Post(h, token, responsetest.Continuing(made.ID))
	if got.Status != 503 {
		t.Errorf("got %d %s, want 503", got.Status, got.Body)
	}
	relaytest.CheckError(t, got.Body, "server_error", "no_channel_available", nil)
	got = h.Do("GET", relaytest.ResponsesPath+"/"+made.ID, token, "")
	relaytest.CheckError(t, got.Body, "server_error", "no_channel_available", nil)
	if len(first.Requests()) != before || len(second.Requests()) != 0 {
		t.Error("an upstream received a request")
	}
	if r := responsetest.Create(h, token, ""); len(second.Requests()) != 1 || r.ID == "" {
		t.Error("a new response was not made by the other channel")
	}
}

// disableChannel disables a channel and waits until the relay has applied it. model must be served by that channel
// only: it then disappears.
func disableChannel(h *relaytest.Relay, name, model string) {
	h.T.Helper()
	scope := tenant.SystemScope("test")
	snapshot, err := h.Store.Catalog.Snapshot(h.T.Context(), scope)
	if err != nil {
		h.T.Fatal(err)
	}
	off := tenant.Disabled
	for _, channel := range snapshot.Channels() {
		if channel.Name != name {
			continue
		}
		if _, err := h.Store.Catalog.UpdateChannel(h.T.Context(), scope, channel.ID,
			catalogdb.ChannelPatch{Status: &off}); err != nil {
			h.T.Fatal(err)
		}
	}
	polltest.Until(h.T, "the relay has disabled "+name, func() bool {
		return h.Do(http.MethodGet, "/v1/models/"+model, token, "").Status == 404
	})
}

func TestEncryptedContent_GoesToTheChannelThatMadeIt(t *testing.T) {
	for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			h, first, second := responsetest.NewUpstreams(t)
			first.Fail(true)
			made := responsetest.Create(h, token, extra)
			first.Fail(false)
			tagged := made.Output[0].Encrypted
			if !strings.HasPrefix(tagged, "tg1.") || !strings.HasSuffix(tagged, ".secret of second") {
				t.Fatalf("encrypted content: got %q", tagged)
			}
			tried := len(first.Requests())
			input :=
				fmt.Sprintf(
					`{"model":"cheap","input":[{"type":"message","role":"user","content":"hi"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":%q}]}`, tagged)
			got := h.Do("POST", relaytest.ResponsesPath, token, input)
			if got.Status != 200 || len(first.Requests()) != tried {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
			// The relay did not give this id.
			want := strings.NewReplacer(tagged, "secret of second", `"id":"rs_1",`, "").Replace(input)
			if second.Latest().Body != want {
				t.Errorf("the channel received\n%s\nwant\n%s", second.Latest().Body, want)
			}

			param := "input[1].encrypted_content"
			got = h.Do("POST", relaytest.ResponsesPath, relaytest.SmallToken,
				strings.Replace(input, `"model"`, `"max_output_tokens":5,"model"`, 1))
			if got.Status != 400 {
				t.Errorf("another tenant: got %d %s, want 400", got.Status, got.Body)
			}
			relaytest.CheckError(t, got.Body, "invalid_request_error", "invalid_type", &param)

			plain := strings.Replace(input, tagged, "made elsewhere", 1)
			if got = h.Do("POST", relaytest.ResponsesPath, token, plain); got.Status != 200 {
				t.Errorf("content without a tag: got %d %s", got.Status, got.Body)
			}
			disableChannel(h, "second", "orphan")
			if got = h.Do("POST", relaytest.ResponsesPath, token, input); got.Status != 200 ||
				got.Header.Get("X-Tollgate-Channel") != "first" {
				t.Errorf("with its channel disabled: got %d %s", got.Status, got.Body)
			}
		})
	}
}

func TestFollowUp_HoldsQuotaForThePreviousResponse(t *testing.T) {
	h, _, _ := responsetest.NewUpstreams(t)
	// 0.001 USD pays for about 7,800 input tokens; a response has 1,500 tokens here.
	cap := `,"max_output_tokens":16`
	made := responsetest.Create(h, relaytest.SmallToken, cap)
	log := h.LogOf("")
	if log.Outcome != usage.Success || log.Quota != 382_500 {
		t.Fatalf("usage log: got %+v", log)
	}
	// The 0.0006175 USD that are left pay for this text alone, but not together with the previous response.
	long := strings.Replace(cap, `16`, `16,"instructions":"`+strings.Repeat("x", 3_300)+`"`, 1)
	if got := responsetest.Post(h, relaytest.SmallToken, long+responsetest.Continuing(made.ID)); got.Status != 429 {
		t.Errorf("with the previous response: got %d %s, want 429", got.Status, got.Body)
	}
	if got := responsetest.Post(h, relaytest.SmallToken, long); got.Status != 200 {
		t.Errorf("without a previous response: got %d %s, want 200", got.Status, got.Body)
	}
}
