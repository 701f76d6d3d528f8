package conversation

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Turns returns the messages in the order that all providers require: the results of a turn's calls are one message,
// directly after the turn and in the order of the calls. A turn is a run of messages of the assistant. A call with the
// id of an earlier call gets a new id, and further results of a call are added to its first result. Clients send other
// orders, for example after they have cut a conversation. The messages share their contents with r, which does not
// change.
//
// The error is an InvalidType problem of a call without a result, or of a result without a call, which no provider
// accepts.
func (r *Request) Turns() ([]Message, error) {
	if !slices.ContainsFunc(r.Messages, hasCallsOrResults) {
		return r.Messages, nil
	}
	p := pairing{ids: map[string]int{}, byClientID: map[string]*sameID{}}
	turns := make([]turn, 0, len(r.Messages))
	for i, m := range r.Messages {
		t := turn{message: m, continues: i > 0 && m.Role == RoleAssistant && r.Messages[i-1].Role == RoleAssistant}
		if hasCallsOrResults(m) {
			var err error
			if t.message.Parts, t.calls, err = p.read(&m, i); err != nil {
				return nil, err
			}
		}
		if len(t.message.Parts) > 0 || len(m.Parts) == 0 {
			turns = append(turns, t)
		}
	}
	return placeResults(turns)
}

// hasCallsOrResults reports whether a message has calls or results in a role that may have them.
func hasCallsOrResults(m Message) bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool { return isCall(m.Role, p) || isResult(m.Role, p) })
}

func isCall(role MessageRole, p Part) bool { return p.Type == PartToolCall && role == RoleAssistant }

func isResult(role MessageRole, p Part) bool {
	return p.Type == PartToolResult && (role == RoleTool || role == RoleUser)
}

// turn is a message without results, and its calls.
type turn struct {
	message   Message
	calls     []*call
	continues bool // the message continues the turn before
}

// placeResults puts the results of each turn after it.
func placeResults(turns []turn) ([]Message, error) {
	messages := make([]Message, 0, len(turns)+1)
	var open []*call
	for i, t := range turns {
		messages, open = append(messages, t.message), append(open, t.calls...)
		if len(open) == 0 || i+1 < len(turns) && turns[i+1].continues {
			continue
		}
		results := Message{Role: RoleTool, Path: t.message.Path}
		for _, c := range open {
			if c.result == nil {
				return nil, problem.New(problem.InvalidType, "The call %q has no result. Send its result after it.",
					c.id).At(c.path)
			}
			results.Parts = append(results.Parts, *c.result)
		}
		messages, open = append(messages, results), open[:0]
	}
	return messages, nil
}

// call is a call of the conversation.
type call struct {
	id          string // the client's
	uniqueID    string // differs from the client's id if an earlier call had it
	path        string
	result      *Part // nil until it is found
	ownsContent bool  // the contents of the result are a copy, to which further results were added
}

// sameID holds the calls to which the client gave one id.
type sameID struct {
	open     []*group // those with calls that have no result, in the order of their messages
	lastCall *call    // the latest call, or the latest that got a result
}

// group holds the calls of one message without a result.
type group struct {
	message int
	calls   []*call
}

// pairing finds the call of each result. Each step takes constant time, however many calls have one id.
type pairing struct {
	ids        map[string]int     // ids that calls have, with the number to try next for another call with the id
	byClientID map[string]*sameID // by the client's id
}

// read takes the results out of message number n, and returns its other parts and its calls.
func (p *pairing) read(m *Message, n int) (parts []Part, calls []*call, err error) {
	for _, part := range m.Parts {
		switch {
		case isCall(m.Role, part):
			c := &call{id: part.CallID, uniqueID: p.unique(part.CallID), path: part.Path}
			p.addCall(c, n)
			calls = append(calls, c)
			part.CallID = c.uniqueID
		case isResult(m.Role, part):
			if err := p.addResult(part); err != nil {
				return nil, nil, err
			}
			continue
		}
		parts = append(parts, part)
	}
	return parts, calls, nil
}

// addCall adds a call of message number n, whose result is not known yet.
func (p *pairing) addCall(c *call, n int) {
	s := p.byClientID[c.id]
	if s == nil {
		s = &sameID{}
		p.byClientID[c.id] = s
	}
	s.lastCall = c
	if last := len(s.open) - 1; last >= 0 && s.open[last].message == n {
		s.open[last].calls = append(s.open[last].calls, c)
		return
	}
	s.open = append(s.open, &group{n, []*call{c}})
}

// addResult adds a result to its call: the first call without a result, in the last message with such a call. If all
// calls have results, it adds the contents to the result of the last call.
func (p *pairing) addResult(result Part) error {
	s := p.byClientID[result.CallID]
	if s == nil {
		return problem.New(problem.InvalidType, "No call with the id %q comes before this result. Send the call too.",
			result.CallID).At(result.Path)
	}
	if last := len(s.open) - 1; last >= 0 {
		g := s.open[last]
		s.lastCall, g.calls = g.calls[0], g.calls[1:]
		if len(g.calls) == 0 {
			s.open = s.open[:last]
		}
		result.CallID = s.lastCall.uniqueID
		s.lastCall.result = &result
		return nil
	}
	c := s.lastCall
	if !c.ownsContent { // the client's request must not change
		c.result.Content, c.ownsContent = slices.Clone(c.result.Content), true
	}
	c.result.Content = append(c.result.Content, result.Content...)
	return nil
}

// unique returns the id, with a number after it if another call has the id.
func (p *pairing) unique(id string) string {
	unique, n := id, max(p.ids[id], 2)
	for p.ids[unique] > 0 {
		unique = fmt.Sprintf("%s_%d", id, n)
		n++
	}
	p.ids[id], p.ids[unique] = n, max(p.ids[unique], 1)
	return unique
}

// ShortID returns the id, or an id of the length limit in its place if it is longer: its beginning, and a hash that
// tells it from others with the same beginning.
func ShortID(id string, limit int) string {
	if len(id) <= limit {
		return id
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(id)) // never fails
	suffix := fmt.Sprintf("_%016x", hash.Sum64())
	return id[:limit-len(suffix)] + suffix
}
