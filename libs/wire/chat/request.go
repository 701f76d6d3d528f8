package chat

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// DecodeRequest reads a chat completions request. Errors are problems of the kinds InvalidJSON,
// MissingParameter, InvalidType and UnsupportedParameter that name the field. The result does not refer to
// raw.
func DecodeRequest(raw []byte) (*conversation.Request, error) {
	var b body
	if err := jsonv2.Unmarshal(raw, &b); err != nil {
		return nil, param.Problem(err, "")
	}
	if b.Model == "" {
		return nil, param.Missing("model")
	}
	if b.Messages == nil {
		return nil, param.Missing("messages")
	}
	r := &conversation.Request{Client: conversation.ClientChat, Model: b.Model, Stream: b.Stream, Untranslatable: untranslatable(b.Rest)}
	if err := b.options(r); err != nil {
		return nil, err
	}
	for _, read := range []func(*conversation.Request) error{b.tools, b.choice, b.format, b.messages} {
		if err := read(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// options reads the fields that are independent of others.
func (b *body) options(r *conversation.Request) (err error) {
	r.Verbosity, r.Reasoning.Effort = b.Verbosity, b.Effort
	r.Temperature, r.TopP = json.Number(b.Temperature), json.Number(b.TopP)
	r.FrequencyPenalty, r.PresencePenalty = json.Number(b.Frequency), json.Number(b.Presence)
	r.Seed, r.Stop = json.Number(b.Seed), b.Stop
	r.User, r.CacheKey, r.Tier = b.User, b.CacheKey, b.Tier
	if b.SafetyID != "" {
		r.User = b.SafetyID
	}
	r.Metadata, r.Store, r.ParallelCalls = json.RawMessage(given(b.Metadata)), b.Store, b.ParallelCalls
	r.Spelled = b.spelled()
	if b.MaxTokens != "" {
		r.MaxOutput, err = param.Count(jsontext.Value(b.MaxTokens), "max_tokens")
	}
	if err == nil && b.MaxCompletion != "" {
		r.MaxOutput, err = param.Count(jsontext.Value(b.MaxCompletion), "max_completion_tokens")
	}
	return err
}

// spelled returns the older names of fields that the client used.
func (b *body) spelled() map[conversation.Field]string {
	names := map[conversation.Field]string{}
	if b.MaxTokens != "" && b.MaxCompletion == "" {
		names[conversation.FieldMaxOutput] = "max_tokens"
	}
	if len(b.Functions) > 0 && len(b.Tools) == 0 {
		names[conversation.FieldTools] = functionsPath
	}
	if b.FunctionCall != nil && b.ToolChoice == nil {
		names[conversation.FieldToolChoice] = "function_call"
	}
	return names
}

// hints are fields that do not change the meaning of the response: how a stream is padded and counted, which
// the gateway does itself, and how long a prompt stays cached.
var hints = map[string]bool{"stream_options": true, "prompt_cache_retention": true, "prompt_cache_options": true}

// defaults are fields that have no effect if they have the given value.
var defaults = map[string]string{
	"n": "1", "logprobs": "false", "top_logprobs": "0", "logit_bias": "{}", "modalities": `["text"]`,
}

// untranslatable returns the names of the sent fields that a conversation cannot hold, in the order in which
// they were sent.
func untranslatable(rest jsontext.Value) (names []string) {
	var fields ordered
	if len(rest) == 0 || jsonv2.Unmarshal(rest, &fields) != nil { // rest was read from valid JSON, so it is an object
		return nil
	}
	for _, f := range fields {
		if !hints[f.name] && f.value != "null" && f.value != defaults[f.name] {
			names = append(names, f.name)
		}
	}
	return names
}

// ordered holds the members of an object in their order, with compact values.
type ordered []struct{ name, value string }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *ordered) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String() // a token is valid until the next read
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		value = value.Clone()
		if err := value.Compact(); err != nil {
			return err
		}
		*o = append(*o, struct{ name, value string }{key, string(value)})
	}
	_, err := dec.ReadToken()
	return err
}

// format reads response_format.
func (b *body) format(r *conversation.Request) error {
	if b.Format == nil {
		return nil
	}
	switch f := b.Format; f.Type {
	case "text":
	case string(conversation.FormatJSON):
		r.Format.Type = conversation.FormatJSON
	case string(conversation.FormatSchema):
		if f.Schema == nil {
			return param.Missing("response_format.json_schema")
		}
		r.Format = conversation.Format{
			Type: conversation.FormatSchema, Name: f.Schema.Name, Description: f.Schema.Description,
			Schema: json.RawMessage(given(f.Schema.Schema)), Strict: f.Schema.Strict,
		}
	case "":
		return param.Missing("response_format.type")
	default:
		return conversation.UnsupportedPath("response_format")
	}
	return nil
}
