package web

import (
	"net/http"
	"path"
	"strings"
)

// methods are the methods that the Allow header of a 405 can contain, in its order.
var methods = [...]string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions,
	http.MethodPatch, http.MethodPost, http.MethodPut,
}

// everything is the pattern that matches every path without a better match.
const everything = "/"

// Routes adds handlers for unknown paths and for unsupported methods to mux, and returns the handler to serve.
// net/http's own answers are plain texts. The Allow header is already set when methodNotAllowed is called. The caller
// must not register "/" itself. Requests to known routes do not pass through these handlers.
//
// A path with "//", "/./" or "/../" in it is unknown. ServeMux would redirect to the path without it, which programs
// follow with another method, or without the Authorization header.
func Routes(mux *http.ServeMux, notFound, methodNotAllowed http.HandlerFunc) http.Handler {
	mux.HandleFunc(everything, func(w http.ResponseWriter, r *http.Request) {
		if allow := allowed(mux, r); allow != "" {
			w.Header().Set("Allow", allow)
			methodNotAllowed(w, r)
			return
		}
		notFound(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isClean(r.URL.EscapedPath()) {
			notFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// RouteOf returns the pattern of mux by which the handler of Routes serves the request, and "/" for an unknown path.
func RouteOf(mux *http.ServeMux, r *http.Request) string {
	if !isClean(r.URL.EscapedPath()) {
		return everything
	}
	_, pattern := mux.Handler(r)
	return pattern
}

// isClean reports whether ServeMux would serve the escaped path as it is. A path without a slash at its beginning, as
// in "OPTIONS *", is not clean.
func isClean(escaped string) bool {
	if !strings.HasPrefix(escaped, "/") {
		return false
	}
	clean := path.Clean(escaped)
	return escaped == clean || strings.TrimSuffix(escaped, "/") == clean
}

// allowed returns the methods for which the path of r has routes, separated by commas, or "" if there are none. It asks
// mux for a route with each method, because http.ServeMux offers no other way.
func allowed(mux *http.ServeMux, r *http.Request) string {
	var names []string
	probe := *r // a copy, because ServeMux.Handler looks at the request's method
	for _, method := range methods {
		probe.Method = method
		if _, pattern := mux.Handler(&probe); pattern != everything && pattern != "" {
			names = append(names, method)
		}
	}
	return strings.Join(names, ", ")
}
