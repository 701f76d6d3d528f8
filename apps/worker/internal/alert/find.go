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
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// runTime is the time after which a run starts no more turns.
const runTime = time.Minute

// Finder raises the alerts of all enabled rules. It is safe for concurrent use.
type Finder struct {
	Store *store.Store
	Scope tenant.Scope
	Log   *slog.Logger
	Now   func() time.Time

	mu     sync.Mutex
	places map[uuid.UUID]place // by tenant, of the rules that the last run did not finish
}

// share holds the rules of one tenant, or of the operators, that a run has to look at.
type share struct {
	rules []alert.Rule
	after uuid.UUID // the last owner of the first rule that was looked at; uuid.Nil: none
	order int       // of its first turn
}

// place holds where the next run continues with a share.
type place struct {
	rule, after uuid.UUID
	order       int
}

// Run looks at each enabled rule once. The operators and the tenants take turns, and a turn is one page of the owners
// of one rule, so that a tenant with many rules and owners does not keep the rules of others waiting. After a minute
// the run ends, and the next one continues with the rules that are left. It returns an error if the rules cannot be
// read; a rule whose figures cannot be read is logged, and the others are still looked at.
func (f *Finder) Run(ctx context.Context) error {
	queue, err := f.shares(ctx)
	if err != nil {
		return fmt.Errorf("find alerts: %w", err)
	}
	for end := f.Now().Add(runTime); len(queue) > 0 && ctx.Err() == nil && f.Now().Before(end); {
		next := queue[0]
		queue = queue[1:]
		if f.turn(ctx, next); len(next.rules) > 0 {
			queue = append(queue, next)
		}
	}
	if f.keep(queue); len(queue) > 0 {
		f.Log.WarnContext(ctx, "alert rules wait for the next run", "tenants", len(queue))
	}
	return ctx.Err()
}

// shares returns the enabled rules in the order of the turns: the operators, then the tenants whose rules the last run
// did not finish, then the others.
func (f *Finder) shares(ctx context.Context) (list []*share, err error) {
	f.mu.Lock()
	places := f.places
	f.mu.Unlock()
	byTenant := map[uuid.UUID]*share{}
	for after := uuid.Nil; ; {
		rules, err := f.Store.Alert.EnabledRules(ctx, f.Scope, after)
		if err != nil {
			return nil, err
		}
		if len(rules) == 0 {
			break
		}
		for i := range rules {
			s := byTenant[rules[i].TenantID]
			if s == nil {
				s = &share{order: len(places)}
				byTenant[rules[i].TenantID], list = s, append(list, s)
			}
			s.rules = append(s.rules, rules[i])
		}
		after = rules[len(rules)-1].ID
	}
	for tenantID, p := range places {
		if s := byTenant[tenantID]; s != nil {
			s.resume(p)
		}
	}
	if operators := byTenant[uuid.Nil]; operators != nil {
		operators.order = -1
	}
	slices.SortStableFunc(list, func(a, b *share) int { return cmp.Compare(a.order, b.order) })
	return list, nil
}

// resume makes the share begin at the place, if its rule still exists.
func (s *share) resume(p place) {
	s.order = p.order
	if i := slices.IndexFunc(s.rules, func(r alert.Rule) bool { return r.ID == p.rule }); i >= 0 {
		s.rules, s.after = slices.Concat(s.rules[i:], s.rules[:i]), p.after
	}
}

// keep records where the next run continues. Other workers, and this one after a restart, begin with the first rules.
func (f *Finder) keep(queue []*share) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.places = make(map[uuid.UUID]place, len(queue)) // a new one: a concurrent run may read the old one
	for i, s := range queue {
		f.places[s.rules[0].TenantID] = place{rule: s.rules[0].ID, after: s.after, order: i}
	}
}

// turn looks at the next page of owners of the first rule, and removes the rule after its last page.
func (f *Finder) turn(ctx context.Context, s *share) {
	next, err := f.look(ctx, &s.rules[0], s.after)
	if ctx.Err() != nil {
		return // the next run looks at the page again
	}
	if err != nil {
		f.Log.ErrorContext(ctx, "alert rule could not be checked", "rule_id", s.rules[0].ID, "error", err)
	}
	if s.after = next; next == uuid.Nil {
		s.rules = s.rules[1:]
	}
}

// look raises the alerts of one rule, at most those about one page of owners. next is the owner to continue after;
// uuid.Nil: there are no more.
func (f *Finder) look(ctx context.Context, r *alert.Rule, after uuid.UUID) (next uuid.UUID, err error) {
	var facts []*alert.Fact
	switch r.Kind {
	case alert.QuotaUsed, alert.RunOut, alert.UnusualSpend:
		now := f.Now() // one time, so that the accounts are those of the windows that the facts name
		var owners []alert.Owner
		if owners, next, err = f.Store.Alert.Owners(ctx, f.Scope, r, after, now); err == nil {
			facts, err = f.ofOwners(ctx, r, owners, now)
		}
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
		return uuid.Nil, err
	}
	if _, err := f.Store.Alert.Raise(ctx, f.Scope, r,
		slices.DeleteFunc(facts, func(fact *alert.Fact) bool { return fact == nil })); err != nil {
		return uuid.Nil, err
	}
	return next, nil
}

// ofOwners returns the facts about a page of owners, which were read with the time now.
func (f *Finder) ofOwners(ctx context.Context, r *alert.Rule, owners []alert.Owner,
	now time.Time) (facts []*alert.Fact, err error) {
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
	state, err := f.Store.Reconcile.State(ctx, f.Scope, 0)
	if err != nil {
		return nil, err
	}
	for check, sum := range state.ByCheck {
		facts = append(facts, r.DriftFact(string(check), sum.Count, sum.Newest))
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
