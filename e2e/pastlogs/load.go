package main

import (
	"context"
	"crypto/md5"
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// The shape of the data that every database gets.
const (
	loaders      = 2   // months that are loaded at once
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

//go:embed sql/drop_indexes.sql
var dropIndexesSQL string

//go:embed sql/totals.sql
var totalsSQL string

// base is a database schema filled with logs, and the tenants, users and tokens in it.
type base struct {
	store  *store.Store
	conn   *pgx.Conn
	url    string
	rows   int
	months int       // months over which the logs are spread, the current month included
	old    bool      // has the schema of the baseline
	from   time.Time // time of the first log
	now    time.Time // time of the last log
	tokens []caller  // of all tenants, the big tenant's first
}

// open connects to the schema of the base, and fills it unless an earlier run did. The caller closes b also after an
// error.
func (b *base) open(ctx context.Context, server string) error {
	schema := fmt.Sprintf("logs_%d_%d", b.rows, b.months)
	if b.old {
		schema += "_old"
	}
	address, err := url.Parse(server)
	if err != nil {
		return err
	}
	query := address.Query()
	query.Set("search_path", schema)
	address.RawQuery = query.Encode()
	b.url = address.String()
	if b.conn, err = pgx.Connect(ctx, b.url); err != nil {
		return err
	}
	if b.store, err = store.Open(ctx, db.Options{URL: b.url}); err != nil {
		return err
	}
	var isFull bool
	if err := b.conn.QueryRow(ctx, "SELECT to_regclass('filled') IS NOT NULL").Scan(&isFull); err != nil {
		return err
	}
	if b.old || !isFull { // an upgrade has changed the schema of an old base
		if err := b.fill(ctx, schema); err != nil {
			return err
		}
	}
	return b.readTokens(ctx)
}

// fill creates the schema, deletes an incomplete one of an earlier run first, and fills it. The table "filled"
// marks that it is complete. SQL inserts the rows: the store cannot fill the schema of the baseline, and takes longer
// for 100,000,000 logs, most of which are copies of a month.
func (b *base) fill(ctx context.Context, schema string) error {
	if _, err := b.conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE; CREATE SCHEMA "+schema); err != nil {
		return err
	}
	if err := b.migrateOld(ctx); err != nil {
		return err
	}
	sizes := fmt.Sprintf("CREATE TABLE sizes AS SELECT %d AS firms, %d AS big, %d AS small, %d AS tokens;",
		firms, bigUsers, smallUsers, tokensOfUser)
	if _, err := b.conn.Exec(ctx, sizes+peopleSQL); err != nil {
		return fmt.Errorf("insert tenants, users and tokens: %w", err)
	}
	if !b.old {
		if err := b.store.Migrate(ctx); err != nil {
			return err
		}
	}
	b.setRange(time.Now())
	if err := b.fillMonths(ctx); err != nil {
		return err
	}
	for _, statement := range []string{"DROP TABLE IF EXISTS template, template_hours, template_days", totalsSQL,
		fmt.Sprintf("CREATE TABLE filled AS SELECT timestamptz '%s' AS at", b.now.Format(time.RFC3339))} {
		if _, err := b.conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("insert the totals: %w", err)
		}
	}
	return b.vacuum(ctx)
}

// vacuum vacuums and analyzes all tables of the schema.
func (b *base) vacuum(ctx context.Context) error {
	var tables string
	err := b.conn.QueryRow(ctx, "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = "+
		"current_schema()").Scan(&tables)
	if err == nil {
		_, err = b.conn.Exec(ctx, "VACUUM ANALYZE "+tables)
	}
	return err
}

// fillMonths inserts the usage logs and the rollups of all months, on several connections at once.
func (b *base) fillMonths(ctx context.Context) error {
	if _, err := b.conn.Exec(ctx, dropIndexesSQL); err != nil {
		return fmt.Errorf("drop the indexes of rollups: %w", err)
	}
	if b.copies() {
		if err := b.template(ctx); err != nil {
			return fmt.Errorf("insert the template of a month: %w", err)
		}
	}
	months := make(chan time.Time)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(months)
		for month := b.from; month.Before(b.now); month = month.AddDate(0, 1, 0) {
			select {
			case months <- month:
			case <-ctx.Done():
				return nil
			}
		}
		return nil
	})
	for range loaders {
		group.Go(func() error {
			conn, err := pgx.Connect(ctx, b.url)
			if err != nil {
				return err
			}
			defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // each month was committed
			for month := range months {
				if err := b.month(ctx, conn, month); err != nil {
					return fmt.Errorf("insert the usage logs of %s: %w", month.Format("2006-01"), err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// setRange sets from and now for logs up to the given time.
func (b *base) setRange(now time.Time) {
	b.now = now.UTC().Truncate(time.Second)
	b.from = time.Date(b.now.Year(), b.now.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, 1-b.months, 0)
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
	b.tokens, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (caller, error) {
		var tenantID, userID, tokenID [16]byte
		err := row.Scan(&tenantID, &userID, &tokenID)
		return caller{tenantID, userID, tokenID, md5.Sum([]byte("group"))}, err // as month.sql computes the group
	})
	return err
}

// month creates the partition of a month as a separate table, fills it, builds its indexes, and attaches it. Building
// an index once is faster than updating it for each row. The constraint spares the scan when the partition is attached.
// Then it inserts the rollups of the month.
func (b *base) month(ctx context.Context, conn *pgx.Conn, month time.Time) error {
	end := month.AddDate(0, 1, 0)
	part := "usage_logs_" + month.Format("2006_01")
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // has no effect after the commit
	statements, rollups := b.create(part, month, slices.MinFunc([]time.Time{end, b.now}, time.Time.Compare)), part
	if b.copies() && month.After(b.from) && !end.After(b.now) {
		statements, rollups = copyTemplate(part, month), "template"
	}
	statements = append(statements,
		fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (id), ADD CONSTRAINT span CHECK (id >= '%s' AND id < '%s')", part,
			field.IDFloor(month), field.IDFloor(end)),
		fmt.Sprintf(`DO $$ DECLARE plain text; BEGIN
			FOR plain IN SELECT replace(indexdef, 'usage_logs_default', '%s') FROM pg_indexes
				WHERE schemaname = current_schema() AND tablename = 'usage_logs_default' 
					AND indexdef NOT LIKE '%%UNIQUE%%'
			LOOP EXECUTE plain; END LOOP; END $$`, part),
		fmt.Sprintf("ALTER TABLE usage_logs ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')", part,
			field.IDFloor(month), field.IDFloor(end)),
		"ALTER TABLE "+part+" DROP CONSTRAINT span",
	)
	statements = append(statements, insertRollups(rollups, month)...)
	if err := execAll(ctx, tx, statements); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE "+part)
	return err
}

// create returns the statements that create and fill a table like usage_logs with the logs of a span, and the tables of
// its rollups.
func (b *base) create(table string, from, to time.Time) []string {
	share := func(t time.Time) int {
		return int(float64(b.rows) * float64(t.Sub(b.from)) / float64(b.now.Sub(b.from)))
	}
	n := share(to) - share(from)
	return []string{
		loading,
		"DROP TABLE IF EXISTS " + table,
		"CREATE TABLE " + table + " (LIKE usage_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
		fmt.Sprintf("CREATE TEMPORARY TABLE span ON COMMIT DROP AS SELECT %d AS n, timestamptz '%s' AS start, "+
			"interval '%d us' AS step, %t AS oldest",
			n, from.Format(time.RFC3339), to.Sub(from).Microseconds()/int64(max(n, 1)), from.Equal(b.from)),
		"INSERT INTO " + table + " " + monthSQL,
		strings.ReplaceAll(rollupsSQL, "PARTITION", table),
	}
}

const (
	loading = "SET LOCAL synchronous_commit = off; SET LOCAL maintenance_work_mem = '512MB'; SET LOCAL work_mem = " +
		"'512MB'"
	copyAbove = 10_000_000 // number of logs above which months are copies of a template
)

// copies reports whether all months but the first and the last are copies of a template: its logs, moved by whole days.
// This takes a third of the time.
func (b *base) copies() bool { return b.rows > copyAbove }

// templateStart is the beginning of the template, a month of 31 days before the first month of every base.
var templateStart = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// template creates the table "template" and the tables of its rollups.
func (b *base) template(ctx context.Context) error {
	tx, err := b.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // has no effect after the commit
	if err := execAll(ctx, tx, b.create("template", templateStart, templateStart.AddDate(0, 1, 0))); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// copyTemplate returns the statements that create and fill a table like usage_logs with the logs of the template, as
// many days of it as the month has.
func copyTemplate(table string, month time.Time) []string {
	return []string{
		loading,
		"DROP TABLE IF EXISTS " + table,
		"CREATE TABLE " + table + " (LIKE usage_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
		fmt.Sprintf(`DO $$ DECLARE columns text; BEGIN
			SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
			WHERE attrelid = 'template'::regclass AND attnum > 0 AND NOT attisdropped
				AND attname NOT IN ('id', 'created_at');
			EXECUTE format('INSERT INTO %[1]s (id, created_at, %%1$s)
				SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, ''0'') ||
					substr(id::text, 15))::uuid, at, %%1$s
				FROM (SELECT *, created_at + %%2$s AS at FROM template WHERE created_at < %%3$L) AS moved',
				columns, $shift$%[2]s$shift$, '%[3]s');
			END $$`, table, shift(month), templateEnd(month)),
	}
}

// insertRollups returns the statements that insert the rollups of a month, which are those of the named table. The
// rollups of the template are moved by as many days as its logs.
func insertRollups(table string, month time.Time) (statements []string) {
	move, until := "interval '0'", "infinity"
	if table == "template" {
		move, until = shift(month), templateEnd(month)
	}
	for _, kind := range [][2]string{{"hourly", "hours"}, {"daily", "days"}} {
		statements = append(statements, fmt.Sprintf(`
			INSERT INTO usage_rollups_%s
			SELECT start + %s, tenant_id, user_id, token_id, model, channel_id, requests, failed, partial,
			input_tokens, cached_input_tokens,
				cache_write_tokens, audio_input_tokens, output_tokens, reasoning_tokens, audio_output_tokens, quota
			FROM %s_%s WHERE start < '%s'`, kind[0], move, table, kind[1], until))
		if table != "template" {
			statements = append(statements, "DROP TABLE "+table+"_"+kind[1])
		}
	}
	return statements
}

// templateEnd returns the end of the part of the template that the month copies.
func templateEnd(month time.Time) string {
	return templateStart.Add(month.AddDate(0, 1, 0).Sub(month)).Format(time.RFC3339)
}

// shift returns the interval, in SQL, from the template to a month.
func shift(month time.Time) string {
	return fmt.Sprintf("%d * interval '1 day'", int(month.Sub(templateStart)/(24*time.Hour)))
}

// execAll runs the statements in turn.
func execAll(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
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
func (b *base) big() caller   { return b.tokens[0] }
func (b *base) small() caller { return b.tokens[len(b.tokens)-1] }

// formerToken returns the token of the big tenant with calls in the first month only.
func (b *base) formerToken() caller { return b.tokens[bigUsers*tokensOfUser-1] }
