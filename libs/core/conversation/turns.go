package conversation

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Turns returns the messages in the order that all providers want: the results of a turn's calls are one message, directly after
// the turn and in the order of the calls. A turn is a run of messages of the assistant. A call whose id an earlier call had gets
// an id of its own, and further results of a call become part of its first. Clients send other orders, for example after they
// have cut a conversation. The messages share their contents with r, which does not change.
//
// The error is an InvalidType problem of a call without a result, or of a result without a call, which no provider accepts.
func (r *Request) Turns() ([]Message, error) {
	if !slices.ContainsFunc(r.Messages, pairs) {
		return r.Messages, nil
	}
	p := pairing{ids: map[string]bool{}, calls: map[string][]*call{}}
	turns := make([]turn, 0, len(r.Messages))
	for i, m := range r.Messages {
		t := turn{message: m, continues: i > 0 && m.Role == RoleAssistant && r.Messages[i-1].Role == RoleAssistant}
		if pairs(m) {
			var err error
			if t.message.Parts, t.calls, err = p.read(&m, i); err != nil {
				return nil, err
			}
		}
		if len(t.message.Parts) > 0 || len(m.Parts) == 0 {
			turns = append(turns, t)
		}
	}
	return order(turns)
}

// pairs reports whether a message has calls or results, where they may be.
func pairs(m Message) bool {
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

// order puts the results of each turn after it.
func order(turns []turn) ([]Message, error) {
	ordered := make([]Message, 0, len(turns)+1)
	var open []*call
	for i, t := range turns {
		ordered, open = append(ordered, t.message), append(open, t.calls...)
		if len(open) == 0 || i+1 < len(turns) && turns[i+1].continues {
			continue
		}
		results := Message{Role: RoleTool, Path: t.message.Path}
		for _, c := range open {
			if c.result == nil {
				return nil, problem.New(problem.InvalidType, "The call %q has no result. Send its result after it.", c.id).At(c.path)
			}
			results.Parts = append(results.Parts, *c.result)
		}
		ordered, open = append(ordered, results), open[:0]
	}
	return ordered, nil
}

// call is a call of the conversation. Its own id differs from the client's if an earlier call had that.
type call struct {
	id, own, path string
	message       int   // number of the message with the call
	result        *Part // nil until it is found
}

// pairing finds the call of each result.
type pairing struct {
	ids   map[string]bool    // ids that calls have
	calls map[string][]*call // by the client's id
}

// read takes the results out of message number n, and returns its other parts and its calls.
func (p *pairing) read(m *Message, n int) (parts []Part, calls []*call, err error) {
	for _, part := range m.Parts {
		switch {
		case isCall(m.Role, part):
			c := &call{id: part.CallID, own: p.unique(part.CallID), path: part.Path, message: n}
			p.calls[c.id] = append(p.calls[c.id], c)
			calls = append(calls, c)
			part.CallID = c.own
		case isResult(m.Role, part):
			if err := p.answer(part); err != nil {
				return nil, nil, err
			}
			continue
		}
		parts = append(parts, part)
	}
	return parts, calls, nil
}

// answer adds a result to its call: to the first without a result in the last message that has one, else to the last call.
func (p *pairing) answer(result Part) error {
	same := p.calls[result.CallID]
	if len(same) == 0 {
		return problem.New(problem.InvalidType, "No call with the id %q comes before this result. Send the call too.", result.CallID).At(result.Path)
	}
	var open *call
	for _, c := range slices.Backward(same) {
		if c.result == nil && (open == nil || c.message == open.message) {
			open = c
		}
	}
	if open != nil {
		result.CallID = open.own
		open.result = &result
		return nil
	}
	first := same[len(same)-1].result
	first.Content = append(slices.Clip(first.Content), result.Content...)
	return nil
}

// unique returns the id, or with a number after it if another call has it.
func (p *pairing) unique(id string) string {
	own := id
	for n := 2; p.ids[own]; n++ {
		own = fmt.Sprintf("%s_%d", id, n)
	}
	p.ids[own] = true
	return own
}

// ShortID returns the id, or an id of the length most in its place if it is longer: its beginning, and a hash that tells it from
// others with the same beginning.
func ShortID(id string, most int) string {
	if len(id) <= most {
		return id
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(id)) // never fails
	suffix := fmt.Sprintf("_%016x", hash.Sum64())
	return id[:most-len(suffix)] + suffix
}
