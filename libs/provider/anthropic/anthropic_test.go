package anthropic_test

import (
	"cmp"
	"net/http"
	"net/url"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	c "github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/anthropic"
)

var _ provider.Provider = anthropic.Provider{}

var hi = []c.Message{{Role: c.RoleUser, Parts: []c.Part{{Text: "hi"}}}}

func TestRequest_HasURLAndHeaders(t *testing.T) {
	for base, want := range map[string]string{
		"":                                   "https://api.anthropic.com/v1/messages",
		"https://api.anthropic.com":          "https://api.anthropic.com/v1/messages",
		"https://api.anthropic.com/v1":       "https://api.anthropic.com/v1/messages",
		"http://127.0.0.1:9/proxy/anthropic": "http://127.0.0.1:9/proxy/anthropic/v1/messages",
	} {
		call := provider.Call{
			Dialect: catalog.Chat, Channel: &catalog.Channel{}, Credential: "sk-ant-1",
			UpstreamModel: "claude-opus-4-8",
			Conversation:  &c.Request{Messages: hi},
		}
		if base != "" {
			call.Base, _ = url.Parse(base)
		}
		out, err := anthropic.Provider{}.Request(call)
		if err != nil || out.URL.String() != want || out.Method != http.MethodPost {
			t.Errorf("%q: %s %s, %v", base, out.Method, out.URL, err)
		}
		h := out.Header
		if h.Get("x-api-key") != "sk-ant-1" || h.Get("anthropic-version") != "2023-06-01" ||
			h.Get("content-type") != "application/json" || h.Get("authorization") != "" {
			t.Errorf("%v", h)
		}
	}
}

func TestRequest_UsesTheChannelsAPIVersion(t *testing.T) {
	for _, version := range []string{"2027-01-01", ""} { // "" second: the first call must not change shared headers
		out, err := anthropic.Provider{}.Request(provider.Call{
			Channel:      &catalog.Channel{Settings: catalog.Settings{APIVersion: version}},
			Conversation: &c.Request{Messages: hi},
		})
		if want := cmp.Or(version, "2023-06-01"); err != nil || out.Header.Get("anthropic-version") != want {
			t.Errorf("%v, %v, want %s", out.Header, err, want)
		}
		if _, keyed := out.Header["X-Api-Key"]; keyed {
			t.Error("a key header without a credential")
		}
	}
}

func TestProbe_ListsModels(t *testing.T) {
	out := anthropic.Provider{}.Probe(provider.Call{Channel: &catalog.Channel{}, Credential: "sk-ant-1"})
	if out.Method != http.MethodGet || out.URL.String() != "https://api.anthropic.com/v1/models?limit=1" ||
		out.Header.Get("x-api-key") != "sk-ant-1" {
		t.Errorf("%s %s %v", out.Method, out.URL, out.Header)
	}
}

func TestRequest_RefusesUntranslatableFields(t *testing.T) {
	_, err := anthropic.Provider{}.Request(provider.Call{
		Channel: &catalog.Channel{}, Conversation: &c.Request{Untranslatable: []string{"logit_bias"}, Messages: hi},
	})
	if p := problem.From(err); p == nil || p.Kind != problem.UnsupportedParameter || p.Param != "logit_bias" {
		t.Errorf("%v", err)
	}
}

func TestCheck_PermitsOnlyMessages(t *testing.T) {
	for name, c := range map[string]struct {
		dialects []catalog.Dialect
		param    string
	}{
		"messages":               {[]catalog.Dialect{catalog.Messages}, ""},
		"chat":                   {[]catalog.Dialect{catalog.Chat}, "dialects"},
		"messages and responses": {[]catalog.Dialect{catalog.Messages, catalog.Responses}, "dialects"},
	} {
		err := anthropic.Provider{}.Check(&catalog.Channel{Dialects: c.dialects})
		if p := problem.From(err); (p == nil) != (c.param == "") || p != nil && p.Param != c.param {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFault_ClassifiesErrorResponses(t *testing.T) {
	body := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	for name, c := range map[string]struct {
		status int
		body   string
		want   provider.Fault
	}{
		"success":       {200, `{}`, provider.NoFault},
		"a bad request": {400, body("invalid_request_error", "max_tokens: Field required"), provider.ClientFault},
		"not JSON":      {400, `credit balance is too low`, provider.ClientFault},
		"no credit": {400, body("invalid_request_error", "Your credit balance is too low to access the "+
			"Anthropic API."), provider.CredentialFault},
		"a spend limit": {400, body("invalid_request_error", "You have reached your specified API usage limits. "+
			"You will regain access on 2026-12-01."), provider.CredentialFault},
		"a bill as a 400":  {400, body("billing_error", "pay"), provider.CredentialFault},
		"a bill":           {402, body("billing_error", "pay"), provider.CredentialFault},
		"a bad key":        {401, body("authentication_error", "invalid x-api-key"), provider.CredentialFault},
		"no permission":    {403, body("permission_error", "no"), provider.CredentialFault},
		"an unknown model": {404, body("not_found_error", "model: claude-0"), provider.ServerFault},
		"too large":        {413, body("request_too_large", "Request exceeds the maximum size"), provider.ClientFault},
		"a rate limit":     {429, body("rate_limit_error", "slow down"), provider.BusyFault},
		"an error":         {500, body("api_error", "Internal server error"), provider.ServerFault},
		"a time-out":       {504, body("timeout_error", "late"), provider.ServerFault},
		"overload":         {529, body("overloaded_error", "Overloaded"), provider.BusyFault},
	} {
		if got := (anthropic.Provider{}).Fault(c.status, []byte(c.body)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
