// Package openai reads and edits requests of OpenAI's dialects without decoding
// them: a request is scanned once, its top level is checked, and only the few
// fields that the gateway needs are read. Everything else stays as the client
// sent it. What upstreams produce is in package output.
package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Request is what the gateway reads of a chat or responses request. It refers
// to the body it was scanned from.
type Request struct {
	Model        string
	Stream       bool
	IncludeUsage bool  // the client asked for the usage chunk of a chat stream
	OutputCap    int64 // most output tokens per choice, 0 where the client set none
	Choices      int64 // `n`, at least 1
	Media        int   // parts whose token count their bytes do not bound
	Tools        bool  // functions that the model may call are given
	Structured   bool  // JSON is asked for, with a schema or without
	NotStored    bool  // the response is not to be kept
	// Previous is the id of the response that a responses request continues,
	// "" for none.
	Previous string

	body          []byte
	dialect       catalog.Dialect
	model         rawjson.Span
	streamOptions rawjson.Span   // zero where absent
	includeUsage  rawjson.Span   // the value inside stream_options, zero where absent
	input         rawjson.Span   // of a responses request
	previous      rawjson.Span   // zero where absent
	upstream      string         // what the upstream calls Previous, see GoOn
	tags          []rawjson.Span // see Tags
	cacheKey      rawjson.Span   // of the value, zero where absent
	end           int            // of the closing brace
	earlier       int            // items of earlier turns at the beginning of the input
	own           []byte         // see Input, nil unless Expand made the request
	places        []place
}

// Size returns the length of the body in bytes. No text has more tokens than
// bytes.
func (r *Request) Size() int { return len(r.body) }

// CacheKey returns the client's key for calls that share a prompt or a
// conversation, as spelled in the body, empty if there is none. It refers to
// the body.
func (r *Request) CacheKey() []byte { return r.cacheKey.Of(r.body) }

// Body returns the body as the client sent it.
func (r *Request) Body() []byte { return r.body }

// ScanRequest reads a request of the dialect (Chat or Responses). Its errors
// are problems of the kinds InvalidJSON, MissingParameter and InvalidType that
// name the field. It refuses a duplicate key and another spelling of a field
// that is read here, because another reader might take the other value.
func ScanRequest(body []byte, dialect catalog.Dialect) (*Request, error) {
	r := &Request{body: body, dialect: dialect, Choices: 1}
	if !validText(body) {
		return nil, problem.New(problem.InvalidJSON, "The body is not valid UTF-8.")
	}
	s := rawjson.Scanner{Body: body, Strings: (*mediaCounter)(r)}
	fields := fieldReader{request: r, content: contentField(dialect)}
	end, err := s.Object(fields.read)
	if err == nil {
		r.end = end
		err = s.Finish()
	}
	if err != nil {
		return nil, asProblem(err)
	}
	if r.Model == "" {
		return nil, missing("model")
	}
	if !fields.hasContent {
		return nil, missing(fields.content)
	}
	return r, nil
}

// mediaCounter counts the strings that name a part whose bytes are elsewhere.
type mediaCounter Request

// VisitString counts the string in Media.
func (c *mediaCounter) VisitString(quoted []byte) {
	switch string(quoted) {
	case `"image_url"`, `"input_image"`, `"file_id"`:
		c.Media++
	}
}

// validText reports whether the body is UTF-8, which JSON requires.
func validText(body []byte) bool { return utf8.Valid(body) }

func contentField(dialect catalog.Dialect) string {
	if dialect == catalog.Responses {
		return "input"
	}
	return "messages"
}

// fieldReader sees each top-level field once.
type fieldReader struct {
	request    *Request
	content    string // the field that carries the conversation
	hasContent bool
	seen       [][]byte
}

func (f *fieldReader) read(key []byte, value rawjson.Span) error {
	for _, other := range f.seen {
		if bytes.Equal(other, key) {
			return problem.New(problem.InvalidJSON, "The key %q stands twice.", key).At(string(key))
		}
	}
	f.seen = append(f.seen, key)
	raw := value.Of(f.request.body)
	switch string(key) {
	case "model":
		return f.request.readModel(raw, value)
	case "stream":
		return readBool("stream", raw, &f.request.Stream)
	case "stream_options":
		return f.request.readStreamOptions(raw, value)
	case f.content:
		f.request.input = value
		return f.readContent(raw)
	}
	f.request.readNeeds(key, value)
	if f.request.dialect == catalog.Responses {
		return f.readResponses(key, value)
	}
	switch string(key) {
	case "max_tokens", "max_completion_tokens":
		return readCount(string(key), raw, &f.request.OutputCap)
	case "n":
		return readCount("n", raw, &f.request.Choices)
	}
	return f.refuseRespelling(key)
}

// readResponses reads what a responses request alone has. Conversations are
// refused, which are kept by an upstream that nobody here knows of, and so is
// what would go on after its answer, which could not be metered.
func (f *fieldReader) readResponses(key []byte, value rawjson.Span) error {
	r := f.request
	raw := value.Of(r.body)
	switch string(key) {
	case "max_output_tokens":
		return readCount(string(key), raw, &r.OutputCap)
	case "previous_response_id":
		return r.readPrevious(raw, value)
	case "background":
		var background bool
		if err := readBool("background", raw, &background); err != nil || !background {
			return err
		}
		return unsupported("background")
	case "store":
		r.NotStored = string(raw) == "false" // what is no boolean is refused by who reads it
	case "conversation":
		if string(raw) != "null" {
			return unsupported("conversation")
		}
		return nil
	}
	return f.refuseRespelling(key)
}

func (r *Request) readPrevious(raw []byte, value rawjson.Span) error {
	if string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &r.Previous) != nil || r.Previous == "" {
		return wrongType("previous_response_id", "a non-empty string")
	}
	r.previous = value
	return nil
}

// readFields are the names whose other spellings a case-insensitive reader
// behind us would take for the field.
var readFields = [...]string{
	"model", "stream", "stream_options", "max_tokens", "max_completion_tokens", "max_output_tokens", "n", "messages", "input",
	"previous_response_id", "background", "conversation", "store",
}

func (f *fieldReader) refuseRespelling(key []byte) error {
	for _, name := range readFields {
		if len(key) == len(name) && string(key) != name && bytes.EqualFold(key, []byte(name)) {
			return problem.New(problem.InvalidType, "Unknown parameter: %q. Did you mean %q?", key, name).At(string(key))
		}
	}
	return nil
}

func (f *fieldReader) readContent(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if raw[0] != '[' && (f.content != "input" || raw[0] != '"') {
		return wrongType(f.content, "an array")
	}
	f.hasContent = true
	return nil
}

func (r *Request) readModel(raw []byte, value rawjson.Span) error {
	if string(raw) == "null" {
		return nil
	}
	var syntax *json.SyntaxError
	err := json.Unmarshal(raw, &r.Model)
	if errors.As(err, &syntax) {
		return problem.New(problem.InvalidJSON, "The body is not valid JSON: the string of 'model' is not well formed.").At("model")
	}
	if err != nil || r.Model == "" {
		return wrongType("model", "a non-empty string")
	}
	r.model = value
	return nil
}

func (r *Request) readStreamOptions(raw []byte, value rawjson.Span) error {
	r.streamOptions = value
	if string(raw) == "null" {
		return nil
	}
	if raw[0] != '{' {
		return wrongType("stream_options", "an object")
	}
	inner := rawjson.Scanner{Body: r.body[:value.End], At: value.Start}
	_, err := inner.Object(func(key []byte, v rawjson.Span) error {
		if string(key) != "include_usage" {
			return nil
		}
		if r.includeUsage != (rawjson.Span{}) {
			return problem.New(problem.InvalidJSON, "The key %q stands twice.", key).At("stream_options.include_usage")
		}
		r.includeUsage = v
		return readBool("stream_options.include_usage", v.Of(r.body), &r.IncludeUsage)
	})
	return err
}

func readBool(name string, raw []byte, into *bool) error {
	switch string(raw) {
	case "true":
		*into = true
	case "false", "null":
	default:
		return wrongType(name, "a boolean")
	}
	return nil
}

// readCount reads a positive whole number. Of several names for the cap the
// larger value counts: a hold must bound what any reader would allow.
func readCount(name string, raw []byte, into *int64) error {
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if errors.Is(err, strconv.ErrRange) && n > 0 {
		n, err = math.MaxInt64, nil
	}
	if err != nil || n < 0 {
		return wrongType(name, "a positive integer")
	}
	*into = max(*into, n)
	return nil
}

func asProblem(err error) error {
	var syntax *rawjson.SyntaxError
	if errors.As(err, &syntax) {
		return problem.New(problem.InvalidJSON, "The body is not valid JSON: %s.", syntax)
	}
	return err
}

func missing(param string) error {
	return problem.New(problem.MissingParameter, "Missing required parameter: '%s'.", param).At(param)
}

func unsupported(param string) error {
	return problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s'.", param).At(param)
}

func wrongType(param, want string) error {
	return problem.New(problem.InvalidType, "Invalid type for '%s': expected %s.", param, want).At(param)
}
