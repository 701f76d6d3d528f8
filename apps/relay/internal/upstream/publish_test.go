package upstream

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/probe"
)

// recordingStore is a HealthStore that records the published values, or fails.
type recordingStore struct {
	mu        sync.Mutex
	down      bool
	published [][]BreakerStatus
	disabled  []string
}

func (b *recordingStore) PublishHealth(_ context.Context, _ tenant.Scope, _ uuid.UUID,
	unhealthy []BreakerStatus) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("no database")
	}
	b.published = append(b.published, unhealthy)
	return nil
}

func (b *recordingStore) DisableCredential(_ context.Context, _ tenant.Scope, c CredentialRef,
	why catalog.DisabledReason) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return false, errors.New("no database")
	}
	b.disabled = append(b.disabled, c.Fingerprint+" "+string(why))
	return true, nil
}

func (b *recordingStore) setDown(down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = down
}

// expect compares the number of publications and the disabled credentials.
func (b *recordingStore) expect(t *testing.T, rule string, published int, disabled ...string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.published) != published || !slices.Equal(b.disabled, disabled) {
		t.Errorf("%s: got publications %v and disabled %v, want %d and %v", rule, b.published, b.disabled,
			published, disabled)
	}
}

// publish starts a Publisher of the test client's Health.
func publish(t *testing.T, s *testClient) *recordingStore {
	t.Helper()
	b := &recordingStore{}
	p := NewPublisher(PublisherOptions{
		Health: s.Health, Store: b, RelayID: uuid.New(), Transient: func(err error) bool { return err != nil },
		Log: slog.New(slog.DiscardHandler),
	})
	p.Start(t.Context())
	t.Cleanup(p.Stop)
	return b
}

func TestPublisher_DisablesCredentialsOnlyWithProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"1"}}, row{name: "b", priority: 1})
		b := publish(t, s)
		ask := func(tenant string) {
			s.caller = callerOf(tenant, "1")
			s.try(t.Context())
			elapse(credentialCooldown)
			synctest.Wait()
		}
		// expect compares the disabled credentials alone.
		expect := func(rule string, disabled ...string) { t.Helper(); b.expect(t, rule, len(b.published), disabled...) }

		for _, refusal := range []int{401, 402, 403} {
			s.script["a"] = says(refusal, `{"error":{"code":"invalid_api_key"}}`)
			for range 5 {
				ask("acme")
			}
		}
		expect("the calls of one tenant prove nothing")
		ask("beta")
		s.script["a"] = says(200, chatCompletion)
		ask("gamma")
		s.script["a"] = says(401, `{}`)
		ask("gamma")
		ask("beta")
		expect("a success ends the series of refusals")
		ask("acme")
		expect("the calls of three tenants disable the credential", "of 1 denied")

		s.show(row{name: "a", keys: []string{"2"}}, row{name: "b", priority: 1})
		s.probeGets(probe.Result{Status: 401, Error: probe.ErrorCredential, Refusal: catalog.ReasonDenied})
		ask("acme")
		expect("a probe that is not certain proves nothing", "of 1 denied")
		s.probeGets(probe.Result{Status: 401, Error: probe.ErrorCredential,
			Refusal: catalog.ReasonDenied, Certain: true})
		s.caller = callerOf("acme", "1")
		s.try(t.Context())
		synctest.Wait()
		expect("a probe that is certain disables the credential at once", "of 1 denied", "of 2 denied")

		s.show(row{name: "c", keys: []string{"3"}})
		s.probeGets(probe.Result{Status: 200})
		s.script["c"] = says(429, `{"error":{"code":"insufficient_quota"}}`)
		b.setDown(true)
		for _, tenant := range []string{"acme", "beta", "gamma"} {
			s.caller = callerOf(tenant, "1")
			s.try(t.Context())
		}
		elapse(10 * time.Second)
		synctest.Wait()
		expect("during an outage of the database nothing is stored", "of 1 denied", "of 2 denied")
		b.setDown(false)
		elapse(publishEvery)
		synctest.Wait()
		expect("after the outage the credential is disabled", "of 1 denied", "of 2 denied", "of 3 unpaid")
	})
}

func TestPublisher_KeepsACredentialThatWorksAgainBeforeTheDatabase(t *testing.T) {
	for name, refuse := range map[string]func(s *testClient){
		"refused for three tenants": func(s *testClient) {
			s.script["a"] = says(402, `{}`)
			for _, tenant := range []string{"acme", "beta", "gamma"} {
				s.caller = callerOf(tenant, "1")
				s.try(s.t.Context())
			}
		},
		"refused by a probe": func(s *testClient) {
			s.probeGets(probe.Result{Status: 401, Error: probe.ErrorCredential, Refusal: catalog.ReasonDenied,
				Certain: true})
			s.script["a"] = says(403, `{}`) // does not count by itself
			s.try(s.t.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestClient(t, row{name: "a", keys: []string{"1"}})
				b := publish(t, s)
				b.setDown(true)
				refuse(s)
				synctest.Wait()
				if len(s.Health.refusals.toDisable()) != 1 {
					t.Fatal("the credential is not refused")
				}
				delete(s.script, "a")
				s.expect("the credential works again", "served by a", "a/1")
				b.setDown(false)
				elapse(2 * publishEvery)
				synctest.Wait()
				b.expect(t, "after the outage of the database nothing is disabled", len(b.published))
			})
		})
	}
}

func TestPublisher_PublishesChangesAndRemovesThemAtStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a"}, row{name: "b", priority: 1})
		b := &recordingStore{}
		p := NewPublisher(PublisherOptions{
			Health: s.Health, Store: b, RelayID: uuid.New(), Transient: func(err error) bool { return err != nil },
			Log: slog.New(slog.DiscardHandler),
		})
		p.Start(t.Context())
		elapse(10 * time.Second)
		b.expect(t, "nothing is published while all breakers are closed", 0)
		s.script["a"] = breaks
		for range 20 {
			s.try(t.Context())
		}
		elapse(publishEvery)
		synctest.Wait()
		b.expect(t, "many failures are published together", 1)
		if published := b.published[0]; len(published) != 1 || published[0].Model != "up-m" ||
			published[0].Code != "connect" || published[0].Failures != 1 {
			t.Errorf("first publication: got %+v, want one model with one failure", published)
		}
		elapse(10 * time.Second)
		b.expect(t, "nothing is published without a change", 1)
		elapse(publishAgain)
		b.expect(t, "unchanged rows are renewed before they expire", 2)
		delete(s.script, "a")
		s.try(t.Context())
		elapse(publishEvery)
		synctest.Wait()
		b.expect(t, "a recovery is published", 3)
		if published := b.published[2]; len(published) != 0 {
			t.Errorf("publication after the recovery: got %+v, want none", published)
		}
		s.script["a"] = breaks
		s.try(t.Context())
		elapse(publishEvery)
		synctest.Wait()
		p.Stop()
		b.expect(t, "Stop removes the relay's rows", 5)
		if published := b.published[4]; len(published) != 0 {
			t.Errorf("publication at Stop: got %+v, want none", published)
		}
	})
}

func TestHealth_ForgetsOldFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestClient(t, row{name: "a", keys: []string{"1", "2"}}, row{name: "b", priority: 1})
		s.script["a"] = says(401, `{}`)
		s.try(t.Context())
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) != 2 {
			t.Fatalf("got open breakers %+v, want 2", unhealthy)
		}
		elapse(credentialCooldown + forgetAfter)
		s.Health.sweep(time.Now())
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) != 2 {
			t.Errorf("got open breakers %+v before their time has passed, want 2", unhealthy)
		}
		elapse(time.Second)
		s.Health.sweep(time.Now())
		if unhealthy := s.Health.Unhealthy(); len(unhealthy) != 0 {
			t.Errorf("got open breakers %+v after their time has passed, want none", unhealthy)
		}
		elapse(idleModel)
		s.Health.sweep(time.Now())
		if models := *s.Health.models.Load(); len(models) != 0 || len(s.Health.refusals.series) != 0 {
			t.Errorf("got %d models and %d refusal counts, want none", len(models), len(s.Health.refusals.series))
		}
	})
}
