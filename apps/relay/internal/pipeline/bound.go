package pipeline

import (
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	// overhead bounds the tokens that a provider adds around the client's text.
	overhead = 512
	// mediaTokens bounds the tokens of one image or file that the request only
	// refers to.
	mediaTokens = 16_384
	// maxOutputTokens bounds the answer of a model that declares no bound.
	maxOutputTokens = 131_072
	// bytesPerToken and guessedTokens are for estimates of what a call will use.
	bytesPerToken = 4
	guessedTokens = 4_096
)

// costBound bounds what a call can cost.
type costBound struct {
	input, output int64        // tokens, at most
	first         int64        // output tokens with which the call can begin
	least, most   money.Amount // cost with first and with output
}

// boundCost returns the most that the request can cost. Its text has no more
// tokens than bytes. Its answer has no more than the cap in the request, or the
// model's own. A stream can end anywhere, so it can begin with less. added is the
// number of tokens that resumed state and the channel add.
func boundCost(request *openai.Request, model *catalog.Model, terms pricing.Terms, added int64) (costBound, error) {
	if request.Choices > maxOutputTokens {
		return costBound{}, problem.New(problem.InvalidType, "Invalid value for 'n': too many choices.").At("n")
	}
	each := outputBound(request, model)
	n := costBound{input: int64(request.Size()) + added + overhead + int64(request.Media)*mediaTokens, output: each * request.Choices}
	n.first = n.output
	if request.Stream {
		n.first = min(each, firstStep) * request.Choices
	}
	var err error
	if n.most, err = terms.Bound(n.input, n.output); err != nil {
		return costBound{}, problem.Wrap(problem.QuotaExhausted, err)
	}
	if n.least, err = terms.Bound(n.input, n.first); err != nil {
		return costBound{}, problem.Wrap(problem.QuotaExhausted, err)
	}
	return n, nil
}

// guessTokens estimates the tokens of a call for its rate limits: those of its
// text, and of the output it asks for within bounds.
func guessTokens(request *openai.Request) int64 {
	output := min(request.OutputCap, guessedTokens) * min(request.Choices, guessedTokens)
	return int64(request.Size())/bytesPerToken + min(output, guessedTokens)
}

// guessResumed estimates the tokens of resumed state for the rate limits of the
// call. loaded is in bytes. stored bounds the tokens of a conversation at a
// channel; it may be far too high, so little of it counts before the real number
// is known.
func guessResumed(loaded, stored int64) int64 {
	return max(loaded, 0)/bytesPerToken + min(stored, guessedTokens)
}

// outputBound bounds the output tokens of one choice.
func outputBound(request *openai.Request, model *catalog.Model) int64 {
	output := model.OutputBound()
	if request.OutputCap > 0 {
		widest := max(model.MaxOutput, 0)
		if widest == 0 {
			widest = maxOutputTokens
		}
		output = min(request.OutputCap, widest)
	}
	return output
}
