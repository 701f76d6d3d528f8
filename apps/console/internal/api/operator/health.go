package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/store/reconcile"
)

// Health is the state of the platform.
type Health struct {
	Database       string         `json:"database" enum:"ok,failing"`
	ChangeVersion  int64          `json:"change_version" doc:"Of the catalogue that relays should have by now"`
	OutboxDepth    int            `json:"outbox_depth" doc:"Usage that is not in the summaries yet, counted up to 10,000; stays near 0 while a worker runs"`
	Reconciliation Reconciliation `json:"reconciliation" doc:"Of what is written down in several places"`
	Queues         Queues         `json:"queues"`
	Relays         []Relay        `json:"relays" doc:"Heard of latest first, up to 100; one that is away is forgotten after 30 days"`
	Leases         Leases         `json:"leases"`
	Storage        Storage        `json:"storage"`
}

// Reconciliation is what the comparisons of usage logs, summaries, accounts,
// leases and the ledger found.
type Reconciliation struct {
	CheckedAt    *time.Time `json:"checked_at" nullable:"true" doc:"End of the last run that compared everything due; null before the first"`
	HoursChecked int        `json:"hours_checked" doc:"Hours of usage that the last run compared"`
	HoursOpen    int        `json:"hours_open" doc:"Hours that wait for their comparison; the present one is always among them"`
	DriftCount   int        `json:"drift_count" doc:"Places that differ; 0 where all is well"`
	Drifts       []Drift    `json:"drifts" doc:"The newest of them, up to 100"`
}

// Drift is one place that says something else than another.
type Drift struct {
	Check      string     `json:"check" enum:"logs_hourly,hourly_daily,hourly_totals,daily_totals,account_used,account_leased,wallet_granted" doc:"What was compared: usage logs with hourly summaries, those with daily ones, either with their totals by tenant and of the platform, use with used of accounts, leases with leased of accounts, the ledger with what wallets were granted"`
	TenantID   *uuid.UUID `json:"tenant_id" nullable:"true" doc:"null for the platform's totals"`
	AccountID  *uuid.UUID `json:"account_id" nullable:"true" doc:"Id of the tenant, user or token; null for hours and days"`
	Start      *time.Time `json:"start" nullable:"true" doc:"Of the hour or day; null for accounts"`
	Measure    string     `json:"measure" enum:"quota,requests,tokens" doc:"quota counts nano-dollars"`
	Expected   int64      `json:"expected" doc:"Sum over what differs"`
	Found      int64      `json:"found"`
	Difference int64      `json:"difference" doc:"Sum of the differences, each above 0: where one user has what another lacks, expected and found are equal and this is not 0"`
	FirstSeen  time.Time  `json:"first_seen"`
	LastSeen   time.Time  `json:"last_seen"`
}

const shownDrifts = 100

func reconciliationOf(r *reconcile.State) Reconciliation {
	shown := Reconciliation{CheckedAt: api.NullableTime(r.CheckedAt), HoursChecked: r.Hours, HoursOpen: r.OpenHours, Drifts: make([]Drift, len(r.Drifts))}
	for _, sum := range r.ByCheck {
		shown.DriftCount += sum.Count
	}
	for i := range r.Drifts {
		d := &r.Drifts[i]
		shown.Drifts[i] = Drift{
			Check: string(d.Check), TenantID: api.NullableID(d.TenantID), AccountID: api.NullableID(d.AccountID), Start: api.NullableTime(d.Start),
			Measure: string(d.Measure), Expected: d.Expected, Found: d.Found, Difference: d.Difference,
			FirstSeen: d.FirstSeen, LastSeen: d.LastSeen,
		}
	}
	return shown
}

func health(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getHealth", Method: http.MethodGet, Path: "/operator/health", Tag: "operator", Summary: "State of the platform",
		Description: "Relays and what they report, queues, and what the last reconciliation of the books found.",
		Errors:      []int{http.StatusForbidden},
	}, h.health)
}

func (h *handlers) health(ctx context.Context, _ *struct{}) (*api.Answer[Health], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	health := Health{
		Database: "failing", Reconciliation: Reconciliation{Drifts: []Drift{}}, Queues: h.queuesNow(ctx),
		Relays: []Relay{}, Leases: Leases{Kinds: []LeasedKind{}, Largest: []LeasedAccount{}},
	}
	if err := h.Store.Ping(ctx); err != nil {
		h.Log.WarnContext(ctx, "database does not answer", "error", err)
		return api.NewAnswer(health), nil
	}
	health.Database = "ok"
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	depth, err := h.Store.Rollup.OutboxDepth(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	found, err := h.Store.Reconcile.State(ctx, api.ScopeOf(ctx), shownDrifts)
	if err != nil {
		return nil, err
	}
	health.ChangeVersion, health.OutboxDepth, health.Reconciliation = snapshot.Version, depth, reconciliationOf(&found)
	if err := h.systemOf(ctx, &health); err != nil {
		return nil, err
	}
	return api.NewAnswer(health), nil
}
