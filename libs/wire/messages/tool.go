package messages

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// The API has functions alone. A tool that takes free text is one with a
// single string, which Decoder takes out of its object again.
var (
	freeTextSchema = jsontext.Value(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)
	emptySchema    = jsontext.Value(`{"type":"object"}`)
	emptyInput     = jsontext.Value(`{}`)
)

// freeText is the input of a tool with the freeTextSchema.
type freeText struct {
	Input *string `json:"input"`
}

// tools are those that may be called: where the client allows some of them
// only, there is no other way to say so than to send no more.
func (e *encoder) tools() error {
	allowed := e.r.ToolChoice.Allowed
	for _, t := range e.r.Tools {
		if len(allowed) > 0 && !slices.Contains(allowed, t.Name) {
			continue
		}
		out, err := toolOf(t)
		if err != nil {
			return err
		}
		e.out.Tools = append(e.out.Tools, out)
	}
	return e.toolChoice()
}

func toolOf(t conversation.Tool) (tool, error) {
	out := tool{
		Name: t.Name, Description: t.Description, InputSchema: jsontext.Value(t.Parameters),
		Strict: t.Strict != nil && *t.Strict, CacheControl: jsontext.Value(t.Cache),
	}
	switch {
	case t.Custom && !isPlain(t.Syntax):
		return tool{}, conversation.UnsupportedPath(t.Path)
	case t.Custom:
		out.InputSchema = freeTextSchema
	case len(out.InputSchema) == 0 || string(out.InputSchema) == "null" || isEmptyObject(out.InputSchema):
		out.InputSchema = emptySchema
	}
	return out, nil
}

// isPlain reports whether the syntax of a custom tool asks for no grammar.
func isPlain(syntax []byte) bool {
	var s struct {
		Type string `json:"type"`
	}
	return len(syntax) == 0 || json.Unmarshal(syntax, &s) == nil && s.Type == "text"
}

// isEmptyObject reports whether raw is an object without members.
func isEmptyObject(raw []byte) bool {
	inside, isObject := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("{"))
	return isObject && string(bytes.TrimSpace(inside)) == "}"
}

// mayForce reports whether the model may be told that it must call a tool: one
// that is given a budget to think within may not.
func (e *encoder) mayForce() bool {
	return len(e.out.Tools) > 0 && e.model.forced && (e.out.Thinking == nil || e.out.Thinking.BudgetTokens == 0)
}

func (e *encoder) toolChoice() error {
	choice := e.r.ToolChoice.Mode
	if (choice == conversation.ToolChoiceRequired || choice == conversation.ToolChoiceNamed) && !e.mayForce() {
		return e.r.UnsupportedField(conversation.FieldToolChoice)
	}
	if len(e.out.Tools) == 0 {
		return nil // the API takes no choice among none
	}
	out := toolChoice{DisableParallel: e.r.ParallelCalls != nil && !*e.r.ParallelCalls}
	switch choice {
	case "":
		if !out.DisableParallel {
			return nil
		}
		out.Type = "auto"
	case conversation.ToolChoiceAuto:
		out.Type = "auto"
	case conversation.ToolChoiceRequired:
		out.Type = "any"
	case conversation.ToolChoiceNamed:
		out.Type, out.Name = "tool", e.r.ToolChoice.Name
	case conversation.ToolChoiceNone:
		out = toolChoice{Type: "none"}
	default:
		return e.r.UnsupportedField(conversation.FieldToolChoice)
	}
	e.out.ToolChoice = &out
	return nil
}
