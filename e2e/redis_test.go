package e2e

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// afterFailover is how long work may wait after Redis has lost data: the lock of a lost task keeps equal ones out for a
// minute, and the interval of probes is a minute.
const afterFailover = 4 * time.Minute

// fleetOf starts two relays and two workers on a Redis of several servers.
func fleetOf(t *testing.T, kind stack.RedisKind, env map[string]string) *testbed {
	t.Helper()
	w := testbedWith(t, stack.Options{Redis: kind, Relays: 2, Workers: 2, Env: env})
	awaitMetric(t, w, "tollgate_limits_relays", 2)
	return w
}

// TestRedis_FailsOver checks limits and each kind of background work behind Sentinels and on a cluster: before, after
// the master of the limits died, after the master of the tasks died, and after all data was deleted.
func TestRedis_FailsOver(t *testing.T) {
	t.Parallel()
	for _, kind := range []stack.RedisKind{stack.RedisSentinels, stack.RedisCluster} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			box := mailtest.Listen(t, nil)
			w := fleetOf(t, kind, map[string]string{
				"TOLLGATE_CONSOLE_URL": "http://console.example", "TOLLGATE_SMTP_URL": "smtp://" + box.Address,
				"TOLLGATE_MAIL_FROM": "tollgate@console.example",
			})
			owner := w.signIn(t, victimOwner)
			me, err := owner.GetSession(story.Context(t))
			story.Must(t, me, err)
			mailbox, err := owner.CreateAlertDestination(story.Context(t),
				consoleclient.NewAlertDestination{Channel: "mail", Name: "me", UserId: &me.JSON200.User.Id})
			story.Must(t, mailbox, err)
			var served int64
			works := func(when string) {
				t.Helper()
				t.Log(when)
				served += w.limitsHold(t, when)
				story.Eventually(t, story.Patience, "all calls are recorded, each once",
					func() bool { return int64(len(w.rows(t, "victim"))) == served })
				w.workIsDone(t, owner, mailbox.JSON201.Destination.Id, box)
			}
			works("at first")
			for _, tag := range []string{"limit", "tollgate"} {
				if err := w.Fleet.FailOver(t.Context(), tag); err != nil {
					t.Fatal(err)
				}
				works("after the master of " + tag + " died")
				if err := w.Fleet.Rejoin(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Fleet.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			works("after all data was deleted")
		})
	}
}

// TestRedis_CountsOnceThroughFailovers checks that calls under load are served, and counted once, while masters die and
// all data of Redis is deleted.
func TestRedis_CountsOnceThroughFailovers(t *testing.T) {
	t.Parallel()
	for _, kind := range []stack.RedisKind{stack.RedisSentinels, stack.RedisCluster} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := fleetOf(t, kind, nil)
			l := newLoad(w, 4)
			l.pause = 20 * time.Millisecond
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			done := make(chan struct{})
			go func() {
				defer close(done)
				l.run(ctx, 1_000_000)
			}()
			for _, tag := range []string{"tollgate", "limit"} {
				if err := w.Fleet.FailOver(t.Context(), tag); err != nil {
					t.Fatal(err)
				}
				if err := w.Fleet.Rejoin(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := w.Fleet.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			stop()
			<-done
			if ok, failed := l.ledger.counts(); failed != 0 || ok == 0 {
				t.Errorf("%d requests were served, %d failed, for example %v", ok, failed,
					l.ledger.failures[:min(3, failed)])
			}
			w.audit(t, &l.ledger, 0, "acme", "discounted")
			w.auditSums(t, "acme")
			w.auditSums(t, "discounted")
		})
	}
}

// limitsHold checks that of 20 calls at two relays exactly the 5 of the limit are served, and returns the number of
// served calls. A minute of 5 calls is 12 s for each, so a slow machine serves more. It begins again if Redis was too
// slow for a relay, which then counted by itself.
func (w *testbed) limitsHold(t *testing.T, when string) (all int64) {
	t.Helper()
	for range 10 {
		awaitMetric(t, w, "tollgate_limits_shared", 1)
		alone := w.countedAlone()
		callers := w.callers(w.limited(t, consoleclient.NewLimits{RequestsPerMinute: number(5)}))
		began := time.Now()
		served := flood(t, callers, 20)
		all += served
		if w.countedAlone() != alone {
			continue
		}
		if upper := 5 + int64(time.Since(began)/(12*time.Second)); served < 5 || served > upper {
			t.Errorf("%s: %d of 20 calls were served, want 5 to %d", when, served, upper)
		}
		return all
	}
	t.Errorf("%s: the relays did not count together in any of ten attempts", when)
	return all
}

// countedAlone returns how often relays began to count by themselves.
func (w *testbed) countedAlone() (times int) {
	for _, relay := range w.Relays {
		times += strings.Count(relay.Log(), "limits are counted by each relay for itself")
	}
	return times
}

// workIsDone checks that rollups, an export, a mail and probes are done.
func (w *testbed) workIsDone(t *testing.T, owner *story.Console, mailbox uuid.UUID, box *mailtest.Inbox) {
	t.Helper()
	began := float64(time.Now().Unix())
	w.auditSums(t, "victim")
	ctx, cancel := context.WithTimeout(t.Context(), 2*afterFailover)
	defer cancel()
	job, err := owner.CreateUsageExport(ctx, consoleclient.UsageExport{Format: "csv"})
	story.Must(t, job, err)
	tested, err := owner.TestAlertDestination(ctx, mailbox)
	story.Must(t, tested, err)
	story.Eventually(t, afterFailover, "the export succeeds", func() bool {
		now, err := owner.GetJob(ctx, job.JSON202.Id)
		return err == nil && now.JSON200 != nil && now.JSON200.Status == consoleclient.JobStatusSucceeded
	})
	for id := ""; id != tested.JSON202.Id.String(); { // the notice of the new sign-in arrives, too
		letter := box.Next(t)
		header, _ := letter.Read(t)
		id, _, _ = strings.Cut(strings.Trim(header.Get("Message-ID"), "<>"), "@")
	}
	story.Eventually(t, afterFailover, "channels are probed", func() bool {
		var last float64
		for _, worker := range w.Workers {
			last = max(last,
				story.Metrics(t, worker.Ops)[`tollgate_task_last_done_timestamp_seconds{task="channels:probe"}`])
		}
		return last >= began
	})
	for _, worker := range w.Workers {
		story.Eventually(t, story.Patience, worker.Name+" is ready", func() bool {
			return story.Metrics(t, worker.Ops)[`tollgate_ready{check="tasks"}`] == 1
		})
	}
}

// TestRedis_RefusesTheWrongKind checks that each program ends at its start, with a text that names the right form of
// the URL, when the URL names one server of a cluster.
func TestRedis_RefusesTheWrongKind(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Redis: stack.RedisCluster})
	cluster, err := url.Parse(strings.Split(w.Fleet.URL, ",")[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*stack.Program{w.Relay, w.Worker, w.Console} {
		if err := p.Terminate(); err != nil {
			t.Fatal(err)
		}
		p.SetEnv("TOLLGATE_REDIS_URL", "redis://"+cluster.Host)
		if err := p.Start(story.Context(t)); err == nil {
			t.Errorf("%s started", p.Name)
		}
		if log := p.Tail(3); !strings.Contains(log,
			"TOLLGATE_REDIS_URL: the Redis URL names one server of a cluster: use redis-cluster://") {
			t.Errorf("%s: got the log\n%s", p.Name, log)
		}
	}
}
