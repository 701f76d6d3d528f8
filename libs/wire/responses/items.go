package responses

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// The items of `input` in the order of their JSON fields.
type (
	messageItem struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []any  `json:"content"`
	}
	callItem struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	customItem struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Name   string `json:"name"`
		Input  string `json:"input"`
	}
	resultItem struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output any    `json:"output"`
	}
	thoughtItem struct {
		Type             string     `json:"type"`
		Summary          []textPart `json:"summary"`
		EncryptedContent string     `json:"encrypted_content"`
	}
)

// The parts of content in the order of their JSON fields.
type (
	textPart struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	refusalPart struct {
		Type    string `json:"type"`
		Refusal string `json:"refusal"`
	}
	imagePart struct {
		Type     string `json:"type"`
		Detail   string `json:"detail"`
		ImageURL string `json:"image_url,omitzero"`
		FileID   string `json:"file_id,omitzero"`
	}
	filePart struct {
		Type     string `json:"type"`
		Filename string `json:"filename,omitzero"`
		FileData string `json:"file_data,omitzero"`
		FileURL  string `json:"file_url,omitzero"`
		FileID   string `json:"file_id,omitzero"`
	}
)

// inputWriter builds items from messages: one item for each run of content, and one for each call, result and
// reasoning, in the order of the parts.
type inputWriter struct {
	items []any
	// The message to which the next content is added, nil for none.
	openMessage *messageItem
	// Whether to leave out the reasoning of earlier turns, because models of other families made it and the API refuses
	// it: only responses clients return the reasoning of OpenAI's models, to the account that made it.
	dropReasoning bool
}

// writeMessage adds the items of a message.
func (w *inputWriter) writeMessage(m *conversation.Message) error {
	w.openMessage = nil
	for i := range m.Parts {
		if err := w.writePart(m.Role, &m.Parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// writePart adds one part.
func (w *inputWriter) writePart(role conversation.MessageRole, p *conversation.Part) error {
	switch p.Type {
	case conversation.PartToolCall:
		if p.Custom {
			w.add(customItem{customCall, callID(p), p.Name, p.Arguments})
		} else {
			w.add(callItem{functionCall, callID(p), p.Name, p.Arguments})
		}
		return nil
	case conversation.PartToolResult:
		return w.addResult(p)
	case conversation.PartPicture: // left out, see conversation.Request.Lacking
		return nil
	case conversation.PartReasoning:
		if !w.dropReasoning {
			w.addReasoning(p)
		}
		return nil
	}
	content, err := contentOf(role, p)
	if err != nil {
		return err
	}
	if w.openMessage == nil {
		w.openMessage = &messageItem{Type: message, Role: string(role)}
		w.items = append(w.items, w.openMessage)
	}
	w.openMessage.Content = append(w.openMessage.Content, content)
	return nil
}

// add adds an item that is not a message.
func (w *inputWriter) add(item any) {
	w.items = append(w.items, item)
	w.openMessage = nil
}

// addResult adds the result of a call. A single text is written as a string.
func (w *inputWriter) addResult(p *conversation.Part) error {
	item := resultItem{Type: functionOutput, CallID: callID(p)}
	if p.Custom {
		item.Type = customOutput
	}
	switch {
	case len(p.Content) == 0:
		item.Output = ""
		w.add(item)
		return nil
	case len(p.Content) == 1 && p.Content[0].Type == conversation.PartText:
		item.Output = p.Content[0].Text
		w.add(item)
		return nil
	}
	parts := make([]any, len(p.Content))
	for i := range p.Content {
		content, err := contentOf(conversation.RoleTool, &p.Content[i])
		if err != nil {
			return err
		}
		parts[i] = content
	}
	item.Output = parts
	w.add(item)
	return nil
}

// addReasoning adds reasoning that has encrypted content and leaves out any other reasoning.
func (w *inputWriter) addReasoning(p *conversation.Part) {
	if p.Signature == "" {
		return
	}
	item := thoughtItem{Type: reasoning, Summary: []textPart{}, EncryptedContent: p.Signature}
	if p.Text != "" {
		item.Summary = []textPart{{summaryText, p.Text}}
	}
	w.add(item)
}

// maxCallID is the greatest length of a call's id that the API accepts.
const maxCallID = 64

// callID returns the id of a call or a result.
func callID(p *conversation.Part) string { return conversation.ShortID(p.CallID, maxCallID) }

// contentOf returns the JSON form of a part of a message. An assistant's message can only hold text and
// refusals, and no message can hold audio.
func contentOf(role conversation.MessageRole, p *conversation.Part) (any, error) {
	assistant := role == conversation.RoleAssistant
	switch {
	case p.Type == conversation.PartText && assistant:
		return textPart{outputText, p.Text}, nil
	case p.Type == conversation.PartText:
		return textPart{inputText, p.Text}, nil
	case p.Type == conversation.PartRefusal && assistant:
		return refusalPart{refusal, p.Text}, nil
	case p.Type == conversation.PartImage && !assistant:
		return imageOf(p), nil
	case p.Type == conversation.PartFile && !assistant:
		return fileOf(p), nil
	}
	return nil, conversation.UnsupportedPath(p.Path)
}

// imageOf returns the JSON form of an image.
func imageOf(p *conversation.Part) imagePart {
	part := imagePart{Type: inputImage, Detail: p.Detail, ImageURL: p.Media.URL, FileID: p.Media.ID}
	if part.Detail == "" {
		part.Detail = "auto"
	}
	if p.Media.Data != "" {
		part.ImageURL = dataURL(p.Media)
	}
	return part
}

// fileOf returns the JSON form of a file.
func fileOf(p *conversation.Part) filePart {
	part := filePart{Type: inputFile, Filename: p.Media.Name, FileURL: p.Media.URL, FileID: p.Media.ID}
	switch {
	case p.Media.Data != "" && p.Media.Type == "":
		part.FileData = p.Media.Data // the client sent plain base64
	case p.Media.Data != "":
		part.FileData = dataURL(p.Media)
	}
	return part
}

// dataURL returns the bytes of media as a data URL.
func dataURL(m conversation.Media) string {
	return strings.Join([]string{dataScheme, m.Type, ";base64,", m.Data}, "")
}
