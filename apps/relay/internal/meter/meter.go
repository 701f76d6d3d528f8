// Package meter estimates the tokens of a call whose upstream did not report them, for example because the
// stream broke off. An estimate uses OpenAI's tokenizers for every model. It is bounded in time and memory: it
// looks only at the beginning of long texts and extrapolates.
package meter

import (
	"encoding/json"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Output is the part of an answer that was kept for an estimate.
type Output struct {
	Sample  []byte // the JSON of the first pieces, concatenated
	Sampled int64  // number of pieces in Sample
	Pieces  int64  // number of pieces in total: the chunks of a stream, or 1 for a JSON answer
}

// Estimate returns the estimated usage of a call. All input counts as Input and all output as Output; the other
// classes stay 0. The output is the token count of the sample multiplied by Pieces/Sampled.
func Estimate(model string, request Sample, output Output) usage.Usage {
	u := usage.Usage{Input: EstimateInput(model, request)}
	if output.Sampled > 0 {
		text := generated(output.Sample)
		tokens := EstimateOutput(model, text, 0)
		u.Output = (tokens*output.Pieces + output.Sampled - 1) / output.Sampled
	}
	return u
}

// generated returns the generated text of the pieces.
func generated(pieces []byte) []byte {
	quoted := []byte{'"'}
	output.EachText(pieces, func(escaped []byte) { quoted = append(quoted, escaped...) })
	quoted = append(quoted, '"')
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted // an invalid escape: the raw text is accurate enough
	}
	return []byte(text)
}
