// Package field has what rows of several tables share: how fields are cleaned,
// patched and compared. It sends no statement.
package field

import (
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// Clean makes text storable in both databases: valid UTF-8 without NUL.
func Clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// Micros is a moment as both databases keep it; zero stays zero.
func Micros(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// OrEmpty makes a nil list an empty one, which is stored as [] and not as null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// First returns the first error.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// BatchSize keeps a statement well below SQLite's limit of 1 MB.
const BatchSize = 100

// Identifiers returns the names of columns as SQL identifiers.
func Identifiers(columns []string) []bun.Ident {
	names := make([]bun.Ident, len(columns))
	for i, column := range columns {
		names[i] = bun.Ident(column)
	}
	return names
}

// Map maps rows to the things they store.
func Map[R, T any](rows []R, core func(R) T) []T {
	things := make([]T, len(rows))
	for i, row := range rows {
		things[i] = core(row)
	}
	return things
}
