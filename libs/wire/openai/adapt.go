package openai

import (
	"encoding/json"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Adapt does the same as Forward, for a channel with settings. It also applies the channel's quirks, system
// prompt and parameters, in this order. A parameter replaces the client's value. Each setting changes only
// the part of the body that it concerns. Errors are InvalidType and InvalidJSON problems of the parts that
// Adapt must read for that.
func (r *Request) Adapt(upstreamModel string, s *catalog.Settings) (rawjson.Body, error) {
	if !s.Edits() {
		return r.Forward(upstreamModel), nil
	}
	body, err := r.adapt(upstreamModel, s)
	if err != nil || r.omission == nil {
		return body, err
	}
	return r.omission.apply(body, s.Parameters)
}

// adapt returns the body of Adapt with all tools.
func (r *Request) adapt(upstreamModel string, s *catalog.Settings) (rawjson.Body, error) {
	d, err := rawjson.NewDraft(r.body)
	if err != nil {
		return rawjson.Body{}, asProblem(err)
	}
	if upstreamModel != r.Model {
		quoted, _ := json.Marshal(upstreamModel) // a string always marshals
		d.Replace(r.model, quoted)
	}
	d.Edits = r.appendIDEdits(d.Edits)
	r.adaptStream(d, s)
	if r.dialect == catalog.Chat && s.Has(catalog.OldMaxTokens) {
		renameCap(d)
	}
	if s.Has(catalog.NoDeveloper) && r.dialect != catalog.Messages {
		if err := r.renameDeveloper(d); err != nil {
			return rawjson.Body{}, asProblem(err)
		}
	}
	if s.SystemPrompt != "" {
		if err := r.addSystemPrompt(d, s.SystemPrompt); err != nil {
			return rawjson.Body{}, err
		}
	}
	if r.newTier != "" {
		d.Set("service_tier", rawjson.Quote(r.newTier))
	}
	d.Apply(s.Parameters)
	return d.Finish(), nil
}

// adaptStream asks for the usage chunk of a chat stream. For a server that refuses stream_options it removes
// the field instead.
func (r *Request) adaptStream(d *rawjson.Draft, s *catalog.Settings) {
	switch {
	case s.Has(catalog.NoStreamOptions):
		d.Remove("stream_options")
	case r.dialect == catalog.Chat && r.Stream && !r.IncludeUsage:
		d.Edits = append(d.Edits, r.includeUsageEdit())
	}
}

// renameCap renames max_completion_tokens to max_tokens, for a server that knows only the older name. If the
// body has both, the older one stays and the newer one is removed, because such a server would have used the
// older one.
func renameCap(d *rawjson.Draft) {
	const older, newer = "max_tokens", "max_completion_tokens"
	m := d.Find(newer)
	if m == nil {
		return
	}
	if member := d.Find(older); member != nil && string(member.Value.Of(d.Body)) != "null" {
		d.Remove(newer)
		return
	}
	d.Remove(older)
	d.Replace(m.Key, []byte(`"`+older+`"`))
}

// renameDeveloper changes the role of developer messages to system, for a server that does not know the newer
// role.
func (r *Request) renameDeveloper(d *rawjson.Draft) error {
	content := d.Find(contentField(r.dialect))
	if content == nil || d.Body[content.Value.Start] != '[' {
		return nil
	}
	messages := rawjson.Scanner{Body: d.Body[:content.Value.End], At: content.Value.Start}
	return messages.Elements(func(message rawjson.Span) error {
		if d.Body[message.Start] != '{' {
			return nil
		}
		fields := rawjson.Scanner{Body: d.Body[:message.End], At: message.Start}
		_, err := fields.Object(func(key []byte, value rawjson.Span) error {
			raw := value.Of(d.Body)
			if string(key) == "role" && raw[0] == '"' && string(rawjson.Unquote(raw)) == "developer" {
				d.Replace(value, []byte(`"system"`))
			}
			return nil
		})
		return err
	})
}

// addSystemPrompt puts the channel's system prompt before the client's conversation: as the first message of a chat,
// or at the beginning of the instructions of a responses request or of the system field of a messages request.
func (r *Request) addSystemPrompt(d *rawjson.Draft, prompt string) error {
	switch r.dialect { //nolint:exhaustive // chat follows
	case catalog.Responses:
		return extendInstructions(d, prompt)
	case catalog.Messages:
		return extendSystem(d, prompt)
	}
	quoted, _ := json.Marshal(prompt) // a string always marshals
	message := `{"role":"system","content":` + string(quoted) + `}`
	start := d.Find(contentField(r.dialect)).Value.Start + 1
	scanner := rawjson.Scanner{Body: d.Body, At: start}
	if scanner.Space(); !scanner.Eat(']') {
		message += ","
	}
	d.Insert(start, []byte(message))
	return nil
}

// extendInstructions puts the prompt and a blank line before the client's instructions, or sets the
// instructions if the client sent none.
func extendInstructions(d *rawjson.Draft, prompt string) error {
	const field = "instructions"
	member := d.Find(field)
	if member == nil || string(member.Value.Of(d.Body)) == "null" {
		quoted, _ := json.Marshal(prompt) // a string always marshals
		d.Set(field, quoted)
		return nil
	}
	if d.Body[member.Value.Start] != '"' {
		return param.Invalid(field, "a string")
	}
	quoted, _ := json.Marshal(prompt + "\n\n")
	d.Insert(member.Value.Start+1, quoted[1:len(quoted)-1])
	return nil
}
