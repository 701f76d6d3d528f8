package responses

import (
	stdjson "encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// Options is what an upstream's request needs beside the conversation.
type Options struct {
	Model string // as the upstream names it
}

// upstreamBody is a request as it is written. Its fields stand in the order in
// which they are sent.
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

type textBody struct {
	Format    any    `json:"format,omitzero"`
	Verbosity string `json:"verbosity,omitzero"`
}

type reasoningBody struct {
	Effort  string `json:"effort,omitzero"`
	Summary string `json:"summary,omitzero"`
}

// EncodeRequest writes the upstream's request. Nothing is stored upstream
// unless the client asked for it. Hints to other dialects' caches are left
// out, and so is reasoning without a seal: only its maker's seal lets it back
// in. Errors are UnsupportedParameter problems that name the client's field.
func EncodeRequest(r *conversation.Request, o Options) ([]byte, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	b := upstreamBody{
		Model: o.Model, Stream: r.Stream,
		ParallelToolCalls: r.ParallelCalls, ToolChoice: choiceOf(r), Tools: toolsOf(r),
		Text:            textBody{Format: formatOf(r.Format), Verbosity: r.Verbosity},
		Reasoning:       reasoningBody{Effort: r.Reasoning.Effort, Summary: r.Reasoning.Summary},
		MaxOutputTokens: r.MaxOutput, Temperature: valueOf(r.Temperature), TopP: valueOf(r.TopP),
		Truncation: r.Truncation, Store: r.Store != nil && *r.Store, Metadata: valueOf(r.Metadata),
		User: r.User, PromptCacheKey: r.CacheKey, ServiceTier: r.Tier,
	}
	if r.Reasoning.Encrypted {
		b.Include = []string{encryptedContent}
	}
	w := inputWriter{items: []any{}}
	messages := r.Messages
	if text, ok := instructionsOf(r); ok {
		b.Instructions, messages = text, messages[1:]
	}
	for i := range messages {
		if err := w.message(&messages[i]); err != nil {
			return nil, err
		}
	}
	b.Input = w.items
	body, err := json.Marshal(&b, lenient)
	if err != nil {
		return nil, fmt.Errorf("responses: encode request: %w", err)
	}
	return body, nil
}

// check refuses what the Responses API has no field for.
func check(r *conversation.Request) error {
	if err := r.CheckTranslatable(); err != nil {
		return err
	}
	for _, field := range []struct {
		name  conversation.Field
		given bool
	}{
		{conversation.FieldStop, len(r.Stop) > 0},
		{conversation.FieldSeed, r.Seed != ""},
		{conversation.FieldFrequencyPenalty, r.FrequencyPenalty != ""},
		{conversation.FieldPresencePenalty, r.PresencePenalty != ""},
	} {
		if field.given {
			return r.UnsupportedField(field.name)
		}
	}
	return nil
}

// instructionsOf returns the text of the field `instructions`, where a
// responses client gave it.
func instructionsOf(r *conversation.Request) (string, bool) {
	if len(r.Messages) == 0 {
		return "", false
	}
	first := &r.Messages[0]
	if first.Path != instructions || len(first.Parts) != 1 {
		return "", false
	}
	return first.Parts[0].Text, true
}

func formatOf(f conversation.Format) any {
	switch f.Type {
	case conversation.FormatJSON:
		return typed{Type: string(f.Type)}
	case conversation.FormatSchema:
		return &formatBody{Type: string(f.Type), Name: f.Name, Description: f.Description, Schema: orNull(f.Schema), Strict: f.Strict}
	}
	return nil
}

// typed is an object of which there is only the type to say, and maybe a name.
type typed struct {
	Type string `json:"type"`
	Name string `json:"name,omitzero"`
}

type functionTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      *bool          `json:"strict"`
}

type customTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Format      jsontext.Value `json:"format,omitzero"`
}

func toolsOf(r *conversation.Request) []any {
	tools := make([]any, len(r.Tools))
	for i, t := range r.Tools {
		if t.Custom {
			tools[i] = customTool{custom, t.Name, t.Description, valueOf(t.Syntax)}
			continue
		}
		tool := functionTool{function, t.Name, t.Description, orNull(t.Parameters), t.Strict}
		if tool.Strict == nil && r.Client == conversation.ClientChat {
			tool.Strict = new(bool) // what chat takes for false, responses takes for true
		}
		tools[i] = tool
	}
	return tools
}

// valueOf returns raw as a value that omitzero omits where it is empty.
func valueOf[raw stdjson.Number | stdjson.RawMessage](r raw) jsontext.Value {
	if len(r) == 0 {
		return nil
	}
	return jsontext.Value(r)
}

func orNull(raw stdjson.RawMessage) jsontext.Value {
	if v := valueOf(raw); v != nil {
		return v
	}
	return jsontext.Value("null")
}

type allowedChoice struct {
	Type  string  `json:"type"`
	Mode  string  `json:"mode"`
	Tools []typed `json:"tools"`
}

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
	allowed := allowedChoice{Type: allowedTools, Mode: string(conversation.ToolChoiceAuto)}
	if c.Mode != "" {
		allowed.Mode = string(c.Mode)
	}
	for _, name := range c.Allowed {
		allowed.Tools = append(allowed.Tools, toolNamed(r, name))
	}
	return allowed
}

func toolNamed(r *conversation.Request, name string) typed {
	isIt := func(t conversation.Tool) bool { return t.Custom && t.Name == name }
	if slices.ContainsFunc(r.Tools, isIt) {
		return typed{custom, name}
	}
	return typed{function, name}
}
