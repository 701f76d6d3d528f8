package gemini

import (
	"fmt"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// functions maps the client's names of functions to those that Gemini accepts: names of up to 64 characters that begin with a
// letter or _. OpenAI accepts digits and - at the beginning, and Anthropic longer names. A name that Gemini accepts stays.
type functions map[string]string

// functionsOf returns the names of all functions that a request declares or calls. The decoder of the response maps them back.
func functionsOf(r *conversation.Request) functions {
	if r == nil {
		return nil
	}
	names := functions{}
	taken := map[string]int{} // with the number to try next for another function with the name
	each := func(visit func(name string)) {
		for i := range r.Tools {
			visit(r.Tools[i].Name)
		}
		for i := range r.Messages {
			for j := range r.Messages[i].Parts {
				if p := &r.Messages[i].Parts[j]; p.Type == conversation.PartToolCall {
					visit(p.Name)
				}
			}
		}
	}
	each(func(name string) {
		if isName(name) {
			names[name], taken[name] = name, 2
		}
	})
	each(func(name string) {
		if names[name] != "" {
			return
		}
		first := accepted(name)
		made, n := first, max(taken[first], 2)
		for taken[made] > 0 {
			made = conversation.ShortID(fmt.Sprintf("%s_%d", first, n), maxName)
			n++
		}
		names[name], taken[first], taken[made] = made, n, max(taken[made], 2)
	})
	return names
}

// sent returns the name that Gemini gets.
func (f functions) sent(name string) string {
	if sent := f[name]; sent != "" {
		return sent
	}
	return name
}

// client returns the client's name of a function that Gemini calls.
func (f functions) client(sent string) string {
	for name, other := range f {
		if other == sent {
			return name
		}
	}
	return sent
}

const maxName = 64

// isName reports whether Gemini accepts the name.
func isName(name string) bool { return name != "" && len(name) <= maxName && accepted(name) == name }

// accepted returns a name that Gemini accepts in the place of another.
func accepted(name string) string {
	name = strings.Map(func(r rune) rune {
		if isLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune("_-.:", r) {
			return r
		}
		return '_'
	}, name)
	if name == "" || !isLetter(rune(name[0])) && name[0] != '_' {
		name = "_" + name
	}
	return conversation.ShortID(name, maxName)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
