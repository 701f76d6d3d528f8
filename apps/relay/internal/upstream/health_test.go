package upstream

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/probe"
)

// unreachable is the result of a probe that gets no response.
var unreachable = probe.Result{Error: probe.ErrorUnreachable}

// poisons are the failures that a caller can provoke with its own request, by name.
var poisons = map[string]func(*http.Request) (*http.Response, error){
	"500":                    says(500, `{}`),
	"503 with Retry-After":   says(503, `{}`, "Retry-After", "60"),
	"429 insufficient_quota": says(429, `{"error":{"code":"insufficient_quota"}}`),
	"402":                    says(402, `{}`),
	"403":                    says(403, `{}`),
	"401":                    says(401, `{}`),
	"401 invalid_api_key":    says(401, `{"error":{"code":"invalid_api_key"}}`),
	"connection reset":       breaks,
	"time-out":               hangs,
	"malformed answer":       says(200, `<html>`),
	"error in a 200":         says(200, `{"error":{"message":"no"}}`),
}

func TestHealth_FailuresOfOneTenantDoNotAffectOthers(t *testing.T) {
	for name, poison := range poisons {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestClient(t, row{name: "a", keys: []string{"1"}}, row{name: "b", priority: 1})
				b := publish(t, s)
				well := says(200, chatCompletion)
				for range 20 {
					s.script["a"] = poison
					for _, token := range []string{"1", "2", "3"} {
						s.caller = callerOf("hostile", token)
						s.expect("the hostile tenant's own call", "served by b", s.asksFirst()...)
					}
					s.script["a"] = well
					s.caller = callerOf("good", "1")
					s.expect("a call of another tenant", "served by a", "a/1")
					elapse(time.Second)
				}
				synctest.Wait()
				b.expect(t, "no credential is disabled", len(b.published))
			})
		})
	}
}

// asksFirst returns the channels that a call asks when channel a fails it: both, or only b while a is open for the
// caller.
func (s *testClient) asksFirst() []string {
	if s.state() == routing.Open {
		return []string{"b"}
	}
	return []string{"a/1", "b"}
}

// state returns the state of the first channel for the caller.
func (s *testClient) state() routing.State {
	query := ConditionQuery{s.catalog.Serving("m"), "m", s.caller.TenantID}
	return s.Conditions(nil, s.catalog, query, time.Now())[0].State
}

func TestHealth_TheOnlyChannelIsCalledInAnyState(t *testing.T) {
	for name, poison := range poisons {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestClient(t, row{name: "a", keys: []string{"1"}})
				s.script["a"] = poison
				for range 20 {
					if _, outcome := s.try(t.Context()); outcome == "served by a" || outcome == "no_channel_available" {
						t.Fatalf("got %s, want the failure of the upstream", outcome)
					}
				}
				delete(s.script, "a")
				s.expect("a call of the same tenant", "served by a", "a/1")
				if state := s.state(); state != routing.Closed {
					t.Errorf("state after the success: got %d, want closed", state)
				}
			})
		})
	}
}

func TestHealth_OpensTheBreakerForAllByRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alone, both := []row{{name: "a"}}, []row{{name: "a"}, {name: "b", priority: 1}}
		fail := func(calls int, tokens ...string) *testClient {
			s := newTestClient(t, alone...)
			s.script["a"] = says(500, `{}`)
			for n := range calls {
				s.caller = callerOf("acme", tokens[n%len(tokens)])
				s.try(t.Context())
			}
			s.show(both...)
			s.caller = callerOf("beta", "1")
			return s
		}
		s := fail(9, "1", "2")
		s.expect("after nine failed calls", "served by b", "a", "b")
		s = fail(20, "1")
		s.expect("after the failed calls of one token", "served by b", "a", "b")
		s = fail(10, "1", "2")
		s.expect("after ten failed calls of two tokens", "served by b", "b")
		elapse(routing.FirstCooldown)
		s.expect("the trial fails", "served by b", "a", "b")
		s.caller = callerOf("gamma", "1")
		s.expect("after the failed trial", "served by b", "b")
		delete(s.script, "a")
		s.show(alone...)
		s.expect("with no other channel", "served by a", "a")
		s.show(both...)
		s.expect("after the success", "served by a", "a")
	})
}

func TestHealth_FailuresOfOneTenantDoNotKeepTheBreakerOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
		fail, well := says(500, `{}`), says(200, chatCompletion)
		// run makes calls of 20 good tenants, one a second, and every 50 s a call that fails on every channel.
		run := func(seconds int, a func(*http.Request) (*http.Response, error)) map[string]int {
			served := map[string]int{}
			for n := range seconds {
				if n%50 == 0 {
					s.script["a"], s.script["b"] = fail, fail
					s.caller = callerOf("odd", "1")
					s.try(t.Context())
				}
				s.script["a"], s.script["b"] = a, well
				s.caller = callerOf(fmt.Sprint(n%20), "1")
				_, outcome := s.try(t.Context())
				served[outcome]++
				elapse(time.Second)
			}
			return served
		}
		run(300, fail)
		if s.state() != routing.Open {
			t.Fatal("the breaker for all tenants is not open at the end of the incident")
		}
		// The breaker is half-open after MaxCooldown at the latest, and then a good call closes it.
		if served := run(3600, well); served["served by b"] > 60 || served["served by a"] < 3540 {
			t.Errorf("calls in the hour after the incident: got %v, want at most 60 served by b", served)
		}
	})
}

func TestHealth_ABusyCredentialRestsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"1"}}, row{name: "b", priority: 1})
		s.script["a"] = says(429, `{}`, "Retry-After", "3600")
		s.expect("the upstream asks to wait", "served by b", "a/1", "b")
		s.caller = callerOf("beta", "1")
		s.expect("another tenant's call", "served by b", "b")
		delete(s.script, "a")
		elapse(routing.MaxCooldown)
		s.expect("after a minute", "served by a", "a/1")
	})
}

func TestHealth_AnUnreachableChannelIsOpenForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"1"}}, row{name: "b", priority: 1})
		s.script["a"] = hangs
		s.probeGets(unreachable)
		s.expect("the first call waits for its time-out", "served by b", "a/1", "b")
		synctest.Wait()
		for _, tenant := range []string{"beta", "gamma"} {
			s.caller = callerOf(tenant, "1")
			s.expect("calls of other tenants", "served by b", "b")
		}
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) != 2 || unhealthy[1].Model != "" ||
			unhealthy[1].Tenants != nil || unhealthy[1].Code != "connect" {
			t.Errorf("got %+v, want the breaker of one tenant, and then the channel for all", unhealthy)
		}
		elapse(time.Minute)
		synctest.Wait()
		if n := s.probeCount(); n < 5 || n > 8 {
			t.Errorf("got %d probes in a minute, want pauses from 1 s to 30 s", n)
		}
		s.expect("while no probe gets a response", "served by b", "b")
		delete(s.script, "a")
		s.probeGets(probe.Result{Status: 500, Error: probe.ErrorStatus})
		elapse(longestPause)
		synctest.Wait()
		s.expect("after a probe that got a response", "served by a", "a/1")
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) != 1 || unhealthy[0].Tenants == nil {
			t.Errorf("got %+v, want only the breaker of the first tenant: the probe does not show that its calls "+
				"work", unhealthy)
		}
	})
}

func TestHealth_ASuccessEndsAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"})
		s.script["a"] = breaks
		s.probeGets(unreachable)
		s.try(t.Context())
		synctest.Wait()
		s.caller = callerOf("beta", "1")
		if s.state() != routing.Open {
			t.Fatal("the channel is not open")
		}
		delete(s.script, "a")
		s.expect("the only channel is called", "served by a", "a")
		if s.state() != routing.Closed {
			t.Error("the channel is open after a success")
		}
		elapse(time.Minute)
		synctest.Wait()
		if s.probeCount() != 1 {
			t.Errorf("got %d probes, want none after the success", s.probeCount())
		}
	})
}

func TestHealth_AnOutageEndsWithItsChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
		s.script["a"] = breaks
		s.probeGets(unreachable)
		s.try(t.Context())
		synctest.Wait()
		s.show(row{name: "b", priority: 1})
		elapse(time.Minute)
		synctest.Wait()
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) != 1 || unhealthy[0].Tenants == nil {
			t.Errorf("got %+v, want no outage of a removed channel", unhealthy)
		}
	})
}

func TestHealth_CallersCannotFloodAnUpstreamWithProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"})
		s.script["a"] = breaks
		for n := range 1_000 {
			s.caller = callerOf("hostile", string(rune('a'+n%26)))
			s.try(t.Context())
			elapse(10 * time.Millisecond)
		}
		synctest.Wait()
		if s.probeCount() > 11 {
			t.Errorf("got %d probes in 10 s, want one a second", s.probeCount())
		}
	})
}

func TestHealth_BoundsTheDemotions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"})
		s.script["a"] = says(500, `{}`)
		for range maxTenantBreakers + 100 {
			s.caller = routing.Caller{TenantID: uuid.New(), TokenID: uuid.New()}
			s.try(t.Context())
		}
		if n := s.Health.tenantBreakers.Load(); n != maxTenantBreakers {
			t.Errorf("got %d breakers of single tenants, want %d", n, maxTenantBreakers)
		}
		elapse(routing.MaxCooldown + forgetAfter + time.Second)
		s.Health.sweep(time.Now())
		if n, counted := len(s.Health.Unhealthy()), s.Health.tenantBreakers.Load(); n != 0 || counted != 0 {
			t.Errorf("got %d breakers and a count of %d after their time, want none", n, counted)
		}
	})
}

func TestClient_CloseEndsTheProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"})
		s.script["a"] = breaks
		s.probeGets(unreachable)
		s.try(t.Context())
		synctest.Wait()
		s.stop()
		s.Close()
		synctest.Wait()
		if s.probeCount() != 1 {
			t.Errorf("got %d probes, want 1", s.probeCount())
		}
	})
}
