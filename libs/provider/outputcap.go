package provider

import (
	"encoding/json"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Names of the fields that limit the output, by dialect.
const (
	capOfChat      = "max_completion_tokens"
	oldCapOfChat   = "max_tokens"
	capOfResponses = "max_output_tokens"
	capOfMessages  = "max_tokens"
	capOfGemini    = "maxOutputTokens"
	geminiConfig   = "generationConfig"
)

// LimitOutput returns the request with an output cap of so many tokens, under the name that the upstream's dialect and
// the channel's quirks call for. A smaller cap of the client stays, and so does a value that is no number, for the
// upstream to refuse; channels cannot set a cap. The error is a *rawjson.SyntaxError of a malformed body.
func (r Request) LimitOutput(tokens int64, settings *catalog.Settings) (Request, error) {
	draft, err := rawjson.NewDraft(r.Body.Bytes())
	if err != nil {
		return r, err
	}
	number := strconv.AppendInt(nil, tokens, 10)
	switch r.Dialect {
	case catalog.Chat:
		switch {
		case has(draft, capOfChat), has(draft, oldCapOfChat):
			lower(draft, capOfChat, tokens)
			lower(draft, oldCapOfChat, tokens)
		case settings.Has(catalog.OldMaxTokens):
			draft.Set(oldCapOfChat, number)
		default:
			draft.Set(capOfChat, number)
		}
	case catalog.Responses:
		if has(draft, capOfResponses) {
			lower(draft, capOfResponses, tokens)
		} else {
			draft.Set(capOfResponses, number)
		}
	case catalog.Messages: // the field is required: it is the client's larger cap, or the longest answer of the model
		draft.Set(capOfMessages, number)
	case catalog.Gemini:
		config, err := withMember(draft, geminiConfig, capOfGemini, number)
		if err != nil {
			return r, err
		}
		draft.Set(geminiConfig, config)
	}
	r.Body = draft.Finish()
	return r, nil
}

// toolCalls is the field that limits the calls of tools that the provider runs.
const toolCalls = "max_tool_calls"

// LimitToolCalls returns a request in the dialect responses with a limit of the calls of tools that the provider runs,
// unless it has one. Requests in other dialects have no such field, and are returned unchanged. The error is a
// *rawjson.SyntaxError of a malformed body.
func (r Request) LimitToolCalls(calls int64) (Request, error) {
	if r.Dialect != catalog.Responses {
		return r, nil
	}
	draft, err := rawjson.NewDraft(r.Body.Bytes())
	if err != nil {
		return r, err
	}
	if !has(draft, toolCalls) {
		draft.Set(toolCalls, strconv.AppendInt(nil, calls, 10))
	}
	r.Body = draft.Finish()
	return r, nil
}

// has reports whether the body has a member with another value than null.
func has(draft *rawjson.Draft, name string) bool {
	m := draft.Find(name)
	return m != nil && string(m.Value.Of(draft.Body)) != "null"
}

// lower lowers a cap of the body that is larger.
func lower(draft *rawjson.Draft, name string, tokens int64) {
	if !has(draft, name) {
		return
	}
	number, err := strconv.ParseFloat(string(draft.Find(name).Value.Of(draft.Body)), 64)
	if err == nil && number > float64(tokens) {
		draft.Set(name, strconv.AppendInt(nil, tokens, 10))
	}
}

// withMember returns the object that is a member of the body, or an empty object, with a member of its own set.
func withMember(draft *rawjson.Draft, object, name string, value []byte) ([]byte, error) {
	raw := []byte(`{}`)
	if has(draft, object) {
		raw = draft.Find(object).Value.Of(draft.Body)
	}
	inner, err := rawjson.NewDraft(raw)
	if err != nil {
		return nil, err
	}
	inner.Set(name, value)
	return inner.Finish().Bytes(), nil
}

// ThinkingFields returns the names of the fields that ThinkingBudget reads.
func ThinkingFields() []string {
	return []string{"thinking", "reasoning", "thinking_budget", "extra_body"}
}

// ThinkingBudget returns the largest number of tokens that fields of a request reserve for thinking, in any of the
// forms that upstreams know; 0 if there is none. An output cap must exceed it.
func ThinkingBudget(fields map[string]json.RawMessage) int64 {
	var thinking struct {
		Budget int64 `json:"budget_tokens"`
	}
	var reasoning struct {
		Budget int64 `json:"max_tokens"`
	}
	var extra struct {
		Google struct {
			Thinking struct {
				Budget int64 `json:"thinking_budget"`
			} `json:"thinking_config"`
		} `json:"google"`
	}
	var budget int64
	for name, into := range map[string]any{
		"thinking": &thinking, "reasoning": &reasoning, "extra_body": &extra, "thinking_budget": &budget,
	} {
		if raw := fields[name]; raw != nil {
			_ = json.Unmarshal(raw, into) // a value of another form is no budget
		}
	}
	return max(thinking.Budget, reasoning.Budget, extra.Google.Thinking.Budget, budget)
}
