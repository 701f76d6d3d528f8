package operator

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/outage"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/reconcile"
)

// Health describes the state of the platform.
type Health struct {
	Database       string         `json:"database" enum:"ok,failing"`
	ChangeVersion  int64          `json:"change_version" doc:"Version of the catalog (groups, models, prices, channels) that relays should have by now"`
	OutboxDepth    int            `json:"outbox_depth" doc:"Number of usage entries that are not in the rollups yet, counted up to 10,000. Stays near 0 while a worker runs"`
	Reconciliation Reconciliation `json:"reconciliation" doc:"Result of comparing usage logs, rollups, accounts, leases and ledger"`
	Queues         Queues         `json:"queues"`
	Relays         []Relay        `json:"relays" doc:"Up to 100 relays, the most recently seen first. A relay that is not seen for 30 days is removed"`
	Leases         Leases         `json:"leases"`
	Storage        Storage        `json:"storage"`

	Unserved outage.UnservedModels `json:"models_without_channel" doc:"Enabled models without a healthy channel: no channel has them, or all their channels are disabled or failing"`
}

// Reconciliation is the result of comparing usage logs, rollups, accounts, leases
// and the ledger with each other. They must agree; each disagreement is a Drift.
type Reconciliation struct {
	CheckedAt    *time.Time `json:"checked_at" nullable:"true" doc:"End of the last run that compared everything that was due; null before the first"`
	HoursChecked int        `json:"hours_checked" doc:"Number of hours of usage that the last run compared"`
	HoursOpen    int        `json:"hours_open" doc:"Number of hours that are not compared yet, including the current one"`
	DriftCount   int        `json:"drift_count" doc:"Number of drifts; 0 if everything agrees"`
	Drifts       []Drift    `json:"drifts" doc:"The newest drifts, up to 100"`
}

// Drift describes a disagreement between two records of the same usage or quota.
type Drift struct {
	Check      string     `json:"check" enum:"logs_hourly,hourly_daily,hourly_totals,daily_totals,account_used,account_leased,wallet_granted" doc:"What was compared. logs_hourly: usage logs with hourly rollups. hourly_daily: hourly with daily rollups. hourly_totals, daily_totals: rollups with the totals of tenants and of the platform. account_used: usage with the used quota of accounts. account_leased: leases with the leased quota of accounts. wallet_granted: the ledger with the granted quota of tenants"`
	TenantID   *uuid.UUID `json:"tenant_id" nullable:"true" doc:"null for totals of the platform"`
	AccountID  *uuid.UUID `json:"account_id" nullable:"true" doc:"Id of the tenant, user or token that owns the account; null for hours and days"`
	Start      *time.Time `json:"start" nullable:"true" doc:"Start of the hour or day; null for accounts"`
	Measure    string     `json:"measure" enum:"quota,requests,tokens" doc:"Unit of expected, found and difference. quota: nano-dollars"`
	Expected   int64      `json:"expected" doc:"Sum of the expected values, over all entries that differ"`
	Found      int64      `json:"found" doc:"Sum of the found values, over the same entries"`
	Difference int64      `json:"difference" doc:"Sum of the absolute differences. It is not 0 even if the entries differ in opposite directions, so that expected equals found"`
	FirstSeen  time.Time  `json:"first_seen"`
	LastSeen   time.Time  `json:"last_seen"`
}

// shownDrifts is the largest number of drifts in a response.
const shownDrifts = 100

// reconciliationOf returns the state of the reconciliation as the API shows
// it. DriftCount counts all drifts, although only the newest are listed.
func reconciliationOf(r *reconcile.State) Reconciliation {
	body := Reconciliation{CheckedAt: null.Time(r.CheckedAt), HoursChecked: r.Hours, HoursOpen: r.OpenHours,
		Drifts: make([]Drift, len(r.Drifts))}
	for _, sum := range r.ByCheck {
		body.DriftCount += sum.Count
	}
	for i := range r.Drifts {
		d := &r.Drifts[i]
		body.Drifts[i] = Drift{
			Check: string(d.Check), TenantID: null.ID(d.TenantID), AccountID: null.ID(d.AccountID),
			Start:   null.Time(d.Start),
			Measure: string(d.Measure), Expected: d.Expected, Found: d.Found, Difference: d.Difference,
			FirstSeen: d.FirstSeen, LastSeen: d.LastSeen,
		}
	}
	return body
}

func registerHealth(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getHealth", Method: http.MethodGet, Path: "/operator/health", Tag: "operator", Scope: token.ReadTenants,
		Summary: "Get the state of the platform",
		Description: "Returns the state of the database, relays, queues and leases, the result of the last " +
			"reconciliation, and the enabled models without a healthy channel.",
		Errors: []int{http.StatusForbidden},
	}, h.health)
}

// health answers even if the database fails: operators need the page most in that case. The answer then says so, and
// has only the state of the queues.
func (h *handlers) health(ctx context.Context, _ *struct{}) (*api.Answer[Health], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	health := Health{
		Database: "failing", Reconciliation: Reconciliation{Drifts: []Drift{}}, Queues: h.queuesNow(ctx),
		Relays: []Relay{}, Leases: Leases{Kinds: []LeasedKind{}, Largest: []LeasedAccount{}},
		Unserved: outage.UnservedModels{Items: []outage.UnservedModel{}},
	}
	if err := h.Store.Ping(ctx); err != nil {
		h.Log.WarnContext(ctx, "database does not respond", "error", err)
		return api.NewAnswer(health), nil
	}
	health.Database = "ok"
	snapshot, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	if health.Unserved, err = h.unserved(ctx, snapshot); err != nil {
		return nil, err
	}
	depth, err := h.Store.Rollup.OutboxDepth(ctx, api.ScopeOf(ctx))
	if err != nil {
		return nil, err
	}
	state, err := h.Store.Reconcile.State(ctx, api.ScopeOf(ctx), shownDrifts)
	if err != nil {
		return nil, err
	}
	health.ChangeVersion, health.OutboxDepth, health.Reconciliation = snapshot.Version, depth, reconciliationOf(&state)
	if err := h.systemOf(ctx, &health); err != nil {
		return nil, err
	}
	return api.NewAnswer(health), nil
}
