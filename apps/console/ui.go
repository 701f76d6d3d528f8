package console

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed static
var static embed.FS

const (
	// pagePolicy is the content security policy of the pages. Scripts must be files of this origin. Style
	// elements that libraries create at run time are allowed if they carry the nonce, which replaces NONCE.
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; connect-src 'self'; img-src 'self' data:; " +
		"font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	// noncePlace is the placeholder for the nonce in index.html.
	noncePlace = "__CSP_NONCE__"

	indexFile    = "index.html"
	assetsFolder = "assets/"                             // its files have a hash of their content in their names
	forEver      = "public, max-age=31536000, immutable" // Cache-Control of these files
)

// pages serves the files of the single-page application. For every other
// path it serves index.html, whose router reads the path in the browser.
type pages struct {
	files   fs.FS
	index   []byte
	missing http.Handler // serves the error for a file that does not exist
}

// newPages returns a handler for the built application in files. If it was not built, the
// handler serves a page that says so. missing serves requests for files that do not exist.
func newPages(files fs.FS, missing http.Handler) (http.Handler, error) {
	index, err := fs.ReadFile(files, indexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return unbuilt(missing), nil
	}
	if err != nil {
		return nil, err
	}
	return &pages{files: files, index: index, missing: missing}, nil
}

// unbuilt returns the handler that replaces the application if it was not built.
func unbuilt(missing http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.ServeFileFS(w, r, static, "static/index.html")
		case "/style.css":
			http.ServeFileFS(w, r, static, "static/style.css")
		default:
			missing.ServeHTTP(w, r)
		}
	})
}

// ServeHTTP serves GET and HEAD. A missing file below assets/ is an error and
// not the page: a browser with an old page must not take HTML for a script.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	hashed := strings.HasPrefix(name, assetsFolder)
	switch {
	case p.isFile(name):
		if hashed {
			w.Header().Set("Cache-Control", forEver)
		}
		p.serve(w, r, name)
	case hashed:
		p.missing.ServeHTTP(w, r)
	default:
		p.page(w, r)
	}
}

// isFile reports whether name is a regular file that may be served
// unchanged: not index.html, which needs a nonce, and no hidden file.
func (p *pages) isFile(name string) bool {
	if name == indexFile || strings.HasPrefix(path.Base(name), ".") || !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(p.files, name)
	return err == nil && info.Mode().IsRegular()
}

// serve sends a file. It sends the version that the build has
// compressed, if there is one and the client accepts gzip.
func (p *pages) serve(w http.ResponseWriter, r *http.Request, name string) {
	packed, err := fs.ReadFile(p.files, name+".gz")
	if err != nil || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		http.FileServerFS(p.files).ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Content-Encoding", "gzip")
	h.Set("Vary", "Accept-Encoding")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(packed))
}

// page sends index.html with a new nonce in the page and in its content security policy.
func (p *pages) page(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	w.Header().Set("Content-Security-Policy", strings.Replace(pagePolicy, "NONCE", nonce, 1))
	page := bytes.Replace(p.index, []byte(noncePlace), []byte(nonce), 1)
	http.ServeContent(w, r, indexFile, time.Time{}, bytes.NewReader(page))
}
