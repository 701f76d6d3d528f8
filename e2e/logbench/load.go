package main

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
)

// The shape of the data that every database gets.
const (
	months       = 12  // months over which the logs are spread, the current month included
	firms        = 300 // number of tenants; the first has half of the logs
	bigUsers     = 100 // users of the first tenant
	smallUsers   = 5   // users of each other tenant
	tokensOfUser = 3   // tokens of each user
)

//go:embed sql/people.sql
var peopleSQL string

//go:embed sql/month.sql
var monthSQL string

//go:embed sql/rollups.sql
var rollupsSQL string

// base is a database schema filled with logs, and the tenants, users and tokens in it.
type base struct {
	store  *store.Store
	conn   *pgx.Conn
	rows   int
	from   time.Time // time of the first log
	now    time.Time // time of the last log
	tokens []owned   // of all tenants, the big tenant's first
}

// owned is a token with its tenant and user.
type owned struct{ tenant, user, token uuid.UUID }

// load opens the schema for this number of rows, and fills it unless an earlier run did. The caller closes b
// also after an error.
func load(ctx context.Context, server string, rows int) (b *base, err error) {
	b = &base{rows: rows}
	schema := fmt.Sprintf("logs_%d", rows)
	address, err := url.Parse(server)
	if err != nil {
		return b, err
	}
	query := address.Query()
	query.Set("search_path", schema)
	address.RawQuery = query.Encode()
	if b.conn, err = pgx.Connect(ctx, address.String()); err != nil {
		return b, err
	}
	if b.store, err = store.Open(ctx, db.Options{URL: address.String()}); err != nil {
		return b, err
	}
	var filled bool
	if err := b.conn.QueryRow(ctx, "SELECT to_regclass('filled') IS NOT NULL").Scan(&filled); err != nil {
		return b, err
	}
	if !filled {
		if err := b.fill(ctx, schema); err != nil {
			return b, err
		}
	}
	return b, b.readTokens(ctx)
}

// fill creates the schema, deletes an incomplete one of an earlier run first, and fills it. The table "filled"
// marks that it is complete.
func (b *base) fill(ctx context.Context, schema string) error {
	if _, err := b.conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE; CREATE SCHEMA "+schema); err != nil {
		return err
	}
	if err := b.store.Migrate(ctx); err != nil {
		return err
	}
	b.setRange(time.Now())
	sizes := fmt.Sprintf("CREATE TEMPORARY TABLE sizes AS SELECT %d AS firms, %d AS big, %d AS small, %d AS tokens;",
		firms, bigUsers, smallUsers, tokensOfUser)
	if _, err := b.conn.Exec(ctx, sizes+peopleSQL); err != nil {
		return fmt.Errorf("insert tenants, users and tokens: %w", err)
	}
	for month := b.from; month.Before(b.now); month = month.AddDate(0, 1, 0) {
		if err := b.month(ctx, month); err != nil {
			return fmt.Errorf("insert the usage logs of %s: %w", month.Format("2006-01"), err)
		}
	}
	for _, statement := range []string{rollupsSQL, "VACUUM ANALYZE", fmt.Sprintf("CREATE TABLE filled AS SELECT timestamptz '%s' AS at", b.now.Format(time.RFC3339))} {
		if _, err := b.conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("insert the rollups: %w", err)
		}
	}
	return nil
}

// setRange sets from and now for logs up to the given time.
func (b *base) setRange(now time.Time) {
	b.now = now.UTC().Truncate(time.Second)
	b.from = time.Date(b.now.Year(), b.now.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, 1-months, 0)
}

// readTokens reads the tokens of the base and the time of its last log.
func (b *base) readTokens(ctx context.Context) error {
	var now time.Time
	if err := b.conn.QueryRow(ctx, "SELECT at FROM filled").Scan(&now); err != nil {
		return err
	}
	b.setRange(now)
	rows, err := b.conn.Query(ctx, "SELECT tenant_id, user_id, token_id FROM people ORDER BY n")
	if err != nil {
		return err
	}
	b.tokens, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (owned, error) {
		var tenantID, userID, tokenID [16]byte
		err := row.Scan(&tenantID, &userID, &tokenID)
		return owned{tenantID, userID, tokenID}, err
	})
	return err
}

// month creates the partition of a month as a separate table, fills it, and attaches it. Its indexes are then
// built once, when it is attached, which is faster than updating them for each row.
func (b *base) month(ctx context.Context, month time.Time) error {
	end := month.AddDate(0, 1, 0)
	until := end
	if b.now.Before(end) {
		until = b.now
	}
	share := func(t time.Time) int {
		return int(float64(b.rows) * float64(t.Sub(b.from)) / float64(b.now.Sub(b.from)))
	}
	n := share(until) - share(month)
	part := "usage_logs_" + month.Format("2006_01")
	tx, err := b.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // has no effect after the commit
	for _, statement := range []string{
		"SET LOCAL synchronous_commit = off; SET LOCAL maintenance_work_mem = '512MB'; SET LOCAL work_mem = '256MB'",
		"DROP TABLE IF EXISTS " + part,
		"CREATE TABLE " + part + " (LIKE usage_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
		fmt.Sprintf("CREATE TEMPORARY TABLE span ON COMMIT DROP AS SELECT %d AS n, timestamptz '%s' AS start, interval '%d us' AS step, %t AS oldest",
			n, month.Format(time.RFC3339), until.Sub(month).Microseconds()/int64(max(n, 1)), month.Equal(b.from)),
		"INSERT INTO " + part + " " + monthSQL,
		fmt.Sprintf("ALTER TABLE usage_logs ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')", part, floor(month), floor(end)),
	} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

// floor returns the UUID that is less than or equal to every UUIDv7 of the time.
func floor(t time.Time) (id uuid.UUID) {
	for i := range 6 {
		id[i] = byte(t.UnixMilli() >> (40 - 8*i))
	}
	return id
}

func (b *base) close(ctx context.Context) {
	if b.store != nil {
		_ = b.store.Close()
	}
	if b.conn != nil {
		_ = b.conn.Close(ctx)
	}
}

// big and small return the first token of the big tenant, and a token of the smallest one.
func (b *base) big() owned   { return b.tokens[0] }
func (b *base) small() owned { return b.tokens[len(b.tokens)-1] }

// retired returns the token of the big tenant with calls in the first month only.
func (b *base) retired() owned { return b.tokens[bigUsers*tokensOfUser-1] }

// owner returns the scope of an owner of the tenant.
func (o owned) owner() tenant.Scope {
	return tenant.ScopeOf(tenant.User{ID: o.user, TenantID: o.tenant, Role: tenant.Owner})
}

// member returns the scope of the user as a member.
func (o owned) member() tenant.Scope {
	return tenant.ScopeOf(tenant.User{ID: o.user, TenantID: o.tenant, Role: tenant.Member})
}
