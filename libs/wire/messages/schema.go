package messages

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/conversation/toolcall"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// The API enforces a subset of JSON Schema: all objects are closed, and bounds of numbers, texts and lists do not
// exist. closedSchema rewrites a schema into the subset as Anthropic's own SDKs do: bounds move into the description,
// where the model reads them.

// member is one member of a JSON object.
type member struct {
	name  string
	value jsontext.Value
}

// membersOf returns the members of an object in their order, and false for any other value.
func membersOf(raw jsontext.Value) (members []member, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), lenient, jsontext.AllowDuplicateNames(true))
	if begin, err := d.ReadToken(); err != nil || begin.Kind() != '{' {
		return nil, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		members = append(members, member{key, value.Clone()})
	}
	return members, true
}

// objectOf returns the members as a JSON object.
func objectOf(members []member) jsontext.Value {
	out := jsontext.Value{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(appendString(out, m.name), ':'), m.value...)
	}
	return append(out, '}')
}

// appendString appends a text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func appendString(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(text, "\uFFFD")) // fails for invalid UTF-8 only
	return dst
}

// valueOf returns the value of the last member with the name, nil for none.
func valueOf(members []member, name string) jsontext.Value {
	for _, m := range slices.Backward(members) {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// objectSchemaOf returns the schema of a tool as the API requires it at the top level: with the type object, without
// combinations of schemas, and with names of properties that it accepts. keys has these names, nil if the client's are
// accepted. path is that of the schema in the client's body.
func objectSchemaOf(raw jsontext.Value, path string) (schema jsontext.Value, keys toolcall.Names, err error) {
	members, ok := membersOf(raw)
	if !ok {
		return nil, nil, problem.New(problem.InvalidType, "Invalid type for '%s': expected an object.", path).At(path)
	}
	isChanged := false
	switch kind := valueOf(members, "type"); {
	case kind == nil:
		members, isChanged = append([]member{{"type", jsontext.Value(`"object"`)}}, members...), true
	case kind.Kind() == '[' && bytes.Contains(kind, []byte(`"object"`)): // a call has arguments, so null is no choice
		setMember(members, "type", jsontext.Value(`"object"`))
		isChanged = true
	case string(kind) != `"object"`:
		return nil, nil, problem.New(problem.InvalidType,
			"Invalid schema at '%s': the schema of a function must have the type 'object'.", path).At(path)
	}
	if slices.ContainsFunc(members, isCombination) {
		members, isChanged = mergeCombinations(members), true
	}
	if keys = keysOf(members); keys != nil {
		renameProperties(members, keys)
		isChanged = true
	}
	if !isChanged {
		return raw, nil, nil
	}
	return objectOf(members), keys, nil
}

// isCombination reports whether a member combines schemas.
func isCombination(m member) bool { return m.name == "anyOf" || m.name == "oneOf" || m.name == "allOf" }

// mergeCombinations returns a schema without combinations at its top level: the properties of the combined schemas
// become its own, and the combinations move into the description.
func mergeCombinations(members []member) []member {
	definitions := map[string]jsontext.Value{}
	for _, keyword := range []string{"$defs", "definitions"} {
		list, _ := membersOf(valueOf(members, keyword))
		for _, m := range list {
			definitions["#/"+keyword+"/"+m.name] = m.value
		}
	}
	properties, _ := membersOf(valueOf(members, "properties"))
	isProperty := map[string]bool{}
	for _, p := range properties {
		isProperty[p.name] = true
	}
	var out []member
	var keywords []string
	for _, m := range members {
		if !isCombination(m) {
			out = append(out, m)
			continue
		}
		keywords = append(keywords, m.name+": "+string(m.value))
		var schemas []jsontext.Value
		if json.Unmarshal(m.value, &schemas, lenient) != nil {
			continue
		}
		for _, schema := range schemas {
			combined, _ := membersOf(schema)
			if reference, err := jsontext.AppendUnquote(nil, valueOf(combined, "$ref")); err == nil {
				combined, _ = membersOf(definitions[string(reference)])
				delete(definitions, string(reference)) // its properties are read once
			}
			additions, _ := membersOf(valueOf(combined, "properties"))
			for _, p := range additions {
				if !isProperty[p.name] {
					isProperty[p.name], properties = true, append(properties, p)
				}
			}
		}
	}
	if len(properties) > 0 && !setMember(out, "properties", objectOf(properties)) {
		out = append(out, member{"properties", objectOf(properties)})
	}
	return describe(out, keywords)
}

// setMember replaces the value of a member, and reports whether there is one.
func setMember(members []member, name string, value jsontext.Value) (ok bool) {
	for i := range members {
		if members[i].name == name {
			members[i].value, ok = value, true
		}
	}
	return ok
}

// propertyRule describes the names of properties that the API accepts at the top level of a tool's input.
var propertyRule = toolcall.NameRule{Symbols: "_.-", MaxLength: 64}

// keysOf returns the names of the properties of a schema as the API gets them, nil if it accepts the client's.
func keysOf(members []member) toolcall.Names {
	properties, _ := membersOf(valueOf(members, "properties"))
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.name
	}
	return propertyRule.Names(names)
}

// renameProperties gives the properties of a schema the names that the API accepts.
func renameProperties(members []member, keys toolcall.Names) {
	properties, _ := membersOf(valueOf(members, "properties"))
	for i, p := range properties {
		properties[i].name = keys[p.name]
	}
	setMember(members, "properties", objectOf(properties))
	var names []string
	if json.Unmarshal(valueOf(members, "required"), &names, lenient) != nil {
		return
	}
	for i, name := range names {
		names[i] = keys.Replace(name)
	}
	if list, err := json.Marshal(names); err == nil {
		setMember(members, "required", list)
	}
}

// withKeys returns the input of a call with other names of its members. Any other value is returned as it is.
func withKeys(input jsontext.Value, names map[string]string) jsontext.Value {
	members, ok := membersOf(input)
	if !ok || len(names) == 0 {
		return input
	}
	for i, m := range members {
		if key := names[m.name]; key != "" {
			members[i].name = key
		}
	}
	return objectOf(members)
}

// The keywords of schemas: those that pass as they are, those whose value is an object of schemas, those whose value is
// a list of schemas, those that are left out, and the values of format that the subset has.
var (
	plainKeywords  = []string{"type", "enum", "const", "description", "title", "required", "$ref"}
	objectKeywords = []string{"properties", "$defs", "definitions"}
	listKeywords   = []string{"anyOf", "allOf"}
	annotations    = []string{"$schema", "$id", "$comment"}
	formats        = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6",
		"uuid"}
)

// The bounds of a schema that is rewritten. OpenAI enforces schemas of up to 120,000 characters of names and values and
// ten levels (https://platform.openai.com/docs/guides/structured-outputs). The rewriting reads a part of a schema once
// for each level above it, for each reference to it and for each type in a list of types.
const (
	maxSchema   = 256 << 10 // bytes
	maxReadings = 24        // bytes read in total, as a multiple of the size of the schema
)

// schemaCloser rewrites the schemas of one document.
type schemaCloser struct {
	root   []member
	open   []string // references that are being followed
	budget int      // bytes that may still be read
}

// countRead counts the bytes of a part that is read, and reports whether that is within the bounds.
func (c *schemaCloser) countRead(raw jsontext.Value) bool {
	c.budget -= len(raw)
	return c.budget >= 0
}

// membersOf returns the members of an object in their order, and false for any other value, or beyond the bounds.
func (c *schemaCloser) membersOf(raw jsontext.Value) (members []member, ok bool) {
	if !c.countRead(raw) {
		return nil, false
	}
	return membersOf(raw)
}

// closedSchema returns a schema in the API's subset. A schema that is in it keeps its bytes. The error is an
// UnsupportedParameter problem with the path of the part that the subset cannot express; path is that of the schema.
func closedSchema(raw jsontext.Value, path string) (jsontext.Value, error) {
	if len(raw) > maxSchema {
		return nil,
			problem.New(problem.InvalidType,
				"The schema at '%s' has %d bytes. This model enforces schemas of up to %d bytes.", path, len(raw),
				maxSchema).At(path)
	}
	members, ok := membersOf(raw)
	if !ok {
		return nil, conversation.UnsupportedPath(path)
	}
	c := schemaCloser{root: members, budget: maxReadings * len(raw)}
	if err := c.checkReferences(raw, path); err != nil {
		return nil, err
	}
	schema, isChanged, err := c.closeSchema(raw, path)
	if err != nil || !isChanged {
		return raw, err
	}
	return schema, nil
}

// closeSchema rewrites one schema, and reports whether it changed.
func (c *schemaCloser) closeSchema(raw jsontext.Value, path string) (schema jsontext.Value, isChanged bool, err error) {
	members, ok := c.membersOf(raw)
	if !ok {
		return nil, false, conversation.UnsupportedPath(path) // true and false
	}
	if kinds := valueOf(members, "type"); kinds.Kind() == '[' {
		schema, err = c.closeTypes(members, kinds, path)
		return schema, true, err
	}
	if err := checkKind(members, path); err != nil {
		return nil, false, err
	}
	var (
		out      []member
		keywords []string
	)
	for _, m := range members {
		memberPath := path + "." + m.name
		edited, isEdited := m, false
		switch {
		case slices.Contains(annotations, m.name):
			isChanged = true
			continue
		case m.name == "additionalProperties":
			edited.value, isEdited = jsontext.Value("false"), string(m.value) != "false"
		case m.name == "oneOf" && valueOf(members, "anyOf") == nil:
			edited.name = "anyOf"
			edited.value, _, err = c.closeList(m.value, memberPath)
			isEdited = true
		case m.name == "items" && m.value.Kind() == '{':
			edited.value, isEdited, err = c.closeSchema(m.value, memberPath)
		case slices.Contains(objectKeywords, m.name):
			edited.value, isEdited, err = c.closeMembers(m.value, memberPath)
		case slices.Contains(listKeywords, m.name):
			edited.value, isEdited, err = c.closeList(m.value, memberPath)
		case m.name == "format" && isTextFormat(m.value), m.name == "minItems" &&
			(string(m.value) == "0" || string(m.value) == "1"):
		case !slices.Contains(plainKeywords, m.name):
			keywords = append(keywords, m.name+": "+string(m.value))
			isChanged = true
			continue
		}
		if err != nil {
			return nil, false, err
		}
		isChanged = isChanged || isEdited
		out = append(out, edited)
	}
	if isObjectSchema(members) && valueOf(members, "additionalProperties") == nil {
		out, isChanged = append(out, member{"additionalProperties", jsontext.Value("false")}), true
	}
	return objectOf(describe(out, keywords)), isChanged, nil
}

// checkKind refuses schemas of any value and of objects with any properties, which the subset does not have.
func checkKind(members []member, path string) error {
	hasKind := false
	for _, name := range []string{"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"} {
		hasKind = hasKind || valueOf(members, name) != nil
	}
	extra := valueOf(members, "additionalProperties")
	switch {
	case extra.Kind() == '{':
		return conversation.UnsupportedPath(path + ".additionalProperties")
	case !hasKind && !isObjectSchema(members):
		return conversation.UnsupportedPath(path)
	case isObjectSchema(members) && valueOf(members, "properties") == nil && string(extra) != "false":
		return conversation.UnsupportedPath(path)
	}
	return nil
}

// isObjectSchema reports whether a schema describes objects.
func isObjectSchema(members []member) bool {
	return string(valueOf(members, "type")) == `"object"` || valueOf(members, "type") == nil &&
		valueOf(members, "properties") != nil
}

func isTextFormat(value jsontext.Value) bool {
	name, err := jsontext.AppendUnquote(nil, value)
	return err == nil && slices.Contains(formats, string(name))
}

// describe adds keywords that the subset does not have to the description.
func describe(members []member, keywords []string) []member {
	if len(keywords) == 0 {
		return members
	}
	text := "{" + strings.Join(keywords, ", ") + "}"
	for i, m := range members {
		if m.name == "description" && m.value.Kind() == '"' {
			description, _ := jsontext.AppendUnquote(nil, m.value) // replaces invalid UTF-8
			members[i].value = appendString(nil, string(description)+"\n\n"+text)
			return members
		}
	}
	return append(members, member{"description", appendString(nil, text)})
}

// closeMembers rewrites the schemas that are the members of an object.
func (c *schemaCloser) closeMembers(raw jsontext.Value, path string) (out jsontext.Value, isChanged bool, err error) {
	members, ok := c.membersOf(raw)
	if !ok {
		return nil, false, conversation.UnsupportedPath(path)
	}
	for i, m := range members {
		var isEdited bool
		if members[i].value, isEdited, err = c.closeSchema(m.value, path+"."+m.name); err != nil {
			return nil, false, err
		}
		isChanged = isChanged || isEdited
	}
	return objectOf(members), isChanged, nil
}

// closeList rewrites the schemas of a list.
func (c *schemaCloser) closeList(raw jsontext.Value, path string) (array jsontext.Value, isChanged bool, err error) {
	var schemas []jsontext.Value
	if !c.countRead(raw) || json.Unmarshal(raw, &schemas, lenient, jsontext.AllowDuplicateNames(true)) != nil {
		return nil, false, conversation.UnsupportedPath(path)
	}
	for i := range schemas {
		var isEdited bool
		if schemas[i], isEdited, err = c.closeSchema(schemas[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return nil, false, err
		}
		isChanged = isChanged || isEdited
	}
	return arrayOf(schemas), isChanged, nil
}

// arrayOf returns the values as a JSON array.
func arrayOf(values []jsontext.Value) jsontext.Value {
	out := jsontext.Value{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// typeOfKeyword has the keywords that concern values of one type only, with that type.
var typeOfKeyword = map[string]string{
	"properties": "object", "required": "object", "additionalProperties": "object", "items": "array",
	"minItems": "array", "maxItems": "array", "format": "string",
	"pattern": "string", "minLength": "string", "maxLength": "string",
}

// sharedKeywords stay outside of the schemas for each type.
var sharedKeywords = []string{"description", "title", "$defs", "definitions"}

// closeTypes rewrites a schema of several types into one schema for each type.
func (c *schemaCloser) closeTypes(members []member, kinds jsontext.Value, path string) (jsontext.Value, error) {
	var names []string
	if err := json.Unmarshal(kinds, &names); err != nil || len(names) == 0 || len(names) > len(kindsOfType) {
		return nil, conversation.UnsupportedPath(path + ".type")
	}
	var schemas []jsontext.Value
	var shared []member
	for _, m := range members {
		if slices.Contains(sharedKeywords, m.name) {
			shared = append(shared, m)
		}
	}
	for _, name := range names {
		variant := []member{{"type", appendString(nil, name)}}
		for _, m := range members {
			kind := typeOfKeyword[m.name]
			switch {
			case m.name == "type", slices.Contains(sharedKeywords, m.name), kind != "" && kind != name:
			case m.name == "enum":
				if values := valuesOfType(m.value, name); values != nil {
					variant = append(variant, member{"enum", values})
				}
			default:
				variant = append(variant, m)
			}
		}
		schema, _, err := c.closeSchema(objectOf(variant), path)
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, schema)
	}
	for i, m := range shared {
		if m.name == "$defs" || m.name == "definitions" {
			var err error
			if shared[i].value, _, err = c.closeMembers(m.value, path+"."+m.name); err != nil {
				return nil, err
			}
		}
	}
	return objectOf(append(shared, member{"anyOf", arrayOf(schemas)})), nil
}

// kindsOfType has the kinds of JSON values of each type.
var kindsOfType = map[string]string{"string": `"`, "null": "n", "boolean": "tf", "number": "0", "integer": "0",
	"object": "{", "array": "["}

// valuesOfType returns the values of an enum that have the type, nil for none.
func valuesOfType(enum jsontext.Value, name string) jsontext.Value {
	var values, matches []jsontext.Value
	if json.Unmarshal(enum, &values, lenient) != nil {
		return nil
	}
	for _, v := range values {
		if strings.ContainsRune(kindsOfType[name], rune(v.Kind())) {
			matches = append(matches, v)
		}
	}
	if len(matches) == 0 {
		return nil
	}
	return arrayOf(matches)
}

// checkReferences refuses references that lead back to a schema that contains them, and those outside the document,
// which the API does not support. It visits definitions where they are used.
func (c *schemaCloser) checkReferences(raw jsontext.Value, path string) error {
	if !c.countRead(raw) {
		return conversation.UnsupportedPath(path)
	}
	switch raw.Kind() {
	case '[':
		var values []jsontext.Value
		if err := json.Unmarshal(raw, &values, lenient, jsontext.AllowDuplicateNames(true)); err != nil {
			return conversation.UnsupportedPath(path)
		}
		for i, v := range values {
			if err := c.checkReferences(v, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case '{':
		members, _ := membersOf(raw)
		for _, m := range members {
			memberPath := path + "." + m.name
			var err error
			switch {
			case m.name == "$ref" && m.value.Kind() == '"':
				err = c.checkReference(m.value, memberPath)
			case m.name == "$defs", m.name == "definitions", m.name == "enum", m.name == "const", m.name == "default",
				m.name == "examples":
			default:
				err = c.checkReferences(m.value, memberPath)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// checkReference checks one reference and the schema that it names.
func (c *schemaCloser) checkReference(raw jsontext.Value, path string) error {
	name, _ := jsontext.AppendUnquote(nil, raw) // replaces invalid UTF-8
	ref := string(name)
	target := c.resolve(ref)
	if target == nil || slices.Contains(c.open, ref) {
		return conversation.UnsupportedPath(path)
	}
	c.open = append(c.open, ref)
	err := c.checkReferences(target, path)
	c.open = c.open[:len(c.open)-1]
	if err != nil {
		return conversation.UnsupportedPath(path)
	}
	return nil
}

// resolve returns the schema that a reference within the document names, nil for none and for the whole document.
func (c *schemaCloser) resolve(ref string) jsontext.Value {
	pointer, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil
	}
	members, value := c.root, jsontext.Value(nil)
	for key := range strings.SplitSeq(pointer, "/") {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if value.Kind() == '[' {
			var values []jsontext.Value
			n, err := strconv.Atoi(key)
			if json.Unmarshal(value, &values, lenient) != nil || err != nil || n < 0 || n >= len(values) {
				return nil
			}
			value = values[n]
		} else {
			value = valueOf(members, key)
		}
		members, _ = c.membersOf(value)
	}
	return value
}

// enforceable returns whether a schema is enforced upstream: the client asks for it, and OpenAI can enforce the schema.
// OpenAI requires that all properties are required, this API does not.
func enforceable(setting *bool, schema jsontext.Value) *bool {
	if setting == nil || !*setting {
		return setting
	}
	c := schemaCloser{budget: maxReadings * len(schema)}
	strict := len(schema) <= maxSchema && c.requiresAll(schema)
	return &strict
}

// requiresAll reports whether all objects of a schema are closed and require all of their properties. It is false
// beyond the bounds.
func (c *schemaCloser) requiresAll(raw jsontext.Value) bool {
	if !c.countRead(raw) {
		return false
	}
	if raw.Kind() == '[' {
		var values []jsontext.Value
		return json.Unmarshal(raw, &values, lenient) == nil &&
			!slices.ContainsFunc(values, func(v jsontext.Value) bool { return !c.requiresAll(v) })
	}
	members, ok := membersOf(raw)
	if !ok {
		return true
	}
	if isObjectSchema(members) && !isClosed(members) {
		return false
	}
	return !slices.ContainsFunc(members,
		func(m member) bool { return m.name != "enum" && m.name != "const" && !c.requiresAll(m.value) })
}

// isClosed reports whether the schema of an object allows no other properties and requires all.
func isClosed(members []member) bool {
	var names []string
	if list := valueOf(members, "required"); list != nil && json.Unmarshal(list, &names) != nil {
		return false
	}
	isRequired := make(map[string]bool, len(names))
	for _, name := range names {
		isRequired[name] = true
	}
	properties, _ := membersOf(valueOf(members, "properties"))
	optional := func(p member) bool { return !isRequired[p.name] }
	return string(valueOf(members, "additionalProperties")) == "false" && !slices.ContainsFunc(properties, optional)
}
