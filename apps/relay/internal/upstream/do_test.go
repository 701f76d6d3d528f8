package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	core "github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
	provideropenai "github.com/tollgate/tollgate/libs/provider/openai"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// stand is a Caller in front of scripted channels: no network, and where the
// test is in a bubble of synctest, no waiting.
type stand struct {
	*Client
	t       *testing.T
	catalog *snapshot.Snapshot

	mu     sync.Mutex
	asked  []string // "channel/key" in order
	script map[string]func(*http.Request) (*http.Response, error)
}

// row is a channel: its tier, and its credentials.
type row struct {
	name     string
	priority int
	keys     []string
	settings catalog.Settings
	dialects []catalog.Dialect
}

func newStand(t *testing.T, rows ...row) *stand {
	t.Helper()
	s := &stand{t: t, script: map[string]func(*http.Request) (*http.Response, error){}}
	s.Client = New(Options{
		FirstByteTimeout: time.Minute, IdleTimeout: time.Minute, RequestTimeout: 10 * time.Minute,
		Requests: t.Context(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	s.show(rows...)
	return s
}

// show makes the rows the catalogue. A key that begins with "off-" is disabled.
func (s *stand) show(rows ...row) {
	s.t.Helper()
	channels := make([]catalog.Channel, len(rows))
	for i, r := range rows {
		channels[i] = catalog.Channel{
			ID: uuid.NewSHA1(uuid.Nil, []byte(r.name)), Name: r.name, Type: "openai", BaseURL: "https://" + r.name + ".example", Priority: r.priority, Weight: 1,
			Dialects: r.dialects, Models: map[string]string{"m": "up-m"}, Status: tenant.Enabled, Settings: r.settings,
		}
		if r.dialects == nil {
			channels[i].Dialects = []catalog.Dialect{catalog.Chat}
		}
		for _, key := range r.keys {
			channels[i].Credentials = append(channels[i].Credentials, catalog.SealedSecret{Sealed: []byte(key), Mask: key})
			if strings.HasPrefix(key, "off-") {
				channels[i].DisabledCredentials = append(channels[i].DisabledCredentials, catalog.DisabledCredential{Fingerprint: "of " + key})
			}
		}
	}
	v := snapshot.New(snapshot.Options{
		Source: source(channels), Opener: opener{}, Lookup: s.lookup, Pool: egress.NewPool(egress.Options{}), Log: slog.New(slog.DiscardHandler),
	})
	if err := v.Reload(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.catalog = v.Current()
	for i := range channels {
		s.catalog.Target(channels[i].ID).Transport = s
	}
}

type source []catalog.Channel

func (s source) Snapshot(context.Context, tenant.Scope) (*core.Snapshot, error) {
	return core.New(1, nil, nil, s, pricing.NewBook(nil, nil)), nil
}

type opener struct{}

func (opener) OpenCredential(key catalog.SealedSecret) (string, error) {
	return string(key.Sealed), nil
}
func (opener) OpenProxy(catalog.SealedSecret) (string, error) { return "", nil }
func (opener) Fingerprint(key string) string                  { return "of " + key }

func (s *stand) lookup(string) (provider.Provider, bool) { return picky{}, true }

// picky is a provider whose channels with a name that begins with "picky"
// support nothing.
type picky struct{ provideropenai.Provider }

func (p picky) Request(call provider.Call) (provider.Request, error) {
	if call.Channel.Name == "panicky" {
		panic("adapter")
	}
	if strings.HasPrefix(call.Channel.Name, "picky") {
		return provider.Request{}, problem.New(problem.UnsupportedParameter, "not here").At("seed")
	}
	return p.Provider.Request(call)
}

// RoundTrip plays the script of the channel, of its key where there is one.
func (s *stand) RoundTrip(r *http.Request) (*http.Response, error) {
	name, _, _ := strings.Cut(r.URL.Host, ".")
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimSuffix(name+"/"+key, "/"))
	serve := s.script[name+"/"+key]
	if serve == nil {
		serve = s.script[name]
	}
	s.mu.Unlock()
	if serve == nil {
		serve = says(200, chatCompletion)
	}
	return serve(r)
}

const chatCompletion = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}`

func says(status int, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
	}
}

func breaks(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

// hangs until the attempt is given up.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func (s *stand) call() Call {
	s.t.Helper()
	request, err := openai.ScanRequest([]byte(plain), catalog.Chat)
	if err != nil {
		s.t.Fatal(err)
	}
	plan, usable := routing.Plan(routing.Query{
		Channels: s.catalog.Serving("m"), Conditions: s.Conditions(nil, s.catalog, Serving{s.catalog.Serving("m"), "m"}, time.Now()), Dialect: catalog.Chat,
		Pick: func(uint64) uint64 { return 0 }, // the first of each tier
	})
	return Call{Dialect: catalog.Chat, Request: request, Plan: plan[:usable], Snapshot: s.catalog, Begun: time.Now()}
}

const plain = `{"model":"m","messages":[],"seed":1}`

// try makes a call and tells what was asked, and the word for the outcome.
func (s *stand) try(ctx context.Context) (asked []string, outcome string) {
	s.t.Helper()
	s.mu.Lock()
	s.asked = nil
	s.mu.Unlock()
	reply, failure := s.Do(ctx, s.call())
	if failure != nil {
		return s.asked, failure.Problem.Kind.String()
	}
	reply.Close()
	return s.asked, "served by " + reply.Channel.Name
}

// pass lets the time of a bubble go on.
func pass(d time.Duration) { <-time.After(d) }

func (s *stand) expect(rule string, outcome string, asked ...string) {
	s.t.Helper()
	got, how := s.try(s.t.Context())
	if how != outcome || !slices.Equal(got, asked) {
		s.t.Errorf("%s: %s after %v, want %s after %v", rule, how, got, outcome, asked)
	}
}

func TestOtherCredentialsComeBeforeOtherChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a", keys: []string{"1", "2", "3", "off-4"}}, row{name: "b", priority: 1})
		s.script["a/2"], s.script["a/3"] = says(401, `{}`), says(429, `{}`, "Retry-After", "30")
		s.expect("a refused and a busy credential", "served by a", "a/2", "a/3", "a/1")
		for range 4 {
			s.expect("while they rest", "served by a", "a/1")
		}
		s.script["a/1"] = says(500, `{}`)
		s.expect("a fault of the server is that of all credentials", "served by b", "a/1", "b")
		s.expect("the whole channel rests", "served by b", "b")
		delete(s.script, "a/1")
		pass(time.Second)
		s.expect("and has rested", "served by a", "a/1")
		pass(30 * time.Second)
		delete(s.script, "a/3")
		seen := map[string]bool{}
		for range 12 {
			asked, _ := s.try(t.Context())
			seen[asked[len(asked)-1]] = true
		}
		if !seen["a/3"] || seen["a/2"] || seen["a/off-4"] {
			t.Errorf("used afterwards: %v", seen)
		}
	})
}

func TestEachCredentialOnceAndTheRestingOnesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a", keys: []string{"1", "2"}}, row{name: "b", priority: 1}, row{name: "c", priority: 2})
		s.script["a"], s.script["b"], s.script["c"] = says(429, `{}`, "Retry-After", "60"), breaks, says(503, `{}`)
		s.expect("all fail", "upstream_error", "a/2", "a/1", "b", "c")
		s.expect("all rest: doubtful ones are better than a refusal", "upstream_error", "a/1", "a/2", "b", "c")
		s.script["c"] = says(200, chatCompletion)
		s.expect("and one of them may serve", "served by c", "a/2", "a/1", "b", "c")
		s.expect("which makes it well", "served by c", "c")
	})
}

func TestChannelsWithoutACredentialAreNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a", keys: []string{"off-1", "off-2"}}, row{name: "b", priority: 1})
		s.expect("all credentials of a channel are disabled", "served by b", "b")
		s.show(row{name: "a", keys: []string{"off-1", "off-2"}})
		s.expect("and there is no other", "no_channel_available")
	})
}

func TestWhatNoChannelSupportsIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "picky1"}, row{name: "b", priority: 1})
		s.expect("the next channel supports it", "served by b", "b")
		if ills := s.Health.Unhealthy(); len(ills) > 0 {
			t.Errorf("held against a channel: %+v", ills)
		}
		s.script["b"] = says(500, `{}`)
		s.expect("what failed may be back another time", "upstream_error", "b")

		s.show(row{name: "picky1"}, row{name: "picky2", priority: 1})
		_, failure := s.Do(t.Context(), s.call())
		if failure == nil || failure.Problem.Kind != problem.UnsupportedParameter || failure.Problem.Param != "seed" {
			t.Errorf("%v", failure)
		}
		s.show(row{name: "foreign", dialects: []catalog.Dialect{catalog.Responses}})
		_, failure = s.Do(t.Context(), s.call())
		if failure == nil || failure.Problem.Kind != problem.UnsupportedParameter || failure.Problem.Param != "seed" || failure.Attempts[0].Dialect != "responses" {
			t.Errorf("%v, %+v", failure, failure.Attempts)
		}
	})
}

func TestOneCallAtATimeTriesWhatHasRested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a"}, row{name: "b", priority: 1})
		s.script["a"] = breaks
		s.expect("it fails", "served by b", "a", "b")
		pass(time.Second)
		free := make(chan struct{})
		s.script["a"] = func(r *http.Request) (*http.Response, error) { <-free; return says(200, chatCompletion)(r) }
		trial := make(chan string)
		go func() {
			_, how := s.Do(t.Context(), s.call())
			trial <- fmt.Sprint(how)
		}()
		synctest.Wait()
		for range 3 {
			s.expect("others treat it as cooling meanwhile", "served by b", "b")
		}
		close(free)
		if how := <-trial; how != "<nil>" {
			t.Error(how)
		}
		delete(s.script, "a")
		s.expect("the trial made it well", "served by a", "a")
	})
}

func TestWhatIsNoFaultOfTheChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a"}, row{name: "b", priority: 1})
		s.script["a"] = says(400, `{"error":{"message":"bad"}}`)
		s.expect("the client's fault is told", "upstream_rejected", "a")
		ctx, cancel := context.WithCancel(t.Context())
		s.script["a"] = func(r *http.Request) (*http.Response, error) { cancel(); return hangs(r) }
		s.try(ctx)
		if ills := s.Health.Unhealthy(); len(ills) > 0 {
			t.Errorf("held against the channel: %+v", ills)
		}
	})
}

func TestAPanicEndsItsTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "panicky"})
		l := s.Health.lane(laneKey{s.catalog.Serving("m")[0].ID, "up-m"})
		first, _ := l.begin(noCredential, time.Now())
		first.failed(&attemptError{word: "x", fault: provider.ServerFault}, time.Now())
		first.done()
		pass(time.Second)
		func() {
			defer func() { _ = recover() }()
			s.try(t.Context())
		}()
		if _, ok := l.begin(noCredential, time.Now()); !ok || l.inFlight.Load() != 1 {
			t.Errorf("another trial: %v, %d under way", ok, l.inFlight.Load())
		}
	})
}

func TestTimeLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a", settings: catalog.Settings{FirstByteTimeout: 20 * time.Second}}, row{name: "b", priority: 1})
		s.script["a"] = hangs
		begun := time.Now()
		s.expect("a channel's own patience", "served by b", "a", "b")
		if took := time.Since(begun); took != 20*time.Second {
			t.Errorf("took %v", took)
		}

		s = newStand(t, row{name: "a"}, row{name: "b", priority: 1}, row{name: "c", priority: 2})
		s.RequestTimeout = 90 * time.Second
		s.script["a"], s.script["b"] = hangs, hangs
		begun = time.Now()
		s.expect("the call's", "upstream_timeout", "a", "b")
		if took := time.Since(begun); took != 90*time.Second {
			t.Errorf("took %v", took)
		}
		if ills := s.Health.Unhealthy(); len(ills) != 1 || ills[0].Word != "timeout" {
			t.Errorf("held against channels: %+v", ills)
		}
	})
}

func TestABodyOfAnErrorIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a"}, row{name: "b", priority: 1})
		for status, word := range map[int]string{503: "status", 401: "credential", 400: "cut"} {
			s.Health = NewHealth(time.Now)
			s.script["a"] = func(r *http.Request) (*http.Response, error) {
				reply, _ := says(status, "")(r)
				reply.Body, reply.ContentLength = io.NopCloser(stalled{r.Context()}), -1
				return reply, nil
			}
			begun := time.Now()
			reply, failure := s.Do(t.Context(), s.call())
			if failure != nil || reply.Channel.Name != "b" || reply.Attempts[0].Error != word || reply.Attempts[0].Status != status {
				t.Errorf("%d: %v, %+v", status, failure, reply)
			}
			if took := time.Since(begun); took != errorAnswerTime {
				t.Errorf("%d: took %v", status, took)
			}
			reply.Close()
		}
	})
}

// stalled gives nothing until the request is over.
type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func TestAnAffinityKeepsItsCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a", keys: []string{"1", "2", "3"}})
		used := map[string]bool{}
		for n := range 60 {
			call := s.call()
			call.Affinity = uint64(n%20 + 1)
			s.asked = nil
			reply, failure := s.Do(t.Context(), call)
			if failure != nil {
				t.Fatal(failure)
			}
			reply.Close()
			used[fmt.Sprintf("%d %s", n%20, s.asked[0])] = true
		}
		if len(used) != 20 {
			t.Errorf("20 affinities used %d pairs: %v", len(used), used)
		}
	})
}

func TestCallsUnderWayAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a"}, row{name: "b", priority: 1})
		s.script["a"] = breaks
		reply, failure := s.Do(t.Context(), s.call())
		if failure != nil {
			t.Fatal(failure)
		}
		count := func() [2]int64 {
			conditions := s.Conditions(nil, s.catalog, Serving{s.catalog.Serving("m"), "m"}, time.Now())
			return [2]int64{conditions[0].InFlight, conditions[1].InFlight}
		}
		if got := count(); got != [2]int64{0, 1} {
			t.Errorf("under way: %v", got)
		}
		reply.Close()
		if got := count(); got != [2]int64{} {
			t.Errorf("under way at the end: %v", got)
		}
	})
}
