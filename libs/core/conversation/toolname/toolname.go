// Package toolname gives tools names that an API accepts, and takes back the client's names in its answers.
package toolname

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// Rule describes the names of tools that an API accepts: ASCII letters, digits, and the characters of Other.
type Rule struct {
	Other  string
	Letter bool // a name begins with a letter or _
	Most   int  // greatest length
}

// accepted returns a name that the API accepts in the place of another: the same if it accepts that.
func (rule Rule) accepted(name string) string {
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

// Names maps the client's names of tools to those that an upstream gets. nil changes no name.
type Names map[string]string

// Of returns the names of all tools that a request declares or calls, nil if the rule accepts all of them or there is no
// request. A name that the rule accepts stays, and no two names become the same. The decoder of the response maps them back.
func Of(r *conversation.Request, rule Rule) Names {
	if r == nil {
		return nil
	}
	return rule.Names(in(r))
}

// Names returns accepted names in the place of those that are given, nil if the rule accepts all of them. See Of.
func (rule Rule) Names(given []string) Names {
	isRefused := func(name string) bool { return rule.accepted(name) != name }
	if !slices.ContainsFunc(given, isRefused) {
		return nil
	}
	names := Names{}
	taken := map[string]int{} // with the number to try next for another name of that form
	for _, name := range given {
		if !isRefused(name) {
			names[name], taken[name] = name, 2
		}
	}
	for _, name := range given {
		if names[name] != "" {
			continue
		}
		first := rule.accepted(name)
		made, n := first, max(taken[first], 2)
		for taken[made] > 0 {
			made = conversation.ShortID(fmt.Sprintf("%s_%d", first, n), rule.Most)
			n++
		}
		names[name], taken[first], taken[made] = made, n, max(taken[made], 2)
	}
	return names
}

// in returns the names of the tools that the request declares, and of those that its messages call.
func in(r *conversation.Request) []string {
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

// sent returns the name that the upstream gets.
func (n Names) sent(name string) string {
	if sent := n[name]; sent != "" {
		return sent
	}
	return name
}

// Client returns the client's name of a tool that the upstream calls.
func (n Names) Client(sent string) string {
	for name, other := range n {
		if other == sent {
			return name
		}
	}
	return sent
}

// Renamed returns the request with the names that the rule accepts. It is r itself if the rule accepts all of them, else a copy.
func Renamed(r *conversation.Request, rule Rule) *conversation.Request {
	names := Of(r, rule)
	if names == nil {
		return r
	}
	renamed := *r
	renamed.ToolChoice.Name = names.sent(r.ToolChoice.Name)
	renamed.ToolChoice.Allowed = slices.Clone(r.ToolChoice.Allowed)
	for i, name := range renamed.ToolChoice.Allowed {
		renamed.ToolChoice.Allowed[i] = names.sent(name)
	}
	renamed.Tools = slices.Clone(r.Tools)
	for i := range renamed.Tools {
		renamed.Tools[i].Name = names.sent(renamed.Tools[i].Name)
	}
	renamed.Messages = slices.Clone(r.Messages)
	for i := range renamed.Messages {
		m := &renamed.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			if m.Parts[j].Type == conversation.PartToolCall {
				m.Parts[j].Name = names.sent(m.Parts[j].Name)
			}
		}
	}
	return &renamed
}
