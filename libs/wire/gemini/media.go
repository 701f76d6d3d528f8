package gemini

import (
	"path"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// blob represents media by its bytes.
type blob struct {
	Type string `json:"mimeType"`
	Data string `json:"data"` // base64
}

// fileData represents media by URL.
type fileData struct {
	Type string `json:"mimeType,omitzero"`
	URI  string `json:"fileUri"`
}

// extensions maps file extensions to media types, for media without a type.
var extensions = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".heic": "image/heic",
	".heif": "image/heif",
	".pdf":  "application/pdf", ".txt": "text/plain", ".csv": "text/csv", ".html": "text/html",
	".json": "application/json",
	".wav":  "audio/wav", ".mp3": "audio/mp3", ".aac": "audio/aac", ".ogg": "audio/ogg", ".flac": "audio/flac",
	".mp4": "video/mp4", ".mpeg": "video/mpeg", ".webm": "video/webm", ".mov": "video/quicktime",
}

// acceptedTypes are the media types that Gemini reads.
var acceptedTypes = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/webp": true, "image/heic": true, "image/heif": true,
	"application/pdf": true, plainText: true,
	"audio/wav": true, "audio/mp3": true, "audio/mpeg": true, "audio/aac": true, "audio/ogg": true, "audio/flac": true,
	"audio/aiff": true,
	"video/mp4":  true, "video/mpeg": true, "video/mpg": true, "video/webm": true, "video/quicktime": true,
	"video/mov": true, "video/avi": true,
	"video/wmv": true, "video/flv": true, "video/mpegps": true, "video/3gpp": true,
}

const plainText = "text/plain"

// acceptedType returns the type that Gemini accepts for media of the type. It reads any text, but does not accept every
// name of a type of text.
func acceptedType(mediaType string) string {
	switch mediaType {
	case "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/javascript",
		"application/rtf":
		return plainText
	}
	if strings.HasPrefix(mediaType, "text/") {
		return plainText
	}
	return mediaType
}

// mediaPart returns the part of media that is given by its bytes or by a URL. Gemini has no Detail of an image.
func mediaPart(p *conversation.Part) (part, error) {
	m := p.Media
	if m.ID != "" {
		return part{}, conversation.UnsupportedPath(p.Path)
	}
	if m.Type == "" {
		m.Type = guessType(m)
	}
	if m.Type = acceptedType(m.Type); m.Type != "" && !acceptedTypes[m.Type] {
		return part{}, conversation.UnsupportedPath(p.Path)
	}
	if m.URL != "" {
		return part{File: &fileData{Type: m.Type, URI: m.URL}}, nil
	}
	if m.Type == "" {
		return part{}, problem.New(problem.InvalidType,
			"The media type of '%s' is unknown. Send it, or a file name with its extension.", p.Path).At(p.Path)
	}
	return part{Inline: &blob{Type: m.Type, Data: m.Data}}, nil
}

// guessType returns the media type by the extension of the file name or the URL, or "" if it is unknown.
func guessType(m conversation.Media) string {
	name := m.Name
	if name == "" {
		name, _, _ = strings.Cut(m.URL, "?")
	}
	return extensions[strings.ToLower(path.Ext(name))]
}
