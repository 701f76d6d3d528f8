// Package alert finds what the rules of alerts watch for, and delivers alerts by mail, signed webhook and
// Slack-compatible webhook.
//
//	Find: rules --> figures from the store --> facts (package core/alert) --> store.Raise, once for each mark
//	Send: claim a delivery --> webhook: POST --> delivered, or due again later, or failed
//	                      \--> mail: hand it to the outbox of mail, in one transaction
//
// Both may run in several workers at once and be repeated. A worker that dies during a delivery loses nothing: its
// claim ends after a while and another worker sends the alert, with the same id.
package alert

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// shownDrifts is the number of drifts that a look at the reconciliation reads.
const shownDrifts = 100

// Finder raises the alerts of all enabled rules. It is safe for concurrent use.
type Finder struct {
	Store *store.Store
	Scope tenant.Scope
	Log   *slog.Logger
	Now   func() time.Time
}

// Run looks at each enabled rule once. It returns an error if the rules cannot be read; a rule whose figures cannot be
// read is logged, and the others are still looked at.
func (f *Finder) Run(ctx context.Context) error {
	for after := uuid.Nil; ; {
		rules, err := f.Store.Alert.EnabledRules(ctx, f.Scope, after)
		if err != nil {
			return fmt.Errorf("find alerts: %w", err)
		}
		if len(rules) == 0 {
			return nil
		}
		for i := range rules {
			err := f.look(ctx, &rules[i])
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				f.Log.ErrorContext(ctx, "alert rule could not be checked", "rule_id", rules[i].ID, "error", err)
			}
		}
		after = rules[len(rules)-1].ID
	}
}

// look raises the alerts of one rule.
func (f *Finder) look(ctx context.Context, r *alert.Rule) error {
	var facts []*alert.Fact
	var err error
	switch r.Kind {
	case alert.QuotaUsed, alert.RunOut, alert.UnusualSpend:
		facts, err = f.quotas(ctx, r)
	case alert.CredentialDead:
		facts, err = f.credentials(ctx, r)
	case alert.ModelUnavailable:
		facts, err = f.models(ctx, r)
	case alert.Drift:
		facts, err = f.drifts(ctx, r)
	case alert.Spool:
		facts, err = f.spools(ctx, r)
	}
	if err != nil {
		return err
	}
	_, err = f.Store.Alert.Raise(ctx, f.Scope, r,
		slices.DeleteFunc(facts, func(fact *alert.Fact) bool { return fact == nil }))
	return err
}

// quotas returns the facts about the owners that a rule watches.
func (f *Finder) quotas(ctx context.Context, r *alert.Rule) (facts []*alert.Fact, err error) {
	for after := uuid.Nil; ; {
		owners, next, err := f.Store.Alert.Owners(ctx, f.Scope, r, after)
		if err != nil {
			return nil, err
		}
		batch, err := f.ofOwners(ctx, r, owners)
		if err != nil {
			return nil, err
		}
		if facts = append(facts, batch...); next == uuid.Nil {
			return facts, nil
		}
		after = next
	}
}

// ofOwners returns the facts about a page of owners.
func (f *Finder) ofOwners(ctx context.Context, r *alert.Rule, owners []alert.Owner) (facts []*alert.Fact, err error) {
	now := f.Now()
	if r.Kind == alert.QuotaUsed {
		for i := range owners {
			facts = append(facts, r.QuotaUsedFact(&owners[i], now))
		}
		return facts, nil
	}
	today := now.UTC().Truncate(24 * time.Hour)
	days, err := f.Store.Alert.Spending(ctx, f.Scope, r, owners, today.AddDate(0, 0, -alert.UnusualDays))
	if err != nil {
		return nil, err
	}
	// spent returns the spend of an owner from one day on and before another one.
	spent := func(owner uuid.UUID, from, to time.Time) (sum money.Amount) {
		for _, day := range days {
			if day.Owner == owner && !day.Start.Before(from) && day.Start.Before(to) {
				sum += day.Spent
			}
		}
		return sum
	}
	for i := range owners {
		o := &owners[i]
		if r.Kind == alert.RunOut {
			facts = append(facts, r.RunOutFact(o, spent(o.ID, quota.ForecastSince(now, o.CreatedAt), now), now))
			continue
		}
		facts = append(facts, r.UnusualSpendFact(o, spent(o.ID, today, now), spent(o.ID, time.Time{}, today), now))
	}
	return facts, nil
}

// credentials returns the disabled credentials of enabled channels.
func (f *Finder) credentials(ctx context.Context, r *alert.Rule) (facts []*alert.Fact, err error) {
	snapshot, err := f.Store.Catalog.Snapshot(ctx, f.Scope)
	if err != nil {
		return nil, err
	}
	for _, channel := range snapshot.Channels() {
		if channel.Status != tenant.Enabled {
			continue
		}
		for _, credential := range channel.DisabledCredentials {
			mask := credential.Fingerprint[:min(len(credential.Fingerprint), 8)]
			facts = append(facts, r.CredentialDeadFact(channel.Name, mask, string(credential.Reason), credential.Since))
		}
	}
	return facts, nil
}

// models returns the enabled models without a healthy channel. A channel counts as unhealthy for a model if a relay
// reports it so for all credentials and tenants.
func (f *Finder) models(ctx context.Context, r *alert.Rule) (facts []*alert.Fact, err error) {
	snapshot, err := f.Store.Catalog.Snapshot(ctx, f.Scope)
	if err != nil {
		return nil, err
	}
	reports, err := f.Store.Catalog.ChannelHealth(ctx, f.Scope, uuid.Nil)
	if err != nil {
		return nil, err
	}
	type place struct {
		channel uuid.UUID
		model   string // of the upstream; "": all
	}
	unhealthy := map[place]bool{}
	for i := range reports {
		if report := &reports[i]; report.Fingerprint == "" && len(report.Tenants) == 0 {
			unhealthy[place{report.ChannelID, report.Model}] = true
		}
	}
	for _, model := range snapshot.Models() {
		if model.Status != tenant.Enabled {
			continue
		}
		healthy := slices.ContainsFunc(snapshot.Serving(model.ID), func(channel *catalog.Channel) bool {
			return !unhealthy[place{channel.ID, ""}] && !unhealthy[place{channel.ID, channel.Models[model.ID]}] &&
				(len(channel.Credentials) == 0 || len(channel.DisabledCredentials) < len(channel.Credentials))
		})
		if !healthy {
			facts = append(facts, r.ModelUnavailableFact(model.ID, f.Now()))
		}
	}
	return facts, nil
}

// drifts returns the checks of the reconciliation that found differences.
func (f *Finder) drifts(ctx context.Context, r *alert.Rule) (facts []*alert.Fact, err error) {
	state, err := f.Store.Reconcile.State(ctx, f.Scope, shownDrifts)
	if err != nil {
		return nil, err
	}
	for check, sum := range state.ByCheck {
		newest := time.Time{}
		for i := range state.Drifts {
			if d := &state.Drifts[i]; d.Check == check && d.FirstSeen.After(newest) {
				newest = d.FirstSeen
			}
		}
		facts = append(facts, r.DriftFact(string(check), sum.Count, newest))
	}
	return facts, nil
}

// spools returns the relays whose usage waits.
func (f *Finder) spools(ctx context.Context, r *alert.Rule) (facts []*alert.Fact, err error) {
	relays, err := f.Store.Relay.Relays(ctx, f.Scope)
	if err != nil {
		return nil, err
	}
	for i := range relays {
		facts = append(facts, r.SpoolFact(relays[i].ID, int(relays[i].SpoolEvents), relays[i].SpoolOldestAt, f.Now()))
	}
	return facts, nil
}
