// Package chat translates OpenAI's chat completions, requests and answers,
// from and into the one shape of a call. It writes what OpenAI documents; it
// also reads what the compatible servers and their clients have made of it.
package chat

import "github.com/go-json-experiment/json/jsontext"

// body is a request. Fields without a tag of their own here end in Rest.
type body struct {
	Model         string         `json:"model"`
	Messages      []message      `json:"messages"`
	Tools         []tool         `json:"tools,omitzero"`
	ToolChoice    *choice        `json:"tool_choice,omitzero"`
	ParallelCalls *bool          `json:"parallel_tool_calls,omitzero"`
	Functions     []function     `json:"functions,omitzero"`
	FunctionCall  *choice        `json:"function_call,omitzero"`
	Format        *format        `json:"response_format,omitzero"`
	Verbosity     string         `json:"verbosity,omitzero"`
	Effort        string         `json:"reasoning_effort,omitzero"`
	MaxCompletion number         `json:"max_completion_tokens,omitzero"`
	MaxTokens     number         `json:"max_tokens,omitzero"`
	Temperature   number         `json:"temperature,omitzero"`
	TopP          number         `json:"top_p,omitzero"`
	Frequency     number         `json:"frequency_penalty,omitzero"`
	Presence      number         `json:"presence_penalty,omitzero"`
	Seed          number         `json:"seed,omitzero"`
	Stop          stops          `json:"stop,omitzero"`
	User          string         `json:"user,omitzero"`
	SafetyID      string         `json:"safety_identifier,omitzero"`
	CacheKey      string         `json:"prompt_cache_key,omitzero"`
	Tier          string         `json:"service_tier,omitzero"`
	Metadata      jsontext.Value `json:"metadata,omitzero"`
	Store         *bool          `json:"store,omitzero"`
	Stream        bool           `json:"stream,omitzero"`
	StreamOptions *streamOptions `json:"stream_options,omitzero"`
	Rest          jsontext.Value `json:",embed"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role         string         `json:"role"`
	Name         string         `json:"name,omitzero"`
	Content      content        `json:"content"`
	Refusal      string         `json:"refusal,omitzero"`
	Thought      string         `json:"reasoning_content,omitzero"`
	OtherThought text           `json:"reasoning,omitzero"` // where some servers have it
	Calls        []call         `json:"tool_calls,omitzero"`
	FunctionCall *called        `json:"function_call,omitzero"`
	CallID       string         `json:"tool_call_id,omitzero"`
	Audio        jsontext.Value `json:"audio,omitzero"`
	Cache        jsontext.Value `json:"cache_control,omitzero"`
}

type part struct {
	Type    string         `json:"type"`
	Text    *string        `json:"text,omitzero"`
	Refusal string         `json:"refusal,omitzero"`
	Image   *image         `json:"image_url,omitzero"`
	Audio   *audio         `json:"input_audio,omitzero"`
	File    *file          `json:"file,omitzero"`
	Cache   jsontext.Value `json:"cache_control,omitzero"`
}

type image struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitzero"`
}

type audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type file struct {
	Name string `json:"filename,omitzero"`
	Data string `json:"file_data,omitzero"`
	ID   string `json:"file_id,omitzero"`
}

type call struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	Function *called `json:"function,omitzero"`
	Custom   *input  `json:"custom,omitzero"`
	Extra    extra   `json:"extra_content,omitzero"`
}

type called struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

type input struct {
	Name  string `json:"name"`
	Input string `json:"input"`
}

// extra is where Google's chat endpoint has the signature of a call.
type extra struct {
	Google google `json:"google,omitzero"`
}

type google struct {
	Seal string `json:"thought_signature,omitzero"`
}

type tool struct {
	Type     string         `json:"type"`
	Function *function      `json:"function,omitzero"`
	Custom   *custom        `json:"custom,omitzero"`
	Cache    jsontext.Value `json:"cache_control,omitzero"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters,omitzero"`
	Strict      *bool          `json:"strict,omitzero"`
}

type custom struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitzero"`
	Syntax      *syntax `json:"format,omitzero"`
}

// syntax is the format of a custom tool's input. Chat completions have the
// grammar in an object of its own; responses, whose shape conversation.Tool
// has, put its fields beside the type.
type syntax struct {
	Type       string   `json:"type"`
	Syntax     string   `json:"syntax,omitzero"`
	Definition string   `json:"definition,omitzero"`
	Grammar    *grammar `json:"grammar,omitzero"`
}

type grammar struct {
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

type format struct {
	Type   string  `json:"type"`
	Schema *schema `json:"json_schema,omitzero"`
}

type schema struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Schema      jsontext.Value `json:"schema,omitzero"`
	Strict      *bool          `json:"strict,omitzero"`
}

// toolChoice is a choice that is more than a word.
type toolChoice struct {
	Type     string   `json:"type,omitzero"`
	Name     string   `json:"name,omitzero"` // of a legacy function_call
	Function *named   `json:"function,omitzero"`
	Custom   *named   `json:"custom,omitzero"`
	Allowed  *allowed `json:"allowed_tools,omitzero"`
}

type named struct {
	Name string `json:"name"`
}

type allowed struct {
	Mode  string       `json:"mode"`
	Tools []toolChoice `json:"tools"`
}

// name is that of the tool that is chosen.
func (c *toolChoice) name() string {
	switch {
	case c.Function != nil:
		return c.Function.Name
	case c.Custom != nil:
		return c.Custom.Name
	}
	return c.Name
}
