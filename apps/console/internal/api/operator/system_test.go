package operator

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/tollgate/tollgate/libs/queue"
)

// redis is an Inspector of a Redis without tasks.
type redis struct {
	policy string
	err    error
}

func (redis) Queues() ([]queue.Stats, error)           { return nil, nil }
func (redis) Workers() ([]queue.Worker, error)         { return nil, nil }
func (r redis) Policy(context.Context) (string, error) { return r.policy, r.err }

func TestQueues_ShowAPolicyThatDeletesTasks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		redis          redis
		status, policy string
	}{
		"a policy that deletes keys": {redis{policy: "allkeys-lru"}, "ok", "allkeys-lru"},
		"noeviction":                 {redis{}, "ok", ""},
		"an outage":                  {redis{err: errors.New("connection refused")}, "failing", ""},
	} {
		h := &handlers{Options: Options{Inspector: c.redis, Log: slog.New(slog.DiscardHandler)}}
		if got := h.queuesNow(t.Context()); got.Status != c.status || got.Policy != c.policy {
			t.Errorf("%s: got status %q and policy %q, want %q and %q", name, got.Status, got.Policy,
				c.status, c.policy)
		}
	}
}
