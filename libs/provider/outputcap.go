package provider

import (
	"encoding/json"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
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
// the channel's quirks call for. A lower cap in the body stays, and so does a value that is not a positive number. The
// error is a QuotaExhausted problem if the channel's settings remove the cap from every request.
func (r Request) LimitOutput(tokens int64, settings *catalog.Settings) (Request, error) {
	draft, err := rawjson.NewDraft(r.Body.Bytes())
	if err != nil {
		return r, err
	}
	switch r.Dialect {
	case catalog.Chat:
		err = limitChat(draft, tokens, settings)
	case catalog.Responses:
		err = limitMember(draft, capOfResponses, tokens, settings)
	case catalog.Messages:
		err = limitMember(draft, capOfMessages, tokens, settings)
	case catalog.Gemini:
		err = limitGemini(draft, tokens)
	}
	r.Body = draft.Finish()
	return r, err
}

// limitChat limits the field that the body has already, or else adds the one that the channel understands. Upstreams
// refuse a request with both.
func limitChat(draft *rawjson.Draft, tokens int64, settings *catalog.Settings) error {
	name, other := capOfChat, oldCapOfChat
	if settings.Has(catalog.OldMaxTokens) || removes(settings, name) {
		name, other = other, name
	}
	if m := draft.Find(other); m != nil && string(m.Value.Of(draft.Body)) != "null" {
		name = other
	}
	return limitMember(draft, name, tokens, settings)
}

// limitMember limits the field of the name, or adds it.
func limitMember(draft *rawjson.Draft, name string, tokens int64, settings *catalog.Settings) error {
	m := draft.Find(name)
	switch {
	case removes(settings, name):
		return problem.Of(problem.QuotaExhausted)
	case m == nil || exceeds(m.Value.Of(draft.Body), tokens):
		draft.Set(name, number(tokens))
	}
	return nil
}

// limitGemini limits maxOutputTokens in generationConfig.
func limitGemini(draft *rawjson.Draft, tokens int64) error {
	config := draft.Find(geminiConfig)
	if config == nil || !rawjson.IsObject(config.Value.Of(draft.Body)) {
		draft.Set(geminiConfig, []byte(`{"`+capOfGemini+`":`+string(number(tokens))+`}`))
		return nil
	}
	inner, err := rawjson.NewDraft(config.Value.Of(draft.Body))
	if err != nil {
		return err
	}
	if err := limitMember(inner, capOfGemini, tokens, &catalog.Settings{}); err != nil {
		return err
	}
	draft.Replace(config.Value, inner.Finish().Bytes())
	return nil
}

// removes reports whether the channel's parameters remove the field from every request.
func removes(settings *catalog.Settings, name string) bool {
	return string(settings.Parameters[name]) == "null"
}

// exceeds reports whether the value of a cap is absent or more than tokens.
func exceeds(value []byte, tokens int64) bool {
	if string(value) == "null" {
		return true
	}
	given, err := strconv.ParseFloat(string(value), 64)
	return err == nil && given > float64(tokens)
}

// number returns n as a JSON number.
func number(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// ThinkingBudget returns the largest number of tokens that fields of a request reserve for thinking, in any of the forms
// that upstreams know; 0 if there is none. An output cap must exceed it.
func ThinkingBudget(fields map[string]json.RawMessage) int64 {
	var thinking struct {
		Budget int64 `json:"budget_tokens"`
	}
	var reasoning struct {
		Budget int64 `json:"max_tokens"`
	}
	var config struct {
		Thinking struct {
			Budget int64 `json:"thinkingBudget"`
		} `json:"thinkingConfig"`
	}
	var budget int64
	for name, into := range map[string]any{"thinking": &thinking, "reasoning": &reasoning, geminiConfig: &config, "thinking_budget": &budget} {
		if raw := fields[name]; raw != nil {
			_ = json.Unmarshal(raw, into) // a value of another form is no budget
		}
	}
	return max(thinking.Budget, reasoning.Budget, config.Thinking.Budget, budget)
}
