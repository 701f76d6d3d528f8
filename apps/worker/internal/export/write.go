package export

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/spreadsheet"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// columns are the columns of a file.
type columns []usage.Column

// columnsFor returns the columns of a file: those of usage.Columns that are exported. A file shows what the list of
// usage logs shows to every reader of the log, and nothing that an upstream said. The files of operators have more
// columns at the end: those that only operators may see.
func columnsFor(scope tenant.Scope) columns {
	var list, operators columns
	for _, column := range usage.Columns {
		switch {
		case column.Export == "":
		case column.Operator:
			operators = append(operators, column)
		default:
			list = append(list, column)
		}
	}
	if scope.Everywhere() {
		return append(list, operators...)
	}
	return list
}

// header returns the names of the columns.
func (c columns) header() []string {
	names := make([]string, len(c))
	for i, column := range c {
		names[i] = column.Export
	}
	return names
}

// value returns the value of a column as a file shows it: a string, int64, bool, time.Time, uuid.UUID,
// money.Amount or, for tags, json.RawMessage, or nil for one that is not known. Users, tokens and channels are shown by
// name, durations in milliseconds.
func value(c *usage.Column, l *usage.Log, n names) any {
	switch v := c.Field(l).(type) {
	case *uuid.UUID:
		if d := n[c.Name]; d != nil {
			return d.names[*v]
		}
		return *v
	case *string:
		return *v
	case *usage.Tags:
		return json.RawMessage(cmp.Or(*v, "{}"))
	case *int64:
		return *v
	case *int:
		return int64(*v)
	case *money.Amount:
		return *v
	case **money.Amount:
		if *v == nil {
			return nil
		}
		return **v
	case *time.Duration:
		return v.Milliseconds()
	case *bool:
		return *v
	case *time.Time:
		return v.UTC()
	default:
		panic(fmt.Sprintf("export: column %s: cannot write a field of type %T", c.Name, v))
	}
}

// text returns a value as a cell of a CSV file.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return spreadsheet.Cell(v)
	case json.RawMessage:
		return spreadsheet.Cell(strings.TrimPrefix(string(v), "{}")) // a call without tags has an empty cell
	case time.Time:
		return v.Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(v)
	}
}

// part is a piece of a file, a complete gzip stream: csv or json writes to counted, counted to gzip, gzip to
// compressed.
type part struct {
	compressed bytes.Buffer
	gzip       *gzip.Writer
	counted    counter // counts the bytes before compression
	format     job.ExportFormat
	columns    columns
	separators []string // the text before each value of a line of JSON
	csv        *csv.Writer
	line       bytes.Buffer  // one line of JSON
	json       *json.Encoder // of values, into line
	begun      time.Time
}

// counter is a writer that counts the bytes written through it.
type counter struct {
	to io.Writer
	n  int64
}

// Write writes p and counts the bytes that were written.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// newPart returns an empty part.
func newPart(format job.ExportFormat, c columns) *part {
	p := &part{format: format, columns: c, separators: c.separators()}
	p.gzip, _ = gzip.NewWriterLevel(&p.compressed, gzip.BestSpeed) // the level is valid, so there is no error
	p.counted.to = p.gzip
	p.csv = csv.NewWriter(&p.counted)
	p.csv.UseCRLF = true
	p.json = json.NewEncoder(&p.line)
	p.json.SetEscapeHTML(false)
	p.begun = time.Now()
	return p
}

// begin writes the beginning of a file: the byte order mark and the names of the columns for CSV, nothing for NDJSON.
func (p *part) begin() {
	if p.format == job.CSV {
		_, _ = io.WriteString(&p.counted, spreadsheet.Begin)
		_ = p.csv.Write(p.columns.header()) // writes to memory, which cannot fail
	}
}

// write adds a row for the log.
func (p *part) write(l *usage.Log, n names) error {
	values := make([]any, len(p.columns))
	for i := range p.columns {
		values[i] = value(&p.columns[i], l, n)
	}
	writeRow := p.writeJSON
	if p.format == job.CSV {
		writeRow = p.writeCSV
	}
	if err := writeRow(values); err != nil {
		return fmt.Errorf("encode a row: %w", err)
	}
	return nil
}

// writeCSV writes the values, one for each column, as a line of CSV.
func (p *part) writeCSV(values []any) error {
	cells := make([]string, len(values))
	for i := range values {
		cells[i] = text(values[i])
	}
	return p.csv.Write(cells) //nolint:wrapcheck // write wraps it
}

// writeJSON writes the values, one for each column, as a line of JSON.
func (p *part) writeJSON(values []any) error {
	p.line.Reset()
	for i := range values {
		p.line.WriteString(p.separators[i])
		if err := p.json.Encode(values[i]); err != nil {
			return err //nolint:wrapcheck // write wraps it
		}
		p.line.Truncate(p.line.Len() - 1) // Encode ends each value with a newline
	}
	p.line.WriteString("}\n")
	_, err := p.counted.Write(p.line.Bytes())
	return err
}

// separators returns the text before each value of a line of JSON.
func (c columns) separators() []string {
	texts := make([]string, len(c))
	for i, column := range c {
		texts[i] = `,"` + column.Export + `":`
	}
	texts[0] = "{" + texts[0][1:]
	return texts
}

// full reports whether the part is large or old enough to be saved.
func (p *part) full(bytes int) bool {
	return p.compressed.Len() >= bytes || time.Since(p.begun) >= partAge
}

// close ends the gzip stream and returns the part and its size before compression. It returns nil if nothing
// was written. data is valid until reset.
func (p *part) close() (data []byte, size int64, err error) {
	p.csv.Flush()
	if err := p.csv.Error(); err != nil {
		return nil, 0, fmt.Errorf("encode rows: %w", err)
	}
	if p.counted.n == 0 {
		return nil, 0, nil
	}
	err = p.gzip.Close()
	return p.compressed.Bytes(), p.counted.n, err
}

// reset empties the part, for the next piece of the file.
func (p *part) reset() {
	p.compressed.Reset()
	p.gzip.Reset(&p.compressed)
	p.counted.n = 0
	p.begun = time.Now()
}
