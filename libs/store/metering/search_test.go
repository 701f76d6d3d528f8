package metering_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// history is a store with the calls of four customers, oldest first.
type history struct {
	store     *store.Store
	customers []storetest.Customer
	channels  []uuid.UUID
	events    []usage.Event
}

// recordHistory records n calls up to now, one in each step of time. Half of them belong to the first
// customer. The oldest hundredth has the model "old", which no later call uses; some later calls failed, and
// a few are partial and have the model "rare".
func recordHistory(t testing.TB, s *store.Store, n int, step time.Duration) *history {
	t.Helper()
	return recordHistoryUntil(t, s, time.Now(), n, step)
}

// recordHistoryUntil records what recordHistory does, up to a time.
func recordHistoryUntil(t testing.TB, s *store.Store, end time.Time, n int, step time.Duration) *history {
	t.Helper()
	h := &history{store: s,
		channels: []uuid.UUID{storetest.NewID(), storetest.NewID(), storetest.NewID(), storetest.NewID()}}
	for i := range 4 {
		h.customers = append(h.customers, storetest.NewCustomer(t, s, fmt.Sprintf("customer-%d", i)))
	}
	random := rand.New(rand.NewPCG(1, 2))
	start := end.UTC().Truncate(time.Second).Add(-time.Duration(n) * step)
	for i := range n {
		f := &h.customers[max(0, random.IntN(6)-2)]
		event := f.Call([]tenant.User{f.Owner, f.Member, f.Member, f.Member}[random.IntN(4)],
			fmt.Sprintf("m%d", random.IntN(5)), 1)
		event.CreatedAt = start.Add(time.Duration(i) * step)
		event.ID, event.ChannelID = storetest.IDAt(event.ID, event.CreatedAt), h.channels[random.IntN(3)]
		switch {
		case i < n/100:
			event.Model, event.ChannelID = "old", h.channels[3]
		case random.IntN(50) == 0:
			event.Outcome, event.ChannelID = usage.Failed, uuid.Nil
		case random.IntN(1000) == 0:
			event.Outcome, event.Model = usage.Partial, "rare"
		}
		h.events = append(h.events, event)
	}
	for at := 0; at < n; at += 2000 {
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
			h.events[at:min(n, at+2000)]))(t)
	}
	return h
}

// rollUp drains the outbox.
func (h *history) rollUp(t testing.TB) {
	t.Helper()
	for drained := 1; drained > 0; {
		drained = storetest.Need(h.store.Rollup.DrainOutbox(background, platform, 0))(t)
	}
}

// oldestFirst is the order of usage logs that begins with the oldest one.
var oldestFirst = storepage.Sort{By: "created_at"}

// selected returns the ids of the logs that the platform's query must find, in its order.
func (h *history) selected(query metering.LogQuery) (ids []uuid.UUID) {
	for i := len(h.events) - 1; i >= 0; i-- {
		e := &h.events[i]
		id := func(want, got uuid.UUID) bool { return want == uuid.Nil || want == got }
		if id(query.TenantID, e.TenantID) && id(query.UserID, e.UserID) && id(query.TokenID, e.TokenID) &&
			id(query.ChannelID, e.ChannelID) &&
			(query.Model == "" || query.Model == e.Model) && (query.Outcome == "" || query.Outcome == e.Outcome) &&
			(query.From.IsZero() || !e.CreatedAt.Before(query.From)) &&
			(query.To.IsZero() || e.CreatedAt.Before(query.To)) {
			ids = append(ids, e.ID)
		}
	}
	if query.Sort == oldestFirst {
		slices.Reverse(ids)
	}
	return ids
}

// readAll reads all pages of a query and returns the ids of the logs and the number of pages.
func (h *history) readAll(t testing.TB, scope tenant.Scope, query metering.LogQuery) (ids []uuid.UUID, pages int) {
	t.Helper()
	for pages = 1; ; pages++ {
		list := storetest.Need(h.store.Metering.UsageLogs(background, scope, query))(t)
		for _, l := range list.Items {
			ids = append(ids, l.ID)
		}
		if query.After = list.Next; list.Next == "" {
			return ids, pages
		}
	}
}

// check checks that the pages of a query have the selected logs, and returns their number.
func (h *history) check(t testing.TB, query metering.LogQuery) (pages int) {
	t.Helper()
	want := h.selected(query)
	got, pages := h.readAll(t, platform, query)
	if len(got) != len(want) {
		t.Errorf("%+v: got %d logs, want %d", query, len(got), len(want))
		return pages
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v: got log %d %v, want %v", query, i, got[i], want[i])
			return pages
		}
	}
	return pages
}

// The test uses random filters, before and after the usage is in the rollups.
func TestUsageLogs_PagesHoldAllSelectedLogs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := recordHistory(t, s, 4500, 5*time.Minute)
		random := rand.New(rand.NewPCG(3, 4))
		for round := range 80 {
			if round == 40 {
				h.rollUp(t)
			}
			h.check(t, h.query(random))
		}
	})
}

// query returns a random query.
func (h *history) query(random *rand.Rand) (q metering.LogQuery) {
	e := h.events[random.IntN(len(h.events))]
	fields := random.IntN(256)
	given := func(bit int) bool { return fields&bit != 0 }
	if given(1) {
		q.TenantID = e.TenantID
	}
	if given(2) && given(4) {
		q.UserID = e.UserID
	}
	if given(2) && given(8) {
		q.TokenID = e.TokenID
	}
	if given(16) {
		q.ChannelID = h.channels[random.IntN(4)]
	}
	if given(32) {
		q.Model = []string{e.Model, "old", "rare", "none"}[random.IntN(4)]
	}
	if given(64) {
		q.Outcome = []usage.Outcome{usage.Success, usage.Failed, usage.Partial}[random.IntN(3)]
	}
	if given(128) {
		q.From = e.CreatedAt
		q.To = e.CreatedAt.Add(time.Duration(random.IntN(200)) * time.Hour)
	}
	q.Limit = 10 + random.IntN(190)
	q.Sort = []storepage.Sort{{}, {By: "created_at", Desc: true}, oldestFirst, oldestFirst}[random.IntN(4)]
	return q
}

// The rollups tell in which hours a match can be, so the search skips the others.
func TestUsageLogs_FindsDistantMatchesInOnePage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := recordHistory(t, s, 3000, 15*time.Minute)
		h.rollUp(t)
		for _, query := range []metering.LogQuery{
			{UserID: h.customers[0].Member.ID, Model: "old"},
			{TenantID: h.customers[0].Tenant.ID, ChannelID: h.channels[3]}, {Model: "old"}, {Model: "none"},
		} {
			query.Limit = 200
			storetest.Equal(t, "pages", h.check(t, query), 1)
			query.Sort = oldestFirst
			storetest.Equal(t, "pages, oldest first", h.check(t, query), 1)
		}
		late := metering.LogQuery{ChannelID: h.channels[0], Outcome: usage.Partial,
			Page: storepage.Page{Limit: 200, Sort: oldestFirst}}
		storetest.Equal(t, "pages of distant logs, oldest first", h.check(t, late), 1)
	})
}

// All logs are of one hour, so the rollups cannot help. A page ends without a match and with a cursor.
func TestUsageLogs_ExaminesABoundedNumberPerPage(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.Postgres(t)}) // SQLite would take long to record this many
	h := recordHistory(t, s, 22_000, time.Millisecond)
	first := storetest.Need(s.Metering.UsageLogs(background, platform, metering.LogQuery{Model: "old"}))(t)
	if len(first.Items) > 0 || first.Next == "" {
		t.Errorf("got %d logs and the cursor %q, want no logs and a cursor", len(first.Items), first.Next)
	}
	h.check(t, metering.LogQuery{Model: "old", Page: storepage.Page{Limit: 100}})
	h.check(t, metering.LogQuery{TenantID: h.customers[1].Tenant.ID, ChannelID: h.channels[0]})
	h.check(t, metering.LogQuery{Model: "rare", Page: storepage.Page{Sort: oldestFirst}})
	// Rollups have no error codes, so the page after the first 20,000 logs has the rest.
	ids, pages := h.readAll(t, platform, metering.LogQuery{Error: "none", Page: storepage.Page{Sort: oldestFirst}})
	if len(ids) > 0 || pages != 2 {
		t.Errorf("got %d logs on %d pages, want no logs on 2 pages", len(ids), pages)
	}
}

// cursor returns the cursor of the page that follows the log with the id.
func cursor(id uuid.UUID) string { return encoded(id.String()) }

// encoded returns the text in the encoding of cursors.
func encoded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// forwardCursor returns the cursor of the page that follows the log with the id, oldest first.
func forwardCursor(id uuid.UUID) string { return encoded("created_at ASC\x00" + id.String() + "\x00") }

// A reader of the pages gets each log once, also while calls are recorded.
func TestUsageLogs_OldestFirstWhileLogsAreAdded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := recordHistory(t, s, 60, time.Minute)
		want := h.selected(metering.LogQuery{Page: storepage.Page{Sort: oldestFirst}})
		seen, at := map[uuid.UUID]int{}, 0
		query := metering.LogQuery{Page: storepage.Page{Limit: 7, Sort: oldestFirst}}
		for list := storetest.Need(s.Metering.UsageLogs(background, platform, query))(t); ; list =
			storetest.Need(s.Metering.UsageLogs(background, platform, query))(t) {
			for _, log := range list.Items {
				seen[log.ID]++
			}
			if query.After = list.Next; list.Next == "" {
				break
			}
			if at++; at < 4 {
				event := h.customers[0].Call(h.customers[0].Member, "m1", 1)
				event.CreatedAt = time.Now()
				want = append(want, event.ID)
				storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
					[]usage.Event{event}))(t)
			}
		}
		for _, id := range want {
			storetest.Equal(t, "times that a log is listed", seen[id], 1)
		}
		storetest.Equal(t, "logs", len(seen), len(want))
		query.After = cursor(want[0])
		_, err := s.Metering.UsageLogs(background, platform, query)
		storetest.Refuses(t, err, problem.InvalidType, "after")
		query.After, query.Sort = forwardCursor(want[0]), storepage.Sort{}
		_, err = s.Metering.UsageLogs(background, platform, query)
		storetest.Refuses(t, err, problem.InvalidType, "after")
	})
}

func TestUsageLogs_NewerThanALog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := recordHistory(t, s, 300, 6*time.Hour)
		h.rollUp(t)
		f := &h.customers[0]
		for name, query := range map[string]metering.LogQuery{
			"no filter": {}, "a model": {Model: "m1"}, "failed": {Outcome: usage.Failed},
			"a channel": {ChannelID: h.channels[0]}, "an endpoint": {Dialect: "chat"},
			"an error that no log has": {Error: "none"},
		} {
			for _, at := range []int{0, 100, 299} {
				query.NewerThan, query.Limit = h.events[at].ID, 7
				var got []uuid.UUID
				for page := storetest.Need(s.Metering.UsageLogs(background, f.AsOwner, query))(t); ; page =
					storetest.Need(s.Metering.UsageLogs(background, f.AsOwner, query))(t) {
					for _, log := range page.Items {
						got = append(got, log.ID)
					}
					if query.After = page.Next; page.Next == "" {
						break
					}
				}
				query.After = ""
				var want []uuid.UUID
				for i := len(h.events) - 1; i > at; i-- {
					e := &h.events[i]
					if e.TenantID == f.Tenant.ID && (query.Model == "" || e.Model == query.Model) &&
						(query.Outcome == "" || e.Outcome == query.Outcome) &&
						(query.ChannelID == uuid.Nil || e.ChannelID == query.ChannelID) && query.Error == "" {
						want = append(want, e.ID)
					}
				}
				storetest.Equal(t, fmt.Sprintf("%s, newer than log %d", name, at), fmt.Sprint(got), fmt.Sprint(want))
			}
		}
	})
}

// The longest texts that a log can have are in each log. Pages end at about 1 MiB and have a Next, and the next page
// continues exactly there.
func TestUsageLogs_OfLargeLogsEndPagesEarly(t *testing.T) {
	large := strings.Repeat("x", 64<<10)
	for name, make := range storetest.Kinds() {
		url := make(t)
		s := storetest.Open(t, db.Options{URL: url})
		h := recordHistory(t, s, 150, time.Minute)
		storetest.Exec(t, url, `UPDATE usage_logs SET tags = '{"feature":"`+large+`"}'`)
		for _, query := range []metering.LogQuery{
			{Page: storepage.Page{Limit: 200}}, {Page: storepage.Page{Limit: 200, Sort: oldestFirst}},
			{TenantID: h.customers[0].Tenant.ID, Page: storepage.Page{Limit: 40}},
			{Tags: []attribution.Tag{{Name: "feature", Value: large}}, Page: storepage.Page{Limit: 200}},
		} {
			read := query
			list := storetest.Need(s.Metering.UsageLogs(background, platform, read))(t)
			if n := len(list.Items); n < 15 || n > 17 || list.Next == "" {
				t.Errorf("%s, %+v: got %d logs of 64 KiB and the cursor %q, want about 16 and a cursor", name,
					query.Page, n, list.Next)
			}
			h.check(t, query)
		}
		batch := storetest.Need(s.Metering.LogBatch(background, platform, metering.LogQuery{}))(t)
		if n := len(batch.Items); n < 120 || n > 130 || batch.Next == "" {
			t.Errorf("%s: the batch has %d logs of 64 KiB and the cursor %q, want about 128 and a cursor",
				name, n, batch.Next)
		}
	}
}
