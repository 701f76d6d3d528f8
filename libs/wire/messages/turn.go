package messages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// turns writes the messages. Instructions all stand before the first turn,
// wherever the client put them, as in Anthropic's own compatibility layer: not
// every model takes them later. What one side says in a row is one turn.
func (e *encoder) turns() error {
	for _, m := range e.r.Messages {
		blocks, err := blocksOf(m)
		if err != nil {
			return err
		}
		switch m.Role {
		case conversation.RoleSystem, conversation.RoleDeveloper:
			e.out.System = append(e.out.System, blocks...)
		case conversation.RoleAssistant:
			e.say(assistant, blocks)
		default:
			e.say(user, blocks)
		}
	}
	if len(e.out.Messages) == 0 {
		return problem.New(problem.UnsupportedParameter, "This model needs a message that is no instruction.").At(contentField(e.r.Client))
	}
	for i := range e.out.Messages {
		slices.SortStableFunc(e.out.Messages[i].Content, resultsFirst)
	}
	if t := e.out.Thinking; t != nil && t.BudgetTokens > 0 && isThoughtless(e.out.Messages) {
		e.out.Thinking = nil
	}
	return nil
}

// isThoughtless reports whether the turns end with results of calls whose
// reasoning is not there, as a chat client has no place for it. A model with a
// budget goes on with such a turn only if it need not think; the others do
// either way.
func isThoughtless(turns []turn) bool {
	last := len(turns) - 1
	if last < 1 || turns[last].Content[0].Type != resultBlock {
		return false
	}
	first := turns[last-1].Content[0].Type
	return first != thinkingBlock && first != redactedBlock
}

func contentField(form conversation.ClientDialect) string {
	if form == conversation.ClientResponses {
		return "input"
	}
	return "messages"
}

// resultsFirst orders a turn: the API wants the results of calls right behind
// the calls. Turns of the assistant have none.
func resultsFirst(a, b block) int {
	return cmp.Compare(rank(a), rank(b))
}

func rank(b block) int {
	if b.Type == resultBlock {
		return 0
	}
	return 1
}

func (e *encoder) say(role string, blocks []block) {
	if len(blocks) == 0 {
		return
	}
	if last := len(e.out.Messages) - 1; last >= 0 && e.out.Messages[last].Role == role {
		e.out.Messages[last].Content = append(e.out.Messages[last].Content, blocks...)
		return
	}
	e.out.Messages = append(e.out.Messages, turn{Role: role, Content: blocks})
}

// blocksOf leaves out texts that say nothing, which the API refuses, and
// reasoning that another family sealed.
func blocksOf(m conversation.Message) ([]block, error) {
	blocks := make([]block, 0, len(m.Parts))
	for _, p := range m.Parts {
		if !has(m.Role, p.Type) {
			return nil, conversation.UnsupportedPath(p.Path)
		}
		b, err := blockOf(p)
		if err != nil {
			return nil, err
		}
		if b.Type != "" {
			blocks = append(blocks, b)
		}
	}
	return blocks, nil
}

// has reports whether a message of the role may have a part of the type.
func has(role conversation.MessageRole, part conversation.PartType) bool {
	switch part {
	case conversation.PartText:
		return true
	case conversation.PartImage, conversation.PartFile:
		return role == conversation.RoleUser
	case conversation.PartRefusal, conversation.PartReasoning, conversation.PartToolCall:
		return role == conversation.RoleAssistant
	case conversation.PartToolResult:
		return role == conversation.RoleTool || role == conversation.RoleUser
	}
	return false
}

// blockOf returns a block without a type for what is to be left out.
func blockOf(p conversation.Part) (b block, err error) {
	switch p.Type {
	case conversation.PartText, conversation.PartRefusal:
		if p.Text == "" {
			return b, nil
		}
		b = block{Type: textBlock, Text: p.Text}
	case conversation.PartImage:
		b, err = image(p)
	case conversation.PartFile:
		b, err = document(p)
	case conversation.PartReasoning:
		return thought(p), nil // takes no cache_control
	case conversation.PartToolCall:
		b, err = use(p)
	case conversation.PartToolResult:
		b, err = result(p)
	default:
		err = conversation.UnsupportedPath(p.Path)
	}
	b.CacheControl = jsontext.Value(p.Cache)
	return b, err
}

func thought(p conversation.Part) block {
	if signature, own := strings.CutPrefix(p.Signature, thinkingSeal); own && signature != "" {
		return block{Type: thinkingBlock, Thinking: &p.Text, Signature: signature}
	}
	if data, own := strings.CutPrefix(p.Signature, redactedSeal); own && data != "" {
		return block{Type: redactedBlock, Data: data}
	}
	return block{}
}

func use(p conversation.Part) (block, error) {
	b := block{Type: useBlock, ID: callID(p.CallID), Name: p.Name, Input: jsontext.Value(p.Arguments)}
	switch {
	case p.Custom:
		input, err := json.Marshal(freeText{&p.Arguments})
		if err != nil {
			return block{}, notArguments(p)
		}
		b.Input = input
	case isBlank(p.Arguments):
		b.Input = emptyInput
	case !b.Input.IsValid(jsontext.AllowDuplicateNames(true)) || b.Input.Kind() != '{':
		return block{}, notArguments(p)
	}
	return b, nil
}

func notArguments(p conversation.Part) error {
	return problem.New(problem.InvalidType, "The arguments of '%s' are not a JSON object.", p.Path).At(p.Path)
}

func result(p conversation.Part) (block, error) {
	b := block{Type: resultBlock, ToolUseID: callID(p.CallID)}
	for _, c := range p.Content {
		if c.Type != conversation.PartText && c.Type != conversation.PartImage && c.Type != conversation.PartFile {
			return block{}, conversation.UnsupportedPath(c.Path)
		}
		inner, err := blockOf(c)
		if err != nil {
			return block{}, err
		}
		if inner.Type != "" {
			b.Content = append(b.Content, inner)
		}
	}
	return b, nil
}

// callID makes an id that another family gave one that this API takes: letters,
// digits, _ and -. A call and its result change alike.
func callID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}
