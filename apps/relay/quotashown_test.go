package relay_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// withCost is the completion with the quota that it costs.
var withCost = strings.Replace(completion, `"total_tokens":8}`, `"total_tokens":8,"quota":"0.000001403"}`, 1)

func TestIncludeQuota_AddsTheQuotaToJSON(t *testing.T) {
	asked := []string{"x-tollgate-include-quota", "true"}
	otherGateway := strings.Replace(completion, `"usage":{`, `"usage":{ "quota" : "9.5", `, 1)
	noUsage, _, _ := strings.Cut(completion, `,"usage"`)
	noUsage += "}"
	for name, c := range map[string]struct {
		upstream string
		headers  []string
		want     string
	}{
		"for a client that asks":             {completion, asked, withCost},
		"not for a client that does not ask": {completion, nil, completion},
		"not for another value": {completion, []string{"x-tollgate-include-quota", "yes"},
			completion},
		"instead of the quota of an upstream gateway": {otherGateway, asked, strings.Replace(withCost, `"usage":{`,
			`"usage":{`+strings.Repeat(" ", len(otherGateway)-len(completion)), 1)},
		"not to an answer without usage": {noUsage, asked, noUsage},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRelay(t)
			h.serveFirst(status(200, c.upstream))
			got := h.post(token, chatBody("cheap", ""), c.headers...)
			if got.status != 200 || got.body != c.want {
				t.Errorf("got %d %s\nwant %s", got.status, got.body, c.want)
			}
		})
	}
}

// showQuota turns the quota in answers on for all calls of the tenant acme.
func (h *testRelay) showQuota() {
	h.t.Helper()
	scope, on := tenant.SystemScope("test"), true
	acme, err := h.store.Identity.TenantBySlug(h.t.Context(), scope, "acme")
	if err == nil {
		_, err = h.store.Identity.UpdateTenant(h.t.Context(), scope, acme.ID, identity.TenantPatch{IncludeQuota: &on})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestIncludeQuota_IsASettingOfTheTenant(t *testing.T) {
	h := newRelay(t)
	h.showQuota()
	var got reply
	// The relay applies the setting a little later.
	for deadline := time.Now().Add(30 * time.Second); got.body != withCost && time.Now().Before(deadline); {
		got = h.post(token, chatBody("cheap", ""))
	}
	if got.body != withCost {
		t.Fatalf("with the setting: got %s", got.body)
	}
	if got = h.post(token, chatBody("cheap", ""), "x-tollgate-include-quota", "false"); got.body != completion {
		t.Errorf("a call that declines: got %s", got.body)
	}
	want := chunkHi + chunkStop + strings.Replace(chunkUsage, `"total_tokens":1500`,
		`"total_tokens":1500,"quota":"0.0003825"`, 1) + done
	if got = h.post(token, chatBody("cheap", `,"stream":true`)); got.body != want {
		t.Errorf("a stream: got %s", got.body)
	}
	if got = h.post(smallToken, chatBody("cheap", "")); got.body != completion {
		t.Errorf("a call of another tenant: got %s", got.body)
	}
}

func TestIncludeQuota_OfResponses(t *testing.T) {
	const quota = "0.0003825" // of responseUsage
	h := newResponsesRelay(t)
	if got := h.respond(token, "", "x-tollgate-include-quota", "true"); parse(t, got.body).Usage.Quota != quota {
		t.Errorf("a native channel: got %s", got.body)
	}
	if got := h.respond(token, ""); strings.Contains(got.body, "quota") {
		t.Errorf("a client that does not ask: got %s", got.body)
	}

	translated := newRelay(t) // its channels speak chat only, so the gateway stores the response
	translated.first = status(200, strings.Replace(completion, `"prompt_tokens":7,"completion_tokens":1,`,
		`"prompt_tokens":1000,"completion_tokens":500,`, 1))
	got := translated.respond(token, "", "x-tollgate-include-quota", "true")
	made := parse(t, got.body)
	if made.Usage.Quota != quota {
		t.Fatalf("a translated answer: got %s", got.body)
	}
	stored := translated.do(http.MethodGet, "/v1/responses/"+made.ID, token, "")
	if stored.status != 200 || parse(t, stored.body).Usage.Quota != quota {
		t.Errorf("the stored response: got %d %s", stored.status, stored.body)
	}
}

func TestQuotaRemaining_IsOnEveryAnswerOfAToken(t *testing.T) {
	h := newRelay(t)
	remaining := func(r reply) string { return r.header.Get("X-Tollgate-Quota-Remaining") }
	if got := h.do(http.MethodGet, "/v1/models", poorToken, ""); remaining(got) != "0.03" {
		t.Errorf("before the first call: got %q", remaining(got))
	}
	// The token may spend 0.03 USD, and its tenant 10 USD.
	if got := h.post(poorToken, chatBody("cheap", `,"stream":true`)); got.status != 200 || remaining(got) != "0.03" {
		t.Errorf("a stream that begins: got %d %q", got.status, remaining(got))
	}
	const left = "0.0296175" // less the stream
	for name, got := range map[string]reply{
		"the list of models":    h.do(http.MethodGet, "/v1/models", poorToken, ""),
		"an unknown model":      h.post(poorToken, chatBody("nothing", "")),
		"a malformed body":      h.post(poorToken, `{`),
		"an unknown response":   h.do(http.MethodGet, "/v1/responses/resp_1", poorToken, ""),
		"a model of no channel": h.post(poorToken, chatBody("orphan", `,"max_tokens":10`)),
	} {
		if remaining(got) != left {
			t.Errorf("%s: got %d, %q left", name, got.status, remaining(got))
		}
	}
	if got := h.post(poorToken, chatBody("cheap", "")); got.status != 200 || remaining(got) != "0.029616097" {
		t.Errorf("JSON: got %d %q", got.status, remaining(got))
	}
	h.setUpstreams(status(500, `{}`), status(500, `{}`))
	if got := h.post(poorToken, chatBody("cheap", "")); got.status != 502 || remaining(got) != "0.029616097" {
		t.Errorf("a failed call: got %d %q", got.status, remaining(got))
	}
	if got := h.post("an-unknown-token-of-nobody", chatBody("cheap", "")); got.status != 401 || remaining(got) != "" {
		t.Errorf("an unknown token: got %d %q", got.status, remaining(got))
	}
}
