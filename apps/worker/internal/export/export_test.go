package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/spreadsheet"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var system = tenant.SystemScope("test")

// stage is a store with the calls of two tenants and a clock that the test moves forward.
type stage struct {
	*testing.T
	*store.Store
	ahead  atomic.Int64            // nanoseconds that the clock is ahead of the real time
	users  []tenant.User           // two of the first tenant, one of the second
	tokens map[uuid.UUID]uuid.UUID // by user
	logs   []usage.Log             // all that were recorded, newest first
}

// eachStage runs the test on each kind of database.
func eachStage(t *testing.T, test func(s *stage)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := &stage{T: t, tokens: map[uuid.UUID]uuid.UUID{}}
			s.Store = storetest.Open(t, db.Options{URL: url(t), Now: s.now})
			s.createUsers()
			test(s)
		})
	}
}

func (s *stage) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// must returns a function that returns its first argument, or fails the test if the second is an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// createUsers creates two tenants with their users. The name of each token looks like a formula.
func (s *stage) createUsers() {
	s.Helper()
	ctx := s.Context()
	group := must[tenant.Group](s)(s.Catalog.CreateGroup(ctx, system, "default", []string{"*"}))
	for i, slug := range []string{"acme", "beta"} {
		of := must[tenant.Tenant](s)(s.Identity.CreateTenant(ctx, system,
			identity.NewTenant{Slug: slug, Name: slug, Quota: money.USD}))
		for j, role := range []tenant.Role{tenant.Owner, tenant.Member}[:2-i] {
			u := must[tenant.User](s)(s.Identity.CreateUser(ctx, storetest.Confirmed(system), identity.NewUser{
				TenantID: of.ID, Email: fmt.Sprintf("u%d@%s.example", j, slug), Role: role, GroupID: group.ID,
				PasswordHash: "x",
			}))
			id := uuid.Must(uuid.NewV7())
			must[token.Token](s)(s.Token.CreateToken(ctx, system, tokendb.NewToken{
				Token: token.Token{ID: id, UserID: u.ID, Name: `=cmd|' /C calc'!A0, "ci"`, Mask: "…",
					Status: token.Enabled},
				Hash: token.HashOf([]byte("pepper"), token.New(id)),
			}))
			s.users, s.tokens[u.ID] = append(s.users, u), id
		}
	}
}

// calls records n calls of random users.
func (s *stage) calls(n int, random *rand.Rand) {
	s.Helper()
	relay := uuid.Must(uuid.NewV7())
	var events []usage.Event
	for i := range n {
		u := s.users[random.IntN(len(s.users))]
		quota := money.Amount(random.Int64N(1e12))
		l := usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().UTC().Truncate(time.Microsecond), TenantID: u.TenantID,
			UserID: u.ID, TokenID: s.tokens[u.ID],
			Model: fmt.Sprintf("model-%d", random.IntN(3)), UpstreamModel: "secret-upstream",
			Dialect: []string{"chat", "messages"}[i%2],
			Stream:  random.IntN(2) == 0,
			Outcome: []usage.Outcome{usage.Success, usage.Partial, usage.Failed}[random.IntN(3)], Status: 200,
			Error: []string{"upstream_error", "upstream_timeout", "client_closed"}[i%3],
			Usage: usage.Usage{Input: random.Int64N(1e6), Output: random.Int64N(1e6), Reasoning: random.Int64N(9)},
			Cost:  quota, Quota: quota,
			Latency: time.Duration(random.Int64N(1e10)), FirstByte: time.Duration(random.Int64N(1e9)),
			EndUser: []string{"", "u1", "=u2"}[random.IntN(3)],
			Tags: []usage.Tags{"", `{"team":"blue"}`, `{"feature":"search","team":"blue"}`,
				`{"team":"red"}`}[random.IntN(4)],
		}
		s.logs = append([]usage.Log{l}, s.logs...)
		events = append(events, usage.Event{Log: l})
	}
	must[int](s)(s.Metering.RecordEvents(s.Context(), system, relay, events))
}

// ask creates the job of an export, up to now unless p.To is set.
func (s *stage) ask(u tenant.User, p job.ExportParameters) job.Job {
	s.Helper()
	if p.To.IsZero() {
		p.To = time.Now().Add(time.Minute)
	}
	return must[job.Job](s)(s.Job.CreateJob(s.Context(), tenant.ScopeOf(u),
		jobdb.NewJob{Kind: job.UsageExport, Parameters: p}))
}

func (s *stage) runner(work jobs.Work) *jobs.Runner {
	s.Helper()
	return must[*jobs.Runner](s)(jobs.New(jobs.Options{
		Store: s.Store, Scope: system, Work: map[job.Kind]jobs.Work{job.UsageExport: work},
		Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Lease: time.Minute,
		Beat: 10 * time.Millisecond,
	}))
}

func (s *stage) job(u tenant.User, id uuid.UUID) job.Job {
	s.Helper()
	return must[job.Job](s)(s.Job.Job(s.Context(), tenant.ScopeOf(u), id))
}

// file returns the decompressed file of a job, and checks its size.
func (s *stage) file(u tenant.User, j job.Job) []byte {
	s.Helper()
	var all bytes.Buffer
	for seq := range j.Parts {
		all.Write(must[[]byte](s)(s.Job.JobPart(s.Context(), tenant.ScopeOf(u), j.ID, seq)))
	}
	if j.Parts == 0 {
		return nil
	}
	text := must[[]byte](s)(io.ReadAll(must[*gzip.Reader](s)(gzip.NewReader(&all))))
	if int64(len(text)) != j.Size {
		s.Errorf("got a file of %d bytes, want the size of the job, %d", len(text), j.Size)
	}
	return text
}

// rows returns the rows of a CSV file without the header, and checks the header.
func (s *stage) rows(file []byte) [][]string {
	s.Helper()
	text, ok := bytes.CutPrefix(file, []byte(spreadsheet.Begin))
	if !ok {
		s.Errorf("the file begins with %q, want a byte order mark", file[:min(len(file), 3)])
	}
	rows := must[[][]string](s)(csv.NewReader(bytes.NewReader(text)).ReadAll())
	want := columnsFor(tenant.Scope{}).header()
	if len(rows[0]) > len(want) { // the file of an operator
		want = columnsFor(tenant.SystemScope("test")).header()
	}
	if !slices.Equal(rows[0], want) {
		s.Errorf("got columns %v, want %v", rows[0], want)
	}
	if !bytes.HasSuffix(file, []byte("\r\n")) {
		s.Error("lines do not end with CR LF, as RFC 4180 requires")
	}
	return rows[1:]
}

func namesOf(s *store.Store) Names {
	return Names{Users: s.Identity.UserEmails, Tokens: s.Token.TokenNames, Channels: s.Metering.ChannelNames}
}

// paged is a Logs with pages of ten logs, which it counts.
type paged struct {
	Logs
	pages atomic.Int64
	after func(page int64) // called after each page; may be nil
}

func (p *paged) LogBatch(ctx context.Context, scope tenant.Scope,
	q metering.LogQuery) (storepage.List[usage.Log], error) {
	q.Limit = 10
	list, err := p.Logs.LogBatch(ctx, scope, q)
	if n := p.pages.Add(1); p.after != nil {
		p.after(n)
	}
	return list, err
}

// same checks that the rows of a CSV file are those of the logs.
func same(t testing.TB, rows [][]string, logs []usage.Log) {
	t.Helper()
	if len(rows) != len(logs) {
		t.Fatalf("got %d rows, want %d", len(rows), len(logs))
	}
	for i := range logs {
		l := &logs[i]
		want := map[int]string{
			0: l.ID.String(), 1: l.CreatedAt.Format(time.RFC3339Nano), 2: l.TenantID.String(),
			4: `'=cmd|' /C calc'!A0, "ci"`, 5: l.Model, 7: l.Dialect,
			8: fmt.Sprint(l.Stream), 9: string(l.Outcome), 12: fmt.Sprint(l.Usage.Input),
			16: fmt.Sprint(l.Usage.Output),
			20: l.Cost.String(), 21: l.Quota.String(), 22: fmt.Sprint(l.Latency.Milliseconds()),
		}
		for column, value := range want {
			if rows[i][column] != value {
				t.Errorf("row %d: got %s %q, want %q", i, columnsFor(tenant.Scope{}).header()[column],
					rows[i][column], value)
			}
		}
	}
}

// only returns the logs for which keep holds.
func only(logs []usage.Log, keep func(*usage.Log) bool) []usage.Log {
	var kept []usage.Log
	for i := range logs {
		if keep(&logs[i]) {
			kept = append(kept, logs[i])
		}
	}
	return kept
}

func TestExporter_WritesTheLogsThatItsUserMayRead(t *testing.T) {
	t.Parallel()
	eachStage(t, func(s *stage) {
		s.calls(120, rand.New(rand.NewPCG(1, 1)))
		operator := must[tenant.User](s)(s.Identity.CreateUser(s.Context(), storetest.Confirmed(system),
			identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"}))
		owner, member := s.users[0], s.users[1]
		for _, row := range []struct {
			name string
			as   tenant.User
			p    job.ExportParameters
			want func(*usage.Log) bool
		}{
			{"an owner exports the logs of the tenant", owner, job.ExportParameters{}, func(l *usage.Log) bool {
				return l.TenantID == owner.TenantID
			}},
			{"a member exports the own logs", member, job.ExportParameters{}, func(l *usage.Log) bool {
				return l.UserID == member.ID
			}},
			{"a member asks for the logs of another user", member, job.ExportParameters{UserID: owner.ID},
				func(*usage.Log) bool { return false }},
			{"an operator exports all logs", operator, job.ExportParameters{}, func(*usage.Log) bool { return true }},
			{"an operator selects a tenant", operator, job.ExportParameters{TenantID: owner.TenantID},
				func(l *usage.Log) bool { return l.TenantID == owner.TenantID }},
			{"an owner selects a model", owner, job.ExportParameters{Model: "model-1"}, func(l *usage.Log) bool {
				return l.TenantID == owner.TenantID && l.Model == "model-1"
			}},
			{"an owner selects an outcome", owner, job.ExportParameters{Outcome: usage.Failed},
				func(l *usage.Log) bool { return l.TenantID == owner.TenantID && l.Outcome == usage.Failed }},
		} {
			row.p.Format = job.CSV
			asked := s.ask(row.as, row.p)
			if err := s.runner(&Exporter{Logs: &paged{Logs: s.Metering}, Names: namesOf(s.Store)}).
				Run(s.Context()); err != nil {
				s.Fatal(err)
			}
			done := s.job(row.as, asked.ID)
			file := s.file(row.as, done)
			if done.Status != job.Succeeded || bytes.Contains(file, []byte("secret-upstream")) {
				s.Errorf("%s: got job %+v, want success and no name of an upstream model in the file", row.name, done)
			}
			want := only(s.logs, row.want)
			same(s, s.rows(file), want)
			if done.Progress != (job.Progress{Done: int64(len(want)), Total: int64(len(want))}) {
				s.Errorf("%s: got progress %+v, want %d of %d", row.name, done.Progress, len(want), len(want))
			}
		}
	})
}

func TestExporter_WritesNDJSON(t *testing.T) {
	t.Parallel()
	eachStage(t, func(s *stage) {
		s.calls(30, rand.New(rand.NewPCG(2, 2)))
		owner := s.users[0]
		asked := s.ask(owner, job.ExportParameters{Format: job.NDJSON})
		none := s.ask(owner, job.ExportParameters{Format: job.NDJSON, Model: "none"})
		if err := s.runner(&Exporter{Logs: s.Metering, Names: namesOf(s.Store)}).Run(s.Context()); err != nil {
			s.Fatal(err)
		}
		if empty := s.job(owner, none.ID); empty.Status != job.Succeeded || empty.Parts != 0 || empty.Size != 0 {
			s.Errorf("no log selected: got %+v, want success without a file", empty)
		}
		lines := strings.SplitAfter(string(s.file(owner, s.job(owner, asked.ID))), "\n")
		want := only(s.logs, func(l *usage.Log) bool { return l.TenantID == owner.TenantID })
		if len(lines) != len(want)+1 {
			s.Fatalf("got %d lines, want %d", len(lines)-1, len(want))
		}
		for i := range want {
			var got struct {
				ID    uuid.UUID    `json:"id"`
				Token string       `json:"token_name"`
				Input int64        `json:"input_tokens"`
				Quota money.Amount `json:"quota"`
			}
			if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
				s.Fatal(err)
			}
			if got.ID != want[i].ID || got.Quota != want[i].Quota || got.Token != `=cmd|' /C calc'!A0, "ci"` ||
				got.Input != want[i].Usage.Input {
				s.Errorf("line %d: got %s, want the log %+v", i, lines[i], want[i])
			}
		}
	})
}

// Both formats have the calls that match the filters, of the user's own tenant alone.
func TestExporter_FiltersByWhatRollupsDoNotHave(t *testing.T) {
	t.Parallel()
	eachStage(t, func(s *stage) {
		s.calls(120, rand.New(rand.NewPCG(4, 4)))
		owner := s.users[0]
		for _, row := range []struct {
			name string
			p    job.ExportParameters
			want func(*usage.Log) bool
		}{
			{"an end user", job.ExportParameters{EndUser: "=u2"}, func(l *usage.Log) bool {
				return l.EndUser == "=u2"
			}},
			{"an endpoint", job.ExportParameters{Endpoint: "messages"}, func(l *usage.Log) bool {
				return l.Dialect == "messages"
			}},
			{"an error", job.ExportParameters{Error: "upstream_timeout"}, func(l *usage.Log) bool {
				return l.Error == "upstream_timeout"
			}},
			{"a tag", job.ExportParameters{Tag: []string{"team=blue"}}, func(l *usage.Log) bool {
				return l.Tags.Map()["team"] == "blue"
			}},
			{"two tags", job.ExportParameters{Tag: []string{"team=blue", "feature=search"}}, func(l *usage.Log) bool {
				return l.Tags.Map()["feature"] == "search"
			}},
			{"an end user and a tag", job.ExportParameters{EndUser: "u1", Tag: []string{"team=red"}},
				func(l *usage.Log) bool { return l.EndUser == "u1" && l.Tags.Map()["team"] == "red" }},
			{"a tag that no call has", job.ExportParameters{Tag: []string{"team=green"}},
				func(*usage.Log) bool { return false }},
		} {
			want := only(s.logs, func(l *usage.Log) bool { return l.TenantID == owner.TenantID && row.want(l) })
			if len(want) == 0 && row.name != "a tag that no call has" {
				s.Fatalf("%s: no call matches", row.name)
			}
			asked := map[job.ExportFormat]job.Job{}
			for _, row.p.Format = range []job.ExportFormat{job.CSV, job.NDJSON} {
				asked[row.p.Format] = s.ask(owner, row.p)
			}
			if err := s.runner(&Exporter{Logs: s.Metering, Names: namesOf(s.Store)}).Run(s.Context()); err != nil {
				s.Fatal(err)
			}
			same(s, s.rows(s.file(owner, s.job(owner, asked[job.CSV].ID))), want)
			lines := bytes.Lines(s.file(owner, s.job(owner, asked[job.NDJSON].ID)))
			i := 0
			for line := range lines {
				var got struct {
					ID      uuid.UUID         `json:"id"`
					EndUser string            `json:"end_user"`
					Tags    map[string]string `json:"tags"`
				}
				if err := json.Unmarshal(line, &got); err != nil || i >= len(want) {
					s.Fatalf("%s: line %d of %d: %s, error %v", row.name, i, len(want), line, err)
				}
				if l := &want[i]; got.ID != l.ID || got.EndUser != l.EndUser || !maps.Equal(got.Tags, l.Tags.Map()) {
					s.Errorf("%s: got %s, want the log %+v", row.name, line, *l)
				}
				i++
			}
			if i != len(want) {
				s.Errorf("%s: got %d lines, want %d", row.name, i, len(want))
			}
		}
	})
}

// crash is the value of the panic by which a worker dies without releasing its job.
type crash struct{}

// Workers are stopped or die at random pages, and others resume the job.
func TestExporter_WritesEachRowOnceAfterInterruptions(t *testing.T) {
	t.Parallel()
	eachStage(t, func(s *stage) {
		random := rand.New(rand.NewPCG(3, 3))
		s.calls(300, random)
		owner := s.users[0]
		asked := s.ask(owner, job.ExportParameters{Format: job.CSV})
		cuts := 0
		for ; s.job(owner, asked.ID).Status != job.Succeeded; cuts++ {
			if cuts > 200 {
				s.Fatal("the export does not finish after 200 interruptions")
			}
			s.interruptAfter(2+random.Int64N(4), random.IntN(2) == 0)
			s.calls(1, random) // calls after the request must not be in the file
			s.ahead.Add(int64(2 * time.Minute))
		}
		if cuts < 3 {
			s.Errorf("got %d interruptions, want at least 3", cuts)
		}
		done := s.job(owner, asked.ID)
		rows := s.rows(s.file(owner, done))
		seen := map[string]bool{}
		for _, row := range rows {
			if seen[row[0]] {
				s.Errorf("duplicate row %s", row[0])
			}
			seen[row[0]] = true
		}
		for _, l := range only(s.logs[cuts:], func(l *usage.Log) bool { return l.TenantID == owner.TenantID }) {
			if !seen[l.ID.String()] {
				s.Errorf("%s is missing", l.ID)
			}
		}
	})
}

// interruptAfter runs a worker until it has read that many pages, and then stops it or lets it die.
func (s *stage) interruptAfter(pages int64, dies bool) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	logs := &paged{Logs: s.Metering, after: func(n int64) {
		switch {
		case n < pages:
		case dies:
			panic(crash{})
		default:
			cancel()
		}
	}}
	defer func() {
		if v := recover(); v != nil && v != (crash{}) {
			panic(v)
		}
	}()
	if err := s.runner(&Exporter{Logs: logs, Names: namesOf(s.Store), PartBytes: 1}).Run(ctx); err != nil &&
		ctx.Err() == nil {
		s.Error(err)
	}
}

func TestExporter_FailsWhenTheFileIsTooLarge(t *testing.T) {
	t.Parallel()
	eachStage(t, func(s *stage) {
		s.calls(50, rand.New(rand.NewPCG(4, 4)))
		owner := s.users[0]
		for name, bounded := range map[string]*Exporter{
			"rows":  {Logs: &paged{Logs: s.Metering}, Names: namesOf(s.Store), MaxRows: 20, PartBytes: 1},
			"bytes": {Logs: &paged{Logs: s.Metering}, Names: namesOf(s.Store), MaxBytes: 1000, PartBytes: 1},
		} {
			asked := s.ask(owner, job.ExportParameters{Format: job.CSV})
			if err := s.runner(bounded).Run(s.Context()); err != nil {
				s.Fatal(err)
			}
			if j := s.job(owner, asked.ID); j.Status != job.Failed || j.Failure.Word != "request_too_large" ||
				j.Parts != 0 {
				s.Errorf("too many %s: got %+v, want a failed job without a file", name, j)
			}
		}
	})
}

// waiting waits until its turn is over.
type waiting struct{}

func (waiting) Do(ctx context.Context, _ *jobs.Claim) error {
	<-ctx.Done()
	return ctx.Err()
}

// A run that takes longer than its task may would count as failed.
func TestRun_ReleasesALongJob(t *testing.T) {
	t.Parallel()
	eachStage(t, func(s *stage) {
		asked := s.ask(s.users[1], job.ExportParameters{Format: job.CSV})
		long := s.runner(waiting{})
		long.Turn = 10 * time.Millisecond
		for _, runner := range []*jobs.Runner{long, s.runner(&Exporter{Logs: s.Metering, Names: namesOf(s.Store)})} {
			if err := runner.Run(s.Context()); err != nil {
				s.Error(err)
			}
		}
		if j := s.job(s.users[1], asked.ID); j.Status != job.Succeeded {
			s.Errorf("got %+v, want that a later run ended the job", j)
		}
	})
}

func TestExporter_StopsWhenCanceledOrTheUserIsDisabled(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(s *stage, id uuid.UUID) error{
		"cancelled": func(s *stage, id uuid.UUID) error {
			_, err := s.Job.CancelJob(context.Background(), tenant.ScopeOf(s.users[1]), id)
			return err
		},
		"disabled": func(s *stage, _ uuid.UUID) error {
			status := tenant.Disabled
			_, err := s.Identity.UpdateUser(context.Background(), storetest.Confirmed(system), s.users[1].ID,
				identity.UserPatch{Status: &status})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachStage(t, func(s *stage) {
				s.calls(60, rand.New(rand.NewPCG(5, 5)))
				member := s.users[1]
				asked := s.ask(member, job.ExportParameters{Format: job.CSV})
				logs := &paged{Logs: s.Metering, after: func(n int64) {
					if n == 2 {
						if err := stop(s, asked.ID); err != nil {
							s.Error(err)
						}
					}
				}}
				if err := s.runner(&Exporter{Logs: logs, Names: namesOf(s.Store), PartBytes: 1}).
					Run(s.Context()); err != nil {
					s.Error(err)
				}
				j := s.job(member, asked.ID)
				if want := map[string]job.Status{"cancelled": job.Canceled, "disabled": job.Failed}[name]; j.Status !=
					want || j.Parts != 0 {
					s.Errorf("got %+v, want status %s and no file", j, want)
				}
			})
		})
	}
}
