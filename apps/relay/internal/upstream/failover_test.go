package upstream

import (
	"cmp"
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
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	core "github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/anthropic"
	provideropenai "github.com/tollgate/tollgate/libs/provider/openai"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// testClient is a Client in front of scripted channels. It needs no network, and in a synctest bubble no real time.
type testClient struct {
	*Client
	t         *testing.T
	snapshots *snapshot.Loader
	catalog   *snapshot.Snapshot
	caller    routing.Caller     // of the next calls
	origin    stored.Origin      // of the next calls
	stop      context.CancelFunc // ends the probes

	mu     sync.Mutex
	asked  []string // "channel/key" of each attempt, in order
	probed []string // "channel/key" of each probe, in order
	// The results of probes, by channel; a channel without one works.
	probes map[string]probe.Result
	script map[string]func(*http.Request) (*http.Response, error) // the answers, by channel or by channel and key
}

// row describes a channel.
type row struct {
	name     string
	provider string // "" for openai
	priority int
	keys     []string
	settings catalog.Settings
	dialects []catalog.Dialect
}

func newTestClient(t *testing.T, rows ...row) *testClient {
	t.Helper()
	s := &testClient{
		t: t, script: map[string]func(*http.Request) (*http.Response, error){}, probes: map[string]probe.Result{},
		caller: callerOf("acme", "1"),
	}
	var requests context.Context
	requests, s.stop = context.WithCancel(t.Context())
	s.Client = New(Options{
		FirstByteTimeout: time.Minute, IdleTimeout: time.Minute, RequestTimeout: 10 * time.Minute,
		Requests: requests, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Prober: s, Current: s.current,
	})
	t.Cleanup(func() { s.stop(); s.Close() })
	s.show(rows...)
	return s
}

// current returns the catalog to a probe, which runs in a goroutine of its own.
func (s *testClient) current() *snapshot.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.catalog
}

// probeGets sets the result of later probes of channel a.
func (s *testClient) probeGets(result probe.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probes["a"] = result
}

// probeCount returns the number of probes so far.
func (s *testClient) probeCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.probed)
}

// callerOf returns the caller of a token of a tenant.
func callerOf(tenant, token string) routing.Caller {
	id := uuid.NewSHA1(uuid.Nil, []byte(tenant))
	return routing.Caller{TenantID: id, TokenID: uuid.NewSHA1(id, []byte(token))}
}

// Check is the probe of a channel.
func (s *testClient) Check(_ context.Context, channel *catalog.Channel, key probe.Credential) (probe.Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probed = append(s.probed, strings.TrimSuffix(channel.Name+"/"+key.Plain, "/"))
	if result, scripted := s.probes[channel.Name]; scripted {
		return result, true
	}
	return probe.Result{Status: 200}, true
}

// show replaces the catalog by the rows. A key that begins with "off-" is disabled.
func (s *testClient) show(rows ...row) {
	s.t.Helper()
	channels := make([]catalog.Channel, len(rows))
	for i, r := range rows {
		channels[i] = catalog.Channel{
			ID: uuid.NewSHA1(uuid.Nil, []byte(r.name)), Name: r.name, Type: cmp.Or(r.provider, "openai"),
			BaseURL: "https://" + r.name + ".example", Priority: r.priority, Weight: 1,
			Dialects: r.dialects, Models: map[string]string{"m": "up-m"}, Status: tenant.Enabled, Settings: r.settings,
		}
		if r.dialects == nil {
			channels[i].Dialects = []catalog.Dialect{catalog.Chat}
		}
		for _, key := range r.keys {
			channels[i].Credentials = append(channels[i].Credentials,
				catalog.SealedSecret{Sealed: []byte(key), Mask: key})
			if strings.HasPrefix(key, "off-") {
				channels[i].DisabledCredentials = append(channels[i].DisabledCredentials,
					catalog.DisabledCredential{Fingerprint: "of " + key})
			}
		}
	}
	v := snapshot.New(snapshot.Options{
		Source: source(channels), Opener: opener{}, Lookup: s.lookup, Pool: egress.NewPool(egress.Options{}),
		Log: slog.New(slog.DiscardHandler),
	})
	if err := v.Reload(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for i := range channels {
		v.Current().Target(channels[i].ID).Transport = s
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots, s.catalog = v, v.Current()
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

func (s *testClient) lookup(name string) (provider.Provider, bool) {
	if name == "anthropic" {
		return anthropic.Provider{}, true
	}
	return picky{}, true
}

// picky is a provider that supports no request on channels whose name begins with "picky", and that panics on
// the channel "panicky".
type picky struct{ provideropenai.Provider }

func (p picky) Request(call provider.Call) (provider.Request, error) {
	if call.Channel.Name == "panicky" {
		panic("adapter")
	}
	if strings.HasPrefix(call.Channel.Name, "picky") {
		return provider.Request{}, problem.New(problem.UnsupportedParameter, "not here").At("logit_bias")
	}
	return p.Provider.Request(call)
}

// RoundTrip answers with the script of the key, or else of the channel.
func (s *testClient) RoundTrip(r *http.Request) (*http.Response, error) {
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

// says returns a script that answers with the status, the body and pairs of header names and values.
func says(status int, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)),
			ContentLength: int64(len(body))}, nil
	}
}

// breaks is a script whose connection fails.
func breaks(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

// hangs is a script that doesn't answer until the attempt is canceled.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// call plans a call of the model m.
func (s *testClient) call() Call { return s.callOf(catalog.Chat, plain) }

// callOf plans a call of the model m with the body.
func (s *testClient) callOf(dialect catalog.Dialect, body string) Call {
	s.t.Helper()
	request, err := openai.ScanRequest([]byte(body), dialect)
	if err != nil {
		s.t.Fatal(err)
	}
	plan, usable := routing.Plan(routing.Query{
		Channels: s.catalog.Serving("m"),
		Conditions: s.Conditions(nil, s.catalog, ConditionQuery{s.catalog.Serving("m"), "m", s.caller.TenantID},
			time.Now()),
		Dialect: dialect,
		Pick:    func(uint64) uint64 { return 0 }, // the first channel of each tier
	})
	return Call{Caller: s.caller, Origin: s.origin, Dialect: dialect, Request: request, Plan: plan[:usable],
		Snapshot: s.catalog, Begun: time.Now(), Memory: unbounded{}}
}

const plain = `{"model":"m","messages":[],"logit_bias":{"1":2}}`

// try makes a call and returns the channels that were asked and the outcome.
func (s *testClient) try(ctx context.Context) (asked []string, outcome string) {
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

// elapse lets the time of a bubble pass.
func elapse(d time.Duration) { <-time.After(d) }

// expect makes a call and compares the outcome and the channels that were asked.
func (s *testClient) expect(rule string, outcome string, asked ...string) {
	s.t.Helper()
	got, how := s.try(s.t.Context())
	if how != outcome || !slices.Equal(got, asked) {
		s.t.Errorf("%s: got %s after %v, want %s after %v", rule, how, got, outcome, asked)
	}
}

func TestDo_TriesOtherCredentialsBeforeOtherChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"1", "2", "3", "off-4"}}, row{name: "b", priority: 1})
		s.script["a/2"], s.script["a/3"] = says(401, `{}`), says(429, `{}`, "Retry-After", "30")
		s.expect("a refused and a busy credential", "served by a", "a/2", "a/3", "a/1")
		for range 4 {
			s.expect("while their breakers are open", "served by a", "a/1")
		}
		s.script["a/1"] = says(500, `{}`)
		s.expect("a server error counts for all credentials", "served by b", "a/1", "b")
		s.expect("while the breaker of the channel is open", "served by b", "b")
		delete(s.script, "a/1")
		elapse(time.Second)
		s.expect("after the breaker has become half-open", "served by a", "a/1")
		elapse(30 * time.Second)
		delete(s.script, "a/3")
		seen := map[string]bool{}
		for range 12 {
			asked, _ := s.try(t.Context())
			seen[asked[len(asked)-1]] = true
		}
		if !seen["a/3"] || seen["a/2"] || seen["a/off-4"] {
			t.Errorf("used credentials: got %v, want 3 and neither 2 nor off-4", seen)
		}
	})
}

func TestDo_AsksTheOwnerAlthoughAnotherCredentialRefuses(t *testing.T) {
	notFound := says(400, `{"error":{"code":"previous_response_not_found"}}`)
	for name, origin := range map[string]stored.Origin{
		"a stored response": {Required: true}, "encrypted content": {Encrypted: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestClient(t, row{name: "a", keys: []string{"1", "2", "3"}})
				s.origin = origin
				s.origin.Credential = stored.HashCredential("of 1")
				s.script["a/1"], s.script["a/2"], s.script["a/3"] = says(429, `{}`, "Retry-After", "30"), notFound, notFound
				s.expect("the owner is busy", "upstream_rate_limited", "a/1", "a/2", "a/3")
				s.expect("while the owner's breaker is open", "upstream_rate_limited", "a/2", "a/3", "a/1")
				delete(s.script, "a/3")
				s.expect("a credential of the owner's account", "served by a", "a/2", "a/3")
				s.script["a/3"] = notFound
				delete(s.script, "a/1")
				s.expect("the owner works again", "served by a", "a/2", "a/3", "a/1")
				s.script["a/1"] = notFound
				s.expect("the owner refuses", "upstream_rejected", "a/1")
				s.show(row{name: "a", keys: []string{"off-1", "2"}})
				s.origin.Credential = stored.HashCredential("of off-1")
				s.expect("the owner is disabled", "upstream_rejected", "a/2")
			})
		})
	}
}

func TestDo_TriesOpenBreakersAfterAllOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"1", "2"}}, row{name: "b", priority: 1},
			row{name: "c", priority: 2})
		s.script["a"], s.script["b"], s.script["c"] = says(429, `{}`, "Retry-After", "60"), breaks, says(503, `{}`)
		s.expect("all fail", "upstream_error", "a/2", "a/1", "b", "c")
		s.expect("with all breakers open, every channel is tried", "upstream_error", "a/1", "a/2", "b", "c")
		s.script["c"] = says(200, chatCompletion)
		s.expect("with all breakers open, one channel serves", "served by c", "a/2", "a/1", "b", "c")
		s.expect("a success closes the breaker", "served by c", "c")
	})
}

func TestDo_SkipsChannelsWithoutAnEnabledCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"off-1", "off-2"}}, row{name: "b", priority: 1})
		s.expect("all credentials of a channel are disabled", "served by b", "b")
		s.show(row{name: "a", keys: []string{"off-1", "off-2"}})
		s.expect("no other channel serves the model", "no_channel_available")
	})
}

func TestDo_DoesNotCountUnsupportedRequestsAsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "picky1"}, row{name: "b", priority: 1})
		s.expect("the next channel supports it", "served by b", "b")
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) > 0 {
			t.Errorf("got open breakers %+v, want none", unhealthy)
		}
		s.script["b"] = says(500, `{}`)
		s.expect("a failure that may pass takes precedence", "upstream_error", "b")

		s.show(row{name: "picky1"}, row{name: "picky2", priority: 1})
		_, failure := s.Do(t.Context(), s.call())
		if failure == nil || failure.Problem.Kind != problem.UnsupportedParameter ||
			failure.Problem.Param != "logit_bias" {
			t.Errorf("got %v, want unsupported_parameter at logit_bias", failure)
		}
		s.show(row{name: "foreign", dialects: []catalog.Dialect{catalog.Responses}})
		_, failure = s.Do(t.Context(), s.call())
		if failure == nil || failure.Problem.Kind != problem.UnsupportedParameter ||
			failure.Problem.Param != "logit_bias" || failure.Attempts[0].Dialect != "responses" {
			t.Errorf("got %v with attempts %+v, want unsupported_parameter at logit_bias", failure, failure.Attempts)
		}
	})
}

func TestDo_LetsOneCallTryAHalfOpenBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
		s.script["a"] = breaks
		s.expect("the channel fails", "served by b", "a", "b")
		elapse(time.Second)
		free := make(chan struct{})
		s.script["a"] = func(r *http.Request) (*http.Response, error) { <-free; return says(200, chatCompletion)(r) }
		trial := make(chan string)
		go func() {
			_, how := s.Do(t.Context(), s.call())
			trial <- fmt.Sprint(how)
		}()
		synctest.Wait()
		for range 3 {
			s.expect("other calls skip the channel during the trial", "served by b", "b")
		}
		close(free)
		if how := <-trial; how != "<nil>" {
			t.Errorf("trial: got failure %s, want success", how)
		}
		delete(s.script, "a")
		s.expect("the trial closed the breaker", "served by a", "a")
	})
}

func TestDo_DoesNotCountFaultsOfTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
		var codes []string
		s.OnAttempt = func(_ *catalog.Channel, a *usage.Attempt) { codes = append(codes, a.Error) }
		s.script["a"] = says(400, `{"error":{"message":"bad"}}`)
		s.expect("the client gets the upstream's refusal", "upstream_rejected", "a")
		for _, cause := range []error{context.Canceled, errors.New("the relay is stopping")} {
			ctx, cancel := context.WithCancelCause(t.Context())
			s.script["a"] = func(r *http.Request) (*http.Response, error) { cancel(cause); return hangs(r) }
			s.try(ctx)
		}
		if want := []string{"rejected", "client_closed", "relay_stopped"}; !slices.Equal(codes, want) {
			t.Errorf("got attempts with the codes %q, want %q", codes, want)
		}
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) > 0 {
			t.Errorf("got open breakers %+v, want none", unhealthy)
		}
	})
}

func TestDo_EndsTheTrialAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "panicky"})
		l := s.Health.model(modelKey{s.catalog.Serving("m")[0].ID, "up-m"})
		first, _ := l.begin(ticket{channel: s.catalog.Serving("m")[0], key: noCredential, caller: s.caller}, time.Now())
		first.recordFailure(&attemptError{code: "x", fault: provider.ServerFault}, time.Now())
		first.endInFlight()
		elapse(time.Second)
		func() {
			defer func() { _ = recover() }()
			s.try(t.Context())
		}()
		if _, ok := l.begin(first, time.Now()); !ok || l.inFlight.Load() != 1 {
			t.Errorf("next trial: got %v with %d attempts in flight, want true with 1", ok, l.inFlight.Load())
		}
	})
}

func TestDo_EnforcesTheTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", settings: catalog.Settings{FirstByteTimeout: 20 * time.Second}},
			row{name: "b", priority: 1})
		s.script["a"] = hangs
		begun := time.Now()
		s.expect("the timeout of a channel", "served by b", "a", "b")
		if took := time.Since(begun); took != 20*time.Second {
			t.Errorf("took %v, want 20s", took)
		}

		s = newTestClient(t, row{name: "a"}, row{name: "b", priority: 1}, row{name: "c", priority: 2})
		s.RequestTimeout = 90 * time.Second
		s.script["a"], s.script["b"] = hangs, hangs
		begun = time.Now()
		s.expect("the deadline of the call", "upstream_timeout", "a", "b")
		if took := time.Since(begun); took != 90*time.Second {
			t.Errorf("took %v, want 90s", took)
		}
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) != 1 || unhealthy[0].Code != "timeout" {
			t.Errorf("got open breakers %+v, want only a timeout", unhealthy)
		}
	})
}

func TestDo_DoesNotWaitForTheBodyOfAnErrorResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
		for status, word := range map[int]string{503: "status", 401: "credential", 400: "cut"} {
			s.Health = newHealth(&s.Options)
			s.script["a"] = func(r *http.Request) (*http.Response, error) {
				reply, _ := says(status, "")(r)
				reply.Body, reply.ContentLength = io.NopCloser(stalled{r.Context()}), -1
				return reply, nil
			}
			begun := time.Now()
			reply, failure := s.Do(t.Context(), s.call())
			if failure != nil || reply.Channel.Name != "b" || reply.Attempts[0].Error != word ||
				reply.Attempts[0].Status != status {
				t.Errorf("status %d: got %v, %+v", status, failure, reply)
			}
			if took := time.Since(begun); took != errorAnswerTime {
				t.Errorf("status %d: took %v", status, took)
			}
			reply.Close()
		}
	})
}

// stalled is a body that has no bytes until the request ends.
type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func TestDo_UsesTheSameCredentialForTheSameAffinity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"1", "2", "3"}})
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
			t.Errorf("20 affinities used %d pairs of affinity and credential, want 20: %v", len(used), used)
		}
	})
}

func TestConditions_CountAttemptsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
		s.script["a"] = breaks
		reply, failure := s.Do(t.Context(), s.call())
		if failure != nil {
			t.Fatal(failure)
		}
		count := func() [2]int64 {
			conditions := s.Conditions(nil, s.catalog, ConditionQuery{s.catalog.Serving("m"), "m", s.caller.TenantID},
				time.Now())
			return [2]int64{conditions[0].InFlight, conditions[1].InFlight}
		}
		if got := count(); got != [2]int64{0, 1} {
			t.Errorf("in flight: got %v, want 0 and 1", got)
		}
		reply.Close()
		if got := count(); got != [2]int64{} {
			t.Errorf("in flight after Close: got %v, want 0 and 0", got)
		}
	})
}

// unbounded is a Memory that always has room.
type unbounded struct{}

func (unbounded) Grow(context.Context, int64) error { return nil }
func (unbounded) Shrink(int64)                      {}
