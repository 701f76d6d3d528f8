package output

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// ResponseTemplate holds the response object that a stream began with. It is used to finish a stream that the
// gateway or the upstream cut off: the terminal event repeats the object with a new status, output and usage.
// The zero value serves for a stream without a response object.
type ResponseTemplate struct {
	Object []byte // the response object, nil if it is not known
}

// maxTemplate bounds the bytes of a response object that are kept. In a larger object the members of more than
// maxMember bytes, such as tools and instructions, are replaced by empty values.
const (
	maxTemplate = 64 << 10
	maxMember   = 1 << 10
)

// ResponseTemplateOf copies the response object of an event. It returns the zero value if the event has none,
// or one that is too large even without its large members.
func ResponseTemplateOf(frame *Frame) ResponseTemplate {
	if frame.Event == nil || frame.Event.response == (rawjson.Span{}) {
		return ResponseTemplate{}
	}
	object := frame.Event.response.Of(frame.Data)
	if len(object) <= maxTemplate {
		return ResponseTemplate{bytes.Clone(object)}
	}
	small := rebuild(object, func(_ string, raw []byte) []byte {
		if len(raw) <= maxMember {
			return raw
		}
		return emptyLike(raw)
	})
	if len(small) > maxTemplate {
		return ResponseTemplate{}
	}
	return ResponseTemplate{small}
}

// emptyLike returns the empty value of raw's type: an empty array, an empty object or null.
func emptyLike(raw []byte) []byte {
	switch raw[0] {
	case '[':
		return []byte(`[]`)
	case '{':
		return []byte(`{}`)
	}
	return null
}

// rebuild writes the object again, with the values that the function value returns instead of its own.
func rebuild(object []byte, value func(key string, raw []byte) []byte) []byte {
	out := []byte{'{'}
	s := rawjson.Scanner{Body: object}
	_, _ = s.Object(func(key []byte, at rawjson.Span) error { // members before a syntax error are used
		out = rawjson.AppendMember(out, string(key), value(string(key), at.Of(object)))
		return nil
	})
	return append(out, '}')
}

// field represents a member of an object that is written.
type field struct {
	name string
	raw  []byte
}

// setFields returns the object with the fields set. Fields that it does not have yet are added at its end.
func setFields(object []byte, fields []field) []byte {
	isDone := make([]bool, len(fields))
	out := rebuild(object, func(key string, raw []byte) []byte {
		for i, f := range fields {
			if f.name == key {
				isDone[i] = true
				return f.raw
			}
		}
		return raw
	})
	out = out[:len(out)-1]
	for i, f := range fields {
		if !isDone[i] {
			out = rawjson.AppendMember(out, f.name, f.raw)
		}
	}
	return append(out, '}')
}

// withFields returns the template's object with the fields set.
func (s ResponseTemplate) withFields(fields ...field) []byte {
	if s.Object == nil {
		return setFields([]byte(`{"id":"","object":"response","created_at":0,"output":[]}`), fields)
	}
	return setFields(s.Object, fields)
}

// FailedFrame returns the frame of the event that ends a stream with an error.
func (s ResponseTemplate) FailedFrame(sequence int64, code, message string) []byte {
	fault := rawjson.AppendMember([]byte{'{'}, "code", rawjson.Quote(code))
	fault = append(rawjson.AppendMember(fault, "message", rawjson.Quote(message)), '}')
	return terminalFrame("response.failed", sequence,
		s.withFields(field{"status", []byte(`"failed"`)}, field{"error", fault}))
}

// IncompleteFrame returns the frame of the event that ends a stream early with the output so far. output is
// the array that Transcript.Close returns. The response is marked as not stored. The quota is in USD; ""
// omits it.
func (s ResponseTemplate) IncompleteFrame(sequence int64, output []byte, u usage.Usage, quota string) []byte {
	return terminalFrame("response.incomplete", sequence, s.withFields(
		field{"status", []byte(`"incomplete"`)},
		field{"incomplete_details", []byte(`{"reason":"max_output_tokens"}`)},
		field{"output", output},
		field{"output_text", outputText(output, rawjson.Span{Start: 0, End: len(output)})},
		field{"store", []byte("false")},
		field{"usage", tally.AppendResponse(nil, u, quota)},
	))
}

// terminalFrame returns the frame of a terminal event with the response object.
func terminalFrame(name string, sequence int64, response []byte) []byte {
	c := eventWriter{next: sequence}
	c.writeEvent(name, []field{{"response", response}})
	return c.frames
}
