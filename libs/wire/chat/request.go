package chat

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// DecodeRequest reads a chat completions request. Errors are problems of the kinds InvalidJSON,
// MissingParameter, InvalidType and UnsupportedParameter that name the field. The result does not refer to
// raw.
func DecodeRequest(raw []byte) (*conversation.Request, error) {
	var b body
	if err := jsonv2.Unmarshal(raw, &b); err != nil {
		return nil, asProblem(err)
	}
	if b.Model == "" {
		return nil, missing("model")
	}
	if b.Messages == nil {
		return nil, missing("messages")
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
	if r.MaxOutput, err = limit("max_tokens", b.MaxTokens); err == nil && b.MaxCompletion != "" {
		r.MaxOutput, err = limit("max_completion_tokens", b.MaxCompletion)
	}
	return err
}

// limit reads a number of tokens. A number beyond 64 bits counts as the largest one, which no model reaches.
func limit(param string, n number) (int64, error) {
	if n == "" {
		return 0, nil
	}
	count, err := strconv.ParseInt(string(n), 10, 64)
	if errors.Is(err, strconv.ErrRange) && count > 0 {
		return math.MaxInt64, nil
	}
	if err != nil || count < 1 {
		return 0, invalid(param, "a positive integer")
	}
	return count, nil
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
			return missing("response_format.json_schema")
		}
		r.Format = conversation.Format{
			Type: conversation.FormatSchema, Name: f.Schema.Name, Description: f.Schema.Description,
			Schema: json.RawMessage(given(f.Schema.Schema)), Strict: f.Schema.Strict,
		}
	case "":
		return missing("response_format.type")
	default:
		return conversation.UnsupportedPath("response_format")
	}
	return nil
}

// asProblem returns the problem of a JSON error. It names the field with the fault.
func asProblem(err error) error {
	var fault *jsonv2.SemanticError
	if errors.As(err, &fault) {
		return invalid(path(fault.JSONPointer), expected(fault))
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName) {
		at := path(syntax.JSONPointer)
		return problem.New(problem.InvalidJSON, "The body has the key '%s' more than once. Send it once.", at).At(at)
	}
	return problem.Of(problem.InvalidJSON)
}

// expected returns a phrase for the JSON type that the field must have.
func expected(fault *jsonv2.SemanticError) string {
	var w wantError
	if errors.As(fault.Err, &w) {
		return string(w)
	}
	if fault.GoType == nil {
		return "another value"
	}
	switch t := fault.GoType; t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// path returns a JSON pointer in the form that clients know: /messages/0/role becomes messages[0].role.
func path(pointer jsontext.Pointer) string {
	var b strings.Builder
	for token := range pointer.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 32); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

// under returns the path of element i of the array at path.
func under(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// missing returns the problem of a required field that is absent.
func missing(param string) error {
	return problem.New(problem.MissingParameter, "Missing required parameter: '%s'.", param).At(param)
}

// invalid returns the problem of a field with the wrong type or value. want is a phrase for the accepted
// types or values. param is "" for the whole body.
func invalid(param, want string) error {
	if param == "" {
		return problem.New(problem.InvalidType, "Invalid type: expected %s.", want)
	}
	return problem.New(problem.InvalidType, "Invalid type for '%s': expected %s.", param, want).At(param)
}
