// Package export writes usage logs into CSV or NDJSON files that users download.
//
// A file is a sequence of parts, each a complete gzip stream, which the database stores (job_parts). Together
// they are a valid gzip file, because gzip streams may be concatenated (RFC 1952, section 2.2).
//
//	LogBatch (one page, newest first) -> rows -> gzip -> part of 1 MiB or 10 s --Claim.Save--> database
//
// Saving stores the part and the cursor after its last page in one transaction. So a resumed export repeats
// no row and skips none. The range of the export ends at the time of the request, so later calls do not
// change it.
package export

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

const (
	partBytes = 1 << 20          // compressed size from which a part is saved
	partAge   = 10 * time.Second // age from which a part is saved even if it is small
)

// Logs is the part of the store that reads usage logs and their rollups.
type Logs interface {
	LogBatch(ctx context.Context, scope tenant.Scope, query metering.LogQuery) (storepage.List[usage.Log], error)
	UsageSummary(ctx context.Context, scope tenant.Scope, query metering.SummaryQuery) ([]metering.SummaryRow, error)
}

// Names looks up the names of users, tokens and channels.
type Names struct {
	Users, Tokens, Channels Lookup
}

// Lookup returns the names of the ids, by id. It leaves out ids that the scope may not see.
type Lookup func(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) (map[uuid.UUID]string, error)

// Exporter is the jobs.Work of exports. It is safe for concurrent use.
type Exporter struct {
	Logs  Logs
	Names Names
	// PartBytes is the compressed size from which a part is saved; 0: 1 MiB.
	PartBytes int
	// MaxRows and MaxBytes bound one file; 0: job.MaxExportRows and job.MaxExportBytes.
	MaxRows, MaxBytes int64
}

// state is the checkpoint of an export.
type state struct {
	After string `json:"after"` // cursor of the next page
	Rows  int64  `json:"rows"`  // rows that were written
	Total int64  `json:"total"` // estimate of all rows; 0 if unknown
}

// file is an export that is running.
type file struct {
	*Exporter
	task  *jobs.Claim
	query metering.LogQuery
	names names
	part  *part // the part that is being written

	state
	stored int64 // compressed bytes of the saved parts
}

// Do writes the logs that the job selects and its user may read, newest first, and finishes the job. Each log
// is in the file exactly once, however often the job is resumed.
func (e *Exporter) Do(ctx context.Context, t *jobs.Claim) error {
	f, err := e.open(ctx, t)
	if err != nil {
		return err
	}
	for {
		isLast, err := f.page(ctx)
		if err != nil {
			return err
		}
		if isLast {
			return f.finish(ctx)
		}
		if f.part.full(f.PartBytes) {
			if err := f.save(ctx); err != nil {
				return err
			}
		}
	}
}

// open decodes the job. A resumed job continues after its last saved part.
func (e *Exporter) open(ctx context.Context, t *jobs.Claim) (*file, error) {
	limits := *e
	orDefault(&limits.PartBytes, partBytes)
	orDefault(&limits.MaxRows, job.MaxExportRows)
	orDefault(&limits.MaxBytes, job.MaxExportBytes)
	f := &file{Exporter: &limits, task: t, names: newNames(e.Names, t.As()), stored: t.Stored}
	var p job.ExportParameters
	if err := t.Read(&p, &f.state); err != nil {
		return nil, err
	}
	tags, err := attribution.ParseTags(p.Tag)
	if err != nil {
		return nil, err
	}
	f.query = metering.LogQuery{
		TenantID: p.TenantID, UserID: p.UserID, TokenID: p.TokenID, ChannelID: p.ChannelID, Model: p.Model,
		Outcome: p.Outcome, Dialect: p.Endpoint, Error: p.Error, EndUser: p.EndUser, ClientMarks: p.ClientMarks,
		Tags: tags, From: p.From, To: p.To, Page: storepage.Page{After: f.After},
	}
	f.part = newPart(p.Format, columnsFor(t.As()))
	if t.Checkpoint == nil {
		f.Total = e.total(ctx, t.As(), f.query)
		f.part.begin()
	}
	return f, nil
}

// orDefault sets n to otherwise if it is 0.
func orDefault[N int | int64](n *N, otherwise N) {
	if *n == 0 {
		*n = otherwise
	}
}

// total estimates the number of logs from the rollups. It returns 0 (unknown) for exports of one channel, endpoint,
// error, end user, client or tag, which the summary cannot select, and if the rollups cannot be read.
func (e *Exporter) total(ctx context.Context, scope tenant.Scope, q metering.LogQuery) int64 {
	if q.ChannelID != uuid.Nil || q.Dialect != "" || q.Error != "" || q.EndUser != "" || len(q.ClientMarks) > 0 ||
		len(q.Tags) > 0 {
		return 0
	}
	rows, err := e.Logs.UsageSummary(ctx, scope, metering.SummaryQuery{
		TenantID: q.TenantID, UserID: q.UserID, TokenID: q.TokenID, Model: q.Model, From: q.From, To: q.To,
	})
	if err != nil || len(rows) != 1 {
		return 0
	}
	switch sums := rows[0].Sums; q.Outcome {
	case usage.Failed:
		return sums.Failed
	case usage.Partial:
		return sums.Partial
	case usage.Success:
		return sums.Requests - sums.Failed - sums.Partial
	default:
		return sums.Requests
	}
}

// page writes the logs of one page and reports whether it was the last.
func (f *file) page(ctx context.Context) (isLast bool, err error) {
	page, err := f.Logs.LogBatch(ctx, f.task.As(), f.query)
	if err != nil {
		return false, err
	}
	if err := f.names.learn(ctx, page.Items); err != nil {
		return false, err
	}
	for i := range page.Items {
		if err := f.part.write(&page.Items[i], f.names); err != nil {
			return false, err
		}
	}
	f.Rows += int64(len(page.Items))
	f.After, f.query.After = page.Next, page.Next
	f.task.Show(f.progress())
	return page.Next == "", f.bounded()
}

// bounded returns a TooLarge problem if the file has too many rows or bytes.
func (f *file) bounded() error {
	switch {
	case f.Rows > f.MaxRows:
		return problem.New(problem.TooLarge, "There are more than %d usage logs. Choose a shorter range.", f.MaxRows)
	case f.stored+int64(f.part.compressed.Len()) > f.MaxBytes:
		return problem.New(problem.TooLarge, "The file has more than %d MiB. Choose a shorter range.", f.MaxBytes>>20)
	}
	return nil
}

// progress returns the progress to show. Total is an estimate, so it is never less than Done.
func (f *file) progress() job.Progress {
	at := job.Progress{Done: f.Rows, Total: f.Total}
	if at.Total > 0 {
		at.Total = max(at.Total, at.Done)
	}
	return at
}

// save stores the present part with a checkpoint and begins the next part.
func (f *file) save(ctx context.Context) error {
	step, err := f.step()
	if err != nil {
		return err
	}
	if err := f.task.Save(ctx, step, f.state); err != nil {
		return err
	}
	f.stored += int64(len(step.Part))
	f.part.reset()
	return nil
}

// step closes the present part and returns it as a step of the job, without a checkpoint.
func (f *file) step() (jobdb.Step, error) {
	data, size, err := f.part.close()
	return jobdb.Step{Progress: f.progress(), Part: data, Size: size}, err
}

// finish stores the last part and ends the job.
func (f *file) finish(ctx context.Context) error {
	step, err := f.step()
	if err != nil {
		return err
	}
	step.Progress.Total = step.Progress.Done
	return f.task.Finish(ctx, jobdb.End{Step: step, Result: job.ExportResult{Rows: f.Rows}})
}
