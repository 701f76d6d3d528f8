// Package null converts between Go's zero values and JSON's null.
package null

import (
	"time"

	"github.com/google/uuid"
)

// Time returns t in UTC, or nil for the zero time, which means never.
func Time(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// ID returns a pointer to id, or nil for uuid.Nil, which means that there is none.
func ID(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// Deref returns the value that p points to, or the zero value if p is nil.
func Deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// List returns items, or an empty slice if items is nil, so that JSON has [] and not null.
func List[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
