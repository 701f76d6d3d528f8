package chat

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
)

// Options are what an upstream's body depends on beside the request.
type Options struct {
	Model string // the upstream's name of it

	OldMaxTokens    bool // see catalog.OldMaxTokens
	NoDeveloper     bool // see catalog.NoDeveloper
	NoStreamOptions bool // see catalog.NoStreamOptions
	// KeepReasoning, see catalog.WantsReasoning, go back to the upstream as reasoning_content. Some models with
	// thinking refuse a conversation with calls without it, OpenAI has no field
	// for it, and stricter servers refuse the unknown one: so they are left out
	// unless this is set.
	KeepReasoning bool
}

// OptionsOf returns the options of a channel's settings.
func OptionsOf(model string, s *catalog.Settings) Options {
	return Options{
		Model:        model,
		OldMaxTokens: s.Has(catalog.OldMaxTokens), NoDeveloper: s.Has(catalog.NoDeveloper), NoStreamOptions: s.Has(catalog.NoStreamOptions),
		KeepReasoning: s.Has(catalog.WantsReasoning),
	}
}

// EncodeRequest writes the body for an upstream that speaks chat completions.
// Its errors are UnsupportedParameter problems that name what that has no place
// for. Left out knowingly are the hints that stricter servers refuse and that
// change nothing of an answer: metadata, store, the cache key, a verbosity or
// tier that is the default, that a call or a result is to be cached; the wish
// for a summary of the reasoning, because servers that reason send it unasked;
// and seals of thoughts.
func EncodeRequest(r *conversation.Request, o Options) ([]byte, error) {
	if err := r.CheckTranslatable(); err != nil {
		return nil, err
	}
	if r.Truncation == "auto" {
		return nil, r.UnsupportedField(conversation.FieldTruncation)
	}
	messages, err := encodeMessages(r.Messages, o)
	if err != nil {
		return nil, err
	}
	b := body{
		Model: o.Model, Messages: messages, Effort: r.Reasoning.Effort,
		Temperature: number(r.Temperature), TopP: number(r.TopP), Frequency: number(r.FrequencyPenalty), Presence: number(r.PresencePenalty),
		Seed: number(r.Seed), Stop: r.Stop, User: r.User, Stream: r.Stream, Format: encodeFormat(r.Format),
	}
	b.addDefaulted(r)
	b.addLimit(r.MaxOutput, o)
	if r.Stream && !o.NoStreamOptions {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if err := b.addTools(r); err != nil {
		return nil, err
	}
	// The upstream judges the client's schemas: they are written as they came.
	body, err := json.Marshal(b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, fmt.Errorf("chat: encode request: %w", err)
	}
	return body, nil
}

// addDefaulted adds what may as well be left out where it is the default.
func (b *body) addDefaulted(r *conversation.Request) {
	if r.Verbosity != "medium" {
		b.Verbosity = r.Verbosity
	}
	if r.Tier != "auto" && r.Tier != "default" {
		b.Tier = r.Tier
	}
}

func (b *body) addLimit(tokens int64, o Options) {
	switch limit := number(strconv.FormatInt(tokens, 10)); {
	case tokens == 0:
	case o.OldMaxTokens:
		b.MaxTokens = limit
	default:
		b.MaxCompletion = limit
	}
}

// addTools adds the tools, and what is only allowed beside some.
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
	if c := r.ToolChoice; len(b.Tools) > 0 || c.Mode == conversation.ToolChoiceRequired || c.Mode == conversation.ToolChoiceNamed {
		b.ToolChoice = encodeChoice(c, custom)
	}
	return nil
}

func encodeTool(t *conversation.Tool) (tool, error) {
	made := tool{Type: "function", Cache: jsontext.Value(t.Cache)}
	if !t.Custom {
		made.Function = &function{Name: t.Name, Description: t.Description, Parameters: jsontext.Value(t.Parameters), Strict: t.Strict}
		return made, nil
	}
	made.Type, made.Custom = "custom", &custom{Name: t.Name, Description: t.Description}
	if t.Syntax == nil {
		return made, nil
	}
	var s syntax
	if err := json.Unmarshal(t.Syntax, &s); err != nil {
		return made, conversation.UnsupportedPath(t.Path + ".format")
	}
	if s.Type == "grammar" && s.Grammar == nil {
		s = syntax{Type: s.Type, Grammar: &grammar{s.Syntax, s.Definition}}
	}
	made.Custom.Syntax = &s
	return made, nil
}

// encodeChoice names tools as what they are, of which custom tells.
func encodeChoice(c conversation.ToolChoice, custom map[string]bool) *choice {
	choose := func(name string) toolChoice {
		if custom[name] {
			return toolChoice{Type: "custom", Custom: &named{name}}
		}
		return toolChoice{Type: "function", Function: &named{name}}
	}
	switch {
	case c.Mode == "":
		return nil
	case c.Mode == conversation.ToolChoiceNamed:
		return &choice{toolChoice: choose(c.Name)}
	case len(c.Allowed) == 0:
		return &choice{word: string(c.Mode)}
	}
	only := &allowed{Mode: string(c.Mode)}
	for _, name := range c.Allowed {
		only.Tools = append(only.Tools, choose(name))
	}
	return &choice{toolChoice: toolChoice{Type: "allowed_tools", Allowed: only}}
}

func encodeFormat(f conversation.Format) *format {
	switch f.Type {
	case conversation.FormatJSON:
		return &format{Type: string(f.Type)}
	case conversation.FormatSchema:
		return &format{Type: string(f.Type), Schema: &schema{f.Name, f.Description, jsontext.Value(f.Schema), f.Strict}}
	}
	return nil
}
