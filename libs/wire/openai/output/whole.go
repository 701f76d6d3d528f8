package output

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// StreamOf returns the whole stream that says the same as a complete answer in the dialect, for a client that asked
// for a stream. The body must be an answer without an error, see ScanAnswer. StreamOf returns nil if the answer has no
// such stream: a response that has not ended, and messages.
func StreamOf(dialect catalog.Dialect, body []byte) []byte {
	var line bytes.Buffer
	if json.Compact(&line, body) != nil { // a line end would end the line of data
		return nil
	}
	switch dialect { //nolint:exhaustive // the others have no such stream
	case catalog.Chat:
		return chunksOf(line.Bytes())
	case catalog.Responses:
		return eventsOf(line.Bytes())
	}
	return nil
}

// eventsOf returns the events of a response.
func eventsOf(body []byte) (frames []byte) {
	switch status, _ := member(body, "status"); string(status) {
	case `"completed"`, `"incomplete"`:
	default:
		return nil
	}
	replay := NewReplay(body, -1)
	defer replay.Close()
	for {
		frame, err := replay.Next()
		if err != nil {
			return frames
		}
		frames = append(frames, frame.Raw...)
	}
}

// chunksOf returns the stream of a chat completion: a chunk with its choices and all other members, the chunk with the
// usage, and [DONE].
func chunksOf(body []byte) []byte {
	chunk, usage := []byte{'{'}, []byte(nil)
	s := rawjson.Scanner{Body: body}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // the answer was scanned before
		raw := value.Of(body)
		switch string(key) {
		case "object":
			raw = []byte(`"chat.completion.chunk"`)
		case "choices":
			raw = eachObject(raw, func(_ int, choice []byte) []byte { return deltaOf(choice) })
		case "usage":
			usage = raw
			return nil
		}
		chunk = rawjson.AppendMember(chunk, string(key), raw)
		return nil
	})
	chunk = append(chunk, '}')
	frames := appendEvent(nil, "", chunk)
	if rawjson.IsObject(usage) {
		last := append(append(ChunkTemplateOf(chunk).head, `"choices":[],"usage":`...), usage...)
		frames = appendEvent(frames, "", append(last, '}'))
	}
	return appendEvent(frames, "", done)
}

// deltaOf returns the choice of a chat completion as that of a chunk.
func deltaOf(choice []byte) []byte {
	out := []byte{'{'}
	s := rawjson.Scanner{Body: choice}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // as above
		name, raw := string(key), value.Of(choice)
		if name == "message" {
			name, raw = "delta", rebuild(raw, func(key string, raw []byte) []byte {
				if key == "tool_calls" {
					return eachObject(raw, withIndex)
				}
				return raw
			})
		}
		out = rawjson.AppendMember(out, name, raw)
		return nil
	})
	return append(out, '}')
}

// withIndex returns the object with its index, unless it has one.
func withIndex(index int, object []byte) []byte {
	if _, ok := member(object, "index"); ok {
		return object
	}
	return setFields(object, []field{{"index", strconv.AppendInt(nil, int64(index), 10)}})
}

// eachObject returns the array with each of its objects replaced. Any other value is returned unchanged.
func eachObject(array []byte, replace func(index int, object []byte) []byte) []byte {
	if len(array) == 0 || array[0] != '[' {
		return array
	}
	out := []byte{'['}
	index := 0
	rawjson.EachElement(array, rawjson.Span{End: len(array)}, func(element rawjson.Span) bool {
		raw := element.Of(array)
		if rawjson.IsObject(raw) {
			raw = replace(index, raw)
		}
		if index > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
		index++
		return true
	})
	return append(out, ']')
}
