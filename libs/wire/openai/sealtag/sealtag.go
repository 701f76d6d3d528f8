// Package sealtag reads the tags that the gateway puts before encrypted content of an upstream.
package sealtag

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Prefix begins encrypted content that the gateway tagged. The content that a client gets is
//
//	tg1.<tag>.<the upstream's encrypted content>
//
// Only the credential that made encrypted content can read it again, so the tag names its channel and
// credential and leads a later request there. openai.Request.RemoveTags removes the tag before the relay sends
// the content to the upstream.
const Prefix = "tg1."

var encryptedKey = []byte(`"encrypted_content"`)

// EachEncrypted calls the function visit with the span of every string under the key "encrypted_content",
// without its quotes. Quotes inside strings are escaped, so a match is a key, or a string that no colon
// follows.
func EachEncrypted(data []byte, visit func(span rawjson.Span)) {
	for at := 0; ; {
		i := bytes.Index(data[at:], encryptedKey)
		if i < 0 {
			return
		}
		s := rawjson.Scanner{Body: data, At: at + i + len(encryptedKey)}
		at = s.At
		s.Space()
		if !s.Eat(':') {
			continue
		}
		s.Space()
		if value, err := s.String(); err == nil {
			visit(rawjson.Span{Start: value.Start + 1, End: value.End - 1})
			at = value.End
		}
	}
}

// Each calls the function visit for every tag of the encrypted content in data, in order.
func Each(data []byte, visit func(tag string)) {
	EachEncrypted(data, func(span rawjson.Span) {
		if tag, ok := Of(span.Of(data)); ok {
			visit(string(tag))
		}
	})
}

// Of returns the tag of encrypted content, and whether it has one.
func Of(content []byte) (tag []byte, ok bool) {
	tail, ok := bytes.CutPrefix(content, []byte(Prefix))
	tag, _, hasEnd := bytes.Cut(tail, []byte{'.'})
	return tag, ok && hasEnd
}
