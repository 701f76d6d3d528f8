// Package contract describes the bodies of /v1 for the OpenAPI document. No body is decoded into its types: the
// pipeline scans bodies and passes them on, so fields that the types don't name pass through unchanged.
//
// Each type is named in the document after itself, with a capital letter. Generated clients use these names. In
// addition to Huma's tags a field can have
//
//	null:"true"     the value may be null; unlike Huma's tag nullable also for references
//	known:"a,b"     the values of today; later versions and other upstreams may have more
//
// and the field "_" of a struct has the description of the whole schema in its tag doc. Its tag without names a field
// that the object cannot have: two variants of a union whose discriminator can be left out differ by it. A union is a
// struct that embeds oneOf with this description, and whose other fields are its variants:
//
//	type chatTool struct {
//		oneOf[chatTool] `doc:"A tool that the model may call" discriminator:"type"`
//		Function        chatFunctionTool `value:"function"`
//		Other           chatOtherTool    `value:"other"`
//	}
package contract

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Ref returns a reference to the schema of T, which it adds to the document if it is new.
func Ref[T any](api huma.API) *huma.Schema {
	return api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// Finish completes the schemas of the document with what Huma has no tags for. It lets every object have fields that
// the document does not name: requests pass them on, and clients must accept what a later version of an answer adds.
// Some generated clients otherwise refuse such an answer. Finish is called once, after all operations are registered.
func Finish(api huma.API) {
	schemas := api.OpenAPI().Components.Schemas
	for name, schema := range schemas.Map() {
		if goType := schemas.TypeFromRef(prefix + name); goType != nil && goType.Kind() == reflect.Struct {
			complete(schema, goType)
		}
	}
}

const prefix = "#/components/schemas/"

// complete adds to an object's schema what the tags of its type say beyond Huma's.
func complete(schema *huma.Schema, goType reflect.Type) {
	schema.AdditionalProperties = true
	for field := range goType.Fields() {
		if field.Name == "_" {
			schema.Description = field.Tag.Get("doc")
			if text := field.Tag.Get("without"); text != "" {
				schema.Not = &huma.Schema{Required: []string{text}}
			}
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := schema.Properties[name]
		if values := field.Tag.Get("known"); values != "" {
			open(property, values)
		}
		if field.Tag.Get("null") == "true" {
			schema.Properties[name] = orNull(property)
		}
	}
}

// open lists the known values of a string, or of the strings in an array or a map.
func open(schema *huma.Schema, values string) {
	if values, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		schema = values
	}
	if schema.Items != nil {
		schema = schema.Items
	}
	schema.Extensions = map[string]any{knownValues: strings.Split(values, ",")}
}

// knownValues is the key of the known values of a string. Generators ignore it, so that clients accept other values.
const knownValues = "x-extensible-enum"

// orNull returns a schema that also allows null.
func orNull(schema *huma.Schema) *huma.Schema {
	if schema.Ref == "" {
		schema.Nullable = true
		return schema
	}
	return &huma.Schema{Description: schema.Description, AnyOf: []*huma.Schema{{Ref: schema.Ref}, {Type: "null"}}}
}

// variant is one field of a union.
type variant struct {
	value string // of the discriminator; empty if the union has none
	ref   string
}

// oneOf makes a union of the struct T that embeds it.
type oneOf[T any] struct{}

// Schema implements huma.SchemaProvider.
func (oneOf[T]) Schema(r huma.Registry) *huma.Schema { return union[T](r) }

// union registers the schema of the union T and returns a reference to it.
func union[T any](r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	schema, ref, ok := register(r, t)
	if ok {
		return ref
	}
	var variants []variant
	for field := range t.Fields() {
		if field.Anonymous {
			schema.Description = field.Tag.Get("doc")
			if property := field.Tag.Get("discriminator"); property != "" {
				schema.Discriminator = &huma.Discriminator{PropertyName: property, Mapping: map[string]string{}}
			}
			continue
		}
		schemaOfVariant := r.Schema(field.Type, true, "")
		variants = append(variants, variant{field.Tag.Get("value"), schemaOfVariant.Ref})
		schema.OneOf = append(schema.OneOf, schemaOfVariant)
	}
	if schema.Discriminator != nil {
		discriminate(r, schema.Discriminator, variants)
	}
	return ref
}

// other is the value of the discriminator under which a union lists its variant for all values that the document does
// not name.
const other = "other"

// discriminate maps the values of the discriminator to their variants, and lets the variant other have none of the
// values that the document names.
func discriminate(r huma.Registry, d *huma.Discriminator, variants []variant) {
	var values []any
	for _, v := range variants {
		for value := range strings.SplitSeq(v.value, ",") {
			d.Mapping[value] = v.ref
			if value != other {
				values = append(values, value)
			}
		}
	}
	if ref, ok := d.Mapping[other]; ok {
		r.SchemaFromRef(ref).Properties[d.PropertyName].Not = &huma.Schema{Enum: values}
	}
}

// named registers the schema of T, a type that is not a struct, under the type's name and returns a reference to it.
// Without it the schema would be repeated in each place, and clients would have no name for it. values are those of
// a string today.
func named[T any](r huma.Registry, description string, values ...string) *huma.Schema {
	t := reflect.TypeFor[T]()
	schema, ref, ok := register(r, t)
	if ok {
		return ref
	}
	schema.Description = description
	switch t.Kind() {
	case reflect.Slice:
		schema.Type, schema.Items = huma.TypeArray, r.Schema(t.Elem(), true, "")
	case reflect.Float64:
		schema.Type = huma.TypeNumber
	case reflect.Int64:
		schema.Type, schema.Format = huma.TypeInteger, "int64"
	case reflect.Bool:
		schema.Type = huma.TypeBoolean
	default:
		schema.Type = huma.TypeString
	}
	if len(values) > 0 {
		schema.Extensions = map[string]any{knownValues: values}
	}
	return ref
}

// register adds an empty schema for a type, unless it has one. It comes before the schemas that it refers to, because
// these may refer back to it.
func register(r huma.Registry, t reflect.Type) (schema, ref *huma.Schema, ok bool) {
	name := huma.DefaultSchemaNamer(t, "")
	ref = &huma.Schema{Ref: prefix + name}
	if schema, ok = r.Map()[name]; ok {
		return schema, ref, true
	}
	schema = &huma.Schema{}
	r.Map()[name] = schema
	return schema, ref, false
}
