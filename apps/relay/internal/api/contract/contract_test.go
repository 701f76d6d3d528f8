package contract

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/web"
)

type testBody struct {
	_     struct{}            `doc:"A body"`
	Tier  *string             `json:"tier,omitempty" null:"true" known:"auto,flex"`
	Tiers []string            `json:"tiers,omitempty" known:"auto,flex"`
	Part  *testUnion          `json:"part,omitempty" null:"true" doc:"A part"`
	Group *testGroup          `json:"group,omitempty" null:"true"`
	Kinds map[string][]string `json:"kinds,omitempty" known:"text"`
}

type testUnion struct {
	oneOf[testUnion] `doc:"A text or a part"`
	Text             testText
	Parts            testParts
}

type testText string

func (testText) Schema(r huma.Registry) *huma.Schema { return named[testText](r, "A text") }

type testParts []testPart

func (testParts) Schema(r huma.Registry) *huma.Schema { return named[testParts](r, "Some parts") }

type testPart struct {
	oneOf[testPart] `doc:"A part" discriminator:"type"`
	Group           testGroup `value:"group"`
	Other           testOther `value:"other"`
}

// testGroup refers back to the union that it is part of.
type testGroup struct {
	Type  string     `json:"type" enum:"group"`
	Parts []testPart `json:"parts"`
}

type testOther struct {
	_    struct{} `without:"parts"`
	Type string   `json:"type"`
}

func TestFinish_DescribesUnionsKnownValuesAndNull(t *testing.T) {
	t.Parallel()
	api := web.NewAPI(http.NewServeMux(), web.Info{Title: "Test", Version: "v1"})
	if got := Ref[testBody](api).Ref; got != "#/components/schemas/TestBody" {
		t.Fatalf("got the reference %s", got)
	}
	Finish(api)
	got := map[string]string{}
	for name, schema := range api.OpenAPI().Components.Schemas.Map() {
		raw, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(raw)
	}
	for name, want := range map[string][]string{
		"TestBody": {
			`"additionalProperties":true`, `"description":"A body"`, `"type":["string","null"]`,
			`"x-extensible-enum":["auto","flex"]`,
			`"kinds":{"additionalProperties":{"items":{"type":"string","x-extensible-enum":["text"]},`,
			`"part":{"anyOf":[{"$ref":"#/components/schemas/TestUnion"},{"type":"null"}],"description":"A part"}`,
		},
		"TestUnion": {`"oneOf":[{"$ref":"#/components/schemas/TestText"},{"$ref":"#/components/schemas/TestParts"}]`},
		"TestText":  {`"type":"string"`, `"description":"A text"`},
		"TestParts": {`"items":{"$ref":"#/components/schemas/TestPart"}`},
		"TestPart": {
			`"discriminator":{"mapping":{"group":"#/components/schemas/TestGroup","other":"#/components/schemas/TestOther"},"propertyName":"type"}`,
			`"oneOf":[{"$ref":"#/components/schemas/TestGroup"},{"$ref":"#/components/schemas/TestOther"}]`,
		},
		"TestOther": {`"not":{"enum":["group"]}`, `"not":{"required":["parts"]}`},
	} {
		for _, part := range want {
			if !strings.Contains(got[name], part) {
				t.Errorf("%s: got %s, want it to contain %s", name, got[name], part)
			}
		}
	}
	raw, err := web.Document(api.OpenAPI(), web.Spec30, web.JSON)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"group":{"allOf":[{"$ref":"#/components/schemas/TestGroup"}],"nullable":true,"type":"object"}`,
		`"part":{"anyOf":[{"$ref":"#/components/schemas/TestUnion"},{"enum":[null],"nullable":true,"type":"string"}],"description":"A part"}`,
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("OpenAPI 3.0: got %s, want it to contain %s", raw, want)
		}
	}
}
