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
)

// board remembers what it was told, or fails.
type board struct {
	mu       sync.Mutex
	down     bool
	said     [][]UnhealthyLane
	disabled []string
}

func (b *board) PublishHealth(_ context.Context, _ tenant.Scope, _ uuid.UUID, ills []UnhealthyLane) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("no database")
	}
	b.said = append(b.said, ills)
	return nil
}

func (b *board) DisableCredential(_ context.Context, _ tenant.Scope, c CredentialRef, why catalog.DisabledReason) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return false, errors.New("no database")
	}
	b.disabled = append(b.disabled, c.Fingerprint+" "+string(why))
	return true, nil
}

func (b *board) setDown(down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = down
}

func (b *board) expect(t *testing.T, rule string, said int, disabled ...string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) != said || !slices.Equal(b.disabled, disabled) {
		t.Errorf("%s: said %v, disabled %v; want %d and %v", rule, b.said, b.disabled, said, disabled)
	}
}

func publish(t *testing.T, s *stand) *board {
	t.Helper()
	b := &board{}
	p := NewPublisher(PublisherOptions{
		Health: s.Health, Store: b, RelayID: uuid.New(), Transient: func(err error) bool { return err != nil }, Log: slog.New(slog.DiscardHandler),
	})
	p.Start(t.Context())
	t.Cleanup(p.Stop)
	return b
}

func TestCredentialsAreDisabledForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a", keys: []string{"1"}}, row{name: "b", priority: 1})
		b := publish(t, s)
		doubtful, certain := says(401, `{"error":{"message":"no"}}`), says(401, `{"error":{"code":"invalid_api_key"}}`)
		ask := func() { s.try(t.Context()); pass(credentialCooldown); synctest.Wait() }

		s.script["a"] = doubtful
		ask()
		ask()
		s.script["a"] = says(200, chatCompletion)
		ask()
		s.script["a"] = doubtful
		ask()
		ask()
		b.expect(t, "a success between ends the series", len(b.said))
		ask()
		b.expect(t, "three in a row", len(b.said), "of 1 denied")

		s.show(row{name: "a", keys: []string{"2"}}, row{name: "b", priority: 1})
		s.script["a"] = certain
		s.try(t.Context())
		synctest.Wait()
		b.expect(t, "one that is certain, at once", len(b.said), "of 1 denied", "of 2 denied")

		s.show(row{name: "c", keys: []string{"3"}})
		s.script["c"] = says(429, `{"error":{"code":"insufficient_quota"}}`)
		b.setDown(true)
		s.try(t.Context())
		pass(10 * time.Second)
		synctest.Wait()
		b.expect(t, "without a database nobody is told", len(b.said), "of 1 denied", "of 2 denied")
		b.setDown(false)
		pass(publishEvery)
		synctest.Wait()
		b.expect(t, "until it is back", len(b.said), "of 1 denied", "of 2 denied", "of 3 unpaid")
	})
}

func TestHealthIsToldOnChangeAndTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a"}, row{name: "b", priority: 1})
		b := &board{}
		p := NewPublisher(PublisherOptions{
			Health: s.Health, Store: b, RelayID: uuid.New(), Transient: func(err error) bool { return err != nil }, Log: slog.New(slog.DiscardHandler),
		})
		p.Start(t.Context())
		pass(10 * time.Second)
		b.expect(t, "all is well: nothing to say", 0)
		s.script["a"] = breaks
		for range 20 {
			s.try(t.Context())
		}
		pass(publishEvery)
		synctest.Wait()
		b.expect(t, "many failures are told at once", 1)
		if said := b.said[0]; len(said) != 1 || said[0].Model != "up-m" || said[0].Word != "connect" || said[0].Failures != 1 {
			t.Errorf("said %+v", said)
		}
		pass(10 * time.Second)
		b.expect(t, "nothing new", 1)
		pass(publishAgain)
		b.expect(t, "said again before it expires", 2)
		delete(s.script, "a")
		s.try(t.Context())
		pass(publishEvery)
		synctest.Wait()
		b.expect(t, "it is well again", 3)
		if said := b.said[2]; len(said) != 0 {
			t.Errorf("said %+v", said)
		}
		s.script["a"] = breaks
		s.try(t.Context())
		pass(publishEvery)
		synctest.Wait()
		p.Stop()
		b.expect(t, "a relay takes back what it said", 5)
		if said := b.said[4]; len(said) != 0 {
			t.Errorf("said %+v", said)
		}
	})
}

func TestMemoryOfFailuresEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, row{name: "a", keys: []string{"1", "2"}}, row{name: "b", priority: 1})
		s.script["a"] = says(401, `{}`)
		s.try(t.Context())
		if ills := s.Health.Unhealthy(); len(ills) != 2 {
			t.Fatalf("ills: %+v", ills)
		}
		pass(credentialCooldown + forgetAfter)
		s.Health.sweep(time.Now())
		if ills := s.Health.Unhealthy(); len(ills) != 2 {
			t.Errorf("forgotten too soon: %+v", ills)
		}
		pass(time.Second)
		s.Health.sweep(time.Now())
		if ills := s.Health.Unhealthy(); len(ills) != 0 {
			t.Errorf("not forgotten: %+v", ills)
		}
		pass(idleLane)
		s.Health.sweep(time.Now())
		if lanes := *s.Health.lanes.Load(); len(lanes) != 0 || len(s.Health.refusals.counts) != 0 {
			t.Errorf("%d lanes, %d counts are kept", len(lanes), len(s.Health.refusals.counts))
		}
	})
}
