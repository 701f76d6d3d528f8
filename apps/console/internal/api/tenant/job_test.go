package tenant_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/queue"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
)

func TestUsageExport_FromRequestToFile(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	created := me.Post("/api/jobs/usage-export", map[string]any{"format": "csv", "model": "gpt-4o-mini",
		"from": "2026-01-01T00:00:00Z"}).Want(t, http.StatusAccepted)
	consoletest.Equal(t, created, "queued", "status")
	consoletest.Equal(t, created, nil, "progress", "total")
	consoletest.Equal(t, created, "gpt-4o-mini", "parameters", "usage_export", "model")
	if len(s.Woken.Woken) != 1 || s.Woken.Woken[0] != queue.RunJobs {
		t.Errorf("got woken tasks %v, want RunJobs once", s.Woken.Woken)
	}
	path := "/api/jobs/" + consoletest.Text(t, created, "id")
	me.Get(path+"/file").Refused(t, http.StatusNotFound, "")

	c := s.ClaimOf(created)
	s.Must(s.Store.Job.RenewJob(t.Context(), consoletest.System, c.Ref, job.Progress{Done: 3, Total: 7}, time.Minute))
	running := me.Get(path).Want(t, http.StatusOK)
	consoletest.Equal(t, running, "running", "status")
	consoletest.Equal(t, running, 3.0, "progress", "done")
	consoletest.Equal(t, running, 7.0, "progress", "total")
	s.Must(s.Store.Job.SaveJob(t.Context(), consoletest.System, c.Ref, s.GzipPart("id\r\n")))
	s.Must(s.Store.Job.FinishJob(t.Context(), consoletest.System, c.Ref,
		jobdb.End{Step: s.GzipPart("1\r\n"), Result: job.ExportResult{Rows: 1}}))
	done := me.Get(path).Want(t, http.StatusOK)
	consoletest.Equal(t, done, "succeeded", "status")
	consoletest.Equal(t, done, 1.0, "result", "usage_export", "rows")
	consoletest.Equal(t, done, 7.0, "file", "size")

	file := me.Get(path + "/file")
	if file.StatusCode != http.StatusOK || file.Raw != "id\r\n1\r\n" {
		t.Fatalf("got %d and file %q, want 200 and both parts", file.StatusCode, file.Raw)
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
	listed := consoletest.Items(t, me.Get("/api/jobs").Want(t, http.StatusOK))
	if len(listed) != 2 { // the stack has created the other one
		t.Fatalf("got %d jobs, want 2", len(listed))
	}
	consoletest.Equal(t, listed[0], consoletest.Text(t, created, "id"), "id")
	consoletest.Equal(t, listed[0], nil, "result")
	for _, other := range []tenant.User{s.Acme.Owner, s.Globex.Owner, s.Operator} {
		s.As(other).Get(path+"/file").Refused(t, http.StatusNotFound, "")
	}
}

// A user who exported usage as an admin cannot download the file
// after being demoted to member: it may contain usage of others.
func TestJobFile_IsNotFoundAfterDemotion(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	created := s.As(s.Acme.Admin).Post("/api/jobs/usage-export", `{"format":"ndjson"}`).Want(t, http.StatusAccepted)
	path := "/api/jobs/" + consoletest.Text(t, created, "id")
	s.Must(s.Store.Job.FinishJob(t.Context(), consoletest.System, s.ClaimOf(created).Ref,
		jobdb.End{Step: s.GzipPart("{}\n")}))
	s.As(s.Acme.Admin).Get(path+"/file").Want(t, http.StatusOK)
	s.As(s.Acme.Owner).Patch("/api/members/"+s.Acme.Admin.ID.String(), `{"role":"member"}`).Want(t, http.StatusOK)
	s.As(s.Acme.Admin).Get(path+"/file").Refused(t, http.StatusNotFound, "")
	s.As(s.Acme.Admin).Get(path).Refused(t, http.StatusNotFound, "")
}

func TestUsageExport_RefusesWrongParametersAndTooManyJobs(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Globex.Member)
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
		{`{"format":"csv","tenant_id":"` + s.Acme.ID.String() + `"}`, 404, "tenant_id"},
	} {
		me.Post("/api/jobs/usage-export", row.body).Refused(t, row.status, row.param)
	}
	for range job.MaxActive - 1 { // the stack has created one
		me.Post("/api/jobs/usage-export", `{"format":"csv"}`).Want(t, http.StatusAccepted)
	}
	me.Post("/api/jobs/usage-export", `{"format":"csv"}`).Refused(t, http.StatusConflict, "")
	id := consoletest.Text(t, consoletest.Items(t, me.Get("/api/jobs").Want(t, http.StatusOK))[0], "id")
	consoletest.Equal(t, me.Post("/api/jobs/"+id+"/cancel", nil).Want(t, http.StatusOK), "cancelled", "status")
	me.Post("/api/jobs/"+id+"/cancel", nil).Refused(t, http.StatusConflict, "")
	me.Post("/api/jobs/usage-export", `{"format":"csv"}`).Want(t, http.StatusAccepted)
}

func TestGetJob_ShowsWhyAJobFailed(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	c := s.ClaimOf(map[string]any{"id": s.Acme.Job.ID.String()})
	s.Must(s.Store.Job.FailJob(t.Context(), consoletest.System, c.Ref,
		job.Failure{Word: "request_too_large", Text: "Too many."}))
	failed := s.As(c.User).Get("/api/jobs/"+c.ID.String()).Want(t, http.StatusOK)
	consoletest.Equal(t, failed, "failed", "status")
	consoletest.Equal(t, failed, "request_too_large", "error", "code")
	consoletest.Equal(t, failed, "Too many.", "error", "message")
	consoletest.Equal(t, failed, nil, "file")
}
