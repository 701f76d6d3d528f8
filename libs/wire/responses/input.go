package responses

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// inputItem represents any item of `input`. Fields whose type depends on the item are raw values.
type inputItem struct {
	Type             string         `json:"type"`
	Role             string         `json:"role"`
	Content          jsontext.Value `json:"content"`
	CallID           string         `json:"call_id"`
	Name             string         `json:"name"`
	Namespace        string         `json:"namespace"`
	Arguments        jsontext.Value `json:"arguments"`
	Input            jsontext.Value `json:"input"`
	Output           jsontext.Value `json:"output"`
	Summary          jsontext.Value `json:"summary"`
	EncryptedContent string         `json:"encrypted_content"`
	Phase            string         `json:"phase"`  // of an earlier answer: commentary or final_answer
	Result           jsontext.Value `json:"result"` // of a picture: base64
	OutputFormat     jsontext.Value `json:"output_format"`
}

// inputReader builds messages from the items of `input`.
type inputReader struct {
	messages []conversation.Message
	// isLastOpen reports whether items of its role can be added to the last message: it is the assistant's, or an item
	// that is no message began it.
	isLastOpen bool
	ignored    []string
}

// read reads the value of `input`: a string, which is one user message, or an array of items.
func (in *inputReader) read(raw jsontext.Value) error {
	switch raw.Kind() {
	case '"':
		return in.readMessage(&inputItem{Role: string(conversation.RoleUser), Content: raw}, "input")
	case '[':
	default:
		return param.Invalid("input", "a string or an array")
	}
	var items []jsontext.Value
	if err := read(raw, "input", &items); err != nil {
		return err
	}
	for i, raw := range items {
		if err := in.readItem(raw, param.Element("input", i)); err != nil {
			return err
		}
	}
	return nil
}

// readItem reads one item.
func (in *inputReader) readItem(raw jsontext.Value, path string) error {
	var item inputItem
	if err := read(raw, path, &item); err != nil {
		return err
	}
	if item.Type == "" {
		if item.Role == "" {
			return param.Missing(path + ".type")
		}
		item.Type = message
	}
	switch item.Type {
	case message:
		return in.readMessage(&item, path)
	case functionCall, customCall:
		return in.readCall(&item, path)
	case functionOutput, customOutput:
		return in.readResult(&item, path)
	case reasoning:
		return in.readReasoning(&item, path)
	case pictureCall:
		return in.readPicture(&item, path)
	case "web_search_call", "file_search_call", "code_interpreter_call", "mcp_list_tools", "mcp_call":
		in.ignored = append(in.ignored, path) // the provider ran the tool, and the answer has its result
		return nil
	}
	// References to items that the provider stores, and items that only the provider can read.
	return conversation.UnsupportedPath(path)
}

// readMessage reads a message item.
func (in *inputReader) readMessage(item *inputItem, path string) error {
	role := conversation.MessageRole(item.Role) // the conversation uses the API's names of the roles
	switch role {
	case conversation.RoleUser, conversation.RoleAssistant, conversation.RoleSystem, conversation.RoleDeveloper:
	case "":
		return param.Missing(path + ".role")
	default:
		return param.Invalid(path+".role", "one of 'user', 'assistant', 'system' and 'developer'")
	}
	if item.Phase != "" {
		in.ignored = append(in.ignored, path+".phase")
	}
	contentPath := path + ".content"
	if path == "input" {
		contentPath = path
	}
	parts, err := readContent(item.Content, contentPath)
	if err != nil {
		return err
	}
	// Clients return reasoning, text and calls of one turn as separate items. Other dialects need them in one message.
	if role == conversation.RoleAssistant && in.isLastOpen && !isCompleteTurn(in.messages[len(in.messages)-1]) {
		in.appendToMessage(role, path, parts...)
		return nil
	}
	in.messages = append(in.messages, conversation.Message{Role: role, Parts: parts, Path: path})
	in.isLastOpen = role == conversation.RoleAssistant
	return nil
}

// isCompleteTurn reports whether a text after m begins a new turn: m is not the assistant's, or it has text and no
// calls.
func isCompleteTurn(m conversation.Message) bool {
	isComplete := m.Role != conversation.RoleAssistant
	for _, p := range m.Parts {
		switch p.Type {
		case conversation.PartToolCall:
			return false
		case conversation.PartText, conversation.PartRefusal:
			isComplete = true
		}
	}
	return isComplete
}

// appendToMessage adds parts to the last message if it is open and has the role, and otherwise begins a new message.
func (in *inputReader) appendToMessage(role conversation.MessageRole, path string, parts ...conversation.Part) {
	if last := len(in.messages) - 1; in.isLastOpen && in.messages[last].Role == role {
		in.messages[last].Parts = append(in.messages[last].Parts, parts...)
		return
	}
	in.messages = append(in.messages, conversation.Message{Role: role, Path: path, Parts: parts})
	in.isLastOpen = true
}

// readCall reads a call of a function or a custom tool.
func (in *inputReader) readCall(item *inputItem, path string) error {
	p := conversation.Part{Type: conversation.PartToolCall, Path: path, CallID: item.CallID,
		Custom: item.Type == customCall}
	if p.CallID == "" {
		return param.Missing(path + ".call_id")
	}
	if item.Name == "" {
		return param.Missing(path + ".name")
	}
	p.Name = qualified(item.Namespace, item.Name)
	arguments, key := item.Arguments, ".arguments"
	if p.Custom {
		arguments, key = item.Input, ".input"
	}
	if !param.Given(arguments) {
		return param.Missing(path + key)
	}
	if err := read(arguments, path+key, &p.Arguments); err != nil {
		return err
	}
	in.appendToMessage(conversation.RoleAssistant, path, p)
	return nil
}

// readResult reads the result of a call.
func (in *inputReader) readResult(item *inputItem, path string) error {
	if item.CallID == "" {
		return param.Missing(path + ".call_id")
	}
	content, err := readContent(item.Output, path+".output")
	if err != nil {
		return err
	}
	in.appendToMessage(conversation.RoleTool, path, conversation.Part{
		Type: conversation.PartToolResult, Path: path, CallID: item.CallID, Custom: item.Type == customOutput,
		Content: content,
	})
	return nil
}

// readReasoning reads a reasoning item. It drops an item without text and encrypted content: only the provider that
// stores it could look it up by its id.
func (in *inputReader) readReasoning(item *inputItem, path string) error {
	p := conversation.Part{Type: conversation.PartReasoning, Path: path, Signature: item.EncryptedContent}
	for _, field := range []struct {
		key string
		raw jsontext.Value
	}{{".summary", item.Summary}, {".content", item.Content}} {
		text, err := readTexts(field.raw, path+field.key)
		if err != nil {
			return err
		}
		if p.Text == "" {
			p.Text = text
		}
	}
	if p.Text != "" || p.Signature != "" {
		in.appendToMessage(conversation.RoleAssistant, path, p)
	}
	return nil
}

// readPicture reads a picture of an earlier answer. It ignores an item without a picture, such as the reference to a
// picture that OpenAI stores.
func (in *inputReader) readPicture(item *inputItem, path string) error {
	p := conversation.Part{Type: conversation.PartPicture, Path: path}
	format := "png"
	if item.Result.Kind() != '"' {
		in.ignored = append(in.ignored, path)
		return nil
	}
	if err := read(item.Result, path+".result", &p.Media.Data); err != nil {
		return err
	}
	if item.OutputFormat.Kind() == '"' {
		if err := read(item.OutputFormat, path+".output_format", &format); err != nil {
			return err
		}
	}
	p.Media.Type = param.ImageType("image/"+format, p.Media.Data)
	in.appendToMessage(conversation.RoleAssistant, path, p)
	return nil
}

// readTexts joins the texts of a summary or of reasoning by blank lines.
func readTexts(raw jsontext.Value, path string) (string, error) {
	if !param.Given(raw) {
		return "", nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	err := read(raw, path, &parts)
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, blankLine), err
}

const blankLine = "\n\n"

// contentPart represents any part of a message's content or of a tool's output.
type contentPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Refusal  string `json:"refusal"`
	ImageURL string `json:"image_url"`
	Detail   string `json:"detail"`
	FileID   string `json:"file_id"`
	FileData string `json:"file_data"`
	FileURL  string `json:"file_url"`
	Filename string `json:"filename"`
	Audio    struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
}

// readContent reads content that is a string or an array of parts.
func readContent(raw jsontext.Value, path string) ([]conversation.Part, error) {
	if !param.Given(raw) {
		return nil, param.Missing(path)
	}
	switch raw.Kind() {
	case '"':
		parts := []conversation.Part{{Type: conversation.PartText, Path: path}}
		return parts, read(raw, path, &parts[0].Text)
	case '[':
	default:
		return nil, param.Invalid(path, "a string or an array")
	}
	var parts []contentPart
	if err := read(raw, path, &parts); err != nil {
		return nil, err
	}
	out := make([]conversation.Part, len(parts))
	for i := range parts {
		p := &out[i]
		p.Path = param.Element(path, i)
		if err := parts[i].decode(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decode sets the fields of p, whose Path must be set, from the part.
func (c *contentPart) decode(p *conversation.Part) (err error) {
	switch c.Type {
	case "":
		return param.Missing(p.Path + ".type")
	case inputText, outputText, "text":
		p.Type, p.Text = conversation.PartText, c.Text
	case refusal:
		p.Type, p.Text = conversation.PartRefusal, c.Refusal
	case inputImage:
		p.Type, p.Detail = conversation.PartImage, c.Detail
		p.Media, err = c.image(p.Path)
		param.Retype(p)
	case inputFile:
		p.Type = conversation.PartFile
		p.Media, err = c.file(p.Path)
	case "input_audio":
		p.Type, p.Media.Data = conversation.PartAudio, c.Audio.Data
		p.Media.Type, err = audioType(c.Audio.Format, p.Path)
	default:
		err = conversation.UnsupportedPath(p.Path)
	}
	return err
}

// image reads an image by its file id, URL or data URL.
func (c *contentPart) image(path string) (m conversation.Media, err error) {
	m.ID = c.FileID
	if c.ImageURL == "" {
		if m.ID == "" {
			err = param.Missing(path + ".image_url")
		}
		return m, err
	}
	err = readURL(c.ImageURL, path+".image_url", &m)
	m.Type = param.ImageType(m.Type, m.Data)
	return m, err
}

// file reads a file by its id or URL, as a data URL or as plain base64.
func (c *contentPart) file(path string) (m conversation.Media, err error) {
	m.Name, m.ID, m.URL = c.Filename, c.FileID, c.FileURL
	switch _, _, isData, _ := param.DataURL(c.FileData); {
	case isData:
		err = readURL(c.FileData, path+".file_data", &m)
	case c.FileData != "":
		m.Data = c.FileData
	case m.ID == "" && m.URL == "":
		err = param.Missing(path + ".file_data")
	}
	return m, err
}

const dataScheme = "data:"

// readURL sets the URL of m, or the data of a data URL.
func readURL(url, path string, m *conversation.Media) error {
	mediaType, data, isData, ok := param.DataURL(url)
	switch {
	case ok:
		m.Type, m.Data = mediaType, data
	case isData:
		return param.Invalid(path, "a URL or a base64-encoded data URL")
	default:
		m.URL = url
	}
	return nil
}

// audioType returns the media type of an audio format.
func audioType(format, path string) (string, error) {
	switch format {
	case "wav":
		return "audio/wav", nil
	case "mp3":
		return "audio/mpeg", nil
	case "":
		return "", param.Missing(path + ".input_audio.format")
	}
	return "", param.Invalid(path+".input_audio.format", "one of 'wav' and 'mp3'")
}
