package consoletest

import (
	"bytes"
	"compress/gzip"
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/queue"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// waker records the tasks for which a worker was woken.
type waker struct {
	mu    sync.Mutex
	Woken []queue.Task
}

// Wake records the task.
func (w *waker) Wake(_ context.Context, task queue.Task) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Woken = append(w.Woken, task)
	return nil
}

// ClaimOf claims jobs until it gets the given one.
func (s *Stack) ClaimOf(body map[string]any) *jobdb.Claim {
	s.Helper()
	for {
		if c := s.claim(); c.ID == uuid.MustParse(Text(s, body, "id")) {
			return c
		}
	}
}

// claim claims the next queued job, as a worker does.
func (s *Stack) claim() *jobdb.Claim {
	s.Helper()
	claim, err := s.Store.Job.ClaimJob(s.Context(), System,
		[]job.Kind{job.UsageExport, job.PriceSimulation, job.ManifestImport}, time.Minute)
	s.Must(err)
	if claim == nil {
		s.Fatal("got no queued job")
	}
	return claim
}

// GzipPart returns a step of a job that adds the text to the job's file.
func (s *Stack) GzipPart(text string) jobdb.Step {
	s.Helper()
	var part bytes.Buffer
	w := gzip.NewWriter(&part)
	_, err := w.Write([]byte(text))
	s.Must(err)
	s.Must(w.Close())
	return jobdb.Step{Part: part.Bytes(), Size: int64(len(text))}
}
