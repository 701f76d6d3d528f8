package pipeline

import (
	"slices"
	"strings"

	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	// overhead is an upper bound of the tokens that a provider adds to the client's text.
	overhead = 512
	// mediaTokens is an upper bound of the tokens of one image, and of a sound or file that the request only refers to,
	// for example by a URL. miniTokens is the one of gpt-4o-mini: 2,833 tokens and 5,667 for each of up to 8 tiles.
	mediaTokens = 16_384
	miniTokens  = 2_833 + 8*5_667
	// leastOutput is the smallest output cap that the Responses API accepts. A smaller one is raised to it in a
	// translated call.
	leastOutput = 16
	// charsPerSound is a lower bound of the characters of base64 for each token of a sound: 32 tokens a second, at 3
	// kbit/s.
	charsPerSound = 16
	// A PDF counts a token for each two bytes, which are 8/3 characters of base64, besides mediaTokens. See
	// docs/quota.md.
	pdfTokens, pdfChars = 3, 8
	// maxOutputTokens is the output bound of a model whose catalog entry has none.
	maxOutputTokens = 131_072
	// bytesPerToken and guessedTokens serve to estimate the usage of a call, not to bound it.
	bytesPerToken = 4
	guessedTokens = 4_096
)

// costBound holds upper bounds of the tokens and the cost of a call.
type costBound struct {
	input, output int64       // upper bounds, in tokens
	tools         usage.Tools // upper bounds of what tools do that the provider runs
	serviceTier   string      // the tier that the call asks for, "" for none
	sentCalls     int64       // max_tool_calls that the relay sends, 0: none
	// Most output tokens of each choice that the relay sends, because the quota pays for no more; 0: no cap.
	outputCap        int64
	firstOutput      int64        // output tokens that the hold must cover before the call begins
	minCost, maxCost money.Amount // upper bounds of the cost with firstOutput and with output tokens
}

// maxUsage returns an upper bound of what the call can use with so many tokens.
func (b *costBound) maxUsage(input, output int64) pricing.MaxUsage {
	return pricing.MaxUsage{Input: input, Output: output, Tools: b.tools, ServiceTier: b.serviceTier}
}

// boundCost returns the upper bounds for a request. Text never has more tokens than bytes, nor has a list of tokens.
// Images, sounds and files count by rules of their own. The output is bounded by the request's own cap or by the model.
// A stream can end at any point, so it may begin with less. a.extra is the number of tokens that resumed state and the
// channel add, toolCalls the most calls of priced tools if the request does not limit them.
func boundCost(a *admission, toolCalls int64) (costBound, error) {
	request, model, terms, extra := a.request, a.model, &a.terms, a.extra
	if request.Choices > maxOutputTokens {
		return costBound{}, problem.New(problem.InvalidType, "Invalid value for 'n': expected a number up to %d.",
			maxOutputTokens).At("n")
	}
	perChoice := outputBound(request, model)
	b := costBound{input: request.TextSize() + extra + overhead + boundMedia(a), output: perChoice * request.Choices}
	if from := request.CompactsFrom; from > 0 && b.input >= from {
		// The model reads the conversation once more, and writes a summary, which the output cap does not limit.
		b.input, b.output = 2*b.input, plus(b.output, model.OutputBound())
	}
	b.firstOutput, b.serviceTier = b.output, boundTier(a)
	b.boundTools(a, toolCalls)
	b.boundOwnSearch(a)
	if request.Stream {
		b.firstOutput = min(perChoice, firstStep) * request.Choices
	}
	var err error
	if b.maxCost, err = terms.Bound(b.maxUsage(b.input, b.output)); err != nil {
		return costBound{}, problem.Wrap(problem.QuotaExhausted, err)
	}
	if b.minCost, err = terms.Bound(b.maxUsage(b.input, b.firstOutput)); err != nil {
		return costBound{}, problem.Wrap(problem.QuotaExhausted, err)
	}
	return b, nil
}

// boundMedia returns an upper bound of the tokens of the request's images, sounds and files.
func boundMedia(a *admission) int64 {
	if !a.request.HasMedia() {
		return 0
	}
	parts, perPart := a.request.Parts(), int64(mediaTokens)
	if countsMore(a) {
		perPart = miniTokens
	}
	sounds := parts.Sounds*overhead + parts.SoundChars/charsPerSound
	files := parts.PDFChars*pdfTokens/pdfChars + parts.TextBytes
	return (parts.Images+parts.PDFs+a.request.Unrecognized())*perPart + sounds + files
}

// countsMore reports whether the model is gpt-4o-mini, or that of an upstream is: images cost it far more tokens than
// any other model.
func countsMore(a *admission) bool {
	const mini = "gpt-4o-mini"
	if strings.Contains(strings.ToLower(a.model.ID), mini) {
		return true
	}
	return slices.ContainsFunc(a.snapshot.ServingTo(a.caller.Tenant.Slug, a.model.ID), func(c *catalog.Channel) bool {
		return strings.Contains(strings.ToLower(c.Models[a.model.ID]), mini)
	})
}

// boundTier returns the service tier that the answer can have other than the ordinary one; "" for any. It can be any if
// a channel that serves the model sends another tier than the client's: its parameters set the tier, or it speaks
// another dialect, in which the default of the upstream applies.
func boundTier(a *admission) string {
	tier := strings.ToLower(a.request.ServiceTier)
	if tier == "" || len(a.terms.Price.Rates.ServiceTiers) == 0 {
		return tier
	}
	// The request asks for a tier that the answer names otherwise, or by another field.
	asksForAnother := func(c charge.Charge) bool { return c.Kind == charge.ServiceTier && c.ServiceTier != tier }
	if slices.ContainsFunc(a.request.Charges, asksForAnother) {
		return ""
	}
	sendsAnother := func(c *catalog.Channel) bool {
		_, set := c.Settings.Parameters["service_tier"]
		return set || !c.Speaks(a.dialect)
	}
	if slices.ContainsFunc(a.snapshot.ServingTo(a.caller.Tenant.Slug, a.model.ID), sendsAnother) {
		return ""
	}
	return tier
}

// guessTokens estimates the tokens of a call for its rate limits: its input, and the output that it asks for, up to
// 4,096 tokens.
func guessTokens(request *openai.Request) int64 {
	output := min(request.OutputCap, guessedTokens) * min(request.Choices, guessedTokens)
	return guessInput(request) + min(output, guessedTokens)
}

// guessInput estimates the tokens of the input: a quarter of the bytes of its text, and what is usual for its images,
// sounds and files.
func guessInput(request *openai.Request) int64 {
	return request.TextSize()/bytesPerToken + meter.MediaTokens(request.Parts())
}

// guessResumed estimates the tokens of resumed state for the rate limits. loadedTokens is the estimate for state that
// the relay loaded. storedTokens is an upper bound of the tokens of a conversation that a channel stores. That bound
// may be far too high, so at most 4,096 of it count until the real number is known.
func guessResumed(loadedTokens, storedTokens int64) int64 {
	return max(loadedTokens, 0) + min(storedTokens, guessedTokens)
}

// outputBound returns the upper bound of the output tokens of one choice. Embeddings have none.
func outputBound(request *openai.Request, model *catalog.Model) int64 {
	if !request.Generates() {
		return 0
	}
	output := model.OutputBound()
	if request.OutputCap > 0 {
		widest := max(model.MaxOutput, 0)
		if widest == 0 {
			widest = maxOutputTokens
		}
		output = min(max(request.OutputCap, leastOutput), widest)
	}
	return output
}
