package messages

import (
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// model describes the thinking parameters that one generation of models accepts. The API refuses a request
// with a parameter that the model does not have, so the differences must be known here.
type model struct {
	adaptive        bool   // the model takes an effort level; otherwise it takes a budget of thinking tokens
	thinksByDefault bool   // the model thinks even if the request does not ask for it
	offType         string // the type of thinking that turns thinking off; "" if nothing turns it off
	aboveHigh       string // the effort level above high
	sampling        bool   // the model accepts temperature and top_p
	singleSampling  bool   // the model accepts temperature or top_p, not both
	forceable       bool   // the model can be forced to call a tool
	forcedThinks    bool   // the model can think before a call that it is forced to make
	prefill         bool   // the model continues a text of the assistant at the end of the conversation
}

// modelOf derives the parameters from the generation that a model's id names. A Claude without a version counts as a
// new one. Any other name belongs to a server that speaks the protocol as it was before adaptive thinking.
func modelOf(id string) model {
	family, version := generation(id)
	if family == "" {
		return model{offType: "disabled", sampling: true, forceable: true, prefill: true}
	}
	m := model{
		adaptive: version >= 46, thinksByDefault: version >= 50, offType: "disabled", aboveHigh: "xhigh",
		sampling: version < 47, singleSampling: version >= 41 && version < 47, forceable: true, prefill: version < 46,
		forcedThinks: version >= 48, // langchain-ai/langchain-aws#1141 and #1151
	}
	if version == 46 {
		m.aboveHigh = "max"
	}
	switch {
	case family == "fable", family == "mythos":
		m.offType, m.forceable = "", version < 51
	case family == "opus" && version >= 55:
		m.offType, m.forceable = "", false
	case family == "sonnet" && version >= 55:
		m.offType, m.forceable = "between_tools", false
	}
	return m
}

// newest is the version of a Claude whose id has no version. It is higher than any real one.
const newest = 99

// generation returns the family and the version (46 for 4.6) of a Claude, read from an id such as
// claude-opus-4-6, claude-3-7-sonnet-20250219 or us.anthropic.claude-sonnet-4-5-20250929-v1:0. The family is
// "" for other models.
func generation(id string) (family string, version int) {
	_, rest, ok := strings.Cut(strings.ToLower(id), "claude-")
	if !ok {
		return "", 0
	}
	family = "claude"
	var numbers []int
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("-.@:/", r) }) {
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && n >= 0 && n < 10 && len(numbers) < 2:
			numbers = append(numbers, n)
		case err == nil || word == "v1":
			return family, versionOf(numbers) // a date; the words after it are not part of the version
		case family == "claude":
			family = word
		}
	}
	return family, versionOf(numbers)
}

// versionOf joins the major and minor number of a version.
func versionOf(numbers []int) int {
	switch len(numbers) {
	case 0:
		return newest
	case 1:
		return 10 * numbers[0]
	}
	return 10*numbers[0] + numbers[1]
}

// effort is the form in which the API takes a client's reasoning effort.
type effort struct {
	level  string // for an adaptive model
	budget int64  // tokens, for other models
}

// efforts maps the client's values of the reasoning effort. Anthropic has no level below low.
var efforts = map[string]effort{
	"minimal": {"low", minBudget},
	"low":     {"low", 2048},
	"medium":  {"medium", 8192},
	"high":    {"high", 16_384},
	"xhigh":   {"", 32_000}, // the level is model.aboveHigh
}

// minBudget is the smallest budget that the API accepts, in tokens.
const minBudget = 1024

// ThinkingBudget returns the tokens that EncodeRequest reserves for thinking when a client asks for the reasoning
// effort; 0 for a model that decides itself, and for an unknown effort. maxOutput is that of Options.
func ThinkingBudget(model, effort string, maxOutput int64) int64 {
	setting, ok := efforts[effort]
	if !ok || modelOf(model).adaptive {
		return 0
	}
	return fitBudget(setting.budget, firstOf(maxOutput, catalog.DefaultMaxOutput))
}

// fitBudget reduces a thinking budget so that a quarter of limit, the max_tokens, remains for the answer. It never
// raises the limit, because the limit bounds the cost that the request's hold covers. It returns 0 if no
// budget fits: a budget must be below the limit.
func fitBudget(budget, limit int64) int64 {
	if limit <= minBudget {
		return 0
	}
	return min(budget, max(minBudget, limit-limit/4))
}
