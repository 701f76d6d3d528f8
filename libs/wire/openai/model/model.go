// Package model knows which parameters OpenAI's models refuse, by their names, also behind the name of a provider such
// as openai/gpt-5. Clients of other dialects do not know them. A name that is not OpenAI's refuses nothing.
package model

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// kind is a group of models that refuse the same.
type kind uint8

const (
	unknown      kind = iota
	nonReasoning      // does not reason: gpt-4o, gpt-4.1
	oSeries           // always reasons, with low, medium and high
	gpt5              // always reasons, with minimal, low, medium and high
	gpt51             // reasons if the request asks for it, with none, low, medium and high
	gpt51Max          // as gpt51, also with xhigh
	gpt52             // as gpt51Max, but takes tools in a chat completion only if it does not reason
	gpt55             // as gpt52, but also reasons if the request does not ask for it: gpt-5.5 and later
)

var patterns = []struct {
	matches *regexp.Regexp
	kind    kind
}{
	{regexp.MustCompile(`^(gpt-3|gpt-4|chatgpt-|gpt-5[0-9.]*-chat)`), nonReasoning},
	{regexp.MustCompile(`^o[134](-|$)`), oSeries},
	{regexp.MustCompile(`^gpt-5([^.0-9]|$)`), gpt5},
	{regexp.MustCompile(`^gpt-5\.1-codex-max`), gpt51Max},
	{regexp.MustCompile(`^gpt-5\.1(\D|$)`), gpt51},
	{regexp.MustCompile(`^gpt-5\.[234](\D|$)`), gpt52},
	{regexp.MustCompile(`^gpt-[5-9]`), gpt55},
}

func kindOf(model string) kind {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, n := range patterns {
		if n.matches.MatchString(name) {
			return n.kind
		}
	}
	return unknown
}

// Reasons reports whether a model is one of OpenAI's that reason, always or if the request asks for it.
func Reasons(model string) bool {
	k := kindOf(model)
	return k != unknown && k != nonReasoning
}

// TakesStop reports whether a model takes stop sequences. OpenAI's models that reason do not.
func TakesStop(model string) bool { return !Reasons(model) }

// CheckStop checks the stop sequences of a request to one of OpenAI's models, which takes four of them, or for which
// the caller looks for them. Other servers have other bounds.
func CheckStop(r *conversation.Request, model string) error {
	if kindOf(model) == unknown {
		return nil
	}
	return param.CheckStop(r)
}

// FitChat is Fit for a chat completion, in which models refuse more than in a response: the o-series
// parallel_tool_calls, and models from gpt-5.2 on tools if they reason, so that the effort becomes none. A name behind
// that of a provider keeps its effort: it belongs to another gateway, which chooses OpenAI's API itself.
func FitChat(r *conversation.Request, model string) (fitted *conversation.Request, ignored []string) {
	out, k := *r, kindOf(model)
	if k == oSeries {
		if r.ParallelCalls != nil && !*r.ParallelCalls && len(r.Tools) > 0 {
			ignored = append(ignored, parallelCalls[r.Client])
		}
		out.ParallelCalls = nil
	}
	if (k == gpt52 || k == gpt55) && len(r.Tools) > 0 && !strings.Contains(model, "/") && !alwaysReasons(model) {
		if r.Reasoning.Effort != "" && r.Reasoning.Effort != "none" {
			ignored = append(ignored, r.NameOf(conversation.FieldEffort))
		}
		out.Reasoning.Effort = "none"
	}
	fitted, dropped := Fit(&out, model)
	return fitted, append(ignored, dropped...)
}

// alwaysReasons reports whether a model from gpt-5.2 on does not have the effort none. OpenAI has such models in
// responses alone, but other gateways translate chat completions for them.
func alwaysReasons(model string) bool {
	return strings.Contains(model, "-codex") || strings.Contains(model, "-pro")
}

// parallelCalls has the name of the field that forbids parallel calls, by the client's dialect.
var parallelCalls = map[conversation.ClientDialect]string{
	conversation.ClientChat: "parallel_tool_calls", conversation.ClientResponses: "parallel_tool_calls",
	conversation.ClientMessages: "tool_choice.disable_parallel_tool_use",
}

// Fit returns the request without the sampling parameters and the reasoning that the model refuses, and the client's
// paths of what it leaves out. An effort becomes the nearest one that the model has. It does not change r.
func Fit(r *conversation.Request, model string) (fitted *conversation.Request, ignored []string) {
	k := kindOf(model)
	if k == unknown {
		return r, nil
	}
	out := *r
	reasoning := &out.Reasoning
	switch {
	case k == nonReasoning && reasoning.Effort != "":
		if reasoning.Effort != "none" {
			ignored = append(ignored, r.NameOf(conversation.FieldEffort))
		}
		reasoning.Effort = ""
	default:
		if nearest := efforts[k][reasoning.Effort]; nearest != "" {
			reasoning.Effort = nearest
		}
	}
	if k == nonReasoning { // there is nothing to summarize
		reasoning.Summary = ""
	}
	byDefault := k == oSeries || k == gpt5 || k == gpt55
	if reasoning.Effort != "none" && (reasoning.Effort != "" || byDefault) { // it reasons
		if isNotDefault(r.Temperature.String()) {
			ignored = append(ignored, r.NameOf(conversation.FieldTemperature))
		}
		if isNotDefault(r.TopP.String()) {
			ignored = append(ignored, r.NameOf(conversation.FieldTopP))
		}
		out.Temperature, out.TopP = "", ""
	}
	return &out, ignored
}

// efforts has the nearest effort of those that the models of a kind do not have.
var efforts = map[kind]map[string]string{
	oSeries:  {"none": "low", "minimal": "low", "xhigh": "high"},
	gpt5:     {"none": "minimal", "xhigh": "high"},
	gpt51:    {"minimal": "low", "xhigh": "high"},
	gpt51Max: {"minimal": "low"},
	gpt52:    {"minimal": "low"},
	gpt55:    {"minimal": "low"},
}

// isNotDefault reports whether a sampling parameter is given and not 1, its default.
func isNotDefault(number string) bool {
	value, err := strconv.ParseFloat(number, 64)
	return number != "" && (err != nil || value != 1)
}
