// Package gemini is the codec of Google's generateContent and streamGenerateContent API, for upstreams.
// EncodeRequest writes a neutral request (package conversation) as the API's body. A Decoder reads the
// response, complete or streamed, into the neutral form of package completion. No client speaks this dialect
// to the gateway, so the package cannot read requests or write responses. It is pure: it uses no connection,
// clock or log.
//
// EncodeRequest refuses a request that the API cannot express, with an error that names the client's field.
// It leaves out what only restricts the response or gives a hint, and returns the paths of that. Texts, schemas,
// numbers and arguments of calls otherwise pass as the client spelled them.
//
// Gemini signs the model's thoughts and calls and requires the signatures in the next request. The client gets
// and returns them as opaque text, see sealMark. Gemini gives its calls no ids; the Decoder makes them up.
package gemini

import (
	stdjson "encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/picture"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
)

// Options holds the values that a request depends on in addition to the conversation.
type Options struct {
	Model string // the upstream's name of the model, such as gemini-2.5-flash
	// VertexAI says that the server is Vertex AI, whose calls and results have no ids, and which takes more stop
	// sequences.
	VertexAI bool
}

// request represents the body of generateContent and streamGenerateContent.
type request struct {
	System     *content         `json:"systemInstruction,omitzero"`
	Contents   []content        `json:"contents"`
	Tools      []toolSet        `json:"tools,omitempty"`
	ToolConfig *toolConfig      `json:"toolConfig,omitzero"`
	Config     generationConfig `json:"generationConfig,omitzero"`
}

// generationConfig holds the sampling settings, the format of the output and the thinking config. Numbers
// keep the client's spelling.
type generationConfig struct {
	MaxOutput        int64           `json:"maxOutputTokens,omitzero"`
	Temperature      jsontext.Value  `json:"temperature,omitzero"`
	TopP             jsontext.Value  `json:"topP,omitzero"`
	TopK             jsontext.Value  `json:"topK,omitzero"`
	FrequencyPenalty jsontext.Value  `json:"frequencyPenalty,omitzero"`
	PresencePenalty  jsontext.Value  `json:"presencePenalty,omitzero"`
	Seed             jsontext.Value  `json:"seed,omitzero"`
	Stop             []string        `json:"stopSequences,omitempty"`
	Modalities       []string        `json:"responseModalities,omitempty"`
	MediaType        string          `json:"responseMimeType,omitzero"`
	Schema           jsontext.Value  `json:"responseJsonSchema,omitzero"`
	Thinking         *thinkingConfig `json:"thinkingConfig,omitzero"`
}

// keepSpelling keeps values as the client spelled them: a schema may have duplicate names, a string may have lone
// surrogates.
var keepSpelling = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
)

// EncodeRequest returns the body of the request r, and the client's paths of what it leaves out of it. All system and
// developer messages become the one system instruction, in their order, because Gemini has no other field for them. For
// Gemma 3 they begin the first turn.
// Errors are UnsupportedParameter problems that name the field which Gemini does not support, and InvalidType problems
// of malformed parts.
func EncodeRequest(r *conversation.Request, o Options) (body []byte, ignored []string, err error) {
	modalities := r.Modalities
	if len(modalities) > 0 && picture.Draws(o.Model) { // which CheckTranslatable refuses of all other models
		request := *r
		request.Modalities = nil
		r = &request
	}
	if err := r.CheckTranslatable(); err != nil {
		return nil, nil, err
	}
	if err := picture.Check(r, o.Model); err != nil {
		return nil, nil, err
	}
	r = toolcall.Rename(r, nameRule)
	e := encoder{
		request: r, generation: generationOf(o.Model), names: map[string]string{}, noCallIDs: o.VertexAI,
		maxStops: maxStops,
		ignored:  r.Lacking(conversation.UpstreamGemini),
	}
	if o.VertexAI {
		e.maxStops = maxStopsVertexAI
	}
	for _, write := range []func() error{e.writeTurns, e.writeTools, e.writeConfig} {
		if err := write(); err != nil {
			return nil, nil, err
		}
	}
	for _, modality := range modalities {
		e.out.Config.Modalities = append(e.out.Config.Modalities, strings.ToUpper(modality))
	}
	if body, err = json.Marshal(&e.out, keepSpelling); err != nil {
		return nil, nil, fmt.Errorf("gemini: encode request: %w", err)
	}
	return body, e.ignored, nil
}

// nameRule describes the names of functions that Gemini accepts. OpenAI accepts digits and - at the beginning, and
// Anthropic longer names.
var nameRule = toolcall.NameRule{Symbols: "_-.:", LetterFirst: true, MaxLength: 64}

// encoder builds one request.
type encoder struct {
	request      *conversation.Request
	generation   generation
	names        map[string]string // names of the functions called so far, by the call's id
	noCallIDs    bool
	maxStops     int
	afterResults []conversation.Part // contents that the results of the current message cannot have
	blankPath    string              // path of the last empty text of a user, "" for none
	signature    string              // signature of the next call, from the reasoning part before it
	ignored      []string            // the client's paths of what is left out
	out          request
}

// writeConfig writes the generation config.
func (e *encoder) writeConfig() error {
	r := e.request
	thinking, err := e.thinking()
	switch {
	case err != nil:
		return err
	case len(r.Stop) > e.maxStops:
		return r.UnsupportedField(conversation.FieldStop)
	case r.Format.Type != "" && e.generation.noFormatWithTools && len(r.Tools) > 0:
		// The model cannot both call functions and write JSON.
		return r.UnsupportedField(conversation.FieldFormat)
	}
	e.out.Config = generationConfig{
		MaxOutput:        r.MaxOutput,
		Temperature:      number(r.Temperature),
		TopP:             number(r.TopP),
		TopK:             number(r.TopK),
		FrequencyPenalty: e.hint("frequency_penalty", r.FrequencyPenalty, e.generation.hasPenalties),
		PresencePenalty:  e.hint("presence_penalty", r.PresencePenalty, e.generation.hasPenalties),
		Seed:             e.hint("seed", r.Seed, isInt32(r.Seed)),
		Stop:             r.Stop,
		Thinking:         thinking,
	}
	switch r.Format.Type {
	case conversation.FormatSchema: // Gemini always enforces a schema; it has no `strict` and no name for it
		e.out.Config.Schema = e.schema(r.Format.Schema, r.NameOf(conversation.FieldFormat))
		e.out.Config.MediaType = jsonType
	case conversation.FormatJSON:
		e.out.Config.MediaType = jsonType
	}
	return nil
}

// hint returns the number of a field that the model may refuse, nil if it does. It reports a field that is left out.
//
//nolint:revive // isAccepted is a fact about the model, not a mode
func (e *encoder) hint(name string, n stdjson.Number, isAccepted bool) jsontext.Value {
	if isAccepted {
		return number(n)
	}
	if value, err := n.Float64(); n != "" && (err != nil || value != 0) {
		e.ignored = append(e.ignored, name)
	}
	return nil
}

// isInt32 reports whether n is a whole number of 32 bits with a sign, as seeds are in Google's API:
// https://ai.google.dev/api/generate-content#generationconfig
func isInt32(n stdjson.Number) bool {
	value, err := n.Float64()
	return err == nil && value == math.Trunc(value) && value >= math.MinInt32 && value <= math.MaxInt32
}

const jsonType = "application/json"

// The largest numbers of stop sequences that Google documents.
const (
	maxStops         = 5
	maxStopsVertexAI = 16
)

// number returns n as the client spelled it, or nil if it is absent.
func number(n stdjson.Number) jsontext.Value {
	if n == "" {
		return nil
	}
	return jsontext.Value(n)
}
