package metering_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// archive is a history of 50,000 logs of four months on Postgres.
type archive struct {
	*history
	asked *storetest.Statements // of the store
	conn  *pgx.Conn             // for EXPLAIN
}

// archiveEnd is when the archive ends. It is in the middle of a month: a page of logs from two months reads more rows.
var archiveEnd = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

func newArchive(t *testing.T) *archive {
	t.Helper()
	url := storetest.Postgres(t)
	for months := -4; months <= 0; months += 2 { // each migration makes the partitions of three months
		then := storetest.Need(store.Open(background,
			db.Options{URL: url, Now: func() time.Time { return archiveEnd.AddDate(0, months, 0) }}))(t)
		storetest.OK(t, then.Migrate(background))
		storetest.OK(t, then.Close())
	}
	options := db.Options{URL: url, Now: func() time.Time { return archiveEnd }}
	h := recordHistoryUntil(t, storetest.Open(t, options), archiveEnd, 50_000, 3*time.Minute)
	h.rollUp(t)
	a := &archive{history: h, asked: &storetest.Statements{}, conn: storetest.Need(pgx.Connect(background, url))(t)}
	t.Cleanup(func() { storetest.OK(t, a.conn.Close(background)) })
	_, err := a.conn.Exec(background, "VACUUM ANALYZE")
	storetest.OK(t, err)
	d := storetest.Need(db.Open(background, options))(t)
	t.Cleanup(func() { storetest.OK(t, d.Close()) })
	a.store = &store.Store{Metering: metering.New(d.WithHook(a.asked))}
	return a
}

// workOf returns the work of the statements that the store sends during ask.
func (a *archive) workOf(t *testing.T, ask func()) storetest.Work {
	t.Helper()
	a.asked.Seen = nil
	ask()
	work := storetest.Explain(t, a.conn, a.asked.Seen)
	work.Scans = slices.DeleteFunc(work.Scans, func(table string) bool { // these have few rows here
		return slices.Contains([]string{"tokens", "users", "usage_retention"}, table)
	})
	return work
}

// page returns the work of reading one page of a query.
func (a *archive) page(t *testing.T, scope tenant.Scope, query metering.LogQuery) storetest.Work {
	t.Helper()
	return a.workOf(t, func() { storetest.Need(a.store.Metering.UsageLogs(background, scope, query))(t) })
}

func TestReads_ExamineABoundedNumberOfRows(t *testing.T) {
	a := newArchive(t)
	t.Run("pages by index", a.readsPagesByIndex)
	t.Run("pages by search", a.searchesWithinBounds)
	t.Run("summaries", a.summarizesFewRollups)
	t.Run("one log", a.readsOneLogByKey)
	t.Run("under row-level security", a.readsTheSameUnderRowSecurity)
}

// readsPagesByIndex checks that filters with an index read only the page and one log of each partition.
func (a *archive) readsPagesByIndex(t *testing.T) {
	f, last := &a.customers[0], &a.customers[3]
	deep := page.Page{After: cursor(a.events[600].ID)}
	mine := f.Tokens[f.Member.ID].ID
	for name, c := range map[string]struct {
		scope tenant.Scope
		query metering.LogQuery
	}{
		"a tenant":       {f.AsOwner, metering.LogQuery{}},
		"a tenant, deep": {f.AsOwner, metering.LogQuery{Page: deep}},
		"a small tenant": {last.AsOwner, metering.LogQuery{}},
		"a model":        {f.AsOwner, metering.LogQuery{Model: "m1"}},
		"a rare model":   {f.AsOwner, metering.LogQuery{Model: "rare"}},
		"an old model":   {f.AsOwner, metering.LogQuery{Model: "old"}},
		"an old model, deep": {f.AsOwner,
			metering.LogQuery{Model: "old", Page: page.Page{After: cursor(a.events[100].ID)}}},
		"a model without calls":                {f.AsOwner, metering.LogQuery{Model: "none"}},
		"a token":                              {f.AsOwner, metering.LogQuery{TokenID: mine}},
		"a token, deep":                        {f.AsOwner, metering.LogQuery{TokenID: mine, Page: deep}},
		"a token never used":                   {f.AsOwner, metering.LogQuery{TokenID: f.Tokens[f.Admin.ID].ID}},
		"a user":                               {f.AsOwner, metering.LogQuery{UserID: f.Member.ID}},
		"failed":                               {f.AsOwner, metering.LogQuery{Outcome: usage.Failed}},
		"partial, deep":                        {f.AsOwner, metering.LogQuery{Outcome: usage.Partial, Page: deep}},
		"a member":                             {f.AsMember, metering.LogQuery{}},
		"newer logs of a tenant":               {f.AsOwner, metering.LogQuery{NewerThan: a.events[len(a.events)-9].ID}},
		"newer logs of all tenants":            {platform, metering.LogQuery{NewerThan: a.events[len(a.events)-9].ID}},
		"everything":                           {platform, metering.LogQuery{}},
		"everything, deep":                     {platform, metering.LogQuery{Page: deep}},
		"a channel of all tenants":             {platform, metering.LogQuery{ChannelID: a.channels[1]}},
		"an old channel of all tenants":        {platform, metering.LogQuery{ChannelID: a.channels[3]}},
		"failed, of all tenants":               {platform, metering.LogQuery{Outcome: usage.Failed}},
		"partial of all tenants, deep":         {platform, metering.LogQuery{Outcome: usage.Partial, Page: deep}},
		"a model of a tenant, for an operator": {platform, metering.LogQuery{TenantID: f.Tenant.ID, Model: "m1"}},
	} {
		for what, query := range map[string]metering.LogQuery{name: c.query,
			name + ", oldest first": forwards(c.query)} {
			done := a.page(t, c.scope, query)
			if done.Rows > 120 || done.Blocks > 250 || len(done.Scans) > 0 || done.Sorts > 0 {
				t.Errorf("%s: got %+v, want at most 120 rows, 250 blocks, no sequential scan and no sort", what, done)
			}
		}
	}
}

// forwards returns the query with the oldest logs first. A page after a log stays a page after that log.
func forwards(query metering.LogQuery) metering.LogQuery {
	if query.Sort = oldestFirst; query.After != "" {
		id, _ := base64.RawURLEncoding.DecodeString(query.After)
		query.After = forwardCursor(uuid.MustParse(string(id)))
	}
	return query
}

// searchesWithinBounds checks that filters without an index examine few logs if matches are common or if the
// rollups lead to them, and a few thousand logs otherwise.
func (a *archive) searchesWithinBounds(t *testing.T) {
	f := &a.customers[0]
	mine := f.Tokens[f.Member.ID].ID
	for name, c := range map[string]struct {
		scope tenant.Scope
		query metering.LogQuery
		rows  int
	}{
		"a common channel":        {f.AsOwner, metering.LogQuery{ChannelID: a.channels[0]}, 300},
		"an old channel":          {f.AsOwner, metering.LogQuery{ChannelID: a.channels[3]}, 8000},
		"a channel without calls": {f.AsOwner, metering.LogQuery{ChannelID: storetest.NewID()}, 7000},
		"success":                 {f.AsOwner, metering.LogQuery{Outcome: usage.Success}, 200},
		"a day": {f.AsOwner,
			metering.LogQuery{From: a.events[9000].CreatedAt, To: a.events[9480].CreatedAt}, 200},
		"a day of a model": {f.AsOwner, metering.LogQuery{Model: "m1", From: a.events[9000].CreatedAt,
			To: a.events[9480].CreatedAt}, 2200},
		"a token and a model":         {f.AsOwner, metering.LogQuery{TokenID: mine, Model: "m1"}, 700},
		"a token and an old model":    {f.AsOwner, metering.LogQuery{TokenID: mine, Model: "old"}, 8000},
		"a token and an unused model": {f.AsOwner, metering.LogQuery{TokenID: mine, Model: "none"}, 8000},
		"a member's failures":         {f.AsMember, metering.LogQuery{Outcome: usage.Failed}, 8000},
		"a model of all tenants":      {platform, metering.LogQuery{Model: "m1"}, 700},
		"an old model of all tenants": {platform, metering.LogQuery{Model: "old"}, 8000},
		"partial logs of a channel": {platform, metering.LogQuery{ChannelID: a.channels[0], Outcome: usage.Partial},
			20_000},
	} {
		if done := a.page(t, c.scope, c.query); done.Rows > c.rows || len(done.Scans) > 0 {
			t.Errorf("%s: got %+v, want at most %d rows and no sequential scan", name, done, c.rows)
		}
		most := c.rows + 500 // the 500 oldest logs have another model and channel than most
		if done := a.page(t, c.scope, forwards(c.query)); done.Rows > most || len(done.Scans) > 0 {
			t.Errorf("%s, oldest first: got %+v, want at most %d rows and no sequential scan", name, done, most)
		}
	}
}

// summarizesFewRollups checks that summaries without a user or token read the totals, and others the rollups
// of that user or token.
func (a *archive) summarizesFewRollups(t *testing.T) {
	f := &a.customers[0]
	year, day := archiveEnd.AddDate(-1, 0, 0).Truncate(24*time.Hour), archiveEnd.Add(-24*time.Hour)
	const perDay, days = 7 * 5, 110 // pairs of models and channels; length of the history
	for name, c := range map[string]struct {
		scope tenant.Scope
		query metering.SummaryQuery
		table string
		rows  int
	}{
		"a year by day": {f.AsOwner, metering.SummaryQuery{From: year, Bucket: metering.ByDay},
			"usage_totals_daily", 5 * days * perDay},
		"a year by model": {f.AsOwner, metering.SummaryQuery{From: year, By: metering.ByModel},
			"usage_totals_daily", 5 * days * perDay},
		"a year of the platform": {platform, metering.SummaryQuery{From: year, By: metering.ByChannel},
			"usage_totals_daily", 5 * days * perDay},
		"a year by tenant": {platform, metering.SummaryQuery{From: year, By: metering.ByTenant},
			"usage_totals_daily", 5 * days * perDay},
		"a day by hour": {f.AsOwner, metering.SummaryQuery{From: day, Bucket: metering.ByHour},
			"usage_totals_hourly", 25 * perDay},
		"a year of a member": {f.AsMember, metering.SummaryQuery{From: year, Bucket: metering.ByDay},
			"usage_rollups_daily", days * perDay},
		"a year of a token by model": {f.AsOwner, metering.SummaryQuery{From: year, By: metering.ByModel,
			TokenID: f.Tokens[f.Owner.ID].ID}, "usage_rollups_daily", days * perDay},
		"a day of a member by hour": {f.AsMember, metering.SummaryQuery{From: day, Bucket: metering.ByHour},
			"usage_rollups_hourly", 25 * perDay},
	} {
		done := a.workOf(t, func() {
			if rows := storetest.Need(a.store.Metering.UsageSummary(background, c.scope, c.query))(t); len(rows) == 0 {
				t.Errorf("%s: got no rows", name)
			}
		})
		if len(done.Tables) != 1 || done.Tables[0] != c.table || done.Rows > c.rows {
			t.Errorf("%s: got %+v, want at most %d rows of %s", name, done, c.rows, c.table)
		}
	}
}

// readsOneLogByKey checks that reading one log reads one row.
func (a *archive) readsOneLogByKey(t *testing.T) {
	done := a.workOf(t, func() {
		_, _, err := a.store.Metering.UsageLog(background, platform, a.events[9].ID)
		storetest.OK(t, err)
	})
	if done.Rows != 1 || done.Blocks > 10 || len(done.Scans) > 0 {
		t.Errorf("got %+v, want 1 row and at most 10 blocks", done)
	}
}

// readsTheSameUnderRowSecurity checks that the database does the same work for a user of a tenant as for an
// operator who sends the same query: row-level security changes no plan. It may touch up to twice as many
// pages, because a search that only needs the index must also read the rows to check whose they are.
func (a *archive) readsTheSameUnderRowSecurity(t *testing.T) {
	f, day := &a.customers[0], archiveEnd.Truncate(24*time.Hour).AddDate(0, 0, -30)
	mine := f.Tokens[f.Member.ID].ID
	for name, query := range map[string]metering.LogQuery{
		"a tenant": {}, "a model": {Model: "m1"}, "a rare model": {Model: "rare"}, "a token": {TokenID: mine},
		"a user":                   {UserID: f.Member.ID},
		"a token and an old model": {TokenID: mine, Model: "old"},
		"a token and a rare model": {TokenID: mine, Model: "rare"},
		"a user and a rare model":  {UserID: f.Member.ID, Model: "rare"},
		"a user and an old model":  {UserID: f.Member.ID, Model: "old"},
		"a token's failures":       {TokenID: mine, Outcome: usage.Failed},
		"an old channel":           {ChannelID: a.channels[3]}, "a day": {From: day, To: day.AddDate(0, 0, 1)},
	} {
		query.TenantID = f.Tenant.ID
		without := a.page(t, platform, query)
		for _, scope := range []tenant.Scope{f.AsOwner, f.AsMember} {
			if _, limited := scope.OnlyUser(); limited {
				query.UserID = f.Member.ID
				without = a.page(t, platform, query)
			}
			a.sameWork(t, name, a.page(t, scope, query), without, 1)
		}
	}
	other := &a.customers[1]
	for name, c := range map[string]struct {
		scope tenant.Scope
		query metering.LogQuery
	}{
		"another user's token":    {f.AsMember, metering.LogQuery{TokenID: f.Tokens[f.Owner.ID].ID}},
		"another tenant's token":  {other.AsOwner, metering.LogQuery{TokenID: mine}},
		"another tenant's user":   {other.AsOwner, metering.LogQuery{UserID: f.Member.ID}},
		"another user's failures": {other.AsOwner, metering.LogQuery{TokenID: mine, Outcome: usage.Failed}},
	} {
		if done := a.page(t, c.scope, c.query); done.Rows > 20 {
			t.Errorf("%s: got %+v, want at most 20 rows", name, done)
		}
	}
	for _, query := range []metering.SummaryQuery{{From: day, Bucket: metering.ByDay},
		{From: day, By: metering.ByToken}, {From: day, UserID: f.Member.ID}} {
		query.TenantID = f.Tenant.ID
		without := a.workOf(t, func() { storetest.Need(a.store.Metering.UsageSummary(background, platform, query))(t) })
		with := a.workOf(t, func() { storetest.Need(a.store.Metering.UsageSummary(background, f.AsOwner, query))(t) })
		// The planner chooses between two indexes by a sample of the rows, and may choose differently for the two.
		a.sameWork(t, fmt.Sprintf("a summary by %q", query.By), with, without, 4)
	}
}

// sameWork compares the work with and without row-level security. The former may read so many times the rows, and touch
// twice as many pages for each.
func (a *archive) sameWork(t *testing.T, name string, with, without storetest.Work, times int) {
	t.Helper()
	if with.Rows > times*without.Rows || with.Blocks > 2*times*without.Blocks || len(with.Scans) > 0 {
		t.Errorf("%s: got %+v with row-level security, want at most %d times %+v, as without it", name,
			with, times, without)
	}
}
