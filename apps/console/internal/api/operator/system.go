package operator

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/queue"
	"github.com/tollgate/tollgate/libs/store/relay"
)

// Queues shows the queues of background work and the processes that serve them.
type Queues struct {
	Status  string   `json:"status" enum:"ok,failing,unknown" doc:"unknown: the console is not configured with a Redis. failing: Redis does not respond"`
	Queues  []Queue  `json:"queues"`
	Workers []Worker `json:"workers" doc:"Processes that run tasks and reported within the last seconds"`
	Policy  string   `json:"eviction_policy" doc:"maxmemory-policy of Redis if it permits Redis to delete tasks and counts of limits when its memory is full; empty if it does not, or if it is not known"`
}

// Queue shows the state of one queue.
type Queue struct {
	Name           string `json:"name"`
	Pending        int    `json:"pending" doc:"Number of tasks that are ready to run"`
	Active         int    `json:"active" doc:"Number of tasks that are running"`
	Scheduled      int    `json:"scheduled" doc:"Number of tasks that run at a later time"`
	Retry          int    `json:"retry" doc:"Number of failed tasks that will be retried"`
	Archived       int    `json:"archived" doc:"Number of failed tasks that will not be retried"`
	LatencyMS      int64  `json:"latency_ms" doc:"Age of the oldest task that is ready to run"`
	ProcessedToday int    `json:"processed_today" doc:"Number of tasks that ran today (UTC), including failed ones"`
	FailedToday    int    `json:"failed_today" doc:"Number of tasks that failed today (UTC)"`
	Paused         bool   `json:"paused"`
}

// Worker describes a process that runs tasks.
type Worker struct {
	ID        string    `json:"id"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Status    string    `json:"status" example:"active"`
	StartedAt time.Time `json:"started_at"`
	Active    int       `json:"active" doc:"Number of tasks that it is running"`
}

// Relay shows the last report of a relay.
type Relay struct {
	ID        uuid.UUID    `json:"id"`
	SeenAt    time.Time    `json:"seen_at" doc:"Time of its last report. Relays report every 10 seconds"`
	Version   string       `json:"version" doc:"Version of the relay"`
	State     string       `json:"state" enum:",serving,draining,stopped" doc:"State that the relay reported; empty if it reported none"`
	StartedAt *time.Time   `json:"started_at" nullable:"true"`
	InFlight  int64        `json:"in_flight" doc:"Number of requests in flight"`
	Leases    int          `json:"leases" doc:"Number of accounts of which it has leased quota"`
	Leased    money.Amount `json:"leased" doc:"Sum of its leased quota"`
	Spool     Spool        `json:"spool"`
	Bodies    BodyMemory   `json:"body_memory"`
}

// BodyMemory shows the memory of the request bodies on a relay.
type BodyMemory struct {
	Bytes    int64 `json:"bytes" doc:"Memory that request bodies use"`
	MaxBytes int64 `json:"max_bytes" doc:"Upper bound of that memory; 0 if the relay did not report one"`
	Waiting  int64 `json:"waiting" doc:"Number of requests that wait for memory"`
	Refused  int64 `json:"refused" doc:"Number of requests that found no memory since the start of the relay"`
}

// Spool shows the usage events that a relay has not yet written to the database.
type Spool struct {
	Events   *int64     `json:"events" nullable:"true" doc:"Number of usage events; null if there are more than 16,000"`
	Bytes    int64      `json:"bytes" doc:"Size of the spool on disk"`
	OldestAt *time.Time `json:"oldest_at" nullable:"true" doc:"When the call of the oldest event ended; null if there is none, or if it is only on disk and not in memory"`
}

// Leases shows the quota that relays have leased.
type Leases struct {
	Kinds   []LeasedKind    `json:"kinds"`
	Largest []LeasedAccount `json:"largest" doc:"The ten accounts with the most leased quota"`
}

// LeasedKind shows the quota leased from all accounts of one kind.
type LeasedKind struct {
	Kind   string       `json:"kind" doc:"Kind of account: tenant, tenant_cap (a tenant's budget), user or token"`
	Leases int          `json:"leases"`
	Amount money.Amount `json:"amount"`
}

// LeasedAccount shows the quota leased from one account.
type LeasedAccount struct {
	AccountID uuid.UUID    `json:"account_id" doc:"Id of the tenant, user or token; the account of a budget has an id of its own"`
	Kind      string       `json:"kind"`
	TenantID  *uuid.UUID   `json:"tenant_id" nullable:"true"`
	Leases    int          `json:"leases" doc:"Number of relays that have leased quota from the account"`
	Amount    money.Amount `json:"amount"`
}

// Storage shows the size of the database.
type Storage struct {
	Bytes      int64 `json:"bytes"`
	Partitions int   `json:"partitions" doc:"Number of partitions of the usage logs; 0 if they are not partitioned"`
}

// Inspector reads the state of the queues and their workers. It returns an error if Redis does not respond.
type Inspector interface {
	Queues() ([]queue.Stats, error)
	Workers() ([]queue.Worker, error)
	Policy(ctx context.Context) (string, error)
}

// queuesNow returns the state of the queues. If Redis does not respond, it returns
// the status failing and no error, because the rest of the page does not need Redis.
func (h *handlers) queuesNow(ctx context.Context) Queues {
	body := Queues{Status: "unknown", Queues: []Queue{}, Workers: []Worker{}}
	if h.Inspector == nil {
		return body
	}
	states, err := h.Inspector.Queues()
	workers := []queue.Worker{}
	if err == nil {
		workers, err = h.Inspector.Workers()
	}
	if err == nil {
		body.Policy, err = h.Inspector.Policy(ctx)
	}
	if err != nil {
		h.Log.WarnContext(ctx, "reading the state of the queues failed", "error", err)
		body.Status = "failing"
		return body
	}
	body.Status = "ok"
	for _, s := range states {
		body.Queues = append(body.Queues, Queue{
			Name: s.Name, Pending: s.Pending, Active: s.Active, Scheduled: s.Scheduled, Retry: s.Retry,
			Archived:  s.Archived,
			LatencyMS: s.Latency.Milliseconds(), ProcessedToday: s.Processed, FailedToday: s.Failed, Paused: s.Paused,
		})
	}
	for _, w := range workers {
		body.Workers = append(body.Workers, Worker{ID: w.ID, Host: w.Host, PID: w.PID, Status: w.Status,
			StartedAt: w.StartedAt.UTC(), Active: w.Active})
	}
	return body
}

// relayOf returns the last report of a relay as the API shows it. A relay
// reports a negative number of events if its spool has more than it counts.
func relayOf(r *relay.Status) Relay {
	body := Relay{
		ID: r.ID, SeenAt: r.SeenAt.UTC(), Version: r.Version, State: r.State, StartedAt: null.Time(r.StartedAt),
		InFlight: r.InFlight,
		Leases:   r.Leases, Leased: r.Leased, Spool: Spool{Bytes: r.SpoolBytes, OldestAt: null.Time(r.SpoolOldestAt)},
		Bodies: BodyMemory{Bytes: r.BodyBytes, MaxBytes: r.BodyMaxBytes, Waiting: r.BodyWaiting,
			Refused: r.BodyRefused},
	}
	if r.SpoolEvents >= 0 {
		body.Spool.Events = &r.SpoolEvents
	}
	return body
}

// systemOf adds the relays, the leases and the size of the database to health.
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
		health.Leases.Kinds = append(health.Leases.Kinds,
			LeasedKind{Kind: string(k.Kind), Leases: k.Leases, Amount: k.Amount})
	}
	for _, l := range largest {
		health.Leases.Largest = append(health.Leases.Largest, LeasedAccount{
			AccountID: l.AccountID, Kind: string(l.Kind), TenantID: null.ID(l.TenantID), Leases: l.Leases,
			Amount: l.Amount,
		})
	}
	size, err := h.Store.Metering.Size(ctx, api.ScopeOf(ctx))
	health.Storage = Storage(size)
	return err
}
