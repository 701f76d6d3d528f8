// Package web provides the HTTP parts that the programs share.
//
//   - NewAPI: a Huma API whose errors are RFC 9457 documents made from problems
//   - NewServer: a server with timeouts, a bound on connections, and a graceful Stop
//   - Ops: the operations endpoints /healthz, /readyz, /metrics and /debug/pprof/
//   - Recover, Routes, ClientAddr, BeginSpan, RequestRecord, Send: middleware and helpers for single requests
//
// It has no code for tenants or models, and none for the relay's error format.
package web

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Info describes an API.
type Info struct {
	Title       string
	Version     string
	Description string
	// Log receives the private text of internal errors that handlers return. It is nil for APIs whose handlers write
	// and log their own errors.
	Log *slog.Logger
}

// logKey is the context key of Info.Log.
type logKey struct{}

// home is the web address of the project.
const home = "https://github.com/tollgate/tollgate"

// NewAPI returns a Huma API on mux that adds no pages of its own: no documentation, no schemas, no `$schema` in bodies.
// A handler that fails returns a *problem.Problem, and the client gets an Error document. Any other error becomes a 500
// without its text.
//
// Huma's error constructors are global. NewAPI replaces them for all APIs of the process.
func NewAPI(mux *http.ServeMux, info Info) huma.API {
	installGlobals()
	config := huma.DefaultConfig(info.Title, info.Version)
	config.Info.Description = info.Description
	config.Info.Contact = &huma.Contact{Name: "Tollgate", URL: home}
	config.Info.License = &huma.License{Name: "Apache 2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0.html"}
	config.CreateHooks = nil
	config.Formats = map[string]huma.Format{"application/json": bodyFormat(), "json": bodyFormat()}
	config.DocsPath, config.OpenAPIPath, config.SchemasPath = "", "", ""
	api := humago.New(mux, config)
	if info.Log != nil {
		api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
			next(huma.WithValue(ctx, logKey{}, info.Log))
		})
	}
	return api
}

// installGlobals sets the global variables of Huma, once for each process.
var installGlobals = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	huma.ValidateStrictCasing = true // otherwise a second spelling of a key reaches the handler without validation
	installErrors()
})

// writeDocument writes an error document as the response.
func writeDocument(w http.ResponseWriter, e *Error) {
	w.Header().Set("Content-Type", e.ContentType(""))
	w.WriteHeader(e.Status)
	_ = json.NewEncoder(w).Encode(e) // it fails only if the client has disconnected
}
