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
	return idempotency.Key{ID: storetest.NewID(), TenantID: storetest.NewID(), TokenID: storetest.NewID(),
		Hash: []byte("key"), Mark: []byte("request"), RelayID: storetest.NewID()}
}

// claim claims the key for another call and returns what is stored.
func (s *keyStore) claim(key idempotency.Key, id uuid.UUID) idempotency.Key {
	s.t.Helper()
	key.ID = id
	return storetest.Need(s.Idempotency.Claim(background, platform, key))(s.t)
}

func TestClaim_ReturnsTheFirstCallOfTheKey(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		if got := s.claim(key, key.ID); got.ID != key.ID || got.State != idempotency.Running {
			t.Fatalf("first claim: got %+v", got)
		}
		if got := s.claim(key, storetest.NewID()); got.ID != key.ID || got.State != idempotency.Running ||
			!bytes.Equal(got.Mark, key.Mark) {
			t.Errorf("second claim: got %+v, want the first call", got)
		}
		other := key
		other.TokenID = storetest.NewID()
		if id := storetest.NewID(); s.claim(other, id).ID != id {
			t.Errorf("another token of the same tenant does not get its own key")
		}
		other.TokenID, other.Hash = key.TokenID, []byte("another key")
		if id := storetest.NewID(); s.claim(other, id).ID != id {
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
				mine.ID = storetest.NewID()
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
		storetest.Equal(t, "winners", winners, 1)
	})
}

func TestKeep_KeepsTheAnswerForADay(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		s.claim(key, key.ID)
		storetest.OK(t, s.Idempotency.Keep(background, platform, key.ID, []byte("sealed")))
		storetest.OK(t, s.Idempotency.Free(background, platform, key.ID)) // it is not running any more
		s.now = s.now.Add(idempotency.Lifetime - time.Second)
		if got := s.claim(key, storetest.NewID()); got.ID != key.ID || got.State != idempotency.Answered ||
			got.Size != 6 {
			t.Errorf("got %+v, want the answered key", got)
		}
		if got := storetest.Need(s.Idempotency.Answer(background, platform, key.ID))(t); string(got) != "sealed" {
			t.Errorf("got answer %q", got)
		}
		storetest.Equal(t, "bytes of the tenant",
			storetest.Need(s.Idempotency.AnswerBytes(background, platform, key.TenantID))(t), 6)
		storetest.Equal(t, "bytes of another tenant",
			storetest.Need(s.Idempotency.AnswerBytes(background, platform, storetest.NewID()))(t), 0)
		storetest.OK(t, s.Sweep(background, platform))
		if got := s.claim(key, storetest.NewID()); got.ID != key.ID {
			t.Errorf("the key was deleted before its end")
		}
		s.now = s.now.Add(time.Second)
		if id := storetest.NewID(); s.claim(key, id).ID != id {
			t.Errorf("the key is not free after its end")
		}
		if got := storetest.Need(s.Idempotency.Answer(background, platform, key.ID))(t); got != nil {
			t.Errorf("got answer %q after the end", got)
		}
	})
}

func TestSweep_DeletesExpiredKeys(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		s.claim(key, key.ID)
		storetest.OK(t, s.Idempotency.Keep(background, platform, key.ID, []byte("sealed")))
		s.now = s.now.Add(idempotency.Lifetime)
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Equal(t, "bytes of the tenant",
			storetest.Need(s.Idempotency.AnswerBytes(background, platform, key.TenantID))(t), 0)
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
	tenantID := storetest.NewID()
	storetest.Exec(t, url,
		fmt.Sprintf(
			`INSERT INTO idempotency_keys (id, tenant_id, token_id, key_hash, request_mark, relay_id, state, created_at, expires_at, size, answer)
		SELECT gen_random_uuid(), '%s', gen_random_uuid(), 'key', 'request', gen_random_uuid(), 'answered', now() - interval '25 hours', now() - interval '1 hour', 1, 'a'
		FROM generate_series(1, 210000)`, tenantID))
	storetest.Equal(t, "bytes before",
		storetest.Need(s.Idempotency.AnswerBytes(background, platform, tenantID))(t), 210_000)
	storetest.OK(t, s.Sweep(background, platform))
	storetest.Equal(t, "bytes afterwards",
		storetest.Need(s.Idempotency.AnswerBytes(background, platform, tenantID))(t), 0)
}

func TestFree_MakesARunningKeyFree(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		key := newIdempotencyKey()
		s.claim(key, key.ID)
		storetest.OK(t, s.Idempotency.Free(background, platform, key.ID))
		if id := storetest.NewID(); s.claim(key, id).ID != id {
			t.Errorf("the key is not free")
		}
	})
}

func TestResolve_DecidesByTheUsageLog(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		f := storetest.NewCustomer(t, s.Store, "acme")
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
				event := f.Call(f.Member, "m1", row.quota)
				event.Outcome = row.outcome
				storetest.Need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t)
				key.ID = event.ID
			}
			s.claim(key, key.ID)
			running := storetest.Need(s.Idempotency.Running(background, platform, key.RelayID))(t)
			if len(running) != 1 || running[0] != key.ID {
				t.Errorf("%s: got %v running, want %v", name, running, key.ID)
			}
			storetest.OK(t, s.Idempotency.Resolve(background, platform, key.ID))
			again := s.claim(key, storetest.NewID())
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
	storetest.OK(s.t, s.Idempotency.TakeOver(background, platform, lost.ID, func(tx *db.DB) error {
		_, err := metering.New(tx).RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{{Log: lost, Leased: []uuid.UUID{}}})
		return err
	}))
}

func TestTakeOver_RecordsAFailedCallUnlessTheEventIsRecorded(t *testing.T) {
	eachKeyStore(t, func(t *testing.T, s *keyStore) {
		f := storetest.NewCustomer(t, s.Store, "acme")
		for name, recorded := range map[string]bool{"the event is recorded": true, "the event comes later": false} {
			key, event := newIdempotencyKey(), f.Call(f.Member, "m1", 7)
			key.ID = event.ID
			s.claim(key, key.ID)
			if recorded {
				storetest.Need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t)
			}
			lost := event.Log
			lost.Outcome, lost.Quota, lost.Cost = usage.Failed, 0, 0
			for range 2 {
				s.takeOver(lost)
			}
			id := storetest.NewID()
			again := s.claim(key, id)
			if recorded && (again.ID != key.ID || !again.Lost) {
				t.Errorf("%s: got %+v, want the key charged and its answer lost", name, again)
			}
			if !recorded {
				storetest.Equal(t, name+": the key is free for", again.ID, id)
				storetest.Equal(t, name+": recorded",
					storetest.Need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t),
					0)
			}
		}
		key, event := newIdempotencyKey(), f.Call(f.Member, "m1", 7)
		key.ID = event.ID
		s.claim(key, key.ID)
		storetest.OK(t, s.Idempotency.Keep(background, platform, key.ID, []byte("sealed")))
		s.takeOver(event.Log)
		storetest.Equal(t, "the state of an answered key", s.claim(key, storetest.NewID()).State, idempotency.Answered)
		storetest.Equal(t, "the event of an answered key",
			storetest.Need(s.Metering.RecordEvents(background, platform, key.RelayID, []usage.Event{event}))(t), 1)
	})
}
