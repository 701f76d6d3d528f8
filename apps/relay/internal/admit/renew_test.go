package admit

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/uuid"
)

func TestSteadyFor_CountsFromTheEndOfTheLastGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rich()
		a := relay(b, uuid.UUID{1})
		want := func(when string, want time.Duration) {
			t.Helper()
			synctest.Wait()
			if got := a.SteadyFor(); got != want {
				t.Errorf("%s: got %v, want %v", when, got, want)
			}
		}
		want("before the first heartbeat", 0)
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) //nolint:forbidigo // on the fake clock
		want("with all heartbeats", time.Minute)
		b.set(func() { b.down = errors.New("down") })
		time.Sleep(maxBetween) //nolint:forbidigo // on the fake clock
		want("after a failure", 0)
		b.set(func() { b.down = nil })
		time.Sleep(afterMiss + time.Second) //nolint:forbidigo // on the fake clock
		want("after the failure", time.Second)
		a.Stop()
		time.Sleep(a.late()) //nolint:forbidigo // on the fake clock
		want("without a heartbeat", 0)
		if err := a.renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) //nolint:forbidigo // on the fake clock
		want("after a late heartbeat", time.Second)
	})
}

func TestValidity_FollowsTheClockThatShowsMore(t *testing.T) {
	for name, row := range map[string]struct{ monotonic, wall, want time.Duration }{
		"both clocks go on":                       {time.Minute, time.Minute, ValidFor(grace) - time.Minute},
		"the machine was suspended":               {0, 2 * grace, ValidFor(grace) - 2*grace},
		"the wall clock was set back":             {time.Minute, -grace, ValidFor(grace) - time.Minute},
		"the wall clock was set forward a minute": {0, time.Minute, ValidFor(grace) - time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			now := begun
			a := New(Options{Lender: rich(), Grace: grace, Now: func() time.Time { return now }})
			if err := a.renew(t.Context()); err != nil {
				t.Fatal(err)
			}
			now = skew(t, begun.Add(row.monotonic), row.wall-row.monotonic)
			if got := a.Validity(); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
	a := admitter(rich())
	if n := testing.AllocsPerRun(100, func() { a.Validity() }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

// skew sets the wall clock of a time with a monotonic reading forward, by whole seconds. No function of package time
// does that. The seconds are above the 30 bits with the nanoseconds in the first word.
func skew(t *testing.T, at time.Time, by time.Duration) time.Time {
	t.Helper()
	skewed := at
	*(*int64)(unsafe.Pointer(&skewed)) += int64(by/time.Second) << 30
	if skewed.Sub(at) != 0 || skewed.Round(0).Sub(at.Round(0)) != by {
		t.Fatal("package time represents times in another way: this function must be changed")
	}
	return skewed
}
