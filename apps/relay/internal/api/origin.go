package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/config"
)

// The headers of CORS, in the form of the keys of http.Header.
const (
	originHeader  = "Origin"
	allowOrigin   = "Access-Control-Allow-Origin"
	allowMethods  = "Access-Control-Allow-Methods"
	allowHeaders  = "Access-Control-Allow-Headers"
	exposeHeaders = "Access-Control-Expose-Headers"
	maxAge        = "Access-Control-Max-Age"
	askedMethod   = "Access-Control-Request-Method"
	askedHeaders  = "Access-Control-Request-Headers"
)

// maxAskedHeaders bounds the list of request headers that a preflight request asks for, in bytes. It has room for the
// headers of OpenAI's SDKs and all tags that a request can have.
const maxAskedHeaders = 4 << 10

// origins are the origins of web pages that may call the API from a browser. A browser sends no credentials of its own
// with such a call: the API has no cookies, and no response allows credentials. The values of headers are made once,
// because every call of a page gets them.
type origins struct {
	wildcard []string            // value of allowOrigin if every origin is allowed; nil otherwise
	byOrigin map[string][]string // value of allowOrigin by origin
	exposure []string            // value of exposeHeaders
}

// newOrigins returns the origins of a configuration.
func newOrigins(list config.Origins) *origins {
	o := &origins{byOrigin: map[string][]string{}, exposure: []string{strings.Join(exposedHeaders(), ", ")}}
	for _, origin := range list {
		if origin == config.AnyOrigin {
			o.wildcard = []string{origin}
		} else {
			o.byOrigin[origin] = []string{origin}
		}
	}
	return o
}

// exposedHeaders returns the names of the response headers that pages can read: all that the OpenAPI document has, and
// those of HTTP itself that the relay sets and that pages cannot read without this. Two headers belong to Anthropic's
// API alone.
func exposedHeaders() []string {
	headers := callHeaders()
	maps.Copy(headers, errorHeaders(http.StatusTooManyRequests))
	return slices.Sorted(slices.Values(slices.AppendSeq([]string{"allow", "etag", "request-id", "www-authenticate",
		"x-tollgate-left-out-betas"}, maps.Keys(headers))))
}

// varyByOrigin tells caches that the response depends on the origin of the request.
var varyByOrigin = []string{originHeader}

// show adds the headers that let a page read the response. It allocates nothing for a request without an origin.
func (o *origins) show(header http.Header, r *http.Request) {
	if len(o.byOrigin) > 0 {
		header["Vary"] = varyByOrigin
	}
	if value := o.answer(r); value != nil {
		header[allowOrigin], header[exposeHeaders] = value, o.exposure
	}
}

// answer returns the value of allowOrigin for a request, nil if it has no origin or one that is not allowed.
func (o *origins) answer(r *http.Request) []string {
	values := r.Header[originHeader]
	switch {
	case len(values) != 1:
		return nil
	case o.wildcard != nil:
		return o.wildcard
	}
	return o.byOrigin[values[0]]
}

// isPreflight reports whether a browser asks with r whether a page may send a request. It is false if no page may.
func (o *origins) isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header[askedMethod] != nil && r.Header[originHeader] != nil &&
		(o.wildcard != nil || len(o.byOrigin) > 0)
}

// preflight answers a preflight request. It allows each request header that the browser asks for, because the wildcard
// would leave out Authorization, and SDKs add headers of their own. Without the headers of CORS, which an origin that
// is not allowed does not get, the browser does not send the request.
func (o *origins) preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	if header[allowOrigin] != nil {
		delete(header, exposeHeaders) // for actual responses only
		header[allowMethods] = []string{"GET, POST, DELETE"}
		header[maxAge] = []string{"7200"} // seconds; browsers keep no answer for longer
		if names := r.Header.Get(askedHeaders); names != "" && len(names) <= maxAskedHeaders {
			header[allowHeaders] = []string{names}
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
