package echo

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	stdjson "encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	embeddingsPath = "/embeddings"

	usualDimensions = 256
	maxDimensions   = 3_072
	maxInputs       = 2_048   // OpenAI's limit
	maxNumbers      = 1 << 20 // of all vectors of an answer, which is built in memory: some 13 MB of text
)

// embeddingsRequest holds the fields of a request for embeddings that the answer depends on.
type embeddingsRequest struct {
	Model      string         `json:"model"`
	Input      jsontext.Value `json:"input"`
	Dimensions *int           `json:"dimensions"`
	Encoding   string         `json:"encoding_format"`
}

// embed answers a request for embeddings. Equal inputs have equal vectors of length 1; different ones have nothing in
// common.
func embed(r *http.Request, body []byte) *http.Response {
	var request embeddingsRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return refuse(r, http.StatusBadRequest, *malformed(err))
	}
	inputs, ok := inputsOf(request.Input)
	if !ok {
		return refuse(r, http.StatusBadRequest,
			*refused("Invalid 'input': expected 1 to 2048 strings or arrays of tokens.", "input", "invalid_type"))
	}
	dimensions := usualDimensions
	if request.Dimensions != nil {
		dimensions = *request.Dimensions
	}
	if dimensions < 1 || dimensions > maxDimensions {
		return refuse(r, http.StatusBadRequest, *refused("Invalid 'dimensions': expected 1 to 3072.", "dimensions",
			"invalid_value"))
	}
	if len(inputs)*dimensions > maxNumbers {
		return refuse(r, http.StatusBadRequest, *refused(fmt.Sprintf("%d inputs with %d dimensions each are too "+
			"large an answer. Send fewer inputs or ask for fewer dimensions.", len(inputs), dimensions), "dimensions",
			"invalid_value"))
	}
	var tokens int64
	answer := []byte(`{"object":"list","data":[`)
	for i, input := range inputs {
		if i > 0 {
			answer = append(answer, ',')
		}
		tokens += tokensIn(input)
		answer = append(strconv.AppendInt(append(answer, `{"object":"embedding","index":`...), int64(i), 10),
			`,"embedding":`...)
		answer = append(appendVector(answer, vectorOf(input, dimensions), request.Encoding == "base64"), '}')
	}
	name, _ := stdjson.Marshal(request.Model) // a string always marshals
	answer = append(append(answer, `],"model":`...), name...)
	answer = strconv.AppendInt(append(answer, `,"usage":{"prompt_tokens":`...), tokens, 10)
	answer = strconv.AppendInt(append(answer, `,"total_tokens":`...), tokens, 10)
	return respond(r, http.StatusOK, "application/json", io.NopCloser(bytes.NewReader(append(answer, "}}"...))))
}

// inputsOf returns the inputs of a request: a string, strings, tokens, or arrays of tokens.
func inputsOf(raw jsontext.Value) (inputs []jsontext.Value, ok bool) {
	if raw.Kind() == '"' {
		return []jsontext.Value{raw}, true
	}
	if json.Unmarshal(raw, &inputs) != nil || len(inputs) == 0 {
		return nil, false
	}
	if inputs[0].Kind() == '0' { // the tokens of one input
		return []jsontext.Value{raw}, true
	}
	return inputs, len(inputs) <= maxInputs
}

// tokensIn returns the number of tokens of an input: of its words, or of its tokens.
func tokensIn(input jsontext.Value) int64 {
	var tokens []int64
	if json.Unmarshal(input, &tokens) == nil {
		return int64(len(tokens))
	}
	return max(1, words(textOf(input)))
}

// vectorOf returns the vector of an input.
func vectorOf(input []byte, dimensions int) []float32 {
	random := rand.New(rand.NewPCG(xxhash.Sum64(input), 0))
	vector, length := make([]float32, dimensions), 0.0
	for i := range vector {
		n := random.Float64()*2 - 1
		vector[i], length = float32(n), length+n*n
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(length))
	}
	return vector
}

// appendVector appends a vector as an array of numbers, or in base64 if packed.
func appendVector(dst []byte, vector []float32, packed bool) []byte { //nolint:revive // packed is the client's choice
	if packed {
		raw := make([]byte, 0, 4*len(vector))
		for _, n := range vector {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(n))
		}
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), raw), '"')
	}
	dst = append(dst, '[')
	for i, n := range vector {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendFloat(dst, float64(n), 'g', -1, 32)
	}
	return append(dst, ']')
}
