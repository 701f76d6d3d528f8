package e2e

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/issuer"
	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// identities is a manifest with an owner, two members and an operator.
const identities = `
groups:
  - {name: default, models: ["*"]}
tenants:
  - slug: acme
    name: Acme
    users:
      - {email: owner@acme.example, password: correct horse battery, role: owner, group: default}
      - {email: member@acme.example, password: correct horse battery, role: member, group: default}
      - {email: leaver@acme.example, password: correct horse battery, role: member, group: default}
operators:
  - {email: operator@tollgate.example, password: correct horse battery}
`

// browser is an HTTP client that keeps cookies and follows redirects.
type browser struct {
	*testing.T
	http *http.Client
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, &http.Client{Jar: jar, Timeout: story.Patience}}
}

// page is the page that a browser reached.
type page struct {
	at   *url.URL // its address
	to   string   // Location of a redirect that was not followed
	text string
}

// do sends a request, with form as its body if it is not nil, follows redirects, and returns the page.
func (b *browser) do(method, address string, form url.Values) page {
	b.Helper()
	r, err := http.NewRequestWithContext(story.Context(b.T), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.http.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return page{response.Request.URL, response.Header.Get("Location"), string(text)}
}

// action matches the target of the issuer's form.
var action = regexp.MustCompile(`action="([^"]+)"`)

// signIn starts at the console's sign-in address, fills in the issuer's form, and returns the page to which the
// console finally redirects.
func (b *browser) signIn(console, email, password string) page {
	b.Helper()
	form := b.do(http.MethodGet, console+"/api/session/oidc?return=/%3Fback", nil)
	found := action.FindStringSubmatch(form.text)
	if found == nil {
		return form
	}
	target, err := form.at.Parse(html.UnescapeString(found[1]))
	if err != nil {
		b.Fatal(err)
	}
	return b.do(http.MethodPost, target.String(), url.Values{"email": {email}, "password": {password}})
}

// whoAmI returns the email address of the signed-in user, or "".
func (b *browser) whoAmI(console string) string {
	b.Helper()
	var who consoleclient.Identity
	if err := json.Unmarshal([]byte(b.do(http.MethodGet, console+"/api/session", nil).text), &who); err != nil {
		b.Fatal(err)
	}
	return who.User.Email
}

// TestOpenIDConnect_SignsIn signs browsers in through a real issuer.
func TestOpenIDConnect_SignsIn(t *testing.T) {
	t.Parallel()
	kit := suite.build(t)
	op, err := issuer.New(
		issuer.Person{Subject: "1", Email: "member@acme.example", Password: "at the issuer", Verified: true},
		issuer.Person{Subject: "2", Email: "owner@acme.example", Password: "at the issuer"},
		issuer.Person{Subject: "3", Email: "stranger@acme.example", Password: "at the issuer", Verified: true},
		issuer.Person{Subject: "4", Email: "leaver@acme.example", Password: "at the issuer", Verified: true},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer op.Close()
	s, err := kit.Standalone(story.Context(t), stack.Options{Manifest: identities, Env: map[string]string{
		"TOLLGATE_OIDC_ISSUER": op.URL, "TOLLGATE_OIDC_CLIENT_ID": "tollgate", "TOLLGATE_OIDC_CLIENT_SECRET": "secret",
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()                                                    //nolint:errcheck // the test ends; a failure shows earlier
	console := strings.Replace(s.Console, "127.0.0.1", "localhost", 1) // the default of TOLLGATE_CONSOLE_URL
	if err := op.Register(story.Context(t), issuer.Client{ID: "tollgate", Secret: "secret",
		RedirectURI: console + "/api/session/oidc/callback"}); err != nil {
		t.Fatal(err)
	}
	admin := story.SignIn(t, s.Console, operator, everyonePassword)
	disabled := consoleclient.UserPatchStatusDisabled
	done, err := admin.UpdateUser(story.Context(t), admin.User(t, "leaver@acme.example"),
		consoleclient.UserPatch{Status: &disabled})
	story.Must(t, done, err)

	for _, row := range []struct{ email, password, path, query string }{
		{"member@acme.example", "wrong", "/authorize", ""},
		{"member@acme.example", "at the issuer", "/", "back"},
		{"member@acme.example", "at the issuer", "/", "back"}, // found by the issuer's subject this time
		{"owner@acme.example", "at the issuer", "/sign-in", "error=unverified"},
		{"stranger@acme.example", "at the issuer", "/sign-in", "error=unknown"},
		{"leaver@acme.example", "at the issuer", "/sign-in", "error=disabled"},
	} {
		b := newBrowser(t)
		reached := b.signIn(console, row.email, row.password)
		if reached.at.Path != row.path || row.query != "" && reached.at.RawQuery != row.query {
			t.Errorf("%s reached %s: %s", row.email, reached.at, reached.text)
		}
		want := ""
		if row.path == "/" {
			want = row.email
		}
		if who := b.whoAmI(console); who != want {
			t.Errorf("%s: signed in as %q", row.email, who)
		}
	}

	// Another browser cannot use the code of one browser.
	b := newBrowser(t)
	b.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), op.URL) {
			return nil
		}
		return http.ErrUseLastResponse
	}
	form := b.do(http.MethodGet, console+"/api/session/oidc", nil)
	target, err := form.at.Parse(html.UnescapeString(action.FindStringSubmatch(form.text)[1]))
	if err != nil {
		t.Fatal(err)
	}
	other := newBrowser(t)
	if reached := other.do(http.MethodPost, target.String(), url.Values{"email": {"member@acme.example"},
		"password": {"at the issuer"}}); reached.at.RawQuery != "error=expired" {
		t.Errorf("the other browser reached %s, want error=expired", reached.at)
	}

	back := b.signIn(console, "member@acme.example", "at the issuer").to
	op.Close()
	if reached := b.do(http.MethodGet, back, nil); reached.to != "/sign-in?error=unavailable" ||
		b.whoAmI(console) != "" {
		t.Errorf("without an issuer: reached %s, then %s", reached.at, reached.to)
	}
	story.SignIn(t, s.Console, "owner@acme.example", everyonePassword)
}
