package chat

import (
	"encoding/json"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// readMessages reads the messages of the request.
func (b *body) readMessages(r *conversation.Request) error {
	reader := messageReader{custom: map[string]bool{}, functions: map[string]string{}}
	r.Messages = make([]conversation.Message, 0, len(b.Messages))
	if len(b.System.parts) > 0 {
		if err := b.readSystem(r); err != nil {
			return err
		}
	}
	for i := range b.Messages {
		path := param.Element("messages", i)
		m, err := reader.read(&b.Messages[i], path)
		if err != nil {
			return err
		}
		// The call has the tool's name.
		if m.Role == conversation.RoleTool && b.Messages[i].Role == "tool" && b.Messages[i].Name != "" {
			r.Ignored = append(r.Ignored, path+".name")
		}
		results, remainder := splitResults(m)
		r.Messages = append(append(r.Messages, results...), remainder)
	}
	r.Ignored = append(r.Ignored, reader.ignored...)
	return nil
}

// readSystem reads the system prompt of Anthropic's API, which some clients put next to the messages of a chat.
func (b *body) readSystem(r *conversation.Request) error {
	m := conversation.Message{Role: conversation.RoleSystem, Path: "system"}
	for i := range b.System.parts {
		path := "system"
		if !b.System.plain {
			path = param.Element(path, i)
		}
		p, err := b.System.parts[i].decode(path)
		if err != nil {
			return err
		}
		m.Parts = append(m.Parts, p)
	}
	r.Messages = append(r.Messages, m)
	return nil
}

// splitResults returns the results of calls in a user's message, which Anthropic's API puts there, as a message of
// their own, and the message without them. A message without results stays whole.
func splitResults(m conversation.Message) (results []conversation.Message, remainder conversation.Message) {
	isResult := func(p conversation.Part) bool { return p.Type == conversation.PartToolResult }
	if m.Role != conversation.RoleUser || !slices.ContainsFunc(m.Parts, isResult) {
		return nil, m
	}
	result := conversation.Message{Role: conversation.RoleTool, Path: m.Path}
	for _, p := range m.Parts {
		if isResult(p) {
			result.Parts = append(result.Parts, p)
		}
	}
	m.Parts = slices.DeleteFunc(m.Parts, isResult)
	if len(m.Parts) == 0 {
		return nil, result
	}
	return []conversation.Message{result}, m
}

// messageReader reads messages in their order. It remembers the calls that later results refer to.
type messageReader struct {
	custom map[string]bool // ids of the calls of custom tools
	// The ids that the calls of the older function_call get, by the function's name; the latest call counts.
	functions map[string]string
	ignored   []string // paths of pictures that cannot be read
}

// read reads one message.
func (r *messageReader) read(m *message, path string) (conversation.Message, error) {
	msg := conversation.Message{Role: conversation.MessageRole(m.Role), Name: m.Name, Path: path}
	var err error
	switch m.Role {
	case "system", "developer", "user":
		msg.Parts, err = m.Content.decode(path)
	case "assistant":
		msg.Parts, err = r.readAssistant(m, path)
	case "tool":
		msg.Name = ""
		msg.Parts, err = r.readResult(m, m.CallID, path)
	case "function": // the older form of a result: it names the function, because calls had no ids
		msg.Role, msg.Name = conversation.RoleTool, ""
		id, ok := r.functions[m.Name]
		if !ok {
			return msg, param.Invalid(path+".name", "the name of a function that was called before")
		}
		msg.Parts, err = r.readResult(m, id, path)
	case "":
		err = param.Missing(path + ".role")
	default:
		err = param.Invalid(path+".role", "developer, system, user, assistant, tool or function")
	}
	if n := len(msg.Parts); n > 0 && len(given(m.Cache)) > 0 {
		msg.Parts[n-1].Cache, msg.Parts[n-1].CacheField = json.RawMessage(m.Cache), path+".cache_control"
	}
	return msg, err
}

// readAssistant reads the parts of an assistant message: first its reasoning, then its text, its pictures and its
// calls.
func (r *messageReader) readAssistant(m *message, path string) (parts []conversation.Part, err error) {
	if len(given(m.Audio)) > 0 {
		return nil, conversation.UnsupportedPath(path + ".audio")
	}
	if m.Thought != "" {
		parts = append(parts, conversation.Part{Type: conversation.PartReasoning, Path: path + ".reasoning_content",
			Text: m.Thought})
	} else if m.OtherThought != "" {
		parts = append(parts, conversation.Part{Type: conversation.PartReasoning, Path: path + ".reasoning",
			Text: string(m.OtherThought)})
	}
	content, err := m.Content.decode(path)
	if err != nil {
		return nil, err
	}
	for _, p := range content {
		if p.Type != conversation.PartText || p.Text != "" { // clients send "" as the content of a message with calls
			parts = append(parts, p)
		}
	}
	parts = append(parts, r.readPictures(m.Images, path+".images")...)
	if m.Refusal != "" {
		parts = append(parts, conversation.Part{Type: conversation.PartRefusal, Path: path + ".refusal",
			Text: m.Refusal})
	}
	return r.readCalls(parts, m, path)
}

// readPictures reads the pictures of an earlier answer. It ignores pictures that it cannot read: no dialect needs them,
// and clients return whatever a server sent.
func (r *messageReader) readPictures(images jsontext.Value, path string) (parts []conversation.Part) {
	if len(given(images)) == 0 {
		return nil
	}
	var list []imageItem
	if jsonv2.Unmarshal(images, &list, lenient) != nil {
		r.ignored = append(r.ignored, path)
		return nil
	}
	for i := range list {
		p := conversation.Part{Type: conversation.PartPicture, Path: param.Element(path, i)}
		var err error
		if p.Media, err = readURL(list[i].Image.URL, p.Path); err != nil {
			r.ignored = append(r.ignored, p.Path)
			continue
		}
		p.Media.Type = param.ImageType(p.Media.Type, p.Media.Data)
		parts = append(parts, p)
	}
	return parts
}

// readCalls reads the calls of an assistant message. The older function_call has no id, so it gets one from its
// path.
func (r *messageReader) readCalls(parts []conversation.Part, m *message, path string) ([]conversation.Part, error) {
	for i := range m.Calls {
		p, err := m.Calls[i].decode(param.Element(path+".tool_calls", i))
		if err != nil {
			return nil, err
		}
		if p.Custom {
			r.custom[p.CallID] = true
		}
		parts = append(parts, p)
	}
	if f := m.FunctionCall; f != nil {
		callPath := path + ".function_call"
		if f.Name == "" {
			return nil, param.Missing(callPath + ".name")
		}
		id := "call_" + strings.NewReplacer("[", "_", "]", "").Replace(path) // for example call_messages_2
		r.functions[f.Name] = id
		parts = append(parts, conversation.Part{Type: conversation.PartToolCall, Path: callPath, CallID: id,
			Name: f.Name, Arguments: string(f.Arguments)})
	}
	return parts, nil
}

// decode reads one call.
func (c *call) decode(path string) (conversation.Part, error) {
	p := conversation.Part{Type: conversation.PartToolCall, Path: path, CallID: c.ID, Signature: c.Extra.Google.Seal}
	switch {
	case c.Function != nil && c.Type != "custom":
		p.Name, p.Arguments = c.Function.Name, string(c.Function.Arguments)
	case c.Custom != nil:
		p.Name, p.Arguments, p.Custom = c.Custom.Name, c.Custom.Input, true
	default:
		return p, conversation.UnsupportedPath(path)
	}
	switch {
	case p.CallID == "":
		return p, param.Missing(path + ".id")
	case p.Name == "":
		return p, param.Missing(path + ".function.name")
	}
	return p, nil
}

// readResult reads the result of the call with the id.
func (r *messageReader) readResult(m *message, id, path string) ([]conversation.Part, error) {
	if id == "" {
		return nil, param.Missing(path + ".tool_call_id")
	}
	content, err := m.Content.decode(path)
	return []conversation.Part{{Type: conversation.PartToolResult, Path: path, CallID: id, Custom: r.custom[id],
		Content: content}}, err
}

// decode reads the content of the message at path.
func (c content) decode(path string) ([]conversation.Part, error) {
	path += ".content"
	if c.plain {
		return []conversation.Part{{Type: conversation.PartText, Path: path, Text: *c.parts[0].Text}}, nil
	}
	parts := make([]conversation.Part, 0, len(c.parts))
	for i := range c.parts {
		p, err := c.parts[i].decode(param.Element(path, i))
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// decode reads one part of a message's content.
func (p *part) decode(path string) (out conversation.Part, err error) {
	out.Path = path
	if cache := given(p.Cache); len(cache) > 0 {
		out.Cache, out.CacheField = json.RawMessage(cache), path+".cache_control"
	}
	switch {
	case p.Type == "":
		err = param.Missing(path + ".type")
	case (p.Type == "text" || p.Type == "input_text" || p.Type == "output_text") && p.Text != nil:
		out.Type, out.Text = conversation.PartText, *p.Text
	case p.Type == "refusal":
		out.Type, out.Text = conversation.PartRefusal, p.Refusal
	case (p.Type == "image_url" || p.Type == "input_image") && p.Image != nil:
		out.Type, out.Detail = conversation.PartImage, p.Image.Detail
		out.Media, err = readURL(p.Image.URL, path+".image_url.url")
		out.Media.Type = param.ImageType(out.Media.Type, out.Media.Data)
		param.Retype(&out)
	case p.Type == "video_url" && p.Video != nil: // of vLLM, OpenRouter and others
		out.Type = conversation.PartFile
		out.Media, err = readURL(p.Video.URL, path+".video_url.url")
	case p.Type == "audio_url" && p.Sound != nil: // of vLLM
		out.Type = conversation.PartAudio
		out.Media, err = readURL(p.Sound.URL, path+".audio_url.url")
	case p.Type == "input_audio" && p.Audio != nil:
		out.Type = conversation.PartAudio
		out.Media, err = p.Audio.decode(path + ".input_audio.data")
	case p.Type == "file" && p.File != nil:
		out.Type = conversation.PartFile
		out.Media, err = p.File.decode(path + ".file")
	case p.Type == "text" || p.Type == "image_url" || p.Type == "input_audio" || p.Type == "file":
		err = param.Missing(path + "." + p.Type)
	default:
		err = p.block.decode(p.Type, path, &out)
	}
	return out, err
}

// decode reads a block of Anthropic's API into out.
func (b *block) decode(kind, path string, out *conversation.Part) (err error) {
	switch {
	case kind == "tool_use" && b.ID != "" && b.Name != "":
		out.Type, out.CallID, out.Name, out.Arguments = conversation.PartToolCall, b.ID, b.Name, string(b.Input)
	case kind == "tool_result" && b.ToolUseID != "":
		out.Type, out.CallID = conversation.PartToolResult, b.ToolUseID
		if b.Content != nil {
			out.Content, err = b.Content.decode(path)
		}
		if b.IsError { // other dialects have no such field
			out.Content = append([]conversation.Part{{Type: conversation.PartText, Path: path,
				Text: "The tool reported an error:"}}, out.Content...)
		}
	case kind == "image" && b.Source != nil && b.Source.URL != "":
		out.Type, out.Media.URL = conversation.PartImage, b.Source.URL
	case kind == "image" && b.Source != nil && b.Source.Data != "":
		out.Type, out.Media = conversation.PartImage, conversation.Media{Type: b.Source.MediaType, Data: b.Source.Data}
	case kind == "input_file":
		out.Type = conversation.PartFile
		out.Media, err = (&file{Name: b.Filename, Data: b.FileData, ID: b.FileID}).decode(path)
	case kind == "thinking": // its signature is of another API
		out.Type, out.Text = conversation.PartReasoning, b.Thinking
	default:
		return conversation.UnsupportedPath(path)
	}
	return err
}

// decode reads audio in base64, which Alibaba Cloud wants as a data URL or a URL.
func (a *audio) decode(path string) (m conversation.Media, err error) {
	if m.Data = a.Data; isURL(a.Data) {
		m, err = readURL(a.Data, path)
	}
	if a.Format != "" {
		m.Type = audioType(a.Format)
	}
	return m, err
}

// decode reads a file by its id, by its URL, as a data URL or as plain base64.
func (f *file) decode(path string) (m conversation.Media, err error) {
	switch {
	case f.ID != "":
		m.ID = f.ID
	case isURL(f.Data): // OpenRouter has URLs here
		m, err = readURL(f.Data, path+".file_data")
	case f.Data != "":
		m.Data = f.Data
	default:
		return m, param.Missing(path + ".file_data")
	}
	m.Name = f.Name
	return m, err
}
