package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// books are two firms' usage: some in the rollups, some in the outbox, some of
// the present hour and some of hours before, with a lease on a wallet.
type books struct {
	*store.Store
	url   string
	clock *clock
	a, b  firm
	past  time.Time // start of an hour that is over
}

// clock is the store's time. It stands still, in the middle of an hour, until
// it is moved.
type clock struct {
	start time.Time
	ahead atomic.Int64
}

func newClock() *clock {
	return &clock{start: time.Now().UTC().Truncate(time.Hour).Add(-30 * time.Minute)}
}

func (c *clock) now() time.Time          { return c.start.Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// eachBooks runs the test on either database.
func eachBooks(t *testing.T, test func(t *testing.T, k *books)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, keepBooks(t, url(t))) })
	}
}

func keepBooks(t *testing.T, url string) *books {
	t.Helper()
	k := &books{url: url, clock: newClock()}
	k.Store = storetest.Open(t, store.Options{URL: url, Now: k.clock.now})
	k.a, k.b = found(t, k.Store, "acme"), found(t, k.Store, "beta")
	k.past = k.clock.now().Truncate(time.Hour).Add(-2 * time.Hour)
	k.record(t, k.past, 40)
	k.record(t, k.past.Add(time.Hour), 40)
	drain(t, k.Store)
	k.record(t, k.clock.now(), 40)
	k.record(t, k.past, 10)
	lease(t, k.Store, newID(), k.a.tenant.ID, 1000)
	return k
}

// disarm removes what keeps the ledger from being falsified.
func (k *books) disarm(t *testing.T) {
	t.Helper()
	drops := []string{"DROP TRIGGER ledger_is_not_updated", "DROP TRIGGER wallets_follow_the_ledger"}
	if strings.HasPrefix(k.url, "postgres") {
		drops = []string{"DROP TRIGGER ledger_is_immutable ON ledger", "DROP TRIGGER wallets_follow_the_ledger ON accounts"}
	}
	for _, drop := range drops {
		k.meddle(t, drop)
	}
}

// record records calls of both firms, of several keys, that were accepted in
// the minute after at.
func (k *books) record(t testing.TB, at time.Time, calls int) {
	t.Helper()
	channels := []uuid.UUID{uuid.Nil, k.a.group.ID}
	events := make([]usage.Event, calls)
	for i := range events {
		f := []*firm{&k.a, &k.b}[i%2]
		event := f.call([]tenant.User{f.owner, f.member}[i/2%2], fmt.Sprintf("m%d", i%3), money.Amount(i+1))
		event.CreatedAt = at.Add(time.Duration(i) * time.Millisecond)
		event.ID = idAt(event.ID, event.CreatedAt)
		event.ChannelID = channels[i%2]
		event.Outcome = []usage.Outcome{usage.Success, usage.Partial, usage.Failed}[i%3]
		events[i] = event
	}
	need(k.RecordEvents(background, platform, newID(), events))(t)
}

// reconcile returns the drifts there are after a run, and those that are new,
// each as check/measure, in order.
func (k *books) reconcile(t testing.TB) (all, fresh []string) {
	t.Helper()
	done := need(k.Reconcile(background, platform))(t)
	seen := need(k.Reconciliation(background, platform, 1000))(t)
	return names(seen.Drifts), names(done.New)
}

func names(drifts []store.Drift) []string {
	names := []string{}
	for _, d := range drifts {
		names = append(names, fmt.Sprintf("%s/%s", d.Check, d.Measure))
	}
	slices.Sort(names)
	return names
}

// meddle runs a statement past the store.
func (k *books) meddle(t testing.TB, statement string) {
	t.Helper()
	storetest.Exec(t, k.url, statement)
}

func expect(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// oneOf is a condition that holds for one row of the table.
func oneOf(table, condition string) string {
	return fmt.Sprintf("(tenant_id, user_id, token_id, model, channel_id, start) IN (SELECT tenant_id, user_id, token_id, model, channel_id, start FROM %s WHERE %s ORDER BY 1, 2, 3, 4, 5, 6 LIMIT 1)", table, condition)
}

// Whatever single number is falsified is seen, exactly there, and is forgotten
// once it is mended.
func TestReconcileSeesEveryFalsehood(t *testing.T) {
	t.Parallel()
	const someLog = "id = (SELECT id FROM usage_logs WHERE outcome = 'success' ORDER BY id LIMIT 1)"
	const someWaiting = "id = (SELECT min(id) FROM usage_outbox)"
	someHour, someDay := oneOf("usage_rollups_hourly", "quota > 0"), oneOf("usage_rollups_daily", "quota > 0")
	cases := []struct {
		name         string
		falsify, and string // and mend
		want         []string
	}{
		{"quota of a log", "UPDATE usage_logs SET quota = quota + 1 WHERE " + someLog, "UPDATE usage_logs SET quota = quota - 1 WHERE " + someLog,
			[]string{"logs_hourly/quota"}},
		{"tokens of a log", "UPDATE usage_logs SET reasoning_tokens = reasoning_tokens + 1 WHERE " + someLog, "UPDATE usage_logs SET reasoning_tokens = reasoning_tokens - 1 WHERE " + someLog,
			[]string{"logs_hourly/tokens"}},
		{"class of a log's tokens", "UPDATE usage_logs SET output_tokens = output_tokens + 1, input_tokens = input_tokens - 1 WHERE " + someLog, "UPDATE usage_logs SET output_tokens = output_tokens - 1, input_tokens = input_tokens + 1 WHERE " + someLog,
			[]string{"logs_hourly/tokens"}},
		{"outcome of a log", "UPDATE usage_logs SET outcome = 'partial' WHERE " + someLog, "UPDATE usage_logs SET outcome = 'success' WHERE id = (SELECT id FROM usage_logs ORDER BY id LIMIT 1)",
			[]string{"logs_hourly/requests"}},
		{"model of a log", "UPDATE usage_logs SET model = 'x' || model WHERE " + someLog, "UPDATE usage_logs SET model = substr(model, 2) WHERE " + someLog,
			[]string{"logs_hourly/quota", "logs_hourly/requests", "logs_hourly/tokens"}},
		{"channel of a log", "UPDATE usage_logs SET channel_id = user_id WHERE " + someLog, "UPDATE usage_logs SET channel_id = NULL WHERE " + someLog,
			[]string{"logs_hourly/quota", "logs_hourly/requests", "logs_hourly/tokens"}},
		{"quota of an hour", "UPDATE usage_rollups_hourly SET quota = quota + 5 WHERE " + someHour, "UPDATE usage_rollups_hourly SET quota = quota - 5 WHERE " + someHour,
			[]string{"hourly_daily/quota", "logs_hourly/quota"}},
		{"quota of a day", "UPDATE usage_rollups_daily SET quota = quota + 5 WHERE " + someDay, "UPDATE usage_rollups_daily SET quota = quota - 5 WHERE " + someDay,
			[]string{"account_used/quota", "account_used/quota", "account_used/quota", "hourly_daily/quota"}},
		{"failures of a day", "UPDATE usage_rollups_daily SET failed = failed + 1 WHERE " + someDay, "UPDATE usage_rollups_daily SET failed = failed - 1 WHERE " + someDay,
			[]string{"hourly_daily/requests"}},
		{"quota in the outbox", "UPDATE usage_outbox SET quota = quota + 3 WHERE " + someWaiting, "UPDATE usage_outbox SET quota = quota - 3 WHERE " + someWaiting,
			[]string{"account_used/quota", "account_used/quota", "account_used/quota", "logs_hourly/quota"}},
		{"used of a wallet", "UPDATE accounts SET used = used + 1 WHERE kind = 'tenant' AND used = (SELECT max(used) FROM accounts)", "UPDATE accounts SET used = used - 1 WHERE kind = 'tenant' AND used = (SELECT max(used) FROM accounts)",
			[]string{"account_used/quota"}},
		{"used of a user", "UPDATE accounts SET used = used + 1 WHERE id = (SELECT min(id) FROM %[1]s)", "UPDATE accounts SET used = used - 1 WHERE id = (SELECT min(id) FROM %[1]s)",
			[]string{"account_used/quota"}},
		{"used of a token", "UPDATE accounts SET used = used + 1 WHERE id = (SELECT min(id) FROM %[2]s)", "UPDATE accounts SET used = used - 1 WHERE id = (SELECT min(id) FROM %[2]s)",
			[]string{"account_used/quota"}},
		{"leased of an account", "UPDATE accounts SET leased = leased + 1 WHERE leased > 0", "UPDATE accounts SET leased = leased - 1 WHERE leased > 0",
			[]string{"account_leased/quota"}},
		{"a lease", "UPDATE leases SET amount = amount - 1", "UPDATE leases SET amount = amount + 1",
			[]string{"account_leased/quota"}},
		{"a ledger entry", "UPDATE ledger SET amount = amount - 7 WHERE id = (SELECT id FROM ledger ORDER BY id LIMIT 1)", "UPDATE ledger SET amount = amount + 7 WHERE id = (SELECT id FROM ledger ORDER BY id LIMIT 1)",
			[]string{"wallet_granted/quota"}},
		{"granted of a wallet", "UPDATE accounts SET granted = granted + 7 WHERE leased > 0", "UPDATE accounts SET granted = granted - 7 WHERE leased > 0",
			[]string{"wallet_granted/quota"}},
	}
	eachBooks(t, func(t *testing.T, k *books) {
		all, fresh := k.reconcile(t)
		expect(t, "of right books", append(all, fresh...))
		k.disarm(t)
		some := strings.NewReplacer("(SELECT min(id) FROM %[1]s)", "'"+k.a.member.ID.String()+"'",
			"(SELECT min(id) FROM %[2]s)", "'"+k.a.tokens[k.a.member.ID].ID.String()+"'")
		for _, row := range cases {
			k.meddle(t, "UPDATE reconcile_hours SET open = true")
			k.meddle(t, some.Replace(row.falsify))
			all, fresh := k.reconcile(t)
			expect(t, row.name, all, row.want...)
			expect(t, row.name+": new", fresh, row.want...)
			all, fresh = k.reconcile(t)
			expect(t, row.name+", seen again", all, row.want...)
			expect(t, row.name+", seen again: new", fresh)
			k.meddle(t, some.Replace(row.and))
			all, _ = k.reconcile(t)
			expect(t, row.name+", mended", all)
		}
	})
}

func TestADriftTellsWhatAndHowMuch(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		k.meddle(t, "UPDATE usage_logs SET quota = quota + 9 WHERE id = (SELECT id FROM usage_logs WHERE outcome = 'success' ORDER BY id LIMIT 1)")
		k.meddle(t, fmt.Sprintf("UPDATE accounts SET leased = leased + 4 WHERE id = '%s'", k.b.member.ID))
		ok(t, second(k.Reconcile(background, platform)))
		before := need(k.Reconciliation(background, platform, 10))(t)
		k.clock.advance(time.Minute)
		k.meddle(t, fmt.Sprintf("UPDATE accounts SET leased = leased + 4 WHERE id = '%s'", k.b.member.ID))
		ok(t, second(k.Reconcile(background, platform)))
		seen := need(k.Reconciliation(background, platform, 10))(t)
		equal(t, "drifts", len(seen.Drifts), 2)
		slices.SortFunc(seen.Drifts, func(a, b store.Drift) int { return strings.Compare(string(a.Check), string(b.Check)) })
		lease, hour := seen.Drifts[0], seen.Drifts[1]
		equal(t, "account", lease.AccountID, k.b.member.ID)
		equal(t, "its tenant", lease.TenantID, k.b.tenant.ID)
		equal(t, "expected", lease.Expected, 0)
		equal(t, "found", lease.Found, 8)
		equal(t, "no hour", lease.Start.IsZero(), true)
		equal(t, "seen for a minute", lease.LastSeen.Sub(lease.FirstSeen) >= time.Minute, true)
		equal(t, "hour", hour.Start, k.past)
		equal(t, "tenant", hour.TenantID, k.a.tenant.ID)
		equal(t, "too much in the logs", hour.Expected-hour.Found, 9)
		equal(t, "difference", hour.Difference, 9)
		equal(t, "sum", seen.ByCheck[store.CheckLogs], store.DriftSum{Count: 1, Quota: 9})
		equal(t, "sum", seen.ByCheck[store.CheckLeased], store.DriftSum{Count: 1, Quota: 8})
		equal(t, "checked later", seen.CheckedAt.After(before.CheckedAt), true)
		equal(t, "none asked for", len(need(k.Reconciliation(background, platform, 0))(t).Drifts), 0)
		equal(t, "bounded", len(need(k.Reconciliation(background, platform, 1))(t).Drifts), 1)
	})
}

func second[T any](_ T, err error) error { return err }

// An hour closes once it is over and right, and is open again when usage of it
// arrives late, and then alone.
func TestHoursThatAreRightAreLeftInPeace(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		equal(t, "hours at first", need(k.Reconcile(background, platform))(t).Hours, 3)
		equal(t, "then the present one", need(k.Reconcile(background, platform))(t).Hours, 1)
		equal(t, "open", need(k.Reconciliation(background, platform, 0))(t).OpenHours, 1)
		k.clock.advance(3 * time.Hour)
		equal(t, "hours that began since", need(k.Reconcile(background, platform))(t).Hours, 4)
		equal(t, "then the present one", need(k.Reconcile(background, platform))(t).Hours, 1)

		k.record(t, k.past, 10)
		equal(t, "before the drain", need(k.Reconcile(background, platform))(t).Hours, 1)
		drain(t, k.Store)
		equal(t, "after the drain", need(k.Reconcile(background, platform))(t).Hours, 2)

		k.clock.advance(25 * time.Hour)
		equal(t, "a day later, two of the closed ones beside 24 new ones", need(k.Reconcile(background, platform))(t).Hours, 26)
		all, _ := k.reconcile(t)
		expect(t, "after all", all)
	})
}

// A closed hour is looked at again from time to time, whatever became of it.
func TestAClosedHourIsNotForgotten(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		k.clock.advance(2 * time.Hour)
		k.reconcile(t)
		k.meddle(t, "UPDATE usage_logs SET quota = quota + 9 WHERE id = (SELECT id FROM usage_logs ORDER BY id LIMIT 1)")
		all, _ := k.reconcile(t)
		expect(t, "at once", all)
		k.clock.advance(25 * time.Hour)
		seen := false
		for range 10 {
			all, _ := k.reconcile(t)
			seen = seen || slices.Contains(all, "logs_hourly/quota")
		}
		equal(t, "seen within a few runs of the next day", seen, true)
	})
}

// What vanished between the logs and the rollups is missed although no drain
// ever spoke of its hour.
func TestAnHourWhoseUsageWasLostIsMissed(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		k.reconcile(t)
		k.clock.advance(time.Hour)
		k.record(t, k.clock.now().Truncate(time.Hour), 6)
		k.meddle(t, "DELETE FROM usage_outbox")
		k.clock.advance(2 * time.Hour)
		all, _ := k.reconcile(t)
		for _, want := range []string{"logs_hourly/quota", "logs_hourly/requests", "logs_hourly/tokens", "account_used/quota"} {
			equal(t, want, slices.Contains(all, want), true)
		}
	})
}

func TestRunsAreBounded(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		for i := range 60 {
			k.record(t, k.past.Add(time.Duration(-i)*time.Hour), 2)
		}
		drain(t, k.Store)
		for _, want := range []int{24, 24, 14, 1} { // 60 hours, the one after them and the present one
			equal(t, "hours of a run", need(k.Reconcile(background, platform))(t).Hours, want)
		}
		equal(t, "open in the end", need(k.Reconciliation(background, platform, 0))(t).OpenHours, 1)
	})
}

// Recording, draining, leasing and reconciling at once: nothing is ever seen
// that is not so.
func TestTrafficIsNoDrift(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		var traffic, reader sync.WaitGroup
		stop := make(chan struct{})
		for range 3 {
			traffic.Go(func() {
				for i := range 8 {
					k.record(t, []time.Time{k.clock.now(), k.past}[i%2], 20)
				}
			})
			traffic.Go(func() {
				for range 15 {
					if _, err := k.DrainOutbox(background, platform, 5); err != nil {
						t.Error(err)
					}
				}
			})
			traffic.Go(func() {
				relay := newID()
				for i := range quota.Stamp(16) {
					ask := quota.Ask{After: i, Stamp: i + 1, Claim: 3, Need: 10, Return: i%2 == 1}
					if _, err := k.AskLease(background, platform, relay, quota.Ref{ID: k.b.tenant.ID}, ask); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			reader.Go(func() {
				for runs := 0; ; runs++ {
					select {
					case <-stop:
						if runs == 0 {
							t.Error("nothing was compared beside the traffic")
						}
						return
					default:
					}
					done, err := k.Reconcile(background, platform)
					if err != nil {
						t.Error(err)
						return
					}
					if len(done.New) > 0 {
						t.Errorf("seen beside traffic: %+v", done.New)
						return
					}
				}
			})
		}
		traffic.Wait()
		close(stop)
		reader.Wait()
		drain(t, k.Store)
		all, _ := k.reconcile(t)
		expect(t, "afterwards", all)
		equal(t, "open afterwards", need(k.Reconciliation(background, platform, 0))(t).OpenHours, 1)
	})
}

func TestAFailingCheckLeavesTheOthers(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		k.meddle(t, "UPDATE leases SET amount = amount - 1")
		k.meddle(t, "ALTER TABLE ledger RENAME TO away")
		_, err := k.Reconcile(background, platform)
		if err == nil {
			t.Error("no error without a ledger")
		}
		seen := need(k.Reconciliation(background, platform, 10))(t)
		expect(t, "seen all the same", names(seen.Drifts), "account_leased/quota")
		equal(t, "a whole run", seen.CheckedAt.IsZero(), true)
	})
}

func TestReconcilingIsForThePlatform(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		_, err := k.Reconcile(background, k.a.asOwner)
		refuses(t, err, problem.Forbidden, "")
		_, err = k.Reconciliation(background, k.a.asOwner, 1)
		refuses(t, err, problem.Forbidden, "")
		_, err = k.DropUsageLogs(background, k.a.asOwner, time.Hour)
		refuses(t, err, problem.Forbidden, "")
	})
}

// Usage from before there was any reconciling is compared too.
func TestHoursFromBeforeTheMigrationAreOpen(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		drain(t, k.Store)
		for _, table := range []string{"reconcile_hours", "reconcile_drifts", "reconcile_state", "usage_retention"} {
			k.meddle(t, "DROP TABLE "+table)
		}
		k.meddle(t, "DELETE FROM bun_migrations WHERE name LIKE '0003%'")
		k.meddle(t, "UPDATE usage_rollups_hourly SET quota = quota + 1 WHERE "+oneOf("usage_rollups_hourly", "quota > 0"))
		ok(t, k.Migrate(background))
		equal(t, "open", need(k.Reconciliation(background, platform, 0))(t).OpenHours, 3)
		all, _ := k.reconcile(t)
		expect(t, "seen", all, "hourly_daily/quota", "logs_hourly/quota")
	})
}

// What one tenant lacks, another's surplus does not make up.
func TestTenantsDoNotMakeUpForEachOther(t *testing.T) {
	t.Parallel()
	eachBooks(t, func(t *testing.T, k *books) {
		for _, move := range []struct {
			owner uuid.UUID
			by    int
		}{{k.a.tenant.ID, 1}, {k.b.tenant.ID, -1}} {
			k.meddle(t, fmt.Sprintf("UPDATE usage_logs SET quota = quota + %d WHERE id = (SELECT id FROM usage_logs WHERE tenant_id = '%s' AND quota > 1 ORDER BY id LIMIT 1)", move.by, move.owner))
		}
		all, _ := k.reconcile(t)
		expect(t, "one each", all, "logs_hourly/quota", "logs_hourly/quota")
	})
}
