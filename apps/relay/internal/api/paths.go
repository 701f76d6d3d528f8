package api

import (
	"net/http"
	"path"
	"strings"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

// basePath is the path at which the base URL of OpenAI's clients ends. Anthropic's clients add it themselves.
const basePath = "/v1"

// withoutLastSlash serves a path with a slash at its end as the path without it: some clients join a base URL and a
// path so. A redirect would not do, because clients follow it with another method.
func withoutLastSlash(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := strings.TrimSuffix(r.URL.Path, "/"); len(path) < len(r.URL.Path) &&
			strings.HasPrefix(path, basePath+"/") && r.URL.RawPath == "" && !strings.HasSuffix(path, "/") {
			request, at := *r, *r.URL
			at.Path, request.URL = path, &at
			r = &request
		}
		handler.ServeHTTP(w, r)
	})
}

// unknownURL returns the problem of a path without a route. If there is a route at the path that the client probably
// means, it says which base URL leads there.
func unknownURL(mux *http.ServeMux, r *http.Request) *problem.Problem {
	p := problem.New(problem.UnknownURL, "Unknown request URL: %s %s. Please check the path.", r.Method, r.URL.Path)
	for _, candidate := range meantBy(r.URL.Path) {
		probe, at := *r, *r.URL
		at.Path, at.RawPath, probe.URL = candidate, "", &at
		if web.RouteOf(mux, &probe) == "/" {
			continue
		}
		p.Message = "Unknown request URL: " + r.Method + " " + r.URL.Path + ". Did you mean " + candidate +
			"? Set the base URL to the address of this gateway with " + basePath +
			" at its end and without a slash after it, such as https://" + hostOf(r) + basePath + "."
		if strings.HasPrefix(candidate, messagesPath) {
			p.Message = "Unknown request URL: " + r.Method + " " + r.URL.Path + ". Did you mean " + candidate +
				"? Set the base URL to the address of this gateway without a path, such as https://" + hostOf(r) + "."
		}
		break
	}
	return p
}

const messagesPath = "/v1/messages"

// meantBy returns the paths that a client can mean by an unknown one: with too many slashes, without the base path,
// with the base path twice, or with another one before it.
func meantBy(requestPath string) []string {
	clean := path.Clean("/" + requestPath)
	paths := []string{clean, basePath + clean}
	if i := strings.LastIndex(clean, basePath+"/"); i > 0 {
		paths = append(paths, clean[i:])
	}
	return paths
}

// hostOf returns the host that the client has called.
func hostOf(r *http.Request) string {
	if r.Host == "" || len(r.Host) > 255 || strings.ContainsAny(r.Host, "\"'<>\\ ") {
		return "gateway.example"
	}
	return r.Host
}
