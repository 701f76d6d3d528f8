package messages

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// The API has a format for JSON with a schema and none for any JSON object. A model that can be forced to call a tool
// gets one more tool, answerTool, whose input is the answer: the API makes sure that an input is a JSON object. The
// Decoder turns its call into text. A model that thinks cannot be forced, or would not think then, so it is asked with
// objectInstruction.
const (
	answerName        = "json_answer"
	answerDescription = "Gives your answer to the user. Call it once, with the complete answer as its input: a JSON " +
		"object with exactly the keys that the conversation asks for, at its top level."
	objectInstruction = "Write your answer to the user as a single JSON object and nothing else: no text before or " +
		"after it, and no code fence around it."
)

var objectSchema = jsontext.Value(`{"type":"object","additionalProperties":true}`)

// answerTool returns the name of the tool that takes the answer to r: a name that no tool of the client has. It is ""
// if r does not ask for a JSON object without a schema.
func answerTool(r *conversation.Request) string {
	if r.Format.Type != conversation.FormatJSON {
		return ""
	}
	name := answerName
	for slices.ContainsFunc(r.Tools, func(t conversation.Tool) bool { return t.Name == name }) {
		name += "_"
	}
	return name
}

// jsonObject asks for an answer that is a JSON object, if the client does. A client that requires a call of one of its
// own tools gets no text. It must run after the other steps: it adds to the tools and to the system field, behind what
// the client may have cached, and turns may switch thinking off.
func (e *encoder) jsonObject() error {
	name, choice := answerTool(e.r), e.r.ToolChoice.Mode
	switch {
	case name == "", e.isCallForced():
		return nil
	case e.thinks() || !e.model.forceable:
		e.out.System = append(e.out.System, block{Type: textBlock, Text: objectInstruction})
		return nil
	}
	noTools := len(e.out.Tools) == 0 || choice == conversation.ToolChoiceNone
	e.out.Tools = append(e.out.Tools, tool{Name: name, Description: answerDescription, InputSchema: objectSchema})
	if noTools {
		e.out.ToolChoice = &toolChoice{Type: "tool", Name: name}
		return nil
	}
	if e.out.ToolChoice == nil {
		e.out.ToolChoice = &toolChoice{}
	}
	e.out.ToolChoice.Type = "any" // the answer, or tools of the client
	return nil
}

// thinks reports whether the model thinks before it answers this request.
func (e *encoder) thinks() bool {
	if e.out.Thinking == nil {
		return e.model.thinksByDefault
	}
	return e.out.Thinking.Type != e.model.offType
}
