package conversation_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// script returns the messages of a script. Each word is a message: first a letter for the role (u user, a assistant, f
// tool), then its parts: t a text, cX the call X, rX a result of the call X.
func script(words string) (messages []conversation.Message) {
	roles := map[byte]conversation.MessageRole{'u': conversation.RoleUser, 'a': conversation.RoleAssistant,
		'f': conversation.RoleTool}
	for _, word := range strings.Fields(words) {
		m := conversation.Message{Role: roles[word[0]]}
		for at := 1; at < len(word); at++ {
			p := conversation.Part{Path: word}
			switch word[at] {
			case 'c':
				at++
				p.Type, p.CallID = conversation.PartToolCall, word[at:at+1]
			case 'r':
				at++
				p.Type, p.CallID, p.Content = conversation.PartToolResult, word[at:at+1],
					[]conversation.Part{{Text: "x"}}
			}
			m.Parts = append(m.Parts, p)
		}
		messages = append(messages, m)
	}
	return messages
}

// written returns the script of messages. A result with several contents has their number after it.
func written(messages []conversation.Message) string {
	letters := map[conversation.MessageRole]string{conversation.RoleUser: "u", conversation.RoleAssistant: "a",
		conversation.RoleTool: "f"}
	words := make([]string, 0, len(messages))
	for _, m := range messages {
		word := letters[m.Role]
		for _, p := range m.Parts {
			switch p.Type {
			case conversation.PartToolCall:
				word += "c" + p.CallID
			case conversation.PartToolResult:
				word += "r" + p.CallID + strings.Repeat("+", len(p.Content)-1)
			default:
				word += "t"
			}
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestTurns_PutsResultsAfterTheirCalls(t *testing.T) {
	for given, want := range map[string]string{
		"ut at":               "ut at",
		"ut aca fra ut":       "ut aca fra ut",
		"ut acacb frb fra":    "ut acacb frarb",
		"ut aca ut fra":       "ut aca fra ut",
		"ut aca acb fra frb":  "ut aca acb frarb",
		"ut at aca at fra":    "ut at aca at fra",
		"ut aca fra acb frb":  "ut aca fra acb frb",
		"ut aca fra aca fra":  "ut aca fra aca_2 fra_2",
		"ut acaca fra fra ut": "ut acaca_2 frara_2 ut",
		"ut aca fra fra":      "ut aca fra+",
		"ut aca urat":         "ut aca fra ut",
		"uca":                 "uca", // the encoder refuses it
	} {
		r := &conversation.Request{Messages: script(given)}
		got, err := r.Turns()
		if err != nil || written(got) != want {
			t.Errorf("%s: got %s, %v, want %s", given, written(got), err, want)
		}
		if written(r.Messages) != given {
			t.Errorf("%s: the request changed to %s", given, written(r.Messages))
		}
	}
}

func TestTurns_RefusesCallsAndResultsAlone(t *testing.T) {
	for given, path := range map[string]string{"ut aca": "aca", "ut aca ut": "aca", "ut fra": "fra",
		"ut acacb frb": "acacb", "ut fra aca": "fra"} {
		_, err := (&conversation.Request{Messages: script(given)}).Turns()
		if !problem.Is(err, problem.InvalidType) || problem.From(err).Param != path {
			t.Errorf("%s: got %v, want InvalidType at %s", given, err, path)
		}
	}
}

// A client can give one id to as many calls and results as a body holds.
func TestTurns_TakesLinearTime(t *testing.T) {
	const n = 200_000
	parts := func(kind conversation.PartType) []conversation.Part {
		all := make([]conversation.Part, n)
		for i := range all {
			all[i] = conversation.Part{Type: kind, CallID: "a", Content: []conversation.Part{{Text: "x"}}}
		}
		return all
	}
	for name, messages := range map[string][]conversation.Message{
		"a result for each call": {{Role: conversation.RoleAssistant, Parts: parts(conversation.PartToolCall)},
			{Role: conversation.RoleTool, Parts: parts(conversation.PartToolResult)}},
		"many results for one call": {{Role: conversation.RoleAssistant, Parts: parts(conversation.PartToolCall)[:1]},
			{Role: conversation.RoleTool, Parts: parts(conversation.PartToolResult)}},
	} {
		got, err := (&conversation.Request{Messages: messages}).Turns()
		if err != nil || len(got) != 2 || len(got[1].Parts) != len(messages[0].Parts) {
			t.Errorf("%s: got %d messages, %v", name, len(got), err)
		}
	}
}

func TestShortID_KeepsIDsApart(t *testing.T) {
	if got := conversation.ShortID("call_1", 40); got != "call_1" {
		t.Errorf("got %s", got)
	}
	long := strings.Repeat("a", 60)
	one, other := conversation.ShortID(long+"1", 40), conversation.ShortID(long+"2", 40)
	if len(one) != 40 || len(other) != 40 || one == other || one != conversation.ShortID(long+"1", 40) {
		t.Errorf("got %s and %s", one, other)
	}
}
