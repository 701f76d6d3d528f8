package responses

import (
	stdjson "encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// toolBody represents any tool of a request.
type toolBody struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      *bool          `json:"strict"`
	Format      jsontext.Value `json:"format"`
	Tools       []toolBody     `json:"tools"` // the tools of a namespace
}

// readTools reads the tools and the tool choice.
func (b *requestBody) readTools(r *conversation.Request) error {
	list := toolList{spaces: map[string]string{}}
	for i := range b.Tools {
		if err := list.add(&b.Tools[i], param.Element("tools", i)); err != nil {
			return err
		}
	}
	r.Tools = list.tools
	return b.readChoice(r)
}

// read reads a function or a custom tool.
func (t *toolBody) read(path string) (tool conversation.Tool, err error) {
	switch t.Type {
	case function, custom:
	case "":
		return tool, param.Missing(path + ".type")
	default: // a tool that the provider runs itself
		return tool, conversation.UnsupportedPath(path)
	}
	if t.Name == "" {
		return tool, param.Missing(path + ".name")
	}
	tool = conversation.Tool{Name: t.Name, Description: t.Description, Path: path, Custom: t.Type == custom}
	if tool.Custom {
		return tool, readObject(t.Format, path+".format", &tool.Syntax)
	}
	tool.Strict = t.Strict
	return tool, readObject(t.Parameters, path+".parameters", &tool.Parameters)
}

// readObject sets the target to the bytes of an object. A missing object leaves the target as it is.
func readObject(raw jsontext.Value, path string, target *stdjson.RawMessage) error {
	if !param.Given(raw) {
		return nil
	}
	if raw.Kind() != '{' {
		return param.Invalid(path, "an object")
	}
	*target = stdjson.RawMessage(raw)
	return nil
}

// choiceBody represents a tool_choice that is an object.
type choiceBody struct {
	Type  string     `json:"type"`
	Name  string     `json:"name"`
	Mode  string     `json:"mode"`
	Tools []toolBody `json:"tools"`
}

// readChoice reads tool_choice.
func (b *requestBody) readChoice(r *conversation.Request) error {
	const path = "tool_choice"
	if !param.Given(b.ToolChoice) {
		return nil
	}
	if b.ToolChoice.Kind() == '"' {
		var word string
		if err := read(b.ToolChoice, path, &word); err != nil {
			return err
		}
		return readMode(word, path, &r.ToolChoice.Mode)
	}
	var choice choiceBody
	if err := read(b.ToolChoice, path, &choice); err != nil {
		return err
	}
	switch choice.Type {
	case function, custom:
		r.ToolChoice = conversation.ToolChoice{Mode: conversation.ToolChoiceNamed, Name: choice.Name}
		if choice.Name == "" {
			return param.Missing(path + ".name")
		}
		return nil
	case allowedTools:
		return choice.readAllowed(&r.ToolChoice)
	case "":
		return param.Missing(path + ".type")
	}
	return conversation.UnsupportedPath(path)
}

// readAllowed reads a tool choice that allows only some tools.
func (c *choiceBody) readAllowed(target *conversation.ToolChoice) error {
	for i, t := range c.Tools {
		path := param.Element("tool_choice.tools", i)
		if t.Type != function && t.Type != custom {
			return conversation.UnsupportedPath(path)
		}
		if t.Name == "" {
			return param.Missing(path + ".name")
		}
		target.Allowed = append(target.Allowed, t.Name)
	}
	if len(target.Allowed) == 0 {
		return param.Missing("tool_choice.tools")
	}
	return readMode(c.Mode, "tool_choice.mode", &target.Mode)
}

// readMode reads a tool choice that is a word.
func readMode(word, path string, target *conversation.ToolChoiceMode) error {
	choices := []conversation.ToolChoiceMode{conversation.ToolChoiceAuto, conversation.ToolChoiceNone,
		conversation.ToolChoiceRequired}
	if !slices.Contains(choices, conversation.ToolChoiceMode(word)) {
		return param.Invalid(path, "one of 'none', 'auto' and 'required'")
	}
	*target = conversation.ToolChoiceMode(word)
	return nil
}
