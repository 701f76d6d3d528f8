// Package field holds helpers for columns that several tables have. It sends no statement. It covers four
// things:
//
//	Clean, CleanJSON, Micros,    bring a value into a form that both databases store and return unchanged
//	OrEmpty
//	Changes, Assign, NoteRates   apply a patch to a row and collect the changed fields for the audit log
//	RateColumns                  the columns of rate limits
//	IDFloor, CreatedBetween      search rows by the time that a UUIDv7 begins with
package field

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// Clean returns text that both databases can store: invalid UTF-8 is replaced by U+FFFD, and NUL characters are
// removed, which Postgres refuses. Apply it also to text that a query compares with a column, because Postgres
// refuses such text in every statement.
func Clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// CleanJSON returns an object for a JSON column as Clean returns a text. Invalid UTF-8 is left to the encoding, which
// replaces it. Numbers of an object with a NUL character become float64. It returns an error for an object that JSON
// cannot hold, such as one with a time after the year 9999: bun would write the text of that error into the statement.
func CleanJSON(object map[string]any) (map[string]any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode the object: %w", err)
	}
	if !bytes.Contains(text, []byte(`\u0000`)) {
		return object, nil
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("decode the object: %w", err)
	}
	return cleanObject(document), nil
}

// cleanObject cleans all names and texts of a decoded JSON object.
func cleanObject(object map[string]any) map[string]any {
	clean := make(map[string]any, len(object))
	for name, value := range object {
		clean[Clean(name)] = cleanValue(value)
	}
	return clean
}

// cleanValue cleans all texts of a decoded JSON value.
func cleanValue(value any) any {
	switch value := value.(type) {
	case string:
		return Clean(value)
	case []any:
		for i := range value {
			value[i] = cleanValue(value[i])
		}
	case map[string]any:
		return cleanObject(value)
	}
	return value
}

// Micros returns the time as both databases store it: UTC, cut to microseconds. The zero time stays zero, which
// nullable columns store as null.
func Micros(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// OrEmpty returns the list, or an empty list instead of nil: JSON columns store it as [] and not as null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// First returns the first error that is not nil, or nil. All arguments are evaluated, so pass only checks that
// are safe after an earlier one has failed.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// BatchSize is the highest number of rows in one statement. It keeps statements far below 1 MB, the limit of
// SQLite.
const BatchSize = 100

// Identifiers returns the names of columns as SQL identifiers.
func Identifiers(columns []string) []bun.Ident {
	names := make([]bun.Ident, len(columns))
	for i, column := range columns {
		names[i] = bun.Ident(column)
	}
	return names
}

// Map returns the core value of each row, in the same order. The result is never nil.
func Map[R, T any](rows []R, core func(R) T) []T {
	things := make([]T, len(rows))
	for i, row := range rows {
		things[i] = core(row)
	}
	return things
}
