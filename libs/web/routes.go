package web

import (
	"net/http"
	"strings"
)

// methods are the methods that the Allow header of a 405 can contain, in its order.
var methods = [...]string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions,
	http.MethodPatch, http.MethodPost, http.MethodPut,
}

// everything is the pattern that matches every path without a better match.
const everything = "/"

// Routes adds handlers for unknown paths and for unsupported methods to mux, and returns mux. net/http's own answers are
// plain texts. The Allow header is already set when methodNotAllowed is called. The caller must not register "/" itself.
// Requests to known routes do not pass through these handlers.
func Routes(mux *http.ServeMux, notFound, methodNotAllowed http.HandlerFunc) http.Handler {
	mux.HandleFunc(everything, func(w http.ResponseWriter, r *http.Request) {
		if allow := allowed(mux, r); allow != "" {
			w.Header().Set("Allow", allow)
			methodNotAllowed(w, r)
			return
		}
		notFound(w, r)
	})
	return mux
}

// allowed returns the methods for which the path of r has routes, separated by commas, or "" if there are none. It asks
// mux for a route with each method, because http.ServeMux offers no other way.
func allowed(mux *http.ServeMux, r *http.Request) string {
	var found []string
	probe := *r // a copy, because ServeMux.Handler looks at the request's method
	for _, method := range methods {
		probe.Method = method
		if _, pattern := mux.Handler(&probe); pattern != everything && pattern != "" {
			found = append(found, method)
		}
	}
	return strings.Join(found, ", ")
}
