// Package metered reads the usage object of Anthropic's Messages API, and writes it: the token counts with the service
// tier and the searches that the provider ran. It is apart from the codec, because a relay reads the usage also where
// bytes pass unchanged.
package metered

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// counts holds the tokens of a usage object, or of one of its iterations. Input, cache writes and cache reads do not
// overlap. Creation splits the cache writes by the lifetime of the cache.
type counts struct {
	Input      rawjson.Count `json:"input_tokens"`
	CacheWrite rawjson.Count `json:"cache_creation_input_tokens"`
	CacheRead  rawjson.Count `json:"cache_read_input_tokens"`
	Creation   rawjson.Lenient[struct {
		Minutes rawjson.Count `json:"ephemeral_5m_input_tokens"`
		Hour    rawjson.Count `json:"ephemeral_1h_input_tokens"`
	}] `json:"cache_creation"`
	Output rawjson.Count `json:"output_tokens"`
}

// tokens represents a usage object. Thinking is a part of the output.
type tokens struct {
	counts

	Details rawjson.Lenient[struct {
		Thinking rawjson.Count `json:"thinking_tokens"`
	}] `json:"output_tokens_details"`
	Tools rawjson.Lenient[struct {
		Searches rawjson.Count `json:"web_search_requests"`
	}] `json:"server_tool_use"`
	Tier rawjson.Word `json:"service_tier"`
	// Fast: a mode with prices of its own, which counts as a service tier.
	Speed      rawjson.Word                                  `json:"speed"`
	Iterations rawjson.Lenient[[]rawjson.Lenient[iteration]] `json:"iterations"`
}

// iteration represents one pass of a model within a call. The other counts of the usage object contain those of the
// passes that write the answer, but not those of compactions: the model reads the whole conversation and writes a
// summary, which Anthropic charges for besides, see https://platform.claude.com/docs/en/build-with-claude/compaction.
// Passes of other models (advisor_message, fallback_message) need fields that count as charges of their own.
type iteration struct {
	counts

	Type rawjson.Word `json:"type"`
}

// maxSearches bounds the number of searches. A larger number is not plausible.
const maxSearches = 10_000

// update replaces the counts by those of the report, a later event of the same response, because each event reports the
// totals so far. These change nothing: a count that is absent or 0, a count that is not plausible after one that is,
// and an absent service tier or list of iterations.
func (t *tokens) update(report *tokens) {
	for _, total := range []struct{ target, reported *rawjson.Count }{
		{&t.Input, &report.Input}, {&t.CacheWrite, &report.CacheWrite}, {&t.CacheRead, &report.CacheRead},
		{&t.Output, &report.Output},
	} {
		if *total.reported > 0 || *total.target == 0 {
			*total.target = *total.reported
		}
	}
	for _, detail := range []struct{ target, reported *rawjson.Count }{
		{&t.Creation.Value.Minutes, &report.Creation.Value.Minutes},
		{&t.Creation.Value.Hour, &report.Creation.Value.Hour},
		{&t.Details.Value.Thinking, &report.Details.Value.Thinking},
		{&t.Tools.Value.Searches, &report.Tools.Value.Searches},
	} {
		if *detail.reported > 0 {
			*detail.target = *detail.reported
		}
	}
	if report.Tier != "" {
		t.Tier = report.Tier
	}
	if report.Speed != "" {
		t.Speed = report.Speed
	}
	if len(report.Iterations.Value) > 0 {
		t.Iterations = report.Iterations
	}
}

// classes returns the counts in classes that do not overlap. A count that is not plausible is 0.
func (c *counts) classes() usage.Usage {
	hour := c.Creation.Value.Hour.OrZero()
	// Some servers send only the split.
	write := max(c.CacheWrite.OrZero(), c.Creation.Value.Minutes.OrZero()+hour)
	return usage.Usage{
		Input: c.Input.OrZero(), CacheWrite: write, CachedInput: c.CacheRead.OrZero(), Output: c.Output.OrZero(),
		Details: usage.Details{CacheWrite1h: min(hour, write)},
	}
}

// usage returns the counts in classes that do not overlap, with those of compactions, or nil if a total is not
// plausible.
func (t *tokens) usage() *usage.Usage {
	if min(t.Input, t.CacheWrite, t.CacheRead, t.Output) < 0 {
		return nil
	}
	u := t.classes()
	u.Reasoning = min(t.Details.Value.Thinking.OrZero(), u.Output)
	u.Output -= u.Reasoning
	u.ServiceTier = usage.ServiceTierOf(string(t.Tier))
	if speed := usage.ServiceTierOf(string(t.Speed)); speed != "" {
		u.ServiceTier = speed
	}
	if searches := t.Tools.Value.Searches.OrZero(); searches <= maxSearches {
		u.WebSearchCalls = searches
	}
	for i := range t.Iterations.Value {
		if pass := &t.Iterations.Value[i].Value; pass.Type == "compaction" {
			u = u.Plus(pass.classes())
		}
	}
	return &u
}

// lenient accepts two faults of real servers: a string that is cut in the middle of a surrogate pair, and a duplicate
// key.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Counts collects the usage objects of one response whose bytes pass unchanged: that of a complete response, or those
// of the events of a stream, each of which has the totals so far. The zero value is ready. It is not safe for
// concurrent use.
type Counts struct {
	tokens    tokens
	hasReport bool
}

// Add adds a usage object. It ignores any other value.
func (c *Counts) Add(raw []byte) {
	var t *tokens
	if json.Unmarshal(raw, &t, lenient) != nil || t == nil {
		return
	}
	c.hasReport = true
	c.tokens.update(t)
}

// Usage returns the counts so far in classes that do not overlap; nil if none were added, or if they are not plausible.
func (c *Counts) Usage() *usage.Usage {
	if !c.hasReport {
		return nil
	}
	return c.tokens.usage()
}

// AppendUsage appends the usage object of a complete response, or of the event that ends a stream. The counts of the
// input do not overlap: input_tokens has neither cache reads nor cache writes. The quota is in USD; "" omits it.
func AppendUsage(dst []byte, u usage.Usage, quota string) []byte {
	count := func(name string, n int64) {
		dst = append(append(append(dst, ",\""...), name...), "\":"...)
		dst = strconv.AppendInt(dst, n, 10)
	}
	dst = append(dst, `{"input_tokens":`...)
	dst = strconv.AppendInt(dst, u.Input+u.AudioInput, 10)
	count("cache_creation_input_tokens", u.CacheWrite)
	count("cache_read_input_tokens", u.CachedInput)
	dst = append(dst, `,"cache_creation":{"ephemeral_5m_input_tokens":`...)
	dst = strconv.AppendInt(dst, u.CacheWrite-u.CacheWrite1h, 10)
	count("ephemeral_1h_input_tokens", u.CacheWrite1h)
	dst = append(dst, '}')
	count("output_tokens", u.OutputTotal())
	if u.Reasoning > 0 {
		dst = append(dst, `,"output_tokens_details":{"thinking_tokens":`...)
		dst = append(strconv.AppendInt(dst, u.Reasoning, 10), '}')
	}
	dst = append(dst, `,"server_tool_use":`...)
	if u.WebSearchCalls > 0 {
		dst = append(dst, `{"web_search_requests":`...)
		dst = append(strconv.AppendInt(dst, u.WebSearchCalls, 10), `,"web_fetch_requests":0}`...)
	} else {
		dst = append(dst, "null"...)
	}
	tier := u.ServiceTier
	if tier == "" {
		tier = "standard"
	}
	dst = strconv.AppendQuote(append(dst, `,"service_tier":`...), tier) // letters, digits, - and _
	if quota != "" {
		dst = strconv.AppendQuote(append(dst, `,"quota":`...), quota)
	}
	return append(dst, '}')
}
