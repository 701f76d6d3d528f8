package api

import (
	"fmt"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/seal"
)

// The patterns of money. Nine digits before the point keep every sum that is
// sent far inside of money.Max.
const (
	amountPattern = `^-?[0-9]{1,9}(\.[0-9]{1,9})?$`
	factorPattern = `^[0-9]{1,9}(\.[0-9]{1,9})?$`
)

// amountFormat, factorFormat and idFormat stand in for types of core in the
// document: core knows nothing of schemas.
type (
	amountFormat struct{}
	factorFormat struct{}
	idFormat     struct{}
)

// Schema describes money.Amount.
func (amountFormat) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: amountPattern, Description: "Decimal of USD", Examples: []any{"12.50"}}
}

// Schema describes money.Factor.
func (factorFormat) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: factorPattern, Description: "Decimal factor", Examples: []any{"0.85"}}
}

// Schema describes uuid.UUID.
func (idFormat) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// NewPassword is a password to be set. It is judged where it is hashed.
type NewPassword string

// Schema describes a password to be set.
func (NewPassword) Schema(huma.Registry) *huma.Schema {
	most := 1024
	return &huma.Schema{Type: huma.TypeString, MaxLength: &most, Description: fmt.Sprintf("At least %d characters", seal.MinPassword)}
}

func registerFormats(registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[money.Amount](), reflect.TypeFor[amountFormat]())
	registry.RegisterTypeAlias(reflect.TypeFor[money.Factor](), reflect.TypeFor[factorFormat]())
	registry.RegisterTypeAlias(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[idFormat]())
}

// NullableTime returns nil for the zero time, which means never.
func NullableTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// NullableID returns nil for the nil id, which means none.
func NullableID(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// Deref returns what p points to, or the zero value.
func Deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// NonNil returns an empty slice for nil, so that JSON shows [] and not null.
func NonNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
