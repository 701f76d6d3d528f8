// Package web builds the HTTP side of the programs: Huma APIs with one error
// style, servers that drain, the operations endpoints, and what every request
// needs in between.
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
	// Log receives the text of errors that handlers return and the public does
	// not see. nil where handlers write their own errors and log them.
	Log *slog.Logger
}

type logKey struct{}

// home is where the project is.
const home = "https://github.com/tollgate/tollgate"

// NewAPI returns a Huma API on mux without pages of its own: no docs, no
// schemas, no `$schema` in bodies. Handlers return *problem.Problem (or any
// error, which becomes a 500 without its text) and the client gets an Error.
//
// Huma's error constructors are global to the process: NewAPI installs ours,
// for every API of the process.
func NewAPI(mux *http.ServeMux, info Info) huma.API {
	installGlobals()
	config := huma.DefaultConfig(info.Title, info.Version)
	config.Info.Description = info.Description
	config.Info.Contact = &huma.Contact{Name: "Tollgate", URL: home}
	config.Info.License = &huma.License{Name: "Apache 2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0.html"}
	config.CreateHooks = nil
	config.DocsPath, config.OpenAPIPath, config.SchemasPath = "", "", ""
	api := humago.New(mux, config)
	if info.Log != nil {
		api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
			next(huma.WithValue(ctx, logKey{}, info.Log))
		})
	}
	return api
}

// installGlobals sets what Huma keeps per process, once.
var installGlobals = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	installErrors()
})

func writeDocument(w http.ResponseWriter, e *Error) {
	w.Header().Set("Content-Type", e.ContentType(""))
	w.WriteHeader(e.Status)
	_ = json.NewEncoder(w).Encode(e) // the client is gone where this fails
}
