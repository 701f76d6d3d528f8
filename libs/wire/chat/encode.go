package chat

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/picture"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/wire/openai/model"
)

// Options holds the values that an upstream's body depends on in addition to the request.
type Options struct {
	Model string // the upstream's name of the model
	Tier  string // the service tier in place of the conversation's, "" for the latter

	OldMaxTokens    bool // see catalog.OldMaxTokens
	NoDeveloper     bool // see catalog.NoDeveloper
	NoStreamOptions bool // see catalog.NoStreamOptions
	// KeepReasoning sends the reasoning of earlier turns back to the upstream as reasoning_content, see
	// catalog.WantsReasoning. Some thinking models refuse a conversation with calls without it. OpenAI has no such
	// field and stricter servers refuse unknown fields, so it is left out by default.
	KeepReasoning bool
}

// OptionsOf returns the options that a channel's settings ask for.
func OptionsOf(model string, s *catalog.Settings) Options {
	return Options{
		Model:        model,
		OldMaxTokens: s.Has(catalog.OldMaxTokens), NoDeveloper: s.Has(catalog.NoDeveloper),
		NoStreamOptions: s.Has(catalog.NoStreamOptions),
		KeepReasoning:   s.Has(catalog.WantsReasoning),
	}
}

// EncodeRequest returns the body for an upstream that speaks chat completions, and the client's paths of what it leaves
// out of it. Errors are UnsupportedParameter problems that name the field which the dialect cannot express.
//
// It leaves out a verbosity or tier with the default value, and the metadata and store of a response, which the gateway
// stores itself. It also leaves out the signatures of reasoning, because the dialect has no field for them, and what
// the model refuses, see package model: the caller ends the response of a model that does not take stop sequences.
func EncodeRequest(r *conversation.Request, o Options) (out []byte, ignored []string, err error) {
	if err := r.CheckTranslatable(); err != nil {
		return nil, nil, err
	}
	if err := picture.Check(r, o.Model); err != nil {
		return nil, nil, err
	}
	if err := model.CheckStop(r, o.Model); err != nil {
		return nil, nil, err
	}
	r, dropped := model.FitChat(toolcall.Rename(r, nameRule), o.Model)
	turns, err := r.Turns()
	if err != nil {
		return nil, nil, err
	}
	messages, err := encodeMessages(turns, o)
	if err != nil {
		return nil, nil, err
	}
	b := body{
		Model: o.Model, Messages: messages, Effort: r.Reasoning.Effort,
		Temperature: number(r.Temperature), TopP: number(r.TopP), Frequency: number(r.FrequencyPenalty),
		Presence: number(r.PresencePenalty),
		Seed:     number(r.Seed), User: r.User, Stream: r.Stream, Format: encodeFormat(r.Format),
	}
	if model.TakesStop(o.Model) {
		b.Stop = r.Stop
	}
	b.addDefaulted(r, o)
	b.addLimit(r.MaxOutput, o)
	if r.Stream && !o.NoStreamOptions {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if err := b.addTools(r); err != nil {
		return nil, nil, err
	}
	// The upstream checks the client's schemas: they keep their bytes, with all faults.
	out, err = json.Marshal(b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
		jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, nil, fmt.Errorf("chat: encode request: %w", err)
	}
	return out, append(r.Lacking(conversation.UpstreamChat), dropped...), nil
}

// nameRule describes the names of functions that OpenAI accepts. Anthropic accepts longer names, and Gemini dots.
var nameRule = toolcall.NameRule{Symbols: "_-", MaxLength: 64}

// addDefaulted adds fields that can be left out if they have the default value. Many servers do not know
// them.
func (b *body) addDefaulted(r *conversation.Request, o Options) {
	if r.Verbosity != "medium" {
		b.Verbosity = r.Verbosity
	}
	b.Tier = o.Tier
	if b.Tier == "" && r.Tier != "auto" && r.Tier != "default" {
		b.Tier = r.Tier
	}
}

// addLimit adds the output cap under the name that the upstream knows. 0 is no cap.
func (b *body) addLimit(tokens int64, o Options) {
	switch limit := number(strconv.FormatInt(tokens, 10)); {
	case tokens == 0:
	case o.OldMaxTokens:
		b.MaxTokens = limit
	default:
		b.MaxCompletion = limit
	}
}

// addTools adds the tools, and the fields that are only allowed if there are tools.
func (b *body) addTools(r *conversation.Request) error {
	custom := make(map[string]bool, len(r.Tools))
	for i := range r.Tools {
		t, err := encodeTool(&r.Tools[i])
		if err != nil {
			return err
		}
		b.Tools = append(b.Tools, t)
		custom[r.Tools[i].Name] = r.Tools[i].Custom
	}
	if len(b.Tools) > 0 {
		b.ParallelCalls = r.ParallelCalls
	}
	if c := r.ToolChoice; len(b.Tools) > 0 || c.Mode == conversation.ToolChoiceRequired ||
		c.Mode == conversation.ToolChoiceNamed {
		b.ToolChoice = encodeChoice(c, custom)
	}
	return nil
}

// encodeTool returns the JSON form of a tool.
func encodeTool(t *conversation.Tool) (tool, error) {
	out := tool{Type: "function", Cache: jsontext.Value(t.Cache)}
	if !t.Custom {
		out.Function = &function{Name: t.Name, Description: t.Description, Parameters: jsontext.Value(t.Parameters),
			Strict: t.Strict}
		return out, nil
	}
	out.Type, out.Custom = "custom", &customTool{Name: t.Name, Description: t.Description}
	if t.Syntax == nil {
		return out, nil
	}
	var s syntax
	if err := json.Unmarshal(t.Syntax, &s, lenient); err != nil {
		return out, conversation.UnsupportedPath(t.Path + ".format")
	}
	if s.Type == "grammar" && s.Grammar == nil {
		s = syntax{Type: s.Type, Grammar: &grammar{s.Syntax, s.Definition}}
	}
	out.Custom.Syntax = &s
	return out, nil
}

// encodeChoice returns the JSON form of a tool choice, or nil for the provider's default. custom has the
// names of the tools that are custom, because the JSON names the type of each tool.
func encodeChoice(c conversation.ToolChoice, custom map[string]bool) *choice {
	choose := func(name string) toolChoice {
		if custom[name] {
			return toolChoice{Type: "custom", Custom: &toolName{name}}
		}
		return toolChoice{Type: "function", Function: &toolName{name}}
	}
	switch {
	case c.Mode == "":
		return nil
	case c.Mode == conversation.ToolChoiceNamed:
		return &choice{toolChoice: choose(c.Name)}
	case len(c.Allowed) == 0:
		return &choice{word: string(c.Mode)}
	}
	list := &allowedToolList{Mode: string(c.Mode)}
	for _, name := range c.Allowed {
		list.Tools = append(list.Tools, choose(name))
	}
	return &choice{toolChoice: toolChoice{Type: "allowed_tools", Allowed: list}}
}

// encodeFormat returns the JSON form of the format, or nil for plain text.
func encodeFormat(f conversation.Format) *format {
	switch f.Type {
	case conversation.FormatJSON:
		return &format{Type: string(f.Type)}
	case conversation.FormatSchema:
		return &format{Type: string(f.Type), Schema: &schema{f.Name, f.Description, jsontext.Value(f.Schema), f.Strict}}
	}
	return nil
}
