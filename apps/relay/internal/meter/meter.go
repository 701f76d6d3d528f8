// Package meter estimates the tokens of a call whose upstream did not report them, for example because the stream
// broke off. Usage that an upstream reports is not estimated.
//
// The input is estimated from the first 8 KiB of the request: its texts are tokenized, and constants are added
// for each message and for each image, sound or file. The output is estimated from a sample of the answer. What
// lies beyond a sample counts in proportion to it:
//
//	input  = tokens of the sample * bytes of the request / bytes of the sample
//	output = tokens of the sample * pieces of the answer / pieces in the sample
//
// Large pieces that the sample has no room for count by the bytes of their text instead.
// OpenAI's tokenizers (package bpe) serve for the models of all providers. The bounds of the samples limit the memory
// of an open stream and the time of an estimate. An Estimator bounds how many estimates are made at the same time.
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
	// Number of pieces in total, without those of Unsampled: the chunks of a stream, or 1 for a JSON answer.
	Pieces    int64
	Unsampled int64 // bytes of the text of large pieces that are not in Sample
	Sound     int64 // bytes of base64 of the sound in all pieces
}

// IsEmpty reports whether there is nothing to estimate.
func (o *Output) IsEmpty() bool { return len(o.Sample) == 0 && o.Unsampled == 0 && o.Sound == 0 }

// soundPerToken is the number of bytes of base64 of a token of sound. OpenAI streams 16-bit samples at 24 kHz, and
// counts 20 tokens a second.
const soundPerToken = 24_000 * 2 * 4 / 3 / 20

// Estimate returns the estimated usage of a call. All input counts as Input, sound as AudioOutput and all other
// output as Output; the other classes stay 0. The output is the token count of the sample multiplied by
// Pieces/Sampled, and that of the Unsampled text, which is assumed to be like the sample's.
func Estimate(model string, request Sample, output Output) usage.Usage {
	return estimate(counterOf(model), request, output)
}

// estimate does the same as Estimate with a counter of tokens.
func estimate(count counter, request Sample, output Output) usage.Usage {
	text, extra := generated(output.Sample), output.Unsampled
	if output.Sampled > 0 {
		extra += (int64(len(text))*(output.Pieces-output.Sampled) + output.Sampled - 1) / output.Sampled
	}
	return usage.Usage{Input: estimateInput(count, request), Output: estimateOutput(count, text, extra),
		AudioOutput: (output.Sound + soundPerToken - 1) / soundPerToken}
}

// generated returns the generated text of the pieces.
func generated(pieces []byte) []byte {
	literal := []byte{'"'}
	output.EachText(pieces, func(piece []byte) { literal = append(literal, piece...) })
	literal = append(literal, '"')
	var text string
	if json.Unmarshal(literal, &text) != nil {
		return literal // an invalid escape: the raw text is accurate enough
	}
	return []byte(text)
}
