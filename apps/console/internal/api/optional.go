package api

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Optional is a field of a PATCH body that may be absent but not null. An
// absent field leaves the resource unchanged; null is refused with a 400.
type Optional[T any] struct {
	set, null bool
	value     T
}

// UnmarshalJSON records that the field is present, and whether it is null, which Resolve then refuses.
func (o *Optional[T]) UnmarshalJSON(raw []byte) error {
	o.set, o.null = true, bytes.Equal(raw, []byte("null"))
	return json.Unmarshal(raw, &o.value)
}

// MarshalJSON writes the value. Clients in Go need it to send a patch.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Schema returns the schema of the value.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Resolve returns an error for a field that is null. Huma calls it after decoding.
func (o *Optional[T]) Resolve(_ huma.Context, prefix *huma.PathBuffer) []error {
	if o.null {
		return []error{&huma.ErrorDetail{Location: prefix.String(), Message: "expected a value, not null"}}
	}
	return nil
}

// Given reports whether the field is present.
func (o *Optional[T]) Given() bool { return o.set }

// Value returns the value, or the zero value if the field is absent.
func (o *Optional[T]) Value() T { return o.value }

// Pointer returns a pointer to the value, or nil if the field is absent.
func (o *Optional[T]) Pointer() *T {
	if !o.set {
		return nil
	}
	return &o.value
}

// content returns the value for checkInput.
func (o *Optional[T]) content() any { return &o.value }

// Nullable is a field of a PATCH body that may be absent or null. An
// absent field leaves the resource unchanged; null clears the value.
type Nullable[T any] struct {
	set   bool
	value *T // nil: null
}

// UnmarshalJSON records that the field is present.
func (n *Nullable[T]) UnmarshalJSON(raw []byte) error {
	n.set = true
	return json.Unmarshal(raw, &n.value)
}

// MarshalJSON writes the value or null. Clients in Go need it to send a patch.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// Schema returns the schema of the value, which may also be null.
func (Nullable[T]) Schema(r huma.Registry) *huma.Schema {
	schema := r.Schema(reflect.TypeFor[T](), true, "")
	schema.Nullable = true
	return schema
}

// content returns the value for checkInput.
func (n *Nullable[T]) content() any { return n.value }

// Given reports whether the field is present, as a value or as null.
func (n *Nullable[T]) Given() bool { return n.set }

// Value returns a pointer to the value, or nil if the field is null or absent.
func (n *Nullable[T]) Value() *T { return n.value }
