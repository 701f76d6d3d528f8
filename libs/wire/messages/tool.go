package messages

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// The API only has functions with JSON arguments. A custom tool, which takes free text, is declared as a function with
// one string argument. The Decoder unwraps the string again.
var (
	freeTextSchema = jsontext.Value(
		`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)
	emptySchema = jsontext.Value(`{"type":"object"}`)
	closedEmpty = jsontext.Value(`{"type":"object","additionalProperties":false}`)
	emptyInput  = jsontext.Value(`{}`)
)

// freeText represents the input of a tool that is declared with freeTextSchema.
type freeText struct {
	Input *string `json:"input"`
}

// tools declares the tools. If the client allows only some of them, only these are declared, because the API
// has no other way to express this.
func (e *encoder) tools() error {
	names := e.r.ToolChoice.Allowed
	isAllowed := make(map[string]bool, len(names))
	for _, name := range names {
		isAllowed[name] = true
	}
	indexes := make(map[string]int, len(e.r.Tools)) // index in e.out.Tools
	for _, t := range e.r.Tools {
		if len(names) > 0 && !isAllowed[t.Name] {
			continue
		}
		out, err := e.toolOf(&t)
		if err != nil {
			return err
		}
		if index, ok := indexes[out.Name]; !ok {
			indexes[out.Name] = len(e.out.Tools)
			e.out.Tools = append(e.out.Tools, out)
		} else if o := e.out.Tools[index]; o.Description != out.Description ||
			!bytes.Equal(o.InputSchema, out.InputSchema) {
			return problem.New(problem.InvalidType,
				"Another tool has the name %q. This model needs tools with different names.", t.Name).At(t.Path)
		}
	}
	return e.toolChoice()
}

// toolOf returns the declaration of a tool. The API requires a schema with the type object, so an empty one
// becomes the smallest valid schema, and one without a type gets it.
func (e *encoder) toolOf(t *conversation.Tool) (out tool, err error) {
	out = tool{
		Name: t.Name, Description: t.Description, InputSchema: jsontext.Value(t.Parameters),
		Strict: t.Strict != nil && *t.Strict, CacheControl: jsontext.Value(t.Cache),
	}
	switch {
	case t.Custom: // the API has no grammars
		out.Description, out.InputSchema = t.DescriptionWithSyntax(), freeTextSchema
	case len(out.InputSchema) == 0 || string(out.InputSchema) == "null" || isEmptyObject(out.InputSchema):
		if out.InputSchema = emptySchema; out.Strict {
			out.InputSchema = closedEmpty
		}
	default:
		var keys toolcall.Names
		if out.InputSchema, keys, err = objectSchemaOf(out.InputSchema,
			t.Path+parametersKey(e.r.Client, t.Path)); keys != nil {
			e.keys[t.Name] = keys
		}
		if err == nil && out.Strict {
			out.InputSchema, err = closedSchema(out.InputSchema, t.Path+parametersKey(e.r.Client, t.Path))
		}
	}
	return out, err
}

// parametersKey returns the path of a function's parameters below the client's tool.
func parametersKey(client conversation.ClientDialect, path string) string {
	if client == conversation.ClientChat && strings.HasPrefix(path, "tools") {
		return ".function.parameters"
	}
	return ".parameters"
}

// isEmptyObject reports whether raw is an object without members.
func isEmptyObject(raw []byte) bool {
	body, isObject := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("{"))
	return isObject && string(bytes.TrimSpace(body)) == "}"
}

// isCallForced reports whether the client forces the model to call a tool.
func (e *encoder) isCallForced() bool {
	choice := e.r.ToolChoice.Mode
	return choice == conversation.ToolChoiceRequired || choice == conversation.ToolChoiceNamed
}

// toolChoice writes the tool choice and whether calls may be parallel.
func (e *encoder) toolChoice() error {
	choice := e.r.ToolChoice.Mode
	if e.isCallForced() && (len(e.out.Tools) == 0 || !e.model.forceable) {
		return e.r.UnsupportedField(conversation.FieldToolChoice)
	}
	if len(e.out.Tools) == 0 {
		return nil // the API refuses a tool choice without tools
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
