package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

type toolSet struct {
	Functions []functionDeclaration `json:"functionDeclarations"`
}

type functionDeclaration struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parametersJsonSchema,omitzero"`
}

// toolConfig restricts the functions that the model may call.
type toolConfig struct {
	Calling callingConfig `json:"functionCallingConfig"`
}

// callingConfig holds the calling mode and the functions that the model may call.
type callingConfig struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames,omitempty"`
}

// The function calling modes. VALIDATED is AUTO with a list of allowed functions.
const (
	modeAuto      = "AUTO"
	modeAny       = "ANY"
	modeNone      = "NONE"
	modeValidated = "VALIDATED"
)

// inputSchema is the schema of a custom tool, which takes free text. Gemini only has functions with JSON
// arguments, so the text is the only argument. The Decoder takes it out again.
const inputSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

// writeTools declares the functions and writes the tool choice.
func (e *encoder) writeTools() error {
	if err := e.writeToolChoice(); err != nil || len(e.request.Tools) == 0 {
		return err
	}
	functions := make([]functionDeclaration, 0, len(e.request.Tools))
	indexes := make(map[string]int, len(e.request.Tools)) // index in functions
	for i := range e.request.Tools {
		function := e.function(&e.request.Tools[i])
		if index, ok := indexes[function.Name]; !ok {
			indexes[function.Name] = len(functions)
			functions = append(functions, function)
		} else if o := functions[index]; o.Description != function.Description ||
			!bytes.Equal(o.Parameters, function.Parameters) {
			return problem.New(problem.InvalidType,
				"Another tool has the name %q. This model needs tools with different names.", e.request.Tools[i].Name).
				At(e.request.Tools[i].Path)
		}
	}
	e.out.Tools = []toolSet{{functions}}
	return nil
}

// function declares one tool. Gemini has no `strict`: how closely it follows the schema depends on the
// calling mode. Nor has it grammars of free text.
func (e *encoder) function(t *conversation.Tool) functionDeclaration {
	if t.Custom {
		return functionDeclaration{t.Name, t.DescriptionWithSyntax(), jsontext.Value(inputSchema)}
	}
	return functionDeclaration{t.Name, t.Description, e.schema(t.Parameters, e.parametersPath(t))}
}

// writeToolChoice writes the calling mode. It refuses a forced call if there are no tools.
func (e *encoder) writeToolChoice() error {
	choice := e.request.ToolChoice
	if len(e.request.Tools) == 0 {
		if choice.Mode == conversation.ToolChoiceRequired || choice.Mode == conversation.ToolChoiceNamed {
			return e.request.UnsupportedField(conversation.FieldToolChoice)
		}
		return nil
	}
	config := callingConfig{Allowed: choice.Allowed}
	switch choice.Mode {
	case conversation.ToolChoiceNone:
		config = callingConfig{Mode: modeNone}
	case conversation.ToolChoiceRequired:
		config.Mode = modeAny
	case conversation.ToolChoiceNamed:
		config = callingConfig{Mode: modeAny, Allowed: []string{choice.Name}}
	default:
		if config.Mode = modeAuto; len(config.Allowed) > 0 {
			config.Mode = modeValidated
		} else if choice.Mode == "" {
			return nil
		}
	}
	e.out.ToolConfig = &toolConfig{config}
	return nil
}
