package store_test

import (
	"math"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// streamed returns a stream of 100 output tokens whose first token came after the given time, at the rate of 50
// tokens/s.
func streamed(f *customer, by tenant.User, model string, at time.Time, first time.Duration) usage.Event {
	event := f.call(by, model, 1)
	event.CreatedAt, event.Stream, event.FirstByte, event.Latency = at, true, first, first+2*time.Second
	event.Outcome, event.Usage = usage.Success, usage.Usage{Input: 1, Output: 100}
	return event
}

func drainSpeeds(t *testing.T, s *store.Store) {
	t.Helper()
	for need(s.Rollup.DrainSpeeds(background, platform, 2))(t) > 0 { //nolint:revive // the condition drains
	}
}

func TestModelSpeed_CoversTheCallsOfTheTenant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		addModel(t, s, "m1")
		addModel(t, s, "m2")
		now := time.Now().UTC()
		failed := acme.call(acme.member, "m1", 0)
		failed.Outcome, failed.CreatedAt = usage.Failed, now
		events := []usage.Event{
			streamed(&acme, acme.owner, "m1", now, 300*time.Millisecond),
			streamed(&acme, acme.member, "m1", now, 400*time.Millisecond),
			streamed(&acme, acme.admin, "m1", now.Add(-2*time.Hour), 500*time.Millisecond), failed,
			streamed(&acme, acme.owner, "m2", now, 9*time.Second), streamed(&beta, beta.owner, "m1", now, time.Minute),
			streamed(&acme, acme.owner, "m1", now.Add(-40*time.Hour), time.Minute), // before the range
		}
		relay := newID()
		need(s.Metering.RecordEvents(background, platform, relay, events))(t)
		need(s.Metering.RecordEvents(background, platform, relay, events))(t) // repeated: nothing counts twice
		drainSpeeds(t, s)
		for _, scope := range []tenant.Scope{acme.asOwner, acme.asAdmin, acme.asMember} {
			got := need(s.Metering.ModelSpeed(background, scope, "m1", now.Add(-24*time.Hour)))(t)
			if !got.Measured || got.Errors != 0.25 || got.TokensPerSecond != 50 ||
				math.Abs(float64(got.FirstToken-400*time.Millisecond)) > float64(20*time.Millisecond) {
				t.Errorf("%v: got %+v", scope, got)
			}
		}
		equal(t, "speed of a model without calls",
			need(s.Metering.ModelSpeed(background, beta.asOwner, "m2", now.Add(-24*time.Hour)))(t), usage.Speed{})
		_, err := s.Metering.ModelSpeed(background, platform, "m1", now)
		refuses(t, err, problem.NotFound, "")
	})
}

// Sums that are older than rollup.SpeedsKept are deleted with the next drain.
func TestDrainSpeeds_DeletesOldSums(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		addModel(t, s, "m1")
		long := time.Now().Add(-30 * 24 * time.Hour)
		record := func(at time.Time) {
			need(s.Metering.RecordEvents(background, platform, newID(),
				[]usage.Event{streamed(&f, f.owner, "m1", at, time.Second)}))(t)
			drainSpeeds(t, s)
		}
		record(time.Now().Add(-72 * time.Hour))
		equal(t, "measured before the next drain",
			need(s.Metering.ModelSpeed(background, f.asOwner, "m1", long))(t).Measured, true)
		record(time.Now().Add(-71 * time.Hour))
		record(time.Now())
		got := need(s.Metering.ModelSpeed(background, f.asOwner, "m1", long))(t)
		equal(t, "measured", got.Measured, true)
		equal(t, "median", got.FirstToken.Round(100*time.Millisecond), time.Second)
		equal(t, "measured three days ago",
			need(s.Metering.ModelSpeed(background, f.asOwner, "m1", time.Now().Add(-24*time.Hour)))(t), got)
	})
}
