package memory

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

const mb = 1 << 20

var tenantA, tenantB, tenantC = uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}

// budget returns a Budget of 64 MiB in which calls wait up to a second.
func budget() *Budget { return New(Options{Bytes: 64 * mb, Wait: time.Second, Now: time.Now}) }

// take takes n bytes for a tenant and fails the test if there is no room at once.
func take(t *testing.T, b *Budget, tenant uuid.UUID, n int64) *Use {
	t.Helper()
	u, err := takeNow(b, tenant, n)
	if err != nil {
		t.Fatalf("take %d bytes: %v; %+v", n, err, b.Stats())
	}
	return u
}

// takeNow takes n bytes without waiting.
func takeNow(b *Budget, tenant uuid.UUID, n int64) (*Use, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return b.Take(ctx, Body{Tenant: tenant, First: n, Length: n})
}

// later takes n bytes in another goroutine. The channel yields the Use, nil for a refusal.
func later(b *Budget, tenant uuid.UUID, n int64) <-chan *Use {
	done := make(chan *Use, 1)
	go func() {
		u, _ := b.Take(context.Background(), Body{Tenant: tenant, First: n, Length: n})
		done <- u
	}()
	return done
}

func used(t *testing.T, b *Budget, want int64) {
	t.Helper()
	if got := b.Stats().Used; got != want {
		t.Errorf("got %d bytes in use, want %d", got, want)
	}
}

func TestTake_LeavesRoomForOtherTenants(t *testing.T) {
	b := budget()
	var all []*Use
	fill := func(tenant uuid.UUID, most int64) {
		t.Helper()
		before := b.Stats().Used
		u, err := takeNow(b, tenant, mb)
		for ; err == nil; u, err = takeNow(b, tenant, mb) {
			all = append(all, u)
		}
		if got := b.Stats().Used - before; got != most {
			t.Errorf("a tenant took %d bytes, want %d", got, most)
		}
		if !problem.Is(err, problem.Overloaded) || problem.From(err).RetryAfter != time.Second {
			t.Errorf("beyond that: got %v, want overloaded with Retry-After", err)
		}
	}
	fill(tenantA, 51*mb) // of 64
	fill(tenantB, 10*mb) // of 13
	fill(tenantC, 2*mb)  // of 3
	used(t, b, 63*mb)
	for _, u := range all {
		u.Release()
		u.Release() // does nothing
	}
	used(t, b, 0)
	if len(b.tenants) != 0 {
		t.Errorf("got %d tenants without a call", len(b.tenants))
	}
}

func TestTake_RefusesAfterTheTimeToWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget()
		take(t, b, tenantA, 50*mb)
		begun := time.Now()
		_, err := b.Take(t.Context(), Body{Tenant: tenantB, First: 12 * mb, Length: 12 * mb})
		if !problem.Is(err, problem.Overloaded) || time.Since(begun) != time.Second {
			t.Errorf("got %v after %v, want overloaded after a second", err, time.Since(begun))
		}
		if s := b.Stats(); s.Waiting != 0 || s.Refused != 1 || s.Used != 50*mb {
			t.Errorf("got %+v", s)
		}
	})
}

func TestTake_RefusesAtOnceWhatCanNeverFit(t *testing.T) {
	b := budget()
	if _, err := b.Take(t.Context(), Body{Tenant: tenantA, First: 52 * mb}); !problem.Is(err, problem.TooLarge) {
		t.Errorf("got %v, want too large", err)
	}
	u := take(t, b, tenantA, 32*mb)
	if err := u.Grow(t.Context(), 20*mb); !problem.Is(err, problem.TooLarge) {
		t.Errorf("growth: got %v, want too large", err)
	}
}

func TestTake_BoundsTheCallsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget()
		full := take(t, b, tenantA, 51*mb)
		var waiting []<-chan *Use
		for range maxWaiting {
			waiting = append(waiting, later(b, tenantA, mb))
		}
		synctest.Wait()
		begun := time.Now()
		if _, err := b.Take(t.Context(), Body{Tenant: tenantA, First: mb, Length: mb}); err == nil ||
			time.Since(begun) != 0 {
			t.Errorf("one more call of the tenant: got %v after %v, want a refusal at once", err, time.Since(begun))
		}
		other := later(b, tenantB, 12*mb)
		synctest.Wait()
		full.Release()
		if u := <-other; u == nil {
			t.Error("the call of another tenant was refused")
		}
		for _, u := range waiting {
			(<-u).Release()
		}
	})
}

func TestTake_ServesTheTenantThatHoldsLeastFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget()
		first, second := take(t, b, tenantA, 20*mb), take(t, b, tenantA, 20*mb)
		again, other := later(b, tenantA, 13*mb), later(b, tenantB, 20*mb)
		synctest.Wait()
		first.Release()
		if <-other == nil {
			t.Error("the other tenant was refused")
		}
		if <-again == nil { // nobody else waits any more
			t.Error("the first tenant was refused although there was room")
		}
		second.Release()
	})
}

func TestGrow_StopsAtHalfWhileAnotherTenantWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget()
		a, c := take(t, b, tenantA, 32*mb), take(t, b, tenantC, 20*mb)
		other := later(b, tenantB, 13*mb)
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := a.Grow(ctx, mb); !problem.Is(err, problem.Overloaded) {
			t.Errorf("growth beyond the half: got %v, want overloaded", err)
		}
		if err := c.Grow(ctx, mb); err != nil {
			t.Errorf("growth of a tenant that holds less: %v", err)
		}
		if u := <-other; u != nil {
			t.Error("there was no room for the other tenant, but its call was served")
		}
		if err := a.Grow(ctx, mb); err != nil {
			t.Errorf("growth when nobody waits: %v", err)
		}
	})
}

// The declared length counts among the calls of one tenant only: a header alone takes nothing from others.
func TestTake_LetsLargeBodiesOfATenantArriveOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget()
		large := Body{Tenant: tenantA, First: SmallBody, Length: 25 * mb, Stop: func() {}}
		var begun []*Use
		for range 2 {
			u, err := b.Take(t.Context(), large)
			if err != nil {
				t.Fatal(err)
			}
			begun = append(begun, u)
		}
		used(t, b, 2*SmallBody)
		take(t, b, tenantA, 1000)  // a small body passes
		take(t, b, tenantB, 50*mb) // another tenant may use all that has not arrived
		third := make(chan error, 1)
		go func() {
			u, err := b.Take(t.Context(), large)
			u.Release()
			third <- err
		}()
		synctest.Wait()
		begun[0].Finish()
		begun[0].Release()
		if err := <-third; err != nil {
			t.Errorf("after the first body: %v", err)
		}
	})
}

func TestTake_ExpectsNoMoreOfASlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget()
		large := Body{Tenant: tenantA, First: SmallBody, Length: 25 * mb, Stop: func() { t.Error("stopped") }}
		for range 2 {
			if _, err := b.Take(t.Context(), large); err != nil {
				t.Fatal(err)
			}
		}
		begun := time.Now()
		if _, err := b.Take(t.Context(), large); err != nil || time.Since(begun) < slowAfter {
			t.Errorf("got %v after %v, want success after %v", err, time.Since(begun), slowAfter)
		}
	})
}

func TestStalledBody_IsGivenUpWhileOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget()
		stopped := 0
		read := func() *Use {
			u, err := b.Take(t.Context(), Body{Tenant: tenantA, First: SmallBody, Length: 25 * mb,
				Stop: func() { stopped++ }})
			if err == nil {
				err = u.Grow(t.Context(), 25*mb-SmallBody)
			}
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
		stalled, fast := read(), read()
		time.Sleep(stallAfter) //nolint:forbidigo // on the fake clock
		if stopped != 0 {
			t.Fatal("a body was stopped although nobody waited")
		}
		fast.Arrived(markEvery)
		other := later(b, tenantB, 30*mb)
		synctest.Wait()
		if stopped != 1 || b.Stats().Stopped != 1 {
			t.Fatalf("got %d bodies stopped, want 1", stopped)
		}
		if stalled.Finish() || !fast.Finish() {
			t.Error("the wrong body was stopped")
		}
		stalled.Release()
		if <-other == nil {
			t.Error("the waiting call was refused")
		}
		stalled.Release()
		fast.Release()
	})
}

func TestKeep_GivesBackTheRest(t *testing.T) {
	b := budget()
	u := take(t, b, tenantA, 30*mb)
	u.Keep(40 * mb)
	used(t, b, 30*mb)
	u.Keep(mb)
	used(t, b, mb)
	u.Shrink(mb)
	u.Release()
	used(t, b, 0)
}

func BenchmarkTakeAndRelease(b *testing.B) {
	budget := New(Options{Bytes: 1 << 40, Wait: time.Second, Now: time.Now})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		tenant := uuid.New()
		for pb.Next() {
			u, err := budget.Take(context.Background(), Body{Tenant: tenant, First: 1000, Length: 1000})
			if err != nil {
				b.Error(err)
				return
			}
			u.Finish()
			u.Release()
		}
	})
}
