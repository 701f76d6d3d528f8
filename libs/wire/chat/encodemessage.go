package chat

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/wire/gemini/thought"
)

// encodeMessages returns the messages of the turns.
func encodeMessages(turns []conversation.Message, o Options) ([]message, error) {
	w := messageWriter{options: o, signsCalls: thought.WantsSignature(o.Model),
		messages: make([]message, 0, len(turns))}
	for i := range turns {
		if err := w.write(&turns[i]); err != nil {
			return nil, err
		}
	}
	w.endTurn()
	return w.messages, nil
}

// messageWriter collects the consecutive messages of an assistant's turn. All calls of a turn and the texts
// before or between them must be one message, because the results must follow directly after the message with
// their calls.
type messageWriter struct {
	options    Options
	signsCalls bool // the model refuses a turn whose first call has no signature
	messages   []message
	turn       *message // the assistant's turn that is not in messages yet, nil for none
}

// write adds one message, or adds to the assistant's turn.
func (w *messageWriter) write(m *conversation.Message) error {
	if m.Role == conversation.RoleAssistant {
		return w.writeAssistant(m)
	}
	w.endTurn()
	if m.Role == conversation.RoleTool {
		return w.writeResults(m)
	}
	out := message{Role: string(m.Role), Name: m.Name}
	if m.Role == conversation.RoleDeveloper && w.options.NoDeveloper {
		out.Role = string(conversation.RoleSystem)
	}
	var err error
	if m.Role == conversation.RoleUser {
		out.Content, err = encodeContent(m.Parts, m.Path)
	} else {
		out.Content, err = encodeText(m.Parts, m.Path)
	}
	w.messages = append(w.messages, out)
	return err
}

// endTurn adds the assistant's turn to the messages, unless everything in it was left out.
func (w *messageWriter) endTurn() {
	if t := w.turn; t != nil && (len(t.Content.parts) > 0 || t.Refusal != "" || len(t.Calls) > 0) {
		if t.Content.plain = isPlain(t.Content.parts); len(t.Content.parts) == 0 && len(t.Calls) == 0 {
			t.Content = plain("") // only a message with calls has no content
		}
		// Clients of other dialects have no field to return the signature of a call.
		if w.signsCalls && len(t.Calls) > 0 && t.Calls[0].Extra.Google.Seal == "" {
			t.Calls[0].Extra.Google.Seal = thought.NoSignature
		}
		w.messages = append(w.messages, *t)
	}
	w.turn = nil
}

// writeAssistant adds to the assistant's turn. Two messages without calls remain two.
func (w *messageWriter) writeAssistant(m *conversation.Message) error {
	// After a call, text still belongs to the same message: a new message would separate the call from its result.
	if t := w.turn; t != nil && len(t.Calls) == 0 && (len(t.Content.parts) > 0 || t.Refusal != "") &&
		!onlyCalls(m.Parts) {
		w.endTurn()
	}
	if w.turn == nil {
		w.turn = &message{Role: string(conversation.RoleAssistant), Name: m.Name}
	}
	for i := range m.Parts {
		if err := w.writeAssistantPart(&m.Parts[i], m.Path); err != nil {
			return err
		}
	}
	return nil
}

// onlyCalls reports whether all parts are tool calls.
func onlyCalls(parts []conversation.Part) bool {
	for i := range parts {
		if parts[i].Type != conversation.PartToolCall {
			return false
		}
	}
	return true
}

// writeAssistantPart adds one part to the assistant's turn.
func (w *messageWriter) writeAssistantPart(p *conversation.Part, path string) error {
	switch p.Type {
	case conversation.PartText:
		w.turn.Content.parts = append(w.turn.Content.parts, textPart(p))
	case conversation.PartRefusal:
		w.turn.Refusal += p.Text
	case conversation.PartReasoning:
		if w.options.KeepReasoning {
			w.turn.Thought += p.Text
		}
	case conversation.PartToolCall:
		w.turn.Calls = append(w.turn.Calls, encodeCall(p))
	case conversation.PartPicture: // left out, see conversation.Request.Lacking
	default:
		return conversation.UnsupportedPath(pathOf(p, path))
	}
	return nil
}

// maxCallID is the greatest length of a call's id that OpenAI accepts. Ids of its Responses API can be longer.
const maxCallID = 40

// encodeCall returns the JSON form of a call. It includes the signature of the call: only a call that came
// from Google's endpoint has one, and that endpoint wants it back, see endTurn.
func encodeCall(p *conversation.Part) call {
	out := call{ID: conversation.ShortID(p.CallID, maxCallID), Type: "function", Extra: extra{google{p.Signature}}}
	if p.Custom {
		out.Type, out.Custom = "custom", &customCall{p.Name, p.Arguments}
	} else {
		out.Function = &functionCall{p.Name, arguments(cmp.Or(p.Arguments, noArguments))}
	}
	return out
}

// writeResults adds one message for each result, and after them a user's message with the media of all results: OpenAI
// documents only text in results.
func (w *messageWriter) writeResults(m *conversation.Message) error {
	var attached content
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Type != conversation.PartToolResult {
			return conversation.UnsupportedPath(pathOf(p, m.Path))
		}
		var texts, media []conversation.Part
		for _, c := range p.Content {
			if c.Type == conversation.PartText {
				texts = append(texts, c)
			} else {
				media = append(media, c)
			}
		}
		text, err := encodeContent(texts, pathOf(p, m.Path))
		if err != nil {
			return err
		}
		w.messages = append(w.messages, message{Role: string(conversation.RoleTool),
			CallID: conversation.ShortID(p.CallID, maxCallID), Content: text})
		if media = toolcall.LabelContents(p, media); media == nil {
			continue
		}
		labeled, err := encodeContent(media, pathOf(p, m.Path))
		if err != nil {
			return err
		}
		attached.parts = append(attached.parts, labeled.parts...)
	}
	if len(attached.parts) > 0 {
		w.messages = append(w.messages, message{Role: string(conversation.RoleUser), Content: attached})
	}
	return nil
}

// encodeText returns the content of a message whose role allows only text.
func encodeText(parts []conversation.Part, path string) (content, error) {
	for i := range parts {
		if parts[i].Type != conversation.PartText {
			return content{}, conversation.UnsupportedPath(pathOf(&parts[i], path))
		}
	}
	return encodeContent(parts, path)
}

// encodeContent returns the content of a message. A single text is written as a string, which every server
// understands. No parts become an empty text, because servers do not accept null as content.
func encodeContent(parts []conversation.Part, path string) (content, error) {
	if len(parts) == 0 {
		return plain(""), nil
	}
	out := content{parts: make([]part, 0, len(parts))}
	for i := range parts {
		p, ok := encodePart(&parts[i])
		if !ok {
			return out, conversation.UnsupportedPath(pathOf(&parts[i], path))
		}
		out.parts = append(out.parts, p)
	}
	out.plain = isPlain(out.parts)
	return out, nil
}

// isPlain reports whether the parts can be written as a string.
func isPlain(parts []part) bool {
	return len(parts) == 1 && parts[0].Type == "text" && parts[0].Cache == nil
}

// textPart returns the JSON form of a text part, with its cache_control.
func textPart(p *conversation.Part) part {
	return part{Type: "text", Text: &p.Text, Cache: jsontext.Value(p.Cache)}
}

// encodePart returns the JSON form of a part, and false if the dialect cannot express it.
func encodePart(p *conversation.Part) (out part, ok bool) {
	m := &p.Media
	switch {
	case p.Type == conversation.PartText:
		return textPart(p), true
	case p.Type == conversation.PartImage && m.URL != "":
		out = part{Type: "image_url", Image: &image{m.URL, p.Detail}}
	case p.Type == conversation.PartImage && m.Data != "":
		out = part{Type: "image_url", Image: &image{dataURL(*m), p.Detail}}
	case p.Type == conversation.PartAudio && m.Data != "":
		out = part{Type: "input_audio", Audio: &audio{m.Data, audioFormat(m.Type)}}
	case p.Type == conversation.PartFile && m.ID != "":
		out = part{Type: "file", File: &file{Name: m.Name, ID: m.ID}}
	case p.Type == conversation.PartFile && m.Data != "" && m.Type == "":
		out = part{Type: "file", File: &file{Name: m.Name, Data: m.Data}}
	case p.Type == conversation.PartFile && m.Data != "":
		out = part{Type: "file", File: &file{Name: m.Name, Data: dataURL(*m)}}
	default:
		return out, false
	}
	out.Cache = jsontext.Value(p.Cache)
	return out, true
}

// pathOf returns the path of the part, or of the message that contains it if the part has none.
func pathOf(p *conversation.Part, message string) string {
	if p.Path != "" {
		return p.Path
	}
	return message
}
