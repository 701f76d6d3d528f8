package gemini

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// content is one turn. The roles are user and model; the system instruction
// has none.
type content struct {
	Role  string `json:"role,omitzero"`
	Parts []part `json:"parts"`
}

type part struct {
	Text      *string           `json:"text,omitzero"`
	Inline    *blob             `json:"inlineData,omitzero"`
	File      *fileData         `json:"fileData,omitzero"`
	Call      *functionCall     `json:"functionCall,omitzero"`
	Response  *functionResponse `json:"functionResponse,omitzero"`
	Thought   bool              `json:"thought,omitzero"`
	Signature string            `json:"thoughtSignature,omitzero"`
}

type functionCall struct {
	ID   string         `json:"id,omitzero"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

type functionResponse struct {
	ID       string         `json:"id,omitzero"`
	Name     string         `json:"name"`
	Response jsontext.Value `json:"response"`
	Parts    []part         `json:"parts,omitempty"`
}

const (
	userRole  = "user" // also of the results of calls
	modelRole = "model"

	// sealed marks the seals of this family: another's signature is of no use
	// to Gemini, nor Gemini's to another.
	sealed = "gemini:"
	// sealedCall marks the seal of the call behind a thought, for clients that
	// can give back those of thoughts alone.
	sealedCall = sealed + "call:"
	// unsigned is what Google documents as the signature of a call that another
	// model made, or whose signature was lost.
	unsigned = "skip_thought_signature_validator"
)

func (e *encoder) messages() error {
	for i := range e.request.Messages {
		if err := e.message(&e.request.Messages[i]); err != nil {
			return err
		}
	}
	if e.generation.third {
		e.signSteps()
	}
	return nil
}

func (e *encoder) message(m *conversation.Message) error {
	if m.Name != "" && m.Role != conversation.RoleTool { // a function's name is known from its call
		return conversation.UnsupportedPath(m.Path + ".name")
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		if err := e.part(m.Role, p); err != nil {
			return err
		}
	}
	return nil
}

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
		e.text(userRole, p.Text)
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

func (e *encoder) modelPart(p *conversation.Part) error {
	switch p.Type {
	case conversation.PartText, conversation.PartRefusal:
		e.text(modelRole, p.Text)
	case conversation.PartReasoning:
		e.thought(p)
	case conversation.PartToolCall:
		return e.call(p)
	default:
		return conversation.UnsupportedPath(p.Path)
	}
	return nil
}

// text leaves out what is empty: Gemini refuses it.
func (e *encoder) text(role, text string) {
	if text != "" {
		e.add(role, part{Text: &text})
	}
}

// thought gives back what Gemini signed. Without its signature a thought says
// nothing to the model. A signature alone came with text, or behind it.
func (e *encoder) thought(p *conversation.Part) {
	if signature, ofCall := strings.CutPrefix(p.Signature, sealedCall); ofCall {
		e.signature = signature
		return
	}
	if signature := signatureOf(p.Signature); signature != "" {
		e.add(modelRole, part{Text: &p.Text, Thought: p.Text != "", Signature: signature})
	}
}

func signatureOf(seal string) string {
	signature, own := strings.CutPrefix(seal, sealed)
	if !own {
		return ""
	}
	return signature
}

func (e *encoder) call(p *conversation.Part) error {
	args, err := argsOf(p)
	if err != nil {
		return err
	}
	e.names[p.CallID] = p.Name
	e.add(modelRole, part{
		Call:      &functionCall{ID: p.CallID, Name: p.Name, Args: args},
		Signature: signatureOf(p.Signature),
	})
	return nil
}

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
	return nil, problem.New(problem.InvalidType, "The arguments of the call %q are not a JSON object.", p.CallID).At(p.Path)
}

func isObject(v jsontext.Value) bool { return v.IsValid(spelling) && v.Kind() == '{' }

func wrap(name, text string) (jsontext.Value, error) {
	return json.Marshal(map[string]string{name: text}, spelling)
}

// result answers a call. Gemini wants an object: one that the tool made is
// passed as it is, other text becomes the object's `result`, and so does an
// object with a name that stands twice.
func (e *encoder) result(p *conversation.Part) error {
	name, called := e.names[p.CallID]
	if !called {
		return problem.New(problem.InvalidType, "There is no call with the id %q before its result.", p.CallID).At(p.Path)
	}
	response := &functionResponse{ID: p.CallID, Name: name}
	var texts []string
	for i := range p.Content {
		piece := &p.Content[i]
		if piece.Type == conversation.PartText {
			texts = append(texts, piece.Text)
			continue
		}
		media, err := e.resultMedia(piece)
		if err != nil {
			return err
		}
		response.Parts = append(response.Parts, media)
	}
	text := strings.Join(texts, "\n")
	if response.Response = jsontext.Value(text); !isObject(response.Response) || !response.Response.IsValid() {
		var err error
		if response.Response, err = wrap("result", text); err != nil {
			return err
		}
	}
	e.add(userRole, part{Response: response})
	return nil
}

// resultMedia is for images and documents by value: no address is read here.
func (e *encoder) resultMedia(p *conversation.Part) (part, error) {
	if !e.generation.third || p.Type == conversation.PartAudio || p.Media.URL != "" {
		return part{}, conversation.UnsupportedPath(p.Path)
	}
	return mediaPart(p)
}

// add appends to the turn of the role: turns of one role are one.
func (e *encoder) add(role string, p part) {
	if p.Call != nil && p.Signature == "" {
		p.Signature = e.signature
	}
	e.signature = ""
	last := len(e.out.Contents) - 1
	if last < 0 || e.out.Contents[last].Role != role {
		e.out.Contents = append(e.out.Contents, content{Role: role})
		last++
	}
	e.out.Contents[last].Parts = append(e.out.Contents[last].Parts, p)
}

// signSteps signs the first call of each step that has no signature. It would
// do to sign those since the last question, but then a step's bytes would
// change with the next question and be in no prompt cache.
func (e *encoder) signSteps() {
	for i := range e.out.Contents {
		parts := e.out.Contents[i].Parts
		for j := range parts {
			if parts[j].Call == nil {
				continue
			}
			if parts[j].Signature == "" {
				parts[j].Signature = unsigned
			}
			break
		}
	}
}
