package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/web"
)

// registerDocuments serves the API's own OpenAPI document to everybody. The document does not describe these two paths,
// so that generated clients have no methods for them.
func (a *API) registerDocuments(mux *http.ServeMux, api huma.API) {
	documents := web.NewDocuments(api.OpenAPI())
	a.registerDocument(mux, "GET /v1/openapi.json", web.JSON, documents)
	a.registerDocument(mux, "GET /v1/openapi.yaml", web.YAML, documents)
}

// registerDocument serves the document in one format.
func (a *API) registerDocument(mux *http.ServeMux, pattern string, format web.Format, documents *web.Documents) {
	rt := route{telemetry.Document, pattern}
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		rt.at(w)
		header := w.Header()
		header.Set("Cache-Control", "public, max-age=300")
		// A cached response to a request without an origin lacks the headers that a page needs.
		header["Vary"] = varyByOrigin
		if err := documents.Serve(w, r, format); err != nil {
			header.Del("Cache-Control")
			a.refuse(w, err)
		}
	})
}
