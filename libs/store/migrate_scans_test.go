package store_test

import (
	"path"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/store/migrations"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// No step after the baseline reads all usage logs or rewrites them: that would take hours on a large database, under a
// lock that every call's record waits for. Postgres counts the sequential scans of a transaction, including those that
// build an index or check a constraint, and gives a rewritten table or index another file.
func TestMigrate_NeitherReadsNorRewritesUsageLogs(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	files := storetest.Need(migrations.Paths(migrations.Files, "postgres"))(t)
	textOf := func(file string) string { return string(storetest.Need(migrations.Files.ReadFile(file))(t)) }
	storetest.Exec(t, url, textOf(files[0])+";"+oneUsageLog)
	// Another one: the counts of a connection outlive its transactions.
	conn := storetest.Need(pgx.Connect(background, url))(t)
	t.Cleanup(func() { _ = conn.Close(background) })
	exec := func(statements string) {
		t.Helper()
		storetest.Need(conn.Exec(background, statements))(t)
	}
	logs := watched{conn}
	for _, file := range files[1:] {
		step, text := path.Base(file), textOf(file)
		if !strings.HasSuffix(step, ".tx.up.sql") { // builds an index concurrently or commits batches
			exec(text)
			continue
		}
		logs.check(t, step, text, false)
	}
	for name, harmful := range map[string]string{
		"a computed default": "ALTER TABLE usage_logs ADD COLUMN extra uuid DEFAULT gen_random_uuid()",
		"an index":           "CREATE INDEX ON usage_logs (model)",
		"a constraint":       "ALTER TABLE usage_logs ADD CHECK (quota > -2)",
		"another type":       "ALTER TABLE usage_logs ALTER COLUMN error TYPE varchar(999)",
		"an update":          "UPDATE usage_logs SET quota = 2",
	} {
		logs.check(t, name, harmful, true)
	}
}

// oneUsageLog inserts a log into the default partition of the schema of the baseline.
const oneUsageLog = `INSERT INTO usage_logs (id, created_at, tenant_id, user_id, token_id, quota, cost,
		input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens,
			output_tokens, reasoning_tokens, audio_output_tokens,
		latency_us, first_byte_us, status, stream, estimated, outcome, model, upstream_model, dialect, error, attempts)
	VALUES ('01890000-0000-7000-8000-000000000001', now(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 1,
		1, 0, 0, 0, 1, 0, 0, 1, 1, 200, false, false, 'success', 'm1', 'm1', 'chat', '', '[]')`

// watched watches the partitions of usage_logs on a connection.
type watched struct{ conn *pgx.Conn }

// check runs statements in a transaction and compares whether they read or rewrite usage logs with want. Harmful
// statements are rolled back.
func (w watched) check(t *testing.T, name, statements string, want bool) {
	t.Helper()
	files := w.files(t)
	storetest.Need(w.conn.Exec(background, "BEGIN; "+statements))(t)
	var scans int
	storetest.OK(t, w.conn.QueryRow(background, "SELECT sum(pg_stat_get_xact_numscans(inhrelid)) FROM pg_inherits "+
		"WHERE inhparent = 'usage_logs'::regclass").Scan(&scans))
	harm := scans > 0 || w.files(t) != files
	storetest.Equal(t, name+" reads or rewrites usage logs", harm, want)
	end := "COMMIT"
	if want {
		end = "ROLLBACK"
	}
	storetest.Need(w.conn.Exec(background, end))(t)
}

// files returns the files of the partitions and of their indexes.
func (w watched) files(t *testing.T) (files string) {
	t.Helper()
	storetest.OK(t, w.conn.QueryRow(background,
		`SELECT string_agg(pg_relation_filenode(c.oid)::text, ' ' ORDER BY c.oid) FROM pg_class c
		WHERE c.relname LIKE 'usage_logs%' AND c.relkind IN ('r', 'i')`).Scan(&files))
	return files
}
