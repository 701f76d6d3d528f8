package responses

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// A namespace groups tools. The names of tools are unique only within their namespace. Other dialects have no
// namespaces, so a tool's name there is the namespace and the name, joined by "__". The Encoder splits it again.

// qualified returns the joined name of a tool. The namespace is "" for a tool without a namespace.
func qualified(space, name string) string {
	if space == "" {
		return name
	}
	return space + "__" + name
}

// toolList collects the tools of a request while they are read.
type toolList struct {
	tools  []conversation.Tool
	spaces map[string]string // namespaces by the tools' joined names
}

// add reads a tool, or all tools of a namespace. The description of the namespace is put before the
// description of its first tool, so that the model still sees it.
func (l *toolList) add(t *toolBody, path string) error {
	if t.Type != namespace {
		return l.addTo("", t, path)
	}
	if t.Name == "" {
		return param.Missing(path + ".name")
	}
	start := len(l.tools)
	for i := range t.Tools {
		if err := l.addTo(t.Name, &t.Tools[i], param.Element(path+".tools", i)); err != nil {
			return err
		}
	}
	if len(l.tools) > start {
		l.tools[start].Description = strings.TrimSpace(t.Description + "\n\n" + l.tools[start].Description)
	}
	return nil
}

// addTo reads a tool of a namespace. It refuses a tool whose joined name a tool of another namespace has
// already.
func (l *toolList) addTo(space string, t *toolBody, path string) error {
	tool, err := t.read(path)
	if err != nil {
		return err
	}
	tool.Name, tool.Namespace = qualified(space, tool.Name), space
	if owner, ok := l.spaces[tool.Name]; ok && owner != space {
		return conversation.UnsupportedPath(path)
	}
	l.spaces[tool.Name] = space
	l.tools = append(l.tools, tool)
	return nil
}

// spacesOf returns the namespaces of the tools that have one, by the tools' joined names.
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
