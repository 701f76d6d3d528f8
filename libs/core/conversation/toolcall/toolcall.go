// Package toolcall adapts the calls of tools and their results to what the API of an upstream accepts: the names of
// tools, which are mapped back in its answer, and contents of results that it takes only outside of results.
package toolcall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// NameRule describes the names of tools that an API accepts: ASCII letters, digits, and the characters of Other.
type NameRule struct {
	Other  string
	Letter bool // a name begins with a letter or _
	Most   int  // greatest length
}

// accepted returns a name that the API accepts in the place of another: the same if it accepts that.
func (rule NameRule) accepted(name string) string {
	name = strings.Map(func(r rune) rune {
		if isLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune(rule.Other, r) {
			return r
		}
		return '_'
	}, name)
	if name == "" || rule.Letter && !isLetter(rune(name[0])) && name[0] != '_' {
		name = "_" + name
	}
	return conversation.ShortID(name, rule.Most)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// Names maps names of tools or properties to other names. nil changes no name.
type Names map[string]string

// Of returns the name that takes the place of a name, and the name itself if there is none.
func (n Names) Of(name string) string {
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

// Names returns accepted names in the place of those of the list, nil if the rule accepts all of them. A name that the
// rule accepts stays, and no two names become the same.
func (rule NameRule) Names(list []string) Names {
	isRefused := func(name string) bool { return rule.accepted(name) != name }
	if !slices.ContainsFunc(list, isRefused) {
		return nil
	}
	names := Names{}
	next := map[string]int{} // with the number to try next for another name of that form
	for _, name := range list {
		if !isRefused(name) {
			names[name], next[name] = name, 2
		}
	}
	for _, name := range list {
		if names[name] != "" {
			continue
		}
		base := rule.accepted(name)
		unique, n := base, max(next[base], 2)
		for next[unique] > 0 {
			unique = conversation.ShortID(fmt.Sprintf("%s_%d", base, n), rule.Most)
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
	out.ToolChoice.Name = names.Of(r.ToolChoice.Name)
	out.ToolChoice.Allowed = slices.Clone(r.ToolChoice.Allowed)
	for i, name := range out.ToolChoice.Allowed {
		out.ToolChoice.Allowed[i] = names.Of(name)
	}
	out.Tools = slices.Clone(r.Tools)
	for i := range out.Tools {
		out.Tools[i].Name = names.Of(out.Tools[i].Name)
	}
	out.Messages = slices.Clone(r.Messages)
	for i := range out.Messages {
		m := &out.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			if m.Parts[j].Type == conversation.PartToolCall {
				m.Parts[j].Name = names.Of(m.Parts[j].Name)
			}
		}
	}
	return &out
}

// Attached returns contents of the result p behind a text that says which call they belong to, nil for no contents. It
// is for upstreams that do not take the contents in results, but in a user's message after them.
func Attached(p *conversation.Part, contents []conversation.Part) []conversation.Part {
	if len(contents) == 0 {
		return nil
	}
	return append([]conversation.Part{{Type: conversation.PartText, Path: p.Path,
		Text: "From the result of the call " + p.CallID + ":"}}, contents...)
}
