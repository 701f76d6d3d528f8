package openai

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Forward returns the body for an upstream that knows the model as upstreamModel. It changes only this:
//
//   - the model name, if it differs;
//   - stream_options of a chat stream, so that the upstream sends the usage chunk even if the client did not ask for
//     it;
//   - previous_response_id, which becomes the id passed to SetUpstreamPrevious;
//   - encrypted content, which loses the tags that RemoveTags read;
//   - the tools that WithoutOptionalTools omits, and the fields that concern only them;
//   - service_tier, if WithServiceTier has set it.
//
// All other bytes stay as the client sent them.
func (r *Request) Forward(upstreamModel string) rawjson.Body {
	body := r.forward(upstreamModel)
	if r.omission == nil {
		return body
	}
	body, _ = r.omission.apply(body, nil) // the body was scanned before, and the edits keep it well-formed
	return body
}

// forward returns the body of Forward with all tools.
func (r *Request) forward(upstreamModel string) rawjson.Body {
	var buf [4]rawjson.Edit // enough for almost all requests, so that the edits need no allocation
	edits := buf[:0]
	if upstreamModel != r.Model {
		edits = append(edits, rawjson.Edit{At: r.model, With: rawjson.Quote(upstreamModel)})
	}
	if r.dialect == catalog.Chat && r.Stream && !r.IncludeUsage {
		edits = append(edits, r.includeUsageEdit())
	}
	if r.newTier != "" {
		edits = append(edits, r.tierEdit())
	}
	return rawjson.Splice(r.body, rawjson.InOrder(r.appendIDEdits(edits)))
}

// appendIDEdits appends the edits that replace the gateway's ids by the upstream's ids, and that remove the
// gateway's tags.
func (r *Request) appendIDEdits(edits []rawjson.Edit) []rawjson.Edit {
	if r.upstreamPrevious != "" {
		edits = append(edits, rawjson.Edit{At: r.previous, With: rawjson.Quote(r.upstreamPrevious)})
	}
	for _, tag := range r.tags {
		edits = append(edits, rawjson.Edit{At: tag})
	}
	return append(edits, r.ids...)
}

// SetUpstreamPrevious sets the upstream's own id of the response that Previous names. Forward and Adapt write it into
// the body. Call it only if ContinuesUpstream.
func (r *Request) SetUpstreamPrevious(upstream string) { r.upstreamPrevious = upstream }

// AsksForAnyTier reports whether the request leaves the service tier to the provider: with the value auto (explicit),
// or without the field.
func (r *Request) AsksForAnyTier() (asks, explicit bool) {
	explicit = strings.EqualFold(r.ServiceTier, "auto")
	return !r.mayNameTier && (explicit || r.ServiceTier == ""), explicit
}

// WithServiceTier returns a copy of the request for which Forward and Adapt write this service tier instead of the
// client's. The copy shares everything else with the request.
func (r *Request) WithServiceTier(tier string) *Request {
	clone := *r
	clone.newTier = tier
	return &clone
}

// tierEdit returns the edit that sets the service tier.
func (r *Request) tierEdit() rawjson.Edit {
	if r.serviceTier != (rawjson.Span{}) {
		return rawjson.Edit{At: r.serviceTier, With: rawjson.Quote(r.newTier)}
	}
	return rawjson.Edit{At: rawjson.Span{Start: r.end, End: r.end},
		With: append([]byte(`,"service_tier":`), rawjson.Quote(r.newTier)...)}
}

// includeUsageEdit returns the edit that sets stream_options.include_usage to true, whatever the body has
// there: the option with another value, no stream_options, null, or an object without the option.
func (r *Request) includeUsageEdit() rawjson.Edit {
	switch {
	case r.includeUsage != (rawjson.Span{}):
		return rawjson.Edit{At: r.includeUsage, With: []byte(`true`)}
	case r.streamOptions == (rawjson.Span{}):
		return rawjson.Edit{At: rawjson.Span{Start: r.end, End: r.end},
			With: []byte(`,"stream_options":{"include_usage":true}`)}
	case r.body[r.streamOptions.Start] != '{':
		return rawjson.Edit{At: r.streamOptions, With: []byte(`{"include_usage":true}`)}
	}
	start := r.streamOptions.Start + 1
	if rawjson.IsEmptyObject(r.streamOptions.Of(r.body)) {
		return rawjson.Edit{At: rawjson.Span{Start: start, End: start}, With: []byte(`"include_usage":true`)}
	}
	return rawjson.Edit{At: rawjson.Span{Start: start, End: start}, With: []byte(`"include_usage":true,`)}
}
