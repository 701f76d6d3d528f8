package shipped

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/chaos"
)

// TestChaos_RecordsAgreeAfterContainerFaults kills and suspends each container under load. Afterwards every
// success that a client saw must be recorded once at its price, no account may be overspent, and every bill
// must verify.
func TestChaos_RecordsAgreeAfterContainerFaults(t *testing.T) {
	t.Parallel()
	kit := suite.images(t)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	began := time.Now()
	report, err := chaos.Run(ctx, chaos.Options{
		Stage: kit.Stage, Duration: time.Second, Outage: 4 * time.Second, Concurrency: 8, LeaseGrace: time.Minute,
		Only: []string{
			"relay-kill", "relay-term", "relay-pause", "postgres-stop", "postgres-kill", "postgres-pause",
			"redis-kill", "redis-pause",
			"worker-kill", "worker-pause", "console-kill", "console-pause",
		},
		Progress: func(what string) { t.Logf("%5.1fs %s", time.Since(began).Seconds(), what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	if !report.Failed() {
		t.Log("\n" + text.String())
		return
	}
	t.Log(report.Logs)
	t.Error("\n" + text.String())
}
