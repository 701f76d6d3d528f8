// Package sqldump reads the rows of chosen tables from an SQL
// dump, as `sqlite3 .dump`, `mysqldump` and `pg_dump` write it.
//
// It executes nothing, because the dump is a file from somebody else. A scanner splits
// the text into tokens, and a parser understands three statements and skips all others:
//
//	CREATE TABLE   the names of the columns
//	INSERT         rows as lists of values, which may be literals or a few functions
//	COPY           rows as lines of text (PostgreSQL)
//
// The dialect is not declared: the scanner recognizes MySQL by its comments and key words, because only
// there a backslash is an escape. All sizes are bounded, so that a malicious dump cannot exhaust memory.
package sqldump

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The bounds of a dump. Rows of tables that were not asked for are only counted.
const (
	maxRowBytes = 512 << 20 // bytes of all returned rows in memory
	maxText     = 16 << 20  // bytes of one value
	maxNames    = 10_000    // tables, and columns of one table
)

// The bytes that a row and each of its values take in memory besides the text.
const (
	rowBytes   = 64
	valueBytes = 40
)

// Value is one value of a row.
type Value struct {
	Text string // a number as it is written; a boolean as 1 or 0, or in COPY as t or f
	Null bool
}

// Row is a row of a table.
type Row struct {
	columns []string // shared with other rows
	values  []Value
}

// Columns returns the names of the columns, in lower case.
func (r Row) Columns() []string { return r.columns }

// Value returns the value of the column, whose name is in lower case, and whether the row has the column.
func (r Row) Value(column string) (Value, bool) {
	if i := slices.Index(r.columns, column); i >= 0 {
		return r.values[i], true
	}
	return Value{}, false
}

// Dump is the content of a dump. The keys of all maps are names of tables in lower case, without schemas.
type Dump struct {
	Rows   map[string][]Row    // rows of the tables that were asked for
	Counts map[string]int      // number of rows of every table
	Fields map[string][]string // columns of every created table, in order and in lower case
}

// Error reports the line at which a dump cannot be read. Its
// text contains no values of the dump, which may be secret.
type Error struct {
	Line int
	Text string
}

// Error returns the line and the text.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Read reads the rows of the named tables, which must be in lower case. It returns
// an *Error if the text is not a dump that it understands, or the error of r.
func Read(r io.Reader, tables ...string) (*Dump, error) { return readWithin(r, maxRowBytes, tables...) }

// readWithin does what Read does with another bound of the memory of the returned rows.
func readWithin(r io.Reader, bytes int, tables ...string) (*Dump, error) {
	p := &parser{
		scanner: newScanner(r), tables: tables, budget: bytes,
		dump: &Dump{Rows: map[string][]Row{}, Counts: map[string]int{}, Fields: map[string][]string{}},
	}
	if err := p.scanner.refuseBinary(); err != nil {
		return nil, err
	}
	for {
		if err := p.statement(); err != nil {
			if errors.Is(err, io.EOF) {
				return p.dump, nil
			}
			return nil, err
		}
	}
}

// parser reads the statements of one dump.
type parser struct {
	scanner *scanner
	tables  []string // tables whose rows are returned
	dump    *Dump
	budget  int // bytes that more returned rows may take
}

// fault returns an *Error at the current line.
func (p *parser) fault(format string, args ...any) error {
	return &Error{Line: p.scanner.line, Text: fmt.Sprintf(format, args...)}
}

// statement reads one statement, including the semicolon. At the end of the dump it returns io.EOF.
func (p *parser) statement() error {
	t, err := p.scanner.next()
	switch {
	case err != nil:
		return err
	case t.kind == end:
		return io.EOF
	case t.is(";"):
		return nil
	case t.is(`\`): // a command of psql, which ends with the line
		return p.scanner.skipLine()
	case t.word("CREATE"):
		return p.create()
	case t.word("INSERT"), t.word("REPLACE"):
		return p.insert()
	case t.word("COPY"):
		return p.copy()
	}
	return p.skip()
}

// skip skips the rest of a statement without storing its texts.
func (p *parser) skip() error {
	p.scanner.blind = true
	defer func() { p.scanner.blind = false }()
	for {
		t, err := p.scanner.next()
		if err != nil || t.kind == end || t.is(";") {
			return err
		}
	}
}

// create reads CREATE TABLE and skips the CREATE statements of other objects.
func (p *parser) create() error {
	for {
		t, err := p.scanner.next()
		switch {
		case err != nil:
			return err
		case t.word("TABLE"):
			return p.table()
		case t.word("TEMPORARY"), t.word("TEMP"), t.word("UNLOGGED"):
		case t.kind == end, t.is(";"):
			return nil
		default:
			return p.skip()
		}
	}
}

// table reads the name of a created table and the names of its columns. A table without a list of columns is skipped.
func (p *parser) table() error {
	name, t, err := p.name()
	if err != nil {
		return err
	}
	if !t.is("(") { // CREATE TABLE ... AS, PARTITION OF
		if t.is(";") || t.kind == end {
			return nil
		}
		return p.skip()
	}
	columns, err := p.columns()
	if err != nil {
		return err
	}
	if err := p.setColumns(name, columns); err != nil {
		return err
	}
	return p.skip()
}

// setColumns records the columns of a table.
func (p *parser) setColumns(table string, columns []string) error {
	if _, ok := p.dump.Fields[table]; !ok && len(p.dump.Fields) >= maxNames {
		return p.fault("there are more than %d tables", maxNames)
	}
	p.dump.Fields[table] = columns
	return nil
}

// name reads the name of a table, skipping key words and the schema
// before it. It returns the name in lower case and the token after it.
func (p *parser) name() (name string, after token, err error) {
	for {
		t, err := p.scanner.next()
		if err != nil {
			return "", t, err
		}
		if t.kind == word && slices.Contains([]string{"IF", "NOT", "EXISTS", "INTO", "ONLY", "IGNORE", "OR"},
			strings.ToUpper(t.text)) {
			continue
		}
		if t.kind != word && t.kind != quoted {
			return "", t, p.fault("expected the name of a table")
		}
		name = strings.ToLower(t.text)
		if after, err = p.scanner.next(); err != nil || !after.is(".") {
			return name, after, err
		}
	}
}

// constraints are the words that start an entry of CREATE TABLE that is not a column.
// keys are such words in MySQL only: in other databases they can be names of columns,
// so they start a constraint only if a quoted name, a list or another of them follows.
var (
	constraints = []string{"PRIMARY", "UNIQUE", "CONSTRAINT", "FOREIGN", "CHECK", "EXCLUDE", "LIKE"}
	keys        = []string{"KEY", "INDEX", "FULLTEXT", "SPATIAL"}
)

// among reports whether the token is one of the words, which are in upper case.
func among(t token, words []string) bool {
	return t.kind == word && slices.Contains(words, strings.ToUpper(t.text))
}

// columns reads a list of column definitions or names up to its closing parenthesis; the opening one
// is already read. It returns the first word of each entry that is not a constraint, in lower case.
func (p *parser) columns() (columns []string, err error) {
	var before token // first token of an entry, until the token after it shows whether it is a column
	isFirst := true
	for depth := 1; depth > 0; {
		t, err := p.scanner.next()
		if err != nil {
			return nil, err
		}
		if t.kind == end {
			return nil, p.fault("the list of columns is not closed")
		}
		// The token t after the first word of an entry shows whether MySQL's KEY, INDEX and the like
		// start an index or are the name of a column.
		if before.text != "" && !(among(before, keys) && (t.kind == quoted || t.is("(") || among(t, keys))) {
			columns = append(columns, strings.ToLower(before.text))
		}
		before = token{}
		if isFirst && (t.kind == quoted || t.kind == word && !among(t, constraints)) {
			before = t
		}
		if len(columns) > maxNames {
			return nil, p.fault("a table has more than %d columns", maxNames)
		}
		depth += nested(t)
		isFirst = depth == 1 && t.is(",")
	}
	return columns, nil
}

// nested returns the change of the depth of parentheses that the token makes: 1, -1 or 0.
func nested(t token) int {
	switch {
	case t.is("("):
		return 1
	case t.is(")"):
		return -1
	}
	return 0
}

// insert reads INSERT INTO name [(columns)] VALUES rows. Without columns it uses those of the created table.
func (p *parser) insert() error {
	name, t, err := p.name()
	if err != nil {
		return err
	}
	columns := p.dump.Fields[name]
	if t.is("(") {
		if columns, err = p.columns(); err != nil {
			return err
		}
		if t, err = p.scanner.next(); err != nil {
			return err
		}
	}
	for !t.word("VALUES") {
		if t.kind == end || t.is(";") {
			return p.fault("the INSERT into %s has no VALUES", name)
		}
		if t, err = p.scanner.next(); err != nil {
			return err
		}
	}
	return p.tuples(name, columns)
}

// tuples reads the rows (value, ...), ... and the rest of the statement.
func (p *parser) tuples(table string, columns []string) error {
	p.scanner.blind = !p.wants(table) // texts of other tables need no memory
	defer func() { p.scanner.blind = false }()
	for {
		t, err := p.scanner.next()
		if err != nil {
			return err
		}
		switch {
		case t.is("("):
			if err := p.tuple(table, columns); err != nil {
				return err
			}
		case t.is(","):
		case t.is(";"), t.kind == end:
			return nil
		default: // ON CONFLICT and similar clauses
			return p.skip()
		}
	}
}

// wants reports whether the rows of the table are returned.
func (p *parser) wants(table string) bool { return slices.Contains(p.tables, table) }

// tuple reads one row; its opening parenthesis is already read.
// Rows of tables that were not asked for are counted and skipped.
func (p *parser) tuple(table string, columns []string) error {
	if !p.wants(table) {
		p.count(table)
		return p.skipTuple()
	}
	values := make([]Value, 0, len(columns))
	for {
		v, t, err := p.value(0)
		if err != nil {
			return err
		}
		if values = append(values, v); len(values) > maxNames {
			return p.fault("a row has more than %d values", maxNames)
		}
		if t.is(")") {
			return p.keep(table, columns, values)
		}
		if !t.is(",") {
			return p.fault("a value of %s is not followed by a comma or a closing parenthesis", table)
		}
	}
}

// skipTuple skips a row up to its closing parenthesis.
func (p *parser) skipTuple() error {
	for depth := 1; depth > 0; {
		t, err := p.scanner.next()
		if err != nil {
			return err
		}
		if t.kind == end {
			return p.fault("a row is not closed")
		}
		depth += nested(t)
	}
	return nil
}

// count counts a row of the table. The number of counted tables is bounded.
func (p *parser) count(table string) {
	if _, ok := p.dump.Counts[table]; ok || len(p.dump.Counts) < maxNames {
		p.dump.Counts[table]++
	}
}

// keep adds a row to the result, unless that exceeds the bounds or the number of values is not that of the columns.
func (p *parser) keep(table string, columns []string, values []Value) error {
	if len(columns) != len(values) {
		return p.fault("a row of %s has %d values for %d columns", table, len(values), len(columns))
	}
	p.budget -= rowBytes
	for _, v := range values {
		p.budget -= valueBytes + len(v.Text)
	}
	if p.budget < 0 {
		return p.fault("the imported tables need too much memory: more than %d MiB", maxRowBytes>>20)
	}
	p.count(table)
	p.dump.Rows[table] = append(p.dump.Rows[table], Row{columns, values})
	return nil
}
