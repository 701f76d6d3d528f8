package gemini

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/gemini/thought"
)

// content represents one turn. The role is user or model; the system instruction has no role.
type content struct {
	Role  string `json:"role,omitzero"`
	Parts []part `json:"parts"`
}

// part represents one part of a turn. One of the first five fields is set.
type part struct {
	Text      *string           `json:"text,omitzero"`
	Inline    *blob             `json:"inlineData,omitzero"`
	File      *fileData         `json:"fileData,omitzero"`
	Call      *functionCall     `json:"functionCall,omitzero"`
	Response  *functionResponse `json:"functionResponse,omitzero"`
	Thought   bool              `json:"thought,omitzero"`
	Signature string            `json:"thoughtSignature,omitzero"`
}

// functionCall represents a call of the model. Args is a JSON object.
type functionCall struct {
	ID   string         `json:"id,omitzero"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

// functionResponse represents the result of a call. Response is a JSON object; Parts hold media.
type functionResponse struct {
	ID       string         `json:"id,omitzero"`
	Name     string         `json:"name"`
	Response jsontext.Value `json:"response"`
	Parts    []part         `json:"parts,omitempty"`
}

const (
	userRole  = "user" // also the role of results of calls
	modelRole = "model"

	// The texts of the user's contents that the API requires and the client did not send.
	beforeFirst = "(continued)"
	afterLast   = "(continue)"

	// sealMark begins the Signature of parts that came from this family, see conversation.Part.
	// Gemini cannot read another family's signature, nor another family Gemini's.
	sealMark = "gemini:"
	// nextSealMark begins the Signature of a reasoning part that carries the signature of the call or picture after it.
	// It is for clients that can return the signatures of reasoning, but not of calls.
	nextSealMark = sealMark + "call:"
)

// writeTurns writes all turns. A model's turn comes only after a user's, and the last turn is a user's.
func (e *encoder) writeTurns() error {
	messages, err := e.request.Turns()
	if err != nil {
		return err
	}
	for i := range messages {
		if err := e.writeMessage(&messages[i]); err != nil {
			return err
		}
	}
	if len(e.out.Contents) == 0 && e.out.System != nil && e.blankPath == "" { // OpenAI answers instructions alone
		e.addText(userRole, afterLast)
	}
	if len(e.out.Contents) == 0 {
		return problem.New(problem.UnsupportedParameter, "This model needs at least one message with content that "+
			"is not an instruction. Add a user message.").At(e.contentField())
	}
	if e.out.Contents[0].Role != userRole { // clients cut old turns off
		text := beforeFirst
		e.out.Contents = slices.Insert(e.out.Contents, 0, content{Role: userRole, Parts: []part{{Text: &text}}})
	}
	if e.out.Contents[len(e.out.Contents)-1].Role != userRole {
		e.addText(userRole, afterLast)
	}
	if e.generation.noInstruction && e.out.System != nil {
		e.moveInstruction()
	}
	if e.generation.isThirdOrLater {
		e.signSteps()
	}
	return nil
}

// moveInstruction moves the system instruction to the beginning of the first turn, where Google advises to write it for
// Gemma 3 (https://ai.google.dev/gemma/docs/formatting). A blank line follows each text, as in Gemma's chat template.
func (e *encoder) moveInstruction() {
	parts := e.out.System.Parts
	for i := range parts {
		text := *parts[i].Text + "\n\n"
		parts[i].Text = &text
	}
	e.out.System = nil
	e.out.Contents[0].Parts = append(parts, e.out.Contents[0].Parts...)
}

// writeMessage writes the parts of one message. Contents that the results of calls cannot have follow the results.
func (e *encoder) writeMessage(m *conversation.Message) error {
	for i := range m.Parts {
		p := &m.Parts[i]
		if err := e.writePart(m.Role, p); err != nil {
			return err
		}
	}
	contents := e.afterResults
	e.afterResults = nil
	for i := range contents {
		if err := e.writePart(conversation.RoleUser, &contents[i]); err != nil {
			return err
		}
	}
	return nil
}

// writePart writes one part as the role requires it. The results of calls are written in the user's turn.
func (e *encoder) writePart(role conversation.MessageRole, p *conversation.Part) error {
	switch role {
	case conversation.RoleSystem, conversation.RoleDeveloper:
		return e.writeSystemPart(p)
	case conversation.RoleAssistant:
		return e.writeModelPart(p)
	case conversation.RoleUser, conversation.RoleTool:
	}
	switch p.Type {
	case conversation.PartText:
		if e.addText(userRole, p.Text); p.Text == "" {
			e.blankPath = p.Path
		}
	case conversation.PartImage, conversation.PartFile, conversation.PartAudio:
		media, err := mediaPart(p)
		if err != nil {
			return err
		}
		e.add(userRole, media)
	case conversation.PartToolResult:
		return e.addResult(p)
	default:
		return conversation.UnsupportedPath(p.Path)
	}
	return nil
}

// writeSystemPart adds a text to the system instruction, which accepts texts only.
func (e *encoder) writeSystemPart(p *conversation.Part) error {
	if p.Type != conversation.PartText {
		return conversation.UnsupportedPath(p.Path)
	}
	if p.Text == "" {
		return nil
	}
	if e.out.System == nil {
		e.out.System = &content{}
	}
	e.out.System.Parts = append(e.out.System.Parts, part{Text: &p.Text})
	return nil
}

// writeModelPart writes a part of an assistant message.
func (e *encoder) writeModelPart(p *conversation.Part) error {
	switch p.Type {
	case conversation.PartText, conversation.PartRefusal:
		e.addText(modelRole, p.Text)
	case conversation.PartReasoning:
		e.addReasoning(p)
	case conversation.PartToolCall:
		return e.addCall(p)
	case conversation.PartPicture:
		e.addPicture(p)
	default:
		return conversation.UnsupportedPath(p.Path)
	}
	return nil
}

// addPicture returns to the model a picture of an earlier answer. It leaves out one that is not given by its bytes, or
// whose type Gemini does not read.
func (e *encoder) addPicture(p *conversation.Part) {
	media, err := mediaPart(p)
	if err != nil || media.Inline == nil {
		e.ignored = append(e.ignored, p.Path)
		return
	}
	e.add(modelRole, media)
}

// contentField returns the path of the last text of a user that was left out, else the client's name of the field of
// messages.
func (e *encoder) contentField() string {
	switch {
	case e.blankPath != "":
		return e.blankPath
	case e.request.Client == conversation.ClientResponses:
		return "input"
	}
	return "messages"
}

// addText adds a text. It leaves out an empty one, because Gemini refuses it.
func (e *encoder) addText(role, text string) {
	if text != "" {
		e.add(role, part{Text: &text})
	}
}

// addReasoning returns to Gemini the reasoning that it signed. It drops reasoning without a signature of this
// family, which the model cannot use. A signature without text belongs to the text before it.
func (e *encoder) addReasoning(p *conversation.Part) {
	if signature, ok := strings.CutPrefix(p.Signature, nextSealMark); ok {
		e.signature = signature
		return
	}
	if signature := signatureOf(p.Signature); signature != "" {
		e.add(modelRole, part{Text: &p.Text, Thought: p.Text != "", Signature: signature})
	}
}

// signatureOf returns the signature without the mark of this family, or "" for any other signature.
func signatureOf(seal string) string {
	if signature, ok := strings.CutPrefix(seal, sealMark); ok {
		return signature
	}
	return ""
}

// addCall adds a call, and remembers its name for the result.
func (e *encoder) addCall(p *conversation.Part) error {
	args, err := argsOf(p)
	if err != nil {
		return err
	}
	e.names[p.CallID] = p.Name
	e.add(modelRole, part{
		Call:      &functionCall{ID: e.callID(p.CallID), Name: e.names[p.CallID], Args: args},
		Signature: signatureOf(p.Signature),
	})
	return nil
}

// callID returns the id of a call or result, "" if the server does not know ids: it matches results by their order
// then.
func (e *encoder) callID(id string) string {
	if e.noCallIDs {
		return ""
	}
	return id
}

// argsOf returns the arguments of a call as an object. The text of a custom tool's call becomes its only member. So do
// arguments that are not an object, under another name: a model can write them, for example when its output ends within
// them, and the client answers with an error as the result.
func argsOf(p *conversation.Part) (jsontext.Value, error) {
	if p.Custom {
		return wrap("input", p.Arguments)
	}
	if strings.TrimSpace(p.Arguments) == "" {
		return jsontext.Value("{}"), nil
	}
	if args := jsontext.Value(p.Arguments); isObject(args) {
		return args, nil
	}
	return wrap("_raw", p.Arguments)
}

// isObject reports whether v is a valid JSON object, duplicate names allowed.
func isObject(v jsontext.Value) bool { return v.IsValid(keepSpelling) && v.Kind() == '{' }

// wrap returns an object with the text as its only member.
func wrap(name, text string) (jsontext.Value, error) {
	return json.Marshal(map[string]string{name: text}, keepSpelling)
}

// addResult adds the result of a call. Gemini requires an object, so the text becomes its only member. This is also
// done with a text that is a JSON object, because Gemini has its own meaning for some keys, such as $ref, error and
// output.
func (e *encoder) addResult(p *conversation.Part) (err error) {
	response := &functionResponse{ID: e.callID(p.CallID), Name: e.names[p.CallID]}
	var texts []string
	var others []conversation.Part
	for _, content := range p.Content {
		switch {
		case content.Type == conversation.PartText:
			texts = append(texts, content.Text)
		case e.fitsInResult(&content):
			media, err := mediaPart(&content)
			if err != nil {
				return err
			}
			response.Parts = append(response.Parts, media)
		default:
			others = append(others, content)
		}
	}
	e.afterResults = append(e.afterResults, toolcall.LabelContents(p, others)...)
	response.Response, err = wrap("result", strings.Join(texts, "\n"))
	e.add(userRole, part{Response: response})
	return err
}

// fitsInResult reports whether media can be in the result of a call. Only newer models accept images and documents
// there, and only as bytes: Gemini does not fetch URLs in results.
func (e *encoder) fitsInResult(p *conversation.Part) bool {
	return e.generation.isThirdOrLater && (p.Type == conversation.PartImage || p.Type == conversation.PartFile) &&
		p.Media.URL == ""
}

// add appends a part to the last turn if it has the same role, and otherwise to a new turn. A turn with results has
// nothing else: Gemini counts its parts. A call or picture without a signature gets the one that the reasoning before
// it carried.
func (e *encoder) add(role string, p part) {
	if (p.Call != nil || p.Inline != nil) && p.Signature == "" {
		p.Signature = e.signature
	}
	e.signature = ""
	last := len(e.out.Contents) - 1
	if last < 0 || e.out.Contents[last].Role != role ||
		(e.out.Contents[last].Parts[0].Response != nil) != (p.Response != nil) {
		e.out.Contents = append(e.out.Contents, content{Role: role})
		last++
	}
	e.out.Contents[last].Parts = append(e.out.Contents[last].Parts, p)
}

// signSteps gives the first call of each model turn and all of its pictures a signature if they have none, because
// models of the third generation refuse them otherwise. Only the turns since the last user message need it. All turns
// get it nevertheless: a turn whose bytes change with the next question would no longer match the prompt cache.
func (e *encoder) signSteps() {
	for i := range e.out.Contents {
		if e.out.Contents[i].Role != modelRole {
			continue
		}
		parts, hasCall := e.out.Contents[i].Parts, false
		for j := range parts {
			p := &parts[j]
			if p.Signature == "" && (p.Inline != nil || p.Call != nil && !hasCall) {
				p.Signature = thought.NoSignature
			}
			hasCall = hasCall || p.Call != nil
		}
	}
}
