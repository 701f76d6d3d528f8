// Package consoletest serves a console over HTTP on a new database with seeded tenants, and sends requests to it. It is
// the fixture of the console's tests, and of no program. A test is in the folder of the code that it tests; those that
// walk over all operations are in the root package of the console.
package consoletest

import (
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const (
	// Password is the password of all users of a stack.
	Password = "correct horse battery"
	// Credential is the API key of the stack's channel.
	Credential = "sk-upstream-credential-0123456789"
)

// Cheap is the cost of the passwords in most tests: hashing is slow on purpose.
var Cheap = seal.PasswordCost{Memory: 64, Passes: 1}

// System is the scope in which the fixture works on the store: it reaches everything.
var System = tenant.SystemScope("test")

// Stack is a console that serves over HTTP on a new database, with seeded
// tenants, users and a channel. It embeds the test, so that helpers can fail it.
type Stack struct {
	*testing.T
	Store       *store.Store
	hash        string // see Hashed
	Database    string // URL of the database
	URL         string // of the console
	Close       func() // stops the server and waits for its requests
	App         *console.Console
	Secret      config.Secret
	Config      config.Config
	Cost        seal.PasswordCost         // of passwords
	patience    time.Duration             // of the console; 0: the usual one
	Relay       atomic.Pointer[string]    // URL of the relay that the console uses; nil: not known
	ClockOffset atomic.Int64              // nanoseconds by which the stack's clock is ahead of the real one
	stopped     atomic.Pointer[time.Time] // time at which the clock was stopped; nil: it runs
	Logger      *slog.Logger              // nil: the log of the test
	tracer      trace.Tracer              // nil: no traces

	Group    tenant.Group
	Channel  catalog.Channel
	Operator tenant.User
	Acme     Company
	Globex   Company

	Attacked atomic.Uint32 // attacks that were sent
	Woken    waker         // records the tasks for which the console woke a worker
}

// Setup returns a stack on a new SQLite database.
func Setup(t *testing.T) *Stack {
	t.Helper()
	return SetupOn(t, storetest.SQLite(t))
}

// SetupOn returns a stack on the given database.
func SetupOn(t *testing.T, database string) *Stack {
	t.Helper()
	return SetupFor(t, database, config.Config{ConsoleURL: "http://localhost:8081"})
}

// SetupFor returns a seeded stack on the given database with the given configuration.
func SetupFor(t *testing.T, database string, c config.Config) *Stack {
	t.Helper()
	s := &Stack{T: t, Secret: config.Secret{1}, Config: c, Cost: Cheap}
	s.openOn(database)
	return s
}

// openOn opens the database, serves and seeds it.
func (s *Stack) openOn(database string) {
	s.Helper()
	s.Database = database
	s.Store = storetest.Open(s.T, db.Options{URL: database, Log: slog.New(slog.DiscardHandler), Now: s.Now})
	s.Serve()
	s.seed()
}

// Now returns the time of the stack's clock, which the console and the store use.
func (s *Stack) Now() time.Time {
	now := time.Now()
	if at := s.stopped.Load(); at != nil {
		now = *at
	}
	return now.Add(time.Duration(s.ClockOffset.Load()))
}

// StopClock stops the clock of the console and of the store, so that no allowance
// refills during a test, however slow the machine is.
func (s *Stack) StopClock() {
	now := time.Now()
	s.stopped.Store(&now)
}

// Advance moves the clock of the console and of the store forward.
func (s *Stack) Advance(d time.Duration) { s.ClockOffset.Add(int64(d)) }

// Serve starts a console with the stack's current configuration.
// Tests call it again after they have changed the configuration.
func (s *Stack) Serve() {
	s.Helper()
	s.Config.SecretKey, s.Config.SessionTTL = s.Secret, time.Hour
	if s.Config.ConfirmAmount == 0 {
		s.Config.ConfirmAmount = 1000 * money.USD
	}
	log := s.Logger
	if log == nil {
		log = slog.New(slog.NewTextHandler(s.Output(), nil))
	}
	app, err := console.New(console.Options{
		Config: s.Config, Store: s.Store,
		Log: log, Registry: prometheus.NewRegistry(), Now: s.Now, Tracer: s.tracer,
		RelayURL: s.relayURL, Queue: &s.Woken, PasswordCost: s.Cost, Patience: s.patience,
	})
	s.Must(err)
	s.App = app
	server := httptest.NewServer(app)
	s.Cleanup(server.Close)
	s.URL, s.Close = server.URL, server.Close
}

func (s *Stack) relayURL() string {
	if url := s.Relay.Load(); url != nil {
		return *url
	}
	return ""
}

// Must fails the test if err is not nil.
func (s *Stack) Must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// OnBoth runs the test on each kind of database. On SQLite only the
// store isolates tenants; on Postgres row-level security does too.
func OnBoth(t *testing.T, test func(s *Stack)) {
	t.Helper()
	for kind, database := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(SetupFor(t, database(t), config.Config{ConsoleURL: "http://localhost:8081",
				TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
		})
	}
}
