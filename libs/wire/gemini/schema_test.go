package gemini_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/gemini"
)

func TestEncodeRequest_LeavesOutMembersNextToReferences(t *testing.T) {
	const color = `"$defs":{"Color":{"type":"string","enum":["red"]}}`
	for name, c := range map[string]struct{ schema, want string }{
		"a description and a default after it": {
			`{"type":"object","properties":{"c":{"$ref":"#/$defs/Color","description":"d","default":"red"},` +
				`"n":{"type":"integer"}},` + color + `}`,
			`{"type":"object","properties":{"c":{"$ref":"#/$defs/Color"},"n":{"type":"integer"}},` + color + `}`,
		},
		"members before, between and after it": {
			`{"items":{"title":"t", "default":1, "$ref":"#/a", "x":{"y":[1]}, "$comment":"c", "z":null}}`,
			`{"items":{"$ref":"#/a","$comment":"c"}}`,
		},
		"in all places of schemas": {
			`{"anyOf":[{"$ref":"#","title":"a"},true],"not":{"title":"b","$ref":"#"},"prefixItems":[{"$ref":"#","x":0}],` +
				`"$defs":{"$ref":{"$ref":"#","x":0}},"additionalProperties":{"$ref":"#","x":0},` +
				`"dependencies":{"a":["b"],"c":{"$ref":"#","x":0}}}`,
			`{"anyOf":[{"$ref":"#"},true],"not":{"$ref":"#"},"prefixItems":[{"$ref":"#"}],` +
				`"$defs":{"$ref":{"$ref":"#"}},"additionalProperties":{"$ref":"#"},"dependencies":{"a":["b"],"c":{"$ref":"#"}}}`,
		},
		"inside a member that is left out, and one that stays": {
			`{"$ref":"#/$defs/a","properties":{"p":{"$ref":"#","x":0}},"$defs":{"a":{"x":0,"$ref":"#"}},"title":"t"}`,
			`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#"}}}`,
		},
		"definitions that it may lead into": {
			`{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#","x":0}},"type":"object"}`,
			`{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#"}}}`,
		},
		"an escaped name, duplicate names and lone surrogates": {
			`{"x":"\ud800","x":"\u00e9","a":{"\u0024ref":"#","x":0},"b":{"$ref":"#","$ref":"#","x":0}}`,
			`{"x":"\ud800","x":"\u00e9","a":{"\u0024ref":"#"},"b":{"$ref":"#","$ref":"#"}}`,
		},
		"at a depth of 900": {
			strings.Repeat(`{"items":`, 900) + `{"$ref":"#","x":0}` + strings.Repeat(`}`, 900),
			strings.Repeat(`{"items":`, 900) + `{"$ref":"#"}` + strings.Repeat(`}`, 900),
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkSchema(t, c.schema, c.want, true)
			checkSchema(t, c.want, c.want, false)
		})
	}
}

func TestEncodeRequest_KeepsOtherSchemas(t *testing.T) {
	for name, schema := range map[string]string{
		"none":                        ``,
		"a bare reference":            `{"a":{"$ref":"#"},"type":"object"}`,
		"a property named $ref":       `{"properties":{"$ref":{"type":"string"},"a":{"type":"string"}},"required":["$ref"]}`,
		"a malformed property":        `{"properties":{"$ref":"#","a":true}}`,
		"a reference that is no text": `{"a":{"$ref":{"type":"string"},"x":0}}`,
		"data": `{"properties":{"a":{"enum":[{"$ref":"#","x":0}],"const":{"$ref":"#","x":0},` +
			`"default":{"a":{"$ref":"#","x":0}},"examples":[{"$ref":"#","x":0}]}}}`,
	} {
		t.Run(name, func(t *testing.T) { checkSchema(t, schema, schema, false) })
	}
}

// checkSchema checks how a schema is sent as parameters of a function and as the format of the answer, and whether both
// schemas are reported as ignored.
func checkSchema(t *testing.T, schema, want string, isIgnored bool) {
	t.Helper()
	for client, paths := range map[conversation.ClientDialect][]string{
		conversation.ClientChat:      {"tools[0].function.parameters", "response_format"},
		conversation.ClientResponses: {"tools[0].parameters", "text.format"},
		conversation.ClientMessages:  {"tools[0].input_schema", "output_config.format"},
	} {
		r := conversation.Request{Client: client,
			Format: conversation.Format{Type: conversation.FormatSchema, Schema: json.RawMessage(schema)},
			Tools:  []conversation.Tool{{Name: "f", Path: "tools[0]", Parameters: json.RawMessage(schema)}}}
		if client == conversation.ClientChat {
			r.Tools[0].ObjectPath = ".function"
		}
		body, ignored, err := gemini.EncodeRequest(withQuestion(r), gemini.Options{Model: third})
		for _, name := range []string{"parametersJsonSchema", "responseJsonSchema"} {
			if schema != "" && !strings.Contains(string(body), `"`+name+`":`+want+`}`) {
				t.Errorf("got %s, %v\nwant %s in %s", body, err, want, name)
			}
		}
		if slices.Equal(ignored, paths) != isIgnored || !isIgnored && ignored != nil {
			t.Errorf("ignored %q, want %q: %t", ignored, paths, isIgnored)
		}
	}
}

func FuzzEncodeRequest_Schema(f *testing.F) {
	f.Add(`{"a":1,"$ref":"#","b":{"c":0,"$ref":"#"},"$defs":{"d":[{"$ref":"#","x":0}]}}`)
	f.Add(`{"a":{"$ref":"#","properties":{"$ref":{"x":0,"$ref":"#"}}},"b":1,"$ref":""}`)
	f.Fuzz(func(t *testing.T, schema string) {
		format := conversation.Format{Type: conversation.FormatSchema, Schema: json.RawMessage(schema)}
		body, ignored, err := gemini.EncodeRequest(withQuestion(conversation.Request{Format: format}),
			gemini.Options{Model: third})
		if err != nil || schema == "" {
			return
		}
		var sent struct {
			Config struct {
				Schema json.RawMessage `json:"responseJsonSchema"`
			} `json:"generationConfig"`
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		format.Schema = sent.Config.Schema
		again, more, err := gemini.EncodeRequest(withQuestion(conversation.Request{Format: format}),
			gemini.Options{Model: third})
		if err != nil || more != nil || !bytes.Equal(again, body) {
			t.Errorf("%q is sent as %s without %q, and that as %s without %q, %v", schema, body, ignored, again, more,
				err)
		}
	})
}
