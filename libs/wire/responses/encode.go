package responses

import (
	stdjson "encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/wire/openai/model"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// Options holds the values that an upstream's request depends on in addition to the conversation.
type Options struct {
	Model string // the upstream's name of the model
	Tier  string // the service tier in place of the conversation's, "" for the latter
}

// upstreamBody represents a request to an upstream. The order of the fields is the order in the JSON.
type upstreamBody struct {
	Model             string         `json:"model"`
	Instructions      string         `json:"instructions,omitzero"`
	Input             []any          `json:"input"`
	Tools             []any          `json:"tools,omitempty"`
	ToolChoice        any            `json:"tool_choice,omitzero"`
	ParallelToolCalls *bool          `json:"parallel_tool_calls,omitzero"`
	Text              textBody       `json:"text,omitzero"`
	Reasoning         reasoningBody  `json:"reasoning,omitzero"`
	MaxOutputTokens   int64          `json:"max_output_tokens,omitzero"`
	Temperature       jsontext.Value `json:"temperature,omitzero"`
	TopP              jsontext.Value `json:"top_p,omitzero"`
	Truncation        string         `json:"truncation,omitzero"`
	Include           []string       `json:"include,omitempty"`
	Store             bool           `json:"store"`
	Metadata          jsontext.Value `json:"metadata,omitzero"`
	User              string         `json:"user,omitzero"`
	PromptCacheKey    string         `json:"prompt_cache_key,omitzero"`
	ServiceTier       string         `json:"service_tier,omitzero"`
	Stream            bool           `json:"stream,omitzero"`
}

// textBody represents the field `text`: the format of the output and its verbosity.
type textBody struct {
	Format    any    `json:"format,omitzero"`
	Verbosity string `json:"verbosity,omitzero"`
}

// reasoningBody represents the field `reasoning` of a request.
type reasoningBody struct {
	Effort  string `json:"effort,omitzero"`
	Summary string `json:"summary,omitzero"`
}

// EncodeRequest returns the body for an upstream that speaks the Responses API, and the client's paths of what it
// leaves out of it. Nothing is stored upstream unless the client asked for it. Errors are UnsupportedParameter problems
// that name the client's field.
//
// It leaves out reasoning without encrypted content, because the API accepts reasoning only with it. It leaves out stop
// sequences, which the API does not have: the caller ends the response.
func EncodeRequest(r *conversation.Request, o Options) (body []byte, ignored []string, err error) {
	if err := r.CheckTranslatable(); err != nil {
		return nil, nil, err
	}
	if err := param.CheckStop(r); err != nil {
		return nil, nil, err
	}
	r, dropped := model.Fit(toolcall.Rename(r, nameRule), o.Model)
	b := upstreamBody{
		Model: o.Model, Stream: r.Stream,
		ParallelToolCalls: r.ParallelCalls, ToolChoice: choiceOf(r), Tools: toolsOf(r),
		Text:            textBody{Format: formatOf(r.Format), Verbosity: r.Verbosity},
		Reasoning:       reasoningBody{Effort: r.Reasoning.Effort, Summary: r.Reasoning.Summary},
		MaxOutputTokens: r.MaxOutput, Temperature: valueOf(r.Temperature), TopP: valueOf(r.TopP),
		Truncation: r.Truncation, Store: r.Store != nil && *r.Store, Metadata: valueOf(r.Metadata),
		User: r.User, PromptCacheKey: r.CacheKey, ServiceTier: o.Tier,
	}
	if b.ServiceTier == "" && r.Tier != "auto" {
		b.ServiceTier = r.Tier
	}
	if r.MaxOutput > 0 {
		b.MaxOutputTokens = max(r.MaxOutput, minOutput)
	}
	// Only the account that made it can read it, and only these clients return it there.
	if r.Reasoning.Encrypted && r.Client == conversation.ClientResponses {
		b.Include = []string{encryptedContent}
	}
	w := inputWriter{items: []any{}, dropReasoning: r.Client == conversation.ClientMessages}
	messages, err := r.Turns()
	if err != nil {
		return nil, nil, err
	}
	if text, ok := instructionsOf(r); ok {
		b.Instructions, messages = text, messages[1:]
	}
	for i := range messages {
		if err := w.writeMessage(&messages[i]); err != nil {
			return nil, nil, err
		}
	}
	b.Input = w.items
	if body, err = json.Marshal(&b, lenient); err != nil {
		return nil, nil, fmt.Errorf("responses: encode request: %w", err)
	}
	ignored = append(r.Lacking(conversation.UpstreamResponses), dropped...)
	if b.MaxOutputTokens != r.MaxOutput {
		ignored = append(ignored, r.NameOf(conversation.FieldMaxOutput))
	}
	return body, ignored, nil
}

// nameRule describes the names of tools that the API accepts. Anthropic accepts longer names, and Gemini dots.
var nameRule = toolcall.NameRule{Symbols: "_-", MaxLength: 64}

// minOutput is the smallest output cap that the API accepts. A smaller one, with which some programs test a connection,
// is raised to it.
const minOutput = 16

// instructionsOf returns the text of the field `instructions`, and whether a responses client sent it.
func instructionsOf(r *conversation.Request) (string, bool) {
	if len(r.Messages) == 0 {
		return "", false
	}
	message := &r.Messages[0]
	if message.Path != instructions || len(message.Parts) != 1 {
		return "", false
	}
	return message.Parts[0].Text, true
}

// formatOf returns the JSON form of the format, or nil for plain text.
func formatOf(f conversation.Format) any {
	switch f.Type {
	case conversation.FormatJSON:
		return typeAndName{Type: string(f.Type)}
	case conversation.FormatSchema:
		return &formatBody{Type: string(f.Type), Name: f.Name, Description: f.Description, Schema: orNull(f.Schema),
			Strict: f.Strict}
	}
	return nil
}

// typeAndName represents an object that has a type and at most a name.
type typeAndName struct {
	Type string `json:"type"`
	Name string `json:"name,omitzero"`
}

// functionTool declares a function. The API requires parameters and strict, so both are written even if they
// are null.
type functionTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      *bool          `json:"strict"`
}

// customTool declares a tool that takes free text.
type customTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Format      jsontext.Value `json:"format,omitzero"`
}

// toolsOf returns the JSON forms of the tools.
func toolsOf(r *conversation.Request) []any {
	tools := make([]any, len(r.Tools))
	for i, t := range r.Tools {
		if t.Custom {
			tools[i] = customTool{custom, t.Name, t.Description, valueOf(t.Syntax)}
			continue
		}
		tool := functionTool{function, t.Name, t.Description, orNull(t.Parameters), t.Strict}
		if tool.Strict == nil && r.Client != conversation.ClientResponses {
			tool.Strict = new(bool) // without the field, responses means true and other dialects mean false
		}
		tools[i] = tool
	}
	return tools
}

// valueOf returns r as a value, or nil if it is empty, so that omitzero omits it.
func valueOf[raw stdjson.Number | stdjson.RawMessage](r raw) jsontext.Value {
	if len(r) == 0 {
		return nil
	}
	return jsontext.Value(r)
}

// orNull returns raw as a value, null if it is empty.
func orNull(raw stdjson.RawMessage) jsontext.Value {
	if v := valueOf(raw); v != nil {
		return v
	}
	return jsontext.Value("null")
}

// allowedChoice represents a tool choice that allows only some tools.
type allowedChoice struct {
	Type  string        `json:"type"`
	Mode  string        `json:"mode"`
	Tools []typeAndName `json:"tools"`
}

// choiceOf returns the JSON form of the tool choice, or nil for the provider's default.
func choiceOf(r *conversation.Request) any {
	c := r.ToolChoice
	if c.Mode == conversation.ToolChoiceNamed {
		return toolNamed(r, c.Name)
	}
	if len(c.Allowed) == 0 {
		if c.Mode == "" {
			return nil
		}
		return string(c.Mode)
	}
	choice := allowedChoice{Type: allowedTools, Mode: string(conversation.ToolChoiceAuto)}
	if c.Mode != "" {
		choice.Mode = string(c.Mode)
	}
	for _, name := range c.Allowed {
		choice.Tools = append(choice.Tools, toolNamed(r, name))
	}
	return choice
}

// toolNamed returns the reference to a tool in a tool choice.
func toolNamed(r *conversation.Request, name string) typeAndName {
	isCustom := func(t conversation.Tool) bool { return t.Custom && t.Name == name }
	if slices.ContainsFunc(r.Tools, isCustom) {
		return typeAndName{custom, name}
	}
	return typeAndName{function, name}
}
