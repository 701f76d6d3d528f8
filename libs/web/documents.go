package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// documentTime limits the time for sending a document to a client. Nobody has to authenticate for it.
const documentTime = 30 * time.Second

// Documents serves the OpenAPI document of an API in all versions and formats. It is safe for concurrent use.
type Documents struct {
	load func() (map[documentKey]written, error)
}

// documentKey identifies a document.
type documentKey struct {
	spec   Spec
	format Format
}

// written is the document in one version and format.
type written struct {
	text []byte
	etag string // strong: a hash of text
}

// NewDocuments returns the documents of an API whose operations are all registered. They are written for the first
// request, because most processes are never asked.
func NewDocuments(api *huma.OpenAPI) *Documents {
	return &Documents{sync.OnceValues(func() (map[documentKey]written, error) { return write(api) })}
}

// write returns the document in all versions and formats.
func write(api *huma.OpenAPI) (map[documentKey]written, error) {
	texts := map[documentKey]written{}
	for _, spec := range []Spec{Spec31, Spec30} {
		for _, format := range []Format{JSON, YAML} {
			text, err := Document(api, spec, format)
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256(text)
			texts[documentKey{spec, format}] = written{text, `"` + hex.EncodeToString(sum[:16]) + `"`}
		}
	}
	return texts, nil
}

// Serve answers a GET or HEAD request with the document in a format. The query parameter version selects the version of
// OpenAPI; its default is 3.1. A client whose If-None-Match has the document's ETag gets the status 304. If Serve
// returns an error, such as a problem of the kind InvalidType for an unknown version, it has written nothing.
func (d *Documents) Serve(w http.ResponseWriter, r *http.Request, format Format) error {
	texts, err := d.load()
	if err != nil {
		return err
	}
	spec := Spec(r.URL.Query().Get("version"))
	if spec == "" {
		spec = Spec31
	}
	doc, ok := texts[documentKey{spec, format}]
	if !ok {
		return problem.New(problem.InvalidType, "Invalid value for 'version': %.20q. Use 3.1 or 3.0.", string(spec)).
			At("version")
	}
	controller := http.NewResponseController(w)
	// The error means only that w does not support deadlines.
	_ = controller.SetWriteDeadline(time.Now().Add(documentTime))
	w.Header().Set("Content-Type", "application/"+string(format))
	w.Header().Set("ETag", doc.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc.text))
	_ = controller.Flush()                       // the client may have disconnected
	_ = controller.SetWriteDeadline(time.Time{}) // the connection may serve further requests
	return nil
}
