package openai

import (
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Forward returns the body for an upstream that knows the model as
// upstreamModel. It always asks for the usage chunk of a chat stream, writes
// the upstream's id of the previous response, and takes tags off encrypted
// content. All other bytes stay as the client sent them.
func (r *Request) Forward(upstreamModel string) rawjson.Body {
	var few [4]rawjson.Edit
	edits := few[:0]
	if upstreamModel != r.Model {
		edits = append(edits, rawjson.Edit{At: r.model, With: rawjson.Quote(upstreamModel)})
	}
	if r.dialect == catalog.Chat && r.Stream && !r.IncludeUsage {
		edits = append(edits, r.includeUsageEdit())
	}
	return rawjson.Splice(r.body, rawjson.InOrder(r.addOrigins(edits)))
}

// addOrigins appends the edits that name what a request goes back to as its
// upstream does.
func (r *Request) addOrigins(edits []rawjson.Edit) []rawjson.Edit {
	if r.upstream != "" {
		edits = append(edits, rawjson.Edit{At: r.previous, With: rawjson.Quote(r.upstream)})
	}
	for _, tag := range r.tags {
		edits = append(edits, rawjson.Edit{At: tag})
	}
	return edits
}

// SetPrevious sets the upstream's id of the response that Previous names.
func (r *Request) SetPrevious(upstream string) { r.upstream = upstream }

func (r *Request) includeUsageEdit() rawjson.Edit {
	switch {
	case r.includeUsage != (rawjson.Span{}):
		return rawjson.Edit{At: r.includeUsage, With: []byte(`true`)}
	case r.streamOptions == (rawjson.Span{}):
		return rawjson.Edit{At: rawjson.Span{Start: r.end, End: r.end}, With: []byte(`,"stream_options":{"include_usage":true}`)}
	case r.body[r.streamOptions.Start] != '{':
		return rawjson.Edit{At: r.streamOptions, With: []byte(`{"include_usage":true}`)}
	}
	inside := r.streamOptions.Start + 1
	if rawjson.IsEmptyObject(r.streamOptions.Of(r.body)) {
		return rawjson.Edit{At: rawjson.Span{Start: inside, End: inside}, With: []byte(`"include_usage":true`)}
	}
	return rawjson.Edit{At: rawjson.Span{Start: inside, End: inside}, With: []byte(`"include_usage":true,`)}
}
