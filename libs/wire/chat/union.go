package chat

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wanted is the error of a value that is not what a field takes.
type wanted string

func (w wanted) Error() string { return "expected " + string(w) }

// content is a string, which is one part of plain text, or an array of parts.
type content struct {
	parts []part
	plain bool
}

func plain(text string) content { return content{[]part{{Type: "text", Text: &text}}, true} }

// UnmarshalJSONFrom reads null as no content.
func (c *content) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = content{}
	switch dec.PeekKind() {
	case 'n':
		return dec.SkipValue()
	case '"':
		var text string
		if err := json.UnmarshalDecode(dec, &text); err != nil {
			return err
		}
		*c = plain(text)
		return nil
	case '[':
		return json.UnmarshalDecode(dec, &c.parts)
	}
	return wanted("a string or an array of parts")
}

// MarshalJSONTo writes no content as null.
func (c content) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch {
	case len(c.parts) == 0:
		return enc.WriteToken(jsontext.Null)
	case c.plain:
		return enc.WriteToken(jsontext.String(*c.parts[0].Text))
	}
	return json.MarshalEncode(enc, c.parts)
}

// UnmarshalJSONFrom takes an image's bare URL too.
func (i *image) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, &i.URL)
	}
	type plain image
	return json.UnmarshalDecode(dec, (*plain)(i))
}

// number is a JSON number as it was spelled, "" for none.
type number string

// UnmarshalJSONFrom reads null as none.
func (n *number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '0' && kind != 'n' {
		return wanted("a number")
	}
	raw, err := dec.ReadValue()
	if err == nil && raw.Kind() == '0' {
		*n = number(raw)
	}
	return err
}

// MarshalJSONTo writes the number as it was spelled.
func (n number) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(n))
}

// stops are sequences that end an answer, of which a single one may stand as a
// string.
type stops []string

// UnmarshalJSONFrom reads null as none.
func (s *stops) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		*s = make([]string, 1)
		return json.UnmarshalDecode(dec, &(*s)[0])
	}
	return json.UnmarshalDecode(dec, (*[]string)(s))
}

// choice is a word or an object.
type choice struct {
	word string
	toolChoice
}

// UnmarshalJSONFrom reads both.
func (c *choice) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return json.UnmarshalDecode(dec, &c.word)
	case '{':
		return json.UnmarshalDecode(dec, &c.toolChoice)
	}
	return wanted("a string or an object")
}

// MarshalJSONTo writes whichever was set.
func (c choice) MarshalJSONTo(enc *jsontext.Encoder) error {
	if c.word != "" {
		return enc.WriteToken(jsontext.String(c.word))
	}
	return json.MarshalEncode(enc, c.toolChoice)
}

// arguments are the text of a JSON object. Some send the object itself.
type arguments string

// UnmarshalJSONFrom reads null as no arguments.
func (a *arguments) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, (*string)(a))
	}
	raw, err := dec.ReadValue()
	if err == nil && raw.Kind() != 'n' {
		*a = arguments(raw)
	}
	return err
}

// text is a string. What is none is passed over: where a text stands, others
// may have put what only they know.
type text string

// UnmarshalJSONFrom never refuses a well-formed value.
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*t = ""
	raw, err := dec.ReadValue()
	if err != nil || raw.Kind() != '"' {
		return err
	}
	*t = text(unquote(raw))
	return nil
}

// unquote decodes a well-formed JSON string; what is not UTF-8 in it becomes
// U+FFFD.
func unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	decoded, _ := jsontext.AppendUnquote(nil, quoted) // its error is of what it replaced
	return string(decoded)
}

// given is nil for null.
func given(raw jsontext.Value) jsontext.Value {
	if raw.Kind() == 'n' {
		return nil
	}
	return raw
}
