package metering_test

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
func streamed(f *storetest.Customer, by tenant.User, model string, at time.Time, first time.Duration) usage.Event {
	event := f.Call(by, model, 1)
	event.CreatedAt, event.Stream, event.FirstByte, event.Latency = at, true, first, first+2*time.Second
	event.Outcome, event.Usage = usage.Success, usage.Usage{Input: 1, Output: 100}
	return event
}

func drainSpeeds(t *testing.T, s *store.Store) {
	t.Helper()
	for storetest.Need(s.Rollup.DrainSpeeds(background, platform, 2))(t) > 0 { //nolint:revive // the condition drains
	}
}

func TestModelSpeed_CoversTheCallsOfTheTenant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		storetest.AddModel(t, s, "m1")
		storetest.AddModel(t, s, "m2")
		now := time.Now().UTC()
		failed := acme.Call(acme.Member, "m1", 0)
		failed.Outcome, failed.CreatedAt = usage.Failed, now
		events := []usage.Event{
			streamed(&acme, acme.Owner, "m1", now, 300*time.Millisecond),
			streamed(&acme, acme.Member, "m1", now, 400*time.Millisecond),
			streamed(&acme, acme.Admin, "m1", now.Add(-2*time.Hour), 500*time.Millisecond), failed,
			streamed(&acme, acme.Owner, "m2", now, 9*time.Second), streamed(&beta, beta.Owner, "m1", now, time.Minute),
			streamed(&acme, acme.Owner, "m1", now.Add(-40*time.Hour), time.Minute), // before the range
		}
		relay := storetest.NewID()
		storetest.Need(s.Metering.RecordEvents(background, platform, relay, events))(t)
		// repeated: nothing counts twice
		storetest.Need(s.Metering.RecordEvents(background, platform, relay, events))(t)
		drainSpeeds(t, s)
		for _, scope := range []tenant.Scope{acme.AsOwner, acme.AsAdmin, acme.AsMember} {
			got := storetest.Need(s.Metering.ModelSpeed(background, scope, "m1", now.Add(-24*time.Hour)))(t)
			if !got.Measured || got.Errors != 0.25 || got.TokensPerSecond != 50 ||
				math.Abs(float64(got.FirstToken-400*time.Millisecond)) > float64(20*time.Millisecond) {
				t.Errorf("%v: got %+v", scope, got)
			}
		}
		storetest.Equal(t, "speed of a model without calls",
			storetest.Need(s.Metering.ModelSpeed(background, beta.AsOwner, "m2", now.Add(-24*time.Hour)))(t),
			usage.Speed{})
		_, err := s.Metering.ModelSpeed(background, platform, "m1", now)
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

// Sums that are older than rollup.SpeedRetention are deleted with the next drain.
func TestDrainSpeeds_DeletesOldSums(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.AddModel(t, s, "m1")
		long := time.Now().Add(-30 * 24 * time.Hour)
		record := func(at time.Time) {
			storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
				[]usage.Event{streamed(&f, f.Owner, "m1", at, time.Second)}))(t)
			drainSpeeds(t, s)
		}
		record(time.Now().Add(-72 * time.Hour))
		storetest.Equal(t, "measured before the next drain",
			storetest.Need(s.Metering.ModelSpeed(background, f.AsOwner, "m1", long))(t).Measured, true)
		record(time.Now().Add(-71 * time.Hour))
		record(time.Now())
		got := storetest.Need(s.Metering.ModelSpeed(background, f.AsOwner, "m1", long))(t)
		storetest.Equal(t, "measured", got.Measured, true)
		storetest.Equal(t, "median", got.FirstToken.Round(100*time.Millisecond), time.Second)
		storetest.Equal(t, "measured three days ago",
			storetest.Need(s.Metering.ModelSpeed(background, f.AsOwner, "m1", time.Now().Add(-24*time.Hour)))(t), got)
	})
}
