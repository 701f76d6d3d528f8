// Package parts adapts parts of messages to what upstreams and clients have in other forms.
package parts

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// Attached returns contents of a result behind a text that says which call they belong to, nil for no contents. It is for
// upstreams that do not take the contents in results, but in a user's message after them.
func Attached(result *conversation.Part, contents []conversation.Part) []conversation.Part {
	if len(contents) == 0 {
		return nil
	}
	return append([]conversation.Part{{Type: conversation.PartText, Path: result.Path, Text: "From the result of the call " + result.CallID + ":"}}, contents...)
}

// Typed makes an image whose data are no image a part of the type that they are. Clients send PDFs, sounds and videos as images.
func Typed(p *conversation.Part) {
	switch kind, _, _ := strings.Cut(p.Media.Type, "/"); {
	case p.Type != conversation.PartImage || p.Media.Data == "":
	case kind == "audio":
		p.Type = conversation.PartAudio
	case kind == "video", kind == "text":
		p.Type = conversation.PartFile
	case p.Media.Type == "application/pdf":
		p.Type, p.Media.Name = conversation.PartFile, "document.pdf" // OpenAI requires a name
	}
}
