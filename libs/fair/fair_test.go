package fair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

const patience = 5 * time.Second

// crowd is a queue with requests that wait, in a bubble of synctest. All slots are held until serve.
type crowd struct {
	*testing.T
	*Queue[string]
	served, refused []string
	release         chan struct{}
}

func newCrowd(t *testing.T, o Options[string]) *crowd {
	o.Patience, o.RetryAfter = patience, patience
	c := &crowd{T: t, Queue: New(o), release: make(chan struct{})}
	holder, err := c.Acquire(t.Context(), max(o.Total, o.PerKey), "holder")
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-c.release; holder.Release() }()
	return c
}

// wait lets a request wait, and give its slot back at once.
func (c *crowd) wait(name string, keys ...string) {
	go func() {
		lease, err := c.Acquire(c.Context(), 1, keys...)
		if err != nil {
			c.refused = append(c.refused, name)
			return
		}
		c.served = append(c.served, name)
		lease.Release()
	}()
	synctest.Wait()
}

// serve gives the slots back and returns the order in which the requests were served.
func (c *crowd) serve() []string {
	close(c.release)
	synctest.Wait()
	c.empty()
	return c.served
}

// empty checks that the queue keeps nothing.
func (c *crowd) empty() {
	c.Helper()
	checkEmpty(c.T, c.Queue)
}

func checkEmpty[K comparable](t *testing.T, q *Queue[K]) {
	t.Helper()
	if s := q.Stats(); s.Held != 0 || s.Waiting != 0 || len(q.root.children) != 0 || len(q.root.turns) != 0 {
		t.Errorf("at the end: got %+v and %d keys, want nothing", s, len(q.root.children))
	}
	for _, n := range q.spare {
		if n.weight != 0 || n.waiters != 0 || len(n.children) != 0 || len(n.turns) != 0 || len(n.requests) != 0 {
			t.Errorf("a spare node has %+v", n)
		}
	}
}

func TestQueue_ServesTheKeysOfEachLevelInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options[string]{Total: 1})
		for i := range 3 {
			c.wait(fmt.Sprintf("flood %d", i), "a", "flood", "x")
		}
		c.wait("colleague", "a", "flood", "y")
		c.wait("neighbor", "a", "other", "x")
		c.wait("elsewhere 0", "b", "other", "x")
		c.wait("elsewhere 1", "b", "other", "x")
		want := []string{"flood 0", "elsewhere 0", "neighbor", "elsewhere 1", "colleague", "flood 1", "flood 2"}
		if got := c.serve(); !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
	})
}

func TestQueue_ServesKeysOfALowerRankFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ranks := map[string]int{"late": 1, "later": 2}
		c := newCrowd(t,
			Options[string]{Total: 1, MaxWaiting: []int{6}, Priority: func(key string) int { return ranks[key] }})
		for _, key := range []string{"later", "late", "a", "a", "b", "late", "late"} {
			c.wait(key, key)
		}
		if !slices.Equal(c.refused, []string{"late"}) {
			t.Errorf("refused %q, want the one beyond the bound", c.refused)
		}
		if got, want := c.serve(), []string{"a", "b", "a", "late", "late", "later"}; !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
	})
}

func TestQueue_BoundsEachKeyAndLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{PerKey: 2, MaxWaiting: []int{1}, Patience: patience})
		first, second := mustTake(t, q, 1, "a"), mustTake(t, q, 1, "a")
		granted := make(chan Lease[string], 1)
		go func() { granted <- mustTake(t, q, 1, "a") }()
		synctest.Wait()
		if s := q.Stats(); s.Held != 2 || s.Waiting != 1 {
			t.Fatalf("got %+v, want 2 held and 1 that waits", s)
		}
		other := mustTake(t, q, 2, "b") // although no further request may wait
		if _, err := q.TryAcquire(1, "a"); !errors.Is(err, ErrShare) || !problem.Is(err, problem.Overloaded) {
			t.Errorf("got %v of a key that holds its share, want ErrShare", err)
		}
		first.Release()
		first.Release() // has no effect
		third := <-granted
		for _, lease := range []*Lease[string]{&second, &third, &other} {
			lease.Release()
		}
		checkEmpty(t, q)
	})
}

// Light requests that fit come all the time. They must not pass a heavy one that has its turn.
func TestQueue_LetsNobodyPassAHeavyRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{Total: 10})
		half, small := mustTake(t, q, 5, "a"), mustTake(t, q, 1, "a")
		var order []string
		wait := func(name string, weight int64) {
			go func() {
				lease := mustTake(t, q, weight, name)
				order = append(order, name)
				lease.Release()
			}()
			synctest.Wait()
		}
		wait("heavy", 9)
		wait("light", 2)
		if _, err := q.TryAcquire(2, "b"); err == nil || errors.Is(err, ErrShare) {
			t.Errorf("got %v for a light request behind a heavy one, want a refusal that is not about its share", err)
		}
		if err := small.Grow(1); err == nil {
			t.Error("a lease grew although a heavy request waits")
		}
		small.Release()
		synctest.Wait()
		if len(order) > 0 {
			t.Errorf("served %q although the heavy request does not fit", order)
		}
		half.Release()
		synctest.Wait()
		if want := []string{"heavy", "light"}; !slices.Equal(order, want) {
			t.Errorf("served %q, want %q", order, want)
		}
		checkEmpty(t, q)
	})
}

func TestQueue_GivesAPlaceOfTheLargestFloodToAnotherKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options[string]{Total: 1, MaxWaiting: []int{0, 4, 3}})
		for i := range 5 {
			c.wait(fmt.Sprintf("flood %d", i), "class", "flood")
		}
		c.wait("a", "class", "a")
		c.wait("b", "class", "b")
		c.wait("c", "class", "c")
		c.wait("d", "class", "d")
		c.wait("elsewhere", "other", "d")
		if want := []string{"flood 3", "flood 4", "flood 2", "flood 1", "d"}; !slices.Equal(c.refused, want) {
			t.Errorf("refused %q, want %q: those beyond the bound, those whose place others took, and one that came "+
				"when each key had one", c.refused, want)
		}
		if got, want := c.serve(), []string{"flood 0", "elsewhere", "a", "b", "c"}; !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
		if got := c.Stats().Refused; got != 5 {
			t.Errorf("counted %d refusals, want 5", got)
		}
	})
}

func TestAcquire_EndsWithPatienceAndContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{Total: 2, Patience: patience, RetryAfter: time.Second})
		holder := mustTake(t, q, 2, "a")
		begun := time.Now()
		_, err := q.Acquire(t.Context(), 1, "b")
		if p := problem.From(err); p.Kind != problem.Overloaded || p.RetryAfter != time.Second ||
			time.Since(begun) != patience {
			t.Errorf("got %v after %s, want Overloaded after %s", err, time.Since(begun), patience)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.Acquire(ctx, 1, "b"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v of a request that has ended, want context.Canceled", err)
		}
		begun = time.Now()
		if _, err := q.Acquire(t.Context(), 3, "b"); !problem.Is(err, problem.Overloaded) || time.Since(begun) != 0 {
			t.Errorf("got %v after %s of a request that can never fit, want Overloaded at once", err, time.Since(begun))
		}
		if none, err := q.Acquire(t.Context(), 0, "b"); err != nil || none.queue != nil {
			t.Errorf("got %v for a weight of zero, want a lease that holds nothing", err)
		}
		if s := q.Stats(); s != (Stats{Held: 2, Refused: 2}) {
			t.Errorf("got %+v, want 2 held and 2 refused", s)
		}
		holder.Release()
		checkEmpty(t, q)
	})
}

// A request that gives up makes room for those behind it.
func TestAcquire_ThatGivesUpLetsOthersIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{Total: 2})
		holder := mustTake(t, q, 1, "a")
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = q.Acquire(ctx, 2, "heavy") }()
		synctest.Wait()
		granted := make(chan Lease[string], 1)
		go func() { granted <- mustTake(t, q, 1, "light") }()
		synctest.Wait()
		if len(granted) > 0 {
			t.Error("a light request passed a heavy one")
		}
		cancel()
		light := <-granted
		light.Release()
		holder.Release()
		checkEmpty(t, q)
	})
}

func TestMaxOfFree_LeavesPlaceForASmallRequestWhateverOthersHold(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		times int64
		keys  int
		most  int64 // that all of them hold together
	}{
		{"one key", 1, 1, 500_000},
		{"two keys", 1, 2, 667_000},
		{"a hundred keys", 1, 100, 991_000},
		{"one key, four times", 4, 1, 800_000},
		{"two keys, four times", 4, 2, 889_000},
		{"a hundred keys, four times", 4, 100, 998_000},
	} {
		q := New(Options[string]{Total: 1_000_000, MaxOfFree: row.times})
		leases := make([]Lease[string], row.keys)
		for refused := 0; refused < row.keys; {
			refused = 0
			for i := range leases {
				if leases[i].queue == nil {
					leases[i] = mustTake(t, q, 100, fmt.Sprint(i))
				} else if leases[i].Grow(100) != nil {
					refused++
				}
			}
		}
		s := q.Stats()
		if s.Held > row.most || s.Held < row.most-row.most/100 {
			t.Errorf("%s: hold %d, want at most %d and almost as much", row.name, s.Held, row.most)
		}
		if s.Refused < int64(row.keys) {
			t.Errorf("%s: counted %d refusals, want one of each key", row.name, s.Refused)
		}
		small, err := q.TryAcquire(1_000, "somebody else")
		if err != nil {
			t.Errorf("%s: leave no room for a small request", row.name)
		}
		small.Release()
		for i := range leases {
			leases[i].Release()
		}
		checkEmpty(t, q)
	}
}

// One user of a tenant leaves room for another one, and both leave room for another tenant.
func TestMaxOfFree_LeavesPlaceForOthersAtEachLevel(t *testing.T) {
	t.Parallel()
	q := New(Options[string]{Total: 100_000, MaxOfFree: 4})
	fill := func(keys ...string) (leases []Lease[string]) {
		for {
			lease, err := q.TryAcquire(10, keys...)
			if err != nil {
				return leases
			}
			leases = append(leases, lease)
		}
	}
	leases := fill("tenant", "user")
	if got := q.Stats().Held; got != 76_190 { // 16 of 21 parts: then the tenant could hold 4 parts more
		t.Errorf("one user holds %d", got)
	}
	leases = append(leases, fill("tenant", "colleague")...)
	if got := q.Stats().Held; got < 79_000 || got > 80_000 {
		t.Errorf("two users hold %d, want almost what the tenant may hold", got)
	}
	leases = append(leases, mustTake(t, q, 4_000, "neighbor", "user"))
	for i := range leases {
		leases[i].Release()
	}
	checkEmpty(t, q)
	if _, err := q.Acquire(t.Context(), 80_000, "tenant", "user"); !problem.Is(err, problem.Overloaded) {
		t.Errorf("got %v for a weight that never fits, want a refusal at once", err)
	}
}

// mustTake acquires weight and fails the test if that fails.
func mustTake[K comparable](t *testing.T, q *Queue[K], weight int64, keys ...K) Lease[K] {
	t.Helper()
	lease, err := q.Acquire(t.Context(), weight, keys...)
	if err != nil {
		t.Errorf("acquire %d for %v: %v", weight, keys, err)
	}
	return lease
}

func TestAcquire_AllocatesNothingWithoutAWait(t *testing.T) {
	q := New(Options[string]{Total: 10, PerKey: 5, Patience: patience})
	ctx := t.Context()
	cycle := func() {
		lease, err := q.Acquire(ctx, 1, "a")
		if err != nil {
			t.Error(err)
		}
		lease.Release()
	}
	cycle()
	if got := testing.AllocsPerRun(100, cycle); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}

func BenchmarkAcquire(b *testing.B) {
	q := New(Options[string]{Total: 1 << 40, PerKey: 1 << 40, Patience: patience})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			lease, err := q.Acquire(context.Background(), 1, "a")
			if err != nil {
				b.Error(err)
				return
			}
			lease.Release()
		}
	})
}
