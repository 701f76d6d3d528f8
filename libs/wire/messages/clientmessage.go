package messages

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// clientTurn represents a message of a client's request.
type clientTurn struct {
	Role    string        `json:"role"`
	Content clientContent `json:"content"`
}

// clientContent represents content: a string, which is one block of text, or an array of blocks.
type clientContent struct {
	blocks   []clientBlock
	given    bool // the field is there and not null
	isText   bool // it is a string
	isObject bool // it is an object, as in the results of some tools of the provider, which are not read
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. null is no content.
func (c *clientContent) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = clientContent{}
	switch dec.PeekKind() {
	case 'n':
		return dec.SkipValue()
	case '"':
		var text string
		if err := json.UnmarshalDecode(dec, &text); err != nil {
			return err
		}
		*c = clientContent{blocks: []clientBlock{{Type: textBlock, Text: text}}, given: true, isText: true}
		return nil
	case '{':
		c.given, c.isObject = true, true
		return dec.SkipValue()
	}
	c.given = true
	return json.UnmarshalDecode(dec, &c.blocks)
}

// clientBlock represents a content block of a client, of any of the types below.
type clientBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     jsontext.Value  `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	ToolName  string          `json:"tool_name"`
	Content   clientContent   `json:"content"`
	IsError   bool            `json:"is_error"`
	Source    *clientSource   `json:"source"`
	Title     string          `json:"title"`
	Context   string          `json:"context"`
	Citations clientCitations `json:"citations"`

	CacheControl jsontext.Value `json:"cache_control"`
}

// clientSource represents the content of an image or a document.
type clientSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. The source of a result of a search is a text, often a URL.
func (s *clientSource) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, &s.URL)
	}
	type plain clientSource
	return json.UnmarshalDecode(dec, (*plain)(s))
}

// clientCitations says whether the answer must cite a document. In a text of an earlier answer it lists what the text
// cites, which the model need not see again.
type clientCitations struct{ enabled bool }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *clientCitations) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = clientCitations{}
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	var config struct {
		Enabled bool `json:"enabled"`
	}
	err := json.UnmarshalDecode(dec, &config)
	c.enabled = config.Enabled
	return err
}

// readMessages reads the system prompt and the messages.
func (b *clientBody) readMessages(r *conversation.Request) error {
	if parts, err := readTexts(&b.System, "system"); err != nil {
		return err
	} else if len(parts) > 0 {
		r.Messages = append(r.Messages, conversation.Message{Role: conversation.RoleSystem, Parts: parts,
			Path: "system"})
	}
	for i := range b.Messages {
		turn, path := &b.Messages[i], param.Element("messages", i)
		if !turn.Content.given {
			return param.Missing(path + ".content")
		}
		if err := turn.Content.check(path + ".content"); err != nil {
			return err
		}
		var err error
		switch turn.Role {
		case user:
			err = turn.readUser(r, path)
		case assistant:
			err = turn.readAssistant(r, path)
		case "system": // Claude Code sends instructions between turns
			var parts []conversation.Part
			parts, err = readTexts(&turn.Content, path+".content")
			if len(parts) > 0 {
				r.Messages = append(r.Messages,
					conversation.Message{Role: conversation.RoleSystem, Parts: parts, Path: path})
			}
		case "":
			err = param.Missing(path + ".role")
		default:
			err = conversation.UnsupportedPath(path + ".role")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the content is an object. It must be called before the blocks are read.
func (c *clientContent) check(path string) error {
	if c.isObject {
		return param.Invalid(path, "a string or an array")
	}
	return nil
}

// blockPath returns the path of block i of content. A string has no blocks.
func (c *clientContent) blockPath(path string, i int) string {
	if c.isText {
		return path
	}
	return param.Element(path, i)
}

// readTexts reads content in which only texts are allowed. Empty texts are left out.
func readTexts(c *clientContent, path string) (parts []conversation.Part, err error) {
	if err := c.check(path); err != nil {
		return nil, err
	}
	for i := range c.blocks {
		blockPath := c.blockPath(path, i)
		switch b := &c.blocks[i]; {
		case b.Type != textBlock:
			return nil, conversation.UnsupportedPath(blockPath)
		case b.Text != "":
			parts = append(parts, conversation.Part{Type: conversation.PartText, Path: blockPath, Text: b.Text})
		}
	}
	return parts, nil
}

// readUser reads a message of the user. Results of tools become a message of their own before the rest, because other
// dialects require them directly after their calls.
func (t *clientTurn) readUser(r *conversation.Request, path string) error {
	results := conversation.Message{Role: conversation.RoleTool, Path: path}
	msg := conversation.Message{Role: conversation.RoleUser, Path: path}
	for i := range t.Content.blocks {
		b, blockPath := &t.Content.blocks[i], t.Content.blockPath(path+".content", i)
		if b.Type == resultBlock {
			part, err := b.readResult(blockPath)
			if err != nil {
				return err
			}
			results.Parts = append(results.Parts, part)
			continue
		}
		part, err := b.readInputBlock(blockPath)
		if err != nil {
			return err
		}
		msg.Parts = append(msg.Parts, part)
	}
	if len(results.Parts) > 0 {
		r.Messages = append(r.Messages, results)
	}
	if len(msg.Parts) > 0 || len(results.Parts) == 0 {
		r.Messages = append(r.Messages, msg)
	}
	return nil
}

// readInputBlock reads a block of the user or of the result of a tool: a text, an image, a document or a result of a
// search.
func (b *clientBlock) readInputBlock(path string) (conversation.Part, error) {
	switch b.Type {
	case textBlock:
		return conversation.Part{Type: conversation.PartText, Path: path, Text: b.Text}, nil
	case imageBlock:
		part, err := b.readMedia(conversation.PartImage, path)
		part.Media.Type = param.ImageType(part.Media.Type, part.Media.Data)
		return part, err
	case documentBlock:
		return b.readDocument(path)
	case "tool_reference": // a search of the client found the tool, which other dialects get anyway
		return conversation.Part{Type: conversation.PartText, Path: path, Text: "Tool found: " + b.ToolName}, nil
	case "search_result":
		return b.readSearchResult(path)
	case "":
		return conversation.Part{}, param.Missing(path + ".type")
	}
	return conversation.Part{}, conversation.UnsupportedPath(path)
}

// readSearchResult reads a result of a search as a text: its title, its source and its content.
func (b *clientBlock) readSearchResult(path string) (conversation.Part, error) {
	texts, err := readTexts(&b.Content, path+".content")
	lines := []string{b.Title}
	if b.Source != nil {
		lines = append(lines, b.Source.URL)
	}
	for _, text := range texts {
		lines = append(lines, text.Text)
	}
	return conversation.Part{Type: conversation.PartText, Path: path, Text: join(lines...)}, err
}

// readMedia reads an image or a PDF that is given by its data or its URL.
func (b *clientBlock) readMedia(kind conversation.PartType, path string) (conversation.Part, error) {
	part := conversation.Part{Type: kind, Path: path}
	switch s := b.Source; {
	case s == nil:
		return part, param.Missing(path + ".source")
	case s.Type == "base64" && s.Data != "":
		part.Media = conversation.Media{Type: param.MediaType(s.MediaType), Data: s.Data}
	case s.Type == "url" && s.URL != "":
		part.Media = conversation.Media{URL: s.URL}
	default: // a file that is stored at the upstream, or content that is nested
		return part, conversation.UnsupportedPath(path + ".source")
	}
	return part, nil
}

// readDocument reads a PDF or a text. A text becomes a text part, which every upstream accepts, below its title.
func (b *clientBlock) readDocument(path string) (conversation.Part, error) {
	if b.Citations.enabled {
		return conversation.Part{}, conversation.UnsupportedPath(path + ".citations")
	}
	if s := b.Source; s != nil && s.Type == "text" {
		return conversation.Part{Type: conversation.PartText, Path: path, Text: join(b.Title, b.Context, s.Data)}, nil
	}
	if b.Context != "" {
		return conversation.Part{}, conversation.UnsupportedPath(path + ".context")
	}
	part, err := b.readMedia(conversation.PartFile, path)
	if err != nil {
		return part, err
	}
	if part.Media.URL != "" {
		part.Media.Type = pdf // the only type that such a document can have
	}
	if part.Media.Name = b.Title; part.Media.Name == "" && part.Media.Data != "" {
		part.Media.Name = "document.pdf" // OpenAI requires a name
	}
	if _, err := base64.StdEncoding.DecodeString(part.Media.Data); err != nil {
		return part, param.Invalid(path+".source.data", "base64")
	}
	return part, nil
}

// join joins the texts that are not empty, one below the other.
func join(texts ...string) string {
	var parts []string
	for _, text := range texts {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// failedResult precedes the content of a result with is_error, because other dialects have no such field.
const failedResult = "The tool reported an error:"

// readResult reads the result of a tool.
func (b *clientBlock) readResult(path string) (conversation.Part, error) {
	part := conversation.Part{Type: conversation.PartToolResult, Path: path, CallID: b.ToolUseID}
	if b.ToolUseID == "" {
		return part, param.Missing(path + ".tool_use_id")
	}
	if err := b.Content.check(path + ".content"); err != nil {
		return part, err
	}
	if b.IsError {
		part.Content = append(part.Content, conversation.Part{Type: conversation.PartText, Path: path,
			Text: failedResult})
	}
	for i := range b.Content.blocks {
		inner, err := b.Content.blocks[i].readInputBlock(b.Content.blockPath(path+".content", i))
		if err != nil {
			return part, err
		}
		part.Content = append(part.Content, inner)
	}
	return part, nil
}

// readAssistant reads an earlier answer.
func (t *clientTurn) readAssistant(r *conversation.Request, path string) error {
	m := conversation.Message{Role: conversation.RoleAssistant, Path: path}
	for i := range t.Content.blocks {
		blockPath := t.Content.blockPath(path+".content", i)
		if t.Content.blocks[i].isProviderTool() {
			r.Ignored = append(r.Ignored, blockPath)
			continue
		}
		part, err := t.Content.blocks[i].readAnswerBlock(blockPath)
		if err != nil {
			return err
		}
		m.Parts = append(m.Parts, part)
	}
	r.Messages = append(r.Messages, m)
	return nil
}

// isProviderTool reports whether a block of an earlier answer is a call of a tool that the provider ran, or its result.
// Only the provider can read them, and the text of the answer says what they led to.
func (b *clientBlock) isProviderTool() bool {
	return b.Type == "server_tool_use" || b.Type == "mcp_tool_use" || b.Type != resultBlock &&
		strings.HasSuffix(b.Type, "_"+resultBlock)
}

// readAnswerBlock reads a block of an earlier answer.
func (b *clientBlock) readAnswerBlock(path string) (conversation.Part, error) {
	part := conversation.Part{Path: path}
	switch b.Type {
	case textBlock:
		part.Type, part.Text = conversation.PartText, b.Text
	case thinkingBlock:
		part.Type, part.Text, part.Signature = conversation.PartReasoning, b.Thinking,
			upstreamSeal(thinkingSeal, b.Signature)
	case redactedBlock:
		part.Type, part.Signature = conversation.PartReasoning, upstreamSeal(redactedSeal, b.Data)
	case useBlock:
		part.Type, part.CallID, part.Name, part.Arguments = conversation.PartToolCall, b.ID, b.Name, string(b.Input)
		switch {
		case b.ID == "":
			return part, param.Missing(path + ".id")
		case b.Name == "":
			return part, param.Missing(path + ".name")
		case !param.Given(b.Input):
			part.Arguments = "{}"
		case b.Input.Kind() != '{':
			return part, param.Invalid(path+".input", "an object")
		}
	case "":
		return part, param.Missing(path + ".type")
	default: // a call of a tool that the provider runs, or its result
		return part, conversation.UnsupportedPath(path)
	}
	return part, nil
}
