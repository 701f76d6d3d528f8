package sqldump_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/apps/console/internal/sqldump"
)

// values returns the values of the table t in the dump, row by row. NULL becomes "NULL".
func values(t *testing.T, text string) []string {
	t.Helper()
	dump, err := sqldump.Read(strings.NewReader(text), "t")
	if err != nil {
		t.Fatalf("Read(%s): %v", text, err)
	}
	var all []string
	for _, row := range dump.Rows["t"] {
		for _, column := range dump.Fields["t"] {
			if v, _ := row.Value(column); v.Null {
				all = append(all, "NULL")
			} else {
				all = append(all, v.Text)
			}
		}
	}
	return all
}

func TestRead_DecodesValuesOfEachDialect(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"sqlite3", `CREATE TABLE "t" (a integer, b text); INSERT INTO t VALUES(-1,'it''s; -- no comment');`,
			[]string{"-1", "it's; -- no comment"}},
		{"line breaks of sqlite3",
			`CREATE TABLE t(a,b); INSERT INTO t VALUES(replace(replace('a\nb\rc','\n',char(10)),'\r',char(13)),replace('x','y','z'));`, []string{"a\nb\rc", "x"}},
		{"line breaks of newer sqlite3",
			`CREATE TABLE t(a,b); INSERT INTO t VALUES(unistr('a\u000ab\\c\ud83d\ude00'),NULL);`,
			[]string{"a\nb\\c😀", "NULL"}},
		{"numbers", `CREATE TABLE t(a,b,c,d); INSERT INTO t VALUES(1.5e+07,+3,499999999666799,0x4142);`,
			[]string{"1.5e+07", "3", "499999999666799", "AB"}},
		{"blob", `CREATE TABLE t(a); INSERT INTO t VALUES(X'4142');`, []string{"AB"}},
		{"mysqldump", "/*!40101 SET NAMES utf8 */;\nCREATE TABLE `t` (`a` text, `key` int, KEY `k` (`a`), PRIMARY " +
			"KEY (`key`)) ENGINE=InnoDB;\nINSERT INTO `t` VALUES ('it\\'s\\n\\\\',_binary 'b');",
			[]string{"it's\n\\", "b"}},
		{"backslash outside of MySQL", `CREATE TABLE t(a); INSERT INTO t VALUES('\');`, []string{`\`}},
		{"COPY of pg_dump", "CREATE TABLE public.t (a text, key text);\nCOPY public.t (a, key) FROM " +
			"stdin;\nx\\ty\\\\\t\\N\n\\.\nSELECT 1;", []string{"x\ty\\", "NULL"}},
		{"INSERT of pg_dump",
			`CREATE TABLE public.t (a text DEFAULT ''::text, b boolean, c text); INSERT INTO public.t (a, b, c) OVERRIDING SYSTEM VALUE VALUES (E'a\nb', true, 'x'::character varying);`, []string{"a\nb", "1", "x"}},
		{"columns in another order", `CREATE TABLE t(a,b); INSERT INTO t (b, "a") VALUES (1,2);`, []string{"2", "1"}},
		{"several rows", `CREATE TABLE t(a); INSERT OR IGNORE INTO t VALUES (1),(2) ON CONFLICT DO NOTHING;`,
			[]string{"1", "2"}},
		{"comments and other statements", "-- INSERT INTO t VALUES (9);\n/* INSERT INTO t VALUES (9); */ CREATE " +
			"INDEX i ON t(a); CREATE TABLE t(a varchar(3) CHECK (a <> '('), UNIQUE (a)); SET x = $$; INSERT INTO t " +
			"VALUES (9);$$;", nil},
	} {
		if diff := cmp.Diff(row.want, values(t, row.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

// The rows take memory, too, and not only their texts.
func TestRead_BoundsTheMemoryOfRows(t *testing.T) {
	t.Parallel()
	dump := "COPY t (a,b,c,d) FROM stdin;\n" + strings.Repeat(`\N`+"\t1\t"+`\N`+"\t"+`\N`+"\n", 1000) + "\\.\n"
	const rows = 1000 * (64 + 4*40 + 1)
	if _, err := sqldump.ReadWithin(strings.NewReader(dump), rows, "t"); err != nil {
		t.Errorf("got %v for %d bytes", err, rows)
	}
	_, err := sqldump.ReadWithin(strings.NewReader(dump), rows-1, "t")
	var fault *sqldump.Error
	if !errors.As(err, &fault) || !strings.Contains(fault.Text, "memory") || fault.Line < 1000 {
		t.Errorf("got %v, want an error about the memory at the last row", err)
	}
}

func TestRead_CountsRowsOfOtherTables(t *testing.T) {
	t.Parallel()
	dump, err :=
		sqldump.Read(strings.NewReader(`CREATE TABLE logs(a,b); INSERT INTO logs VALUES(1,anything(')')),(2,'');
COPY more (a) FROM stdin;
1
2
3
\.
`), "t")
	if err != nil || dump.Counts["logs"] != 2 || dump.Counts["more"] != 3 || len(dump.Rows) != 0 {
		t.Errorf("got %+v, %v, want counts of 2 and 3 and no rows", dump, err)
	}
}

func TestRead_RefusesMalformedDumps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SQLite format 3\x00":       "dump it first",
		"PGDMP\x01":                 "pg_restore -f",
		"\x1f\x8b\x08":              "gunzip",
		"\nINSERT INTO t VALUES('x": "line 2: a quoted text is not closed",
		"CREATE TABLE t(a);\nINSERT INTO t VALUES(1,2);":  "line 2: a row of t has 2 values for 1 columns",
		"CREATE TABLE t(a); INSERT INTO t VALUES(now());": "a value",
		"CREATE TABLE t(a); INSERT INTO t VALUES(1 2);":   "not followed by a comma",
		"CREATE TABLE t(a":        "is not closed",
		"INSERT INTO t SELECT 1;": "has no VALUES",
		"CREATE TABLE t(a); INSERT INTO t VALUES(" + strings.Repeat("replace(", 20): "unknown form",
	} {
		_, err := sqldump.Read(strings.NewReader(text), "t")
		var fault *sqldump.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): got error %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "CREATE TABLE t(a,b); INSERT INTO t VALUES(1,'x'),(NULL,replace('a','b',char(10)));",
		"COPY t (a) FROM stdin;\n\\N\n\\.\n",
		"CREATE TABLE `t` (`a` int) ENGINE=x; INSERT INTO `t` VALUES ('\\'');", "$a$ x $a$",
		"INSERT INTO t (a) VALUES (E'\\n'::text)", "[x", "\\x\n--",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dump, err := sqldump.Read(strings.NewReader(text), "t")
		if err != nil {
			return
		}
		if dump.Counts["t"] != len(dump.Rows["t"]) {
			t.Fatalf("got a count of %d and %d rows, want equal numbers", dump.Counts["t"], len(dump.Rows["t"]))
		}
	})
}
