package meter

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

var short = Call{Model: "gpt-4o", Request: SampleIn(chat("hello world"))}

// busy takes all turns of the estimator.
func busy(e *Estimator) {
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		e.enter(Call{})
	}
}

func TestEstimator_EstimatesLikeEstimate(t *testing.T) {
	var e Estimator
	if got, want := e.Estimate(short), Estimate(short.Model, short.Request, short.Output); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if e.running != 0 || e.Queued() != 0 || e.bytes != 0 || e.Fallbacks() != 0 {
		t.Errorf("after the estimate: got %+v", &e)
	}
}

func TestEstimator_ServesCallsWithAClientFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e Estimator
		busy(&e)
		var order []bool
		for _, left := range []bool{true, true, false, false} {
			go func() {
				e.enter(Call{Left: left})
				order = append(order, left) // one at a time: each waits for its turn
			}()
			synctest.Wait()
		}
		for range 4 {
			e.leave()
			synctest.Wait()
		}
		if len(order) != 4 || order[0] || order[1] || !order[2] || !order[3] {
			t.Errorf("left, in the order of the turns: got %v", order)
		}
	})
}

func TestEstimator_CountsBytesWhenTheQueueIsFull(t *testing.T) {
	for name, fill := range map[string]struct {
		calls  int
		sample []byte
	}{
		"calls": {maxQueued, nil},
		"bytes": {16, make([]byte, maxQueuedBytes/16)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e Estimator
				busy(&e)
				var waiting sync.WaitGroup
				for range fill.calls {
					waiting.Go(func() {
						e.enter(Call{Output: Output{Sample: fill.sample}, Left: true})
						e.leave()
					})
				}
				synctest.Wait()
				if e.Queued() != fill.calls {
					t.Fatalf("got %d calls in the queue, want %d", e.Queued(), fill.calls)
				}
				text := strings.Repeat("a", 400)
				got := e.Estimate(Call{Model: "gpt-4o", Request: SampleIn(chat(text)), Left: true})
				if want := int64(100 + messageTokens + answerTokens); got.Input != want || e.Fallbacks() != 1 {
					t.Errorf("got %d tokens and %d fallbacks, want %d and 1", got.Input, e.Fallbacks(), want)
				}
				e.leave()
				waiting.Wait()
				if e.Queued() != 0 || e.bytes != 0 {
					t.Errorf("at the end: got %d calls and %d bytes in the queue", e.Queued(), e.bytes)
				}
			})
		})
	}
}
