package store_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// keyStore is a store of idempotency keys with a clock that the test sets.
type keyStore struct {
	*store.Store
	t   *testing.T
	now time.Time
}

// eachKeyStore runs the test on each kind of database.
func eachKeyStore(t *testing.T, test func(t *testing.T, s *keyStore)) {
	t.Helper()
	t.Parallel()
	for name, kind := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &keyStore{t: t, now: time.Now().UTC().Truncate(time.Microsecond)}
			s.Store = storetest.Open(t, db.Options{URL: kind(t), Now: func() time.Time { return s.now }})
			test(t, s)
		})
	}
}

// newIdempotencyKey returns the key of another call of a new token.
func newIdempotencyKey() idempotency.Key {
	return idempotency.Key{ID: newID(), TenantID: newID(), TokenID: newID(), Hash: []byte("key"),
		Mark: []byte("request"), RelayID: newID()}
}

// claim claims the key for another call and returns what is stored.
func (s *keyStore) claim(key idempotency.Key, id uuid.UUID) idempotency.Key {
	s.t.Helper()
	key.ID = id
	return need(s.Idempotency.Claim(background, platform, key))(s.t)
}

func TestClaim_ReturnsTheFirstCallOfTheKey(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		if got := s.claim(key, key.ID); got.ID != key.ID || got.State != idempotency.Running {
			t.Fatalf("first claim: got %+v", got)
		}
		if got := s.claim(key, newID()); got.ID != key.ID || got.State != idempotency.Running ||
			!bytes.Equal(got.Mark, key.Mark) {
			t.Errorf("second claim: got %+v, want the first call", got)
		}
		other := key
		other.TokenID = newID()
		if id := newID(); s.claim(other, id).ID != id {
			t.Errorf("another token of the same tenant does not get its own key")
		}
		other.TokenID, other.Hash = key.TokenID, []byte("another key")
		if id := newID(); s.claim(other, id).ID != id {
			t.Errorf("another key of the same token is not free")
		}
	})
}

func TestClaim_IsWonByOneOfManyConcurrentCalls(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		var wins sync.Map
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				mine := key
				mine.ID = newID()
				got, err := s.Idempotency.Claim(background, platform, mine)
				if err != nil {
					t.Error(err)
				}
				wins.Store(got.ID, nil)
			})
		}
		wg.Wait()
		winners := 0
		wins.Range(func(any, any) bool { winners++; return true })
		equal(t, "winners", winners, 1)
	})
}

func TestKeep_KeepsTheAnswerForADay(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		s.claim(key, key.ID)
		ok(t, s.Idempotency.Keep(background, platform, key.ID, []byte("sealed")))
		ok(t, s.Idempotency.Free(background, platform, key.ID)) // it is not running any more
		s.now = s.now.Add(idempotency.Lifetime - time.Second)
		if got := s.claim(key, newID()); got.ID != key.ID || got.State != idempotency.Answered || got.Size != 6 {
			t.Errorf("got %+v, want the answered key", got)
		}
		if got := need(s.Idempotency.Answer(background, platform, key.ID))(t); string(got) != "sealed" {
			t.Errorf("got answer %q", got)
		}
		equal(t, "bytes of the tenant", need(s.Idempotency.Kept(background, platform, key.TenantID))(t), 6)
		equal(t, "bytes of another tenant", need(s.Idempotency.Kept(background, platform, newID()))(t), 0)
		ok(t, s.Sweep(background, platform))
		if got := s.claim(key, newID()); got.ID != key.ID {
			t.Errorf("the key was deleted before its end")
		}
		s.now = s.now.Add(time.Second)
		if id := newID(); s.claim(key, id).ID != id {
			t.Errorf("the key is not free after its end")
		}
		if got := need(s.Idempotency.Answer(background, platform, key.ID))(t); got != nil {
			t.Errorf("got answer %q after the end", got)
		}
	})
}

func TestSweep_DeletesExpiredKeys(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		s.claim(key, key.ID)
		ok(t, s.Idempotency.Keep(background, platform, key.ID, []byte("sealed")))
		s.now = s.now.Add(idempotency.Lifetime)
		ok(t, s.Sweep(background, platform))
		equal(t, "bytes of the tenant", need(s.Idempotency.Kept(background, platform, key.TenantID))(t), 0)
	})
}

// A busy installation makes more keys in the hour between two sweeps than one sweep once deleted.
func TestSweep_DeletesTheKeysOfABusyInstallation(t *testing.T) {
	if testing.Short() {
		t.Skip("stores many rows")
	}
	t.Parallel()
	url := storetest.Postgres(t)
	s := storetest.Open(t, db.Options{URL: url})
	tenantID := newID()
	storetest.Exec(t, url,
		fmt.Sprintf(
			`INSERT INTO idempotency_keys (id, tenant_id, token_id, key_hash, request_mark, relay_id, state, created_at, expires_at, size, answer)
		SELECT gen_random_uuid(), '%s', gen_random_uuid(), 'key', 'request', gen_random_uuid(), 'answered', now() - interval '25 hours', now() - interval '1 hour', 1, 'a'
		FROM generate_series(1, 210000)`, tenantID))
	equal(t, "bytes before", need(s.Idempotency.Kept(background, platform, tenantID))(t), 210_000)
	ok(t, s.Sweep(background, platform))
	equal(t, "bytes afterwards", need(s.Idempotency.Kept(background, platform, tenantID))(t), 0)
}

func TestFree_MakesARunningKeyFree(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		s.claim(key, key.ID)
		ok(t, s.Idempotency.Free(background, platform, key.ID))
		if id := newID(); s.claim(key, id).ID != id {
			t.Errorf("the key is not free")
		}
	})
}

func TestResolve_DecidesByTheUsageLog(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		f := newCustomer(t, s.Store, "acme")
		for name, row := range map[string]struct {
			outcome usage.Outcome // "": the call has no usage log
			quota   money.Amount
			charged bool
		}{
			"no usage log":               {"", 0, false},
			"success":                    {usage.Success, 1, true},
			"success free of charge":     {usage.Success, 0, true},
			"broken off and charged":     {usage.Partial, 1, true},
			"broken off, free of charge": {usage.Partial, 0, false},
			"failed":                     {usage.Failed, 0, false},
			"failed and charged in part": {usage.Failed, 1, true},
		} {
			key := newIdempotencyKey()
			if row.outcome != "" {
				event := f.call(f.member, "m1", row.quota)
				event.Outcome = row.outcome
				need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t)
				key.ID = event.ID
			}
			s.claim(key, key.ID)
			running := need(s.Idempotency.Running(background, platform, key.RelayID))(t)
			if len(running) != 1 || running[0] != key.ID {
				t.Errorf("%s: got %v running, want %v", name, running, key.ID)
			}
			ok(t, s.Idempotency.Resolve(background, platform, key.ID))
			again := s.claim(key, newID())
			if charged := again.State == idempotency.Charged && again.Lost &&
				again.ID == key.ID; charged != row.charged {
				t.Errorf("%s: got %+v, want charged %v", name, again, row.charged)
			}
		}
	})
}

// takeOver takes over the key of the call with the usage log.
func (s *keyStore) takeOver(lost usage.Log) {
	s.t.Helper()
	ok(s.t, s.Idempotency.TakeOver(background, platform, lost.ID, func(tx *db.DB) error {
		_, err := metering.New(tx).RecordEvents(background, platform, newID(),
			[]usage.Event{{Log: lost, Leased: []uuid.UUID{}}})
		return err
	}))
}

func TestTakeOver_RecordsAFailedCallUnlessTheEventIsRecorded(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		f := newCustomer(t, s.Store, "acme")
		for name, recorded := range map[string]bool{"the event is recorded": true, "the event comes later": false} {
			key, event := newIdempotencyKey(), f.call(f.member, "m1", 7)
			key.ID = event.ID
			s.claim(key, key.ID)
			if recorded {
				need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t)
			}
			lost := event.Log
			lost.Outcome, lost.Quota, lost.Cost = usage.Failed, 0, 0
			for range 2 {
				s.takeOver(lost)
			}
			id := newID()
			again := s.claim(key, id)
			if recorded && (again.ID != key.ID || !again.Lost) {
				t.Errorf("%s: got %+v, want the key charged and its answer lost", name, again)
			}
			if !recorded {
				equal(t, name+": the key is free for", again.ID, id)
				equal(t, name+": recorded",
					need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t), 0)
			}
		}
		key, event := newIdempotencyKey(), f.call(f.member, "m1", 7)
		key.ID = event.ID
		s.claim(key, key.ID)
		ok(t, s.Idempotency.Keep(background, platform, key.ID, []byte("sealed")))
		s.takeOver(event.Log)
		equal(t, "the state of an answered key", s.claim(key, newID()).State, idempotency.Answered)
		equal(t, "the event of an answered key",
			need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t), 1)
	})
}
