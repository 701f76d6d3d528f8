package queue

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/tollgate/tollgate/libs/polltest"
)

// history begins the name of the lists that the scheduler of asynq writes.
const history = "asynq:scheduler_history:"

// A worker may be killed at any time, and has a new name for its keys after each start.
func TestServer_WritesNoHistoryOfItsSchedule(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		var runs atomic.Int64
		serve(t, r, PeriodicTask{Task: SweepStore, Handler: counting(&runs), Every: time.Second})
		polltest.Until(t, "the task ran three times", func() bool { return runs.Load() >= 3 })
		client := newConnection(t, r)
		if keys := histories(t, client); len(keys) > 0 {
			t.Errorf("got the keys %v, want none", keys)
		}
	})
}

// Earlier versions wrote histories. Those of other programs stay.
func TestServer_DeletesHistoriesWithoutNewEntries(t *testing.T) {
	t.Parallel()
	onEveryRedis(t, func(t *testing.T, r *Redis) {
		client := newConnection(t, r)
		for name, last := range map[string]time.Time{
			"killed": time.Now().Add(-8 * 24 * time.Hour), "running": time.Now().Add(-6 * 24 * time.Hour),
		} {
			for _, at := range []time.Time{last.Add(-8 * 24 * time.Hour), last} {
				entry := redis.Z{Score: float64(at.Unix()), Member: at.String()}
				if err := client.ZAdd(t.Context(), history+name, entry).Err(); err != nil {
					t.Fatal(err)
				}
			}
		}
		serve(t, r)
		polltest.Until(t, "only the history with a new entry is there",
			func() bool { return slices.Equal(histories(t, client), []string{history + "running"}) })
	})
}

// newConnection returns a client of r, also of an embedded one.
func newConnection(t *testing.T, r *Redis) redis.UniversalClient {
	t.Helper()
	client := connector{r.target}.client()
	t.Cleanup(func() { _ = client.Close() }) // no command is pending
	return client
}

// histories returns the names of the histories, in order.
func histories(t *testing.T, client redis.UniversalClient) (names []string) {
	t.Helper()
	var mu sync.Mutex
	read := func(ctx context.Context, node *redis.Client) error {
		keys, err := node.Keys(ctx, history+"*").Result()
		mu.Lock()
		defer mu.Unlock()
		names = append(names, keys...)
		return err
	}
	var err error
	switch client := client.(type) {
	case *redis.ClusterClient:
		err = client.ForEachMaster(t.Context(), read)
	case *redis.Client:
		err = read(t.Context(), client)
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}
