package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"sort"
	"strconv"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/param"
)

const (
	// leastCap is the smallest output cap that the relay sends, in tokens, not counting a thinking budget.
	leastCap = 64
	// assumedOutput is the usual length of an answer until one has ended, in tokens.
	assumedOutput = 256
	// countedBytes is the size of the largest body whose tokens are counted, so that the hold need not cover one token
	// for each byte. Larger bodies are not counted, which bounds the work for an account that is nearly empty.
	countedBytes = 4 << 10
	// countMargin is added to a count of the input that serves as its bound, in tokens.
	countMargin = 64
	// ratioUnit is the unit of Typical.InputRatio.
	ratioUnit = 1_024
)

// reserve reserves the cost of the longest answer. If the accounts have not enough for it, a stream may begin with
// less, and a call whose output the relay may limit gets a share of what is left. The bound is then that of the output
// which the share pays for.
func (p *Pipeline) reserve(ctx context.Context, a *admission, bound *costBound) (*admit.Hold, error) {
	demand := admit.Demand{Min: bound.minCost, Max: bound.maxCost}
	var caps *capFinder
	if a.mayLimit() {
		// The hold covers all that the upstream may generate: reasoning that is not shown cannot be stopped on the way.
		demand.Min, demand.Model = bound.maxCost, a.model.ID
		demand.Costs = func(t admit.Typical) (minCost, usual money.Amount) {
			if caps == nil { // few accounts are nearly empty
				caps = newCapFinder(a, *bound)
			}
			return caps.costs(t)
		}
	}
	hold, err := p.Admit.Reserve(ctx, a.caller, demand)
	if err != nil || !hold.Shared() {
		return hold, err
	}
	if err := caps.limit(bound, hold.Amount()); err != nil {
		hold.Release()
		return nil, err
	}
	return hold, nil
}

// mayLimit reports whether the relay may send an output cap: the request has none, or is a stream with a large one, the
// tenant allows it, and the call is not a stream that the tenant lets run on without quota. Operations other than a
// call have no such field, and embeddings have no output.
func (a *admission) mayLimit() bool {
	t, r := &a.caller.Tenant, a.request
	return a.operation == "" && a.dialect != catalog.Embeddings &&
		(r.OutputCap == 0 || r.Stream && r.OutputCap > firstStep) &&
		t.OutputCap != tenant.OutputCapOff && (!r.Stream || t.QuotaMode != tenant.QuotaSoft)
}

// capFinder finds the output cap of a call that what is left can pay.
type capFinder struct {
	admission // a copy: only few calls need it on the heap
	bound     costBound
	minCap    int64 // smallest cap of a choice
	maxOutput int64 // most output tokens of a choice without a cap of the relay
	summary   int64 // output tokens besides those of the choices, which no cap limits
	input     int64 // upper bound of the input tokens, as of the last call of costs
	estimate  int64 // tokenizer's count of the input, 0 until it is needed
}

// newCapFinder returns the capFinder of a call with the bounds.
func newCapFinder(a *admission, bound costBound) *capFinder {
	maxOutput := outputBound(a.request, a.model)
	return &capFinder{
		admission: *a, bound: bound, input: bound.input,
		minCap: min(leastCap+thinkingBudget(a, maxOutput), maxOutput), maxOutput: maxOutput,
		summary: bound.output - maxOutput*a.request.Choices,
	}
}

// costs implements the Costs of admit.Demand.
func (f *capFinder) costs(t admit.Typical) (minCost, usual money.Amount) {
	f.input = f.boundInput(t)
	output := t.Output
	if output == 0 {
		output = assumedOutput
	}
	return f.cost(f.input, f.minCap), f.cost(f.input, min(max(f.minCap, output), f.maxOutput))
}

// cost returns the upper bound of the cost with so many output tokens in each choice.
func (f *capFinder) cost(input, perChoice int64) money.Amount {
	amount, err := f.terms.Bound(f.bound.maxUsage(input, perChoice*f.request.Choices+f.summary))
	if err != nil {
		return money.Max
	}
	return amount
}

// limit lowers the bound to the output that the amount pays for. It returns a QuotaInFlight problem if that is less
// than the smallest cap, because the typical numbers have changed since the first of the accounts was asked.
func (f *capFinder) limit(bound *costBound, amount money.Amount) error {
	switch payable := f.payable(amount); {
	case payable < f.minCap:
		return problem.Of(problem.QuotaInFlight).After(time.Second)
	case payable < f.maxOutput:
		bound.outputCap, bound.output = payable, payable*f.request.Choices+f.summary
		bound.firstOutput, bound.minCost, bound.maxCost = bound.output, amount, amount
	}
	return nil
}

// payable returns the largest output cap that the amount pays for: from one less than the smallest cap, if it does not
// pay for that, to the longest answer. The cost grows with the number of tokens, so a binary search finds it.
func (f *capFinder) payable(amount money.Amount) int64 {
	extra := sort.Search(int(f.maxOutput-f.minCap)+1,
		func(extra int) bool { return f.cost(f.input, f.minCap+int64(extra)) > amount })
	return f.minCap + int64(extra) - 1
}

// boundInput returns an upper bound of the input tokens: the tokenizer's count times the usual ratio between the
// upstream's count and the tokenizer's, if that is known, and else that of boundCost.
func (f *capFinder) boundInput(t admit.Typical) int64 {
	if t.InputRatio == 0 || !f.countable() {
		return f.bound.input
	}
	if f.estimate == 0 {
		f.estimate = meter.EstimateInput(f.model.ID, meter.SampleIn(f.request.Body()))
	}
	return min(f.bound.input, (f.estimate*t.InputRatio+ratioUnit-1)/ratioUnit+countMargin)
}

// countable reports whether the tokenizer's count of the input tells that of an upstream: the request is a short text
// without tools and schemas, and neither stored state nor a channel adds to it.
func (a *admission) countable() bool {
	r := a.request
	return !r.HasMedia() && !r.Tools && !r.Structured && a.extra == 0 && r.Size() <= countedBytes
}

// thinkingBudget returns the most tokens that the request or a channel of its model reserves for thinking in an answer
// of at most maxOutput tokens. They come before the answer, and upstreams refuse a cap below them.
func thinkingBudget(a *admission, maxOutput int64) int64 {
	fields := a.request.Members(append(provider.ThinkingFields(), "reasoning_effort", "output_config")...)
	budget, effort := provider.ThinkingBudget(fields), effortOf(fields)
	for _, channel := range a.snapshot.ServingTo(a.caller.Tenant.Slug, a.model.ID) {
		budget = max(budget, provider.ThinkingBudget(channel.Settings.Parameters))
		target := a.snapshot.Target(channel.ID)
		if target == nil || channel.Speaks(a.dialect) {
			continue
		}
		if thinker, ok := target.Provider.(provider.Thinker); ok {
			budget = max(budget, thinker.ThinkingBudget(channel.Models[a.model.ID], effort, maxOutput))
		}
	}
	return budget
}

// effortOf returns the reasoning effort that a request asks for, as a conversation has it; "" for none.
func effortOf(fields map[string]json.RawMessage) string {
	var effort string
	var reasoning, output struct {
		Effort string `json:"effort"`
	}
	for name, into := range map[string]any{
		"reasoning_effort": &effort, "reasoning": &reasoning, "output_config": &output,
	} {
		if raw := fields[name]; raw != nil {
			_ = json.Unmarshal(raw, into) // the codec refuses a value of another type
		}
	}
	return param.Effort(cmp.Or(effort, reasoning.Effort, output.Effort))
}

// learn notes what a call has used that shared an account, for the calls after it. An answer that reached its cap
// counts double, because it would have been longer.
func (x *exchange) learn(log *usage.Log) {
	if !x.hold.Shared() || log.Estimated || log.Outcome != usage.Success {
		return
	}
	sample := admit.Typical{Output: max(1, log.Usage.OutputTotal()/x.choices)}
	if x.bound.outputCap > 0 && sample.Output >= x.bound.outputCap {
		sample.Output = 2 * x.bound.outputCap
	}
	if x.countable {
		sample.InputRatio = max(1, log.Usage.InputTotal()*ratioUnit/meter.EstimateInput(x.log.Model, x.sample))
	}
	x.hold.Note(x.log.Model, sample)
}

// outputCapHeader is the response header that names the output cap that the relay sent.
const outputCapHeader = "X-Tollgate-Output-Cap"

// toolCallsHeader is the response header that names the limit of tool calls that the relay sent.
const toolCallsHeader = "X-Tollgate-Max-Tool-Calls"

// tierHeader is the response header that names the ordinary service tier that the relay sent.
const tierHeader = "X-Tollgate-Service-Tier"

// showSent sets the headers of the limits that the relay adds to the request.
func (x *exchange) showSent(header http.Header) {
	if n := x.bound.sentCalls; n > 0 {
		header[toolCallsHeader] = []string{strconv.FormatInt(n, 10)}
	}
	if x.bound.outputCap > 0 {
		header[outputCapHeader] = []string{strconv.FormatInt(x.bound.outputCap, 10)}
	}
}
