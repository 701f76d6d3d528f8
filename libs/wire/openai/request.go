// Package openai reads and edits the requests of clients without decoding them: those of OpenAI's dialects, chat
// completions, responses and embeddings, and of Anthropic's, messages. Package output does the same for the responses
// of upstreams.
//
// ScanRequest scans a body once. It checks the top level and reads the few fields that the gateway needs: the
// model, stream options, output cap, and the features on which routing depends. The result, a Request,
// remembers where these fields are. Later steps edit the body at those places only:
//
//   - Forward writes the upstream's model name, asks for the usage chunk of a chat stream, and writes the upstream's
//     own ids and encrypted content instead of the gateway's.
//   - Adapt does this too, and applies the settings of a channel (parameters, system prompt, quirks).
//   - Expand puts a stored conversation before the input of a responses request.
//   - WithoutOptionalTools omits the tools that the provider would run.
//
// All other bytes stay as the client sent them: unknown fields, the order of keys, white space, the spelling
// of numbers. Faults that the gateway need not see are left to the upstream. Fields that it reads are strict,
// because the upstream must not understand them in another way: duplicate keys and other spellings (as
// "Model") are refused.
package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/media"
	"github.com/tollgate/tollgate/libs/wire/openai/upstreamid"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Request represents a scanned chat, responses, messages or embeddings request. It refers to the body that it was
// scanned from, which must not change. Methods that read it are safe for concurrent use; RemoveTags,
// EditIDs, SetUpstreamPrevious and MarkConverted, which write, are not.
type Request struct {
	Model string
	// The flags of a group are adjacent, so that they share a machine word: a call allocates less.
	Stream       bool
	IncludeUsage bool   // the client asked for the usage chunk of a chat stream
	Tools        bool   // the request offers functions that the model may call
	Structured   bool   // the output must be JSON, with a schema or without
	NotStored    bool   // `store` is false: the response must not be stored
	NoToolCalls  bool   // `max_tool_calls` is 0: the provider may run no tool
	OutputCap    int64  // most output tokens per choice, 0 if the client set none
	Choices      int64  // `n`, at least 1
	Media        int    // signs of images and files, see media.IsSign: an upper bound of their number
	ServiceTier  string // `service_tier` as the client sent it, "" for none
	MaxToolCalls int64  // `max_tool_calls` of a responses request, 0 if the client set none or 0
	// CompactsFrom is the number of input tokens from which the provider summarizes the conversation of a messages
	// request (`context_management`), besides the answer; 0: it does not.
	CompactsFrom int64
	// Charges are the things in the request for which the provider may charge besides ordinary tokens, nil for none.
	Charges []charge.Charge
	// Previous is the id of the response that a responses request continues, "" for none. Expand keeps it.
	Previous string

	body             []byte
	dialect          catalog.Dialect
	model            rawjson.Span
	streamOptions    rawjson.Span   // zero if absent
	includeUsage     rawjson.Span   // the value inside stream_options, zero if absent
	input            rawjson.Span   // the value of `input`, or of `messages` in a chat request
	previous         rawjson.Span   // zero if absent or null
	upstreamPrevious string         // the upstream's own id of Previous, "" for none
	tags             []rawjson.Span // the tags that Forward removes, see RemoveTags
	ids              []rawjson.Edit // the ids that Forward replaces or removes, see EditIDs
	parts            *media.Parts   // see Parts; nil for none
	cacheKey         rawjson.Span   // the value, zero if absent
	endUser          rawjson.Span   // the string in safety_identifier or else in user, zero if neither has one
	metadata         rawjson.Span   // the object, zero if absent
	mayHaveMedia     bool           // a string may belong to a sound or a file, see media.IsOtherSign
	mayHaveIDs       bool           // a key, or a nested string, may be the key of an upstream's id
	// A string may be a thinking block's signature of another family, see WithoutForeignThinking.
	mayHaveForeign   bool
	mayHaveSignature bool // a string may be the key of a thinking block's signature, or the type of a redacted one
	hasFreeCode      bool // it has a tool with which the execution of code is free, see runsCodeItself
	mayNameTier      bool // a field with another name may ask for a service tier, too
	isConverted      bool // see MarkConverted
	chargeSigns      chargeSigns
	tools            rawjson.Span // the value, zero if absent
	serviceTier      rawjson.Span // the value, zero if absent
	newTier          string       // see WithServiceTier, "" for the client's
	omission         *omission    // the tools that Forward and Adapt omit, nil for none, see WithoutOptionalTools
	ignored          []string     // see MarkConverted
	end              int          // offset of the closing brace
	earlierItems     int          // number of items of earlier turns at the beginning of the input
	ownInput         []byte       // see Input; nil unless Expand made the request
	origins          []itemOrigin // of the items of ownInput, nil if they are as the client sent them
}

// Size returns the length of the body in bytes.
func (r *Request) Size() int { return len(r.body) }

// Parts returns the images, sounds and files that are recognized in the conversation. Their data is not text.
func (r *Request) Parts() media.Parts {
	if r.parts == nil {
		return media.Parts{}
	}
	return *r.parts
}

// TextSize returns the length of the body in bytes, without the data of its Parts. It is an upper bound of the tokens
// of the text, because a token has at least one byte.
func (r *Request) TextSize() int64 { return int64(len(r.body)) - r.Parts().Bytes }

// Unrecognized returns an upper bound of the number of images and files that are not in Parts.
func (r *Request) Unrecognized() int64 { return int64(r.Media - r.Parts().Signs) }

// HasMedia reports whether the request may have images, sounds or files.
func (r *Request) HasMedia() bool { return r.Media > 0 || r.mayHaveMedia }

// Generates reports whether the answer has text that a model generated.
func (r *Request) Generates() bool { return r.dialect != catalog.Embeddings }

// CacheKey returns the client's key for requests that share a prompt or a conversation (`prompt_cache_key`, and
// `metadata.user_id` of a messages request: agents put the id of their session there).
// The key is a JSON value as it is spelled in the body, empty if there is none. The result refers to the
// body.
func (r *Request) CacheKey() []byte { return r.cacheKey.Of(r.body) }

// Body returns the scanned body: as the client sent it, or as Expand wrote it.
func (r *Request) Body() []byte { return r.body }

// ErrResponsesBody is the cause of the problem of a chat request that has no messages, but the input of a responses
// request.
var ErrResponsesBody = errors.New("openai: a responses request in place of a chat request")

// ScanRequest scans a request of the dialect, which must be Chat, Responses, Messages or Embeddings. Errors are
// problems of the kinds InvalidJSON, MissingParameter, InvalidType and UnsupportedParameter that name the field.
//
// It refuses a duplicate key, and another spelling of a field that is read here, because another reader might
// take the other value: the gateway would then meter one request and the upstream would serve another one.
func ScanRequest(body []byte, dialect catalog.Dialect) (*Request, error) {
	r, fields, err := scan(body, dialect)
	switch {
	case err != nil:
	case !fields.hasContent && fields.hasInput:
		p := problem.New(problem.MissingParameter, "Missing required parameter: 'messages'. The body has 'input', "+
			"as requests to /v1/responses have: send it there.").At("messages")
		p.Cause = ErrResponsesBody
		err = p
	case !fields.hasContent:
		err = param.Missing(contentField(dialect))
	case dialect == catalog.Messages && !fields.hasCap: // Anthropic's API requires it
		err = param.Missing("max_tokens")
	case r.Stream && dialect == catalog.Embeddings:
		err = unsupported("stream")
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// ScanOperation scans a request for an operation on the input of a responses or messages request, such as counting its
// tokens. It differs from ScanRequest in that `input` and `max_tokens` are optional, and that it refuses a stream,
// because no such operation has one.
func ScanOperation(body []byte, dialect catalog.Dialect) (*Request, error) {
	r, fields, err := scan(body, dialect)
	switch {
	case err != nil:
	case r.Stream:
		err = unsupported("stream")
	case dialect == catalog.Messages && !fields.hasContent:
		err = param.Missing(contentField(dialect))
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// typicalKeys is the number of top-level members for which the scan allocates memory at once.
const typicalKeys = 8

// fieldsFound reports which of the fields that can be required a request has.
type fieldsFound struct {
	hasContent bool // the field that holds the conversation
	hasCap     bool // max_tokens of a messages request
	hasInput   bool // a chat request has the field input
}

// scan scans a request, and reports which fields it has.
func scan(body []byte, dialect catalog.Dialect) (r *Request, fields fieldsFound, err error) {
	r = &Request{body: body, dialect: dialect, Choices: 1}
	// JSON must be UTF-8. The check is a pass of its own, because it and the search for quotes read wide words: a loop
	// that does both at once takes 1.4 times as long for prose, and four times as long for an image.
	if !rawjson.ValidUTF8(body) {
		return nil, fieldsFound{}, problem.New(problem.InvalidJSON, "The body is not valid UTF-8.")
	}
	// One pass over the body checks the top level, finds the fields and counts the media.
	s := rawjson.Scanner{Body: body, Strings: (*mediaCounter)(r)}
	reader := fieldReader{request: r, content: contentField(dialect), keys: make([][]byte, 0, typicalKeys)}
	end, err := s.Object(reader.read)
	if err == nil {
		r.end = end
		err = s.Finish()
	}
	if err != nil {
		return nil, fieldsFound{}, asProblem(err)
	}
	r.findCharges()
	if r.mayNameTier {
		r.ServiceTier = "auto" // the answer can name any
	}
	if r.HasMedia() && r.Generates() {
		parts := media.Find(body, r.input, r.form())
		r.parts = &parts
	}
	if r.Model == "" {
		return nil, fieldsFound{}, param.Missing("model")
	}
	return r, reader.fieldsFound, nil
}

// mediaCounter counts the strings that show that a message part refers to an image or a file. It is the
// Request under another type, so that the counter needs no allocation.
type mediaCounter Request

// VisitString adds one to Media for the strings that name such a part. A text of exactly these words counts
// too, and a part counts twice if both its type and its key match: the count is an upper bound.
func (c *mediaCounter) VisitString(quoted []byte) {
	if len(quoted) <= media.MaxSignLength {
		switch {
		case media.IsSign(quoted, (*Request)(c).form()):
			c.Media++
		case media.IsOtherSign(quoted):
			c.mayHaveMedia = true
		}
	}
	if c.dialect == catalog.Messages {
		c.visitMessages(quoted)
	}
	escaped := len(quoted) <= longestIDKey && bytes.IndexByte(quoted, '\\') >= 0
	c.mayHaveIDs = c.mayHaveIDs || escaped && bytes.Contains(quoted, []byte(`\u`)) ||
		upstreamid.IsKey(quoted[1:len(quoted)-1], (*Request)(c).kindOfIDs())
	c.chargeSigns.visit(quoted, escaped)
}

// form returns the form of the conversation.
func (r *Request) form() media.Form {
	switch r.dialect {
	case catalog.Chat:
		return media.Chat
	case catalog.Responses:
		return media.Responses
	case catalog.Messages:
		return media.Messages
	}
	return media.None
}

// contentField returns the name of the field that holds the conversation, or the texts to embed.
func contentField(dialect catalog.Dialect) string {
	if dialect == catalog.Responses || dialect == catalog.Embeddings {
		return "input"
	}
	return "messages"
}

// fieldReader reads the top-level fields of a request one after the other.
type fieldReader struct {
	request *Request
	content string // the field that holds the conversation
	fieldsFound
	keys [][]byte // the keys read so far, to detect duplicates
}

// read reads one field. It refuses a key that it has read before.
func (f *fieldReader) read(key []byte, value rawjson.Span) error {
	for _, name := range f.keys {
		if bytes.Equal(name, key) {
			return problem.New(problem.InvalidJSON, "The body has the key %q more than once. Send it once.", key).
				At(string(key))
		}
	}
	f.keys = append(f.keys, key)
	f.request.mayHaveIDs = f.request.mayHaveIDs || upstreamid.IsKey(key, f.request.kindOfIDs())
	raw := value.Of(f.request.body)
	switch string(key) {
	case "model":
		return f.request.readModel(raw, value)
	case "stream":
		return readBool("stream", raw, &f.request.Stream)
	case "stream_options":
		return f.request.readStreamOptions(raw, value)
	case "store":
		f.request.NotStored = string(raw) == "false" // the upstream or its codec refuses any other type
		return nil
	case f.content: // input or messages, depending on the dialect
		f.request.input = value
		return f.readContent(raw)
	}
	f.request.readNeeds(key, value)
	f.request.readCharge(key, value)
	switch f.request.dialect { //nolint:exhaustive // chat follows
	case catalog.Responses:
		return f.readResponses(key, value)
	case catalog.Messages:
		return f.readMessages(key, value)
	case catalog.Embeddings:
		return f.refuseRespelling(key)
	}
	switch string(key) {
	case "max_tokens", "max_completion_tokens":
		return readCount(string(key), raw, &f.request.OutputCap)
	case "n":
		return readCount("n", raw, &f.request.Choices)
	case "deferred": // of xAI: it answers with an id, and the answer that it charges for is never metered
		return f.refuseTrue("deferred", raw)
	case "input": // not a field of this dialect
		f.hasInput = string(raw) != "null"
		return nil
	}
	return f.refuseRespelling(key)
}

// readResponses reads the fields that only a responses request has. It refuses two features. A conversation
// object lives at one upstream, and the gateway doesn't know which one. A background response continues after
// the upstream has answered, so its usage could not be metered.
func (f *fieldReader) readResponses(key []byte, value rawjson.Span) error {
	r := f.request
	raw := value.Of(r.body)
	switch string(key) {
	case "max_output_tokens":
		return readCount(string(key), raw, &r.OutputCap)
	case "max_tool_calls":
		r.NoToolCalls = string(raw) != "null"
		err := readCount(string(key), raw, &r.MaxToolCalls)
		r.NoToolCalls = r.NoToolCalls && r.MaxToolCalls == 0
		return err
	case "previous_response_id":
		return r.readPrevious(raw, value)
	case "background":
		return f.refuseTrue("background", raw)
	case "conversation":
		if string(raw) != "null" {
			return unsupported("conversation")
		}
		return nil
	}
	return f.refuseRespelling(key)
}

// refuseTrue returns an UnsupportedParameter problem for a field that is true.
func (f *fieldReader) refuseTrue(name string, raw []byte) error {
	var value bool
	if err := readBool(name, raw, &value); err != nil || !value {
		return err
	}
	return unsupported(name)
}

// readPrevious reads previous_response_id.
func (r *Request) readPrevious(raw []byte, value rawjson.Span) error {
	if string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &r.Previous) != nil || r.Previous == "" {
		return param.Invalid("previous_response_id", "a non-empty string")
	}
	r.previous = value
	return nil
}

// readFields are the names of the fields that are read here. An upstream with a case-insensitive JSON decoder
// would take other spellings of them for the same field.
var readFields = [...]string{
	"model", "stream", "stream_options", "max_tokens", "max_completion_tokens", "max_output_tokens", "n",
	"messages", "input",
	"previous_response_id", "background", "conversation", "store", "service_tier", "tools", "modalities",
	"web_search_options", "max_tool_calls",
	"search_parameters", "enable_search", "plugins", "models", "compound_custom", "prompt", "cache_control", "speed",
	"inference_geo",
}

// refuseRespelling returns an error for a key that differs only in case from a field that is read here.
func (f *fieldReader) refuseRespelling(key []byte) error {
	for _, name := range readFields {
		if string(key) != name && upstreamid.Spells(key, name) {
			return problem.New(problem.InvalidType, "Unknown parameter: %q. Did you mean %q?", key, name).
				At(string(key))
		}
	}
	return nil
}

// readContent checks the type of the conversation or of the texts to embed: an array, or where it is named input a
// string. Its elements are not read. null counts as absent.
func (f *fieldReader) readContent(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if raw[0] != '[' && (f.content != "input" || raw[0] != '"') {
		return param.Invalid(f.content, "an array")
	}
	f.hasContent = true
	return nil
}

// readModel reads the model name. null counts as absent.
func (r *Request) readModel(raw []byte, value rawjson.Span) error {
	if string(raw) == "null" {
		return nil
	}
	if name := rawjson.Plain(raw); len(name) > 0 { // decoding takes three allocations
		r.Model, r.model = string(name), value
		return nil
	}
	var syntax *json.SyntaxError
	err := json.Unmarshal(raw, &r.Model)
	if errors.As(err, &syntax) {
		return problem.New(problem.InvalidJSON,
			"The body is not valid JSON: the value of 'model' is a malformed string.").At("model")
	}
	if err != nil || r.Model == "" {
		return param.Invalid("model", "a non-empty string")
	}
	r.model = value
	return nil
}

// readStreamOptions reads stream_options and the include_usage in it. Other options stay unread.
func (r *Request) readStreamOptions(raw []byte, value rawjson.Span) error {
	r.streamOptions = value
	if string(raw) == "null" {
		return nil
	}
	if raw[0] != '{' {
		return param.Invalid("stream_options", "an object")
	}
	inner := rawjson.Scanner{Body: r.body[:value.End], At: value.Start}
	_, err := inner.Object(func(key []byte, v rawjson.Span) error {
		if string(key) != "include_usage" {
			return nil
		}
		if r.includeUsage != (rawjson.Span{}) {
			return problem.New(problem.InvalidJSON, "The body has the key %q more than once. Send it once.", key).
				At("stream_options.include_usage")
		}
		r.includeUsage = v
		return readBool("stream_options.include_usage", v.Of(r.body), &r.IncludeUsage)
	})
	return err
}

// readBool reads a boolean and sets value if it is true. false and null change nothing.
func readBool(name string, raw []byte, value *bool) error {
	switch string(raw) {
	case "true":
		*value = true
	case "false", "null":
	default:
		return param.Invalid(name, "a boolean")
	}
	return nil
}

// readCount reads a whole number of 0 or more and stores it in value if it is larger than the value there: the
// output cap has several names, the upstream may obey any of them, and the hold must cover the largest. A
// number beyond int64 counts as the largest int64. null changes nothing.
func readCount(name string, raw []byte, value *int64) error {
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if errors.Is(err, strconv.ErrRange) && n > 0 {
		n, err = math.MaxInt64, nil
	}
	if err != nil || n < 0 {
		return param.Invalid(name, "a positive integer")
	}
	*value = max(*value, n)
	return nil
}

// asProblem turns a *rawjson.SyntaxError into an InvalidJSON problem and returns any other error unchanged.
func asProblem(err error) error {
	var syntax *rawjson.SyntaxError
	if errors.As(err, &syntax) {
		return problem.New(problem.InvalidJSON, "The body is not valid JSON: %s.", syntax)
	}
	return err
}

// unsupported returns the problem of a field that the gateway does not support on any channel.
func unsupported(path string) error {
	return problem.New(problem.UnsupportedParameter, "Unsupported parameter: '%s'.", path).At(path)
}
