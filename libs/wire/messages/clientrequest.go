package messages

import (
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// clientBody represents a client's request. Fields that are not listed here end up in Rest.
type clientBody struct {
	Model         string            `json:"model"`
	Messages      []clientTurn      `json:"messages"`
	System        clientContent     `json:"system"`
	MaxTokens     jsontext.Value    `json:"max_tokens"`
	Stream        bool              `json:"stream"`
	Tools         []clientTool      `json:"tools"`
	ToolChoice    *clientToolChoice `json:"tool_choice"`
	Thinking      *clientThinking   `json:"thinking"`
	OutputConfig  *clientOutput     `json:"output_config"`
	OutputFormat  *clientFormat     `json:"output_format"` // the name that output_config.format had before
	Temperature   jsontext.Value    `json:"temperature"`
	TopP          jsontext.Value    `json:"top_p"`
	TopK          jsontext.Value    `json:"top_k"`
	StopSequences []string          `json:"stop_sequences"`
	Metadata      *clientMetadata   `json:"metadata"`
	ServiceTier   string            `json:"service_tier"`
	Speed         string            `json:"speed"`
	CacheControl  jsontext.Value    `json:"cache_control"`
	Context       *clientContext    `json:"context_management"`
	Rest          jsontext.Value    `json:",embed"`
}

type clientMetadata struct {
	UserID string `json:"user_id"`
}

type clientThinking struct {
	Type         string         `json:"type"`
	BudgetTokens jsontext.Value `json:"budget_tokens"`
	Display      string         `json:"display"`
}

type clientOutput struct {
	Effort string         `json:"effort"`
	Format *clientFormat  `json:"format"`
	Rest   jsontext.Value `json:",embed"`
}

type clientFormat struct {
	Type   string         `json:"type"`
	Schema jsontext.Value `json:"schema"`
}

type clientContext struct {
	Edits []struct {
		Type string `json:"type"`
	} `json:"edits"`
}

type clientTool struct {
	Type         string         `json:"type"`
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	InputSchema  jsontext.Value `json:"input_schema"`
	Strict       *bool          `json:"strict"`
	DeferLoading bool           `json:"defer_loading"`
	CacheControl jsontext.Value `json:"cache_control"`
	Examples     jsontext.Value `json:"input_examples"`
	Callers      []string       `json:"allowed_callers"`
}

type clientToolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name"`
	DisableParallel bool   `json:"disable_parallel_tool_use"`
}

// DecodeRequest reads a client's request. Errors are problems of the kinds InvalidJSON, MissingParameter, InvalidType
// and UnsupportedParameter that name the field.
//
// A conversation cannot hold cache_control and other hints, see Request.Ignored. The service tier auto and the editing
// of thinking blocks are not listed there: auto is the default, and only the family that made such blocks gets them. A
// user id of more than 64 bytes, which OpenAI refuses, becomes its hash.
func DecodeRequest(raw []byte) (*conversation.Request, error) {
	var b clientBody
	if err := json.Unmarshal(raw, &b, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, param.Problem(err, "")
	}
	switch {
	case b.Model == "":
		return nil, param.Missing("model")
	case b.Messages == nil:
		return nil, param.Missing("messages")
	}
	// A client returns the signatures of thinking blocks, and of no other blocks.
	r := &conversation.Request{Client: conversation.ClientMessages, Model: b.Model, Stream: b.Stream,
		Untranslatable: untranslatableIn(b.Rest, ""), Ignored: b.ignoredPaths()}
	r.Reasoning.Encrypted = true
	for _, read := range []func(*conversation.Request) error{b.readOptions, b.readReasoning, b.readFormat, b.readTools,
		b.readToolChoice, b.readMessages} {
		if err := read(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readOptions reads the fields that are independent of others.
func (b *clientBody) readOptions(r *conversation.Request) (err error) {
	if r.MaxOutput, err = param.Count(b.MaxTokens, "max_tokens"); err != nil {
		return err
	}
	if r.Temperature, err = param.Number(b.Temperature, "temperature"); err != nil {
		return err
	}
	if r.TopP, err = param.Number(b.TopP, "top_p"); err != nil {
		return err
	}
	if param.Given(b.TopK) && string(b.TopK) != "0" {
		_, err = param.Count(b.TopK, "top_k")
		r.TopK = stdjson.Number(b.TopK)
	}
	r.Stop = b.StopSequences
	if b.Metadata != nil {
		r.User, r.UserField = shortID(b.Metadata.UserID), "metadata.user_id"
	}
	switch b.ServiceTier {
	case "", "auto", "standard_only": // the upstream's ordinary tier
	default:
		return conversation.UnsupportedPath("service_tier")
	}
	return err
}

// ignoredPaths returns the paths of the fields that only restrict the response or give a hint, and that a conversation
// cannot hold: where the prompt is cached, how fast the answer comes, when the conversation is shortened, and how a
// tool is offered.
func (b *clientBody) ignoredPaths() (paths []string) {
	add := func(isSet bool, path string) {
		if isSet {
			paths = append(paths, path)
		}
	}
	add(param.Given(b.CacheControl), cacheControl)
	add(b.Speed != "" && b.Speed != "standard", "speed")
	if b.Context != nil {
		for i, edit := range b.Context.Edits {
			add(!strings.HasPrefix(edit.Type, "clear_thinking_"), param.Element("context_management.edits", i))
		}
	}
	paths = b.System.appendCachePaths(paths, "system")
	for i := range b.Tools {
		t, path := &b.Tools[i], param.Element("tools", i)+"."
		add(param.Given(t.CacheControl), path+cacheControl)
		add(t.DeferLoading, path+"defer_loading")
		add(param.Given(t.Examples) && !isNullOrEmpty(t.Examples), path+"input_examples")
		add(len(t.Callers) > 0 && !slices.Contains(t.Callers, "direct"), path+"allowed_callers")
	}
	for i := range b.Messages {
		paths = b.Messages[i].Content.appendCachePaths(paths, param.Element("messages", i)+".content")
	}
	return paths
}

const cacheControl = "cache_control"

// appendCachePaths appends the paths of the cache_control fields of the blocks.
func (c *clientContent) appendCachePaths(paths []string, path string) []string {
	for i := range c.blocks {
		b, blockPath := &c.blocks[i], c.blockPath(path, i)
		if param.Given(b.CacheControl) {
			paths = append(paths, blockPath+"."+cacheControl)
		}
		paths = b.Content.appendCachePaths(paths, blockPath+".content")
	}
	return paths
}

// maxShortID is the length in bytes of the longest id of an end user that OpenAI accepts.
const maxShortID = 64

// shortID returns an id of an end user, or its hash if it is too long.
func shortID(id string) string {
	if len(id) <= maxShortID {
		return id
	}
	return hashOf(id)
}

// hashOf returns the hash that stands for an id of an end user.
func hashOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// The budgets in tokens from which a client's thinking counts as the effort medium or high. They are those that
// EncodeRequest sends for these efforts.
const (
	mediumBudget = 8_192
	highBudget   = 16_384
)

// readReasoning reads how much the model thinks. A budget becomes the effort with the next smaller budget. The
// type disabled is the default of Anthropic's API, so the request then keeps the default of the upstream.
func (b *clientBody) readReasoning(r *conversation.Request) error {
	effort := ""
	if b.OutputConfig != nil {
		effort, r.Untranslatable = b.OutputConfig.Effort,
			append(r.Untranslatable, untranslatableIn(b.OutputConfig.Rest, "output_config.")...)
	}
	switch effort {
	case "", "low", "medium", "high", "xhigh":
	case "max":
		effort = "xhigh"
	default:
		return param.Invalid("output_config.effort", "one of low, medium, high, xhigh and max")
	}
	r.Reasoning.Effort = effort
	if effort != "" {
		r.Reasoning.Field = "output_config.effort"
	}
	t := b.Thinking
	if t == nil || t.Type == "disabled" {
		return nil
	}
	if t.Display != "omitted" {
		r.Reasoning.Summary = "auto"
	}
	switch t.Type {
	case "adaptive":
		return nil
	case "enabled":
	case "":
		return param.Missing("thinking.type")
	default:
		return conversation.UnsupportedPath("thinking.type")
	}
	budget, err := param.Count(t.BudgetTokens, "thinking.budget_tokens")
	switch {
	case err != nil:
		return err
	case effort != "": // it takes precedence
	case budget >= highBudget:
		r.Reasoning.Effort = "high"
	case budget >= mediumBudget:
		r.Reasoning.Effort = "medium"
	default:
		r.Reasoning.Effort = "low"
	}
	return nil
}

// formatName is the name of the output format, which other dialects require.
const formatName = "output"

// readFormat reads the format of the output.
func (b *clientBody) readFormat(r *conversation.Request) error {
	f, path := b.OutputFormat, "output_format"
	if b.OutputConfig != nil && b.OutputConfig.Format != nil {
		f, path = b.OutputConfig.Format, "output_config.format"
	}
	switch {
	case f == nil:
		return nil
	case f.Type != "json_schema":
		return conversation.UnsupportedPath(path + ".type")
	case f.Schema.Kind() != '{':
		return param.Invalid(path+".schema", "an object")
	}
	strict := true
	r.Format = conversation.Format{Type: conversation.FormatSchema, Name: formatName,
		Schema: stdjson.RawMessage(f.Schema), Strict: enforceable(&strict, f.Schema)}
	r.FieldNames = map[conversation.Field]string{conversation.FieldFormat: path}
	return nil
}

// readTools reads the tools. Only those that the client describes itself can be translated.
func (b *clientBody) readTools(r *conversation.Request) error {
	for i := range b.Tools {
		t, path := &b.Tools[i], param.Element("tools", i)
		switch {
		case t.Type != "" && t.Type != "custom":
			return conversation.UnsupportedPath(path + ".type")
		case t.Name == "":
			return param.Missing(path + ".name")
		case t.InputSchema.Kind() != '{':
			return param.Invalid(path+".input_schema", "an object")
		}
		r.Tools = append(r.Tools, conversation.Tool{
			Name: t.Name, Description: t.Description, Parameters: stdjson.RawMessage(t.InputSchema),
			Strict: enforceable(t.Strict, t.InputSchema), Path: path,
		})
	}
	return nil
}

// readToolChoice reads the tool choice.
func (b *clientBody) readToolChoice(r *conversation.Request) error {
	c := b.ToolChoice
	if c == nil {
		return nil
	}
	if c.DisableParallel {
		r.ParallelCalls = new(bool)
	}
	switch c.Type {
	case "auto":
		r.ToolChoice.Mode = conversation.ToolChoiceAuto
	case "none":
		r.ToolChoice.Mode = conversation.ToolChoiceNone
	case "any":
		r.ToolChoice.Mode = conversation.ToolChoiceRequired
	case "tool":
		if c.Name == "" {
			return param.Missing("tool_choice.name")
		}
		r.ToolChoice = conversation.ToolChoice{Mode: conversation.ToolChoiceNamed, Name: c.Name}
	case "":
		return param.Missing("tool_choice.type")
	default:
		return conversation.UnsupportedPath("tool_choice.type")
	}
	return nil
}

// untranslatableIn returns the paths of the members of an object that a conversation cannot hold, in the order in which
// they were sent. Those that are null or empty ask for nothing and are not among them.
func untranslatableIn(value jsontext.Value, prefix string) (names []string) {
	if len(value) == 0 {
		return nil
	}
	dec := jsontext.NewDecoder(strings.NewReader(string(value)), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil // it was read from valid JSON
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return names
		}
		key := name.String() // a token is valid until the next read
		value, err := dec.ReadValue()
		if err != nil {
			return names
		}
		if !isNullOrEmpty(value) {
			names = append(names, prefix+key)
		}
	}
	return names
}

// isNullOrEmpty reports whether a value is null, or an array or object without elements.
func isNullOrEmpty(value jsontext.Value) bool {
	compact := strings.Join(strings.Fields(string(value)), "")
	return compact == "null" || compact == "[]" || compact == "{}"
}
