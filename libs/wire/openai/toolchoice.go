package openai

import (
	"encoding/json"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// allowedTools is the type of a tool_choice that allows only some of the tools, and the member that has them in a chat.
const allowedTools = "allowed_tools"

// omitFromToolChoice reports whether the client leaves it to the model whether it calls tools that the provider runs.
// If so, the new tool_choice omits the tools of this kind. hasTools reports whether the request has other tools. The
// result is false if a call of any tool is required: without the omitted tools the model would have to call another
// one. It is false for a malformed tool_choice, too, so that the request is refused as it is.
func (o *omission) omitFromToolChoice(raw json.RawMessage, dialect catalog.Dialect, hasTools bool) bool {
	switch string(raw) {
	case "", "null", `"auto"`, `"none"`:
		return true
	}
	var choice struct {
		Type string `json:"type"`
	}
	if !rawjson.IsObject(raw) || json.Unmarshal(raw, &choice) != nil {
		return false
	}
	switch choice.Type {
	case "function", "custom", "": // a chat may leave the type out
		return true
	case "auto", "none": // of a messages request
		return dialect == catalog.Messages
	case allowedTools:
		return o.omitFromAllowed(raw, dialect, hasTools)
	}
	return false
}

// omitFromAllowed does the same for a tool_choice that allows only some of the tools. If all allowed tools are omitted,
// the model may call none of the others.
func (o *omission) omitFromAllowed(raw json.RawMessage, dialect catalog.Dialect, hasTools bool) bool {
	list := raw
	if dialect == catalog.Chat { // the dialect has the list one level deeper
		var outer map[string]json.RawMessage
		if json.Unmarshal(raw, &outer) != nil {
			return false
		}
		list = outer[allowedTools]
	}
	var choice struct {
		Mode  string            `json:"mode"`
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(list, &choice) != nil {
		return false
	}
	tools := o.withoutOmitted(choice.Tools)
	switch {
	case len(tools) == len(choice.Tools):
		return true
	case choice.Mode != "auto":
		return false
	case len(tools) == 0 && hasTools:
		o.members["tool_choice"] = json.RawMessage(`"none"`)
		return true
	case len(tools) == 0:
		return true
	}
	return o.setAllowed(raw, list, listOf(tools))
}

// withoutOmitted returns the elements that do not name an omitted tool.
func (o *omission) withoutOmitted(tools []json.RawMessage) (elements []json.RawMessage) {
	for _, tool := range tools {
		var t struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(tool, &t) // the codec refuses another value
		if !slices.Contains(o.types, t.Type) {
			elements = append(elements, tool)
		}
	}
	return elements
}

// setAllowed sets the tool_choice to raw with other allowed tools. list is the object in raw that has them: raw itself,
// or a member of it. It reports whether raw is well-formed.
func (o *omission) setAllowed(raw, list, tools json.RawMessage) bool {
	value, err := withMember(list, "tools", tools)
	if err == nil && len(list) != len(raw) {
		value, err = withMember(raw, allowedTools, value)
	}
	o.members["tool_choice"] = value
	return err == nil
}

// withMember returns the object with another value of a member.
func withMember(object json.RawMessage, name string, value json.RawMessage) (json.RawMessage, error) {
	d, err := rawjson.NewDraft(object)
	if err != nil {
		return nil, err
	}
	d.Set(name, value)
	return d.Finish().Bytes(), nil
}
