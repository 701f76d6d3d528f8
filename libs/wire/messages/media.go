package messages

import (
	"encoding/base64"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

const (
	pdf       = "application/pdf"
	plainText = "text/plain"
)

// imageBlockOf returns the block of an image that is given by its URL or by its data, which must be of one of the
// four types that the API accepts. A file id is refused: the file is stored at another upstream, and this API
// cannot read it.
func imageBlockOf(p conversation.Part) (block, error) {
	m := p.Media
	switch {
	case m.URL != "":
		return block{Type: imageBlock, Source: &source{Type: "url", URL: m.URL}}, nil
	case m.Data != "" && isImage(m.Type):
		return block{Type: imageBlock, Source: &source{Type: "base64", MediaType: m.Type, Data: m.Data}}, nil
	}
	return block{}, conversation.UnsupportedPath(p.Path)
}

func isImage(mediaType string) bool {
	switch mediaType {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return true
	}
	return false
}

// documentBlockOf returns the block of a PDF that is given by its URL or by its data, or of a text file that is given
// by its data.
func documentBlockOf(p conversation.Part) (block, error) {
	m := p.Media
	mediaType := typeOf(m)
	b := block{Type: documentBlock, Title: m.Name}
	switch {
	case m.URL != "" && (mediaType == "" || mediaType == pdf):
		b.Source = &source{Type: "url", URL: m.URL}
		return b, nil
	case m.Data != "" && mediaType == pdf:
		b.Source = &source{Type: "base64", MediaType: pdf, Data: m.Data}
		return b, nil
	case m.Data != "" && isText(mediaType):
		text, err := base64.StdEncoding.DecodeString(m.Data)
		if err == nil && utf8.Valid(text) {
			b.Source = &source{Type: "text", MediaType: plainText, Data: string(text)}
			return b, nil
		}
	}
	return block{}, conversation.UnsupportedPath(p.Path)
}

// typeOf returns the media type in lower case and without parameters. If none was given, it is guessed from
// the file's name, and "" if that does not help.
func typeOf(m conversation.Media) string {
	if m.Type != "" {
		bare, _, _ := strings.Cut(m.Type, ";")
		return strings.ToLower(strings.TrimSpace(bare))
	}
	switch strings.ToLower(path.Ext(m.Name)) {
	case ".pdf":
		return pdf
	case ".txt", ".md", ".csv", ".json":
		return plainText
	}
	return ""
}

func isText(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || mediaType == "application/json"
}
