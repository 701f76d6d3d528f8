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

// Response is what the gateway reads of a whole JSON response.
type Response struct {
	Usage    *usage.Usage // nil where the upstream reported none
	Error    *ErrorBody   // not nil: the "200" is an error
	hasShape bool
	output   rawjson.Span // of a response
}

// Generated returns the part of the response's body that the model generated.
func (a *Response) Generated(body []byte) []byte {
	if a.output == (rawjson.Span{}) {
		return body
	}
	return a.output.Of(body)
}

// ErrNoResponse is returned for JSON that is neither a response nor an error.
var ErrNoResponse = errors.New("openai: not a completion")

// ScanResponse reads a chat completion, a response or an error body. It returns
// an error for a body that is cut off, not JSON or something else.
func ScanResponse(body []byte) (Response, error) {
	var a Response
	failed := false
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
	if a.Error == nil && !a.hasShape {
		return a, ErrNoResponse
	}
	return a, nil
}

// Chunk is what the gateway reads of one chunk of a chat stream.
type Chunk struct {
	Usage     *usage.Usage
	Error     *ErrorBody
	UsageOnly bool // `choices` is empty: the extra chunk that carries usage
	Finished  bool // some choice has its finish_reason

	usage rawjson.Span // the usage object in the data
}

// How nearly every chunk ends: with an unfinished choice, and nothing after it.
// What such a chunk might say before its choices, a later one says again.
var (
	plainEnd        = []byte(`"finish_reason":null}]}`)
	plainEndNoUsage = []byte(`"finish_reason":null}],"usage":null}`)
)

// Tails of the keys "usage", "error", "finish_reason" and "choices": a search
// is fast where its first byte is rare.
var (
	usageTail   = []byte(`usage"`)
	errorTail   = []byte(`rror"`)
	finishTail  = []byte(`_reason"`)
	choicesTail = []byte(`hoices"`)
	null        = []byte("null")
)

// ScanChunk reads the data of one chunk. Quotes inside JSON strings are
// escaped, so `usage"` can only end a key or a whole string. The common chunk,
// which has none of the keys that matter, is therefore recognised by searching
// alone.
func ScanChunk(data []byte) (c Chunk, err error) {
	if bytes.HasSuffix(data, plainEnd) || bytes.HasSuffix(data, plainEndNoUsage) {
		return c, nil
	}
	if i := bytes.Index(data, finishTail); i >= 0 {
		value := bytes.TrimLeft(data[i+len(finishTail):], ": \t")
		c.Finished = len(value) > 0 && value[0] == '"' // null until the choice is finished
	}
	if !mayHave(data, usageTail) && !mayHave(data, errorTail) && bytes.Contains(data, choicesTail) {
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

// mayHave reports whether the key with the tail may be there with a value.
func mayHave(data, tail []byte) bool {
	i := bytes.Index(data, tail)
	return i >= 0 && !bytes.HasPrefix(bytes.TrimLeft(data[i+len(tail):], ": \t"), null)
}

// WithQuota returns data with `"quota":"<usd>"` added to its usage object.
func (c *Chunk) WithQuota(data []byte, usd string) []byte {
	if c.usage == (rawjson.Span{}) || data[c.usage.Start] != '{' {
		return data
	}
	close := c.usage.End - 1
	out := make([]byte, 0, len(data)+len(usd)+16)
	out = append(out, data[:close]...)
	if !rawjson.IsEmptyObject(c.usage.Of(data)) {
		out = append(out, ',')
	}
	out = append(append(append(out, `"quota":"`...), usd...), '"')
	return append(out, data[close:]...)
}

// The fields whose strings are generated text: of a chat answer or chunk, of
// an event with a piece of text, and of the items of a responses answer.
var (
	chatKeys  = [...][]byte{[]byte(`"content":`), []byte(`"arguments":`), []byte(`"reasoning_content":`), []byte(`"refusal":`)}
	deltaKeys = [...][]byte{[]byte(`"delta":`)}
	textKeys  = [...][]byte{chatKeys[0], chatKeys[1], chatKeys[2], chatKeys[3], deltaKeys[0], []byte(`"text":`)}
)

// EachText calls text with the JSON-escaped inside of every generated string of
// responses, chunks and events: contents, refusals, reasoning and function
// arguments. data must not include an event that repeats text of earlier
// events.
func EachText(data []byte, text func(escaped []byte)) { eachString(data, textKeys[:], text) }

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

// tokens are the counts of a usage object, by the names that chat completions
// and responses have for them.
type tokens struct {
	in, out              int64
	cached, write, audio int64 // parts of in
	reasoning, audioOut  int64 // parts of out
}

// ParseUsage normalises a usage object of chat completions or responses. OpenAI
// counts cached and audio tokens inside the prompt's total, and reasoning and
// audio tokens inside the completion's; here classes do not overlap. It returns
// nil for null and for anything that is not a usage object.
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
			return readDetails(into, map[string]*int64{"cached_tokens": &t.cached, "cache_write_tokens": &t.write, "audio_tokens": &t.audio})
		case "completion_tokens_details", "output_tokens_details":
			return readDetails(into, map[string]*int64{"reasoning_tokens": &t.reasoning, "audio_tokens": &t.audioOut})
		}
		return nil
	})
	if err != nil || t.in < 0 || t.out < 0 {
		return nil
	}
	var u usage.Usage
	u.CachedInput, t.in = part(t.cached, t.in)
	u.CacheWrite, t.in = part(t.write, t.in)
	u.AudioInput, u.Input = part(t.audio, t.in)
	u.Reasoning, t.out = part(t.reasoning, t.out)
	u.AudioOutput, u.Output = part(t.audioOut, t.out)
	return &u
}

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

// readTokens reads a count. null and 0 leave it: some servers send both names
// of a count, one of them 0. Others send 12.0.
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

// part takes a detail out of its total, never more than is there.
func part(detail, total int64) (taken, rest int64) {
	taken = min(max(detail, 0), total)
	return taken, total - taken
}

// ErrorBody is OpenAI's error object.
type ErrorBody struct {
	Message string
	Type    string
	Param   string
	Code    string
}

// ScanError reads the error object of an error response, nil if there is none.
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

// parseError reads an error object leniently: some servers send a bare string,
// or a number as code. It returns nil for null.
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
