// Package sqldump reads the rows of a database dump: what `sqlite3 .dump`,
// `mysqldump` and `pg_dump` write. It executes nothing: of a dump, which is a
// file of somebody else, it knows CREATE TABLE for the names of columns, INSERT
// and COPY for rows, and passes over everything else.
package sqldump

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds of a dump. Rows of tables that nobody asked for are only counted.
const (
	maxKept  = 256 << 20 // bytes of all values that are kept
	maxRows  = 2_000_000 // rows that are kept
	maxText  = 16 << 20  // bytes of one value
	maxNames = 10_000    // tables, and columns of one
)

// Value is one value of a row.
type Value struct {
	Text string // numbers as they are written; truth values are 1 and 0, or t and f where COPY has them
	Null bool
}

// Row are the values of a row by the names of their columns, in lower case.
type Row map[string]Value

// Dump is what was read.
type Dump struct {
	Rows   map[string][]Row    // of the tables that were asked for, by their name in lower case
	Counts map[string]int      // rows of all tables
	Fields map[string][]string // columns of all tables that have any, as they were created or named
}

// Error tells where a dump cannot be read. It shows nothing of its values.
type Error struct {
	Line int
	Text string
}

// Error names the line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Read reads the rows of the named tables. Its errors are *Error for a text
// that is no dump, and those of r.
func Read(r io.Reader, tables ...string) (*Dump, error) {
	p := &parser{
		scanner: newScanner(r), wanted: tables,
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

// parser reads statements.
type parser struct {
	scanner *scanner
	wanted  []string
	dump    *Dump
	kept    int // bytes of values
	rows    int
}

func (p *parser) fault(format string, args ...any) error {
	return &Error{Line: p.scanner.line, Text: fmt.Sprintf(format, args...)}
}

// statement reads one statement to its end. At the end of the dump it returns
// io.EOF.
func (p *parser) statement() error {
	t, err := p.scanner.next()
	switch {
	case err != nil:
		return err
	case t.kind == end:
		return io.EOF
	case t.is(";"):
		return nil
	case t.is(`\`): // a command for psql
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

// skip passes over the rest of a statement, whose texts are not kept.
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

// create reads the names of a table's columns.
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

func (p *parser) setColumns(table string, columns []string) error {
	if _, known := p.dump.Fields[table]; !known && len(p.dump.Fields) >= maxNames {
		return p.fault("there are more than %d tables", maxNames)
	}
	p.dump.Fields[table] = columns
	return nil
}

// name reads a table's name, without its schema, and the token after it.
func (p *parser) name() (name string, after token, err error) {
	for {
		t, err := p.scanner.next()
		if err != nil {
			return "", t, err
		}
		if t.kind == word && slices.Contains([]string{"IF", "NOT", "EXISTS", "INTO", "ONLY", "IGNORE", "OR"}, strings.ToUpper(t.text)) {
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

// constraints begin entries of CREATE TABLE that are no columns. Those of
// MySQL's are names elsewhere: they count where a name in quotes or a list follows.
var (
	constraints = []string{"PRIMARY", "UNIQUE", "CONSTRAINT", "FOREIGN", "CHECK", "EXCLUDE", "LIKE"}
	keys        = []string{"KEY", "INDEX", "FULLTEXT", "SPATIAL"}
)

func among(t token, words []string) bool {
	return t.kind == word && slices.Contains(words, strings.ToUpper(t.text))
}

// columns reads the names that begin the entries of a list in parentheses, of
// which the first is read already.
func (p *parser) columns() (columns []string, err error) {
	var before token // the first of an entry, until the next is read
	first := true
	for depth := 1; depth > 0; {
		t, err := p.scanner.next()
		if err != nil {
			return nil, err
		}
		if t.kind == end {
			return nil, p.fault("the list of columns has no end")
		}
		if before.text != "" && !(among(before, keys) && (t.kind == quoted || t.is("(") || among(t, keys))) {
			columns = append(columns, strings.ToLower(before.text))
		}
		before = token{}
		if first && (t.kind == quoted || t.kind == word && !among(t, constraints)) {
			before = t
		}
		if len(columns) > maxNames {
			return nil, p.fault("a table has more than %d columns", maxNames)
		}
		depth += nested(t)
		first = depth == 1 && t.is(",")
	}
	return columns, nil
}

// nested is what a token adds to the depth of parentheses.
func nested(t token) int {
	switch {
	case t.is("("):
		return 1
	case t.is(")"):
		return -1
	}
	return 0
}

// insert reads INSERT INTO name [(columns)] VALUES rows.
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
			return p.fault("an INSERT into %s has no VALUES", name)
		}
		if t, err = p.scanner.next(); err != nil {
			return err
		}
	}
	return p.tuples(name, columns)
}

// tuples reads (value, ...), ... to the end of the statement.
func (p *parser) tuples(table string, columns []string) error {
	p.scanner.blind = !p.wants(table)
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
		default: // ON CONFLICT and its like
			return p.skip()
		}
	}
}

func (p *parser) wants(table string) bool { return slices.Contains(p.wanted, table) }

func (p *parser) tuple(table string, columns []string) error {
	if !p.wants(table) {
		p.count(table)
		return p.skipTuple()
	}
	var values []Value
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
			return p.fault("a value of %s is followed by neither a comma nor a parenthesis", table)
		}
	}
}

func (p *parser) skipTuple() error {
	for depth := 1; depth > 0; {
		t, err := p.scanner.next()
		if err != nil {
			return err
		}
		if t.kind == end {
			return p.fault("a row has no end")
		}
		depth += nested(t)
	}
	return nil
}

func (p *parser) count(table string) {
	if _, known := p.dump.Counts[table]; known || len(p.dump.Counts) < maxNames {
		p.dump.Counts[table]++
	}
}

// keep adds a row to its table.
func (p *parser) keep(table string, columns []string, values []Value) error {
	if len(columns) != len(values) {
		return p.fault("a row of %s has %d values for %d columns", table, len(values), len(columns))
	}
	row := make(Row, len(values))
	for i, v := range values {
		row[columns[i]] = v
		p.kept += len(v.Text)
	}
	if p.rows++; p.rows > maxRows || p.kept > maxKept {
		return p.fault("the dump holds more than %d rows or %d MiB of what is imported", maxRows, maxKept>>20)
	}
	p.count(table)
	p.dump.Rows[table] = append(p.dump.Rows[table], row)
	return nil
}
