package rulestest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
)

// messagesRequest is a request to Anthropic's messages.
type messagesRequest struct {
	envelope          `json:"-"`
	Model             string             `json:"model"`
	MaxTokens         *int64             `json:"max_tokens"`
	Stream            *bool              `json:"stream"`
	System            content[block]     `json:"system"`
	Messages          []anthropicMessage `json:"messages"`
	Tools             []anthropicTool    `json:"tools"`
	ToolChoice        *anthropicChoice   `json:"tool_choice"`
	Thinking          *anthropicThinking `json:"thinking"`
	OutputConfig      *outputConfig      `json:"output_config"`
	Temperature       *float64           `json:"temperature"`
	TopP              *float64           `json:"top_p"`
	TopK              *int64             `json:"top_k"`
	StopSequences     []string           `json:"stop_sequences"`
	Metadata          *anthropicMetadata `json:"metadata"`
	ServiceTier       *string            `json:"service_tier"`
	CacheControl      json.RawMessage    `json:"cache_control"`
	Container         json.RawMessage    `json:"container"`
	InferenceGeo      *string            `json:"inference_geo"`
	ContextManagement json.RawMessage    `json:"context_management"`
	MCPServers        json.RawMessage    `json:"mcp_servers"`
	Speed             *string            `json:"speed"`
}

type anthropicMetadata struct {
	UserID *string `json:"user_id"`
}

type anthropicMessage struct {
	Role    string         `json:"role"`
	Content content[block] `json:"content"`
}

// block is any block of content.
type block struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text"`
	Citations    json.RawMessage `json:"citations"`
	Thinking     *string         `json:"thinking"`
	Signature    *string         `json:"signature"`
	Data         *string         `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	Caller       json.RawMessage `json:"caller"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      content[block]  `json:"content"`
	IsError      *bool           `json:"is_error"`
	Source       *source         `json:"source"`
	Title        json.RawMessage `json:"title"`
	Context      json.RawMessage `json:"context"`
	CacheControl json.RawMessage `json:"cache_control"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
	FileID    string `json:"file_id"`
}

// anthropicTool is a tool. Tools of the provider have a type, and more fields.
type anthropicTool struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       *bool           `json:"strict"`
	CacheControl json.RawMessage `json:"cache_control"`
}

// UnmarshalJSON implements json.Unmarshaler. It ignores other fields.
func (t *anthropicTool) UnmarshalJSON(raw []byte) error {
	type plain anthropicTool
	return json.Unmarshal(raw, (*plain)(t))
}

type anthropicChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name"`
	DisableParallel *bool  `json:"disable_parallel_tool_use"`
}

type anthropicThinking struct {
	Type         string  `json:"type"`
	BudgetTokens *int64  `json:"budget_tokens"`
	Display      *string `json:"display"`
}

type outputConfig struct {
	Effort *string `json:"effort"`
	Format *struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
	TaskBudget json.RawMessage `json:"task_budget"`
}

func (r *messagesRequest) extras() (errs []error) {
	for i := range r.Messages {
		errs = append(errs, r.Messages[i].Content.extra)
	}
	return append(errs, r.System.extra)
}

var claudes = regexp.MustCompile(`claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?:$|\D))?`)

// claude returns the version of a Claude, such as 46 for 4.6; 0 for another model.
func claude(model string) int {
	groups := claudes.FindStringSubmatch(model)
	if groups == nil {
		return 0
	}
	major, _ := strconv.Atoi(groups[1])
	minor, _ := strconv.Atoi(groups[2])
	return 10*major + minor
}

func eachTurn(check func(m *anthropicMessage, at string) *fault) func(*messagesRequest) *fault {
	return func(r *messagesRequest) *fault {
		for i := range r.Messages {
			if f := check(&r.Messages[i], fmt.Sprintf("messages.%d", i)); f != nil {
				return f
			}
		}
		return nil
	}
}

// eachBlock returns the check of all blocks, those of the system field and of results included.
func eachBlock(check func(b *block, at string) *fault) func(*messagesRequest) *fault {
	var walk func(blocks []block, at string) *fault
	walk = func(blocks []block, at string) *fault {
		for i := range blocks {
			place := fmt.Sprintf("%s.%d", at, i)
			if f := check(&blocks[i], place); f != nil {
				return f
			}
			if f := walk(blocks[i].Content.parts, place+".content"); f != nil {
				return f
			}
		}
		return nil
	}
	return func(r *messagesRequest) *fault {
		if f := walk(r.System.parts, "system"); f != nil {
			return f
		}
		return eachTurn(func(m *anthropicMessage, at string) *fault { return walk(m.Content.parts, at+".content") })(r)
	}
}

func eachAnthropicTool(check func(t *anthropicTool, at string) *fault) func(*messagesRequest) *fault {
	return func(r *messagesRequest) *fault {
		for i := range r.Tools {
			if t := &r.Tools[i]; t.Type == "" || t.Type == "custom" {
				if f := check(t, fmt.Sprintf("tools.%d.custom", i)); f != nil {
					return f
				}
			}
		}
		return nil
	}
}

// eachSchema returns the check of the schemas that the API enforces: that of the format, and those of strict tools.
func eachSchema(check func(schema json.RawMessage, at string) *fault) func(*messagesRequest) *fault {
	return func(r *messagesRequest) *fault {
		if r.OutputConfig != nil && r.OutputConfig.Format != nil {
			if f := check(r.OutputConfig.Format.Schema, "output_config.format.schema"); f != nil {
				return f
			}
		}
		return eachAnthropicTool(func(t *anthropicTool, at string) *fault {
			if t.Strict == nil || !*t.Strict {
				return nil
			}
			return check(t.InputSchema, at+".input_schema")
		})(r)
	}
}
