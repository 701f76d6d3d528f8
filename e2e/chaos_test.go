package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/chaos"
	"github.com/tollgate/tollgate/e2e/story"
)

// TestChaos_RecordsAgreeAfterFaults kills, stops, suspends and cuts off two relays, two workers, a console, Postgres
// and Redis under load. At the end the clients' results, the usage logs, rollups and accounts must agree. This
// is the short form of `make chaos`.
func TestChaos_RecordsAgreeAfterFaults(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	report, err := chaos.Run(ctx, chaos.Options{
		Kit: suite.build(t), Duration: 1500 * time.Millisecond, Outage: 15 * time.Second, Short: true,
		Progress: func(what string) { t.Log(what) },
	})
	if err != nil {
		story.Missing(t, err)
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
