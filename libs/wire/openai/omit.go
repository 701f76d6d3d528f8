package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// providerTools are the types of tools that a provider runs, without the date that some of them end with.
var providerTools = []string{
	"web_search", "web_search_preview", "web_fetch", "x_search", "browser_search", "openrouter:web_search",
	"google_search",
	"file_search", "code_interpreter", "code_execution", "image_generation", "mcp",
}

// omission describes the tools that WithoutOptionalTools omits, and the other parts of the request that concern only
// these tools.
type omission struct {
	// members are the top-level members that change, with their new values. null removes the member.
	members map[string]json.RawMessage
	// tools and include are the indices, in ascending order, of the elements that the new values of these members omit.
	tools, include []int
	types          []string // of the tools, each once
}

// WithoutOptionalTools returns a copy of the request that omits the tools that the provider runs, if the client leaves
// them optional, and the paths of these tools. It returns the request itself and no paths if it has no such tool, or if
// tool_choice requires one. The copy also omits values of tool_choice, include and max_tool_calls that concern only
// these tools. It shares everything else with the request.
func (r *Request) WithoutOptionalTools() (request *Request, paths []string) {
	if !r.chargeSigns.types {
		return r, nil
	}
	omitted := omission{members: map[string]json.RawMessage{}}
	var tools []json.RawMessage // those that stay
	r.elements(r.tools, func(i int, tool rawjson.Span) {
		kind := r.providerTool(tool)
		if kind == "" {
			tools = append(tools, tool.Of(r.body))
			return
		}
		omitted.tools = append(omitted.tools, i)
		if !slices.Contains(omitted.types, kind) {
			omitted.types = append(omitted.types, kind)
		}
	})
	members := r.Members("tool_choice", "functions", "include", "max_tool_calls", "parallel_tool_calls")
	hasTools := len(tools) > 0 || len(members["functions"]) > 0 && !isEmptyArray(members["functions"])
	if len(omitted.types) == 0 || !omitted.omitFromToolChoice(members["tool_choice"], r.dialect, hasTools) {
		return r, nil
	}
	omitted.members[toolsField] = listOf(tools)
	omitted.omitMembers(members, "max_tool_calls")
	if !hasTools {
		omitted.omitMembers(members, "tool_choice", "parallel_tool_calls")
	}
	if r.dialect == catalog.Responses {
		omitted.omitFromInclude(members["include"])
	}
	clone := *r
	clone.omission, clone.Tools, clone.MaxToolCalls, clone.NoToolCalls = &omitted, hasTools, 0, false
	clone.Charges = slices.DeleteFunc(slices.Clone(r.Charges), omitted.hasCharge)
	return &clone, clone.Ignored()
}

// Ignored returns the client's paths of the parts that the request lacks: those of MarkConverted, or the tools that
// WithoutOptionalTools omits. It is nil for none.
func (r *Request) Ignored() (paths []string) {
	if r.omission == nil {
		return r.ignored
	}
	for _, i := range r.omission.tools {
		paths = append(paths, param.Element(toolsField, i))
	}
	return paths
}

// providerTool returns the type of a tool that a provider runs, and "" for any other tool.
func (r *Request) providerTool(tool rawjson.Span) string {
	value, ok := r.member(tool, "type")
	if !ok {
		return ""
	}
	name := string(rawjson.Text(value.Of(r.body)))
	switch {
	case name == "shell" && r.memberText(tool, "environment", "type") != "local", name == "tool_search" &&
		r.memberText(tool, "execution") != "client":
		return name
	case isProviderTool(name):
		return name
	}
	return ""
}

// isProviderTool reports whether the provider runs all tools of the type.
func isProviderTool(name string) bool {
	return slices.Contains(providerTools, undated(name))
}

// undated returns the name of a type without the date at its end.
func undated(name string) string { return strings.TrimRight(name, "_0123456789") }

// memberText returns the string at a path of members in an object, "" if there is none.
func (r *Request) memberText(object rawjson.Span, path ...string) string {
	for _, name := range path {
		inner, ok := r.member(object, name)
		if !ok {
			return ""
		}
		object = inner
	}
	return string(rawjson.Text(object.Of(r.body)))
}

// listOf returns an array with the bytes of its elements unchanged, and null for an array without elements.
func listOf(elements []json.RawMessage) json.RawMessage {
	if len(elements) == 0 {
		return json.RawMessage("null")
	}
	list := []byte{'['}
	for i, element := range elements {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, element...)
	}
	return append(list, ']')
}

// omitMembers omits those top-level members with the names that the request has.
func (o *omission) omitMembers(members map[string]json.RawMessage, names ...string) {
	for _, name := range names {
		if _, ok := members[name]; ok {
			o.members[name] = json.RawMessage("null")
		}
	}
}

// omitFromInclude omits the values of include that ask for parts of the output of the tools, such as
// web_search_call.action.sources.
func (o *omission) omitFromInclude(include json.RawMessage) {
	var values []json.RawMessage
	if json.Unmarshal(include, &values) != nil { // absent, or the upstream or its codec refuses it
		return
	}
	var elements []json.RawMessage // those that stay
	for i, value := range values {
		call, _, isCall := strings.Cut(string(rawjson.Text(value)), "_call.")
		if isCall && slices.ContainsFunc(o.types,
			func(kind string) bool { return call == strings.TrimSuffix(undated(kind), "_preview") }) {
			o.include = append(o.include, i)
		} else {
			elements = append(elements, value)
		}
	}
	if len(o.include) > 0 {
		o.members["include"] = listOf(elements)
	}
}

// hasCharge reports whether the charge is for an omitted tool.
func (o *omission) hasCharge(c charge.Charge) bool {
	i, _, ok := indexIn(c.Field, toolsField)
	return ok && slices.Contains(o.tools, i)
}

// indexIn returns the index in a path into an array, such as 8 for tools[8].type, and the rest of the path after it.
func indexIn(path, array string) (index int, tail string, ok bool) {
	part, ok := strings.CutPrefix(path, array+"[")
	if !ok {
		return 0, "", false
	}
	digits, tail, _ := strings.Cut(part, "]")
	index, err := strconv.Atoi(digits)
	return index, tail, err == nil
}

// clientPath returns the path in the client's request for a path into the request that omits the tools.
func (o *omission) clientPath(path string) string {
	for array, omitted := range map[string][]int{toolsField: o.tools, "include": o.include} {
		index, tail, ok := indexIn(path, array)
		if !ok {
			continue
		}
		for _, before := range omitted {
			if before <= index {
				index++
			}
		}
		return param.Element(array, index) + tail
	}
	return path
}

// apply changes the members in a body, except those that the channel sets by its parameters.
func (o *omission) apply(body rawjson.Body, parameters map[string]json.RawMessage) (rawjson.Body, error) {
	members := maps.Clone(o.members)
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { _, set := parameters[name]; return set })
	body, err := body.WithParameters(members)
	return body, asProblem(err)
}
