// Package tally reads what an answer in OpenAI's dialects says that the call used, and writes it: the token counts of a
// usage object (Parse, AppendChat, AppendResponse), and the service tier and the tools that the provider ran (Charges).
//
// A provider can send anything, so counts are bounded, and a part is never larger than its whole. docs/pricing.md has
// the rules of each provider.
package tally

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// direction states which total of a usage object a detail belongs to.
type direction uint8

const (
	input direction = iota
	output
)

// Detail is a member of the details of a total. What the gateway reads and writes, and the document of its API, are
// derived from Details.
type Detail struct {
	Name   string // JSON
	Always bool   // it is written although it is 0, because OpenAI always has it; of audio only in chat completions
	Doc    string // for a detail that OpenAI does not have; "" for one that the document describes anyway

	direction direction
	count     func(*usage.Usage) *int64
}

// The indexes of Details.
const (
	cached = iota
	cacheWrite
	audio
	cacheWrite1h
	image
	reasoning
	audioOut
	imageOut
)

// Details lists the parts of both totals, in the order in which they are written.
var Details = [...]Detail{
	cached: {Name: "cached_tokens", Always: true, direction: input,
		count: func(u *usage.Usage) *int64 { return &u.CachedInput }},
	cacheWrite: {Name: "cache_write_tokens", Always: true, direction: input,
		count: func(u *usage.Usage) *int64 { return &u.CacheWrite }},
	audio: {Name: "audio_tokens", Always: true, direction: input,
		count: func(u *usage.Usage) *int64 { return &u.AudioInput }},
	cacheWrite1h: {
		Name: "cache_write_1h_tokens", Doc: "Part of cache_write_tokens: tokens written to a cache that lives for " +
			"one hour. Not a field of OpenAI",
		direction: input, count: func(u *usage.Usage) *int64 { return &u.CacheWrite1h },
	},
	image: {Name: "image_tokens", direction: input, count: func(u *usage.Usage) *int64 { return &u.ImageInput }},
	reasoning: {Name: "reasoning_tokens", Always: true, direction: output,
		count: func(u *usage.Usage) *int64 { return &u.Reasoning }},
	audioOut: {Name: "audio_tokens", Always: true, direction: output,
		count: func(u *usage.Usage) *int64 { return &u.AudioOutput }},
	imageOut: {Name: "image_tokens", direction: output, count: func(u *usage.Usage) *int64 { return &u.ImageOutput }},
}

// InInput reports whether the detail is a part of the input.
func (d *Detail) InInput() bool { return d.direction == input }

// tokens holds the counts of a usage object. Chat completions and responses have different names for them.
type tokens struct {
	hasCount     bool // the object has a count that is not null
	hasReasoning bool // it says how many tokens of the output are reasoning
	// The input and the cache have Anthropic's names: the input is counted without the cache.
	hasAnthropicInput, hasAnthropicCache bool
	in, out, total                       int64 // total is in and out together
	hit, miss                            int64 // DeepSeek's names for the cached input and the rest
	seconds                              int64 // of audio in the input, as Mistral counts it
	// Contained in the input, in the output, and in other parts; by their indexes in Details.
	parts [len(Details)]int64
}

// Parse reads a usage object of chat completions or responses. OpenAI counts cached and audio tokens
// inside the prompt's total, and reasoning and audio tokens inside the completion's total. The classes of
// usage.Usage do not overlap, so they are subtracted. A detail beyond its total is cut to the total, and a detail that
// is malformed counts as 0. It returns nil for null, for totals that are negative, malformed or beyond 2^40, for an
// object that states no total, and for anything that is not a usage object.
func Parse(raw []byte) *usage.Usage {
	var t tokens
	var u usage.Usage
	s := rawjson.Scanner{Body: raw}
	_, err := s.Object(func(key []byte, value rawjson.Span) error {
		return t.read(key, value.Of(raw), &u)
	})
	if err != nil || !t.hasCount {
		return nil
	}
	if t.in == 0 {
		t.in = t.hit + t.miss
	}
	if min(t.in, t.out) < 0 || max(t.in, t.out) > maxTokens {
		return nil
	}
	t.setClasses(&u)
	return &u
}

// ParseInput reads the usage object of an answer that has no output, such as embeddings. Some servers state only
// total_tokens. It returns nil if no tokens are stated. What Parse says about counts applies.
func ParseInput(raw []byte) *usage.Usage {
	u := Parse(raw)
	if u == nil && rawjson.IsObject(raw) {
		u = &usage.Usage{}
		eachMemberOf(raw, func(key, value []byte) {
			if string(key) == "total_tokens" {
				u.Input = plausible(value, maxTokens)
			}
		})
	}
	if u == nil || u.InputTotal() == 0 {
		return nil
	}
	u.Output, u.Reasoning, u.AudioOutput, u.ImageOutput = 0, 0, 0, 0
	return u
}

// read reads one member of a usage object. Its error is that of a malformed total.
func (t *tokens) read(key, raw []byte, u *usage.Usage) error {
	switch string(key) {
	case "prompt_tokens", "input_tokens":
		t.hasAnthropicInput = t.hasAnthropicInput || key[0] == 'i'
		return t.readTotal(raw, &t.in)
	case "completion_tokens", "output_tokens":
		return t.readTotal(raw, &t.out)
	case "total_tokens":
		t.total = plausible(raw, maxTokens)
	case "prompt_tokens_details", "input_tokens_details":
		t.readDetails(input, raw)
	case "completion_tokens_details", "output_tokens_details":
		t.readDetails(output, raw)
	case "prompt_cache_hit_tokens", "cached_tokens": // DeepSeek, Moonshot
		t.hit, t.hasCount = max(t.hit, plausible(raw, maxTokens)), true
	case "cache_read_input_tokens": // Anthropic's name, which proxies use
		t.hit, t.hasAnthropicCache = max(t.hit, plausible(raw, maxTokens)), true
	case "cache_creation_input_tokens":
		t.parts[cacheWrite], t.hasAnthropicCache = max(t.parts[cacheWrite], plausible(raw, maxTokens)), true
	case "cache_creation":
		eachMemberOf(raw, func(key, value []byte) {
			if string(key) == "ephemeral_1h_input_tokens" {
				t.parts[cacheWrite1h] = plausible(value, maxTokens)
			}
		})
	case "prompt_audio_seconds": // Mistral
		t.seconds = plausible(raw, maxTokens/speechTokens)
	case "reasoning_tokens": // SGLang
		t.parts[reasoning], t.hasReasoning = max(t.parts[reasoning], plausible(raw, maxTokens)), true
	case "prompt_cache_miss_tokens":
		t.miss, t.hasCount = plausible(raw, maxTokens), true
	case "cost": // OpenRouter, in USD
		u.ReportedCost = amountOf(raw, dollars)
	case "cost_in_usd_ticks": // xAI, in 10^-10 USD
		u.ReportedCost = amountOf(raw, xaiTicks)
	case "service_tier":
		u.ServiceTier = usage.ServiceTierOf(string(rawjson.Text(raw)))
	case "tool_usage": // of the gateway, see AppendChat
		u.Tools = maxCalls(u.Tools, readToolUsage(raw))
	case "server_tool_use": // Anthropic's name, which OpenRouter uses too
		u.WebSearchCalls = max(u.WebSearchCalls, callsIn(raw, "web_search_requests"))
	case "num_sources_used", "num_search_queries": // of xAI's search_parameters, of Perplexity
		u.WebSearchCalls = max(u.WebSearchCalls, plausible(raw, maxToolCalls))
	case "server_side_tool_usage_details": // xAI
		u.Tools = maxCalls(u.Tools, usage.Tools{
			WebSearchCalls:          callsIn(raw, "web_search_calls", "x_search_calls"),
			FileSearchCalls:         callsIn(raw, "file_search_calls", "document_search_calls"),
			CodeInterpreterSessions: callsIn(raw, "code_interpreter_calls"),
		})
	}
	return nil
}

// The units in which upstreams report a cost, as their number in a USD.
const (
	dollars  = 1
	xaiTicks = 10_000_000_000
)

// maxReported bounds the cost that an upstream reports for one call. A larger one is not plausible.
const maxReported = 10_000 // USD

// amountOf returns a JSON number of units as an amount, rounded half up, or 0 if it is not plausible. A USD has perUSD
// units.
func amountOf(raw []byte, perUSD int64) money.Amount {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || len(raw) > 64 || !(n > 0) || n/float64(perUSD) > maxReported {
		return 0 // a number with a large exponent never gets to math/big
	}
	nanos, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return 0
	}
	nanos.Mul(nanos, big.NewRat(int64(money.USD), perUSD))
	nanos.Add(nanos, big.NewRat(1, 2))
	return money.Amount(new(big.Int).Quo(nanos.Num(), nanos.Denom()).Int64())
}

// readDetails reads the details of a total.
func (t *tokens) readDetails(s direction, raw []byte) {
	eachMemberOf(raw, func(key, value []byte) {
		switch string(key) {
		case "cache_creation_input_tokens", "cache_creation_tokens": // Alibaba Cloud, LiteLLM
			t.parts[cacheWrite] = max(t.parts[cacheWrite], plausible(value, maxTokens))
		case "reasoning_tokens":
			t.hasReasoning = true
		}
		for i := range Details {
			if d := &Details[i]; d.direction == s && d.Name == string(key) {
				t.parts[i] = max(t.parts[i], plausible(value, maxTokens))
			}
		}
	})
}

// setClasses sets the classes of u, which do not overlap.
func (t *tokens) setClasses(u *usage.Usage) {
	if t.parts[cached] == 0 {
		t.parts[cached] = t.hit
	}
	t.countAudio()
	t.correctByTotal()
	in, out := t.in, t.out
	u.CachedInput, in = takePart(t.parts[cached], in)
	u.CacheWrite, in = takePart(t.parts[cacheWrite], in)
	u.CacheWrite1h, _ = takePart(t.parts[cacheWrite1h], u.CacheWrite)
	u.AudioInput, u.Input = takePart(t.parts[audio], in)
	u.Reasoning, out = takePart(t.parts[reasoning], out)
	u.AudioOutput, u.Output = takePart(t.parts[audioOut], out)
	u.ImageInput, _ = takePart(t.parts[image], u.Input)
	u.ImageOutput, _ = takePart(t.parts[imageOut], u.Output)
}

// Mistral's models of speech read speechTokens tokens for each begun speechSeconds of audio.
const (
	speechTokens  = 375
	speechSeconds = 30
)

// countAudio adds the audio that Mistral counts in seconds: its tokens are in the total alone. The prompt has them if
// it is larger than they are, and the total has no other rest.
func (t *tokens) countAudio() {
	if t.seconds == 0 || t.parts[audio] > 0 {
		return
	}
	t.parts[audio] = (t.seconds + speechSeconds - 1) / speechSeconds * speechTokens
	switch surplus := t.total - t.in - t.out; {
	case surplus > 0:
		t.parts[audio] = surplus
		t.in += surplus
	case t.in < t.parts[audio]:
		t.in += t.parts[audio]
	}
}

// correctByTotal adds to the input or the output what a server counts in the total alone. The total decides, because it
// is what the server bills.
func (t *tokens) correctByTotal() {
	cache := t.parts[cached] + t.parts[cacheWrite]
	switch surplus := t.total - t.in - t.out; {
	case t.hasAnthropicCache && (cache > t.in || t.hasAnthropicInput && t.total == 0):
		t.in += cache // no part is larger than its whole
	case surplus <= 0:
	case t.in == 0: // an answer has an input
		t.in = surplus
	case t.out == 0:
		t.out = surplus
	case surplus == cache: // the prompt is counted without the cache
		t.in += surplus
	case surplus == t.parts[reasoning]: // xAI: the completion is counted without the reasoning
		t.out += surplus
	case !t.hasReasoning: // Google's endpoint for OpenAI's dialect: the thoughts are in the total alone
		t.out, t.parts[reasoning] = t.out+surplus, surplus
	}
}

// readTotal reads the count of the input or of the output.
func (t *tokens) readTotal(raw []byte, value *int64) error {
	t.hasCount = t.hasCount || string(raw) != "null"
	return readTokens(raw, value)
}

// readTokens stores a count in value. A count that is null or 0 changes nothing, because some servers send a
// count under both of its names, and 0 under one of them. Some servers send a count as 12.0.
func readTokens(raw []byte, value *int64) error {
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(string(raw), ".0"), 10, 64)
	if n != 0 {
		*value = n
	}
	return err
}

// takePart takes a detail out of its total, and never more than the total.
func takePart(detail, total int64) (amount, remainder int64) {
	amount = min(max(detail, 0), total)
	return amount, total - amount
}

// ParseGroq returns the usage in the member x_groq, which Groq adds to an answer, or nil if it has none.
func ParseGroq(raw []byte) (u *usage.Usage) {
	eachMemberOf(raw, func(key, value []byte) {
		if string(key) == "usage" {
			u = Parse(value)
		}
	})
	return u
}

// ParseTimings returns the usage in the member timings, which llama.cpp adds to an answer, or nil if it has none:
// prompt_n tokens were read besides cache_n from the cache, and predicted_n were generated.
func ParseTimings(raw []byte) *usage.Usage {
	var u usage.Usage
	eachMemberOf(raw, func(key, value []byte) {
		switch string(key) {
		case "prompt_n":
			u.Input = plausible(value, maxTokens)
		case "cache_n":
			u.CachedInput = plausible(value, maxTokens)
		case "predicted_n":
			u.Output = plausible(value, maxTokens)
		}
	})
	if u.Output == 0 {
		return nil
	}
	return &u
}

// ParseChoices returns the usage that the choices of a chunk have, or nil if they have none. Moonshot sends it in the
// last chunk of a stream.
func ParseChoices(data []byte, choices rawjson.Span) (u *usage.Usage) {
	rawjson.EachElement(data, choices, func(choice rawjson.Span) bool {
		eachMemberOf(choice.Of(data), func(key, value []byte) {
			if string(key) == "usage" {
				u = Parse(value)
			}
		})
		return u == nil
	})
	return u
}
