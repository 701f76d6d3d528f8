package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/client"
)

const keep = 90 * 24 * time.Hour

// fakeStore keeps what is recorded, or fails.
type fakeStore struct {
	clients []usage.Client
	writes  int
	err     error
}

func (s *fakeStore) Record(_ context.Context, _ tenant.Scope, clients []usage.Client, _ time.Duration) error {
	s.clients, s.writes = append(s.clients, clients...), s.writes+1
	return s.err
}

func start(t testing.TB, store Store, keep time.Duration) *Recorder {
	t.Helper()
	r := New(Options{Store: store, Scope: tenant.SystemScope("relay"), Keep: keep, Log: slog.New(slog.DiscardHandler),
		Registry: prometheus.NewRegistry()})
	r.Start(t.Context())
	t.Cleanup(r.Stop)
	return r
}

// called returns a call with a token from the address of a number.
func called(token uuid.UUID, address int, agent string) usage.Client {
	return usage.Client{TokenID: token, Address: netip.AddrFrom4([4]byte{192, 0, byte(address >> 8), byte(address)}),
		Agent: agent, FirstAt: time.Now(), LastAt: time.Now(), Calls: 1}
}

func TestRecorder_CountsTheCallsOfAnAddressAndAnAgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		r := start(t, store, keep)
		token, began := uuid.New(), time.Now()
		r.Add(called(token, 1, "curl/8"))
		time.Sleep(time.Second) //nolint:forbidigo // on the fake clock
		r.Add(called(token, 1, "curl/8"))
		r.Add(called(token, 1, usage.AgentOf(strings.Repeat("x", 1000))))
		r.Add(called(token, 1, usage.AgentOf(strings.Repeat("x", 2000)))) // the same when it is cut
		r.Add(usage.Client{TokenID: token, Agent: "no address", FirstAt: time.Now(), LastAt: time.Now(), Calls: 1})
		time.Sleep(writeEvery) //nolint:forbidigo // on the fake clock
		synctest.Wait()
		if len(store.clients) != 3 || store.writes != 1 {
			t.Fatalf("got %d clients in %d writes, want 3 in 1", len(store.clients), store.writes)
		}
		curl, long, none := store.clients[0], store.clients[1], store.clients[2]
		if curl.Calls != 2 || !curl.FirstAt.Equal(began) || !curl.LastAt.Equal(began.Add(time.Second)) {
			t.Errorf("got %+v, want two calls a second after each other", curl)
		}
		if long.Calls != 2 || len(long.Agent) != usage.MaxAgent {
			t.Errorf("got %d calls with an agent of %d bytes, want 2 with %d", long.Calls, len(long.Agent),
				usage.MaxAgent)
		}
		if none.Agent != "" || none.Address.IsValid() {
			t.Errorf("got %+v, want a further client", none)
		}
		time.Sleep(10 * writeEvery) //nolint:forbidigo // on the fake clock
		synctest.Wait()
		r.Add(called(token, 1, "curl/8"))
		r.Stop()
		if store.writes != 2 || store.clients[3].Calls != 1 {
			t.Errorf("got %d writes, want one more at the end, and none without calls", store.writes)
		}
	})
}

func TestRecorder_CountsFurtherClientsOfATokenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{}
		r := start(t, store, keep)
		token := uuid.New()
		for i := range 1000 {
			r.Add(called(token, i, fmt.Sprint("agent ", i)))
		}
		r.Add(called(token, 0, "agent 0"))
		r.Stop()
		if len(store.clients) != client.PerToken+1 {
			t.Fatalf("got %d clients, want %d", len(store.clients), client.PerToken+1)
		}
		first, further := store.clients[0], store.clients[client.PerToken]
		if first.Calls != 2 || further.Calls != 1000-client.PerToken || further != further.Further() {
			t.Errorf("got %+v and %+v", first, further)
		}
	})
}

func TestRecorder_IsBoundedAndCountsWhatItLoses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{err: errors.New("the database is down")}
		r := start(t, store, keep)
		const calls = 2 * shards * maxClients
		for i := range calls {
			token := uuid.New()
			token[15] = byte(i)
			r.Add(called(token, 1, ""))
		}
		if lost := testutil.ToFloat64(r.lost); lost != calls/2 {
			t.Errorf("got %v lost calls for which there is no room, want %d", lost, calls/2)
		}
		time.Sleep(writeEvery) //nolint:forbidigo // on the fake clock
		synctest.Wait()
		if lost := testutil.ToFloat64(r.lost); lost != calls {
			t.Errorf("got %v lost calls, want %d", lost, calls)
		}
		if store.writes != shards*maxClients/batch {
			t.Errorf("got %d writes, want %d", store.writes, shards*maxClients/batch)
		}
		for i := range r.shards {
			if r.shards[i].size != 0 || len(r.shards[i].tokens) != 0 {
				t.Error("what was lost is still in memory")
			}
		}
	})
}

func TestRecorder_CollectsNothingIfNothingIsKept(t *testing.T) {
	t.Parallel()
	store := &fakeStore{}
	r := start(t, store, 0)
	r.Add(called(uuid.New(), 1, "curl/8"))
	r.Stop()
	if store.writes != 0 {
		t.Errorf("got %d writes, want none", store.writes)
	}
}

func TestAdd_AllocatesNothingForAKnownClient(t *testing.T) {
	r := New(Options{Keep: keep, Registry: prometheus.NewRegistry()})
	call := called(uuid.New(), 1, "OpenAI/Python 2.1.0")
	if n := testing.AllocsPerRun(100, func() { r.Add(call) }); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

// The benchmark measures what a call costs whose client is known, with twenty clients of its token.
func BenchmarkAdd(b *testing.B) {
	r := New(Options{Keep: keep, Registry: prometheus.NewRegistry()})
	token := uuid.New()
	for i := range client.PerToken {
		r.Add(called(token, i, "OpenAI/Python 2.1.0"))
	}
	call := called(token, client.PerToken-1, "OpenAI/Python 2.1.0")
	b.ReportAllocs()
	for b.Loop() {
		r.Add(call)
	}
}
