package shipped

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// openStreams is the number of streams that are open at any time.
const openStreams = 16

// traffic records what the clients saw of a load on the load balancer.
type traffic struct {
	mu   sync.Mutex
	ids  []string // request ids of the successes
	sent int
	bad  []error // errors of the failed calls
}

// note records the result of a call.
func (l *traffic) note(id string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	if err != nil {
		l.bad = append(l.bad, err)
		return
	}
	l.ids = append(l.ids, id)
}

// served returns how many calls have succeeded so far.
func (l *traffic) served() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ids)
}

// readStream sends a request whose stream takes about a second, and reads the stream up to its end.
func readStream(ctx context.Context, client *openai.Client) (id string, err error) {
	var response *http.Response
	stream := client.Chat.Completions.NewStreaming(ctx, hello("paced"), option.WithResponseInto(&response))
	defer stream.Close() //nolint:errcheck // read up to its end
	chunks := 0
	for stream.Next() {
		chunks++
	}
	if err := stream.Err(); err != nil {
		return "", err
	}
	if chunks < 30 {
		return "", fmt.Errorf("a stream ended without an error after %d of 30 chunks", chunks)
	}
	return response.Header.Get("X-Request-Id"), nil
}

// during runs disrupt while clients call through the load balancer, with the official client's retries, and
// returns what they saw.
func (c *composed) during(t *testing.T, token string, disrupt func(l *traffic)) *traffic {
	t.Helper()
	l := &traffic{}
	var stop atomic.Bool
	var clients sync.WaitGroup
	for range openStreams {
		client := sdk(c.Relay, token)
		clients.Go(func() {
			for n := 0; !stop.Load() && n < 500; n++ {
				l.note(readStream(context.Background(), &client))
			}
		})
	}
	disrupt(l)
	stop.Store(true)
	clients.Wait()
	return l
}

// awaitMore waits until this many more calls have succeeded.
func (l *traffic) awaitMore(t *testing.T, calls int) {
	t.Helper()
	from := l.served()
	story.Eventually(t, startTimeout, "calls are served", func() bool { return l.served() >= from+calls })
}

// recorded checks that the console has a usage log of every success.
func recorded(t *testing.T, root *story.Console, l *traffic) {
	t.Helper()
	seen := map[string]bool{}
	for _, id := range l.ids {
		if seen[id] {
			t.Errorf("two calls have the id %s", id)
		}
		seen[id] = true
	}
	left := len(l.ids)
	story.Eventually(t, story.Patience, "all successes are recorded", func() bool {
		for ; left > 0; left-- {
			got, err := root.GetUsageLog(story.Context(t), uuid.MustParse(l.ids[left-1]))
			if err != nil || got.JSON200 == nil {
				return false
			}
			if got.JSON200.Outcome != "success" {
				t.Errorf("usage log %s: got %s", l.ids[left-1], got.JSON200.Outcome)
			}
		}
		return true
	})
}

// testKill kills a relay under load. Only calls in flight at that relay may fail. All successes are recorded
// after the relay has started again with its spool.
func (c *composed) testKill(t *testing.T, token string, root *story.Console) {
	victim := c.container(t, "relay-1")
	l := c.during(t, token, func(l *traffic) {
		l.awaitMore(t, 60)
		if err := command(t.Context(), c.root, nil, "docker", "kill", victim); err != nil {
			t.Error(err)
		}
		l.awaitMore(t, 60) // at the other relay
		if err := command(t.Context(), c.root, nil, "docker", "start", victim); err != nil {
			t.Error(err)
		}
		l.awaitMore(t, 60)
	})
	if len(l.bad) > openStreams {
		t.Errorf("%d of %d calls failed, more than were in flight: %v", len(l.bad), l.sent, l.bad[:3])
	}
	t.Logf("%d calls, %d failed when the relay was killed", l.sent, len(l.bad))
	recorded(t, root, l)
}

// testRollingRestart restarts the relays one after the other, as an upgrade does. A relay finishes its open streams
// before it ends, while the other one serves. No client may notice.
func (c *composed) testRollingRestart(t *testing.T, token string, root *story.Console) {
	l := c.during(t, token, func(l *traffic) {
		for _, relay := range []string{"relay-1", "relay-2"} {
			id := c.container(t, relay)
			l.awaitMore(t, 30)
			if err := command(t.Context(), c.root, nil, "docker", "stop", "-t", "40", id); err != nil {
				t.Error(err)
			}
			l.awaitMore(t, 30)
			if err := command(t.Context(), c.root, nil, "docker", "start", id); err != nil {
				t.Error(err)
			}
			c.healthy(t, id)
		}
		l.awaitMore(t, 30)
	})
	if len(l.bad) > 0 {
		t.Errorf("%d of %d calls failed: %v", len(l.bad), l.sent, l.bad[:min(3, len(l.bad))])
	}
	t.Logf("%d calls", l.sent)
	recorded(t, root, l)
}

// healthy waits until the engine's health check reports that the container is healthy.
func (c *composed) healthy(t *testing.T, id string) {
	t.Helper()
	of := Container{Name: id, id: id, docker: suite.kit.docker}
	story.Eventually(t, startTimeout, "the health check of a relay", func() bool {
		s, err := of.state(t.Context())
		return err == nil && s.Health != nil && s.Health.Status == "healthy"
	})
}
