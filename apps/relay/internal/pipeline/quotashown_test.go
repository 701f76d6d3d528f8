package pipeline_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// withCost is the completion with the quota that it costs.
var withCost = strings.Replace(relaytest.Completion, `"total_tokens":8}`, `"total_tokens":8,"quota":"0.000001403"}`, 1)

func TestIncludeQuota_AddsTheQuotaToJSON(t *testing.T) {
	asked := []string{"x-tollgate-include-quota", "true"}
	otherGateway := strings.Replace(relaytest.Completion, `"usage":{`, `"usage":{ "quota" : "9.5", `, 1)
	noUsage, _, _ := strings.Cut(relaytest.Completion, `,"usage"`)
	noUsage += "}"
	for name, c := range map[string]struct {
		upstream string
		headers  []string
		want     string
	}{
		"for a client that asks":             {relaytest.Completion, asked, withCost},
		"not for a client that does not ask": {relaytest.Completion, nil, relaytest.Completion},
		"not for another value": {relaytest.Completion, []string{"x-tollgate-include-quota", "yes"},
			relaytest.Completion},
		"instead of the quota of an upstream gateway": {otherGateway, asked, strings.Replace(withCost, `"usage":{`,
			`"usage":{`+strings.Repeat(" ", len(otherGateway)-len(relaytest.Completion)), 1)},
		"not to an answer without usage": {noUsage, asked, noUsage},
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.New(t)
			h.ServeFirst(relaytest.Status(200, c.upstream))
			got := h.Post(token, relaytest.ChatBody("cheap", ""), c.headers...)
			if got.Status != 200 || got.Body != c.want {
				t.Errorf("got %d %s\nwant %s", got.Status, got.Body, c.want)
			}
		})
	}
}

// showQuota turns the quota in answers on for all calls of the tenant acme.
func showQuota(h *relaytest.Relay) {
	h.T.Helper()
	scope, on := tenant.SystemScope("test"), true
	acme, err := h.Store.Identity.TenantBySlug(h.T.Context(), scope, "acme")
	if err == nil {
		_, err = h.Store.Identity.UpdateTenant(h.T.Context(), scope, acme.ID, identity.TenantPatch{IncludeQuota: &on})
	}
	if err != nil {
		h.T.Fatal(err)
	}
}

func TestIncludeQuota_IsASettingOfTheTenant(t *testing.T) {
	h := relaytest.New(t)
	showQuota(h)
	var got relaytest.Reply
	// The relay applies the setting a little later.
	for deadline := time.Now().Add(30 * time.Second); got.Body != withCost && time.Now().Before(deadline); {
		got = h.Post(token, relaytest.ChatBody("cheap", ""))
	}
	if got.Body != withCost {
		t.Fatalf("with the setting: got %s", got.Body)
	}
	if got = h.Post(token, relaytest.ChatBody("cheap", ""), "x-tollgate-include-quota",
		"false"); got.Body != relaytest.Completion {
		t.Errorf("a call that declines: got %s", got.Body)
	}
	want := relaytest.ChunkHi + relaytest.ChunkStop + strings.Replace(relaytest.ChunkUsage, `"total_tokens":1500`,
		`"total_tokens":1500,"quota":"0.0003825"`, 1) + relaytest.Done
	if got = h.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)); got.Body != want {
		t.Errorf("a stream: got %s", got.Body)
	}
	if got = h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", "")); got.Body != relaytest.Completion {
		t.Errorf("a call of another tenant: got %s", got.Body)
	}
}

func TestIncludeQuota_OfResponses(t *testing.T) {
	const quota = "0.0003825" // of responseUsage
	h := responsetest.New(t)
	if got := responsetest.Post(h, token, "", "x-tollgate-include-quota", "true"); responsetest.Parse(t,
		got.Body).Usage.Quota != quota {
		t.Errorf("a native channel: got %s", got.Body)
	}
	if got := responsetest.Post(h, token, ""); strings.Contains(got.Body, "quota") {
		t.Errorf("a client that does not ask: got %s", got.Body)
	}

	translated := relaytest.New(t) // its channels speak chat only, so the gateway stores the response
	translated.First = relaytest.Status(200, strings.Replace(relaytest.Completion, `"prompt_tokens":7,"completion_tokens":1,`,
		`"prompt_tokens":1000,"completion_tokens":500,`, 1))
	got := responsetest.Post(translated, token, "", "x-tollgate-include-quota", "true")
	made := responsetest.Parse(t, got.Body)
	if made.Usage.Quota != quota {
		t.Fatalf("a translated answer: got %s", got.Body)
	}
	stored := translated.Do(http.MethodGet, "/v1/responses/"+made.ID, token, "")
	if stored.Status != 200 || responsetest.Parse(t, stored.Body).Usage.Quota != quota {
		t.Errorf("the stored response: got %d %s", stored.Status, stored.Body)
	}
}

func TestQuotaRemaining_IsOnEveryAnswerOfAToken(t *testing.T) {
	h := relaytest.New(t)
	remaining := func(r relaytest.Reply) string { return r.Header.Get("X-Tollgate-Quota-Remaining") }
	if got := h.Do(http.MethodGet, "/v1/models", relaytest.PoorToken, ""); remaining(got) != "0.03" {
		t.Errorf("before the first call: got %q", remaining(got))
	}
	// The token may spend 0.03 USD, and its tenant 10 USD.
	if got := h.Post(relaytest.PoorToken, relaytest.ChatBody("cheap", `,"stream":true`)); got.Status != 200 || remaining(got) != "0.03" {
		t.Errorf("a stream that begins: got %d %q", got.Status, remaining(got))
	}
	const left = "0.0296175" // less the stream
	for name, got := range map[string]relaytest.Reply{
		"the list of models":    h.Do(http.MethodGet, "/v1/models", relaytest.PoorToken, ""),
		"an unknown model":      h.Post(relaytest.PoorToken, relaytest.ChatBody("nothing", "")),
		"a malformed body":      h.Post(relaytest.PoorToken, `{`),
		"an unknown response":   h.Do(http.MethodGet, "/v1/responses/resp_1", relaytest.PoorToken, ""),
		"a model of no channel": h.Post(relaytest.PoorToken, relaytest.ChatBody("orphan", `,"max_tokens":10`)),
	} {
		if remaining(got) != left {
			t.Errorf("%s: got %d, %q left", name, got.Status, remaining(got))
		}
	}
	if got := h.Post(relaytest.PoorToken, relaytest.ChatBody("cheap", "")); got.Status != 200 ||
		remaining(got) != "0.029616097" {
		t.Errorf("JSON: got %d %q", got.Status, remaining(got))
	}
	h.SetUpstreams(relaytest.Status(500, `{}`), relaytest.Status(500, `{}`))
	if got := h.Post(relaytest.PoorToken, relaytest.ChatBody("cheap", "")); got.Status != 502 ||
		remaining(got) != "0.029616097" {
		t.Errorf("a failed call: got %d %q", got.Status, remaining(got))
	}
	if got := h.Post("an-unknown-token-of-nobody", relaytest.ChatBody("cheap", "")); got.Status != 401 ||
		remaining(got) != "" {
		t.Errorf("an unknown token: got %d %q", got.Status, remaining(got))
	}
}
