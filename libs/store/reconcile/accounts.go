package reconcile

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/person"
)

// Each of these statements returns the accounts whose counter is wrong, with the expected and the found
// value. They return at most as many rows as their last argument says.
const (
	// usedAccounts compares accounts.used with all usage since the tenant, user or token exists. Its
	// arguments are the tenants, and the kinds and the period of accounts. It leaves out the accounts of
	// windows, which count the usage of one day, week or month alone, and only since the cap was set.
	usedAccounts = `
		WITH spent AS (
			SELECT tenant_id, user_id, token_id, sum(quota) AS quota FROM (
				SELECT tenant_id, user_id, token_id, quota FROM usage_rollups_daily WHERE tenant_id IN (?0)
				UNION ALL
				SELECT tenant_id, user_id, token_id, quota FROM usage_outbox WHERE tenant_id IN (?0)
			) AS usage GROUP BY 1, 2, 3
		), due AS (
			SELECT tenant_id AS id, sum(quota) AS quota FROM spent GROUP BY 1
			UNION ALL
			SELECT user_id, sum(quota) FROM spent GROUP BY 1
			UNION ALL
			SELECT token_id, sum(quota) FROM spent GROUP BY 1
		)
		SELECT a.tenant_id, a.id AS account_id, CAST(COALESCE(due.quota, 0) AS bigint) AS expected, a.used AS found
		FROM accounts AS a LEFT JOIN due ON due.id = a.id
		WHERE a.tenant_id IN (?0) AND a.kind IN (?1) AND a.period = ?2 AND a.used <> COALESCE(due.quota, 0)
		ORDER BY a.id LIMIT ?3`

	// leasedAccounts compares accounts.leased with the sum of the account's leases. Its first argument is the period of
	// lifetime accounts, its second a time before all windows that are open. A window that began earlier and has no
	// lease is left out: there are many, and nobody can spend what is left of them.
	leasedAccounts = `
		WITH due AS (
			SELECT account_id AS id, sum(amount) AS amount FROM leases GROUP BY 1
		), compared AS (
			SELECT id, tenant_id, leased FROM accounts WHERE period = ?0
			UNION ALL
			SELECT id, tenant_id, leased FROM accounts WHERE window_start >= ?1
			UNION ALL
			SELECT a.id, a.tenant_id, a.leased FROM due JOIN accounts AS a ON a.id = due.id WHERE a.window_start < ?1
		)
		SELECT a.tenant_id, a.id AS account_id, CAST(COALESCE(due.amount, 0) AS bigint) AS expected, a.leased AS found
		FROM compared AS a LEFT JOIN due ON due.id = a.id
		WHERE a.leased <> COALESCE(due.amount, 0)
		ORDER BY a.id LIMIT ?2`

	// grantedAccounts compares accounts.granted with the sum of the tenant's ledger entries. Its first arguments are
	// the kind and the period of wallets.
	grantedAccounts = `
		WITH due AS (SELECT tenant_id AS id, sum(amount) AS amount FROM ledger GROUP BY 1)
		SELECT a.tenant_id, a.id AS account_id, CAST(COALESCE(due.amount, 0) AS bigint) AS expected, a.granted AS found
		FROM accounts AS a LEFT JOIN due ON due.id = a.id
		WHERE a.kind = ?0 AND a.period = ?1 AND a.granted <> COALESCE(due.amount, 0)
		ORDER BY a.id LIMIT ?2`
)

// openWindows is the age, from its start, at which each window has ended: a month is the longest.
const openWindows = 33 * 24 * time.Hour

// leased compares accounts.leased with the leases.
func (r *reconciling) leased(ctx context.Context) error {
	return r.accounts(ctx, region{check: CheckLeased}, leasedAccounts, quota.Lifetime,
		r.store.db.Now().Add(-openWindows).UTC(), driftsPerCheck)
}

// granted compares accounts.granted of wallets with the ledger.
func (r *reconciling) granted(ctx context.Context) error {
	return r.accounts(ctx, region{check: CheckGrants}, grantedAccounts, quota.Wallet, quota.Lifetime,
		driftsPerCheck)
}

// used compares accounts.used with all usage, for the next tenants in the order of ids. It reads all daily rollups of a
// tenant, and their number grows with the age of the database. So it compares few tenants at once, and ends early when
// these took long.
func (r *reconciling) used(ctx context.Context) error {
	began := r.store.db.Now()
	tenants, err := r.store.nextTenants(ctx)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(tenants, tenantsAtOnce) {
		if err := r.usedOf(ctx, part); err != nil {
			return err
		}
		if r.store.db.Now().Sub(began) >= usedPerRun {
			return nil
		}
	}
	return nil
}

// usedOf compares accounts.used of the tenants, and records the last of them.
func (r *reconciling) usedOf(ctx context.Context, tenants []uuid.UUID) error {
	kinds := []quota.Kind{quota.Wallet, quota.UserCap, quota.TokenCap}
	err := r.accounts(ctx, region{check: CheckUsed, tenants: tenants}, usedAccounts, bun.List(tenants), bun.List(kinds),
		quota.Lifetime, driftsPerCheck)
	if err != nil {
		return err
	}
	return r.store.setState(ctx, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("last_tenant = ?", tenants[len(tenants)-1])
	})
}

// nextTenants returns the tenants after the last one that was checked. After the last tenant it begins again
// with the first.
func (s *Store) nextTenants(ctx context.Context) (ids []uuid.UUID, err error) {
	state, err := s.reconcileState(ctx)
	if err != nil {
		return nil, err
	}
	after := func(id uuid.UUID) error {
		return s.db.NewSelect().Model((*person.TenantRow)(nil)).Column("id").Where("r.id > ?", id).
			OrderExpr("r.id").Limit(tenantsPerRun).Scan(ctx, &ids)
	}
	if err := after(state.LastTenant); err != nil || len(ids) > 0 {
		return ids, err
	}
	return ids, after(uuid.Nil)
}

// accounts runs one of the statements above and stores the drifts that it finds.
func (r *reconciling) accounts(ctx context.Context, g region, statement string, args ...any) error {
	var rows []struct {
		TenantID  uuid.UUID `bun:"tenant_id,type:uuid"`
		AccountID uuid.UUID `bun:"account_id,type:uuid"`
		Expected  int64     `bun:"expected"`
		Found     int64     `bun:"found"`
	}
	err := r.store.db.Consistently(ctx, func(in *db.DB) error { return in.NewRaw(statement, args...).Scan(ctx, &rows) })
	if err != nil {
		return err
	}
	drifts := make([]Drift, len(rows))
	for i, row := range rows {
		drifts[i] = Drift{
			Check: g.check, TenantID: row.TenantID, AccountID: row.AccountID, Measure: InQuota,
			Expected: row.Expected, Found: row.Found, Difference: max(row.Expected-row.Found, row.Found-row.Expected),
		}
	}
	return r.settle(ctx, g, drifts)
}
