package memory

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// TestBudget_KeepsItsInvariants lets calls of several tenants take, grow, stall, keep and release at random, in virtual
// time, and checks the sums after every step. The seed in the log reproduces a failure.
func TestBudget_KeepsItsInvariants(t *testing.T) {
	for range 200 {
		seed := rand.Uint64()
		synctest.Test(t, func(t *testing.T) {
			w := &history{t: t, seed: seed,
				budget: New(Options{Bytes: 1000 * SmallBody, Wait: time.Second, Now: time.Now})}
			w.run()
		})
		if t.Failed() {
			t.Logf("seed %d", seed)
			return
		}
	}
}

// history is one random history of a Budget.
type history struct {
	t      *testing.T
	seed   uint64
	budget *Budget
}

func (w *history) run() {
	var calls sync.WaitGroup
	for n := range 40 {
		calls.Go(func() {
			random := rand.New(rand.NewPCG(w.seed, uint64(n)))
			for range 10 {
				w.call(random)
			}
		})
	}
	calls.Wait()
	b := w.budget
	if b.inUse != 0 || b.waiters != 0 || len(b.queue) != 0 || len(b.tenants) != 0 {
		w.t.Errorf("at the end: %d bytes in use, %d calls wait, %d tenants, want none", b.inUse,
			b.waiters, len(b.tenants))
	}
	for _, a := range b.spare {
		if a.held != 0 || a.expected != 0 || len(a.reading) != 0 || a.asks() != 0 {
			w.t.Errorf("a tenant without calls: %+v", a)
		}
	}
}

// call makes one call of a random tenant, with a body of a random size and speed.
func (w *history) call(random *rand.Rand) {
	pause := func() { time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) } //nolint:forbidigo // on the fake clock
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(5000))*time.Millisecond)
	defer cancel()
	length := random.Int64N(400 * SmallBody)
	if random.IntN(2) == 0 {
		length = random.Int64N(SmallBody)
	}
	body := Body{Tenant: uuid.UUID{byte(random.IntN(4))}, First: min(length, SmallBody), Length: length}
	if length > SmallBody {
		body.Stop = func() {}
	}
	u, err := w.budget.Take(ctx, body)
	w.check()
	if err != nil {
		return
	}
	defer w.check()
	defer u.Release()
	for held := body.First; held < length; held = min(2*held, length) {
		pause()
		if err := u.Grow(ctx, min(2*held, length)); err != nil {
			return
		}
		w.check()
		u.Arrived(int(held))
		u.Shrink(held)
		w.check()
	}
	u.Finish()
	pause()
	u.Keep(length / 3)
	w.check()
	pause()
}

// check compares the sums, and checks that no call waits for which there is room.
func (w *history) check() {
	b := w.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	var held int64
	waiting, uses := 0, 0
	for _, a := range b.tenants {
		held += a.held
		waiting += a.asks()
		uses += a.uses
		if a.held < 0 || a.expected < 0 {
			w.t.Errorf("a tenant holds %d bytes and expects %d", a.held, a.expected)
		}
		if first := b.first(a); first != nil {
			w.t.Errorf("a call waits for %d bytes although there is room", first.bytes)
		}
	}
	if held != b.inUse || b.inUse < 0 || b.inUse > b.size || waiting != b.waiters {
		w.t.Errorf("tenants hold %d bytes, %d of %d are in use; %d calls wait, %d are counted", held, b.inUse, b.size,
			waiting, b.waiters)
	}
}
