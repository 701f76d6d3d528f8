// Package issuer is an OpenID Connect issuer for tests, built on Ory Fosite. It has a fixed set of users and a
// page on which they sign in.
package issuer

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/openid"
	"github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"
)

// Person is a user of the issuer.
type Person struct {
	Subject, Email, Password string
	Verified                 bool // whether the issuer reports the email address as verified
}

// Client is a program that users sign in to through the issuer.
type Client struct {
	ID, Secret, RedirectURI string
}

// Issuer is a running issuer. Close stops it. It is safe for concurrent use.
type Issuer struct {
	*httptest.Server
	key      *jose.JSONWebKey
	provider fosite.OAuth2Provider
	clients  *storage.MemoryStore

	mu     sync.Mutex
	people map[string]Person // by email address
}

// New starts an issuer on 127.0.0.1.
func New(people ...Person) (*Issuer, error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	i := &Issuer{
		key:     &jose.JSONWebKey{Key: private, KeyID: "signing", Algorithm: "RS256", Use: "sig"},
		clients: storage.NewMemoryStore(), people: map[string]Person{},
	}
	for _, person := range people {
		i.people[person.Email] = person
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.describe)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("/authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewServer(mux)
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	i.provider = compose.ComposeAllEnabled(&fosite.Config{
		IDTokenIssuer: i.URL, GlobalSecret: secret, EnforcePKCE: true, AccessTokenLifespan: time.Minute,
	}, i.clients, i.key)
	return i, nil
}

// Register adds a client.
func (i *Issuer) Register(ctx context.Context, c Client) error {
	hash, err := (&fosite.BCrypt{Config: &fosite.Config{HashCost: 4}}).Hash(ctx, []byte(c.Secret))
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.clients.Clients[c.ID] = &fosite.DefaultClient{
		ID: c.ID, Secret: hash, RedirectURIs: []string{c.RedirectURI},
		GrantTypes: []string{"authorization_code"}, ResponseTypes: []string{"code"},
		Scopes: []string{"openid", "email"},
	}
	return nil
}

// describe serves the discovery document.
func (i *Issuer) describe(w http.ResponseWriter, _ *http.Request) {
	write(w, map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		"jwks_uri":                 i.URL + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"code_challenge_methods_supported":      []string{"S256"},
	})
}

// keys serves the public signing key.
func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	write(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{i.key.Public()}})
}

func write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // fails if the client has disconnected
}

var page = template.Must(template.New("").Parse(
	`<form method="post" action="{{.}}"><input name="email"><input name="password" type="password"><button>Sign in</button></form>`))

// authorize shows the sign-in page. After a correct sign-in it redirects back to the client with a code.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	request, err := i.provider.NewAuthorizeRequest(r.Context(), r)
	if err != nil {
		i.provider.WriteAuthorizeError(r.Context(), w, request, err)
		return
	}
	i.mu.Lock()
	person, ok := i.people[r.PostFormValue("email")]
	i.mu.Unlock()
	if !ok || person.Password != r.PostFormValue("password") {
		_ = page.Execute(w, r.URL.RequestURI())
		return
	}
	for _, scope := range request.GetRequestedScopes() {
		request.GrantScope(scope)
	}
	response, err := i.provider.NewAuthorizeResponse(r.Context(), request, sessionOf(person))
	if err != nil {
		i.provider.WriteAuthorizeError(r.Context(), w, request, err)
		return
	}
	i.provider.WriteAuthorizeResponse(r.Context(), w, request, response)
}

// sessionOf returns the session of a user, with the claims of the ID token.
func sessionOf(p Person) *openid.DefaultSession {
	now := time.Now()
	return &openid.DefaultSession{
		Subject: p.Subject, Username: p.Email, Headers: &jwt.Headers{},
		Claims: &jwt.IDTokenClaims{
			Subject: p.Subject, IssuedAt: now, RequestedAt: now, AuthTime: now,
			Extra: map[string]any{"email": p.Email, "email_verified": p.Verified},
		},
	}
}

// token exchanges a code for tokens.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	request, err := i.provider.NewAccessRequest(r.Context(), r, openid.NewDefaultSession())
	if err != nil {
		i.provider.WriteAccessError(r.Context(), w, request, err)
		return
	}
	response, err := i.provider.NewAccessResponse(r.Context(), request)
	if err != nil {
		i.provider.WriteAccessError(r.Context(), w, request, fmt.Errorf("issue the tokens: %w", err))
		return
	}
	i.provider.WriteAccessResponse(r.Context(), w, request, response)
}
