package api

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Optional is a field of a PATCH body. Absent leaves the thing as it is; null
// is refused.
type Optional[T any] struct {
	set, null bool
	value     T
}

// UnmarshalJSON notes whether the field is there.
func (o *Optional[T]) UnmarshalJSON(raw []byte) error {
	o.set, o.null = true, bytes.Equal(raw, []byte("null"))
	return json.Unmarshal(raw, &o.value)
}

// MarshalJSON writes the value, for clients in Go.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Schema is that of the value.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Resolve refuses null.
func (o *Optional[T]) Resolve(_ huma.Context, prefix *huma.PathBuffer) []error {
	if o.null {
		return []error{&huma.ErrorDetail{Location: prefix.String(), Message: "expected a value, not null"}}
	}
	return nil
}

// Given reports whether the field is there.
func (o *Optional[T]) Given() bool { return o.set }

// Value returns the value, the zero value where the field is absent.
func (o *Optional[T]) Value() T { return o.value }

// Pointer returns nil where the field is absent.
func (o *Optional[T]) Pointer() *T {
	if !o.set {
		return nil
	}
	return &o.value
}

// Nullable is a field of a PATCH body that null clears. Absent leaves the
// thing as it is.
type Nullable[T any] struct {
	set   bool
	value *T // nil: null
}

// UnmarshalJSON notes whether the field is there.
func (n *Nullable[T]) UnmarshalJSON(raw []byte) error {
	n.set = true
	return json.Unmarshal(raw, &n.value)
}

// MarshalJSON writes the value or null, for clients in Go.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// Schema is that of the value, or null.
func (Nullable[T]) Schema(r huma.Registry) *huma.Schema {
	schema := r.Schema(reflect.TypeFor[T](), true, "")
	schema.Nullable = true
	return schema
}

// Given reports whether the field is there.
func (n *Nullable[T]) Given() bool { return n.set }

// Value returns nil where the field is null or absent.
func (n *Nullable[T]) Value() *T { return n.value }
