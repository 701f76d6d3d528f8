package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/foreign"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// readMessages reads the fields that only a messages request has.
func (f *fieldReader) readMessages(key []byte, value rawjson.Span) error {
	r := f.request
	raw := value.Of(r.body)
	isSet := string(raw) != "null"
	switch string(key) {
	case "max_tokens":
		if err := readCount(string(key), raw, &r.OutputCap); err != nil || !isSet {
			return err
		}
		f.hasCap = true
		// 0 asks Anthropic only to cache the prompt; in OutputCap it would mean no cap
		r.OutputCap = max(r.OutputCap, 1)
		return nil
	case "metadata":
		r.readUserID(value)
		return nil
	case "output_config":
		if format, ok := r.member(value, "format"); ok {
			r.Structured = r.Structured || r.asksForJSON(format)
		}
		return nil
	case "context_management":
		r.readCompactions(value)
		return nil
	case "output_format": // the name that output_config.format had before
		r.Structured = r.Structured || isSet && r.asksForJSON(value)
		return nil
	}
	return f.refuseRespelling(key)
}

// defaultTrigger is the number of input tokens from which Anthropic compacts a conversation if the request states none.
const defaultTrigger = 150_000

// readCompactions sets CompactsFrom to the lowest trigger of the compactions that context_management asks for.
func (r *Request) readCompactions(management rawjson.Span) {
	edits, ok := r.member(management, "edits")
	if !ok {
		return
	}
	r.elements(edits, func(_ int, edit rawjson.Span) {
		if !strings.HasPrefix(r.memberText(edit, "type"), "compact_") {
			return
		}
		from := int64(defaultTrigger)
		if trigger, ok := r.member(edit, "trigger"); ok {
			var stated int64
			value, ok := r.member(trigger, "value")
			if ok && readCount("value", value.Of(r.body), &stated) == nil { // the upstream checks the field
				from = max(stated, 1)
			}
		}
		if r.CompactsFrom == 0 || from < r.CompactsFrom {
			r.CompactsFrom = from
		}
	})
}

// readUserID reads metadata.user_id of a messages request: the end user, and the key of requests that share a prompt.
func (r *Request) readUserID(metadata rawjson.Span) {
	id, ok := r.member(metadata, "user_id")
	if raw := id.Of(r.body); ok && raw[0] == '"' && hasText(raw) {
		r.endUser, r.cacheKey = id, id
	}
}

// visitMessages looks at the next nested string of a messages request, see mediaCounter.VisitString.
func (c *mediaCounter) visitMessages(quoted []byte) {
	switch string(quoted) {
	case `"signature"`, `"redacted_thinking"`:
		c.mayHaveSignature = true
	}
	if len(quoted) > len(foreign.Mark) && quoted[1] == foreign.Mark[0] &&
		bytes.HasPrefix(quoted[1:], []byte(foreign.Mark)) {
		c.mayHaveForeign = true
	}
}

// HasOwnThinking reports whether a messages request has a thinking block that Anthropic's API signed or redacted. Only
// upstreams that speak messages can read it.
func (r *Request) HasOwnThinking() (has bool) {
	if !r.mayHaveSignature {
		return false
	}
	r.eachBlock(func(_ int, block rawjson.Span) {
		kind, seal := r.thinkingOf(block)
		has = has || kind != "" && seal != "" && !strings.HasPrefix(seal, foreign.Mark)
	})
	return has
}

// WithoutForeignThinking returns a messages request without the thinking blocks that the gateway made of another
// family's reasoning, because Anthropic's API refuses their signatures. A message that has only such blocks is left
// out, too. It returns the request itself if it has none. If the model must continue calls without their thinking,
// which the API refuses with a budget, thinking is off; ignored has the client's paths of what that replaces. Errors
// are those of ScanRequest.
func (r *Request) WithoutForeignThinking() (request *Request, ignored []string, err error) {
	if !r.mayHaveForeign {
		return r, nil, nil
	}
	blocks := map[int]bool{} // offsets of blocks
	r.eachBlock(func(_ int, block rawjson.Span) {
		if _, seal := r.thinkingOf(block); strings.HasPrefix(seal, foreign.Mark) {
			blocks[block.Start] = true
		}
	})
	if len(blocks) == 0 {
		return r, nil, nil
	}
	if len(r.ids) > 0 { // their offsets change
		if request, _, err = scan(rawjson.Splice(r.body, r.ids).Bytes(), r.dialect); err != nil {
			return nil, nil, err
		}
		request.omission, request.newTier = r.omission, r.newTier
		return request.WithoutForeignThinking()
	}
	var messages []json.RawMessage
	r.elements(r.input, func(_ int, message rawjson.Span) {
		if trimmed := r.withoutBlocks(message, blocks); trimmed != nil {
			messages = append(messages, trimmed)
		}
	})
	list := listOf(messages)
	if len(messages) == 0 {
		list = json.RawMessage("[]")
	}
	changes, ignored := r.thinkingOff(blocks)
	body, err := rawjson.Splice(r.body, []rawjson.Edit{{At: r.input, With: list}}).WithParameters(changes)
	if err != nil {
		return nil, nil, asProblem(err)
	}
	if request, _, err = scan(body.Bytes(), r.dialect); err != nil {
		return nil, nil, err
	}
	request.omission, request.newTier = r.omission, r.newTier
	return request, ignored, nil
}

// thinkingOff returns the members that turn off thinking with a budget, and the names of the client's that they
// replace, if the messages end with results of calls that lose their thinking with the blocks at these offsets.
func (r *Request) thinkingOff(blocks map[int]bool) (changes map[string]json.RawMessage, names []string) {
	const thinkingField, editing = "thinking", "context_management"
	members := r.Members(thinkingField, editing)
	var thinking struct{ Type string }
	_ = json.Unmarshal(members[thinkingField], &thinking) // absent, or the upstream refuses it
	if thinking.Type != "enabled" || !r.loseThinking(blocks) {
		return nil, nil
	}
	changes = map[string]json.RawMessage{thinkingField: json.RawMessage(`{"type":"disabled"}`)}
	if bytes.Contains(members[editing], []byte(`"clear_thinking_`)) { // the API refuses it without thinking
		changes[editing] = json.RawMessage("null")
	}
	return changes, slices.Sorted(maps.Keys(changes))
}

// loseThinking reports whether the messages end with results of calls whose thinking is only in the blocks at these
// offsets.
func (r *Request) loseThinking(blocks map[int]bool) bool {
	var isLost, hasOther, hasResults bool // of the last message of the assistant, and after it
	r.elements(r.input, func(_ int, message rawjson.Span) {
		if r.memberText(message, "role") == "assistant" {
			isLost, hasOther, hasResults = false, false, false
		}
		content, _ := r.member(message, "content")
		r.elements(content, func(_ int, block rawjson.Span) {
			kind, _ := r.thinkingOf(block)
			isLost = isLost || blocks[block.Start]
			hasOther = hasOther || kind != "" && !blocks[block.Start]
			hasResults = hasResults || r.memberText(block, "type") == "tool_result"
		})
	})
	return isLost && !hasOther && hasResults
}

// withoutBlocks returns a message without the blocks at these offsets, and nil if nothing of its content is left.
func (r *Request) withoutBlocks(message rawjson.Span, blocks map[int]bool) json.RawMessage {
	content, ok := r.member(message, "content")
	if !ok {
		return message.Of(r.body)
	}
	var elements []json.RawMessage
	isTrimmed := false
	r.elements(content, func(_ int, block rawjson.Span) {
		if blocks[block.Start] {
			isTrimmed = true
			return
		}
		elements = append(elements, block.Of(r.body))
	})
	switch {
	case !isTrimmed:
		return message.Of(r.body)
	case len(elements) == 0:
		return nil
	}
	result := bytes.Clone(r.body[message.Start:content.Start])
	result = append(result, listOf(elements)...)
	return append(result, r.body[content.End:message.End]...)
}

// eachBlock calls the function visit for every content block of the messages, with the index of the message.
func (r *Request) eachBlock(visit func(message int, block rawjson.Span)) {
	if r.dialect != catalog.Messages {
		return
	}
	r.elements(r.input, func(i int, message rawjson.Span) {
		if content, ok := r.member(message, "content"); ok {
			r.elements(content, func(_ int, block rawjson.Span) { visit(i, block) })
		}
	})
}

// thinkingOf returns the type of a thinking block and its signature or its data. It returns "" for any other block.
func (r *Request) thinkingOf(block rawjson.Span) (kind, seal string) {
	switch kind = r.memberText(block, "type"); kind {
	case "thinking":
		return kind, r.memberText(block, "signature")
	case "redacted_thinking":
		return kind, r.memberText(block, "data")
	}
	return "", ""
}

// extendSystem puts the prompt before the client's system prompt, which is a text or an array of blocks, or sets the
// system prompt if the client sent none.
func extendSystem(d *rawjson.Draft, prompt string) error {
	const field = "system"
	member := d.Find(field)
	if member == nil || string(member.Value.Of(d.Body)) == "null" {
		quoted, _ := json.Marshal(prompt) // a string always marshals
		d.Set(field, quoted)
		return nil
	}
	switch at := member.Value.Start + 1; d.Body[member.Value.Start] {
	case '"':
		quoted, _ := json.Marshal(prompt + "\n\n")
		d.Insert(at, quoted[1:len(quoted)-1])
	case '[':
		quoted, _ := json.Marshal(prompt)
		block := `{"type":"text","text":` + string(quoted) + `}`
		scanner := rawjson.Scanner{Body: d.Body, At: at}
		if scanner.Space(); !scanner.Eat(']') {
			block += ","
		}
		d.Insert(at, []byte(block))
	default:
		return param.Invalid(field, "a string or an array")
	}
	return nil
}
