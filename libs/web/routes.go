package web

import (
	"net/http"
	"strings"
)

// methods are those whose routes a 405 looks for, in the order of Allow.
var methods = [...]string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions,
	http.MethodPatch, http.MethodPost, http.MethodPut,
}

const everything = "/"

// Routes gives mux the caller's own answers to unknown paths and methods and
// returns it. methodNotAllowed finds the Allow header set. The caller must not
// register "/" himself. Known routes cost nothing more than before.
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

// allowed lists the methods that the path of r has routes for, "" for none.
func allowed(mux *http.ServeMux, r *http.Request) string {
	var found []string
	probe := *r
	for _, method := range methods {
		probe.Method = method
		if _, pattern := mux.Handler(&probe); pattern != everything && pattern != "" {
			found = append(found, method)
		}
	}
	return strings.Join(found, ", ")
}
