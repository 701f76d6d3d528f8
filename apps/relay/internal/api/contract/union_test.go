package contract

import (
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/web"
)

// A value of a discriminator must be a constant of its variant and of no other, so that exactly one variant is valid.
func TestUnions_HaveAVariantForEachConstant(t *testing.T) {
	t.Parallel()
	api := web.NewAPI(http.NewServeMux(), web.Info{Title: "Test", Version: "v1"})
	for _, root := range []func(huma.API) *huma.Schema{
		Ref[ChatCompletionRequest], Ref[ChatCompletion], Ref[ChatCompletionChunk],
		Ref[ResponseRequest], Ref[Response], Ref[ResponseStreamEvent], Ref[ResponseItemList],
		Ref[InputTokenCountRequest], Ref[CompactRequest], Ref[CompactedResponse],
	} {
		root(api)
	}
	Finish(api)
	schemas, unions := api.OpenAPI().Components.Schemas, 0
	for name, schema := range schemas.Map() {
		if schema.Discriminator == nil {
			continue
		}
		unions++
		property, constants := schema.Discriminator.PropertyName, map[string]string{}
		for _, variant := range schema.OneOf {
			described := schemas.SchemaFromRef(variant.Ref).Properties[property]
			if described == nil {
				t.Errorf("%s: %s has no property %s", name, variant.Ref, property)
				continue
			}
			for _, constant := range described.Enum {
				value, _ := constant.(string)
				if constants[value] != "" {
					t.Errorf("%s: %s and %s both have the constant %s", name, constants[value], variant.Ref, value)
				}
				constants[value] = variant.Ref
			}
		}
		for value, ref := range schema.Discriminator.Mapping {
			if constants[value] != ref && value != other {
				t.Errorf("%s: maps %s to %s, want %s", name, value, ref, constants[value])
			}
			delete(constants, value)
		}
		for value, ref := range constants {
			t.Errorf("%s: does not map %s to %s", name, value, ref)
		}
	}
	if unions < 30 {
		t.Errorf("got %d unions, want at least 30", unions)
	}
}
