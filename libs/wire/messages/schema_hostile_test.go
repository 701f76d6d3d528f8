package messages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Each schema is read once, however many of them a tool combines.
func TestObjectSchemaOf_BoundsItsWork(t *testing.T) {
	const many = 20_000
	refer := strings.Repeat(`{"$ref":"#/$defs/d"},`, many)
	var properties strings.Builder
	for i := range many {
		fmt.Fprintf(&properties, `"p%d[]":{"$ref":"#/$defs/d"},`, i)
	}
	schema := `{"anyOf":[` + refer + `{}],"$defs":{"d":{"properties":{` + properties.String() + `"z":{}}}}}`
	got, keys, err := objectSchemaOf(jsontext.Value(schema), "tools[0].parameters")
	if err != nil || len(keys) != many+1 || len(got) > 4*len(schema) {
		t.Errorf("got %d bytes of %d, %d names, %v", len(got), len(schema), len(keys), err)
	}
}

// A client can write a schema whose parts repeat each other without end. Each of these would be read for hours without
// bounds.
func TestClosedSchema_BoundsItsWork(t *testing.T) {
	var doubled strings.Builder // each definition refers to the next one twice
	for i := range 60 {
		fmt.Fprintf(&doubled,
			`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}},"additionalProperties":false},`, i, i+1, i+1)
	}
	types := `{"type":["string","null","boolean","number","integer","array","object"],"anyOf":[`
	for name, schema := range map[string]string{
		"references that double":    `{"$defs":{` + doubled.String() + `"d60":{"type":"string"}},"$ref":"#/$defs/d0"}`,
		"types within types":        strings.Repeat(types, 60) + `{"type":"string"}` + strings.Repeat("]}", 60),
		"more types than there are": `{"type":[` + strings.Repeat(`"string",`, 10_000) + `"null"]}`,
		"deep": strings.Repeat(`{"type":"object","properties":{"a":`, 900) + `{"type":"string"}` +
			strings.Repeat("}}", 900),
		"large": `{"type":"object","properties":{},"description":"` + strings.Repeat("x", maxSchema) + `"}`,
	} {
		if closed, err := closedSchema(jsontext.Value(schema), "tools[0].parameters"); err == nil {
			t.Errorf("%s: got %d bytes, want an error", name, len(closed))
		}
		asked := true
		_ = enforceable(&asked, jsontext.Value(schema)) // ends, too
	}
	closed, err := closedSchema(jsontext.Value(strings.Repeat(`{"type":"object","properties":{"a":`, 10)+
		`{"type":"string"}`+strings.Repeat("}}", 10)), "p")
	if err != nil || strings.Count(string(closed), "additionalProperties") != 10 {
		t.Errorf("ten levels: got %s, %v", closed, err)
	}
}
