package provider

import (
	"net/url"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// URL returns the URL of a request whose path has a segment from data, such as the id of a model or of a response:
// base, then prefix, the segment and suffix, which begins with a slash or a colon. The segment is escaped, so that it
// stays one segment whatever it contains. CheckSegment refuses the segments that escaping cannot protect.
func URL(base *url.URL, prefix, segment, suffix string) *url.URL {
	u := &url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path + prefix + segment + suffix}
	if escaped := url.PathEscape(segment); escaped != segment {
		u.RawPath = (&url.URL{Path: base.Path + prefix}).EscapedPath() + escaped + suffix
	}
	return u
}

// CheckSegment returns an UnsupportedParameter problem for an upstream model by which the path of a request might leave
// the path before it. Channels cannot be saved with such a model; one may be stored since before that check.
func CheckSegment(upstreamModel string) error {
	if address.HasDots(upstreamModel) {
		return problem.New(problem.UnsupportedParameter, "The channel's name of this model has the path segments . "+
			"or .., with which it is not called.").At("model")
	}
	return nil
}
