package console

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/language"
)

//go:embed static
var static embed.FS

const (
	// pagePolicy is the content security policy of the pages. Scripts must be files of this origin. Style
	// elements that libraries create at run time are allowed if they carry the nonce, which replaces NONCE.
	// The pages may connect only to this origin, except the API reference: its calls go to the relay, which replaces
	// RELAY.
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; connect-src 'self'RELAY; " +
		"img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'"
	// noncePlace is the placeholder for the nonce in the HTML files.
	noncePlace = "__CSP_NONCE__"

	indexFile = "index.html"
	// The page where users sign in, which loads without the rest of the application.
	signIn       = "sign-in"
	reference    = "reference"                           // the API reference; its subpages have paths below
	assetsFolder = "assets/"                             // its files have a hash of their content in their names
	forEver      = "public, max-age=31536000, immutable" // Cache-Control of these files
)

// pages serves the files of the single-page application. For every other
// path it serves index.html, whose router reads the path in the browser, or the page of the sign-in, which
// leads back to the path after the sign-in. The overview, which users open most, has pages of its own.
type pages struct {
	files    fs.FS
	index    []byte
	signIn   map[language.Tag][]byte // as it looks at first, without its code
	overview map[language.Tag][]byte // index.html with links to all that the overview loads
	relayURL func() string           // base URL of the relay, or "" if it is not known
	cookie   string                  // name of the session cookie
	notFound http.Handler            // serves the error for a file that does not exist
}

// newPages returns a handler for the built application in files. If it was not built, the
// handler serves a page that says so. cookie is the name of the session cookie; notFound serves requests for files that
// do not exist.
func newPages(files fs.FS, relayURL func() string, cookie string, notFound http.Handler) (http.Handler, error) {
	index, err := fs.ReadFile(files, indexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return unbuilt(notFound), nil
	}
	if err != nil {
		return nil, err
	}
	p := &pages{files: files, index: index, relayURL: relayURL, cookie: cookie, notFound: notFound}
	if p.signIn, err = readEach(files, signIn); err != nil {
		return nil, err
	}
	if p.overview, err = readEach(files, "overview"); err != nil {
		return nil, err
	}
	return p, nil
}

// readEach reads the page in each language.
func readEach(files fs.FS, page string) (map[language.Tag][]byte, error) {
	documents := map[language.Tag][]byte{}
	for _, tag := range language.All() {
		document, err := fs.ReadFile(files, page+"."+string(tag)+".html")
		if err != nil {
			return nil, err
		}
		documents[tag] = document
	}
	return documents, nil
}

// unbuilt returns the handler that replaces the application if it was not built.
func unbuilt(notFound http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.ServeFileFS(w, r, static, "static/index.html")
		case "/style.css":
			http.ServeFileFS(w, r, static, "static/style.css")
		default:
			notFound.ServeHTTP(w, r)
		}
	})
}

// ServeHTTP serves GET and HEAD. A missing file below assets/ is an error and
// not the page: a browser with an old page must not take HTML for a script.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	isAsset := strings.HasPrefix(name, assetsFolder)
	switch {
	case p.isFile(name):
		if isAsset {
			w.Header().Set("Cache-Control", forEver)
		}
		p.serve(w, r, name)
	case isAsset:
		p.notFound.ServeHTTP(w, r)
	default:
		p.page(w, r, name)
	}
}

// isFile reports whether name is a regular file that may be served
// unchanged: not the pages, which need a nonce, and no hidden file.
func (p *pages) isFile(name string) bool {
	if path.Ext(name) == ".html" || strings.HasPrefix(path.Base(name), ".") || !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(p.files, name)
	return err == nil && info.Mode().IsRegular()
}

// encodings are the compressed versions of files that the build may have written, the smaller one first.
var encodings = []struct{ name, extension string }{{"br", ".br"}, {"gzip", ".gz"}}

// serve sends a file. It sends the smallest version that the build has compressed and the client
// accepts. The ETag is a hash of what is sent, so that browsers revalidate files whose names have none.
func (p *pages) serve(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	file := name
	for _, encoding := range encodings {
		if _, err := fs.Stat(p.files, name+encoding.extension); err != nil {
			continue // files that do not compress well have no such version
		}
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), encoding.name) {
			h.Set("Content-Encoding", encoding.name)
			file = name + encoding.extension
			break
		}
	}
	content, err := fs.ReadFile(p.files, file)
	if err != nil {
		p.notFound.ServeHTTP(w, r)
		return
	}
	sum := sha256.Sum256(content)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// page sends one of the pages with a new nonce in the page and in its content security policy.
func (p *pages) page(w http.ResponseWriter, r *http.Request, name string) {
	nonce, relay := rand.Text(), ""
	if name == reference || strings.HasPrefix(name, reference+"/") {
		relay = relaySource(p.relayURL())
	}
	w.Header().Set("Content-Security-Policy", strings.NewReplacer("NONCE", nonce, "RELAY", relay).Replace(pagePolicy))
	w.Header().Set("Vary", "Cookie, Accept-Language")
	document, tag := p.index, likelyLanguage(r.Header.Get("Accept-Language"))
	switch {
	case p.needsSignIn(r, name):
		document = p.signIn[tag]
	case name == "":
		document = p.overview[tag]
	}
	page := bytes.ReplaceAll(document, []byte(noncePlace), []byte(nonce))
	http.ServeContent(w, r, indexFile, time.Time{}, bytes.NewReader(page))
}

// likelyLanguage returns the first language of a header Accept-Language that the console has. The pages decide for
// themselves, also by what the user has chosen: a wrong guess makes them load their messages later.
func likelyLanguage(header string) language.Tag {
	for choice := range strings.SplitSeq(header, ",") {
		choice, _, _ = strings.Cut(choice, ";")
		for _, tag := range language.All() {
			if strings.EqualFold(primary(strings.TrimSpace(choice)), primary(string(tag))) {
				return tag
			}
		}
	}
	return language.English
}

// primary returns the first part of a tag, such as zh of zh-Hans.
func primary(tag string) string {
	subtag, _, _ := strings.Cut(tag, "-")
	return subtag
}

// needsSignIn reports whether name is the sign-in page, or a page that needs a session when the browser has no session
// cookie. It does not check the session: the API does.
func (p *pages) needsSignIn(r *http.Request, name string) bool {
	segment, _, _ := strings.Cut(name, "/")
	switch segment {
	case signIn:
		return true
	case reference, "confirmed", "password-reset", "invitation":
		return false
	}
	_, err := r.Cookie(p.cookie)
	return err != nil
}

// relaySource returns the origin of the relay as a source of a content security policy,
// with a space before it; "" if the URL has no origin.
func relaySource(relayURL string) string {
	base, err := url.Parse(relayURL)
	if err != nil || base.Scheme == "" || base.Host == "" {
		return ""
	}
	return " " + base.Scheme + "://" + base.Host
}
