package chat

import (
	"cmp"
	"encoding/json"
	"strings"

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
	// Programs cut texts within characters.
	if err := jsonv2.Unmarshal(raw, &b, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, param.Problem(err, "")
	}
	if b.Model == "" {
		return nil, param.Missing("model")
	}
	if b.Messages == nil {
		return nil, param.Missing("messages")
	}
	r := &conversation.Request{Client: conversation.ClientChat, Model: b.Model, Stream: b.Stream}
	b.readOtherFields(r)
	if err := b.readOptions(r); err != nil {
		return nil, err
	}
	for _, read := range []func(*conversation.Request) error{b.readTools, b.readChoice, b.readFormat, b.readMessages} {
		if err := read(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readOptions reads the fields that are independent of others.
func (b *body) readOptions(r *conversation.Request) (err error) {
	r.Verbosity = b.Verbosity
	b.readEffort(r)
	r.Temperature, r.TopP = json.Number(b.Temperature), json.Number(b.TopP)
	r.FrequencyPenalty, r.PresencePenalty = json.Number(b.Frequency), json.Number(b.Presence)
	r.Seed, r.Stop = json.Number(b.Seed), b.Stop
	r.CacheKey, r.Tier = b.CacheKey, b.Tier
	b.readEndUser(r)
	r.Metadata, r.Store, r.ParallelCalls = json.RawMessage(given(b.Metadata)), b.Store, b.ParallelCalls
	r.FieldNames = b.fieldNames()
	if b.MaxTokens != "" {
		r.MaxOutput, err = param.Count(jsontext.Value(b.MaxTokens), "max_tokens")
	}
	if err == nil && b.MaxCompletion != "" {
		r.MaxOutput, err = param.Count(jsontext.Value(b.MaxCompletion), "max_completion_tokens")
	}
	if err == nil && !disabledTopK[b.TopK] {
		_, err = param.Count(jsontext.Value(b.TopK), "top_k")
		r.TopK = json.Number(b.TopK)
	}
	return err
}

// fieldNames returns the older names of fields that the client used.
func (b *body) fieldNames() map[conversation.Field]string {
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
	if len(names) == 0 {
		return nil
	}
	return names
}

// The budgets in tokens from which thinking counts as the effort medium or high, as in a messages request.
const (
	mediumBudget = 8_192
	highBudget   = 16_384
)

// readEffort reads how much the model thinks: reasoning_effort, or one of the fields of other APIs that clients send in
// its place.
func (b *body) readEffort(r *conversation.Request) {
	effortOf := func(isOff bool, budget int64) string {
		switch {
		case isOff:
			return "none"
		case budget >= highBudget:
			return "high"
		case budget >= mediumBudget:
			return "medium"
		case budget > 0:
			return "low"
		}
		return ""
	}
	if r.Reasoning.Effort = param.Effort(b.Effort); b.Effort != "" {
		return
	}
	if o := b.Reasoning; o != nil {
		r.Reasoning.Effort, r.Reasoning.Field = cmp.Or(param.Effort(o.Effort),
			effortOf(o.Enabled != nil && !*o.Enabled, o.Budget)), "reasoning"
	}
	if o := b.Thinking; o != nil && r.Reasoning.Effort == "" {
		r.Reasoning.Effort, r.Reasoning.Field = effortOf(o.Type == "disabled", o.Budget), "thinking"
	}
	if r.Reasoning.Effort == "" {
		r.Reasoning.Field = ""
	}
}

// disabledTopK holds the values of top_k that switch it off.
var disabledTopK = map[number]bool{"": true, "0": true, "-1": true}

// readEndUser reads the id of the end user. A conversation holds only one.
func (b *body) readEndUser(r *conversation.Request) {
	const field, older = "safety_identifier", "user"
	switch {
	case b.SafetyID == "" && b.User == "":
	case b.SafetyID == "":
		r.User, r.UserField = b.User, older
	default:
		r.User, r.UserField = b.SafetyID, field
		if b.User != "" && b.User != b.SafetyID {
			r.Ignored = append(r.Ignored, older)
		}
	}
}

// ownFields are fields that the gateway itself reads: how a stream is padded and counted.
var ownFields = map[string]bool{"stream_options": true}

// hintFields are fields that only restrict the response or give a hint: how long a prompt stays cached, which text to
// expect, and those of compatible servers for sampling, for thinking, and for choosing an upstream.
var hintFields = map[string]bool{
	"prompt_cache_retention": true, "prompt_cache_options": true, "prediction": true,
	"min_p": true, "top_a": true, "typical_p": true, "repetition_penalty": true,
	"enable_thinking": true, "chat_template_kwargs": true, "include_reasoning": true,
	"provider": true, "transforms": true, "usage": true,
}

// defaultValues are fields that have no effect if they have the given value.
var defaultValues = map[string]string{
	"n": "1", "logprobs": "false", "top_logprobs": "0", "logit_bias": "{}",
}

// readOtherFields lists the sent fields for which a conversation has no field, in the order in which they were sent.
func (b *body) readOtherFields(r *conversation.Request) {
	var fields memberList
	// It was read from valid JSON, so it is an object. See DecodeRequest.
	if len(b.Rest) == 0 || jsonv2.Unmarshal(b.Rest, &fields, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	for _, f := range fields {
		switch {
		case f.name == "modalities" && readModalities(r, f.value):
		case ownFields[f.name], f.value == "null", f.value == defaultValues[f.name]:
		case hintFields[f.name]:
			r.Ignored = append(r.Ignored, f.name)
		default:
			r.Untranslatable = append(r.Untranslatable, f.name)
		}
	}
}

// readModalities reads the kinds of content that the answer may have. It returns false for other kinds than text and
// pictures.
func readModalities(r *conversation.Request, value string) bool {
	var names []string
	if jsonv2.Unmarshal([]byte(value), &names) != nil {
		return false
	}
	has := map[string]bool{}
	for _, name := range names {
		has[strings.ToLower(name)] = true
	}
	for name := range has {
		if name != "text" && name != "image" {
			return false
		}
	}
	switch {
	case has["image"] && has["text"]:
		r.Modalities = []string{"text", "image"}
	case has["image"]:
		r.Modalities = []string{"image"}
	}
	return true
}

// memberList holds the members of an object in their order, with compact values.
type memberList []struct{ name, value string }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *memberList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
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

// readFormat reads response_format.
func (b *body) readFormat(r *conversation.Request) error {
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
