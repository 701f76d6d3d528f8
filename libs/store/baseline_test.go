package store_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/migrations"
	"github.com/tollgate/tollgate/libs/store/storetest"

	"github.com/tollgate/tollgate/libs/store"
)

// schemas has the SHA-256 of the facts of each schema, as the 84 steps made it whose place the baseline takes.
var schemas = map[string]string{
	"postgres": "4de95ab74a06acbaad2681a5dbd72833f3a3e4609cb2bf3c70efae4f3aa8f30b",
	"sqlite":   "49511a40283381cdbdc226d36980b3a13d3674a45c6a4e16e9d19b58b5bd76c9",
}

// facts are queries for what a schema consists of: one line for each column, constraint, index, function, trigger,
// policy and right.
var facts = map[string]string{
	"postgres": `
		SELECT concat_ws(' ', 'table', c.relname, c.relkind, c.reloptions, c.relrowsecurity, ARRAY(SELECT privilege_type FROM aclexplode(c.relacl) WHERE grantee = to_regrole('tollgate_tenant') ORDER BY 1)) FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
		UNION ALL SELECT concat_ws(' ', 'column', c.relname, a.attnum, a.attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attstorage, attcollation, ARRAY(SELECT privilege_type FROM aclexplode(a.attacl) WHERE grantee = to_regrole('tollgate_tenant') ORDER BY 1), pg_get_expr(adbin, adrelid))
			FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
			WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0
		UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT concat_ws(' ', pg_get_functiondef(oid), has_function_privilege('tollgate_tenant', oid, 'EXECUTE')) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT concat_ws(' ', 'policy', tablename, policyname, permissive, roles, cmd, qual, with_check) FROM pg_policies
		ORDER BY 1`,
	"sqlite": `
		SELECT concat_ws(' ', 'column', m.name, t.cid, t.name, t.type, t."notnull", t.dflt_value, t.pk) FROM sqlite_master m, pragma_table_info(m.name) t WHERE m.type = 'table'
		UNION ALL SELECT concat_ws(' ', 'reference', m.name, f."table", f."from", f."to", f.on_delete) FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
		UNION ALL SELECT concat_ws(' ', 'index', m.name, i.name, i."unique", i.origin, i.partial) FROM sqlite_master m, pragma_index_list(m.name) i WHERE m.type = 'table'
		UNION ALL SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
		ORDER BY 1`,
}

// ofPartitions matches the facts about partitions of months, which depend on the day, and about the tables of bun.
var ofPartitions = regexp.MustCompile(`usage_logs_2\d{3}_|\bbun_`)

func TestBaseline_HasTheSchemaOfTheStepsWhosePlaceItTakes(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			database, driver := url(t), "pgx"
			s := storetest.Need(store.Open(background, storedb.Options{URL: database}))(t)
			defer s.Close() //nolint:errcheck // the database is dropped
			baseline := storetest.Need(
				migrations.Files.ReadFile(path.Join(kind, migrations.Baseline+"_baseline.tx.up.sql")))(t)
			storetest.OK(t, storetest.Try(t, database, string(baseline)))
			if file, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
				database, driver = file, "sqlite"
			}
			db := storetest.Need(sql.Open(driver, database))(t)
			defer db.Close() //nolint:errcheck // only read
			rows := storetest.Need(db.QueryContext(background, facts[kind]))(t)
			defer rows.Close() //nolint:errcheck // read to its end
			all := &strings.Builder{}
			for rows.Next() {
				var fact string
				storetest.OK(t, rows.Scan(&fact))
				if !ofPartitions.MatchString(fact) {
					fmt.Fprintln(all, strings.Join(strings.Fields(fact), " "))
				}
			}
			storetest.OK(t, rows.Err())
			sum := sha256.Sum256([]byte(all.String()))
			if got := hex.EncodeToString(sum[:]); got != schemas[kind] {
				t.Errorf("got %s. The baseline must not change: add a step after it. Its facts:\n%s", got, all)
			}
		})
	}
}

func TestMigrate_RefusesASchemaOlderThanTheBaseline(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			database := url(t)
			s := storetest.Open(t, storedb.Options{URL: database})
			storetest.OK(t, s.Migrate(background)) // there is nothing to do
			storetest.OK(t, storetest.Try(t, database, "DELETE FROM bun_migrations; INSERT INTO bun_migrations "+
				"(name, group_id, migrated_at) VALUES ('0083', 1, CURRENT_TIMESTAMP)"))
			err := s.Migrate(background)
			if err == nil || !strings.Contains(err.Error(), "at step 0083") ||
				!strings.Contains(err.Error(), migrations.LastBeforeBaseline) {
				t.Errorf("got %v", err)
			}
		})
	}
}
