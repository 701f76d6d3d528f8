// Package gemini writes requests of Google's generateContent and reads its
// answers, whole and streamed. It has no part for clients: none speak it here.
package gemini

import (
	stdjson "encoding/json"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

// Options is what a request depends on beside its meaning.
type Options struct {
	Model string // as the upstream knows it, such as gemini-2.5-flash
}

// request is the body of generateContent and streamGenerateContent.
type request struct {
	System     *content         `json:"systemInstruction,omitzero"`
	Contents   []content        `json:"contents"`
	Tools      []toolSet        `json:"tools,omitempty"`
	ToolConfig *toolConfig      `json:"toolConfig,omitzero"`
	Config     generationConfig `json:"generationConfig,omitzero"`
}

type generationConfig struct {
	MaxOutput        int64           `json:"maxOutputTokens,omitzero"`
	Temperature      jsontext.Value  `json:"temperature,omitzero"`
	TopP             jsontext.Value  `json:"topP,omitzero"`
	FrequencyPenalty jsontext.Value  `json:"frequencyPenalty,omitzero"`
	PresencePenalty  jsontext.Value  `json:"presencePenalty,omitzero"`
	Seed             jsontext.Value  `json:"seed,omitzero"`
	Stop             []string        `json:"stopSequences,omitempty"`
	MediaType        string          `json:"responseMimeType,omitzero"`
	Schema           jsontext.Value  `json:"responseJsonSchema,omitzero"`
	Thinking         *thinkingConfig `json:"thinkingConfig,omitzero"`
}

// spelling keeps what clients sent as it is: schemas may have doubled names,
// strings may have lone surrogates.
var spelling = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
)

// EncodeRequest returns the body that asks a model for r. All system and
// developer messages become the one system instruction, in their order:
// Gemini has no other place for them. Its errors are UnsupportedParameter
// problems that name what Gemini has not, and InvalidType problems of parts
// that it could not make sense of.
func EncodeRequest(r *conversation.Request, o Options) ([]byte, error) {
	if err := r.CheckTranslatable(); err != nil {
		return nil, err
	}
	if err := checkFields(r); err != nil {
		return nil, err
	}
	e := encoder{request: r, generation: generationOf(o.Model), names: map[string]string{}}
	for _, write := range []func() error{e.messages, e.tools, e.config} {
		if err := write(); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(&e.out, spelling)
	if err != nil {
		return nil, fmt.Errorf("gemini: encode request: %w", err)
	}
	return body, nil
}

// checkFields refuses what Gemini has nothing for. User, CacheKey, Metadata
// and Store are hints that change nothing of the answer and are left out.
func checkFields(r *conversation.Request) error {
	switch {
	case r.Verbosity != "" && r.Verbosity != "medium":
		return r.UnsupportedField(conversation.FieldVerbosity)
	case r.Truncation != "" && r.Truncation != "disabled":
		return r.UnsupportedField(conversation.FieldTruncation)
	case r.Tier != "" && r.Tier != "auto" && r.Tier != "default":
		return r.UnsupportedField(conversation.FieldTier)
	case r.ParallelCalls != nil && !*r.ParallelCalls && len(r.Tools) > 0:
		return r.UnsupportedField(conversation.FieldParallelCalls)
	}
	return nil
}

// encoder builds one request.
type encoder struct {
	request    *conversation.Request
	generation generation
	names      map[string]string // of the functions called so far, by the call's id
	signature  string            // of the call that comes next
	out        request
}

func (e *encoder) config() error {
	r := e.request
	thinking, err := e.thinking()
	if err != nil {
		return err
	}
	e.out.Config = generationConfig{
		MaxOutput:        r.MaxOutput,
		Temperature:      number(r.Temperature),
		TopP:             number(r.TopP),
		FrequencyPenalty: number(r.FrequencyPenalty),
		PresencePenalty:  number(r.PresencePenalty),
		Seed:             number(r.Seed),
		Stop:             r.Stop,
		Thinking:         thinking,
	}
	switch r.Format.Type {
	case conversation.FormatSchema: // always enforced: there is no `strict`, and no place for a name
		e.out.Config.Schema = jsontext.Value(r.Format.Schema)
		e.out.Config.MediaType = jsonType
	case conversation.FormatJSON:
		e.out.Config.MediaType = jsonType
	}
	return nil
}

const jsonType = "application/json"

// number keeps the spelling of n; nil where it was not given.
func number(n stdjson.Number) jsontext.Value {
	if n == "" {
		return nil
	}
	return jsontext.Value(n)
}
