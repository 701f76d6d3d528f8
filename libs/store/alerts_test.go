package store_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	alertdb "github.com/tollgate/tollgate/libs/store/alert"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// newHook creates a webhook destination of the scope.
func newHook(t *testing.T, s *store.Store, by tenant.Scope) alert.Destination {
	t.Helper()
	return storetest.Need(s.Alert.CreateDestination(background, by, alertdb.NewDestination{
		ID: storetest.NewID(), Channel: alert.Webhook, Name: "hook", Shown: "https://hook.example",
		URL: []byte("sealed url"), Secret: []byte("sealed secret"),
	}))(t)
}

// newRule creates a rule about the quota of the scope's tenant.
func newRule(t *testing.T, s *store.Store, by tenant.Scope, to ...uuid.UUID) alert.Rule {
	t.Helper()
	return storetest.Need(s.Alert.CreateRule(background, by, alert.Rule{
		Name: "quota", Kind: alert.QuotaUsed, Subject: alert.OfTenant, Thresholds: []int{80, 50}, Destinations: to,
	}))(t)
}

// fact returns a fact about an owner that has used a part of 100 nano-dollars.
func fact(r *alert.Rule, used money.Amount) *alert.Fact {
	granted := money.Amount(100)
	account := quota.Account{Granted: &granted, Used: used}
	return r.QuotaUsedFact(&alert.Owner{ID: r.TenantID, Name: "acme", Account: account}, time.Now())
}

func TestRaise_StoresAFactOnceWithADeliveryForEachDestination(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		first, off := newHook(t, s, f.AsOwner), newHook(t, s, f.AsOwner)
		mail := storetest.Need(s.Alert.CreateDestination(background, f.AsOwner,
			alertdb.NewDestination{ID: storetest.NewID(), Channel: alert.Mail, Name: "me", MailTo: f.Owner.ID}))(t)
		storetest.Equal(t, "shown address", mail.Shown, f.Owner.Email)
		r := newRule(t, s, f.AsOwner, first.ID, off.ID, mail.ID)
		storetest.Need(s.Alert.UpdateDestination(background, f.AsOwner, off.ID,
			alertdb.DestinationPatch{Status: new(tenant.Disabled)}))(t)

		var together sync.WaitGroup
		for range 4 { // several workers find the same fact
			together.Go(func() {
				if _, err := s.Alert.Raise(background, platform, &r, []*alert.Fact{fact(&r, 60), fact(&r, 61)}); err !=
					nil {
					t.Error(err)
				}
			})
		}
		together.Wait()
		storetest.Equal(t, "alerts of the next threshold",
			storetest.Need(s.Alert.Raise(background, platform, &r, []*alert.Fact{fact(&r, 60), fact(&r, 85)}))(t), 1)
		alerts := storetest.Need(s.Alert.Alerts(background, f.AsOwner, storepage.Page{}))(t).Items
		if len(alerts) != 2 || alerts[0].Fact.Threshold != 80 || alerts[1].Fact.Threshold != 50 ||
			len(alerts[1].Deliveries) != 2 {
			t.Fatalf("got %+v, want one alert for each threshold, with two deliveries", alerts)
		}
	})
}

func TestRaise_IsBoundedInAnHour(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	f := storetest.NewCustomer(t, s, "acme")
	r := newRule(t, s, f.AsOwner)
	var facts []*alert.Fact
	for range 3 * alert.MaxPerHour {
		one := fact(&r, 60)
		one.SubjectID = new(storetest.NewID())
		facts = append(facts, one)
	}
	storetest.Equal(t, "first alerts", storetest.Need(s.Alert.Raise(background, platform, &r, facts))(t),
		alert.MaxPerHour)
	storetest.Equal(t, "further alerts", storetest.Need(s.Alert.Raise(background, platform, &r, facts))(t), 0)
}

func TestClaimDelivery_SurvivesTheWorkerAndKeepsTheID(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		hook := newHook(t, s, f.AsOwner)
		r := newRule(t, s, f.AsOwner, hook.ID)
		storetest.Need(s.Alert.Raise(background, platform, &r, []*alert.Fact{fact(&r, 60)}))(t)

		first := storetest.Need(s.Alert.ClaimDelivery(background, platform, 0))(t) // its lease ends at once
		second := storetest.Need(s.Alert.ClaimDelivery(background, platform, time.Hour))(t)
		if second == nil || second.Alert.ID != first.Alert.ID || second.Attempts != 2 ||
			string(second.URL) != "sealed url" || string(second.Secret) != "sealed secret" {
			t.Fatalf("got %+v after the lease of %+v, want the same alert with two attempts", second, first)
		}
		if again := storetest.Need(s.Alert.ClaimDelivery(background, platform, time.Hour))(t); again != nil {
			t.Errorf("a claimed delivery was claimed again: %+v", again)
		}
		for name, err := range map[string]error{
			"end": s.Alert.End(background, platform, first, ""), "release": s.Alert.Release(background, platform, first,
				"", 0), "hand over": s.Alert.HandOver(background, platform, first, 0),
		} {
			if !errors.Is(err, alertdb.ErrLost) {
				t.Errorf("%s by the first worker: got error %v, want ErrLost", name, err)
			}
		}
		storetest.OK(t, s.Alert.Release(background, platform, second, "status 500", 0))
		third := storetest.Need(s.Alert.ClaimDelivery(background, platform, time.Hour))(t)
		storetest.OK(t, s.Alert.End(background, platform, third, "given up"))
		deliveries := func() alert.Delivery {
			return storetest.Need(s.Alert.Alerts(background, f.AsOwner, storepage.Page{}))(t).Items[0].Deliveries[0]
		}
		if d := deliveries(); d.State != alert.Failed || d.Error != "given up" || d.EndedAt.IsZero() ||
			d.Attempts != 3 {
			t.Errorf("got %+v, want a failed delivery", d)
		}
		storetest.OK(t, s.Alert.Retry(background, f.AsOwner, first.Alert.ID))
		if err := s.Alert.Retry(background, f.AsOwner, first.Alert.ID); !problem.Is(err, problem.Conflict) {
			t.Errorf("second retry: got error %v, want Conflict", err)
		}
		fourth := storetest.Need(s.Alert.ClaimDelivery(background, platform, time.Hour))(t)
		storetest.OK(t, s.Alert.HandOver(background, platform, fourth, time.Hour))
		storetest.OK(t, s.Alert.EndMailed(background, platform, fourth.ID, ""))
		if d := deliveries(); d.State != alert.Delivered || d.Error != "" {
			t.Errorf("got %+v, want a delivery by mail", d)
		}
	})
}

// Slow receivers of one tenant leave the workers to others.
func TestClaimDelivery_TakesOneOfEachTenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		busy, other := storetest.NewCustomer(t, s, "busy"), storetest.NewCustomer(t, s, "other")
		for _, f := range []storetest.Customer{busy, busy, other} {
			storetest.Need(s.Alert.TestDestination(background, f.AsOwner, newHook(t, s, f.AsOwner).ID))(t)
		}
		var tenants []uuid.UUID
		for claim := storetest.Need(s.Alert.ClaimDelivery(background, platform, time.Hour))(t); claim != nil; {
			tenants = append(tenants, claim.Alert.TenantID)
			claim = storetest.Need(s.Alert.ClaimDelivery(background, platform, time.Hour))(t)
		}
		if len(tenants) != 2 || tenants[0] != busy.Tenant.ID || tenants[1] != other.Tenant.ID {
			t.Errorf("got claims of %v, want one of each tenant", tenants)
		}
	})
}

func TestTestDestination_IsBounded(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	f := storetest.NewCustomer(t, s, "acme")
	hook := newHook(t, s, f.AsOwner)
	for range 10 {
		storetest.Need(s.Alert.TestDestination(background, f.AsOwner, hook.ID))(t)
	}
	if _, err := s.Alert.TestDestination(background, f.AsOwner, hook.ID); !problem.Is(err, problem.RateLimited) {
		t.Errorf("got error %v, want RateLimited", err)
	}
}

func TestDestinations_GoToPeopleOfTheTenantOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		for name, id := range map[string]uuid.UUID{"somebody else": beta.Owner.ID, "nobody": storetest.NewID()} {
			_, err := s.Alert.CreateDestination(background, acme.AsOwner,
				alertdb.NewDestination{ID: storetest.NewID(), Channel: alert.Mail, Name: "x", MailTo: id})
			storetest.Refuses(t, err, problem.InvalidType, "user_id")
			_, err = s.Alert.CreateRule(background, acme.AsOwner, alert.Rule{Name: name, Kind: alert.QuotaUsed,
				Subject: alert.OfUser, SubjectID: id, Thresholds: []int{80}})
			storetest.Refuses(t, err, problem.InvalidType, "subject_id")
		}
		foreign := newHook(t, s, beta.AsOwner)
		_, err := s.Alert.CreateRule(background, acme.AsOwner, alert.Rule{Name: "x", Kind: alert.QuotaUsed,
			Subject: alert.OfTenant, Thresholds: []int{80}, Destinations: []uuid.UUID{foreign.ID}})
		storetest.Refuses(t, err, problem.InvalidType, "destinations")
		_, err = s.Alert.CreateRule(background, acme.AsOwner, alert.Rule{Name: "x", Kind: alert.QuotaUsed,
			Subject: alert.OfTenant, SubjectID: beta.Tenant.ID, Thresholds: []int{80}})
		storetest.Refuses(t, err, problem.InvalidType, "subject_id")
		r := newRule(t, s, acme.AsOwner, newHook(t, s, acme.AsOwner).ID)
		storetest.OK(t, s.Alert.DeleteDestination(background, acme.AsOwner, r.Destinations[0]))
		storetest.Equal(t, "destinations after the deletion",
			len(storetest.Need(s.Alert.Rules(background, acme.AsOwner, storepage.Page{}))(t).Items[0].Destinations), 0)
		// Operators have their own, and do not see those of tenants.
		storetest.Equal(t, "rules of the platform",
			len(storetest.Need(s.Alert.Rules(background, platform, storepage.Page{}))(t).Items), 0)
	})
}

func TestOwners_HaveTheAccountOfTheRule(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{f.Call(f.Owner, "m1", 1)}))(t)
		storetest.Drain(t, s)
		for subject, names := range map[alert.Subject]int{alert.OfTenant: 1, alert.OfUser: 3,
			alert.OfToken: len(f.Tokens)} {
			r := alert.Rule{Kind: alert.QuotaUsed, Subject: subject, TenantID: f.Tenant.ID}
			owners, next, err := s.Alert.Owners(background, platform, &r, uuid.Nil, time.Now())
			storetest.OK(t, err)
			if len(owners) != names || next != uuid.Nil {
				t.Errorf("%s: got %d owners, want %d", subject, len(owners), names)
			}
			days := storetest.Need(s.Alert.Spending(background, platform, &r, owners, time.Now().AddDate(0, 0, -7)))(t)
			if len(days) != 1 || days[0].Spent <= 0 {
				t.Errorf("%s: got days %+v, want the one call", subject, days)
			}
			r.TenantID = uuid.Nil
			all, _, err := s.Alert.Owners(background, platform, &r, uuid.Nil, time.Now())
			if err != nil || len(all) < names {
				t.Errorf("%s of all tenants: got %d owners, error %v", subject, len(all), err)
			}
		}
		rules := storetest.Need(s.Alert.EnabledRules(background, platform, uuid.Nil))(t)
		storetest.Equal(t, "rules", len(rules), 0)
		newRule(t, s, f.AsOwner)
		storetest.Equal(t, "enabled rules",
			len(storetest.Need(s.Alert.EnabledRules(background, platform, uuid.Nil))(t)), 1)
	})
}

// alertCalls returns calls of the methods on alerts, for the tests of isolation.
func (w isolation) alertCalls() map[string]call {
	s := w.s
	hook, rule, alertID := storetest.NewID(), storetest.NewID(), storetest.NewID()
	lists := verdicts{empty, empty, denied, denied, denied, denied}
	if list, err := s.Alert.Destinations(background, w.acme.AsOwner, storepage.Page{}); err == nil &&
		len(list.Items) > 0 {
		hook = list.Items[0].ID
	}
	if list, err := s.Alert.Rules(background, w.acme.AsOwner, storepage.Page{}); err == nil && len(list.Items) > 0 {
		rule = list.Items[0].ID
	}
	if list, err := s.Alert.Alerts(background, w.acme.AsOwner, storepage.Page{}); err == nil && len(list.Items) > 0 {
		alertID = list.Items[0].ID
	}
	return map[string]call{
		"Destinations": {lists, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Alert.Destinations(ctx, by, storepage.Page{})
			return len(found.Items) > 0, err
		}},
		"Rules of alerts": {lists, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Alert.Rules(ctx, by, storepage.Page{})
			return len(found.Items) > 0, err
		}},
		"Alerts": {lists, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Alert.Alerts(ctx, by, storepage.Page{})
			return len(found.Items) > 0, err
		}},
		"Destination": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Alert.Destination(ctx, by, hook)
			return true, err
		}},
		"UpdateDestination": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Alert.UpdateDestination(ctx, by, hook, alertdb.DestinationPatch{Name: new("x")})
			return true, err
		}},
		"DeleteDestination": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Alert.DeleteDestination(ctx, by, hook)
		}},
		"TestDestination": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Alert.TestDestination(ctx, by, hook)
			return true, err
		}},
		"UpdateRule": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Alert.UpdateRule(ctx, by, rule, alertdb.RulePatch{Name: new("x")})
			return true, err
		}},
		"DeleteRule": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Alert.DeleteRule(ctx, by, rule)
		}},
		"Retry": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Alert.Retry(ctx, by, alertID)
		}},
		"ClaimDelivery": {all(denied), func(ctx context.Context, by tenant.Scope) (bool, error) {
			claim, err := s.Alert.ClaimDelivery(ctx, by, time.Hour)
			return claim != nil, err
		}},
		"EnabledRules": {all(denied), func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Alert.EnabledRules(ctx, by, uuid.Nil)
			return true, err
		}},
		"EndMailed": {all(denied), func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Alert.EndMailed(ctx, by, storetest.NewID(), "")
		}},
	}
}

// Two requests create the last thing that is allowed.
func TestAlerts_HoldTheirBoundsForConcurrentRequests(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	operator := tenant.ScopeOf(storetest.Need(r.Identity.CreateUser(background, storetest.Confirmed(platform),
		identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t))
	hook := newHook(t, r.Store, f.AsOwner)
	destination := func(by tenant.Scope) func(*store.Store) error {
		return func(s *store.Store) error {
			_, err := s.Alert.CreateDestination(background, by,
				alertdb.NewDestination{ID: storetest.NewID(), Channel: alert.Webhook, Name: "x", URL: []byte("x")})
			return err
		}
	}
	r.overlapLast("destinations of operators", alert.MaxDestinations, problem.Conflict, destination(operator))
	r.overlapLast("destinations besides the hook", alert.MaxDestinations-1, problem.Conflict, destination(f.AsOwner))
	r.overlapLast("rules", alert.MaxRules, problem.Conflict, func(s *store.Store) error {
		_, err := s.Alert.CreateRule(background, f.AsOwner,
			alert.Rule{Name: "x", Kind: alert.QuotaUsed, Subject: alert.OfTenant, Thresholds: []int{80}})
		return err
	})
	r.overlapLast("tests of destinations", 10, problem.RateLimited, func(s *store.Store) error {
		_, err := s.Alert.TestDestination(background, f.AsOwner, hook.ID)
		return err
	})
}

// Two people edit different fields of a destination.
func TestUpdateDestination_KeepsAConcurrentChange(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	hook := newHook(t, r.Store, f.AsOwner)
	update := func(p alertdb.DestinationPatch) func(*store.Store) error {
		return func(s *store.Store) error {
			_, err := s.Alert.UpdateDestination(background, f.AsOwner, hook.ID, p)
			return err
		}
	}
	storetest.OK(t, r.overlap(update(alertdb.DestinationPatch{Status: new(tenant.Disabled)}),
		update(alertdb.DestinationPatch{Name: new("new")})))
	got := storetest.Need(r.Alert.Destination(background, f.AsOwner, hook.ID))(t)
	storetest.Equal(t, "name", got.Name, "new")
	storetest.Equal(t, "status", got.Status, tenant.Disabled)
}

func TestDeleteDestination_ConcurrentWithChangesOfRules(t *testing.T) {
	r := newContest(t)
	f := storetest.NewCustomer(t, r.Store, "acme")
	first, second, third := newHook(t, r.Store, f.AsOwner), newHook(t, r.Store, f.AsOwner),
		newHook(t, r.Store, f.AsOwner)
	rule := newRule(t, r.Store, f.AsOwner, first.ID)
	remove := func(id uuid.UUID) func(*store.Store) error {
		return func(s *store.Store) error { return s.Alert.DeleteDestination(background, f.AsOwner, id) }
	}
	storetest.OK(t, r.overlap(func(s *store.Store) error {
		_, err := s.Alert.UpdateRule(background, f.AsOwner, rule.ID,
			alertdb.RulePatch{Destinations: &[]uuid.UUID{first.ID, second.ID}})
		return err
	}, remove(first.ID)))
	storetest.OK(t, r.overlap(func(s *store.Store) error {
		_, err := s.Alert.CreateRule(background, f.AsOwner, alert.Rule{Name: "new", Kind: alert.QuotaUsed,
			Subject: alert.OfTenant, Thresholds: []int{80}, Destinations: []uuid.UUID{third.ID}})
		return err
	}, remove(third.ID)))
	rules := storetest.Need(r.Alert.Rules(background, f.AsOwner, storepage.Page{}))(t).Items
	if len(rules) != 2 || !slices.Equal(rules[0].Destinations, []uuid.UUID{second.ID}) ||
		len(rules[1].Destinations) != 0 {
		t.Errorf("got rules %+v, want the destination that was added in the first one, and none in the second", rules)
	}
	storetest.Refuses(t, r.overlap(remove(second.ID), remove(second.ID)), problem.NotFound, "")
	storetest.Equal(t, "entries of deletions", r.entries("alert_destination.delete"), 3)
}
