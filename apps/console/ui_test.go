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
	"assets/app-1.js.br": {Data: []byte("packed more")},

	"sign-in.en.html": {Data: []byte(
		`<meta nonce="__CSP_NONCE__"><script src="/assets/sign-in-1.js"></script><h1>Sign in</h1>`)},
	"sign-in.zh-Hans.html": {Data: []byte(
		`<meta nonce="__CSP_NONCE__"><script src="/assets/sign-in-1.js"></script><h1>登录</h1>`)},

	"overview.en.html": {Data: []byte(
		`<meta nonce="__CSP_NONCE__"><script src="/assets/app-1.js"></script><link href="/assets/en-1.js">`)},
	"overview.zh-Hans.html": {Data: []byte(
		`<meta nonce="__CSP_NONCE__"><script src="/assets/app-1.js"></script><link href="/assets/zh-1.js">`)},

	"reference/openapi.json":    {Data: []byte(`{"openapi":"3.1.0"}`)},
	"reference/openapi.json.gz": {Data: []byte("packed")},
	".gitkeep":                  {},
}

// ask returns the response of the pages in files to a GET with the headers, given as names and values.
func ask(t *testing.T, files fstest.MapFS, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	return askWith(t, files, "https://relay.example/gateway", path, header...)
}

// askWith is ask with the base URL of the relay.
func askWith(t *testing.T, files fstest.MapFS, relayURL, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	pages, err := newPages(files, func() string { return relayURL }, "session", http.NotFoundHandler())
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
	for _, path := range []string{"/", "/index.html", "/tokens", "/usage-logs/0199", "/a/../b", "/.gitkeep",
		"/%2e%2e/etc/passwd"} {
		w := ask(t, built, path, "Cookie", "session=x")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "/assets/app-1.js") {
			t.Errorf("%s: got %d %s, want the page", path, w.Code, w.Body)
		}
	}
}

func TestPages_ServeTheSignInToBrowsersWithoutASession(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/": "sign-in", "/tokens": "sign-in", "/sign-in": "sign-in", "/sign-in.html": "sign-in",
		"/operator/tenants/1": "sign-in", "/references": "sign-in",
		"/reference/createChatCompletion": "app", "/confirmed": "app", "/password-reset": "app", "/invitation": "app",
	} {
		w := ask(t, built, path, "Cookie", "other=x")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "/assets/"+want+"-1.js") ||
			w.Header().Get("Vary") != "Cookie, Accept-Language" {
			t.Errorf("%s: got %d %s %v, want the page of %s, which varies by cookie and language", path, w.Code, w.Body,
				w.Header(), want)
		}
	}
	if w := ask(t, built, "/sign-in", "Cookie", "session=x"); !strings.Contains(w.Body.String(),
		"/assets/sign-in-1.js") {
		t.Errorf("/sign-in with a session: got %s, want the sign-in", w.Body)
	}
}

func TestPages_ShowTheSignInInTheLanguageOfTheBrowser(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]string{
		"": "Sign in", "fr": "Sign in", "zh-CN,zh;q=0.9": "登录", "fr-FR,fr;q=0.9, zh-TW;q=0.8,en;q=0.7": "登录",
		"en-GB;q=1,zh": "Sign in", "zhx,*": "Sign in", ",;": "Sign in",
	} {
		if w := ask(t, built, "/sign-in", "Accept-Language", accepted); !strings.Contains(w.Body.String(), want) {
			t.Errorf("in %q: got %s, want %s", accepted, w.Body, want)
		}
	}
}

func TestPages_NameWhatTheOverviewLoads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, accepted, want string }{
		{"/", "en-US,en;q=0.9", "/assets/en-1.js"},
		{"/", "zh-CN,zh;q=0.9,en;q=0.8", "/assets/zh-1.js"},
		{"/", "ZH", "/assets/zh-1.js"},
		{"/", "fr", "/assets/en-1.js"},
		{"/", "", "/assets/en-1.js"},
	} {
		w := ask(t, built, c.path, "Cookie", "session=x", "Accept-Language", c.accepted)
		if !strings.Contains(w.Body.String(), c.want) || strings.Contains(w.Body.String(), "__CSP_NONCE__") {
			t.Errorf("%s in %q: got %s, want a link to %s and a nonce", c.path, c.accepted, w.Body, c.want)
		}
	}
	for _, path := range []string{"/tokens", "/overview.en.html", "/overview"} {
		if w := ask(t, built, path, "Cookie", "session=x"); strings.Contains(w.Body.String(), "<link") ||
			strings.Contains(w.Body.String(), "__CSP_NONCE__") {
			t.Errorf("%s: got %s, want a page without links, with a nonce", path, w.Body)
		}
	}
}

func TestPages_HaveANewNonceEachTime(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	inPage, inPolicy := regexp.MustCompile(`nonce="(\w+)"`), regexp.MustCompile(`'nonce-(\w+)'`)
	for range 10 {
		w := ask(t, built, "/")
		page, policy := inPage.FindStringSubmatch(w.Body.String()),
			inPolicy.FindStringSubmatch(w.Header().Get("Content-Security-Policy"))
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
	if best := ask(t, built, "/assets/app-1.js", "Accept-Encoding", "gzip, deflate, br, zstd"); best.Body.String() !=
		"packed more" || best.Header().Get("Content-Encoding") != "br" {
		t.Errorf("with br and gzip: got %s %v, want the smaller file", best.Body, best.Header())
	}
	packed := ask(t, built, "/assets/app-1.js", "Accept-Encoding", "gzip")
	if packed.Body.String() != "packed" || packed.Header().Get("Content-Encoding") != "gzip" ||
		packed.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("with gzip: got %s %v, want the compressed file", packed.Body, packed.Header())
	}
	if kind := packed.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("got Content-Type %q, want text/javascript", kind)
	}
	if got := ask(t, built, "/robots.txt"); got.Code != http.StatusOK ||
		strings.Contains(got.Header().Get("Cache-Control"), "immutable") {
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

func TestPages_OnlyTheReferenceMayConnectToTheRelay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, relayURL, want string }{
		{"/reference", "https://relay.example/gateway", "connect-src 'self' https://relay.example;"},
		{"/reference/", "http://127.0.0.1:8080", "connect-src 'self' http://127.0.0.1:8080;"},
		{"/reference/createChatCompletion", "https://relay.example", "connect-src 'self' https://relay.example;"},
		{"/reference", "", "connect-src 'self';"},
		{"/references", "https://relay.example", "connect-src 'self';"},
		{"/", "https://relay.example", "connect-src 'self';"},
		{"/tokens/reference", "https://relay.example", "connect-src 'self';"},
	} {
		if policy := askWith(t, built, c.relayURL, c.path).Header().
			Get("Content-Security-Policy"); !strings.Contains(policy, c.want) {
			t.Errorf("%s with the relay at %q: got %s, want %s", c.path, c.relayURL, policy, c.want)
		}
	}
}

func TestReferenceDocument_IsRevalidatedByItsETag(t *testing.T) {
	t.Parallel()
	const path = "/reference/openapi.json"
	plain, packed := ask(t, built, path), ask(t, built, path, "Accept-Encoding", "gzip")
	if plain.Body.String() != `{"openapi":"3.1.0"}` || plain.Header().Get("Content-Type") != "application/json" {
		t.Errorf("without gzip: got %s %v, want the document as JSON", plain.Body, plain.Header())
	}
	if packed.Body.String() != "packed" || packed.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("with gzip: got %s %v, want the compressed document", packed.Body, packed.Header())
	}
	etag := plain.Header().Get("ETag")
	if etag == "" || etag == packed.Header().Get("ETag") {
		t.Errorf("got the ETags %q and %q, want one for each encoding", etag, packed.Header().Get("ETag"))
	}
	if known := ask(t, built, path, "If-None-Match", etag); known.Code != http.StatusNotModified ||
		known.Body.Len() > 0 {
		t.Errorf("with If-None-Match: got %d %s, want 304 without a body", known.Code, known.Body)
	}
	if changed := ask(t, built, path, "If-None-Match", `"of another version"`); changed.Code != http.StatusOK {
		t.Errorf("with another ETag: got %d, want 200", changed.Code)
	}
}
