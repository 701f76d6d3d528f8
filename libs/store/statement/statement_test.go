package statement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

var february, march, april = monthOf(time.February), monthOf(time.March), monthOf(time.April)

func monthOf(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }

// statementText returns the statement of a month with amounts in nano-dollars: the opening balance, what was granted
// and used and the closing balance, then the lines.
func statementText(t *testing.T, s *store.Store, f *storetest.Customer, month time.Time) string {
	t.Helper()
	made := storetest.Need(s.Statement.Of(background, f.AsAdmin, f.Tenant.ID, month))(t)
	text := fmt.Sprintf("%d + %d - %d = %d", made.Opening, made.Granted, made.Used, made.Closing)
	for _, line := range made.Lines {
		text += fmt.Sprintf("\n%s|%s|%s|%+d|%d", line.At.Format("01-02 15:04"), line.Kind, line.Reason, line.Amount,
			line.Balance)
		if (line.EntryID == uuid.Nil) != (line.Kind == "") {
			t.Errorf("a line of the kind %q has the id %s", line.Kind, line.EntryID)
		}
	}
	return text
}

func TestStatement_CountsEachCallOnceWhetherRolledUpOrNot(t *testing.T) {
	storetest.EachAt(t, february.AddDate(0, 0, 9), func(t *testing.T, s *store.Store, now *time.Time) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		spend := func(by *storetest.Customer, at time.Time, quota money.Amount) {
			event := by.Call(by.Member, "m1", quota)
			event.CreatedAt, event.ID = at, storetest.IDAt(event.ID, at)
			storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(t)
		}
		enter := func(at time.Time, amount money.Amount) {
			*now = at
			storetest.Need(s.Quota.AddEntry(background, platform, quotadb.NewEntry{TenantID: f.Tenant.ID,
				Kind: quotadb.Adjustment, Amount: amount, Reason: "correction"}))(t)
		}
		const usd = 1_000_000_000
		spend(&f, february.Add(30*time.Hour), 100)
		spend(&f, march.Add(-time.Microsecond), 200)
		spend(&f, march, 1)
		storetest.Drain(t, s)
		enter(march, 5*usd)
		enter(march.Add(60*time.Hour), -2*usd)
		spend(&f, march.Add(48*time.Hour), 10)
		spend(&f, march.Add(71*time.Hour), 20)
		spend(&f, march.Add(80*time.Hour), 0)
		want := map[time.Time]string{
			february: strings.Join([]string{
				fmt.Sprintf("0 + %d - 300 = %d", 10*usd, 10*usd-300),
				"02-02 00:00|||-100|-100",
				fmt.Sprintf("02-10 00:00|grant|opening quota|%+d|%d", 10*usd, 10*usd-100),
				fmt.Sprintf("02-28 00:00|||-200|%d", 10*usd-300),
			}, "\n"),
			march: strings.Join([]string{
				fmt.Sprintf("%d + %d - 31 = %d", 10*usd-300, 3*usd, 13*usd-331),
				fmt.Sprintf("03-01 00:00|adjustment|correction|%+d|%d", 5*usd, 15*usd-300),
				fmt.Sprintf("03-01 00:00|||-1|%d", 15*usd-301),
				fmt.Sprintf("03-03 12:00|adjustment|correction|%+d|%d", -2*usd, 13*usd-301),
				fmt.Sprintf("03-03 00:00|||-30|%d", 13*usd-331),
			}, "\n"),
		}
		check := func(when string) {
			t.Helper()
			for month, text := range want {
				storetest.Equal(t, when+": "+month.Month().String(), statementText(t, s, &f, month), text)
			}
		}
		check("with calls that are not rolled up")
		enter(april, usd)
		storetest.Lease(t, s, storetest.NewID(), f.Tenant.ID, usd)
		spend(&f, april.Add(time.Hour), 1000)
		spend(&other, march.Add(time.Hour), 5000)
		check("with later calls that are not rolled up")
		want[april] = strings.Join([]string{
			fmt.Sprintf("%d + %d - 1000 = %d", 13*usd-331, usd, 14*usd-1331),
			fmt.Sprintf("04-01 00:00|adjustment|correction|%+d|%d", usd, 14*usd-331),
			fmt.Sprintf("04-01 00:00|||-1000|%d", 14*usd-1331),
		}, "\n")
		check("in april")
		storetest.Drain(t, s)
		check("with all calls rolled up")
		want = map[time.Time]string{
			monthOf(time.January): "0 + 0 - 0 = 0",
			monthOf(time.May):     fmt.Sprintf("%d + 0 - 0 = %[1]d", 14*usd-1331),
		}
		check("without changes")
	})
}

func TestStatement_RefusesMembersOtherTenantsAndIDsOfOthers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		_, err := s.Statement.Of(background, f.AsMember, f.Tenant.ID, march)
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = s.Statement.Of(background, other.AsOwner, f.Tenant.ID, march)
		storetest.Refuses(t, err, problem.NotFound, "")
		for _, id := range []uuid.UUID{f.Owner.ID, uuid.Nil} { // no tenants
			_, err = s.Statement.Of(background, platform, id, march)
			storetest.Refuses(t, err, problem.NotFound, "")
		}
	})
}

func TestStatement_HasAtMostTenThousandEntries(t *testing.T) {
	url := storetest.SQLite(t)
	s := storetest.Open(t, db.Options{URL: url, Now: func() time.Time { return march }})
	f := storetest.NewCustomer(t, s, "acme")
	fill := func(count int) {
		storetest.Exec(t, url, fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO ledger (id, tenant_id, amount, reason, actor, created_at, kind, granted)
			SELECT lower(hex(randomblob(16))), tenant_id, 0, 'x', 'x', created_at, kind, granted FROM n, ledger LIMIT %[1]d`,
			count))
	}
	fill(9_999)
	made := storetest.Need(s.Statement.Of(background, f.AsOwner, f.Tenant.ID, march))(t)
	storetest.Equal(t, "lines", len(made.Lines), 10_000)
	fill(1)
	_, err := s.Statement.Of(background, f.AsOwner, f.Tenant.ID, march)
	storetest.Refuses(t, err, problem.InvalidType, "month")
	_, err = s.Statement.Of(background, f.AsOwner, f.Tenant.ID, february)
	storetest.OK(t, err)
}
