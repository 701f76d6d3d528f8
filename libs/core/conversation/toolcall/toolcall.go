// Package toolcall adapts the calls of tools and their results to the API of an upstream: it renames tools whose names
// the API does not accept, maps the names back in the answer, and labels contents of results that the API accepts only
// outside of results.
package toolcall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// NameRule describes the names of tools that an API accepts: ASCII letters, digits, and the characters of Symbols.
type NameRule struct {
	Symbols     string
	LetterFirst bool // a name begins with a letter or _
	MaxLength   int
}

// acceptedName returns the name if the API accepts it, else a similar name that the API accepts.
func (rule NameRule) acceptedName(name string) string {
	name = strings.Map(func(r rune) rune {
		if isLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune(rule.Symbols, r) {
			return r
		}
		return '_'
	}, name)
	if name == "" || rule.LetterFirst && !isLetter(rune(name[0])) && name[0] != '_' {
		name = "_" + name
	}
	return conversation.ShortID(name, rule.MaxLength)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// Names maps names of tools or properties to other names. nil changes no name.
type Names map[string]string

// Replace returns the other name for a name, or the name itself if there is no other name.
func (n Names) Replace(name string) string {
	if alias := n[name]; alias != "" {
		return alias
	}
	return name
}

// Inverse returns the names in the other direction.
func (n Names) Inverse() Names {
	if n == nil {
		return nil
	}
	inverse := make(Names, len(n))
	for name, alias := range n {
		inverse[alias] = name
	}
	return inverse
}

// ClientNames maps the names of tools that the upstream gets in a renamed request (Rename) to the client's. It is for
// the decoder of the response. It returns nil if the rule accepts all names, or if there is no request.
func ClientNames(r *conversation.Request, rule NameRule) Names {
	if r == nil {
		return nil
	}
	return rule.Names(namesIn(r)).Inverse()
}

// Names maps each name of the list to a name that the rule accepts. It returns nil if the rule accepts all of them. A
// name that the rule accepts does not change, and no two names become the same.
func (rule NameRule) Names(list []string) Names {
	isRefused := func(name string) bool { return rule.acceptedName(name) != name }
	if !slices.ContainsFunc(list, isRefused) {
		return nil
	}
	names := Names{}
	next := map[string]int{} // by name: the number to try next for another name of this form
	for _, name := range list {
		if !isRefused(name) {
			names[name], next[name] = name, 2
		}
	}
	for _, name := range list {
		if names[name] != "" {
			continue
		}
		base := rule.acceptedName(name)
		unique, n := base, max(next[base], 2)
		for next[unique] > 0 {
			unique = conversation.ShortID(fmt.Sprintf("%s_%d", base, n), rule.MaxLength)
			n++
		}
		names[name], next[base], next[unique] = unique, n, max(next[unique], 2)
	}
	return names
}

// namesIn returns the names of the tools that the request declares, and of those that its messages call.
func namesIn(r *conversation.Request) []string {
	names := make([]string, 0, len(r.Tools))
	for i := range r.Tools {
		names = append(names, r.Tools[i].Name)
	}
	for i := range r.Messages {
		for j := range r.Messages[i].Parts {
			if p := &r.Messages[i].Parts[j]; p.Type == conversation.PartToolCall {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// Rename returns the request with names that the rule accepts. It is r itself if the rule accepts all of them, else a
// copy.
func Rename(r *conversation.Request, rule NameRule) *conversation.Request {
	names := rule.Names(namesIn(r))
	if names == nil {
		return r
	}
	out := *r
	out.ToolChoice.Name = names.Replace(r.ToolChoice.Name)
	out.ToolChoice.Allowed = slices.Clone(r.ToolChoice.Allowed)
	for i, name := range out.ToolChoice.Allowed {
		out.ToolChoice.Allowed[i] = names.Replace(name)
	}
	out.Tools = slices.Clone(r.Tools)
	for i := range out.Tools {
		out.Tools[i].Name = names.Replace(out.Tools[i].Name)
	}
	out.Messages = slices.Clone(r.Messages)
	for i := range out.Messages {
		m := &out.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			if m.Parts[j].Type == conversation.PartToolCall {
				m.Parts[j].Name = names.Replace(m.Parts[j].Name)
			}
		}
	}
	return &out
}

// LabelContents returns the contents of the result p after a text that says to which call they belong, nil for no
// contents. It is for upstreams that accept such contents not in results, but in a user's message after the results.
func LabelContents(p *conversation.Part, contents []conversation.Part) []conversation.Part {
	if len(contents) == 0 {
		return nil
	}
	return append([]conversation.Part{{Type: conversation.PartText, Path: p.Path,
		Text: "From the result of the call " + p.CallID + ":"}}, contents...)
}
