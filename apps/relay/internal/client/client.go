// Package client collects from which addresses and with which programs tokens are used, and writes it to the database
// every few seconds, so that their owners can see it. A call waits for nothing but the lock of one shard.
//
// The memory is bounded: between two writes, a shard holds at most maxClients clients, and a token has at most
// client.PerToken clients and one for all further ones. The calls of a client that finds no room, and what a write
// loses because the database does not answer, are lost and counted by a metric: no bill depends on them.
package client

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/periodic"
	"github.com/tollgate/tollgate/libs/store/client"
)

const (
	writeEvery = 5 * time.Second
	writeTime  = 10 * time.Second // time-out of all transactions of one write
	shards     = 16
	maxClients = 1000 // of a shard between two writes
	batch      = 500  // about the number of clients in one transaction
)

// Store is the part of the store that a Recorder writes.
type Store interface {
	Record(ctx context.Context, scope tenant.Scope, clients []usage.Client, keep time.Duration) error
}

// Options are the dependencies of a Recorder. All are required.
type Options struct {
	Store    Store
	Scope    tenant.Scope
	Keep     time.Duration // how long a client that is not used is stored; 0: nothing is collected
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// Recorder collects clients of tokens. It is safe for concurrent use.
type Recorder struct {
	Options
	lost   prometheus.Counter
	shards [shards]shard

	writing *periodic.Task
}

// shard holds the clients of some tokens.
type shard struct {
	mu     sync.Mutex
	tokens map[uuid.UUID][]usage.Client
	size   int // number of clients of all tokens
}

// New returns a Recorder, which writes nothing before Start.
func New(o Options) *Recorder {
	r := &Recorder{
		Options: o,
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tollgate_clients_lost_total",
			Help: "Calls that are not in the list of the clients of a token: too many waited for the database, or it " +
				"did not answer.",
		}),
	}
	for i := range r.shards {
		r.shards[i].tokens = map[uuid.UUID][]usage.Client{}
	}
	r.writing = periodic.New(writeEvery, func(context.Context) { r.write() })
	o.Registry.MustRegister(r.lost)
	return r
}

// Add counts a call. It keeps no memory of the request.
func (r *Recorder) Add(call usage.Client) {
	if r.Keep == 0 {
		return
	}
	if !call.Address.IsValid() {
		call = call.Further()
	}
	// The last bytes of an id are random.
	s := &r.shards[call.TokenID[len(call.TokenID)-1]%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.add(&call) {
		r.lost.Add(float64(call.Calls))
	}
}

// add counts a call, and returns false if there is no room for its client.
func (s *shard) add(call *usage.Client) bool {
	clients := s.tokens[call.TokenID]
	if s.count(clients, call) {
		return true
	}
	if len(clients) >= client.PerToken && call.Address.IsValid() {
		*call = call.Further()
		if s.count(clients, call) {
			return true
		}
	}
	if s.size >= maxClients {
		return false
	}
	call.Agent = strings.Clone(call.Agent)
	s.tokens[call.TokenID] = append(clients, *call)
	s.size++
	return true
}

// count counts a call of a client that is among the clients.
func (*shard) count(clients []usage.Client, call *usage.Client) bool {
	for i := range clients {
		if clients[i].Address == call.Address && clients[i].Agent == call.Agent {
			clients[i].Add(call)
			return true
		}
	}
	return false
}

// take returns what the shard has collected, by token, and forgets it.
func (s *shard) take() map[uuid.UUID][]usage.Client {
	empty := map[uuid.UUID][]usage.Client{}
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens := s.tokens
	s.tokens, s.size = empty, 0
	return tokens
}

// Start starts the goroutine, unless nothing is collected. It runs until Stop.
func (r *Recorder) Start(ctx context.Context) {
	if r.Keep > 0 {
		r.writing.Start(ctx)
	}
}

// Stop ends the goroutine and writes what was collected. It may be called twice, and before Start.
func (r *Recorder) Stop() {
	r.writing.Stop()
	r.write()
}

// write writes what was collected since the write before. What it cannot write is lost.
func (r *Recorder) write() {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	var clients []usage.Client
	for i := range r.shards {
		for _, part := range r.shards[i].take() {
			clients = append(clients, part...)
			if len(clients) >= batch {
				r.record(ctx, clients)
				clients = nil
			}
		}
	}
	if len(clients) > 0 {
		r.record(ctx, clients)
	}
}

// record writes clients in one transaction.
func (r *Recorder) record(ctx context.Context, clients []usage.Client) {
	err := r.Store.Record(ctx, r.Scope, clients, r.Keep)
	if err == nil {
		return
	}
	var lost int64
	for i := range clients {
		lost += clients[i].Calls
	}
	r.lost.Add(float64(lost))
	r.Log.Warn("clients of tokens are lost", "calls", lost, "error", err)
}
