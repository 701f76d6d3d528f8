package migrations_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/store/migrations"
)

// busy matches the names of tables that relays write while a migration runs.
const busy = `(usage_logs|usage_outbox|usage_rollups_\w+|usage_totals_\w+|accounts|leases|caps|windows|tokens|audit_log|ledger|responses|change_feed)`

// harmful are statements that rewrite a table, read all of it under a lock, or break the programs of the previous
// release. See README.md.
var harmful = []struct {
	statement *regexp.Regexp
	why       string
}{
	{regexp.MustCompile(`(?i)\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b`), "rewrites the table"},
	{regexp.MustCompile(`(?i)\bADD\s+COLUMN\s+[^,;]*\bDEFAULT\s+[^,;]*\(`),
		"a computed default rewrites the table: use a constant or none"},
	{regexp.MustCompile(`(?i)\bADD\s+COLUMN\s+[^,;]*\b(UNIQUE|PRIMARY\s+KEY|GENERATED)\b`),
		"reads or rewrites the whole table under a lock"},
	{regexp.MustCompile(`(?i)\bSET\s+NOT\s+NULL\b`), "reads the whole table under a lock: add a CHECK that is NOT " +
		"VALID and validate it in a later step"},
	{regexp.MustCompile(`(?i)\bADD\s+(CONSTRAINT\s+\w+\s+)?(CHECK|FOREIGN\s+KEY)\b[^;]*`),
		"reads the whole table under a lock, unless it is NOT VALID"},
	{regexp.MustCompile(`(?i)\bADD\s+(CONSTRAINT\s+\w+\s+)?(UNIQUE|PRIMARY\s+KEY)\s*\(`),
		"builds an index under a lock: build it CONCURRENTLY and add the constraint USING it"},
	{regexp.MustCompile(`(?i)\bCREATE\s+(UNIQUE\s+)?INDEX\s+(IF\s+NOT\s+EXISTS\s+)?\w+\s+ON\s+` + busy + `\b`),
		"blocks all writes while it is built: use CREATE INDEX CONCURRENTLY in a step of its own that is not a " +
			"transaction"},
	{regexp.MustCompile(`(?i)\b(VACUUM\s+FULL|CLUSTER|LOCK\s+TABLE|REINDEX\s+(TABLE|INDEX)\s+\w)`),
		"blocks every other statement on the table"},
	{regexp.MustCompile(`(?i)\b(DROP\s+COLUMN|RENAME)\b`),
		"breaks the programs of the previous release, which still run"},
	{regexp.MustCompile(`(?im)^\s*(UPDATE|DELETE\s+FROM)\s+` + busy + `\b`),
		"changes a large table in one transaction: let a worker do it in small transactions"},
}

// unused are the statements that drop what the programs of the previous release, when the step was written, neither
// read nor wrote. The next step that drops something adds its own statement.
var unused = []string{
	"ALTER TABLE tenants DROP COLUMN optional_tools;",
	"ALTER TABLE usage_logs DROP COLUMN left_out;",
	"ALTER TABLE prices DROP COLUMN input_rate;",
	"ALTER TABLE prices DROP COLUMN cached_input_rate;",
	"ALTER TABLE prices DROP COLUMN cache_write_rate;",
	"ALTER TABLE prices DROP COLUMN audio_input_rate;",
	"ALTER TABLE prices DROP COLUMN output_rate;",
	"ALTER TABLE prices DROP COLUMN reasoning_rate;",
	"ALTER TABLE prices DROP COLUMN audio_output_rate;",
	"ALTER TABLE prices DROP COLUMN request_rate;",
	"ALTER TABLE users DROP COLUMN email;",
	"ALTER TABLE users DROP COLUMN claimed_email;",
}

// untransacted matches what a step does that cannot be one transaction.
var untransacted = regexp.MustCompile(`(?i)\bCONCURRENTLY\b|\bCOMMIT;`)

// notCode matches comments and quoted text, which the rules do not apply to.
var notCode = regexp.MustCompile(`(?m)--[^\n]*|'(?:[^']|'')*'`)

// faults returns each harmful statement of a step for Postgres, with the reason.
func faults(step string) (all []string) {
	step = notCode.ReplaceAllString(step, "''")
	for _, statement := range unused {
		step = strings.ReplaceAll(step, statement, "")
	}
	for _, h := range harmful {
		for _, found := range h.statement.FindAllString(step, -1) {
			if !strings.Contains(strings.ToUpper(found), "NOT VALID") && !onNewTable(step, found) {
				all = append(all, strings.Join(strings.Fields(found), " ")+": "+h.why)
			}
		}
	}
	return all
}

var (
	makesTable = regexp.MustCompile(`(?i)\bCREATE\s+TABLE\s+(\w+)`)
	onTable    = regexp.MustCompile(`(?i)\bON\s+(\w+)`)
)

// onNewTable reports whether the statement is about a table that the same step creates, which nobody uses yet.
func onNewTable(step, statement string) bool {
	on := onTable.FindStringSubmatch(statement)
	return len(on) == 2 && slices.ContainsFunc(makesTable.FindAllStringSubmatch(step, -1), func(made []string) bool {
		return strings.EqualFold(made[1], on[1])
	})
}

func TestSteps_HaveNoHarmfulStatement(t *testing.T) {
	t.Parallel()
	names, err := migrations.Paths(migrations.Files, "postgres")
	if err != nil || len(names) == 0 {
		t.Fatalf("found %d steps, err %v", len(names), err)
	}
	for _, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		step, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if number == migrations.Baseline { // no program runs on an empty database
			continue
		}
		for _, fault := range faults(string(step)) {
			t.Errorf("%s: %s", name, fault)
		}
		if untransacted.Match(step) == strings.HasSuffix(name, ".tx.up.sql") {
			t.Errorf("%s: a step must be named .up.sql if it builds an index concurrently or commits batches of rows, "+
				"and .tx.up.sql otherwise", name)
		}
	}
}

func TestSteps_OfSQLiteAreAlsoStepsOfPostgres(t *testing.T) {
	t.Parallel()
	var both [2][]string
	for i, folder := range []string{"postgres", "sqlite"} {
		paths, err := migrations.Paths(migrations.Files, folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range paths {
			number, _, _ := strings.Cut(path.Base(file), "_")
			both[i] = append(both[i], number)
		}
	}
	for _, number := range both[1] {
		if !slices.Contains(both[0], number) {
			t.Errorf("SQLite has step %s and Postgres does not", number)
		}
	}
	for _, numbers := range both {
		if len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
			t.Errorf("got numbers %v, want each number once", numbers)
		}
	}
}

func TestFaults_FindsHarmfulStatements(t *testing.T) {
	t.Parallel()
	for step, harm := range map[string]bool{
		"ALTER TABLE tokens ADD COLUMN pepper_id text NOT NULL DEFAULT '';":                         false,
		"ALTER TABLE tokens ADD COLUMN at timestamptz DEFAULT now();":                               true,
		"ALTER TABLE tokens ALTER COLUMN name TYPE varchar(9);":                                     true,
		"ALTER TABLE tokens ALTER name SET DATA TYPE text;":                                         true,
		"ALTER TABLE tokens ALTER COLUMN name SET NOT NULL;":                                        true,
		"ALTER TABLE tokens ADD CONSTRAINT c CHECK (a > 0) NOT VALID;":                              false,
		"ALTER TABLE tokens ADD CONSTRAINT c CHECK (a > 0);":                                        true,
		"ALTER TABLE tokens ADD FOREIGN KEY (a) REFERENCES b;":                                      true,
		"ALTER TABLE tokens ADD CONSTRAINT u UNIQUE (a);":                                           true,
		"ALTER TABLE tokens ADD CONSTRAINT u UNIQUE USING INDEX i;":                                 false,
		"CREATE INDEX i ON usage_logs (model);":                                                     true,
		"CREATE UNIQUE INDEX i ON usage_rollups_hourly (hour);":                                     true,
		"CREATE INDEX CONCURRENTLY i ON audit_log (action);":                                        false,
		"CREATE TABLE leases (a int);\nCREATE INDEX i ON leases (a);":                               false,
		"CREATE INDEX i ON invitations (status);":                                                   false,
		"ALTER TABLE tokens DROP COLUMN name;":                                                      true,
		"ALTER TABLE tenants DROP COLUMN optional_tools;":                                           false,
		"ALTER TABLE tokens RENAME COLUMN name TO title;":                                           true,
		"UPDATE usage_logs SET model = 'x';":                                                        true,
		"LOCK TABLE accounts;":                                                                      true,
		"-- ALTER TABLE tokens DROP COLUMN name\nCOMMENT ON TABLE tokens IS 'DROP COLUMN; RENAME';": false,
	} {
		if found := faults(step); (len(found) > 0) != harm {
			t.Errorf("%s: got faults %q, want faults: %v", step, found, harm)
		}
	}
}
