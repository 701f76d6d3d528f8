package bucket

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// timeFormat is RFC 3339 in UTC with microseconds, so that equal times are equal texts.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// nano is the suffix of the fields with amounts in nano-dollars.
const nano = "_nano_usd"

// column is a column of usage.Columns with the names of its fields in JSON.
type column struct {
	usage.Column
	name string // `,"name":`
	nano string // the same for the amount in nano-dollars; "" if the column is no amount of money
}

// columns has the columns of the files that operators export. In place of the names of users, tokens and channels,
// which change, there are ids, so that a repeated attempt writes the same bytes.
var columns = func() (list []column) {
	for _, c := range usage.Columns {
		if c.Export == "" {
			continue
		}
		name := c.Export
		switch c.Name {
		case "user_id", "token_id", "channel_id":
			name = c.Name
		}
		entry := column{Column: c, name: fmt.Sprintf(`,"%s":`, name)}
		switch c.Field(&usage.Log{}).(type) {
		case *money.Amount, **money.Amount:
			entry.nano = fmt.Sprintf(`,"%s%s":`, name, nano)
		}
		list = append(list, entry)
	}
	return list
}()

// encoder writes usage logs as gzip-compressed lines of JSON.
type encoder struct {
	compressed bytes.Buffer
	gzip       *gzip.Writer
	line       bytes.Buffer
	json       *json.Encoder // into line
}

func newEncoder() *encoder {
	e := &encoder{}
	e.gzip = gzip.NewWriter(&e.compressed)
	e.json = json.NewEncoder(&e.line)
	e.json.SetEscapeHTML(false)
	return e
}

// add adds a line.
func (e *encoder) add(l *usage.Log) error {
	e.line.Reset()
	for i := range columns {
		c := &columns[i]
		if err := e.field(c.name, value(&c.Column, l)); err != nil {
			return fmt.Errorf("encode %s: %w", c.Name, err)
		}
		if c.nano == "" {
			continue
		}
		if err := e.field(c.nano, nanos(&c.Column, l)); err != nil {
			return fmt.Errorf("encode %s: %w", c.Name, err)
		}
	}
	e.line.WriteString("}\n")
	line := e.line.Bytes()
	line[0] = '{' // in place of the first comma
	if _, err := e.gzip.Write(line); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	return nil
}

// field writes the name and the value of a field into the line.
func (e *encoder) field(name string, value any) error {
	e.line.WriteString(name)
	if err := e.json.Encode(value); err != nil {
		return err //nolint:wrapcheck // add wraps it
	}
	e.line.Truncate(e.line.Len() - 1) // Encode ends each value with a newline
	return nil
}

// close returns the compressed lines.
func (e *encoder) close() ([]byte, error) {
	if err := e.gzip.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return e.compressed.Bytes(), nil
}

// value returns the value of a column for JSON, nil if there is none.
func value(c *usage.Column, l *usage.Log) any {
	switch v := c.Field(l).(type) {
	case *uuid.UUID:
		if *v == uuid.Nil {
			return nil
		}
		return *v
	case *usage.Tags:
		return json.RawMessage(cmp.Or(*v, "{}"))
	case *time.Duration:
		return v.Milliseconds()
	case *time.Time:
		return v.UTC().Format(timeFormat)
	default: // texts, numbers and amounts, which JSON knows
		return v
	}
}

// nanos returns the amount of a column in nano-dollars, nil if it is not known.
func nanos(c *usage.Column, l *usage.Log) any {
	switch v := c.Field(l).(type) {
	case *money.Amount:
		return int64(*v)
	case **money.Amount:
		if *v != nil {
			return int64(**v)
		}
	}
	return nil
}
