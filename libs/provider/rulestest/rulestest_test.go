package rulestest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider/rulestest"
)

// smallest are the smallest valid bodies.
var smallest = map[catalog.Dialect]string{
	catalog.Chat:      `{"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}`,
	catalog.Responses: `{"model": "gpt-4o", "input": "hi"}`,
	catalog.Messages:  `{"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": [{"role": "user", "content": "hi"}]}`,
	catalog.Gemini:    `{"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}`,
}

var endpoints = map[catalog.Dialect]string{
	catalog.Chat:      "https://api.openai.com/v1/chat/completions",
	catalog.Responses: "https://api.openai.com/v1/responses",
	catalog.Messages:  "https://api.anthropic.com/v1/messages",
	catalog.Gemini:    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
}

// request returns the smallest request with the members of an example.
func request(t *testing.T, dialect catalog.Dialect, members string) rulestest.Request {
	t.Helper()
	var body, own map[string]json.RawMessage
	if err := json.Unmarshal([]byte(smallest[dialect]), &body); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{"+members+"}"), &own); err != nil {
		t.Fatalf("%v in %s", err, members)
	}
	maps.Copy(body, own)
	address, header := endpoints[dialect], http.Header{}
	for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key"} {
		header.Set(name, "Bearer secret")
	}
	header.Set("Anthropic-Version", "2023-06-01")
	if raw, given := body["@url"]; given {
		address = strings.Trim(string(raw), `"`)
	}
	if raw, given := body["@header"]; given {
		var replaced map[string]string
		if err := json.Unmarshal(raw, &replaced); err != nil {
			t.Fatal(err)
		}
		for name, value := range replaced {
			header.Set(name, value)
		}
	}
	delete(body, "@url")
	delete(body, "@header")
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return rulestest.Request{URL: target, Header: header, Body: raw}
}

// Each example is refused by its own rule, and the other is accepted by all.
func TestRules_RefuseAndAcceptTheirExamples(t *testing.T) {
	known, perDialect := map[string]bool{}, map[catalog.Dialect]int{}
	for _, rule := range rulestest.Rules() {
		perDialect[rule.Dialect]++
		name := string(rule.Dialect) + ": " + rule.Name
		if known[name] {
			t.Errorf("%s: two rules have the name", name)
		}
		known[name] = true
		if rule.Source == "" {
			t.Errorf("%s: no source", name)
		}
		switch got := rulestest.Check(rule.Provider, request(t, rule.Dialect, rule.Refuses)); {
		case got == nil:
			t.Errorf("%s: accepts %s", name, rule.Refuses)
		case got.Rule != rule.Name:
			t.Errorf("%s: %s is refused by another rule: %v", name, rule.Refuses, got)
		case got.Status < 400 || !json.Valid(got.Body):
			t.Errorf("%s: refuses with %d %s", name, got.Status, got.Body)
		}
		if got := rulestest.Check(rule.Provider, request(t, rule.Dialect, rule.Accepts)); got != nil {
			t.Errorf("%s: refuses %s: %v", name, rule.Accepts, got)
		}
	}
	t.Logf("rules: %v, read on %s", perDialect, rulestest.Read)
}

// Errors have the form in which the provider writes them.
func TestCheck_AnswersInTheFormOfTheProvider(t *testing.T) {
	for _, test := range []struct {
		provider rulestest.Provider
		dialect  catalog.Dialect
		members  string
		want     string
	}{
		{rulestest.OpenAI, catalog.Chat, `"top_p": 2`,
			`{"error":{"code":"decimal_above_max_value","message":"Invalid 'top_p': Expected a value from 0 to 1, but got 2 instead.","param":"top_p","type":"invalid_request_error"}}`},
		{rulestest.Anthropic, catalog.Messages, `"temperature": 2`,
			`{"error":{"message":"temperature: range: 0..1","type":"invalid_request_error"},"request_id":"req_rules","type":"error"}`},
		{rulestest.AIStudio, catalog.Gemini, `"contents": []`,
			`{"error":{"code":400,"message":"* GenerateContentRequest.contents: contents is not specified","status":"INVALID_ARGUMENT"}}`},
	} {
		got := rulestest.Check(test.provider, request(t, test.dialect, test.members))
		if got == nil || string(got.Body) != test.want {
			t.Errorf("%s: %v, want %s", test.provider, got, test.want)
		}
	}
}
