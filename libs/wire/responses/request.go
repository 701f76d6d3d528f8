// Package responses is the codec of OpenAI's Responses API, for clients and for upstreams. It translates
// between the dialect's JSON and the neutral forms of packages conversation (requests) and completion
// (responses):
//
//	client body     -> DecodeRequest -> conversation.Request -> another dialect's codec
//	another dialect -> completion.Event -> Encoder -> client body
//
//	conversation.Request of another dialect -> EncodeRequest -> upstream body
//	upstream body -> Decoder -> completion.Event
//
// The package is only used where the client and the upstream speak different dialects. If both speak this
// one, packages openai and output pass the bytes on. It is pure: ids and times come from its callers.
//
// Texts, schemas, numbers and arguments of calls keep the client's spelling. Encrypted reasoning passes
// unchanged as the Signature of a reasoning part. A field that a conversation cannot hold is not dropped in silence,
// unless its value is the default. Its path is listed in Request.Ignored if it only restricts the response or gives a
// hint, and otherwise in Request.Untranslatable. Tools that OpenAI runs itself and references to stored items are
// refused.
package responses

import (
	"bytes"
	"cmp"
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// requestBody represents a request of a client. Fields that accept several types are raw values. Fields that
// are known but not used are listed, so that they do not end up in Unknown.
type requestBody struct {
	Model        string         `json:"model"`
	Stream       bool           `json:"stream"`
	Input        jsontext.Value `json:"input"`
	Instructions *string        `json:"instructions"`

	Tools             []toolBody     `json:"tools"`
	ToolChoice        jsontext.Value `json:"tool_choice"`
	ParallelToolCalls *bool          `json:"parallel_tool_calls"`

	Text struct {
		Format    formatBody `json:"format"`
		Verbosity string     `json:"verbosity"`
	} `json:"text"`
	Reasoning struct {
		Effort          string `json:"effort"`
		Summary         string `json:"summary"`
		GenerateSummary string `json:"generate_summary"` // the older name of summary
		Context         string `json:"context"`
		Mode            string `json:"mode"`
	} `json:"reasoning"`

	MaxOutputTokens jsontext.Value `json:"max_output_tokens"`
	Temperature     jsontext.Value `json:"temperature"`
	TopP            jsontext.Value `json:"top_p"`
	Truncation      string         `json:"truncation"`

	Store            *bool          `json:"store"`
	Metadata         jsontext.Value `json:"metadata"`
	User             string         `json:"user"`
	SafetyIdentifier string         `json:"safety_identifier"`
	PromptCacheKey   string         `json:"prompt_cache_key"`
	ServiceTier      string         `json:"service_tier"`
	Include          []string       `json:"include"`

	Background  bool   `json:"background"`
	TopLogprobs *int64 `json:"top_logprobs"`

	// Fields that the relay has resolved before this package reads the request, or serves itself, and a limit of tools
	// that no other dialect has.
	PreviousResponseID jsontext.Value `json:"previous_response_id"`
	StreamOptions      jsontext.Value `json:"stream_options"` // obfuscation of deltas
	MaxToolCalls       jsontext.Value `json:"max_tool_calls"`

	Unknown jsontext.Value `json:",embed"` // all other fields
}

// formatBody represents the format of the text: plain text, JSON or JSON with a schema.
type formatBody struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Schema      jsontext.Value `json:"schema"`
	Strict      *bool          `json:"strict,omitzero"`
}

// DecodeRequest reads a client's request. `instructions` become the first message, of the role System, with
// the path "instructions". Messages keep the role that the client gave them, system or developer. The items
// of one turn of the model (reasoning, text, calls) become one message, and so do the results of a turn's
// calls. `previous_response_id` is not read: the relay expands it before. Errors are problems of the kinds
// InvalidJSON, InvalidType, MissingParameter and UnsupportedParameter that name the field.
func DecodeRequest(body []byte) (*conversation.Request, error) {
	var b requestBody
	if err := read(body, "", &b); err != nil {
		return nil, err
	}
	if b.Model == "" {
		return nil, param.Missing("model")
	}
	if !param.Given(b.Input) {
		return nil, param.Missing("input")
	}
	r := &conversation.Request{
		Client: conversation.ClientResponses, Model: b.Model, Stream: b.Stream,
		ParallelCalls: b.ParallelToolCalls, Verbosity: b.Text.Verbosity,
		CacheKey: b.PromptCacheKey, Tier: b.ServiceTier, Truncation: b.Truncation, Store: b.Store,
	}
	b.readUser(r)
	for _, read := range []func(*conversation.Request) error{b.readInput, b.readTools, b.readFormat, b.readReasoning,
		b.readSampling, b.readMetadata, b.readInclude} {
		if err := read(r); err != nil {
			return nil, err
		}
	}
	b.readOtherFields(r)
	return r, nil
}

// readUser reads the id of the end user. A conversation holds only one.
func (b *requestBody) readUser(r *conversation.Request) {
	const field, newer = "user", "safety_identifier"
	switch {
	case b.User == "" && b.SafetyIdentifier == "":
	case b.User == "":
		r.User, r.UserField = b.SafetyIdentifier, newer
	default:
		r.User, r.UserField = b.User, field
		if b.SafetyIdentifier != "" && b.SafetyIdentifier != b.User {
			r.Ignored = append(r.Ignored, newer)
		}
	}
}

// readInput reads instructions and input.
func (b *requestBody) readInput(r *conversation.Request) error {
	if b.Instructions != nil && *b.Instructions != "" {
		r.Messages = append(r.Messages, conversation.Message{
			Role: conversation.RoleSystem, Path: instructions,
			Parts: []conversation.Part{{Type: conversation.PartText, Text: *b.Instructions, Path: instructions}},
		})
	}
	in := inputReader{messages: r.Messages}
	err := in.read(b.Input)
	r.Messages, r.Ignored = in.messages, append(r.Ignored, in.ignored...)
	return err
}

// readFormat reads text.format.
func (b *requestBody) readFormat(r *conversation.Request) error {
	f := b.Text.Format
	switch f.Type {
	case "", "text":
		return nil
	case string(conversation.FormatJSON):
		r.Format.Type = conversation.FormatJSON
		return nil
	case string(conversation.FormatSchema):
		if f.Name == "" {
			return param.Missing("text.format.name")
		}
		if !param.Given(f.Schema) {
			return param.Missing("text.format.schema")
		}
		r.Format = conversation.Format{Type: conversation.FormatSchema, Name: f.Name, Description: f.Description,
			Schema: stdjson.RawMessage(f.Schema), Strict: f.Strict}
		return nil
	}
	return param.Invalid("text.format.type", "one of 'text', 'json_object' and 'json_schema'")
}

// readReasoning reads the reasoning settings.
func (b *requestBody) readReasoning(r *conversation.Request) error {
	r.Reasoning = conversation.Reasoning{Effort: param.Effort(b.Reasoning.Effort),
		Summary: cmp.Or(b.Reasoning.Summary, b.Reasoning.GenerateSummary)}
	return nil
}

// readSampling reads the output cap, temperature and top_p.
func (b *requestBody) readSampling(r *conversation.Request) (err error) {
	if param.Given(b.MaxOutputTokens) {
		if r.MaxOutput, err = param.Count(b.MaxOutputTokens, "max_output_tokens"); err != nil {
			return err
		}
	}
	if r.Temperature, err = param.Number(b.Temperature, "temperature"); err == nil {
		r.TopP, err = param.Number(b.TopP, "top_p")
	}
	return err
}

// readMetadata reads metadata, which must be an object.
func (b *requestBody) readMetadata(r *conversation.Request) error {
	if !param.Given(b.Metadata) {
		return nil
	}
	if b.Metadata.Kind() != '{' {
		return param.Invalid("metadata", "an object")
	}
	r.Metadata = stdjson.RawMessage(b.Metadata)
	return nil
}

// readInclude reads include. Values that concern OpenAI's own tools or the stored input ask for nothing that other
// dialects have.
func (b *requestBody) readInclude(r *conversation.Request) error {
	for i, value := range b.Include {
		path := param.Element("include", i)
		switch value {
		case encryptedContent:
			r.Reasoning.Encrypted, r.Reasoning.EncryptedField = true, path
		case "file_search_call.results", "web_search_call.results", "web_search_call.action.sources",
			"message.input_image.image_url",
			"computer_call_output.output.image_url", "code_interpreter_call.outputs":
			r.Ignored = append(r.Ignored, path)
		default: // for example message.output_text.logprobs
			r.Untranslatable = append(r.Untranslatable, path)
		}
	}
	return nil
}

// hintFields are fields that only restrict the response or give a hint: how long a prompt stays cached, when the
// conversation is shortened, and what Codex tells OpenAI about itself.
var hintFields = map[string]bool{"prompt_cache_retention": true, "prompt_cache_options": true,
	"context_management": true, "client_metadata": true}

// readOtherFields lists the sent fields for which a conversation has no field, unless they have the default value.
func (b *requestBody) readOtherFields(r *conversation.Request) {
	for _, field := range []struct {
		name  string
		given bool
	}{
		{"background", b.Background},
		{"top_logprobs", b.TopLogprobs != nil && *b.TopLogprobs != 0},
		{"reasoning.mode", b.Reasoning.Mode != "" && b.Reasoning.Mode != "standard"},
	} {
		if field.given {
			r.Untranslatable = append(r.Untranslatable, field.name)
		}
	}
	if b.Reasoning.Context != "" && b.Reasoning.Context != "auto" {
		r.Ignored = append(r.Ignored, "reasoning.context")
	}
	eachMember(b.Unknown, func(name string, value jsontext.Value) {
		switch {
		case !param.Given(value):
		case hintFields[name]:
			r.Ignored = append(r.Ignored, name)
		default:
			r.Untranslatable = append(r.Untranslatable, name)
		}
	})
}

// eachMember calls member for the members of an object. It ignores errors, because the object was read from
// valid JSON.
func eachMember(object jsontext.Value, member func(name string, value jsontext.Value)) {
	d := jsontext.NewDecoder(bytes.NewReader(object), lenient)
	if _, err := d.ReadToken(); err != nil {
		return // no object, so no members
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return
		}
		member(key, value)
	}
}
