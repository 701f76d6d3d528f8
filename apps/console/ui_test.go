package console

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// built is a small application, as the build writes it.
var built = fstest.MapFS{
	"index.html":         {Data: []byte(`<meta nonce="__CSP_NONCE__"><script src="/assets/app-1.js"></script>`)},
	"robots.txt":         {Data: []byte("User-agent: *")},
	"assets/app-1.js":    {Data: []byte("run()")},
	"assets/app-1.js.gz": {Data: []byte("packed")},
	".gitkeep":           {},
}

// ask returns the response of the pages in files to a GET with the headers, given as names and values.
func ask(t *testing.T, files fstest.MapFS, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	pages, err := newPages(files, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, r)
	return w
}

func TestPages_ServeIndexForEveryPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/index.html", "/tokens", "/usage-logs/0199", "/a/../b", "/.gitkeep", "/%2e%2e/etc/passwd"} {
		w := ask(t, built, path)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "/assets/app-1.js") {
			t.Errorf("%s: got %d %s, want the page", path, w.Code, w.Body)
		}
	}
}

func TestPages_HaveANewNonceEachTime(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	inPage, inPolicy := regexp.MustCompile(`nonce="(\w+)"`), regexp.MustCompile(`'nonce-(\w+)'`)
	for range 10 {
		w := ask(t, built, "/")
		page, policy := inPage.FindStringSubmatch(w.Body.String()), inPolicy.FindStringSubmatch(w.Header().Get("Content-Security-Policy"))
		if page == nil || policy == nil || page[1] != policy[1] || seen[page[1]] {
			t.Fatalf("got nonce %v in the page and %v in the policy, want equal new ones", page, policy)
		}
		seen[page[1]] = true
		if strings.Contains(w.Header().Get("Content-Security-Policy"), "unsafe") {
			t.Fatal("the policy contains unsafe")
		}
	}
}

func TestAssets_AreCachedForeverAndCompressed(t *testing.T) {
	t.Parallel()
	plain := ask(t, built, "/assets/app-1.js")
	if plain.Body.String() != "run()" || !strings.Contains(plain.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("without gzip: got %s %v, want the file, immutable", plain.Body, plain.Header())
	}
	packed := ask(t, built, "/assets/app-1.js", "Accept-Encoding", "br, gzip")
	if packed.Body.String() != "packed" || packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("with gzip: got %s %v, want the compressed file", packed.Body, packed.Header())
	}
	if kind := packed.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("got Content-Type %q, want text/javascript", kind)
	}
	if got := ask(t, built, "/robots.txt"); got.Code != http.StatusOK || strings.Contains(got.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("robots.txt: %d %v", got.Code, got.Header())
	}
	if got := ask(t, built, "/assets/app-0.js"); got.Code != http.StatusNotFound {
		t.Errorf("missing asset: got %d, want 404", got.Code)
	}
}

func TestPages_SayThatTheyWereNotBuilt(t *testing.T) {
	t.Parallel()
	empty := fstest.MapFS{".gitkeep": {}}
	if w := ask(t, empty, "/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "make ui") {
		t.Errorf("got %d %s, want 200 and a hint at make ui", w.Code, w.Body)
	}
	if w := ask(t, empty, "/style.css"); w.Code != http.StatusOK {
		t.Errorf("style sheet: got %d, want 200", w.Code)
	}
	if w := ask(t, empty, "/tokens"); w.Code != http.StatusNotFound {
		t.Errorf("another path: got %d, want 404", w.Code)
	}
}
