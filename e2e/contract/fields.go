package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Types are types of an SDK as JSON schemas: each root is a schema that may refer to definitions.
type Types struct {
	Definitions object
	Roots       map[string]any
}

// Missing compares the types of an SDK with the document, beginning with the pairs: names of roots, and the part of the
// document that describes the same. It returns what the SDK has and the document does not, sorted: fields, variants of
// unions by the value of their discriminator, kinds of values, named values of strings, and fields that can be left
// out. Each is reported once, at the shortest path to it.
func (d *Document) Missing(types Types, pairs map[string]string) ([]string, error) {
	c := comparison{sdk: object{"definitions": types.Definitions}, doc: d.root, seen: map[string]bool{},
		missing: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		root, ok := types.Roots[name]
		if !ok {
			return nil, fmt.Errorf("the SDK has no type %s", name)
		}
		schema, err := d.part(pairs[name])
		if err != nil {
			return nil, err
		}
		c.queue = append(c.queue, pair{path: pairs[name], sdk: c.members(c.sdk, root), doc: c.members(c.doc, schema)})
	}
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.compare(next)
	}
	return slices.Sorted(maps.Keys(c.missing)), nil
}

// part returns the schema of "METHOD PATH request", "METHOD PATH query", "METHOD PATH answer" or "METHOD PATH event".
func (d *Document) part(name string) (any, error) {
	words := strings.Fields(name)
	if len(words) != 3 {
		return nil, fmt.Errorf("%q is not METHOD PATH PART", name)
	}
	operation := at(d.root, "paths", words[1], strings.ToLower(words[0]))
	if operation == nil {
		return object{}, nil // everything is missing
	}
	switch words[2] {
	case "request":
		return at(operation, "requestBody", "content", "application/json", "schema"), nil
	case "query":
		return d.query(operation), nil
	case "answer":
		return at(operation, "responses", "200", "content", "application/json", "schema"), nil
	default:
		return at(operation, "responses", "200", "content", "text/event-stream", "schema"), nil
	}
}

// query returns the query parameters of an operation as the properties of an object.
func (d *Document) query(operation any) object {
	properties := object{}
	list, _ := at(operation, "parameters").([]any)
	for _, parameter := range list {
		parameter = resolve(d.root, parameter)
		if at(parameter, "in") == "query" {
			properties[fmt.Sprint(at(parameter, "name"))] = at(parameter, "schema")
		}
	}
	return object{"type": "object", "properties": properties}
}

// comparison walks through two sets of schemas at the same time.
type comparison struct {
	sdk, doc object
	queue    []pair
	seen     map[string]bool
	missing  map[string]bool
}

// pair is a place, with the members of the union that the SDK and the document have there.
type pair struct {
	path     string
	sdk, doc []object
}

// members returns the schemas of a union without references: of a schema without a union, itself.
func (c *comparison) members(root object, schema any) []object {
	return c.collect(nil, root, schema, 0)
}

func (c *comparison) collect(to []object, root object, schema any, depth int) []object {
	target, ok := resolve(root, schema).(object)
	if !ok || depth > 20 {
		return to
	}
	hasUnion := false
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		list, _ := target[word].([]any)
		for _, member := range list {
			hasUnion = true
			to = c.collect(to, root, member, depth+1)
		}
	}
	if hasUnion && target["properties"] == nil {
		return to
	}
	if slices.ContainsFunc(to, func(o object) bool { return same(o, target) }) {
		return to
	}
	return append(to, target)
}

func same(a, b object) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }

// compare reports what is missing at a place, and queues the places below it.
func (c *comparison) compare(p pair) {
	var key strings.Builder
	for _, list := range [][]object{p.sdk, p.doc} {
		for _, schema := range list {
			fmt.Fprintf(&key, "%p ", schema)
		}
		key.WriteByte('|')
	}
	if c.seen[key.String()] || len(p.sdk) == 0 {
		return
	}
	c.seen[key.String()] = true
	if !c.kinds(p) {
		return
	}
	c.named(p)
	for _, variant := range p.sdk {
		if at(variant, "properties") != nil {
			c.variant(p, variant)
		}
	}
	c.below(p, "[]", "items")
	c.below(p, "{}", "additionalProperties")
}

// below queues the place of the elements of arrays or of the values of maps.
func (c *comparison) below(p pair, path, word string) {
	under := func(root object, schemas []object) (list []object) {
		for _, schema := range schemas {
			list = c.collect(list, root, schema[word], 0)
		}
		return list
	}
	sdk := under(c.sdk, p.sdk)
	c.queue = append(c.queue, pair{path: p.path + path, sdk: sdk, doc: under(c.doc, p.doc)})
}

// kinds reports kinds of JSON values, such as null, that the SDK has and the document does not. It returns false if the
// document has no type at all here.
func (c *comparison) kinds(p pair) bool {
	mine := kindsOf(p.doc)
	if mine["any"] {
		if !kindsOf(p.sdk)["any"] {
			c.missing[p.path+": any type"] = true
		}
		return false
	}
	for kind := range kindsOf(p.sdk) {
		switch {
		case mine[kind], kind == "any", kind == "integer" && mine["number"], kind == "number" && mine["integer"]:
		default:
			c.missing[p.path+": "+kind] = true
		}
	}
	return true
}

// named reports strings that the SDK names as values and the document does not. Where the SDK has a string with any
// value, it names none.
func (c *comparison) named(p pair) {
	values := map[string]bool{}
	for _, schema := range p.doc {
		for _, word := range []string{"enum", "x-extensible-enum"} {
			list, _ := schema[word].([]any)
			for _, value := range list {
				values[fmt.Sprint(value)] = true
			}
		}
	}
	if slices.ContainsFunc(p.sdk,
		func(o object) bool { return o["type"] == "string" && len(c.values(c.sdk, o)) == 0 }) {
		return
	}
	for _, schema := range p.sdk {
		for _, value := range c.values(c.sdk, schema) {
			if !values[value] {
				c.missing[p.path+"="+value] = true
			}
		}
	}
}

// kindsOf returns the kinds of JSON values of schemas: "any" if one of them has no type.
func kindsOf(schemas []object) map[string]bool {
	kinds := map[string]bool{}
	for _, schema := range schemas {
		switch kind := schema["type"].(type) {
		case string:
			kinds[kind] = true
		case []any:
			for _, k := range kind {
				kinds[fmt.Sprint(k)] = true
			}
		default:
			kinds[kindOf(schema)] = true
		}
	}
	if len(schemas) == 0 {
		kinds["any"] = true
	}
	return kinds
}

// kindOf returns the kind of a schema without type.
func kindOf(schema object) string {
	values, _ := schema["enum"].([]any)
	if constant, ok := schema["const"]; ok {
		values = append(values, constant)
	}
	if len(values) == 0 {
		return "any"
	}
	switch values[0].(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	default:
		return "number"
	}
}

// variant compares one object of the SDK with the objects of the document that have the same discriminator.
func (c *comparison) variant(p pair, variant object) {
	doc := slices.DeleteFunc(slices.Clone(p.doc), func(o object) bool { return at(o, "properties") == nil })
	path := p.path
	for _, name := range discriminators {
		values := c.values(c.sdk, at(variant, "properties", name))
		if len(values) == 0 || !c.closed(doc, name) {
			continue
		}
		for _, value := range values {
			if !slices.ContainsFunc(doc, func(o object) bool { return c.has(o, name, value) }) {
				c.missing[fmt.Sprintf("%s[%s=%s]", p.path, name, value)] = true
			}
		}
		doc = slices.DeleteFunc(doc, func(o object) bool {
			return !slices.ContainsFunc(values, func(value string) bool { return c.has(o, name, value) })
		})
		if len(doc) == 0 {
			return // the variant is reported, and its fields are not
		}
		if len(p.sdk) > 1 {
			path += fmt.Sprintf("[%s=%s]", name, values[0])
		}
		break
	}
	c.fields(path, variant, doc)
}

// fields compares the fields of an object with those of the document's objects.
func (c *comparison) fields(path string, variant object, doc []object) {
	properties, _ := variant["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		var mine []object
		exists, optional := false, false
		for _, o := range doc {
			if schema := at(o, "properties", name); schema != nil {
				exists, optional = true, optional || !required(o, name)
				mine = c.collect(mine, c.doc, schema, 0)
			}
		}
		if !exists {
			c.missing[path+"."+name] = true
			continue
		}
		if !optional && !required(variant, name) {
			c.missing[path+"."+name+": left out"] = true
		}
		c.queue = append(c.queue, pair{path: path + "." + name, sdk: c.members(c.sdk, properties[name]), doc: mine})
	}
}

// required reports whether an object must have the field.
func required(o object, name string) bool {
	list, _ := o["required"].([]any)
	return slices.Contains(list, any(name))
}

// closed reports whether one of the objects has a closed set of values for the property.
func (c *comparison) closed(doc []object, name string) bool {
	return slices.ContainsFunc(doc, func(o object) bool { return len(c.values(c.doc, at(o, "properties", name))) > 0 })
}

// has reports whether an object permits the value for the property, other than as a value that the document does not
// name.
func (c *comparison) has(o object, name, value string) bool {
	schema := at(o, "properties", name)
	if schema == nil {
		return false
	}
	values := c.values(c.doc, schema)
	if len(values) > 0 {
		return slices.Contains(values, value)
	}
	return at(resolve(c.doc, schema), "not") == nil
}

// values returns the strings that a schema permits; none if it permits others than those of a list.
func (c *comparison) values(root object, schema any) (values []string) {
	for _, member := range c.members(root, schema) {
		list, _ := member["enum"].([]any)
		if constant, ok := member["const"]; ok {
			list = append(slices.Clone(list), constant)
		}
		if len(list) == 0 && at(member, "type") != "null" {
			return nil
		}
		for _, value := range list {
			if text, ok := value.(string); ok {
				values = append(values, text)
			}
		}
	}
	return values
}

// GoTypes returns Go types of an SDK as JSON schemas.
func GoTypes(roots map[string]any) Types {
	types := Types{Definitions: object{}, Roots: map[string]any{}}
	for name, value := range roots {
		types.Roots[name] = types.schema(reflect.TypeOf(value))
	}
	return types
}

// schema returns the schema of a type: a reference if it is a struct.
func (t Types) schema(typ reflect.Type) any {
	switch typ.Kind() {
	case reflect.Pointer:
		return t.schema(typ.Elem())
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": t.schema(typ.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": t.schema(typ.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Struct:
		return t.structure(typ)
	default:
		return object{}
	}
}

// structure returns the schema of a struct. An optional value of openai-go is a struct with the field Value; a union
// has fields with the option inline, or methods such as AsMessage, one for each variant.
func (t Types) structure(typ reflect.Type) any {
	switch {
	case typ.PkgPath() == "time":
		return object{"type": "string"}
	case strings.HasPrefix(typ.Name(), "Opt["):
		return t.schema(typ.Field(0).Type)
	}
	name := typ.PkgPath() + "." + typ.Name()
	if typ.Name() == "" {
		name = fmt.Sprintf("%p", typ)
	}
	ref := object{"$ref": "#/definitions/" + url.PathEscape(name)}
	if t.Definitions[name] != nil {
		return ref
	}
	definition := object{}
	t.Definitions[name] = definition
	if variants := t.variants(typ); len(variants) > 0 {
		definition["anyOf"] = variants
		return ref
	}
	definition["type"] = "object"
	definition["properties"], definition["required"] = t.properties(typ)
	return ref
}

// variants returns the members of a union; none if the struct is no union.
func (t Types) variants(typ reflect.Type) (list []any) {
	for i := range typ.NumField() {
		if field := typ.Field(i); strings.Contains(field.Tag.Get("json"), ",inline") {
			list = append(list, t.schema(field.Type))
		}
	}
	for i := range typ.NumMethod() {
		method := typ.Method(i)
		if strings.HasPrefix(method.Name, "As") && method.Name != "AsAny" && method.Type.NumIn() == 1 &&
			method.Type.NumOut() == 1 {
			list = append(list, t.schema(method.Type.Out(0)))
		}
	}
	return list
}

// properties returns the fields of a struct by their JSON names, and the names of those that cannot be left out.
func (t Types) properties(typ reflect.Type) (properties object, required []any) {
	properties = object{}
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, _, _ := strings.Cut(cmp.Or(field.Tag.Get("query"), field.Tag.Get("json")), ",")
		if !field.IsExported() || name == "" || name == "-" {
			continue
		}
		if constant, ok := field.Tag.Lookup("default"); ok && strings.HasSuffix(field.Type.PkgPath(), "/constant") {
			properties[name] = object{"type": "string", "const": constant}
			required = append(required, name)
			continue
		}
		properties[name] = t.schema(field.Type)
		if field.Tag.Get("api") == "required" {
			required = append(required, name)
		}
	}
	return properties, required
}
