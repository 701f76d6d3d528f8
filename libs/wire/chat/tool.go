package chat

import (
	"encoding/json"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// readTools reads the tools, and the functions, which is the older name of the field.
func (b *body) readTools(r *conversation.Request) error {
	for i, t := range b.Tools {
		tool, err := t.decode(param.Element("tools", i))
		if err != nil {
			return err
		}
		r.Tools = append(r.Tools, tool)
	}
	for i, f := range b.Functions {
		tool, err := f.decode(param.Element(functionsPath, i), param.Element(functionsPath, i)+".name")
		if err != nil {
			return err
		}
		r.Tools = append(r.Tools, tool)
	}
	if len(b.Functions) > 0 && r.ParallelCalls == nil { // a response can have one function_call only
		r.ParallelCalls = new(bool)
	}
	return nil
}

const functionsPath = "functions"

// wantsFunctionCall reports whether the client uses the older names and expects function_call in the
// response.
func wantsFunctionCall(r *conversation.Request) bool {
	return r != nil && len(r.Tools) > 0 && strings.HasPrefix(r.Tools[0].Path, functionsPath)
}

// decode reads one tool.
func (t *tool) decode(path string) (out conversation.Tool, err error) {
	switch {
	case t.Function != nil && (t.Type == "function" || t.Type == ""):
		out, err = t.Function.decode(path, path+".function.name")
		out.ObjectPath = ".function"
	case t.Custom == nil && t.Name != "" && (t.Type == "function" || t.Type == "custom" || t.Type == ""):
		return t.decodeFlat(path)
	case t.Type == "function":
		err = param.Missing(path + ".function")
	case t.Custom != nil && t.Type == "custom":
		out, err = t.Custom.decode(path)
		out.ObjectPath = ".custom"
	case t.Type == "custom":
		err = param.Missing(path + ".custom")
	case t.Type == "":
		err = param.Missing(path + ".type")
	default:
		err = conversation.UnsupportedPath(path)
	}
	out.Cache = json.RawMessage(given(t.Cache))
	return out, err
}

// decodeFlat reads a tool in the form of a responses request or of Anthropic's API.
func (t *tool) decodeFlat(path string) (out conversation.Tool, err error) {
	if t.Type == "custom" && len(t.InputSchema) == 0 { // of Anthropic's API, custom means a function
		out, err = (&customTool{Name: t.Name, Description: t.Description, Syntax: t.Syntax}).decode(path)
	} else {
		f := function{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict}
		if len(given(t.InputSchema)) > 0 {
			f.Parameters = t.InputSchema
		}
		out, err = f.decode(path, path+".name")
	}
	out.Cache = json.RawMessage(given(t.Cache))
	return out, err
}

// decode reads a function. namePath is the path of its name.
func (f *function) decode(path, namePath string) (conversation.Tool, error) {
	if f.Name == "" {
		return conversation.Tool{}, param.Missing(namePath)
	}
	return conversation.Tool{
		Name: f.Name, Description: f.Description, Parameters: json.RawMessage(given(f.Parameters)),
		Strict: f.Strict, Path: path,
	}, nil
}

// decode reads a custom tool. The grammar is converted into the form of conversation.Tool.
func (c *customTool) decode(path string) (conversation.Tool, error) {
	if c.Name == "" {
		return conversation.Tool{}, param.Missing(path + ".custom.name")
	}
	out := conversation.Tool{Name: c.Name, Description: c.Description, Custom: true, Path: path}
	if c.Syntax == nil || c.Syntax.Type == "text" {
		return out, nil
	}
	s := *c.Syntax
	if s.Grammar != nil {
		s.Syntax, s.Definition, s.Grammar = s.Grammar.Syntax, s.Grammar.Definition, nil
	}
	raw, err := jsonv2.Marshal(s)
	out.Syntax = raw
	return out, err
}

// readChoice reads tool_choice, or function_call, which was its name before.
func (b *body) readChoice(r *conversation.Request) (err error) {
	switch {
	case b.ToolChoice != nil:
		if b.ToolChoice.DisableParallel {
			r.ParallelCalls = new(bool)
		}
		r.ToolChoice, err = b.ToolChoice.decode("tool_choice")
	case b.FunctionCall != nil:
		r.ToolChoice, err = b.FunctionCall.decode("function_call")
	}
	return err
}

// decode reads a tool choice that is a word or an object.
func (c *choice) decode(path string) (conversation.ToolChoice, error) {
	switch word := conversation.ToolChoiceMode(c.word); word {
	case conversation.ToolChoiceAuto, conversation.ToolChoiceNone, conversation.ToolChoiceRequired:
		return conversation.ToolChoice{Mode: word}, nil
	case "":
		return c.toolChoice.decode(path)
	}
	return conversation.ToolChoice{}, param.Invalid(path, "auto, none, required or an object")
}

// decode reads a tool choice that is an object: one that names a tool or allows some, or one in Anthropic's form.
func (c *toolChoice) decode(path string) (conversation.ToolChoice, error) {
	switch c.Type {
	case "auto", "none":
		return conversation.ToolChoice{Mode: conversation.ToolChoiceMode(c.Type)}, nil
	case "any":
		return conversation.ToolChoice{Mode: conversation.ToolChoiceRequired}, nil
	case "function", "custom", "tool", "":
		if c.name() == "" {
			return conversation.ToolChoice{}, param.Missing(path + ".name")
		}
		return conversation.ToolChoice{Mode: conversation.ToolChoiceNamed, Name: c.name()}, nil
	case "allowed_tools":
		return c.Allowed.decode(path + ".allowed_tools")
	}
	return conversation.ToolChoice{}, conversation.UnsupportedPath(path)
}

// decode reads the tools that the model may call.
func (a *allowedToolList) decode(path string) (conversation.ToolChoice, error) {
	if a == nil || len(a.Tools) == 0 {
		return conversation.ToolChoice{}, param.Missing(path + ".tools")
	}
	choice := conversation.ToolChoice{Mode: conversation.ToolChoiceMode(a.Mode)}
	if choice.Mode != conversation.ToolChoiceAuto && choice.Mode != conversation.ToolChoiceRequired {
		return choice, param.Invalid(path+".mode", "auto or required")
	}
	for i, t := range a.Tools {
		if t.name() == "" {
			return choice, conversation.UnsupportedPath(param.Element(path+".tools", i))
		}
		choice.Allowed = append(choice.Allowed, t.name())
	}
	return choice, nil
}
