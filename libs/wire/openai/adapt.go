package openai

import (
	"encoding/json"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// Adapt is Forward for a channel with settings: its parameters, system prompt
// and quirks change the body, each in the place that it concerns alone. Its
// errors are InvalidType and InvalidJSON problems of what then has to be read
// of the body, and could be passed on unread before.
func (r *Request) Adapt(upstreamModel string, s *catalog.Settings) (Body, error) {
	if !s.Edits() {
		return r.Forward(upstreamModel), nil
	}
	d, err := drafted(r.body)
	if err != nil {
		return Body{}, asProblem(err)
	}
	if upstreamModel != r.Model {
		quoted, _ := json.Marshal(upstreamModel) // a string always marshals
		d.replace(r.model, quoted)
	}
	d.edits = r.addOrigins(d.edits)
	r.adaptStream(d, s)
	if r.dialect == catalog.Chat && s.Has(catalog.OldMaxTokens) {
		renameCap(d)
	}
	if s.Has(catalog.NoDeveloper) {
		if err := r.renameDeveloper(d); err != nil {
			return Body{}, asProblem(err)
		}
	}
	if s.SystemPrompt != "" {
		if err := r.instruct(d, s.SystemPrompt); err != nil {
			return Body{}, err
		}
	}
	d.apply(s.Parameters)
	return d.finish(), nil
}

// adaptStream asks for the usage chunk, or takes out what asks for it where
// the server does not know of it.
func (r *Request) adaptStream(d *draft, s *catalog.Settings) {
	switch {
	case s.Has(catalog.NoStreamOptions):
		d.remove("stream_options")
	case r.dialect == catalog.Chat && r.Stream && !r.IncludeUsage:
		d.edits = append(d.edits, r.includeUsageEdit())
	}
}

// renameCap gives the output cap its older name. Where a body has both, the
// older one is what its reader would have taken.
func renameCap(d *draft) {
	const older, newer = "max_tokens", "max_completion_tokens"
	m := d.find(newer)
	if m == nil {
		return
	}
	if old := d.find(older); old != nil && string(old.value.of(d.body)) != "null" {
		d.remove(newer)
		return
	}
	d.remove(older)
	d.replace(m.key, []byte(`"`+older+`"`))
}

// renameDeveloper gives messages of the role developer the role system.
func (r *Request) renameDeveloper(d *draft) error {
	content := d.find(contentField(r.dialect))
	if content == nil || d.body[content.value.start] != '[' {
		return nil
	}
	messages := scanner{body: d.body[:content.value.end], at: content.value.start}
	return messages.elements(func(message span) error {
		if d.body[message.start] != '{' {
			return nil
		}
		fields := scanner{body: d.body[:message.end], at: message.start}
		_, err := fields.object(func(key []byte, value span) error {
			raw := value.of(d.body)
			if string(key) == "role" && raw[0] == '"' && string(unquote(raw)) == "developer" {
				d.replace(value, []byte(`"system"`))
			}
			return nil
		})
		return err
	})
}

// instruct puts the prompt before everything the client has to say: as the
// first message of a chat, or before the instructions of a response.
func (r *Request) instruct(d *draft, prompt string) error {
	if r.dialect == catalog.Responses {
		return extendInstructions(d, prompt)
	}
	quoted, _ := json.Marshal(prompt) // a string always marshals
	message := `{"role":"system","content":` + string(quoted) + `}`
	first := d.find(contentField(r.dialect)).value.start + 1
	rest := scanner{body: d.body, at: first}
	if rest.space(); !rest.eat(']') {
		message += ","
	}
	d.insert(first, []byte(message))
	return nil
}

func extendInstructions(d *draft, prompt string) error {
	const field = "instructions"
	own := d.find(field)
	if own == nil || string(own.value.of(d.body)) == "null" {
		quoted, _ := json.Marshal(prompt) // a string always marshals
		d.set(field, quoted)
		return nil
	}
	if d.body[own.value.start] != '"' {
		return wrongType(field, "a string")
	}
	quoted, _ := json.Marshal(prompt + "\n\n")
	d.insert(own.value.start+1, quoted[1:len(quoted)-1])
	return nil
}
