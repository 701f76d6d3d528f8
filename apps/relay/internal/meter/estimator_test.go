package meter

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"
)

var short = Call{Model: "gpt-4o", Request: SampleIn(chat("hello world"))}

// busy takes all processors of the estimator. The calls that wait take turns at the one that release gives back.
func busy(t *testing.T, e *Estimator) (release func()) {
	t.Helper()
	at := (&Call{}).places()
	one, err := e.processors.TryAcquire(1, at...)
	if err != nil {
		t.Fatal(err)
	}
	others, err := e.processors.TryAcquire(processors()-1, at...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(others.Release)
	return one.Release
}

// empty checks that no call waits or is estimated.
func empty(t *testing.T, e *Estimator) {
	t.Helper()
	if p, s := e.processors.Stats(), e.samples.Stats(); p.Held > processors()-1 || e.Queued() != 0 || s.Held != 0 {
		t.Errorf("at the end: got %+v and %+v, want nothing", p, s)
	}
}

func TestEstimator_EstimatesLikeEstimate(t *testing.T) {
	e := NewEstimator(nil)
	if got, want := e.Estimate(short), Estimate(short.Model, short.Request, short.Output); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := e.Fallbacks(); got != 0 {
		t.Errorf("got %d fallbacks, want none", got)
	}
	empty(t, e)
}

// turns lets the calls wait in their order, and returns them in the order in which they got a processor.
func turns(t *testing.T, calls []Call) (order []Call) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := NewEstimator(nil)
		release := busy(t, e)
		for _, call := range calls {
			go func() {
				processor, err := e.acquire(&call)
				if err != nil {
					t.Error(err)
				}
				order = append(order, call) // one at a time: each waits for its turn
				processor.Release()
			}()
			synctest.Wait()
		}
		release()
		synctest.Wait()
		empty(t, e)
	})
	return order
}

func TestEstimator_ServesCallsWithAClientFirst(t *testing.T) {
	gone := Call{ClientGone: true}
	order := turns(t, []Call{gone, gone, {}, {}})
	if len(order) != 4 || order[0].ClientGone || order[1].ClientGone || !order[2].ClientGone || !order[3].ClientGone {
		t.Errorf("got the order %+v, want the calls without a client last", order)
	}
}

func TestEstimator_LetsTenantsTakeTurns(t *testing.T) {
	many, one := Call{TenantID: uuid.New()}, Call{TenantID: uuid.New()}
	order := turns(t, append(slices.Repeat([]Call{many}, 100), one))
	at := slices.IndexFunc(order, func(c Call) bool { return c.TenantID == one.TenantID })
	if len(order) != 101 || at < 0 || at > 1 {
		t.Errorf("got the call of the other tenant at place %d of %d", at, len(order))
	}
}

func TestEstimator_CountsBytesWhenTheQueueIsFull(t *testing.T) {
	for name, fill := range map[string]struct {
		calls, tenants int
		sample         []byte
	}{
		"calls":             {maxQueued, 8, nil},
		"calls of a tenant": {maxQueued / perTenant, 1, nil},
		"bytes":             {16, 8, make([]byte, maxQueuedBytes/16)},
		"bytes of a tenant": {4, 1, make([]byte, maxQueuedBytes/perTenant/4)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := NewEstimator(nil)
				release := busy(t, e)
				var waiting sync.WaitGroup
				for i := range fill.calls {
					call := Call{TenantID: uuid.UUID{byte(i % fill.tenants)}, Output: Output{Sample: fill.sample},
						ClientGone: true}
					waiting.Go(func() {
						processor, err := e.acquire(&call)
						if err != nil {
							t.Error(err)
						}
						processor.Release()
					})
				}
				synctest.Wait()
				if e.Queued() != fill.calls {
					t.Fatalf("got %d calls in the queue, want %d", e.Queued(), fill.calls)
				}
				text := strings.Repeat("a", 400)
				got := e.Estimate(Call{Model: "gpt-4o", Request: SampleIn(chat(text)), ClientGone: true})
				if want := int64(100 + messageTokens + answerTokens); got.Input != want || e.Fallbacks() != 1 {
					t.Errorf("got %d tokens and %d fallbacks, want %d and 1", got.Input, e.Fallbacks(), want)
				}
				release()
				waiting.Wait()
				empty(t, e)
			})
		})
	}
}
