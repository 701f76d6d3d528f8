package gemini

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// maxInputs is the number of texts that batchEmbedContents accepts.
const maxInputs = 100

// Embeddings is a request of OpenAI's embeddings API in the form of Google's: of embedContent for one text, which all
// servers have, and of batchEmbedContents for several.
type Embeddings struct {
	Body  []byte
	Batch bool // Body is for batchEmbedContents
	// Ignored has the client's paths of what Body leaves out.
	Ignored []string

	model      string   // the client's name of the model
	texts      [][]byte // JSON strings
	dimensions []byte   // JSON number, nil for the model's own
	base64     bool
}

// EncodeEmbeddings reads a well-formed request of OpenAI's embeddings API. model is the client's name of the model,
// upstream Google's. The errors are problems that name the field: UnsupportedParameter for tokens in place of texts,
// for more than 100 texts and for fields that Google does not have, MissingParameter without an input, and InvalidType.
func EncodeEmbeddings(body []byte, model, upstream string) (*Embeddings, error) {
	e := &Embeddings{model: model}
	s := rawjson.Scanner{Body: body}
	_, err := s.Object(func(key []byte, value rawjson.Span) error { return e.read(string(key), value.Of(body)) })
	if err != nil {
		return nil, err
	}
	if len(e.texts) == 0 {
		return nil, param.Missing("input")
	}
	e.Batch = len(e.texts) > 1
	if !e.Batch {
		e.Body = e.appendText(nil, upstream, e.texts[0])
		return e, nil
	}
	e.Body = append(e.Body, `{"requests":[`...)
	for i, text := range e.texts {
		if i > 0 {
			e.Body = append(e.Body, ',')
		}
		e.Body = e.appendText(e.Body, upstream, text)
	}
	e.Body = append(e.Body, "]}"...)
	return e, nil
}

// read reads one field of the client's request.
func (e *Embeddings) read(key string, raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	switch key {
	case "model":
		return nil
	case "user": // Google has no such field
		e.Ignored = append(e.Ignored, key)
		return nil
	case "input":
		return e.readInput(raw)
	case "dimensions":
		e.dimensions = raw
		if n, err := strconv.ParseInt(string(raw), 10, 32); err != nil || n < 1 {
			return problem.New(problem.InvalidType, "Invalid type for 'dimensions': expected a positive integer.").
				At(key)
		}
		return nil
	case "encoding_format":
		e.base64 = string(raw) == `"base64"`
		if !e.base64 && string(raw) != `"float"` {
			return problem.New(problem.InvalidType, "Invalid value for 'encoding_format': expected float or base64.").
				At(key)
		}
		return nil
	}
	return conversation.UnsupportedPath(key)
}

// readInput reads the texts.
func (e *Embeddings) readInput(raw []byte) error {
	if raw[0] == '"' {
		e.texts = [][]byte{raw}
		return nil
	}
	s := rawjson.Scanner{Body: raw}
	err := s.Elements(func(element rawjson.Span) error {
		text := element.Of(raw)
		if text[0] != '"' {
			return problem.New(problem.UnsupportedParameter, "Unsupported parameter: 'input' can have only texts "+
				"with this model, not tokens. Please send a string or an array of strings.").At("input")
		}
		if len(e.texts) == maxInputs {
			return problem.New(problem.UnsupportedParameter, "Unsupported parameter: 'input' can have at most %d "+
				"texts with this model. Please send several requests.", maxInputs).At("input")
		}
		e.texts = append(e.texts, text)
		return nil
	})
	if err == nil && len(e.texts) == 0 { // an empty array
		return problem.New(problem.InvalidType, "Invalid type for 'input': expected at least one text.").At("input")
	}
	return err
}

// appendText appends the request for one text.
func (e *Embeddings) appendText(dst []byte, upstream string, text []byte) []byte {
	dst = append(dst, `{"model":`...)
	dst = append(dst, rawjson.Quote("models/"+upstream)...)
	dst = append(dst, `,"content":{"parts":[{"text":`...)
	dst = append(append(dst, text...), "}]}"...)
	if e.dimensions != nil {
		dst = append(append(dst, `,"outputDimensionality":`...), e.dimensions...)
	}
	return append(dst, '}')
}

// embeddingAnswer represents the answer of both methods.
type embeddingAnswer struct {
	Embedding  vector                          `json:"embedding"`
	Embeddings []vector                        `json:"embeddings"`
	Usage      rawjson.Lenient[*usageMetadata] `json:"usageMetadata"`
	Error      *Error                          `json:"error"`
}

type vector struct {
	Values jsontext.Value `json:"values"`
}

var errVectors = errors.New("gemini: the answer does not have one vector for each text")

// Decode turns an answer to the request into one of OpenAI's. Numbers keep their spelling. The usage is nil if Google
// reported none; the answer then states the tokens that estimate returns. The error is a *completion.UpstreamError if
// Google reports an error; any other error means a malformed answer.
func (e *Embeddings) Decode(body []byte, estimate func() int64) (answer []byte, reported *usage.Usage, err error) {
	var r embeddingAnswer
	if err := json.Unmarshal(body, &r, keepSpelling); err != nil {
		return nil, nil, err
	}
	if r.Error != nil {
		fault := r.Error.fault()
		return nil, nil, &fault
	}
	vectors := r.Embeddings
	if !e.Batch {
		vectors = []vector{r.Embedding}
	}
	if len(vectors) != len(e.texts) {
		return nil, nil, errVectors
	}
	answer = append(answer, `{"object":"list","data":[`...)
	for i := range vectors {
		if i > 0 {
			answer = append(answer, ',')
		}
		answer = append(strconv.AppendInt(append(answer, `{"object":"embedding","index":`...), int64(i), 10),
			`,"embedding":`...)
		if answer, err = e.appendVector(answer, vectors[i].Values); err != nil {
			return nil, nil, err
		}
		answer = append(answer, '}')
	}
	var tokens int64
	if m := r.Usage.Value; m != nil && m.Prompt > 0 {
		tokens = int64(m.Prompt)
		reported = &usage.Usage{Input: tokens}
	} else {
		tokens = estimate()
	}
	answer = append(append(answer, `],"model":`...), rawjson.Quote(e.model)...)
	answer = strconv.AppendInt(append(answer, `,"usage":{"prompt_tokens":`...), tokens, 10)
	answer = strconv.AppendInt(append(answer, `,"total_tokens":`...), tokens, 10)
	return append(answer, "}}"...), reported, nil
}

// appendVector appends a vector in the form that the client asks for: an array of numbers, or their 32-bit forms in
// base64.
func (e *Embeddings) appendVector(dst []byte, values jsontext.Value) ([]byte, error) {
	if len(values) == 0 || values[0] != '[' {
		return nil, errVectors
	}
	if !e.base64 {
		return append(dst, values...), nil
	}
	var numbers []float32
	if err := json.Unmarshal(values, &numbers); err != nil {
		return nil, err
	}
	packed := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(n))
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), packed), '"'), nil
}
