package routing

import (
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// Needs are the features that a call needs and that some channels lack.
type Needs struct {
	Stream           bool
	Tools            bool
	Vision           bool
	StructuredOutput bool
	Unpriced         []charge.Charge // what the request asks for that has no price
	Model            string          // the public model
	// The kinds of charges without a price that the models of upstreams can cause by themselves, see charge.OfModel.
	UnpricedOfModels charge.Kinds
	Dialect          catalog.Dialect // of the client
}

// dropReason returns the reason to drop a channel: the channel lacks a feature that the call needs, or it refuses
// charges without a price. It returns Eligible if there is no reason.
func (n Needs) dropReason(channel *catalog.Channel) Reason {
	for _, feature := range channel.Settings.Lacks {
		switch {
		case feature == catalog.Streaming && n.Stream:
			return LacksStream
		case feature == catalog.ToolCalling && n.Tools:
			return LacksTools
		case feature == catalog.Vision && n.Vision:
			return LacksVision
		case feature == catalog.StructuredOutput && n.StructuredOutput:
			return LacksStructuredOutput
		}
	}
	if channel.Unpriced != charge.Allow && n.unpricedOn(channel) != nil {
		return RefusesUnpriced
	}
	return Eligible
}

// unpricedOn returns the first charge without a price that a call on the channel could cause, or nil. The upstream's
// model can cause one by itself.
func (n Needs) unpricedOn(channel *catalog.Channel) *charge.Charge {
	for i := range n.Unpriced {
		if n.reaches(&n.Unpriced[i], channel) {
			return &n.Unpriced[i]
		}
	}
	if kind, ok := n.chargeOfModel(channel); ok {
		return &charge.Charge{Kind: kind, Field: "model", Top: "model"}
	}
	return nil
}

// reaches reports whether the upstream of the channel gets the field of a charge. A parameter of the channel replaces
// the client's field, and a translation leaves some fields out.
func (n Needs) reaches(c *charge.Charge, channel *catalog.Channel) bool {
	if _, isReplaced := channel.Settings.Parameters[c.Top]; isReplaced {
		return false
	}
	if channel.Speaks(n.Dialect) {
		return true
	}
	isTier := c.Kind == charge.ServiceTier && c.Field == c.Top
	return !c.Native && (!isTier || TranslatesTier(channel))
}

// TranslatesTier reports whether a request that is translated for the channel keeps the client's service tier: only
// OpenAI's dialects can express the tiers of their clients.
func TranslatesTier(channel *catalog.Channel) bool {
	return channel.Speaks(catalog.Chat) || channel.Speaks(catalog.Responses)
}

// chargeOfModel returns the kind of charge without a price that the upstream's model on the channel can cause by
// itself, if there is one.
func (n Needs) chargeOfModel(channel *catalog.Channel) (kind charge.Kind, ok bool) {
	if n.UnpricedOfModels == 0 {
		return 0, false
	}
	kind, ok = charge.OfModel(channel.Models[n.Model])
	return kind, ok && n.UnpricedOfModels.Has(kind)
}

// UnpricedKinds returns the kinds of the charges without a price that a call on the channel can cause.
func (n Needs) UnpricedKinds(channel *catalog.Channel) (kinds charge.Kinds) {
	for i := range n.Unpriced {
		if n.reaches(&n.Unpriced[i], channel) {
			kinds = kinds.With(n.Unpriced[i].Kind)
		}
	}
	if kind, ok := n.chargeOfModel(channel); ok {
		kinds = kinds.With(kind)
	}
	return kinds
}

// field returns the field by which a request of the dialect asks for the feature or endpoint that the channel lacks. It
// returns "" for all other reasons.
func (r Reason) field(dialect catalog.Dialect) string {
	responses, messages := dialect == catalog.Responses, dialect == catalog.Messages
	switch {
	case r == LacksEndpoint:
		return "model"
	case r == LacksStream:
		return "stream"
	case r == LacksTools:
		return "tools"
	case r == LacksVision && responses:
		return "input"
	case r == LacksVision:
		return "messages"
	case r == LacksStructuredOutput && responses:
		return "text.format"
	case r == LacksStructuredOutput && messages:
		return "output_config.format"
	case r == LacksStructuredOutput:
		return "response_format"
	}
	return ""
}

// Refuse returns the problem for a plan without a usable channel. If every channel lacks a feature that the call needs,
// or refuses charges without a price, it is an UnsupportedParameter problem, which the client can fix, with the field
// that the first channel cannot serve. Otherwise it is a NoChannel problem.
func (n Needs) Refuse(plan []Candidate, dialect catalog.Dialect) *problem.Problem {
	for _, candidate := range plan {
		if candidate.Reason != RefusesUnpriced && candidate.Reason.field(dialect) == "" {
			return problem.Of(problem.NoChannel)
		}
	}
	switch {
	case len(plan) == 0:
		return problem.Of(problem.NoChannel)
	case plan[0].Reason == LacksEndpoint:
		return problem.New(problem.UnsupportedParameter, "No channel of this model has %s. Please use another model.",
			dialect).At("model")
	case plan[0].Reason != RefusesUnpriced:
		return conversation.UnsupportedPath(plan[0].Reason.field(dialect))
	}
	field := n.unpricedOn(plan[0].Channel).Field
	return problem.New(problem.UnsupportedParameter,
		"Unsupported parameter: '%s'. It can cause a charge for which this model has no price. Please leave it out, "+
			"or ask the operator of the gateway for a price.", field).At(field)
}
