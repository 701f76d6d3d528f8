package gemini

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/problem"
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

	// sealed is the mark that begins the Signature of parts that came from this family, see conversation.Part.
	// Gemini cannot read another family's signature, nor another family Gemini's.
	sealed = "gemini:"
	// sealedCall is the mark of a reasoning part that carries the signature of the call or picture after it. It is for
	// clients that can return the signatures of reasoning, but not of calls.
	sealedCall = sealed + "call:"
	// unsigned is the signature that Google documents for a call that another model made, or whose signature
	// was lost. It serves for pictures, too.
	unsigned = "skip_thought_signature_validator"
)

// messages writes all turns. A model's turn comes only after a user's, and the last turn is a user's.
func (e *encoder) messages() error {
	messages, err := e.request.Turns()
	if err != nil {
		return err
	}
	for i := range messages {
		if err := e.message(&messages[i]); err != nil {
			return err
		}
	}
	if len(e.out.Contents) == 0 && e.out.System != nil && e.blank == "" { // OpenAI answers instructions alone
		e.text(userRole, afterLast)
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
		e.text(userRole, afterLast)
	}
	if e.generation.third {
		e.signSteps()
	}
	return nil
}

// message writes the parts of one message. What has no place in its results follows them.
func (e *encoder) message(m *conversation.Message) error {
	for i := range m.Parts {
		p := &m.Parts[i]
		if err := e.part(m.Role, p); err != nil {
			return err
		}
	}
	attached := e.attached
	e.attached = nil
	for i := range attached {
		if err := e.part(conversation.RoleUser, &attached[i]); err != nil {
			return err
		}
	}
	return nil
}

// part writes one part as the role wants it. The results of calls are written in the user's turn.
func (e *encoder) part(role conversation.MessageRole, p *conversation.Part) error {
	switch role {
	case conversation.RoleSystem, conversation.RoleDeveloper:
		return e.systemPart(p)
	case conversation.RoleAssistant:
		return e.modelPart(p)
	case conversation.RoleUser, conversation.RoleTool:
	}
	switch p.Type {
	case conversation.PartText:
		if e.text(userRole, p.Text); p.Text == "" {
			e.blank = p.Path
		}
	case conversation.PartImage, conversation.PartFile, conversation.PartAudio:
		media, err := mediaPart(p)
		if err != nil {
			return err
		}
		e.add(userRole, media)
	case conversation.PartToolResult:
		return e.result(p)
	default:
		return conversation.UnsupportedPath(p.Path)
	}
	return nil
}

// systemPart adds a text to the system instruction, which accepts texts only.
func (e *encoder) systemPart(p *conversation.Part) error {
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

// modelPart writes a part of an assistant message.
func (e *encoder) modelPart(p *conversation.Part) error {
	switch p.Type {
	case conversation.PartText, conversation.PartRefusal:
		e.text(modelRole, p.Text)
	case conversation.PartReasoning:
		e.thought(p)
	case conversation.PartToolCall:
		return e.call(p)
	case conversation.PartPicture:
		e.picture(p)
	default:
		return conversation.UnsupportedPath(p.Path)
	}
	return nil
}

// picture returns to the model a picture of an earlier answer. It leaves out one that is not given by its bytes, or
// whose type Gemini does not read.
func (e *encoder) picture(p *conversation.Part) {
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
	case e.blank != "":
		return e.blank
	case e.request.Client == conversation.ClientResponses:
		return "input"
	}
	return "messages"
}

// text adds a text. It leaves out an empty one, because Gemini refuses it.
func (e *encoder) text(role, text string) {
	if text != "" {
		e.add(role, part{Text: &text})
	}
}

// thought returns to Gemini the reasoning that it signed. It drops reasoning without a signature of this
// family, which the model cannot use. A signature without text belongs to the text before it.
func (e *encoder) thought(p *conversation.Part) {
	if signature, ofCall := strings.CutPrefix(p.Signature, sealedCall); ofCall {
		e.signature = signature
		return
	}
	if signature := signatureOf(p.Signature); signature != "" {
		e.add(modelRole, part{Text: &p.Text, Thought: p.Text != "", Signature: signature})
	}
}

// signatureOf returns the signature without the mark of this family, or "" for any other signature.
func signatureOf(seal string) string {
	signature, ok := strings.CutPrefix(seal, sealed)
	if !ok {
		return ""
	}
	return signature
}

// call adds a call, and remembers its name for the result.
func (e *encoder) call(p *conversation.Part) error {
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
	if e.noIDs {
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
func isObject(v jsontext.Value) bool { return v.IsValid(spelling) && v.Kind() == '{' }

// wrap returns an object with the text as its only member.
func wrap(name, text string) (jsontext.Value, error) {
	return json.Marshal(map[string]string{name: text}, spelling)
}

// result adds the result of a call. Gemini wants an object as the result, whose only member is the text. A text that is
// a JSON object is no exception: Gemini has its own meaning for some keys, such as $ref, error and output.
func (e *encoder) result(p *conversation.Part) (err error) {
	response := &functionResponse{ID: e.callID(p.CallID), Name: e.names[p.CallID]}
	var texts []string
	var parts []conversation.Part
	for _, piece := range p.Content {
		switch {
		case piece.Type == conversation.PartText:
			texts = append(texts, piece.Text)
		case e.inResult(&piece):
			media, err := mediaPart(&piece)
			if err != nil {
				return err
			}
			response.Parts = append(response.Parts, media)
		default:
			parts = append(parts, piece)
		}
	}
	e.attached = append(e.attached, toolcall.LabelContents(p, parts)...)
	response.Response, err = wrap("result", strings.Join(texts, "\n"))
	e.add(userRole, part{Response: response})
	return err
}

// inResult reports whether media can be in the result of a call. Only newer models accept images and documents there,
// and only as bytes: Gemini does not fetch URLs in results.
func (e *encoder) inResult(p *conversation.Part) bool {
	return e.generation.third && (p.Type == conversation.PartImage || p.Type == conversation.PartFile) &&
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
	tail := len(e.out.Contents) - 1
	if tail < 0 || e.out.Contents[tail].Role != role ||
		(e.out.Contents[tail].Parts[0].Response != nil) != (p.Response != nil) {
		e.out.Contents = append(e.out.Contents, content{Role: role})
		tail++
	}
	e.out.Contents[tail].Parts = append(e.out.Contents[tail].Parts, p)
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
				p.Signature = unsigned
			}
			hasCall = hasCall || p.Call != nil
		}
	}
}
