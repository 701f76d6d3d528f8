package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Response holds the fields that the gateway reads of a complete JSON response.
type Response struct {
	Usage    *usage.Usage // nil if the upstream reported none
	Error    *ErrorBody   // not nil if the body is an error, also when the HTTP status was 200
	Failed   bool         // the body is a response object of the Responses API with the status "failed"
	hasShape bool         // it has the array `choices` or `output`
	output   rawjson.Span // the output of a responses response, zero for a chat completion
}

// Generated returns the part of the body that the model generated: the output items of a responses response,
// whose body repeats the request's fields, and the whole body of a chat completion.
func (a *Response) Generated(body []byte) []byte {
	if a.output == (rawjson.Span{}) {
		return body
	}
	return a.output.Of(body)
}

// errNoResponse means that a JSON body is neither a chat completion, a response nor an error.
var errNoResponse = errors.New("openai: not a completion")

// ScanResponse reads a chat completion, a response or an error body. A response with the status "failed"
// counts as an error. It returns an error for JSON of another kind, and for a body that is malformed or cut off.
func ScanResponse(body []byte) (Response, error) {
	var a Response
	failed, isResponse := false, false
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(body)
		switch string(key) {
		case "usage":
			a.Usage = ParseUsage(raw)
		case "error":
			a.Error = parseError(raw)
		case "choices":
			a.hasShape = raw[0] == '['
		case "output":
			a.hasShape, a.output = raw[0] == '[', value
		case "status":
			failed = string(raw) == `"failed"`
		case "object":
			isResponse = string(raw) == `"response"`
		}
		return nil
	})
	if err == nil {
		err = s.Finish()
	}
	if failed && a.Error == nil {
		a.Error = &ErrorBody{Message: "the response failed"}
	}
	if err != nil {
		return a, fmt.Errorf("openai: scan response: %w", err)
	}
	a.Failed = failed && isResponse
	if a.Error == nil && !a.hasShape {
		return a, errNoResponse
	}
	return a, nil
}

// Chunk holds the fields that the gateway reads of one chunk of a chat stream. For an event of a responses
// stream it holds only the usage and the error.
type Chunk struct {
	Usage     *usage.Usage // nil if it has none
	Error     *ErrorBody   // nil if it has none
	UsageOnly bool         // it has usage and no choices: the additional chunk of stream_options.include_usage
	Finished  bool         // a choice in it has its finish_reason

	usage rawjson.Span // of the usage object in the data, zero if it has none
}

// Almost every chunk ends with an unfinished choice and no usage. Such a chunk is not scanned. It could have usage
// or an error before its choices, but then a later chunk repeats it. With three opening braces at most, those of the
// chunk, its choice and the delta, it has no other choice.
var (
	plainEnd        = []byte(`"finish_reason":null}]}`)
	plainEndNoUsage = []byte(`"finish_reason":null}],"usage":null}`)
	openBrace       = []byte{'{'}
	closeBrace      = []byte{'}'}
)

const plainBraces = 3

// The ends of the keys "usage", "error", "finish_reason" and "choices". The search looks for the first byte of the
// pattern, so it is faster if that byte is rare.
var (
	usageTail   = []byte(`usage"`)
	errorTail   = []byte(`rror"`)
	finishTail  = []byte(`_reason"`)
	choicesTail = []byte(`hoices"`)
	null        = []byte("null")
)

// ScanChunk reads the data of one chunk. Quotes inside JSON strings are escaped, so the bytes `usage"` can
// only be the end of a key or of a whole string. A chunk without the keys that matter is therefore recognized
// by searches. It returns an error for data that is scanned and malformed. A chunk that is recognized by a
// search is not checked, apart from its end and the number of its braces.
func ScanChunk(data []byte) (c Chunk, err error) {
	plain := bytes.HasSuffix(data, plainEnd) || bytes.HasSuffix(data, plainEndNoUsage)
	if plain && bytes.Count(data, openBrace) <= plainBraces {
		return c, nil
	}
	if c.Finished = hasFinished(data); plain {
		return c, nil
	}
	if !mayHave(data, usageTail) && !mayHave(data, errorTail) && bytes.Contains(data, choicesTail) && looksWhole(data) {
		return c, nil
	}
	hasChoices := false
	s := rawjson.Scanner{Body: data}
	_, err = s.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(data)
		switch string(key) {
		case "usage":
			c.Usage, c.usage = ParseUsage(raw), value
		case "error":
			c.Error = parseError(raw)
		case "choices":
			hasChoices = true
			c.UsageOnly = raw[0] == '[' && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
		}
		return nil
	})
	c.UsageOnly = c.Usage != nil && (c.UsageOnly || !hasChoices)
	if err != nil {
		return c, fmt.Errorf("openai: scan chunk: %w", err)
	}
	return c, nil
}

// hasFinished reports whether a choice of the chunk has its finish reason, which is null until then.
func hasFinished(data []byte) bool {
	for rest := data; ; {
		i := bytes.Index(rest, finishTail)
		if i < 0 {
			return false
		}
		rest = bytes.TrimLeft(rest[i+len(finishTail):], ": \t")
		if len(rest) > 0 && rest[0] == '"' {
			return true
		}
	}
}

// looksWhole reports whether the data has the end of an object, and as many closing braces as opening ones. Both are
// searches, and much cheaper than a scan. It can be wrong if a text has braces.
func looksWhole(data []byte) bool {
	return endsObject(data) && bytes.Count(data, openBrace) == bytes.Count(data, closeBrace)
}

// endsObject reports whether the data ends with a closing brace.
func endsObject(data []byte) bool {
	for i := len(data) - 1; i >= 0; i-- {
		switch data[i] {
		case '}':
			return true
		case ' ', '\t', '\r', '\n':
		default:
			return false
		}
	}
	return false
}

// mayHave reports whether the data can have the key that ends in tail with a value other than null. It can be
// wrong only in that the key is not there.
func mayHave(data, tail []byte) bool {
	i := bytes.Index(data, tail)
	return i >= 0 && !bytes.HasPrefix(bytes.TrimLeft(data[i+len(tail):], ": \t"), null)
}

// WithQuota returns data with `"quota":"<usd>"` added to its usage object. usd is the decimal amount in USD.
// data must be the data that c was scanned from. It is returned unchanged if it has no usage object.
func (c *Chunk) WithQuota(data []byte, usd string) []byte {
	if c.usage == (rawjson.Span{}) || data[c.usage.Start] != '{' {
		return data
	}
	close := c.usage.End - 1 // offset of the closing brace
	out := make([]byte, 0, len(data)+len(usd)+16)
	out = append(out, data[:close]...)
	if !rawjson.IsEmptyObject(c.usage.Of(data)) {
		out = append(out, ',')
	}
	out = append(append(append(out, `"quota":"`...), usd...), '"')
	return append(out, data[close:]...)
}

// The keys whose strings are generated text: of a chat completion or chunk, of a delta event, and of any of these and
// the items of a responses response.
var (
	chatKeys  = [...][]byte{[]byte(`"content":`), []byte(`"arguments":`), []byte(`"reasoning_content":`), []byte(`"refusal":`)}
	deltaKeys = [...][]byte{[]byte(`"delta":`)}
	textKeys  = [...][]byte{chatKeys[0], chatKeys[1], chatKeys[2], chatKeys[3], deltaKeys[0], []byte(`"text":`)}
)

// EachText calls text with every generated string that is not empty in responses, chunks and events:
// contents, refusals, reasoning and function arguments. The strings are JSON-escaped and without their
// quotes. data must not include an event that repeats text of earlier events. Strings come in the order of
// their keys' names, not of the data.
func EachText(data []byte, text func(escaped []byte)) { eachString(data, textKeys[:], text) }

// eachString calls text with the inside of every non-empty string under one of the keys, at any depth. A key
// must be followed by its colon without white space, as all known servers write it.
func eachString(data []byte, keys [][]byte, text func(escaped []byte)) {
	for _, key := range keys {
		for rest := data; ; {
			i := bytes.Index(rest, key)
			if i < 0 {
				break
			}
			rest = bytes.TrimLeft(rest[i+len(key):], " \t")
			if len(rest) == 0 || rest[0] != '"' {
				continue
			}
			s := rawjson.Scanner{Body: rest}
			quoted, err := s.String()
			if err != nil {
				break
			}
			if quoted.End-quoted.Start > 2 {
				text(rest[1 : quoted.End-1])
			}
			rest = rest[quoted.End:]
		}
	}
}

// tokens holds the counts of a usage object. Chat completions and responses have different names for them.
type tokens struct {
	in, out              int64 // the totals
	cached, write, audio int64 // contained in the input
	hour, image          int64 // contained in write, and in the rest of the input
	imageOut             int64 // contained in the rest of the output
	reasoning, audioOut  int64 // contained in the output
}

// ParseUsage reads a usage object of chat completions or responses. OpenAI counts cached and audio tokens
// inside the prompt's total, and reasoning and audio tokens inside the completion's total. The classes of
// usage.Usage do not overlap, so they are subtracted. A detail beyond its total is cut to the total. It
// returns nil for null, for negative totals and for anything that is not a usage object.
func ParseUsage(raw []byte) *usage.Usage {
	var t tokens
	s := rawjson.Scanner{Body: raw}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		into := value.Of(raw)
		switch string(key) {
		case "prompt_tokens", "input_tokens":
			return readTokens(into, &t.in)
		case "completion_tokens", "output_tokens":
			return readTokens(into, &t.out)
		case "prompt_tokens_details", "input_tokens_details":
			return readDetails(into, map[string]*int64{"cached_tokens": &t.cached, "cache_write_tokens": &t.write, cacheWrite1h: &t.hour, "audio_tokens": &t.audio, imageTokens: &t.image})
		case "completion_tokens_details", "output_tokens_details":
			return readDetails(into, map[string]*int64{"reasoning_tokens": &t.reasoning, "audio_tokens": &t.audioOut, imageTokens: &t.imageOut})
		}
		return nil
	})
	if err != nil || t.in < 0 || t.out < 0 {
		return nil
	}
	var u usage.Usage
	u.CachedInput, t.in = part(t.cached, t.in)
	u.CacheWrite, t.in = part(t.write, t.in)
	u.CacheWrite1h, _ = part(t.hour, u.CacheWrite)
	u.AudioInput, u.Input = part(t.audio, t.in)
	u.Reasoning, t.out = part(t.reasoning, t.out)
	u.AudioOutput, u.Output = part(t.audioOut, t.out)
	u.ImageInput, _ = part(t.image, u.Input)
	u.ImageOutput, _ = part(t.imageOut, u.Output)
	return &u
}

// readDetails reads counts of a details object. The keys of into are the names of the counts, its values the
// places where they are stored. A details object that is null changes nothing.
func readDetails(raw []byte, into map[string]*int64) error {
	if string(raw) == "null" {
		return nil
	}
	s := rawjson.Scanner{Body: raw}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		if count := into[string(key)]; count != nil {
			return readTokens(value.Of(raw), count)
		}
		return nil
	})
	return err
}

// readTokens stores a count in into. A count that is null or 0 changes nothing, because some servers send a
// count under both of its names, and 0 under one of them. Some servers send a count as 12.0.
func readTokens(raw []byte, into *int64) error {
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(string(raw), ".0"), 10, 64)
	if n != 0 {
		*into = n
	}
	return err
}

// part takes a detail out of its total, and never more than the total.
func part(detail, total int64) (taken, rest int64) {
	taken = min(max(detail, 0), total)
	return taken, total - taken
}

// ErrorBody represents OpenAI's error object. Fields that the upstream did not send are "".
type ErrorBody struct {
	Message string
	Type    string
	Param   string
	Code    string
}

// ScanError reads the error object of an error response. It returns nil if there is none or the body is
// malformed.
func ScanError(body []byte) *ErrorBody {
	var found *ErrorBody
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		if string(key) == "error" {
			found = parseError(value.Of(body))
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return found
}

// parseError reads an error object leniently: some servers send a bare string as the error, or a number as
// the code. It returns nil for null.
func parseError(raw []byte) *ErrorBody {
	var object *struct {
		Message any `json:"message"`
		Type    any `json:"type"`
		Param   any `json:"param"`
		Code    any `json:"code"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		var message string
		if json.Unmarshal(raw, &message) != nil {
			message = "unknown error"
		}
		return &ErrorBody{Message: message}
	}
	if object == nil {
		return nil
	}
	return &ErrorBody{word(object.Message), word(object.Type), word(object.Param), word(object.Code)}
}

// word returns a decoded JSON value as text: "" for null, a string as it is, anything else as JSON.
func word(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
