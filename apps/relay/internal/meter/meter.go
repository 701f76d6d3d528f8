// Package meter estimates the tokens of a call whose upstream did not report them.
package meter

import (
	"encoding/json"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Output is what was seen of an answer.
type Output struct {
	Sample  []byte // the JSON of its first pieces, one after the other
	Sampled int64  // how many pieces Sample has
	Pieces  int64  // how many there were: the chunks of a stream, 1 for JSON
}

// Estimate counts the tokens of a call with the tokenizer of its model. It is
// an estimate in more than one way: of a long request or stream only the
// beginning is counted, and the rest taken to be like it.
func Estimate(model string, request Sample, output Output) usage.Usage {
	u := usage.Usage{Input: EstimateInput(model, request)}
	if output.Sampled > 0 {
		text := generated(output.Sample)
		tokens := EstimateOutput(model, text, 0)
		u.Output = (tokens*output.Pieces + output.Sampled - 1) / output.Sampled
	}
	return u
}

// generated returns the text that the pieces carry.
func generated(pieces []byte) []byte {
	quoted := []byte{'"'}
	output.EachText(pieces, func(escaped []byte) { quoted = append(quoted, escaped...) })
	quoted = append(quoted, '"')
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted // a bad escape: as it stands is near enough
	}
	return []byte(text)
}
