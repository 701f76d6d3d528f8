package openai

import (
	"encoding/json"
	"slices"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// readNeeds reads the fields that routing depends on, which are tools, structured output and the cache key, and those
// that a call is attributed by, which are the end user and the metadata. It reports no errors, because the upstream
// checks these fields.
func (r *Request) readNeeds(key []byte, value rawjson.Span) {
	raw := value.Of(r.body)
	switch string(key) {
	case "tools", "functions":
		r.Tools = r.Tools || raw[0] == '[' && !isEmptyArray(raw)
	case "response_format":
		r.Structured = r.Structured || r.asksForJSON(value)
	case "text":
		if format, ok := r.member(value, "format"); ok {
			r.Structured = r.Structured || r.asksForJSON(format)
		}
	case "prompt_cache_key":
		if hasText(raw) {
			r.cacheKey = value
		}
	case "safety_identifier":
		if raw[0] == '"' && hasText(raw) {
			r.endUser = value
		}
	case "user":
		if raw[0] == '"' && hasText(raw) && r.endUser == (rawjson.Span{}) {
			r.endUser = value
		}
	case "metadata":
		if raw[0] == '{' {
			r.metadata = value
		}
	}
}

// EndUser returns the decoded text of safety_identifier or, if the request has none, of user. It returns "" if neither
// is a string. The text can have any characters and any length.
func (r *Request) EndUser() string { return string(rawjson.Text(r.endUser.Of(r.body))) }

// HasMetadata reports whether metadata is an object.
func (r *Request) HasMetadata() bool { return r.metadata != rawjson.Span{} }

// EachMetadata calls the function visit for every member of metadata that is a string, with the decoded key and value.
// Both can have any characters and any length. It stops without an error at a member that is malformed.
func (r *Request) EachMetadata(visit func(key, value string)) {
	if !r.HasMetadata() {
		return
	}
	inner := rawjson.Scanner{Body: r.body[:r.metadata.End], At: r.metadata.Start}
	_, _ = inner.Object(func(key []byte, value rawjson.Span) error { // the upstream checks the field
		if text := rawjson.Text(value.Of(r.body)); text != nil {
			visit(string(key), string(text))
		}
		return nil
	})
}

// Members returns the top-level members of the body that have the names, as they are spelled. The values refer to the
// body. It scans the body again, so it is not for every call.
func (r *Request) Members(names ...string) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	s := rawjson.Scanner{Body: r.body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		if slices.Contains(names, string(key)) {
			members[string(key)] = value.Of(r.body)
		}
		return nil
	})
	if err != nil { // ScanRequest and Expand return well-formed objects only
		return nil
	}
	return members
}

// hasText reports whether a value is neither null nor an empty string.
func hasText(raw []byte) bool { return string(raw) != "null" && string(raw) != `""` }

// isEmptyArray reports whether a scanned array has no elements.
func isEmptyArray(raw []byte) bool {
	s := rawjson.Scanner{Body: raw, At: 1}
	s.Space()
	return s.Eat(']')
}

// asksForJSON reports whether a response format requires JSON: its type is json_schema or json_object.
func (r *Request) asksForJSON(format rawjson.Span) bool {
	kind, ok := r.member(format, "type")
	if !ok {
		return false
	}
	word := string(kind.Of(r.body))
	return word == `"json_schema"` || word == `"json_object"`
}

// member returns the value of a member of the object at a span. It returns the last one of duplicate keys,
// and false if the value is no object or has no such member.
func (r *Request) member(object rawjson.Span, name string) (span rawjson.Span, ok bool) {
	if r.body[object.Start] != '{' {
		return rawjson.Span{}, false
	}
	inner := rawjson.Scanner{Body: r.body[:object.End], At: object.Start}
	_, err := inner.Object(func(key []byte, value rawjson.Span) error {
		if string(key) == name {
			span, ok = value, true
		}
		return nil
	})
	return span, ok && err == nil
}
