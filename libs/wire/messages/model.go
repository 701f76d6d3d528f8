package messages

import (
	"strconv"
	"strings"
)

// model is what a request must know of the model that it is for. The API
// refuses what a model does not take, so the differences are spelled out here.
type model struct {
	adaptive bool   // thinks as much as it sees fit, steered by effort; else within a budget
	thinks   bool   // without being asked to
	off      string // the type of thinking that is least; "" where nothing turns it off
	extra    string // the level of effort above high
	sampling bool   // takes a temperature and top_p
	forced   bool   // can be told that it must call a tool
}

// modelOf reads the generation off a model's id. A Claude without a version is
// taken for a new one; what is no Claude, for a server that speaks the
// protocol as it was before adaptive thinking.
func modelOf(id string) model {
	family, version := generation(id)
	if family == "" {
		return model{off: "disabled", sampling: true, forced: true}
	}
	m := model{
		adaptive: version >= 46, thinks: version >= 50,
		off: "disabled", extra: "xhigh", sampling: version < 47, forced: true,
	}
	if version == 46 {
		m.extra = "max"
	}
	switch {
	case family == "fable", family == "mythos":
		m.off, m.forced = "", version < 51
	case family == "opus" && version >= 55:
		m.off, m.forced = "", false
	case family == "sonnet" && version >= 55:
		m.off, m.forced = "between_tools", false
	}
	return m
}

// newest stands for the version of a Claude whose id names none.
const newest = 99

// generation returns the family and the version, 46 for 4.6, of a Claude by
// its id, such as claude-opus-4-6, claude-3-7-sonnet-20250219 or
// us.anthropic.claude-sonnet-4-5-20250929-v1:0. The family is "" for others.
func generation(id string) (family string, version int) {
	_, rest, claude := strings.Cut(strings.ToLower(id), "claude-")
	if !claude {
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
			return family, versionOf(numbers) // a date, and what is behind it
		case family == "claude":
			family = word
		}
	}
	return family, versionOf(numbers)
}

func versionOf(numbers []int) int {
	switch len(numbers) {
	case 0:
		return newest
	case 1:
		return 10 * numbers[0]
	}
	return 10*numbers[0] + numbers[1]
}

// effort is how a client's effort is asked for.
type effort struct {
	level  string // of an adaptive model
	budget int64  // tokens, of the others
}

// efforts by the client's word. Anthropic has no level below low.
var efforts = map[string]effort{
	"minimal": {"low", leastBudget},
	"low":     {"low", 2048},
	"medium":  {"medium", 8192},
	"high":    {"high", 16_384},
	"xhigh":   {"", 32_000}, // model.extra
}

// leastBudget is the smallest that the API takes, in tokens.
const leastBudget = 1024

// fit cuts a budget so that a quarter of limit is left for the answer. The
// limit is never raised: it is what the call's cost was bounded by. It returns
// 0 where no thinking fits, since a budget must be below the limit.
func fit(budget, limit int64) int64 {
	if limit <= leastBudget {
		return 0
	}
	return min(budget, max(leastBudget, limit-limit/4))
}
