package chat

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/wire/param"
)

// content represents a message's content: a string, which is one part of plain text, or an array of parts.
type content struct {
	parts []part
	plain bool
}

// plain returns content that is a string.
func plain(text string) content { return content{[]part{{Type: "text", Text: &text}}, true} }

// UnmarshalJSONFrom implements json.UnmarshalerFrom. null is no content.
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
	return param.Want("a string or an array of parts")
}

// MarshalJSONTo implements json.MarshalerTo. No content is null.
func (c content) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch {
	case len(c.parts) == 0:
		return enc.WriteToken(jsontext.Null)
	case c.plain:
		return enc.WriteToken(jsontext.String(*c.parts[0].Text))
	}
	return json.MarshalEncode(enc, c.parts)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It also accepts the URL alone, as some clients send it.
func (i *image) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, &i.URL)
	}
	type plain image
	return json.UnmarshalDecode(dec, (*plain)(i))
}

// number is a JSON number as it was spelled; "" means that the number is absent.
type number string

// UnmarshalJSONFrom implements json.UnmarshalerFrom. null is no number.
func (n *number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '0' && kind != 'n' {
		return param.Want("a number")
	}
	raw, err := dec.ReadValue()
	if err == nil && raw.Kind() == '0' {
		*n = number(raw)
	}
	return err
}

// MarshalJSONTo implements json.MarshalerTo. The number keeps its spelling.
func (n number) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(n))
}

// stopSequences are the stop sequences. In JSON a single one may be a string.
type stopSequences []string

// UnmarshalJSONFrom implements json.UnmarshalerFrom. null is no sequence.
func (s *stopSequences) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		*s = make([]string, 1)
		return json.UnmarshalDecode(dec, &(*s)[0])
	}
	return json.UnmarshalDecode(dec, (*[]string)(s))
}

// choice represents a tool choice: a word or an object.
type choice struct {
	word string
	toolChoice
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *choice) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return json.UnmarshalDecode(dec, &c.word)
	case '{':
		return json.UnmarshalDecode(dec, &c.toolChoice)
	}
	return param.Want("a string or an object")
}

// MarshalJSONTo implements json.MarshalerTo. The word takes precedence.
func (c choice) MarshalJSONTo(enc *jsontext.Encoder) error {
	if c.word != "" {
		return enc.WriteToken(jsontext.String(c.word))
	}
	return json.MarshalEncode(enc, c.toolChoice)
}

// arguments are the text of a JSON object. Some clients and servers send the object itself instead of its
// text.
type arguments string

// UnmarshalJSONFrom implements json.UnmarshalerFrom. null is no arguments.
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

// text is a string of a response. A value of another type counts as "", because compatible servers put values
// of their own in some fields.
type text string

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It accepts every well-formed value.
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*t = ""
	raw, err := dec.ReadValue()
	if err != nil || raw.Kind() != '"' {
		return err
	}
	*t = text(unquote(raw))
	return nil
}

// unquote decodes a well-formed JSON string. Invalid UTF-8 in it becomes U+FFFD.
func unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // the error reports replaced bytes only
	return string(text)
}

// given returns raw, or nil if raw is the JSON value null.
func given(raw jsontext.Value) jsontext.Value {
	if raw.Kind() == 'n' {
		return nil
	}
	return raw
}
