package responses

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// A namespace groups tools, whose names are unique within it alone. Other
// dialects have no groups: there a tool bears both names as one.

// qualified returns the one name of a tool. The namespace is "" for none.
func qualified(space, name string) string {
	if space == "" {
		return name
	}
	return space + "__" + name
}

// toolList is the tools of a request as they are read.
type toolList struct {
	tools  []conversation.Tool
	spaces map[string]string // namespace by qualified name
}

// add reads a tool, or the tools of a namespace.
func (l *toolList) add(t *toolBody, path string) error {
	if t.Type != namespace {
		return l.addTo("", t, path)
	}
	if t.Name == "" {
		return missing(path + ".name")
	}
	first := len(l.tools)
	for i := range t.Tools {
		if err := l.addTo(t.Name, &t.Tools[i], at(path+".tools", i)); err != nil {
			return err
		}
	}
	if len(l.tools) > first { // the model is to see what the group is for
		l.tools[first].Description = strings.TrimSpace(t.Description + "\n\n" + l.tools[first].Description)
	}
	return nil
}

// addTo refuses a tool whose one name another one has by way of its group.
func (l *toolList) addTo(space string, t *toolBody, path string) error {
	tool, err := t.read(path)
	if err != nil {
		return err
	}
	tool.Name, tool.Namespace = qualified(space, tool.Name), space
	if other, taken := l.spaces[tool.Name]; taken && other != space {
		return conversation.UnsupportedPath(path)
	}
	l.spaces[tool.Name] = space
	l.tools = append(l.tools, tool)
	return nil
}

// spacesOf returns the namespaces of the tools that are in one, by name.
func spacesOf(r *conversation.Request) map[string]string {
	if r == nil {
		return nil
	}
	var spaces map[string]string
	for i := range r.Tools {
		if t := &r.Tools[i]; t.Namespace != "" {
			if spaces == nil {
				spaces = map[string]string{}
			}
			spaces[t.Name] = t.Namespace
		}
	}
	return spaces
}
