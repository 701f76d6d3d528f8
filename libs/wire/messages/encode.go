package messages

import (
	stdjson "encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// Options holds the values that a request depends on in addition to the conversation.
type Options struct {
	Model string // the upstream's name of the model
	Tier  string // the service tier, "" for none
	// MaxOutput is the max_tokens of a request that sets no cap. The API requires the field. 0 means
	// catalog.DefaultMaxOutput, which is also the upper bound that the request's hold covers.
	MaxOutput int64
}

// EncodeRequest returns the body of the request, and the client's paths of what it leaves out of it. Errors are
// problems of the kinds UnsupportedParameter and InvalidType that name the client's field. It does not change r.
func EncodeRequest(r *conversation.Request, o Options) (body []byte, ignored []string, err error) {
	r = toolcall.Rename(r, nameRule)
	e := encoder{
		r: r, model: modelOf(o.Model), out: request{Model: o.Model, ServiceTier: o.Tier, Stream: r.Stream},
		keys: map[string]toolcall.Names{}, ids: map[string]string{}, suffixes: map[string]int{},
		ignored: r.Lacking(conversation.UpstreamMessages),
	}
	e.out.MaxTokens = firstOf(r.MaxOutput, o.MaxOutput, catalog.DefaultMaxOutput)
	if r.User != "" {
		e.out.Metadata = &metadata{UserID: opaqueID(r.User)}
	}
	// The order matters: the steps after reasoning depend on the thinking that it sets, and those after turns on
	// whether the turns allow it.
	for _, step := range []func() error{r.CheckTranslatable, e.stopSequences, e.reasoning, e.format, e.tools, e.turns,
		e.sampling, e.jsonObject, e.limitCache} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	body, err = json.Marshal(&e.out, jsontext.PreserveRawStrings(true), jsontext.AllowDuplicateNames(true))
	if err != nil { // half of a surrogate pair, which the API refuses, becomes U+FFFD
		body, err = json.Marshal(&e.out, lenient)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("messages: encode request: %w", err)
	}
	return body, e.ignored, nil
}

// nameRule describes the names of tools that the API accepts. Gemini and servers of the chat dialect accept dots.
var nameRule = toolcall.NameRule{Symbols: "_-", MaxLength: 128}

// firstOf returns the first limit above 0, or 0.
func firstOf(limits ...int64) int64 {
	for _, limit := range limits {
		if limit > 0 {
			return limit
		}
	}
	return 0
}

// maxUserID is the length in characters of the longest id of an end user that the API accepts.
const maxUserID = 256

// personal matches what looks like an e-mail address, or like a phone number.
var personal = regexp.MustCompile(`[^\s@]@[^\s@]|\+\d[\d ().-]{5,}\d|^[\d ().-]{7,}$`)

// opaqueID returns an id of an end user, or its hash if the API refuses it: it takes no address, no phone number and no
// longer id.
func opaqueID(id string) string {
	if utf8.RuneCountInString(id) > maxUserID || personal.MatchString(id) {
		return hashOf(id)
	}
	return id
}

// encoder builds out from r. Its steps run in the order of EncodeRequest, because later ones depend on the
// thinking that reasoning has set, and that turns may take back.
type encoder struct {
	r     *conversation.Request
	model model
	out   request
	keys  map[string]toolcall.Names // names of properties, by the tool; without those whose names are accepted
	ids   map[string]string         // ids of calls as the API gets them, by those of the conversation
	// The ids of calls that the API gets, each with the number to append to it if another call has the same id.
	suffixes  map[string]int
	blankPath string   // path of the last text of a user that was left out because it is blank, "" for none
	ignored   []string // the client's paths of what is left out
}

// ignore notes that a field is left out.
func (e *encoder) ignore(f conversation.Field) { e.ignored = append(e.ignored, e.r.NameOf(f)) }

// stopSequences sets the stop sequences, except those that the API refuses, see BlankStops.
func (e *encoder) stopSequences() error {
	for _, sequence := range e.r.Stop {
		if !isBlank(sequence) {
			e.out.StopSequences = append(e.out.StopSequences, sequence)
		}
	}
	if len(e.out.StopSequences) < len(e.r.Stop) {
		return param.CheckStop(e.r)
	}
	return nil
}

// BlankStops returns the stop sequences of white space alone. The API refuses them, so the caller ends the response.
// EncodeRequest has checked them.
func BlankStops(r *conversation.Request) (blank []string) {
	for _, sequence := range r.Stop {
		if isBlank(sequence) {
			blank = append(blank, sequence)
		}
	}
	return blank
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// isOrAbsent reports whether n is absent or has the value.
func isOrAbsent(n stdjson.Number, value float64) bool {
	if n == "" {
		return true
	}
	number, err := n.Float64()
	return err == nil && number == value
}

// reasoning sets the thinking that the client's reasoning effort asks for, in the form that the model
// understands. It leaves the effort out if the model cannot do that: if thinking cannot be turned off, or has no room
// below max_tokens, or the client forces a call that the model cannot think before. It refuses an unknown effort.
func (e *encoder) reasoning() error {
	effort := e.r.Reasoning.Effort
	setting, hasEffort := efforts[effort]
	switch {
	case effort == "":
		e.summary()
		return nil
	case effort == "none":
		e.disableThinking()
		return nil
	case !hasEffort:
		return e.r.UnsupportedField(conversation.FieldEffort)
	case e.isCallForced() && !e.model.forcedThinks:
		e.ignore(conversation.FieldEffort)
		return nil
	case e.model.adaptive:
		if setting.level == "" {
			setting.level = e.model.aboveHigh
		}
		e.out.Thinking = &thinking{Type: "adaptive", Display: e.display()}
		e.out.OutputConfig = &outputConfig{Effort: setting.level}
		return nil
	}
	budget := fitBudget(setting.budget, e.out.MaxTokens)
	if budget == 0 {
		e.ignore(conversation.FieldEffort)
		return nil
	}
	e.out.Thinking = &thinking{Type: "enabled", BudgetTokens: budget}
	return nil
}

// disableThinking turns off the thinking of a model that thinks by default.
func (e *encoder) disableThinking() {
	switch {
	case !e.model.thinksByDefault:
	case e.model.offType == "":
		e.ignore(conversation.FieldEffort)
	default:
		e.out.Thinking = &thinking{Type: e.model.offType}
	}
}

// summary makes a model that thinks by default show its thinking, if the client asks for a summary.
func (e *encoder) summary() {
	if e.model.thinksByDefault && e.r.Reasoning.Summary != "" {
		e.out.Thinking = &thinking{Type: "adaptive", Display: e.display()}
	}
}

// display returns the value of thinking.display: whether the response contains the text of the thinking. A responses
// client that asks for no summary receives reasoning without text and may send it back like this. The API accepts a
// thinking block without text only if the model produced it without text, so the request asks for "omitted". A chat
// client cannot ask for a summary and gets the model's default.
func (e *encoder) display() string {
	switch {
	case e.r.Reasoning.Summary != "":
		return "summarized"
	case e.r.Client == conversation.ClientResponses:
		return "omitted"
	}
	return ""
}

// sampling sets temperature, top_p and top_k. It leaves out the value 1 of the first two, which is the default of both
// sides, because newer models refuse these fields and some refuse both together. It leaves out what the model does not
// accept: newer models accept none of them, others only one of the first two, and a model that thinks accepts only a
// high top_p. A temperature above 1, the most that the API accepts, becomes 1, as in Anthropic's own OpenAI
// compatibility layer.
func (e *encoder) sampling() error {
	thinks := e.out.Thinking != nil && e.out.Thinking.Type != e.model.offType
	free := e.model.sampling && !thinks
	switch t := e.r.Temperature; {
	case isOrAbsent(t, 1):
	case !between(t, 0, maxTemperature):
		return e.r.UnsupportedField(conversation.FieldTemperature)
	case free && between(t, 0, 1):
		e.out.Temperature = jsontext.Value(t)
	default:
		e.ignore(conversation.FieldTemperature)
	}
	switch p := e.r.TopP; {
	case isOrAbsent(p, 1):
	case !between(p, 0, 1):
		return e.r.UnsupportedField(conversation.FieldTopP)
	case e.model.singleSampling && e.out.Temperature != nil:
		e.ignore(conversation.FieldTopP)
	case free, e.model.sampling && between(p, minThinkingTopP, 1):
		e.out.TopP = jsontext.Value(p)
	default:
		e.ignore(conversation.FieldTopP)
	}
	switch k := e.r.TopK; {
	case k == "":
	case free:
		e.out.TopK = jsontext.Value(k)
	default:
		e.ignore(conversation.FieldTopK)
	}
	return nil
}

const (
	maxTemperature  = 2    // OpenAI's
	minThinkingTopP = 0.95 // the smallest top_p that the API accepts from a model that thinks
)

// between reports whether n is from low to high, inclusive.
func between(n stdjson.Number, low, high float64) bool {
	value, err := n.Float64()
	return err == nil && value >= low && value <= high
}

// format asks for structured output with a schema. For JSON without a schema see jsonObject.
func (e *encoder) format() error {
	f := e.r.Format
	if f.Type == "" || f.Type == conversation.FormatJSON {
		return nil
	}
	if f.Type != conversation.FormatSchema || f.Schema == nil {
		return e.r.UnsupportedField(conversation.FieldFormat)
	}
	if e.out.OutputConfig == nil {
		e.out.OutputConfig = &outputConfig{}
	}
	schema, err := closedSchema(jsontext.Value(f.Schema), e.r.NameOf(conversation.FieldFormat)+schemaKey[e.r.Client])
	e.out.OutputConfig.Format = &format{Type: "json_schema", Schema: schema}
	return err
}

// schemaKey is the path of the schema below the client's field of the format.
var schemaKey = map[conversation.ClientDialect]string{
	conversation.ClientChat: ".json_schema.schema", conversation.ClientResponses: ".schema",
	conversation.ClientMessages: ".schema",
}

// maxCacheFields is the largest number of cache_control fields that the API accepts.
const maxCacheFields = 4

// limitCache leaves out the cache_control fields before the last four. A cache holds everything before its field, so
// the last ones matter.
func (e *encoder) limitCache() error {
	var fields []*jsontext.Value
	add := func(field *jsontext.Value) {
		if len(*field) > 0 {
			fields = append(fields, field)
		}
	}
	for i := range e.out.Tools {
		add(&e.out.Tools[i].CacheControl)
	}
	eachBlock(e.out.System, func(b *block) { add(&b.CacheControl) })
	for i := range e.out.Messages {
		eachBlock(e.out.Messages[i].Content, func(b *block) { add(&b.CacheControl) })
	}
	for _, field := range fields[:max(0, len(fields)-maxCacheFields)] {
		*field = nil
	}
	return nil
}

// eachBlock calls visit for all blocks, and for those inside results.
func eachBlock(blocks []block, visit func(*block)) {
	for i := range blocks {
		visit(&blocks[i])
		eachBlock(blocks[i].Content, visit)
	}
}
