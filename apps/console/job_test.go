package console_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/queue"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

// waker records the tasks for which a worker was woken.
type waker struct {
	mu    sync.Mutex
	woken []queue.Task
}

func (w *waker) Wake(_ context.Context, task queue.Task) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.woken = append(w.woken, task)
	return nil
}

// claim claims the next queued job, as a worker does.
func (s *stack) claim() *jobdb.Claim {
	s.Helper()
	claim, err := s.store.Job.ClaimJob(s.Context(), system,
		[]job.Kind{job.UsageExport, job.PriceSimulation, job.ManifestImport}, time.Minute)
	s.must(err)
	if claim == nil {
		s.Fatal("got no queued job")
	}
	return claim
}

// gzipPart returns a step of a job that adds the text to the job's file.
func (s *stack) gzipPart(text string) jobdb.Step {
	s.Helper()
	var part bytes.Buffer
	w := gzip.NewWriter(&part)
	_, err := w.Write([]byte(text))
	s.must(err)
	s.must(w.Close())
	return jobdb.Step{Part: part.Bytes(), Size: int64(len(text))}
}

func TestUsageExport_FromRequestToFile(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	created := me.post("/api/jobs/usage-export", map[string]any{"format": "csv", "model": "gpt-4o-mini",
		"from": "2026-01-01T00:00:00Z"}).want(t, http.StatusAccepted)
	equal(t, created, "queued", "status")
	equal(t, created, nil, "progress", "total")
	equal(t, created, "gpt-4o-mini", "parameters", "usage_export", "model")
	if len(s.woken.woken) != 1 || s.woken.woken[0] != queue.RunJobs {
		t.Errorf("got woken tasks %v, want RunJobs once", s.woken.woken)
	}
	path := "/api/jobs/" + text(t, created, "id")
	me.get(path+"/file").refused(t, http.StatusNotFound, "")

	c := s.claimOf(created)
	s.must(s.store.Job.RenewJob(t.Context(), system, c.Ref, job.Progress{Done: 3, Total: 7}, time.Minute))
	running := me.get(path).want(t, http.StatusOK)
	equal(t, running, "running", "status")
	equal(t, running, 3.0, "progress", "done")
	equal(t, running, 7.0, "progress", "total")
	s.must(s.store.Job.SaveJob(t.Context(), system, c.Ref, s.gzipPart("id\r\n")))
	s.must(s.store.Job.FinishJob(t.Context(), system, c.Ref,
		jobdb.End{Step: s.gzipPart("1\r\n"), Result: job.ExportResult{Rows: 1}}))
	done := me.get(path).want(t, http.StatusOK)
	equal(t, done, "succeeded", "status")
	equal(t, done, 1.0, "result", "usage_export", "rows")
	equal(t, done, 7.0, "file", "size")

	file := me.get(path + "/file")
	if file.StatusCode != http.StatusOK || file.raw != "id\r\n1\r\n" {
		t.Fatalf("got %d and file %q, want 200 and both parts", file.StatusCode, file.raw)
	}
	for header, want := range map[string]string{
		"Content-Type": "text/csv; charset=utf-8", "Cache-Control": "no-store", "Content-Length": "7",
		"X-Content-Type-Options": "nosniff",
	} {
		if got := file.Header.Get(header); got != want {
			t.Errorf("%s = %q, want %q", header, got, want)
		}
	}
	if name := file.Header.Get("Content-Disposition"); !strings.HasPrefix(name,
		"attachment; filename=usage-logs-2026-01-01-to-") || !strings.HasSuffix(name, ".csv") {
		t.Errorf("got Content-Disposition %q, want the file name of the export", name)
	}
	listed := items(t, me.get("/api/jobs").want(t, http.StatusOK))
	if len(listed) != 2 { // the stack has created the other one
		t.Fatalf("got %d jobs, want 2", len(listed))
	}
	equal(t, listed[0], text(t, created, "id"), "id")
	equal(t, listed[0], nil, "result")
	for _, other := range []tenant.User{s.acme.owner, s.globex.owner, s.operator} {
		s.as(other).get(path+"/file").refused(t, http.StatusNotFound, "")
	}
}

// A user who exported usage as an admin cannot download the file
// after being demoted to member: it may contain usage of others.
func TestJobFile_IsNotFoundAfterDemotion(t *testing.T) {
	t.Parallel()
	s := setup(t)
	created := s.as(s.acme.admin).post("/api/jobs/usage-export", `{"format":"ndjson"}`).want(t, http.StatusAccepted)
	path := "/api/jobs/" + text(t, created, "id")
	s.must(s.store.Job.FinishJob(t.Context(), system, s.claimOf(created).Ref, jobdb.End{Step: s.gzipPart("{}\n")}))
	s.as(s.acme.admin).get(path+"/file").want(t, http.StatusOK)
	s.as(s.acme.owner).patch("/api/members/"+s.acme.admin.ID.String(), `{"role":"member"}`).want(t, http.StatusOK)
	s.as(s.acme.admin).get(path+"/file").refused(t, http.StatusNotFound, "")
	s.as(s.acme.admin).get(path).refused(t, http.StatusNotFound, "")
}

// claimOf claims jobs until it gets the given one.
func (s *stack) claimOf(created map[string]any) *jobdb.Claim {
	s.Helper()
	for {
		if c := s.claim(); c.ID == uuid.MustParse(text(s, created, "id")) {
			return c
		}
	}
}

func TestUsageExport_RefusesWrongParametersAndTooManyJobs(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.globex.member)
	for _, row := range []struct {
		body   string
		status int
		param  string
	}{
		{`{}`, 400, "format"},
		{`{"format":"xlsx"}`, 400, "format"},
		{`{"format":"csv","outcome":"odd"}`, 400, "outcome"},
		{`{"format":"csv","from":"2026-02-01T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, 400, "from"},
		{`{"format":"csv","from":"2999-02-01T00:00:00Z"}`, 400, "from"},
		{`{"format":"csv","colour":"red"}`, 400, "colour"},
		{`{"format":"csv","tenant_id":"` + s.acme.ID.String() + `"}`, 404, "tenant_id"},
	} {
		me.post("/api/jobs/usage-export", row.body).refused(t, row.status, row.param)
	}
	for range job.MaxActive - 1 { // the stack has created one
		me.post("/api/jobs/usage-export", `{"format":"csv"}`).want(t, http.StatusAccepted)
	}
	me.post("/api/jobs/usage-export", `{"format":"csv"}`).refused(t, http.StatusConflict, "")
	id := text(t, items(t, me.get("/api/jobs").want(t, http.StatusOK))[0], "id")
	equal(t, me.post("/api/jobs/"+id+"/cancel", nil).want(t, http.StatusOK), "cancelled", "status")
	me.post("/api/jobs/"+id+"/cancel", nil).refused(t, http.StatusConflict, "")
	me.post("/api/jobs/usage-export", `{"format":"csv"}`).want(t, http.StatusAccepted)
}

func TestGetJob_ShowsWhyAJobFailed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	c := s.claim()
	s.must(s.store.Job.FailJob(t.Context(), system, c.Ref, job.Failure{Word: "request_too_large", Text: "Too many."}))
	failed := s.as(c.User).get("/api/jobs/"+c.ID.String()).want(t, http.StatusOK)
	equal(t, failed, "failed", "status")
	equal(t, failed, "request_too_large", "error", "code")
	equal(t, failed, "Too many.", "error", "message")
	equal(t, failed, nil, "file")
}
