package export

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// BenchmarkExport_MillionRows writes a file of a million logs. Run it with -benchtime 1x: recording the logs
// takes longer than writing the file.
func BenchmarkExport_MillionRows(b *testing.B) {
	const rows = 1_000_000
	for kind, url := range storetest.Kinds() {
		b.Run(kind, func(b *testing.B) {
			s := storetest.Open(b, db.Options{URL: url(b)})
			operator := must[tenant.User](b)(s.Identity.CreateUser(b.Context(), storetest.Confirmed(system),
				identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"}))
			recordCalls(b, s, rows)
			runner := must[*jobs.Runner](b)(jobs.New(jobs.Options{
				Store: s, Scope: system,
				Work: map[job.Kind]jobs.Work{job.UsageExport: &Exporter{Logs: s.Metering, Names: namesOf(s)}},
				Log:  slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
			}))
			for b.Loop() {
				asked := must[job.Job](b)(s.Job.CreateJob(b.Context(), tenant.ScopeOf(operator), jobdb.NewJob{
					Kind:       job.UsageExport,
					Parameters: job.ExportParameters{Format: job.CSV, To: time.Now().Add(time.Hour)},
				}))
				most := watchMemory(b, func() {
					if err := runner.Run(b.Context()); err != nil {
						b.Fatal(err)
					}
				})
				done := must[job.Job](b)(s.Job.Job(b.Context(), tenant.ScopeOf(operator), asked.ID))
				if done.Status != job.Succeeded || done.Progress.Done != rows {
					b.Fatalf("%+v", done)
				}
				b.ReportMetric(float64(done.Size)/(1<<20), "MiB")
				b.ReportMetric(float64(done.Parts), "parts")
				b.ReportMetric(most, "peak-heap-MiB")
			}
		})
	}
}

// recordCalls records n calls of one user.
func recordCalls(b *testing.B, s *store.Store, n int) {
	b.Helper()
	relay, tenantID, userID, tokenID := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	events := make([]usage.Event, 0, 5000)
	for i := range n {
		events = append(events, usage.Event{Log: usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().UTC(), TenantID: tenantID, UserID: userID,
			TokenID: tokenID,
			Model:   fmt.Sprintf("model-%d", i%20), Dialect: "chat", Outcome: usage.Success, Status: 200,
			Usage:   usage.Usage{Input: int64(i % 3000), Output: int64(i % 700)},
			Latency: time.Duration(i) * time.Microsecond,
		}})
		if len(events) == cap(events) || i == n-1 {
			must[int](b)(s.Metering.RecordEvents(b.Context(), system, relay, events))
			events = events[:0]
		}
	}
}

// watchMemory returns the largest heap in use while do runs, in MiB.
func watchMemory(b *testing.B, do func()) (most float64) {
	b.Helper()
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			most = max(most, float64(m.HeapInuse)/(1<<20))
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	do()
	close(done)
	<-watched
	return most
}
