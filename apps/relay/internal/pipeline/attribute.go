package pipeline

import (
	"net/http"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// attributed holds what a call is attributed to besides its user and its token.
type attributed struct {
	endUser string
	tags    usage.Tags
}

// attribute reads the end user and the tags of a call. names are the keys of metadata that are tags at the tenant. A
// header wins over a key of metadata with the same name. Errors are InvalidType problems that name a header: what
// OpenAI accepts in the body is never refused here.
func attribute(header http.Header, request *openai.Request, names attribution.Names) (attributed, error) {
	var set attribution.Set
	if err := set.AddHeader(header); err != nil {
		return attributed{}, err
	}
	if names != "" && request.HasMetadata() {
		return attributed{attribution.Cut(request.EndUser()), withMetadata(set, request, names)}, nil
	}
	return attributed{attribution.Cut(request.EndUser()), set.Tags()}, nil
}

// withMetadata returns the tags of the set and those of the request's metadata. It is apart from attribute, because
// its set is allocated.
func withMetadata(set attribution.Set, request *openai.Request, names attribution.Names) usage.Tags {
	request.EachMetadata(func(key, value string) {
		if names.Has(key) {
			set.Add(key, attribution.Cut(value))
		}
	})
	return set.Tags()
}
