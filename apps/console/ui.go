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
	// pagePolicy is the content security policy of the pages. Styles that are made
	// at run time carry the nonce; scripts come as files alone.
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; connect-src 'self'; img-src 'self' data:; " +
		"font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	// noncePlace is where index.html has the nonce.
	noncePlace = "__CSP_NONCE__"

	indexFile    = "index.html"
	assetsFolder = "assets/"
	forEver      = "public, max-age=31536000, immutable"
)

// pages serves the application's files, and for every other path its one page,
// which reads the path itself.
type pages struct {
	files   fs.FS
	index   []byte
	missing http.Handler
}

// newPages returns the pages among files, or where they were not built the one
// that says so. missing answers for files that are not there.
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

// unbuilt serves the page that stands in for the application.
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

// ServeHTTP answers GET and HEAD.
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

// isFile reports whether name is a file to be served as it is.
func (p *pages) isFile(name string) bool {
	if name == indexFile || strings.HasPrefix(path.Base(name), ".") || !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(p.files, name)
	return err == nil && info.Mode().IsRegular()
}

// serve sends a file, compressed where there is a compressed one and the client takes it.
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

// page sends the one page under a policy with a nonce of its own.
func (p *pages) page(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	w.Header().Set("Content-Security-Policy", strings.Replace(pagePolicy, "NONCE", nonce, 1))
	page := bytes.Replace(p.index, []byte(noncePlace), []byte(nonce), 1)
	http.ServeContent(w, r, indexFile, time.Time{}, bytes.NewReader(page))
}
