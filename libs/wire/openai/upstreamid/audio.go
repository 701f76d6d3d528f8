package upstreamid

import (
	"bytes"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// audioKey occurs in every chat answer and chunk with audio. A search for it avoids the scan of all others.
var audioKey = []byte(`"audio"`)

// MarkAudio replaces the ids of audio in a chat completion, or in a chunk of one, by those that the function mark
// returns: a later request refers to the audio of an answer by its id (https://platform.openai.com/docs/guides/audio,
// read 2026-11-28). ok is false, and out is data, if data has no such ids or is not valid.
func MarkAudio(data []byte, mark func(id string) string) (out []byte, ok bool) {
	if !bytes.Contains(data, audioKey) {
		return data, false
	}
	var edits []rawjson.Edit
	members := func(at rawjson.Span, visit func(key string, value rawjson.Span)) {
		s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
		// What is malformed has no ids.
		_, _ = s.Object(func(key []byte, value rawjson.Span) error { visit(string(key), value); return nil })
	}
	audio := func(key string, value rawjson.Span) {
		if id := rawjson.Text(value.Of(data)); key == "id" && len(id) > 0 {
			edits = append(edits, rawjson.Edit{At: value, With: rawjson.Quote(mark(string(id)))})
		}
	}
	message := func(key string, value rawjson.Span) {
		if key == "audio" {
			members(value, audio)
		}
	}
	choice := func(key string, value rawjson.Span) {
		if key == "message" || key == "delta" {
			members(value, message)
		}
	}
	members(rawjson.Span{End: len(data)}, func(key string, value rawjson.Span) {
		if key == "choices" && data[value.Start] == '[' {
			rawjson.EachElement(data, value, func(element rawjson.Span) bool { members(element, choice); return true })
		}
	})
	if len(edits) == 0 {
		return data, false
	}
	return rawjson.Splice(data, edits).Joined(), true
}
