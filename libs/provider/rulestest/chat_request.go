package rulestest

import (
	"encoding/json"
	"slices"
	"strings"
)

// chatRequest is a request to OpenAI's chat completions.
type chatRequest struct {
	envelope            `json:"-"`
	Model               string            `json:"model"`
	Messages            []chatMessage     `json:"messages"`
	Tools               *[]chatTool       `json:"tools"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls"`
	Functions           json.RawMessage   `json:"functions"`
	FunctionCall        json.RawMessage   `json:"function_call"`
	ResponseFormat      *chatFormat       `json:"response_format"`
	Stop                json.RawMessage   `json:"stop"`
	MaxTokens           *int64            `json:"max_tokens"`
	MaxCompletionTokens *int64            `json:"max_completion_tokens"`
	Temperature         *float64          `json:"temperature"`
	TopP                *float64          `json:"top_p"`
	FrequencyPenalty    *float64          `json:"frequency_penalty"`
	PresencePenalty     *float64          `json:"presence_penalty"`
	N                   *int64            `json:"n"`
	Seed                *int64            `json:"seed"`
	Metadata            map[string]string `json:"metadata"`
	Stream              *bool             `json:"stream"`
	StreamOptions       json.RawMessage   `json:"stream_options"`
	ReasoningEffort     *string           `json:"reasoning_effort"`
	Verbosity           *string           `json:"verbosity"`
	User                *string           `json:"user"`
	SafetyIdentifier    *string           `json:"safety_identifier"`
	PromptCacheKey      *string           `json:"prompt_cache_key"`
	PromptCacheRetained json.RawMessage   `json:"prompt_cache_retention"`
	PromptCacheOptions  json.RawMessage   `json:"prompt_cache_options"`
	ServiceTier         *string           `json:"service_tier"`
	Store               *bool             `json:"store"`
	Logprobs            *bool             `json:"logprobs"`
	TopLogprobs         *int64            `json:"top_logprobs"`
	LogitBias           json.RawMessage   `json:"logit_bias"`
	Modalities          []string          `json:"modalities"`
	Audio               json.RawMessage   `json:"audio"`
	Prediction          json.RawMessage   `json:"prediction"`
	WebSearchOptions    json.RawMessage   `json:"web_search_options"`
	Moderation          json.RawMessage   `json:"moderation"`
}

type chatMessage struct {
	Role         string            `json:"role"`
	Name         *string           `json:"name"`
	Content      content[chatPart] `json:"content"`
	Refusal      *string           `json:"refusal"`
	ToolCalls    *[]chatCall       `json:"tool_calls"`
	ToolCallID   string            `json:"tool_call_id"`
	FunctionCall json.RawMessage   `json:"function_call"`
	Audio        json.RawMessage   `json:"audio"`
	Annotations  json.RawMessage   `json:"annotations"`
}

type chatPart struct {
	Type       string          `json:"type"`
	Text       *string         `json:"text"`
	Refusal    *string         `json:"refusal"`
	ImageURL   *chatImage      `json:"image_url"`
	InputAudio *chatAudio      `json:"input_audio"`
	File       json.RawMessage `json:"file"`
}

type chatImage struct {
	URL    string  `json:"url"`
	Detail *string `json:"detail"`
}

type chatAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function *struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
	Custom *struct {
		Name  string  `json:"name"`
		Input *string `json:"input"`
	} `json:"custom"`
}

func (c *chatCall) name() string {
	switch {
	case c.Function != nil:
		return c.Function.Name
	case c.Custom != nil:
		return c.Custom.Name
	}
	return ""
}

type chatTool struct {
	Type     string    `json:"type"`
	Function *function `json:"function"`
	Custom   *struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Format      json.RawMessage `json:"format"`
	} `json:"custom"`
}

// function declares a function of chat completions.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

type chatFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Strict      *bool           `json:"strict"`
	} `json:"json_schema"`
}

func (r *chatRequest) extras() (errs []error) {
	for i := range r.Messages {
		errs = append(errs, r.Messages[i].Content.extra)
	}
	return errs
}

// tools returns the tools, none if the field is absent.
func (r *chatRequest) tools() []chatTool {
	if r.Tools == nil {
		return nil
	}
	return *r.Tools
}

func (m *chatMessage) calls() []chatCall {
	if m.ToolCalls == nil {
		return nil
	}
	return *m.ToolCalls
}

// contains reports whether a text of the messages contains a word, in any case.
func (r *chatRequest) contains(word string) bool {
	return slices.ContainsFunc(r.Messages, func(m chatMessage) bool {
		return strings.Contains(strings.ToLower(m.Content.text), word) ||
			slices.ContainsFunc(m.Content.parts,
				func(p chatPart) bool { return p.Text != nil && strings.Contains(strings.ToLower(*p.Text), word) })
	})
}
