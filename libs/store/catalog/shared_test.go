package catalog

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/snapshot"
)

// Forty-eight calls of one tenant share one read, because they wait for it. Calls that come during the read share
// another. Not more than two reads run at a time, and a call that leaves stops no read of others.
func TestSharedReads_AreFewAndRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := newSharedReads()
		var mu sync.Mutex
		running, most, total := 0, 0, 0
		finish := make(chan struct{})
		read := func(ctx context.Context) (*snapshot.Snapshot, error) {
			mu.Lock()
			running++
			total++
			most = max(most, running)
			version := int64(total)
			mu.Unlock()
			<-finish
			mu.Lock()
			running--
			mu.Unlock()
			return &snapshot.Snapshot{Version: version}, ctx.Err()
		}
		got := make(chan int64, 1000)
		call := func(n int, of uuid.UUID) {
			for range n {
				go func() {
					read, err := reads.get(t.Context(), of, read)
					if err != nil {
						t.Error(err)
						return
					}
					got <- read.Version
				}()
			}
			synctest.Wait()
		}
		acme, globex, initech := uuid.New(), uuid.New(), uuid.New()
		call(1, acme)   // read 1
		call(48, acme)  // those that come before read 2 begins share it, the others read 3
		call(48, acme)  // read 3
		call(1, globex) // reads 4 and 5 wait for a place
		call(1, initech)
		if total != 2 || most != 2 {
			t.Errorf("%d reads have begun, %d at a time, want 2 and 2", total, most)
		}
		leaving, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := reads.get(leaving, globex, read)
			left <- err
		}()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the call that left got %v", err)
		}
		close(finish)
		synctest.Wait()
		calls := map[int64]int{}
		for range 1 + 48 + 48 + 1 + 1 {
			calls[<-got]++
		}
		if total != 5 || most != 2 || calls[1] != 1 || calls[2] > 48 {
			t.Errorf("got %d reads, %d at a time, for these calls: %v", total, most, calls)
		}
	})
}
