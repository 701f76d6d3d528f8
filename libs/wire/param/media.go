package param

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// mediaNames maps other names of media types to the registered ones. Browsers, phones and upload widgets use them, and
// OpenAI accepts them.
var mediaNames = map[string]string{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/jfif": "image/jpeg", "image/x-png": "image/png",
	"audio/mp3": "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav",
	"audio/vnd.wave":    "audio/wav",
	"application/x-pdf": "application/pdf",
}

// MediaType returns a media type in lower case, without parameters and under its registered name. All spellings mean
// the same (RFC 2045), but providers accept only one.
func MediaType(mediaType string) string {
	bare, _, _ := strings.Cut(mediaType, ";")
	bare = strings.ToLower(strings.TrimSpace(bare))
	if name, ok := mediaNames[bare]; ok {
		return name
	}
	return bare
}

// signatures are the first characters of images in base64.
var signatures = map[string]string{"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif",
	"UklGR": "image/webp"}

// ImageType returns the type of an image in base64: the one that its first bytes show, else the given one. Clients
// label images wrongly, and some providers refuse an image whose label is wrong.
func ImageType(mediaType, data string) string {
	for beginning, actual := range signatures {
		if strings.HasPrefix(data, beginning) {
			return actual
		}
	}
	return MediaType(mediaType)
}

// DataURL reads a data URL with base64 data, such as data:image/png;base64,iVBOR. Scheme and encoding may be in any
// case. isData is false for any other URL, and ok for a data URL without such data.
func DataURL(url string) (mediaType, data string, isData, ok bool) {
	const scheme, encoding = "data:", ";base64"
	if len(url) < len(scheme) || !strings.EqualFold(url[:len(scheme)], scheme) {
		return "", "", false, false
	}
	header, data, hasComma := strings.Cut(url[len(scheme):], ",")
	typeEnd := len(header) - len(encoding)
	if !hasComma || data == "" || typeEnd < 0 || !strings.EqualFold(header[typeEnd:], encoding) {
		return "", "", true, false
	}
	return MediaType(header[:typeEnd]), data, true, true
}

// Retype changes the type of an image part whose data is a PDF, a sound, a video or a text: clients send such data as
// images.
func Retype(p *conversation.Part) {
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
