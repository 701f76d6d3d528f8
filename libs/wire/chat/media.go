package chat

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// readURL reads a URL. A data URL becomes media with the bytes that it contains.
func readURL(url, path string) (conversation.Media, error) {
	switch mediaType, data, isData, ok := param.DataURL(url); {
	case ok:
		return conversation.Media{Type: mediaType, Data: data}, nil
	case isData:
		return conversation.Media{}, param.Invalid(path, "a data URL with base64 data")
	case hasScheme(url, "https://"), hasScheme(url, "http://"):
		return conversation.Media{URL: url}, nil
	}
	return conversation.Media{}, param.Invalid(path, "an http(s) or data URL")
}

const dataScheme = "data:"

// isURL reports whether a text is a URL that readURL reads, and not base64, which has no colon.
func isURL(text string) bool {
	return hasScheme(text, dataScheme) || hasScheme(text, "https://") || hasScheme(text, "http://")
}

// hasScheme reports whether the URL has the scheme, in any case.
func hasScheme(url, scheme string) bool {
	return len(url) >= len(scheme) && strings.EqualFold(url[:len(scheme)], scheme)
}

// dataURL returns the bytes of media as a data URL.
func dataURL(m conversation.Media) string { return dataScheme + m.Type + ";base64," + m.Data }

// audioType returns the media type of one of OpenAI's audio formats.
func audioType(format string) string {
	if format == "mp3" {
		return "audio/mpeg"
	}
	return "audio/" + format
}

// audioFormat returns OpenAI's audio format for a media type, including the types' older names.
func audioFormat(mediaType string) string {
	format := strings.TrimPrefix(strings.TrimPrefix(mediaType, "audio/"), "x-")
	switch format {
	case "mpeg":
		return "mp3"
	case "wave":
		return "wav"
	}
	return format
}
