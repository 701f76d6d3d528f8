package provider_test

import (
	"encoding/json"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

func TestLimitOutput_SetsTheCapOfTheDialect(t *testing.T) {
	old := catalog.Settings{Quirks: []catalog.Quirk{catalog.OldMaxTokens}}
	for name, c := range map[string]struct {
		dialect    catalog.Dialect
		settings   catalog.Settings
		body, want string
	}{
		"chat": {catalog.Chat, catalog.Settings{}, `{"model" : "m"}`,
			`{"model" : "m","max_completion_tokens":64}`},
		"chat with null": {catalog.Chat, catalog.Settings{}, `{"max_completion_tokens":null,"x":1.0}`,
			`{"max_completion_tokens":64,"x":1.0}`},
		"chat with the older name": {catalog.Chat, old, `{"model":"m"}`, `{"model":"m","max_tokens":64}`},
		"chat with 0":              {catalog.Chat, catalog.Settings{}, `{"max_tokens":0}`, `{"max_tokens":0}`},
		"responses": {catalog.Responses, catalog.Settings{}, `{"input":"hi"}`,
			`{"input":"hi","max_output_tokens":64}`},
		"responses with 0": {catalog.Responses, catalog.Settings{}, `{"max_output_tokens":0}`,
			`{"max_output_tokens":0}`},
		"messages": {catalog.Messages, catalog.Settings{}, `{"max_tokens":16384,"model":"m"}`,
			`{"max_tokens":64,"model":"m"}`},
		"gemini": {catalog.Gemini, catalog.Settings{}, `{"contents":[]}`,
			`{"contents":[],"generationConfig":{"maxOutputTokens":64}}`},
		"gemini with a config": {catalog.Gemini, catalog.Settings{}, `{"generationConfig":{"topP":0.50},"contents":[]}`,
			`{"generationConfig":{"topP":0.50,"maxOutputTokens":64},"contents":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			request := provider.Request{Dialect: c.dialect, Body: rawjson.NewBody([]byte(c.body))}
			got, err := request.LimitOutput(64, &c.settings)
			if err != nil || string(got.Body.Bytes()) != c.want {
				t.Errorf("got %s, %v, want %s", got.Body.Bytes(), err, c.want)
			}
		})
	}
}

func TestThinkingBudget_KnowsTheFormsOfUpstreams(t *testing.T) {
	for body, want := range map[string]int64{
		`{}`: 0,
		`{"thinking":{"type":"enabled","budget_tokens":2048}}`:                  2048,
		`{"reasoning":{"max_tokens":3000}}`:                                     3000,
		`{"reasoning":{"effort":"high"}}`:                                       0,
		`{"thinking_budget":500}`:                                               500,
		`{"extra_body":{"google":{"thinking_config":{"thinking_budget":700}}}}`: 700,
		`{"thinking":"off","reasoning":[1],"thinking_budget":"many"}`:           0,
	} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			t.Fatal(err)
		}
		if got := provider.ThinkingBudget(fields); got != want {
			t.Errorf("%s: got %d, want %d", body, got, want)
		}
	}
}
