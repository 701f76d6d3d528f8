package console_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	alertdb "github.com/tollgate/tollgate/libs/store/alert"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

const (
	password   = "correct horse battery"
	credential = "sk-upstream-credential-0123456789"
)

// cheap is the cost of the passwords in most tests: hashing is slow on purpose.
var cheap = seal.PasswordCost{Memory: 64, Passes: 1}

var system = tenant.SystemScope("test")

var storePage = page.Page{Limit: 200}

// stack is a console that serves over HTTP on a new database, with seeded
// tenants, users and a channel. It embeds the test, so that helpers can fail it.
type stack struct {
	*testing.T
	store       *store.Store
	hash        string // see hashed
	database    string // URL of the database
	url         string
	close       func() // stops the server and waits for its requests
	app         *console.Console
	secret      config.Secret
	config      config.Config
	cost        seal.PasswordCost         // of passwords
	patience    time.Duration             // of the console; 0: the usual one
	relay       atomic.Pointer[string]    // URL of the relay that the console uses; nil: not known
	clockOffset atomic.Int64              // nanoseconds by which the stack's clock is ahead of the real one
	stopped     atomic.Pointer[time.Time] // time at which the clock was stopped; nil: it runs
	log         *slog.Logger              // nil: the log of the test
	tracer      trace.Tracer              // nil: no traces

	group    tenant.Group
	channel  catalog.Channel
	operator tenant.User
	acme     company
	globex   company

	attacked atomic.Uint32 // attacks that were sent
	woken    waker         // records the tasks for which the console woke a worker
}

// company is a tenant with a user of each role. The other resources belong to the member.
type company struct {
	tenant.Tenant
	owner, admin, member tenant.User
	token                token.Token
	passkey              signin.Passkey
	identity             signin.Identity
	log                  usage.Log
	job                  job.Job
	invitation           identity.Invitation
	key                  token.AccessKey // with write access
	keyValue             string
}

// setup returns a stack on a new SQLite database.
func setup(t *testing.T) *stack {
	t.Helper()
	return setupOn(t, storetest.SQLite(t))
}

// setupWith returns a stack on a new SQLite database with the given configuration.
func setupWith(t *testing.T, c config.Config) *stack {
	t.Helper()
	return setupFor(t, storetest.SQLite(t), c)
}

// setupOn returns a stack on the given database.
func setupOn(t *testing.T, database string) *stack {
	t.Helper()
	return setupFor(t, database, config.Config{ConsoleURL: "http://localhost:8081"})
}

// setupFor returns a seeded stack on the given database with the given configuration.
func setupFor(t *testing.T, database string, c config.Config) *stack {
	t.Helper()
	s := &stack{T: t, secret: config.Secret{1}, config: c, cost: cheap}
	s.openOn(database)
	return s
}

// openOn opens the database, serves and seeds it.
func (s *stack) openOn(database string) {
	s.Helper()
	s.database = database
	s.store = storetest.Open(s.T, db.Options{URL: database, Log: slog.New(slog.DiscardHandler), Now: s.now})
	s.serve()
	s.seed()
}

func (s *stack) now() time.Time {
	now := time.Now()
	if stopped := s.stopped.Load(); stopped != nil {
		now = *stopped
	}
	return now.Add(time.Duration(s.clockOffset.Load()))
}

// stopClock stops the clock of the console and of the store, so that no allowance
// refills during a test, however slow the machine is.
func (s *stack) stopClock() {
	now := time.Now()
	s.stopped.Store(&now)
}

// advance moves the clock of the console and of the store forward.
func (s *stack) advance(d time.Duration) { s.clockOffset.Add(int64(d)) }

// serve starts a console with the stack's current configuration.
// Tests call it again after they have changed the configuration.
func (s *stack) serve() {
	s.Helper()
	s.config.SecretKey, s.config.SessionTTL = s.secret, time.Hour
	if s.config.ConfirmAmount == 0 {
		s.config.ConfirmAmount = 1000 * money.USD
	}
	log := s.log
	if log == nil {
		log = slog.New(slog.NewTextHandler(s.Output(), nil))
	}
	app, err := console.New(console.Options{
		Config: s.config, Store: s.store,
		Log: log, Registry: prometheus.NewRegistry(), Now: s.now, Tracer: s.tracer,
		RelayURL: s.relayURL, Queue: &s.woken, PasswordCost: s.cost, Patience: s.patience,
	})
	s.must(err)
	s.app = app
	server := httptest.NewServer(app)
	s.Cleanup(server.Close)
	s.url, s.close = server.URL, server.Close
}

func (s *stack) relayURL() string {
	if url := s.relay.Load(); url != nil {
		return *url
	}
	return ""
}

// must fails the test if err is not nil.
func (s *stack) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// seed creates a group, a model with a price, a channel, an operator and two companies.
func (s *stack) seed() {
	s.Helper()
	ctx := s.Context()
	var err error
	s.group, err = s.store.Catalog.CreateGroup(ctx, system, "default", []string{"*"})
	s.must(err)
	_, err = s.store.Catalog.CreateRule(ctx, system, pricing.Rule{GroupID: s.group.ID, Multiplier: 850_000_000})
	s.must(err)
	_, err = s.store.Catalog.CreateModel(ctx, system,
		catalog.Model{ID: "gpt-4o-mini", OwnedBy: "openai", Status: tenant.Enabled},
		pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("0.15"), CachedInput: usd("0.075"),
			Output: usd("0.60")}})
	s.must(err)
	key, err := seal.New(s.secret).SealCredential(credential)
	s.must(err)
	s.channel, err = s.store.Catalog.CreateChannel(ctx, system, catalog.Channel{
		Name: "main", Type: "openai", BaseURL: "https://upstream.example/v1", Credentials: []catalog.SealedSecret{key},
		Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{"gpt-4o-mini": "upstream-mini"}, Weight: 1,
		Status: tenant.Enabled,
	})
	s.must(err)
	_, err = s.store.Invoice.CreateAccount(ctx, system, invoice.Account{Name: "upstream", Provider: invoice.OpenAI,
		Status: tenant.Disabled, Channels: []uuid.UUID{s.channel.ID}}, nil)
	s.must(err)
	s.operator, err = s.store.Identity.CreateUser(ctx, storetest.Confirmed(system),
		identity.NewUser{Email: "operator@example.com", PasswordHash: s.hashed(), Role: tenant.Operator})
	s.must(err)
	s.acme, s.globex = s.company("acme"), s.company("globex")
}

func (s *stack) company(slug string) (c company) {
	s.Helper()
	var err error
	c.Tenant, err = s.store.Identity.CreateTenant(s.Context(), system,
		identity.NewTenant{Slug: slug, Name: strings.ToUpper(slug), Quota: 10 * money.USD})
	s.must(err)
	c.owner = s.user(c.ID, "owner@"+slug+".example", tenant.Owner)
	c.admin = s.user(c.ID, "admin@"+slug+".example", tenant.Admin)
	c.member = s.user(c.ID, "member@"+slug+".example", tenant.Member)
	id := uuid.Must(uuid.NewV7())
	value := token.New(id)
	c.token, err = s.store.Token.CreateToken(s.Context(), system, tokendb.NewToken{
		Token: token.Token{ID: id, TenantID: c.ID, UserID: c.member.ID, Name: "ci of " + slug, Mask: token.Mask(value),
			Status: token.Enabled},
		Hash: token.HashOf(seal.New(s.secret).Pepper(), value), Cap: usd("1"),
	})
	s.must(err)
	c.passkey, err = s.store.Signin.CreatePasskey(s.Context(), storetest.Confirmed(tenant.ScopeOf(c.member)),
		signin.Passkey{
			CredentialID: []byte(slug), Name: "laptop of " + slug, Credential: []byte("{}"),
		})
	s.must(err)
	s.must(s.store.Signin.LinkIdentity(s.Context(), system,
		signin.Identity{UserID: c.member.ID, Issuer: "https://old.example", Subject: slug, Email: c.member.Email}))
	linked, err := s.store.Signin.Identities(s.Context(), tenant.ScopeOf(c.member))
	s.must(err)
	c.identity = linked[0]
	c.log = s.call(&c, usage.Usage{Input: 7})
	c.job, err = s.store.Job.CreateJob(s.Context(), tenant.ScopeOf(c.member), jobdb.NewJob{
		Kind: job.UsageExport, Parameters: job.ExportParameters{Format: job.CSV, TokenID: c.token.ID, To: time.Now()},
	})
	s.must(err)
	c.invitation, err = s.store.Identity.CreateInvitation(s.Context(), storetest.Confirmed(system),
		identity.NewInvitation{
			TenantID: c.ID, Email: "guest@" + slug + ".example", Role: tenant.Member, GroupID: s.group.ID,
			Hash: seal.NewSecret().Hash, ExpiresAt: time.Now().Add(time.Hour),
		})
	s.must(err)
	c.key, c.keyValue = s.accessKey(c.member)
	s.alertsOf(&c)
	return c
}

// alertsOf gives the company a destination of alerts, a rule, and an alert whose delivery has failed.
func (s *stack) alertsOf(c *company) {
	s.Helper()
	by := tenant.ScopeOf(c.owner)
	hook, err := s.store.Alert.CreateDestination(s.Context(), by, alertdb.NewDestination{
		ID: uuid.Must(uuid.NewV7()), Channel: alert.Webhook, Name: "pager of " + c.Slug,
		Shown: "https://" + c.Slug + ".example", URL: []byte("sealed"), Secret: []byte("sealed"),
	})
	s.must(err)
	_, err = s.store.Alert.CreateRule(s.Context(), by, alert.Rule{Name: "quota of " + c.Slug, Kind: alert.QuotaUsed,
		Subject: alert.OfTenant, Thresholds: []int{80}, Destinations: []uuid.UUID{hook.ID}})
	s.must(err)
	_, err = s.store.Alert.TestDestination(s.Context(), by, hook.ID)
	s.must(err)
	claim, err := s.store.Alert.ClaimDelivery(s.Context(), system, time.Hour)
	s.must(err)
	s.must(s.store.Alert.End(s.Context(), system, claim, "given up"))
}

// hashed returns the hash of password that all users of the stack have.
func (s *stack) hashed() string {
	s.Helper()
	if s.hash == "" {
		var err error
		s.hash, err = seal.HashPassword(password, s.cost)
		s.must(err)
	}
	return s.hash
}

func (s *stack) user(tenantID uuid.UUID, email string, role tenant.Role) tenant.User {
	s.Helper()
	u, err := s.store.Identity.CreateUser(s.Context(), storetest.Confirmed(system), identity.NewUser{
		TenantID: tenantID, Email: email, PasswordHash: s.hashed(), Role: role, GroupID: s.group.ID,
	})
	s.must(err)
	return u
}

// call records a successful call of the company's member, charged in the same way as by a relay.
func (s *stack) call(c *company, counts usage.Usage) usage.Log {
	s.Helper()
	snapshot, err := s.store.Catalog.Snapshot(s.Context(), system)
	s.must(err)
	terms, _ := snapshot.Book.Terms("gpt-4o-mini", s.group.ID, time.Now())
	cost, err := terms.Cost(counts)
	s.must(err)
	l := usage.Log{
		ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now(), TenantID: c.ID, UserID: c.member.ID, TokenID: c.token.ID,
		GroupID: s.group.ID, ChannelID: s.channel.ID, RelayID: uuid.Must(uuid.NewV7()),
		Model: "gpt-4o-mini", UpstreamModel: "upstream-mini", Dialect: "chat", Outcome: usage.Success, Status: 200,
		Usage: counts, PriceID: terms.Price.ID, RuleID: terms.Rule.ID, Cost: cost, Quota: cost,
		Attempts: []usage.Attempt{{ChannelID: s.channel.ID, Status: 503, Error: "upstream_error",
			Elapsed: time.Millisecond}, {ChannelID: s.channel.ID, Status: 200}},
		Latency: 250 * time.Millisecond, FirstByte: 40 * time.Millisecond,
	}
	inserted, err := s.store.Metering.RecordEvents(s.Context(), system, l.RelayID, []usage.Event{{Log: l}})
	s.must(err)
	if inserted != 1 {
		s.Fatalf("recorded %d events, want 1", inserted)
	}
	return l
}

// accessKey creates an access key of the user that may write, with all scopes that the user's role permits, and returns
// it with its value.
func (s *stack) accessKey(u tenant.User) (token.AccessKey, string) {
	s.Helper()
	return s.scopedKey(u, token.AccessKey{Scopes: permission.AccessScopes(tenant.ScopeOf(u), token.WriteAccess)})
}

// scopedKey creates an access key of the user, which is like k, and returns it with its value.
func (s *stack) scopedKey(u tenant.User, k token.AccessKey) (token.AccessKey, string) {
	s.Helper()
	id := uuid.Must(uuid.NewV7())
	value := token.NewAccessKey(id)
	k.ID, k.Name, k.Mask, k.ExpiresAt = id, "ci", token.Mask(value), time.Now().Add(time.Hour)
	key, err := s.store.Token.CreateAccessKey(s.Context(), storetest.Confirmed(tenant.ScopeOf(u)), tokendb.NewAccessKey{
		AccessKey: k, Hash: token.HashOf(seal.New(s.secret).Pepper(), value),
	})
	s.must(err)
	return key, value
}

func usd(s string) *money.Amount {
	a, err := money.Parse(s)
	if err != nil {
		panic(err)
	}
	return &a
}

// client sends requests to the console, with a session cookie, an access key, both or neither.
type client struct {
	*stack
	cookie string
	key    string // an access key
	peer   string // address in X-Forwarded-For, which counts if the stack trusts proxies; "" for none
	device string // value of the device cookie, "" for none
}

func (s *stack) anonymous() *client { return &client{stack: s} }

// as returns a client with a new session of the user. It creates the
// session in the store, which is faster than signing in with a password.
func (s *stack) as(u tenant.User) *client {
	s.Helper()
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	_, hash, err := s.store.Identity.UserWithPassword(s.Context(), system, u.Email)
	s.must(err)
	s.must(s.store.Signin.CreateSession(s.Context(), system, signin.NewSession{
		UserID: u.ID, PasswordHash: hash, Hash: sha256.Sum256(raw[:]), ExpiresAt: time.Now().Add(time.Hour),
	}))
	return &client{stack: s, cookie: base64.RawURLEncoding.EncodeToString(raw[:])}
}

// reply is a response with its body. body is nil unless raw is a JSON object.
type reply struct {
	*http.Response
	raw  string
	body map[string]any
}

// do sends a request. A string is sent as the body unchanged; any other body is encoded as JSON.
func (c *client) do(method, path string, body any) reply {
	c.Helper()
	var reader io.Reader
	if raw, ok := body.(string); ok {
		reader = strings.NewReader(raw)
	} else if body != nil {
		raw, err := json.Marshal(body)
		c.must(err)
		reader = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, c.url+path, reader)
	c.must(err)
	if reader != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.send(request)
}

// cookieName returns the name of the session cookie.
func (s *stack) cookieName() string {
	if s.config.ConsoleSecureCookies {
		return "__Host-tollgate_session"
	}
	return "tollgate_session"
}

func (c *client) send(request *http.Request) reply {
	c.Helper()
	if c.cookie != "" {
		request.AddCookie(&http.Cookie{Name: c.cookieName(), Value: c.cookie})
	}
	if c.peer != "" {
		request.Header.Set("X-Forwarded-For", c.peer)
	}
	if c.device != "" {
		request.AddCookie(&http.Cookie{Name: "tollgate_device", Value: c.device})
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := http.DefaultClient.Do(request)
	c.must(err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	c.must(err)
	r := reply{Response: response, raw: string(raw)}
	_ = json.Unmarshal(raw, &r.body) // fails for responses that are not JSON, such as pages
	return r
}

func (c *client) get(path string) reply { c.Helper(); return c.do(http.MethodGet, path, nil) }
func (c *client) post(path string, body any) reply {
	c.Helper()
	return c.do(http.MethodPost, path, body)
}
func (c *client) patch(path string, body any) reply {
	c.Helper()
	return c.do(http.MethodPatch, path, body)
}

// want checks the status and returns the body.
func (r reply) want(t testing.TB, status int) map[string]any {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %s", r.Request.Method, r.Request.URL.Path, r.StatusCode, status, r.raw)
	}
	return r.body
}

// refused checks that the response is a problem document with the
// status, and that it names the field param; "" means no field.
func (r reply) refused(t testing.TB, status int, param string) {
	t.Helper()
	r.want(t, status)
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type = %q", got)
	}
	var want any
	if param != "" {
		want = param
	}
	if got := r.body["param"]; got != want {
		t.Errorf("%s %s: param = %v, want %q: %s", r.Request.Method, r.Request.URL.Path, got, param, r.raw)
	}
}

// as returns v as a T, and fails the test if it has another type.
func as[T any](t testing.TB, v any) T {
	t.Helper()
	typed, ok := v.(T)
	if !ok {
		t.Fatalf("%v is a %T, want a %T", v, v, typed)
	}
	return typed
}

// at returns the value at the path in a decoded body. The steps are keys of objects and indices of lists.
func at(t testing.TB, body any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			body = as[map[string]any](t, body)[step]
		case int:
			items := as[[]any](t, body)
			if step >= len(items) {
				t.Fatalf("%v: got %d items, want more than %d", path, len(items), step)
			}
			body = items[step]
		}
	}
	return body
}

// text returns the string at the path in a decoded body.
func text(t testing.TB, body any, path ...any) string {
	t.Helper()
	return as[string](t, at(t, body, path...))
}

// items returns the items of a decoded list.
func items(t testing.TB, body any) []any {
	t.Helper()
	return as[[]any](t, at(t, body, "items"))
}

// equal checks the value at the path in a decoded body.
func equal(t testing.TB, body any, want any, path ...any) {
	t.Helper()
	if got := at(t, body, path...); got != want {
		t.Errorf("%v = %v, want %v", path, got, want)
	}
}
