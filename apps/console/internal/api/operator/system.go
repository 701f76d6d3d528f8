package operator

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store/relay"
)

// Queues are the queues of background work and who serves them.
type Queues struct {
	Status  string   `json:"status" enum:"ok,failing,unknown" doc:"unknown: the console was not told of a Redis. failing: Redis does not answer"`
	Queues  []Queue  `json:"queues"`
	Workers []Worker `json:"workers" doc:"Processes that run tasks and were heard of within seconds"`
}

// Queue is the state of one queue.
type Queue struct {
	Name           string `json:"name"`
	Pending        int    `json:"pending" doc:"Ready to run"`
	Active         int    `json:"active"`
	Scheduled      int    `json:"scheduled" doc:"For a time to come"`
	Retry          int    `json:"retry" doc:"Failed, and tried again later"`
	Archived       int    `json:"archived" doc:"Failed for good"`
	LatencyMS      int64  `json:"latency_ms" doc:"Age of the oldest that is ready"`
	ProcessedToday int    `json:"processed_today" doc:"In UTC, whatever came of it"`
	FailedToday    int    `json:"failed_today"`
	Paused         bool   `json:"paused"`
}

// Worker is a process that runs tasks.
type Worker struct {
	ID        string    `json:"id"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Status    string    `json:"status" example:"active"`
	StartedAt time.Time `json:"started_at"`
	Active    int       `json:"active" doc:"Tasks that it runs"`
}

// Relay is a relay as it was heard of last.
type Relay struct {
	ID        uuid.UUID    `json:"id"`
	SeenAt    time.Time    `json:"seen_at" doc:"A sign of life comes every 10 seconds"`
	Version   string       `json:"version" doc:"Of its build"`
	State     string       `json:"state" enum:",serving,draining,stopped" doc:"As it said; empty: it said nothing"`
	StartedAt *time.Time   `json:"started_at" nullable:"true"`
	InFlight  int64        `json:"in_flight" doc:"Requests being served"`
	Leases    int          `json:"leases" doc:"Accounts of which it holds quota"`
	Leased    money.Amount `json:"leased" doc:"How much, in all"`
	Spool     Spool        `json:"spool"`
}

// Spool is what a relay has not recorded in the database yet.
type Spool struct {
	Events   *int64     `json:"events" nullable:"true" doc:"null: more than 16,000"`
	Bytes    int64      `json:"bytes"`
	OldestAt *time.Time `json:"oldest_at" nullable:"true" doc:"Of the oldest event; null where there is none, or it lies on the disk alone"`
}

// Leases are what relays hold of accounts.
type Leases struct {
	Kinds   []LeasedKind    `json:"kinds"`
	Largest []LeasedAccount `json:"largest" doc:"The ten accounts of which most is held"`
}

// LeasedKind is what is held of one kind of account.
type LeasedKind struct {
	Kind   string       `json:"kind" doc:"Of account: tenant, tenant_cap, user, token"`
	Leases int          `json:"leases"`
	Amount money.Amount `json:"amount"`
}

// LeasedAccount is what is held of one account.
type LeasedAccount struct {
	AccountID uuid.UUID    `json:"account_id" doc:"Of the tenant, user or token; of a period's cap it has an id of its own"`
	Kind      string       `json:"kind"`
	TenantID  *uuid.UUID   `json:"tenant_id" nullable:"true"`
	Leases    int          `json:"leases" doc:"Relays that hold some of it"`
	Amount    money.Amount `json:"amount"`
}

// Storage is how much the database takes.
type Storage struct {
	Bytes      int64 `json:"bytes"`
	Partitions int   `json:"partitions" doc:"Of the usage logs; 0 where they have none"`
}

// Inspector reads what queues and workers do.
type Inspector interface {
	Queues() ([]queue.Stats, error)
	Workers() ([]queue.Worker, error)
}

// queuesNow never fails: Redis may be away.
func (h *handlers) queuesNow(ctx context.Context) Queues {
	shown := Queues{Status: "unknown", Queues: []Queue{}, Workers: []Worker{}}
	if h.Inspector == nil {
		return shown
	}
	states, err := h.Inspector.Queues()
	workers := []queue.Worker{}
	if err == nil {
		workers, err = h.Inspector.Workers()
	}
	if err != nil {
		h.Log.WarnContext(ctx, "the queues cannot be read", "error", err)
		shown.Status = "failing"
		return shown
	}
	shown.Status = "ok"
	for _, s := range states {
		shown.Queues = append(shown.Queues, Queue{
			Name: s.Name, Pending: s.Pending, Active: s.Active, Scheduled: s.Scheduled, Retry: s.Retry, Archived: s.Archived,
			LatencyMS: s.Latency.Milliseconds(), ProcessedToday: s.Processed, FailedToday: s.Failed, Paused: s.Paused,
		})
	}
	for _, w := range workers {
		shown.Workers = append(shown.Workers, Worker{ID: w.ID, Host: w.Host, PID: w.PID, Status: w.Status, StartedAt: w.StartedAt.UTC(), Active: w.Active})
	}
	return shown
}

func relayOf(r *relay.Status) Relay {
	shown := Relay{
		ID: r.ID, SeenAt: r.SeenAt.UTC(), Version: r.Version, State: r.State, StartedAt: api.NullableTime(r.StartedAt), InFlight: r.InFlight,
		Leases: r.Leases, Leased: r.Leased, Spool: Spool{Bytes: r.SpoolBytes, OldestAt: api.NullableTime(r.SpoolOldestAt)},
	}
	if r.SpoolEvents >= 0 {
		shown.Spool.Events = &r.SpoolEvents
	}
	return shown
}

// systemOf adds what relays, leases and the database are like.
func (h *handlers) systemOf(ctx context.Context, health *Health) error {
	relays, err := h.Store.Relay.Relays(ctx, api.ScopeOf(ctx))
	if err != nil {
		return err
	}
	for i := range relays {
		health.Relays = append(health.Relays, relayOf(&relays[i]))
	}
	kinds, largest, err := h.Store.Relay.LeasesHeld(ctx, api.ScopeOf(ctx))
	if err != nil {
		return err
	}
	for _, k := range kinds {
		health.Leases.Kinds = append(health.Leases.Kinds, LeasedKind{Kind: string(k.Kind), Leases: k.Leases, Amount: k.Amount})
	}
	for _, l := range largest {
		health.Leases.Largest = append(health.Leases.Largest, LeasedAccount{
			AccountID: l.AccountID, Kind: string(l.Kind), TenantID: api.NullableID(l.TenantID), Leases: l.Leases, Amount: l.Amount,
		})
	}
	size, err := h.Store.Metering.Size(ctx, api.ScopeOf(ctx))
	health.Storage = Storage(size)
	return err
}
