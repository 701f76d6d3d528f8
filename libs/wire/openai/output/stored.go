package output

import (
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// ResponseInFrame returns the response object in the frame of an event, or nil if it has none. The result
// refers to the frame.
func ResponseInFrame(raw []byte) []byte {
	frame := frameOf(raw)
	if frame.Event == nil || frame.Event.response == (rawjson.Span{}) {
		return nil
	}
	return frame.Event.response.Of(frame.Data)
}

// MarkFrameNotStored returns the frame of an event with the `store` of its response object set to false. A
// frame without a response object is returned unchanged.
func MarkFrameNotStored(raw []byte) []byte {
	frame := frameOf(raw)
	if frame.Event == nil || frame.Event.response == (rawjson.Span{}) {
		return raw
	}
	frame.Replace(rawjson.Splice(frame.Data, storeEdits(frame.Data, frame.Event.response)).Bytes())
	return frame.Raw
}

// MarkNotStored returns the response object with `store` set to false. It does not add the field.
func MarkNotStored(body []byte) []byte {
	return rawjson.Splice(body, storeEdits(body, rawjson.Span{Start: 0, End: len(body)})).Bytes()
}

// storeEdits returns the edit that sets `store` of the response object at a span of data to false.
func storeEdits(data []byte, at rawjson.Span) (edits []rawjson.Edit) {
	s := rawjson.Scanner{Body: data[:at.End], At: at.Start}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // if it is no object, there is nothing to edit
		if string(key) == "store" {
			edits = append(edits, rawjson.Edit{At: value, With: []byte("false")})
		}
		return nil
	})
	return edits
}
