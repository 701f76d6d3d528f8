package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store/reconcile"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// oneOf returns an SQL condition that holds for one row of a table of rollups that has the condition.
func oneOf(table, condition string) string {
	return fmt.Sprintf("(tenant_id, user_id, token_id, model, channel_id, start) IN (SELECT tenant_id, user_id, "+
		"token_id, model, channel_id, start FROM %s WHERE %s ORDER BY 1, 2, 3, 4, 5, 6 LIMIT 1)", table, condition)
}

// oneTotal returns an SQL condition that holds for one row of a table of totals that has the condition.
func oneTotal(table, condition string) string {
	return fmt.Sprintf("(tenant_id, model, channel_id, start) IN (SELECT tenant_id, model, channel_id, start FROM "+
		"%s WHERE %s ORDER BY 1, 2, 3, 4 LIMIT 1)", table, condition)
}

const (
	ofATenant     = "quota > 0 AND tenant_id <> '00000000-0000-0000-0000-000000000000'"
	ofThePlatform = "quota > 0 AND tenant_id = '00000000-0000-0000-0000-000000000000'"
)

// Each row changes a single value. The checks find exactly that drift, report it as new once, and delete it
// after the repair.
func TestReconcile_FindsEverySingleChange(t *testing.T) {
	t.Parallel()
	const someLog = "id = (SELECT id FROM usage_logs WHERE outcome = 'success' ORDER BY id LIMIT 1)"
	const someWaiting = "id = (SELECT min(id) FROM usage_outbox)"
	someHour, someDay := oneOf("usage_rollups_hourly", "quota > 0"), oneOf("usage_rollups_daily", "quota > 0")
	hourTotal, hourOfAll := oneTotal("usage_totals_hourly", ofATenant), oneTotal("usage_totals_hourly", ofThePlatform)
	dayTotal, dayOfAll := oneTotal("usage_totals_daily", ofATenant), oneTotal("usage_totals_daily", ofThePlatform)
	cases := []struct {
		name            string
		falsify, repair string   // SQL
		want            []string // drifts
	}{
		{"quota of a log", "UPDATE usage_logs SET quota = quota + 1 WHERE " + someLog,
			"UPDATE usage_logs SET quota = quota - 1 WHERE " + someLog,
			[]string{"logs_hourly/quota"}},
		{"tokens of a log", "UPDATE usage_logs SET reasoning_tokens = reasoning_tokens + 1 WHERE " + someLog,
			"UPDATE usage_logs SET reasoning_tokens = reasoning_tokens - 1 WHERE " + someLog,
			[]string{"logs_hourly/tokens"}},
		{"class of a log's tokens", "UPDATE usage_logs SET output_tokens = output_tokens + 1, input_tokens = " +
			"input_tokens - 1 WHERE " + someLog, "UPDATE usage_logs SET output_tokens = output_tokens - 1, " +
			"input_tokens = input_tokens + 1 WHERE " + someLog,
			[]string{"logs_hourly/tokens"}},
		{"outcome of a log", "UPDATE usage_logs SET outcome = 'partial' WHERE " + someLog, "UPDATE usage_logs SET " +
			"outcome = 'success' WHERE id = (SELECT id FROM usage_logs ORDER BY id LIMIT 1)",
			[]string{"logs_hourly/requests"}},
		{"model of a log", "UPDATE usage_logs SET model = 'x' || model WHERE " + someLog,
			"UPDATE usage_logs SET model = substr(model, 2) WHERE " + someLog,
			[]string{"logs_hourly/quota", "logs_hourly/requests", "logs_hourly/tokens"}},
		{"channel of a log", "UPDATE usage_logs SET channel_id = user_id WHERE " + someLog,
			"UPDATE usage_logs SET channel_id = NULL WHERE " + someLog,
			[]string{"logs_hourly/quota", "logs_hourly/requests", "logs_hourly/tokens"}},
		{"quota of an hour", "UPDATE usage_rollups_hourly SET quota = quota + 5 WHERE " + someHour,
			"UPDATE usage_rollups_hourly SET quota = quota - 5 WHERE " + someHour,
			[]string{"hourly_daily/quota", "hourly_totals/quota", "hourly_totals/quota", "logs_hourly/quota"}},
		{"quota of a day", "UPDATE usage_rollups_daily SET quota = quota + 5 WHERE " + someDay,
			"UPDATE usage_rollups_daily SET quota = quota - 5 WHERE " + someDay,
			[]string{"account_used/quota", "account_used/quota", "account_used/quota", "daily_totals/quota",
				"daily_totals/quota", "hourly_daily/quota"}},
		{"failures of a day", "UPDATE usage_rollups_daily SET failed = failed + 1 WHERE " + someDay,
			"UPDATE usage_rollups_daily SET failed = failed - 1 WHERE " + someDay,
			[]string{"daily_totals/requests", "daily_totals/requests", "hourly_daily/requests"}},
		{"hourly total of a tenant", "UPDATE usage_totals_hourly SET quota = quota + 5 WHERE " + hourTotal,
			"UPDATE usage_totals_hourly SET quota = quota - 5 WHERE " + hourTotal,
			[]string{"hourly_totals/quota"}},
		{"hourly total of the platform", "UPDATE usage_totals_hourly SET partial = partial + 1 WHERE " + hourOfAll,
			"UPDATE usage_totals_hourly SET partial = partial - 1 WHERE " + hourOfAll,
			[]string{"hourly_totals/requests"}},
		{"daily total of a tenant", "UPDATE usage_totals_daily SET input_tokens = input_tokens + 1, output_tokens = " +
			"output_tokens - 1 WHERE " + dayTotal, "UPDATE usage_totals_daily SET input_tokens = input_tokens - 1, " +
			"output_tokens = output_tokens + 1 WHERE " + dayTotal,
			[]string{"daily_totals/tokens"}},
		{"daily total of the platform", "UPDATE usage_totals_daily SET quota = quota - 1 WHERE " + dayOfAll,
			"UPDATE usage_totals_daily SET quota = quota + 1 WHERE " + dayOfAll,
			[]string{"daily_totals/quota"}},
		{"model of a tenant's total", "UPDATE usage_totals_hourly SET model = 'x' || model WHERE " + hourTotal,
			"UPDATE usage_totals_hourly SET model = substr(model, 2) WHERE model LIKE 'x%'",
			[]string{"hourly_totals/quota", "hourly_totals/requests", "hourly_totals/tokens"}},
		{"quota in the outbox", "UPDATE usage_outbox SET quota = quota + 3 WHERE " + someWaiting,
			"UPDATE usage_outbox SET quota = quota - 3 WHERE " + someWaiting,
			[]string{"account_used/quota", "account_used/quota", "account_used/quota", "logs_hourly/quota"}},
		{"used of a wallet", "UPDATE accounts SET used = used + 1 WHERE kind = 'tenant' AND used = (SELECT " +
			"max(used) FROM accounts)", "UPDATE accounts SET used = used - 1 WHERE kind = 'tenant' AND used = " +
			"(SELECT max(used) FROM accounts)",
			[]string{"account_used/quota"}},
		{"used of a user", "UPDATE accounts SET used = used + 1 WHERE id = (SELECT min(id) FROM %[1]s)",
			"UPDATE accounts SET used = used - 1 WHERE id = (SELECT min(id) FROM %[1]s)",
			[]string{"account_used/quota"}},
		{"used of a token", "UPDATE accounts SET used = used + 1 WHERE id = (SELECT min(id) FROM %[2]s)",
			"UPDATE accounts SET used = used - 1 WHERE id = (SELECT min(id) FROM %[2]s)",
			[]string{"account_used/quota"}},
		{"leased of an account", "UPDATE accounts SET leased = leased + 1 WHERE leased > 0",
			"UPDATE accounts SET leased = leased - 1 WHERE leased > 0",
			[]string{"account_leased/quota"}},
		{"a lease", "UPDATE leases SET amount = amount - 1", "UPDATE leases SET amount = amount + 1",
			[]string{"account_leased/quota"}},
		{"a ledger entry", "UPDATE ledger SET amount = amount - 7 WHERE id = (SELECT id FROM ledger ORDER BY id " +
			"LIMIT 1)", "UPDATE ledger SET amount = amount + 7 WHERE id = (SELECT id FROM ledger ORDER BY id LIMIT 1)",
			[]string{"wallet_granted/quota"}},
		{"granted of a wallet", "UPDATE accounts SET granted = granted + 7 WHERE leased > 0",
			"UPDATE accounts SET granted = granted - 7 WHERE leased > 0",
			[]string{"wallet_granted/quota"}},
	}
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		all, fresh := k.reconcile(t)
		expect(t, "drifts at first", append(all, fresh...))
		k.dropLedgerTriggers(t)
		some := strings.NewReplacer("(SELECT min(id) FROM %[1]s)", "'"+k.a.Member.ID.String()+"'",
			"(SELECT min(id) FROM %[2]s)", "'"+k.a.Tokens[k.a.Member.ID].ID.String()+"'")
		for _, row := range cases {
			k.exec(t, "UPDATE reconcile_hours SET open = true")
			k.exec(t, some.Replace(row.falsify))
			all, fresh := k.reconcile(t)
			expect(t, row.name, all, row.want...)
			expect(t, row.name+": new drifts", fresh, row.want...)
			all, fresh = k.reconcile(t)
			expect(t, row.name+", second run", all, row.want...)
			expect(t, row.name+", second run: new drifts", fresh)
			k.exec(t, some.Replace(row.repair))
			all, _ = k.reconcile(t)
			expect(t, row.name+", repaired", all)
		}
	})
}

func TestReconcile_DescribesDrifts(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		k.exec(t, "UPDATE usage_logs SET quota = quota + 9 WHERE id = (SELECT id FROM usage_logs WHERE outcome = "+
			"'success' ORDER BY id LIMIT 1)")
		k.exec(t, fmt.Sprintf("UPDATE accounts SET leased = leased + 4 WHERE id = '%s'", k.b.Member.ID))
		storetest.OK(t, storetest.ErrorOf(k.Reconcile.Run(background, platform)))
		before := storetest.Need(k.Reconcile.State(background, platform, 10))(t)
		k.clock.Advance(time.Minute)
		k.exec(t, fmt.Sprintf("UPDATE accounts SET leased = leased + 4 WHERE id = '%s'", k.b.Member.ID))
		storetest.OK(t, storetest.ErrorOf(k.Reconcile.Run(background, platform)))
		seen := storetest.Need(k.Reconcile.State(background, platform, 10))(t)
		storetest.Equal(t, "drifts", len(seen.Drifts), 2)
		slices.SortFunc(seen.Drifts, func(a, b reconcile.Drift) int {
			return strings.Compare(string(a.Check), string(b.Check))
		})
		lease, hour := seen.Drifts[0], seen.Drifts[1]
		storetest.Equal(t, "account", lease.AccountID, k.b.Member.ID)
		storetest.Equal(t, "tenant of the account", lease.TenantID, k.b.Tenant.ID)
		storetest.Equal(t, "expected", lease.Expected, 0)
		storetest.Equal(t, "found", lease.Found, 8)
		storetest.Equal(t, "the drift of an account has no hour", lease.Start.IsZero(), true)
		storetest.Equal(t, "LastSeen is a minute after FirstSeen", lease.LastSeen.Sub(lease.FirstSeen) >= time.Minute,
			true)
		storetest.Equal(t, "hour", hour.Start, k.past)
		storetest.Equal(t, "tenant", hour.TenantID, k.a.Tenant.ID)
		storetest.Equal(t, "surplus in the logs", hour.Expected-hour.Found, 9)
		storetest.Equal(t, "difference", hour.Difference, 9)
		storetest.Equal(t, "sum of the check of logs", seen.ByCheck[reconcile.CheckLogs],
			reconcile.DriftSum{Count: 1, Quota: 9, Newest: hour.FirstSeen})
		storetest.Equal(t, "sum of the check of leases", seen.ByCheck[reconcile.CheckLeased],
			reconcile.DriftSum{Count: 1, Quota: 8, Newest: lease.FirstSeen})
		storetest.Equal(t, "CheckedAt is later", seen.CheckedAt.After(before.CheckedAt), true)
		storetest.Equal(t, "drifts with limit 0",
			len(storetest.Need(k.Reconcile.State(background, platform, 0))(t).Drifts), 0)
		storetest.Equal(t, "drifts with limit 1",
			len(storetest.Need(k.Reconcile.State(background, platform, 1))(t).Drifts), 1)
	})
}

// The deficit of one tenant is not offset by the surplus of another.
func TestReconcile_DoesNotOffsetTenants(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		for _, move := range []struct {
			owner uuid.UUID
			by    int
		}{{k.a.Tenant.ID, 1}, {k.b.Tenant.ID, -1}} {
			k.exec(t, fmt.Sprintf("UPDATE usage_logs SET quota = quota + %d WHERE id = (SELECT id FROM usage_logs "+
				"WHERE tenant_id = '%s' AND quota > 1 ORDER BY id LIMIT 1)", move.by, move.owner))
		}
		all, _ := k.reconcile(t)
		expect(t, "one drift for each tenant", all, "logs_hourly/quota", "logs_hourly/quota")
	})
}

// A wrong total is a drift of its tenant or of the platform, in its hour or day.
func TestReconcile_AttributesDriftsOfTotals(t *testing.T) {
	t.Parallel()
	eachUsageStore(t, func(t *testing.T, k *usageStore) {
		ofA := fmt.Sprintf("quota > 0 AND tenant_id = '%s'", k.a.Tenant.ID)
		k.exec(t, "UPDATE usage_totals_hourly SET quota = quota + 4 WHERE "+
			oneTotal("usage_totals_hourly", ofThePlatform))
		k.exec(t, "UPDATE usage_totals_daily SET quota = quota - 3 WHERE "+oneTotal("usage_totals_daily", ofA))
		storetest.OK(t, storetest.ErrorOf(k.Reconcile.Run(background, platform)))
		seen := storetest.Need(k.Reconcile.State(background, platform, 10))(t)
		expect(t, "drifts", names(seen.Drifts), "daily_totals/quota", "hourly_totals/quota")
		slices.SortFunc(seen.Drifts, func(a, b reconcile.Drift) int {
			return strings.Compare(string(a.Check), string(b.Check))
		})
		daily, hourly := seen.Drifts[0], seen.Drifts[1]
		storetest.Equal(t, "tenant of the daily drift", daily.TenantID, k.a.Tenant.ID)
		storetest.Equal(t, "day", daily.Start, k.past.Truncate(24*time.Hour))
		storetest.Equal(t, "found minus expected by day", daily.Found-daily.Expected, -3)
		storetest.Equal(t, "difference", daily.Difference, 3)
		storetest.Equal(t, "tenant of the hourly drift", hourly.TenantID, uuid.Nil)
		storetest.Equal(t, "hour", hourly.Start, k.past)
		storetest.Equal(t, "found minus expected by hour", hourly.Found-hourly.Expected, 4)
		storetest.Equal(t, "difference", hourly.Difference, 4)
	})
}

// Totals are kept forever, so they are checked for hours whose logs were dropped.
func TestReconcile_ComparesTotalsAfterLogsWereDropped(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, _ := newOldUsageStore(t, url(t))
			storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			total := oneTotal("usage_totals_hourly", ofThePlatform)
			k.exec(t, "UPDATE usage_totals_hourly SET quota = quota + 4 WHERE "+total)
			for range 3 {
				k.reconcile(t)
			}
			all, fresh := k.reconcile(t)
			expect(t, "drifts after four runs", all, "hourly_totals/quota")
			expect(t, "new drifts", fresh)
			k.exec(t, "UPDATE usage_totals_hourly SET quota = quota - 4 WHERE "+total)
			all, _ = k.reconcile(t)
			expect(t, "drifts after the repair", all)
		})
	}
}
