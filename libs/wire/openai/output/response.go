package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Response holds the fields that the gateway reads of a complete JSON response.
type Response struct {
	Report // the usage has the charges

	Error     *ErrorBody   // not nil if the body is an error, also when the HTTP status was 200
	UsageAt   rawjson.Span // the usage object, zero if there is none
	Failed    bool         // the body is a response object of the Responses API with the status "failed"
	Empty     bool         // the body is a chat completion without a choice
	hasOutput bool         // it has the array `choices` or `output`
	output    rawjson.Span // the output of a responses response, zero for a chat completion
}

// Generated returns the part of the body that the model generated: the output items of a responses response,
// whose body repeats the request's fields, the content of a message, and the whole body of a chat completion.
func (a *Response) Generated(body []byte) []byte {
	if a.output == (rawjson.Span{}) {
		return body
	}
	return a.output.Of(body)
}

// objectError is the value of the member object of some servers' errors, whose other members are those of an error
// object.
const objectError = `"error"`

// errNoResponse means that a JSON body is neither a chat completion, a response nor an error.
var errNoResponse = errors.New("openai: not a completion")

// scanResponse reads a chat completion, a response or an error body, see ScanAnswer.
func scanResponse(body []byte) (Response, error) {
	var a Response
	var choices, model, timings rawjson.Span
	isFailed, isResponse, isError := false, false, false
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(body)
		switch string(key) {
		case "usage":
			if u := tally.Parse(raw); u != nil {
				a.Usage, a.UsageAt = u, value
			}
		case "x_groq":
			if a.Usage == nil {
				a.Usage = tally.ParseGroq(raw)
			}
		case "service_tier":
			a.Charges.SetTier(raw)
		case "tool_usage":
			a.Charges.SetCounts(raw)
		case "timings":
			timings = value
		case "model":
			model = value
		case "error":
			a.Error = parseError(raw)
		case "choices":
			a.hasOutput, choices = raw[0] == '[', value
			a.Empty = a.hasOutput && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
		case "output":
			a.hasOutput, a.output = raw[0] == '[', value
		case "status":
			isFailed = string(raw) == `"failed"`
		case "object":
			isResponse, isError = string(raw) == `"response"`, string(raw) == objectError
		default:
			a.Charges.ReadSearchResults(key, raw)
		}
		return nil
	})
	if err == nil {
		err = s.Finish()
		if a.Usage == nil {
			a.Usage = tally.ParseChoices(body, choices)
		}
		if a.Usage == nil {
			a.Usage = tally.ParseTimings(timings.Of(body))
		}
		a.addCharges(body, choices, model)
	}
	if isError && a.Error == nil {
		a.Error = parseError(body)
	}
	if isFailed && a.Error == nil {
		a.Error = &ErrorBody{Message: "The response failed."}
	}
	if err != nil {
		return a, fmt.Errorf("openai: scan response: %w", err)
	}
	a.Failed = isFailed && isResponse
	if a.Error == nil && !a.hasOutput {
		return a, errNoResponse
	}
	return a, nil
}

// addCharges reads the charges of the items of a response, or of the choices and the model of a chat completion, and
// adds all charges to the usage.
func (a *Response) addCharges(body []byte, choices, model rawjson.Span) {
	a.Charges.AddItems(body, a.output)
	if choices != (rawjson.Span{}) {
		a.Charges.SetModel(model.Of(body))
		a.Charges.ReadChoices(choices.Of(body))
	}
	a.Usage = a.ReportedUsage()
}

// Chunk holds the fields that the gateway reads of one chunk of a chat stream. For an event of a responses
// stream it holds only the usage and the error.
type Chunk struct {
	Usage     *usage.Usage // nil if it has none
	Error     *ErrorBody   // nil if it has none
	UsageOnly bool         // it has usage and no choices: the additional chunk of stream_options.include_usage
	Finished  bool         // a choice in it has its finish_reason

	usage       rawjson.Span // of the usage object in the data, zero if it has none
	tier        rawjson.Span // of the service tier in the data, zero if it has none or the chunk was not scanned
	isPlainText bool         // it has a piece of text and nothing else
	hasNothing  bool         // it has no choices, usage or error
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
	timingsTail = []byte(`imings"`)
	null        = []byte("null")
)

// scanChunk reads the data of one chunk. Quotes inside JSON strings are escaped, so the bytes `usage"` can
// only be the end of a key or of a whole string. A chunk without the keys that matter is therefore recognized
// by searches. It returns an error for data that is scanned and malformed. A chunk that is recognized by a
// search is not checked, apart from its end and the number of its braces.
func scanChunk(data []byte) (c Chunk, err error) {
	isPlain := bytes.HasSuffix(data, plainEnd) || bytes.HasSuffix(data, plainEndNoUsage)
	if isPlain && bytes.Count(data, openBrace) <= plainBraces {
		c.isPlainText = true
		return c, nil
	}
	if c.Finished = hasFinished(data); isPlain {
		return c, nil
	}
	if !mayHave(data, usageTail) && !mayHave(data, errorTail) && !bytes.Contains(data, timingsTail) &&
		bytes.Contains(data, choicesTail) && looksWhole(data) {
		return c, nil
	}
	hasChoices, isError := false, false
	s := rawjson.Scanner{Body: data}
	_, err = s.Object(func(key []byte, value rawjson.Span) error {
		raw := value.Of(data)
		switch string(key) {
		case "usage":
			if u := tally.Parse(raw); u != nil {
				c.Usage, c.usage = u, value
			}
		case "x_groq": // Groq sends the usage here, unless stream_options asks for it
			if c.Usage == nil {
				c.Usage = tally.ParseGroq(raw)
			}
		case "timings": // of llama.cpp
			if c.Usage == nil {
				c.Usage = tally.ParseTimings(raw)
			}
		case "service_tier":
			c.tier = value
		case "error":
			c.Error = parseError(raw)
		case "choices":
			hasChoices = true
			c.UsageOnly = raw[0] == '[' && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
			if c.Usage == nil {
				c.Usage = tally.ParseChoices(data, value)
			}
		case "object":
			isError = string(raw) == objectError
		}
		return nil
	})
	if isError && c.Error == nil {
		c.Error = parseError(data)
	}
	c.hasNothing = !hasChoices && c.Usage == nil && c.Error == nil
	c.UsageOnly = c.Usage != nil && (c.UsageOnly || !hasChoices)
	if err != nil {
		return c, fmt.Errorf("openai: scan chunk: %w", err)
	}
	return c, nil
}

// hasFinished reports whether a choice of the chunk has its finish reason, which is null until then. Some servers write
// an empty text for null.
func hasFinished(data []byte) bool {
	for tail := data; ; {
		i := bytes.Index(tail, finishTail)
		if i < 0 {
			return false
		}
		tail = bytes.TrimLeft(tail[i+len(finishTail):], ": \t")
		if len(tail) > 1 && tail[0] == '"' && tail[1] != '"' {
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

// mayHave reports whether the data can have a key that ends in tail with a value other than null. It can be
// wrong only in that the key is not there.
func mayHave(data, tail []byte) bool {
	for remainder := data; ; {
		i := bytes.Index(remainder, tail)
		if i < 0 {
			return false
		}
		remainder = bytes.TrimLeft(remainder[i+len(tail):], ": \t")
		if !bytes.HasPrefix(remainder, null) {
			return true
		}
	}
}

// WithQuota returns a complete JSON response with `"quota":"<usd>"` in its usage object. usd is the decimal amount in
// USD. A response without a usage object is returned unchanged. The result refers to body, which must not change
// afterwards.
func WithQuota(body []byte, usd string) rawjson.Body {
	var usage rawjson.Span
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		if string(key) == "usage" {
			usage = value
		}
		return nil
	})
	if err != nil { // ScanResponse has checked the body
		return rawjson.NewBody(body)
	}
	return rawjson.Splice(body, quotaEdits(body, usage, usd))
}

// quotaEdits returns the edits that set the quota of the usage object at a span of data; nil if there is no object. An
// upstream that is a gateway like this one may have set its own quota, which is replaced.
func quotaEdits(data []byte, usage rawjson.Span, usd string) []rawjson.Edit {
	if usage == (rawjson.Span{}) || data[usage.Start] != '{' {
		return nil
	}
	var edits []rawjson.Edit
	quoted := []byte(`"` + usd + `"`)
	s := rawjson.Scanner{Body: data[:usage.End], At: usage.Start}
	_, _ = s.Object(func(key []byte, value rawjson.Span) error { // the object was scanned before
		if string(key) == "quota" {
			edits = append(edits, rawjson.Edit{At: value, With: quoted})
		}
		return nil
	})
	if edits != nil {
		return edits
	}
	end, member := usage.End-1, `"quota":`+string(quoted) // before the closing brace
	if !rawjson.IsEmptyObject(usage.Of(data)) {
		member = "," + member
	}
	return []rawjson.Edit{{At: rawjson.Span{Start: end, End: end}, With: []byte(member)}}
}

// The keys whose strings are generated text: of a chat completion or chunk, of a delta event, of a piece of a message's
// content block, and of any of these and the items of a responses response.
var (
	chatKeys = [...][]byte{[]byte(`"content":`), []byte(`"arguments":`), []byte(`"reasoning_content":`),
		[]byte(`"refusal":`), []byte(`"reasoning":`), []byte(`"text":`), []byte(`"transcript":`)}
	deltaKeys = [...][]byte{[]byte(`"delta":`)}
	blockKeys = [...][]byte{[]byte(`"text":`), []byte(`"partial_json":`), []byte(`"thinking":`)}
	textKeys  = [...][]byte{chatKeys[0], chatKeys[1], chatKeys[2], chatKeys[3], chatKeys[4], chatKeys[5], chatKeys[6],
		deltaKeys[0], blockKeys[1], blockKeys[2]}
)

// withoutRepeatedReasoning returns the keys without that of reasoning, the fifth, if the data has the reasoning under
// another one of them, too: vLLM sends it under both names, and OpenRouter as the texts in reasoning_details.
func withoutRepeatedReasoning(keys [][]byte, data []byte) [][]byte {
	const reasoning = 4
	if len(keys) <= reasoning || !bytes.Contains(data, keys[reasoning]) {
		return keys
	}
	if bytes.Contains(data, chatKeys[2]) || bytes.Contains(data, []byte(`"reasoning_details":`)) {
		return slices.Delete(slices.Clone(keys), reasoning, reasoning+1)
	}
	return keys
}

// EachText calls visit with every generated string that is not empty in responses, chunks and events:
// contents, refusals, reasoning and function arguments. The strings are JSON-escaped and without their
// quotes. data must not include an event that repeats text of earlier events. Strings come in the order of
// their keys' names, not of the data.
func EachText(data []byte, visit func(escaped []byte)) { eachString(data, textKeys[:], visit) }

// eachString calls visit with the inside of every non-empty string under one of the keys, at any depth. A key
// must be followed by its colon without white space, as all known servers write it.
func eachString(data []byte, keys [][]byte, visit func(escaped []byte)) {
	for _, key := range withoutRepeatedReasoning(keys, data) {
		for tail := data; ; {
			i := bytes.Index(tail, key)
			if i < 0 {
				break
			}
			tail = bytes.TrimLeft(tail[i+len(key):], " \t")
			if len(tail) == 0 || tail[0] != '"' {
				continue
			}
			s := rawjson.Scanner{Body: tail}
			quoted, err := s.String()
			if err != nil {
				break
			}
			if quoted.End-quoted.Start > 2 {
				visit(tail[1 : quoted.End-1])
			}
			tail = tail[quoted.End:]
		}
	}
}

// ErrorBody represents OpenAI's error object. Fields that the upstream did not send are "".
type ErrorBody struct {
	Message string
	Type    string
	Param   string
	Code    string
}

// ScanError reads the error object of an error response. It returns nil if there is none or the body is
// malformed. Google's endpoint for OpenAI's dialect puts the response into an array.
func ScanError(body []byte) *ErrorBody {
	body = bytes.TrimSpace(body)
	rawjson.EachElement(body, rawjson.Span{End: len(body)}, func(first rawjson.Span) bool {
		body = first.Of(body)
		return false
	})
	var fault *ErrorBody
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		if string(key) == "error" {
			fault = parseError(value.Of(body))
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return fault
}

// parseError reads an error object leniently: some servers send a bare string as the error, or a number as
// the code. It returns nil for null.
func parseError(raw []byte) *ErrorBody {
	if string(raw) == "null" { // as in each response that did not fail
		return nil
	}
	var object struct {
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
	return &ErrorBody{textOf(object.Message), textOf(object.Type), textOf(object.Param), textOf(object.Code)}
}

// textOf returns a decoded JSON value as text: "" for null, a string as it is, anything else as JSON.
func textOf(v any) string {
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
