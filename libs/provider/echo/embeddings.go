package echo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/wire/param"
)

const (
	embeddingsPath = "/embeddings"

	usualDimensions = 256
	maxDimensions   = 3_072
	maxInputs       = 2_048   // OpenAI's limit
	maxNumbers      = 1 << 20 // of all vectors of an answer, which is built in memory: some 13 MB of text
)

// embed answers a request for embeddings. Equal inputs have equal vectors of length 1; different ones have nothing in
// common. An error is a problem of the request.
func embed(r *http.Request, body []byte) (*http.Response, error) {
	var request struct {
		Model      string         `json:"model"`
		Input      jsontext.Value `json:"input"`
		Dimensions *int           `json:"dimensions"`
		Encoding   string         `json:"encoding_format"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, param.Problem(err, "")
	}
	inputs, ok := inputsOf(request.Input)
	if !ok {
		return nil, param.Invalid("input", "1 to 2048 strings or arrays of tokens")
	}
	dimensions, limit := usualDimensions, min(maxDimensions, maxNumbers/len(inputs))
	if request.Dimensions != nil {
		dimensions = *request.Dimensions
	}
	if dimensions < 1 || dimensions > limit {
		return nil, param.Invalid("dimensions", fmt.Sprintf("1 to %d for %d inputs", limit, len(inputs)))
	}
	var tokens int64
	data := make([]map[string]any, len(inputs))
	for i, input := range inputs {
		tokens += tokensIn(input)
		vector := vectorOf(input, dimensions)
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": vector}
		if request.Encoding == "base64" {
			data[i]["embedding"], _ = binary.Append(nil, binary.LittleEndian, vector) // encoded as base64
		}
	}
	answer, _ := json.Marshal(map[string]any{"object": "list", "data": data, "model": request.Model,
		"usage": map[string]int64{"prompt_tokens": tokens, "total_tokens": tokens}}, json.Deterministic(true))
	return respond(r, http.StatusOK, "application/json", io.NopCloser(bytes.NewReader(answer))), nil
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
