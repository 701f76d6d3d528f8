package probe_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	worker "github.com/tollgate/tollgate/apps/worker/internal/probe"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var scope = tenant.SystemScope("test")

// fixture is a store with one channel that has a good and a bad credential, the channel's upstream, a worker
// that probes, and a clock that the test moves.
type fixture struct {
	*testing.T
	store   *store.Store
	sealer  *seal.Sealer
	channel catalog.Channel
	worker  *worker.CredentialWatcher
	now     time.Time

	mu     sync.Mutex
	status map[string]int // response of the upstream by credential
	asked  []string       // credentials of the requests
}

const (
	good = "sk-a-good-credential"
	bad  = "sk-a-bad-credential"
)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, sealer: seal.New([32]byte{1}), status: map[string]int{good: 200, bad: 401}, now: time.Now()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		f.asked = append(f.asked, key)
		w.WriteHeader(f.status[key])
	}))
	t.Cleanup(server.Close)
	f.store = storetest.Open(t, db.Options{URL: storetest.SQLite(t), Now: func() time.Time { return f.now }})
	var keys []catalog.SealedSecret
	for _, plain := range []string{good, bad} {
		sealed, err := f.sealer.SealCredential(plain)
		f.must(err)
		keys = append(keys, sealed)
	}
	var err error
	f.channel, err = f.store.Catalog.CreateChannel(t.Context(), scope, catalog.Channel{
		Name: "main", Type: "openai", BaseURL: server.URL, Credentials: keys, Dialects: []catalog.Dialect{catalog.Chat},
		Models: map[string]string{"m": "m"}, Weight: 1,
	})
	f.must(err)
	f.worker = worker.New(worker.Options{
		Store: f.store, Prober: probe.New(f.sealer, registry.Lookup, address.Policy{}), Scope: scope,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return f.now },
	})
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// run runs the worker once and returns the credentials that it probed, in order.
func (f *fixture) run() []string {
	f.Helper()
	f.mu.Lock()
	f.asked = nil
	f.mu.Unlock()
	f.must(f.worker.Run(f.Context()))
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.asked)
	return f.asked
}

// expect checks which credentials were probed under a condition.
func (f *fixture) expect(condition string, got []string, want ...string) {
	f.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		f.Errorf("%s: got probes of %v, want %v", condition, got, want)
	}
}

// disabled returns why a credential is disabled, or nil.
func (f *fixture) disabled(plain string) *catalog.DisabledCredential {
	f.Helper()
	snapshot, err := f.store.Catalog.Snapshot(f.Context(), scope)
	f.must(err)
	return snapshot.Channel(f.channel.ID).Disabled(f.sealer.Fingerprint(plain))
}

// disable disables a credential.
func (f *fixture) disable(plain string, why catalog.DisabledReason) {
	f.Helper()
	_, err := f.store.Catalog.DisableCredential(f.Context(), scope,
		catalogdb.Credential{ChannelID: f.channel.ID, Fingerprint: f.sealer.Fingerprint(plain)}, why)
	f.must(err)
}

func TestRun_ProbesChannelsWithoutCallsEvery15Minutes(t *testing.T) {
	f := newFixture(t)
	f.expect("never probed", f.run(), good, bad)
	if f.disabled(bad) == nil || f.disabled(good) != nil {
		t.Error("the bad credential is enabled or the good one is disabled")
	}
	probes, err := f.store.Catalog.Probes(t.Context(), scope, f.channel.ID)
	f.must(err)
	if len(probes) != 2 {
		t.Errorf("got %d probes, want 2: %+v", len(probes), probes)
	}
	f.now = f.now.Add(time.Minute)
	f.expect("after a minute", f.run(), bad)
	f.now = f.now.Add(14 * time.Minute)
	f.expect("after 15 minutes", f.run(), good, bad)

	off := tenant.Disabled
	_, err = f.store.Catalog.UpdateChannel(t.Context(), scope, f.channel.ID, catalogdb.ChannelPatch{Status: &off})
	f.must(err)
	f.expect("the channel is disabled", f.run())
}

func TestRun_EnablesACredentialWhenTheProbeSucceeds(t *testing.T) {
	f := newFixture(t)
	f.disable(good, catalog.ReasonDenied)
	f.run()
	if f.disabled(good) != nil {
		t.Error("a denied credential is still disabled after a successful probe")
	}
	f.disable(good, catalog.ReasonUnpaid)
	f.now = f.now.Add(time.Minute)
	f.run()
	if f.disabled(good) == nil {
		t.Error("a credential without money is enabled at once by a probe that costs nothing")
	}
	f.now = f.now.Add(10 * time.Minute)
	f.run()
	if f.disabled(good) != nil {
		t.Error("a credential without money is still disabled after ten minutes")
	}
}

// Each worker has its own schedule.
func TestRun_ProbesADisabledCredentialOnceAMinuteForAllWorkers(t *testing.T) {
	f := newFixture(t)
	f.disable(bad, catalog.ReasonDenied)
	f.expect("the first worker", f.run(), good, bad)
	f.expect("the second worker", f.run())
	f.now = f.now.Add(time.Minute)
	f.expect("a minute later", f.run(), bad)
	f.now = f.now.Add(-365 * 24 * time.Hour)
	f.expect("the clock of the last worker was ahead", f.run(), good, bad)
}

func TestRun_ProbesUnhealthyChannelsEachMinute(t *testing.T) {
	f := newFixture(t)
	f.status[bad] = 500
	f.run()
	f.expect("healthy and probed just now", f.run())
	f.must(f.store.Catalog.PublishHealth(t.Context(), scope, uuid.New(),
		[]catalogdb.ChannelHealth{{ChannelID: f.channel.ID, Model: "m", State: "cooling"}}))
	f.expect("unhealthy and probed just now", f.run())
	f.now = f.now.Add(time.Minute)
	f.expect("unhealthy, a minute later", f.run(), good, bad)
	if f.disabled(bad) != nil {
		t.Error("a failure of the upstream disabled the credential")
	}
}

// keys returns n credentials.
func (f *fixture) keys(n int) (keys []catalog.SealedSecret) {
	f.Helper()
	for i := range n {
		sealed, err := f.sealer.SealCredential(fmt.Sprintf("sk-credential-%d", i))
		f.must(err)
		keys = append(keys, sealed)
	}
	return keys
}

// many gives the channel 20 credentials, and a worker with a clock of its own. answer is the upstream.
func (f *fixture) many(now func() time.Time, answer http.HandlerFunc) *worker.CredentialWatcher {
	f.Helper()
	server := httptest.NewServer(answer)
	f.Cleanup(server.Close)
	f.channel.BaseURL = server.URL
	keys := f.keys(20)
	_, err := f.store.Catalog.UpdateChannel(f.Context(), scope, f.channel.ID,
		catalogdb.ChannelPatch{BaseURL: &f.channel.BaseURL, Keys: &keys})
	f.must(err)
	options := f.worker.Options
	options.Now = now
	return worker.New(options)
}

func TestRun_LeavesOutTheCredentialsOfAnUpstreamThatDoesNotAnswer(t *testing.T) {
	f := newFixture(t)
	var asked atomic.Int64
	w := f.many(time.Now, func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	})
	f.must(w.Run(t.Context()))
	if n := asked.Load(); n == 0 || n > 4 {
		t.Errorf("got %d probes, want one to four, which run at once", n)
	}
}

func TestRun_ProbesOtherChannelsAlthoughHundredsOfCredentialsGetNoAnswer(t *testing.T) {
	f := newFixture(t)
	f.run()
	f.now = f.now.Add(15 * time.Minute)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for range 3 { // without a probe, so they come before the others
		_, err := f.store.Catalog.CreateChannel(t.Context(), scope, catalog.Channel{
			Name: uuid.NewString(), Type: "openai", BaseURL: closed.URL, Credentials: f.keys(100),
			Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{"m": "m"}, Weight: 1,
		})
		f.must(err)
	}
	f.expect("one channel answers", f.run(), good, bad)
}

func TestRun_StartsNoProbesAfter45Seconds(t *testing.T) {
	f := newFixture(t)
	var asked atomic.Int64
	began := time.Now()
	w := f.many(func() time.Time { return began.Add(time.Duration(asked.Load()) * 10 * time.Second) },
		func(rw http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			rw.WriteHeader(http.StatusInternalServerError)
		})
	f.must(w.Run(t.Context()))
	if n := asked.Load(); n < 5 || n > 8 {
		t.Errorf("got %d probes, want those of the first 45 seconds, and up to three more", n)
	}
}

func TestRun_KeepsACredentialThatMayNotListModels(t *testing.T) {
	f := newFixture(t)
	f.status[bad] = 403
	f.run()
	if f.disabled(bad) != nil {
		t.Error("a 403 for the list of models disabled the credential")
	}
}
