package relay

import "fmt"

// The functions of this file build the unions of a chat request in one expression. Each union also has a method From...
// for each of its variants.

// SystemMessage returns instructions of the application.
func SystemMessage(text string) ChatMessage {
	var m ChatMessage
	must(m.FromChatSystemMessage(ChatSystemMessage{Content: textContent(text)}))
	return m
}

// UserMessage returns a message of the end user.
func UserMessage(text string) ChatMessage {
	var content ChatContent
	must(content.FromChatText(text))
	return userMessage(content)
}

// UserParts returns a message of the end user that consists of parts, such as a text and an image.
func UserParts(parts ...ChatPart) ChatMessage {
	var content ChatContent
	must(content.FromChatParts(parts))
	return userMessage(content)
}

func userMessage(content ChatContent) ChatMessage {
	var m ChatMessage
	must(m.FromChatUserMessage(ChatUserMessage{Content: content}))
	return m
}

// AssistantMessage returns an answer of the model as a message, for the next request of the conversation. Of a spoken
// answer the message has the id.
func AssistantMessage(answer ChatGenerated) ChatMessage {
	turn := ChatAssistantMessage{Refusal: answer.Refusal, ReasoningContent: answer.ReasoningContent,
		ToolCalls: answer.ToolCalls, FunctionCall: answer.FunctionCall, Images: answer.Images,
		Annotations: answer.Annotations}
	if answer.Audio != nil && answer.Audio.Id != nil {
		turn.Audio = &ChatAudioID{Id: *answer.Audio.Id}
	}
	if answer.Content != nil {
		turn.Content = new(ChatContent)
		must(turn.Content.FromChatText(*answer.Content))
	}
	var m ChatMessage
	must(m.FromChatAssistantMessage(turn))
	return m
}

// ToolMessage returns the result of the tool call with the id.
func ToolMessage(callID, result string) ChatMessage {
	var content ChatContent
	must(content.FromChatText(result))
	var m ChatMessage
	must(m.FromChatToolMessage(ChatToolMessage{ToolCallId: callID, Content: content}))
	return m
}

// TextPart returns a text as a part of a message.
func TextPart(text string) ChatPart {
	var p ChatPart
	must(p.FromChatTextPart(ChatTextPart{Text: text}))
	return p
}

// ImagePart returns an image as a part of a message. The URL can be a data URL.
func ImagePart(url string) ChatPart {
	var p ChatPart
	must(p.FromChatImagePart(ChatImagePart{ImageUrl: ChatImageURL{Url: url}}))
	return p
}

// FilePart returns a file as a part of a message. The data is a data URL.
func FilePart(name, data string) ChatPart {
	var p ChatPart
	must(p.FromChatFilePart(ChatFilePart{File: ChatFile{Filename: &name, FileData: &data}}))
	return p
}

// FunctionTool returns a function as a tool. It panics if the parameters contain a value that JSON doesn't have.
func FunctionTool(function ChatFunction) ChatTool {
	var t ChatTool
	must(t.FromChatFunctionTool(ChatFunctionTool{Function: function}))
	return t
}

// JSONFormat returns the response format of JSON with the schema. It panics if the schema contains a value that JSON
// doesn't have.
func JSONFormat(name string, schema map[string]any) *ResponseFormat {
	var f ResponseFormat
	strict := true
	must(f.FromResponseFormatJSONSchema(
		ResponseFormatJSONSchema{JsonSchema: JsonSchema{Name: name, Schema: &schema, Strict: &strict}}))
	return &f
}

func textContent(text string) ChatTextContent {
	var content ChatTextContent
	must(content.FromChatText(text))
	return content
}

// must panics if a value could not be written as JSON, which happens only for values of the caller that JSON doesn't
// have.
func must(err error) {
	if err != nil {
		panic(fmt.Errorf("encode a part of a request: %w", err))
	}
}
