package messages

import (
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
)

// Options are what a channel knows of a request.
type Options struct {
	Model string // as the upstream calls it
	// MaxOutput is the max_tokens, which the API requires, of a request that
	// gives none; 0: catalog.DefaultMaxOutput, what the call's cost is bounded by.
	MaxOutput int64
}

// EncodeRequest returns the body of the request. Its errors are problems of
// the kind UnsupportedParameter or InvalidType that name the client's field.
func EncodeRequest(r *conversation.Request, o Options) ([]byte, error) {
	e := encoder{r: r, model: modelOf(o.Model), out: request{Model: o.Model, Stream: r.Stream}}
	e.out.MaxTokens = firstOf(r.MaxOutput, o.MaxOutput, catalog.DefaultMaxOutput)
	if r.User != "" {
		e.out.Metadata = &metadata{UserID: r.User}
	}
	for _, step := range []func() error{r.CheckTranslatable, e.refusals, e.reasoning, e.sampling, e.format, e.tools, e.turns} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(&e.out, jsontext.PreserveRawStrings(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("messages: encode request: %w", err)
	}
	return body, nil
}

func firstOf(limits ...int64) int64 {
	for _, limit := range limits {
		if limit > 0 {
			return limit
		}
	}
	return 0
}

// encoder fills out from r, field by field.
type encoder struct {
	r     *conversation.Request
	model model
	out   request
}

// refusals are the fields that the API has nothing for. Values that ask for
// what happens anyway are no refusal.
func (e *encoder) refusals() error {
	r := e.r
	for _, f := range []struct {
		field conversation.Field
		given bool
	}{
		{conversation.FieldFrequencyPenalty, !is(r.FrequencyPenalty, 0)},
		{conversation.FieldPresencePenalty, !is(r.PresencePenalty, 0)},
		{conversation.FieldSeed, r.Seed != ""},
		{conversation.FieldVerbosity, r.Verbosity != "" && r.Verbosity != "medium"},
		{conversation.FieldTier, r.Tier != "" && r.Tier != "auto" && r.Tier != "default"},
		{conversation.FieldTruncation, r.Truncation != "" && r.Truncation != "disabled"},
		{conversation.FieldStop, slices.ContainsFunc(r.Stop, isBlank)}, // the API takes none of white space alone
	} {
		if f.given {
			return r.UnsupportedField(f.field)
		}
	}
	e.out.StopSequences = r.Stop
	return nil
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// is reports whether n is not given or has the value.
func is(n stdjson.Number, value float64) bool {
	if n == "" {
		return true
	}
	given, err := n.Float64()
	return err == nil && given == value
}

// reasoning asks for thinking as the model understands it.
func (e *encoder) reasoning() error {
	asked := e.r.Reasoning.Effort
	how, known := efforts[asked]
	switch {
	case asked == "":
		e.summary()
		return nil
	case asked == "none":
		return e.unthinking()
	case !known:
		return e.r.UnsupportedField(conversation.FieldEffort)
	case e.model.adaptive:
		if how.level == "" {
			how.level = e.model.extra
		}
		e.out.Thinking = &thinking{Type: "adaptive", Display: e.display()}
		e.out.OutputConfig = &outputConfig{Effort: how.level}
		return nil
	}
	budget := fit(how.budget, e.out.MaxTokens)
	if budget == 0 {
		return e.r.UnsupportedField(conversation.FieldEffort)
	}
	e.out.Thinking = &thinking{Type: "enabled", BudgetTokens: budget}
	return nil
}

// unthinking turns off the thinking of a model that thinks by itself.
func (e *encoder) unthinking() error {
	switch {
	case !e.model.thinks:
	case e.model.off == "":
		return e.r.UnsupportedField(conversation.FieldEffort)
	default:
		e.out.Thinking = &thinking{Type: e.model.off}
	}
	return nil
}

// summary asks a model that thinks by itself to show it.
func (e *encoder) summary() {
	if e.model.thinks && e.r.Reasoning.Summary != "" {
		e.out.Thinking = &thinking{Type: "adaptive", Display: e.display()}
	}
}

// display follows the summary that a responses client asks for. One that asks
// for none may send the reasoning back without its text, which the API takes
// only where there was none. A chat client cannot ask, and gets the model's
// default.
func (e *encoder) display() string {
	switch {
	case e.r.Reasoning.Summary != "":
		return "summarized"
	case e.r.Client == conversation.ClientResponses:
		return "omitted"
	}
	return ""
}

// sampling leaves out a 1, which is the default of both sides: newer models
// refuse the fields, and some refuse one beside the other. Temperatures above 1
// do not exist here.
func (e *encoder) sampling() error {
	thinks := e.out.Thinking != nil && e.out.Thinking.Type != e.model.off
	if t := e.r.Temperature; !is(t, 1) {
		if thinks || !e.model.sampling || !between(t, 0) {
			return e.r.UnsupportedField(conversation.FieldTemperature)
		}
		e.out.Temperature = jsontext.Value(t)
	}
	if p := e.r.TopP; !is(p, 1) {
		if !e.model.sampling || !between(p, 0) || thinks && !between(p, leastTopP) {
			return e.r.UnsupportedField(conversation.FieldTopP)
		}
		e.out.TopP = jsontext.Value(p)
	}
	return nil
}

// leastTopP is the least that the API takes of a model that thinks.
const leastTopP = 0.95

// between reports whether n is from least to 1.
func between(n stdjson.Number, least float64) bool {
	value, err := n.Float64()
	return err == nil && value >= least && value <= 1
}

// format asks for structured output. There is no JSON without a schema: it
// would be a wish in the prompt, and no promise.
func (e *encoder) format() error {
	f := e.r.Format
	if f.Type == "" {
		return nil
	}
	if f.Type != conversation.FormatSchema || f.Schema == nil {
		return e.r.UnsupportedField(conversation.FieldFormat)
	}
	if e.out.OutputConfig == nil {
		e.out.OutputConfig = &outputConfig{}
	}
	e.out.OutputConfig.Format = &format{Type: "json_schema", Schema: jsontext.Value(f.Schema)}
	return nil
}
