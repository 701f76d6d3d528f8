package messages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// turns writes the messages. All instructions go to the system field, before the first turn, wherever the
// client put them, as in Anthropic's own OpenAI compatibility layer: not every model accepts them later.
// Consecutive messages of one role become one turn, because the API wants the roles to alternate. Results of calls come
// first in theirs, as the API wants it, because Turns returns them directly after the turn with the calls.
func (e *encoder) turns() error {
	messages, err := e.r.Turns()
	if err != nil {
		return err
	}
	for _, m := range messages {
		blocks, err := e.blocksOf(m)
		if err != nil {
			return err
		}
		switch m.Role {
		case conversation.RoleSystem, conversation.RoleDeveloper:
			e.out.System = append(e.out.System, blocks...)
		case conversation.RoleAssistant:
			e.appendTurn(assistant, blocks)
		default:
			e.appendTurn(user, blocks)
		}
	}
	if len(e.out.Messages) == 0 && len(e.out.System) > 0 && e.blankPath == "" { // OpenAI answers instructions alone
		e.appendTurn(user, []block{{Type: textBlock, Text: afterLast}})
	}
	if len(e.out.Messages) == 0 {
		field := cmp.Or(e.blankPath, contentField(e.r.Client))
		return problem.New(problem.UnsupportedParameter, "This model needs at least one message with content that "+
			"is not an instruction. Add a user message.").At(field)
	}
	if e.out.Messages[0].Role != user { // clients cut old turns off
		e.out.Messages = slices.Insert(e.out.Messages, 0, turn{user, []block{{Type: textBlock, Text: beforeFirst}}})
	}
	// With a budget, the API refuses to continue a turn whose thinking block is missing.
	if t := e.out.Thinking; t != nil && t.BudgetTokens > 0 && lacksReasoning(e.out.Messages) {
		e.out.Thinking = nil
		e.ignore(conversation.FieldEffort)
	}
	e.endTurns()
	return nil
}

// The texts of turns that the API requires and the client did not send.
const (
	beforeFirst = "(continued)"
	afterLast   = "(continue)"
)

// endTurns ends the conversation as the model wants it. A turn of the assistant at the end is a text that the model
// continues: newer models and models that think do not, none does in an answer with a schema, and no model continues
// thinking or white space.
func (e *encoder) endTurns() {
	turn := &e.out.Messages[len(e.out.Messages)-1]
	if turn.Role != assistant {
		return
	}
	hasContent := slices.ContainsFunc(turn.Content, func(b block) bool { return b.Type != textBlock })
	hasFormat := e.out.OutputConfig != nil && e.out.OutputConfig.Format != nil
	if !e.model.prefill || e.out.Thinking != nil || hasFormat || hasContent {
		e.appendTurn(user, []block{{Type: textBlock, Text: afterLast}})
		return
	}
	text := &turn.Content[len(turn.Content)-1].Text
	*text = strings.TrimRightFunc(*text, unicode.IsSpace)
}

// lacksReasoning reports whether the turns end with results of calls whose reasoning is missing. Chat clients
// have no field to send it back. A model with a thinking budget continues such a turn only if thinking is
// off; adaptive models continue it in any case.
func lacksReasoning(turns []turn) bool {
	tail := len(turns) - 1
	if tail < 1 || turns[tail].Content[0].Type != resultBlock {
		return false
	}
	kind := turns[tail-1].Content[0].Type
	return kind != thinkingBlock && kind != redactedBlock
}

// contentField returns the client's name of the field that holds the messages.
func contentField(form conversation.ClientDialect) string {
	if form == conversation.ClientResponses {
		return "input"
	}
	return "messages"
}

// appendTurn appends the blocks to the last turn if it has the same role, and otherwise as a new turn.
func (e *encoder) appendTurn(role string, blocks []block) {
	if len(blocks) == 0 {
		return
	}
	if n := len(e.out.Messages) - 1; n >= 0 && e.out.Messages[n].Role == role {
		e.out.Messages[n].Content = append(e.out.Messages[n].Content, blocks...)
		return
	}
	e.out.Messages = append(e.out.Messages, turn{Role: role, Content: blocks})
}

// blocksOf returns the blocks of a message. It leaves out texts of white space, which the API refuses and which have no
// meaning, reasoning of another family, which the model cannot read, and pictures of earlier answers.
func (e *encoder) blocksOf(m conversation.Message) ([]block, error) {
	blocks := make([]block, 0, len(m.Parts))
	for _, p := range m.Parts {
		if !mayHave(m.Role, p.Type) {
			return nil, conversation.UnsupportedPath(p.Path)
		}
		b, err := e.blockOf(p)
		switch {
		case err != nil:
			return nil, err
		case b.Type != "":
			blocks = append(blocks, b)
		case p.Type == conversation.PartText && m.Role == conversation.RoleUser:
			e.blankPath = p.Path
		}
	}
	return blocks, nil
}

// mayHave reports whether a message of the role may have a part of the type.
func mayHave(role conversation.MessageRole, part conversation.PartType) bool {
	switch part {
	case conversation.PartText:
		return true
	case conversation.PartImage, conversation.PartFile:
		return role == conversation.RoleUser
	case conversation.PartRefusal, conversation.PartReasoning, conversation.PartToolCall, conversation.PartPicture:
		return role == conversation.RoleAssistant
	case conversation.PartToolResult:
		return role == conversation.RoleTool || role == conversation.RoleUser
	}
	return false
}

// blockOf returns the block of a part. A block without a type means that the part is to be left out.
func (e *encoder) blockOf(p conversation.Part) (b block, err error) {
	switch p.Type {
	case conversation.PartText, conversation.PartRefusal:
		if isBlank(p.Text) {
			return b, nil
		}
		b = block{Type: textBlock, Text: p.Text}
	case conversation.PartImage:
		b, err = imageBlockOf(p)
	case conversation.PartFile:
		b, err = documentBlockOf(p)
	case conversation.PartPicture: // see conversation.Request.Lacking
		return b, nil
	case conversation.PartReasoning:
		return reasoningBlock(p), nil // such blocks accept no cache_control
	case conversation.PartToolCall:
		b, err = e.callBlock(p)
	case conversation.PartToolResult:
		b, err = e.resultBlockOf(p)
	default:
		err = conversation.UnsupportedPath(p.Path)
	}
	b.CacheControl = jsontext.Value(p.Cache)
	return b, err
}

// reasoningBlock returns the block of a reasoning part that this family signed, with the mark taken off. The block
// of any other reasoning has no type.
func reasoningBlock(p conversation.Part) block {
	if signature, ok := strings.CutPrefix(p.Signature, thinkingSeal); ok && signature != "" {
		return block{Type: thinkingBlock, Thinking: &p.Text, Signature: signature}
	}
	if data, ok := strings.CutPrefix(p.Signature, redactedSeal); ok && data != "" {
		return block{Type: redactedBlock, Data: data}
	}
	return block{}
}

// callBlock returns the block of a tool call. The text of a custom tool's call becomes the only member of an object,
// see freeText. So do arguments that are not an object, under another name: a model can write them, for example when
// its output ends within them, and the client answers with an error as the result.
func (e *encoder) callBlock(p conversation.Part) (b block, err error) {
	b = block{Type: useBlock, ID: e.callID(p.CallID), Name: p.Name, Input: jsontext.Value(p.Arguments)}
	switch {
	case p.Custom:
		b.Input, err = json.Marshal(freeText{&p.Arguments}, lenient)
	case isBlank(p.Arguments):
		b.Input = emptyInput
	case !b.Input.IsValid(lenient) || b.Input.Kind() != '{':
		b.Input, err = json.Marshal(brokenInput{p.Arguments}, lenient)
	case e.keys[p.Name] != nil:
		b.Input = withKeys(b.Input, e.keys[p.Name])
	}
	return b, err
}

// brokenInput represents arguments that are not an object.
type brokenInput struct {
	Raw string `json:"_raw"`
}

// resultBlockOf returns the block of a call's result, which may hold texts, images and documents.
func (e *encoder) resultBlockOf(p conversation.Part) (block, error) {
	b := block{Type: resultBlock, ToolUseID: e.ids[p.CallID]}
	for _, c := range p.Content {
		if c.Type != conversation.PartText && c.Type != conversation.PartImage && c.Type != conversation.PartFile {
			return block{}, conversation.UnsupportedPath(c.Path)
		}
		inner, err := e.blockOf(c)
		if err != nil {
			return block{}, err
		}
		if inner.Type != "" {
			b.Content = append(b.Content, inner)
		}
	}
	return b, nil
}

// validCallID returns the id of a call with _ instead of the characters that this API does not accept. It accepts
// letters, digits, _ and -. Other families' ids can have other characters.
func validCallID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

// callID returns the id of a call as the API gets it, which no other call has, and remembers it for the call's result.
func (e *encoder) callID(id string) string {
	valid := validCallID(id)
	unique, n := valid, max(e.suffixes[valid], 2)
	for e.suffixes[unique] > 0 {
		unique = fmt.Sprintf("%s_%d", valid, n)
		n++
	}
	e.suffixes[valid], e.suffixes[unique] = n, max(e.suffixes[unique], 1)
	e.ids[id] = unique
	return unique
}
