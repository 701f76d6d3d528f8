// Package extra adds the details of token counts that OpenAI does not have to the schemas of its usage objects. They
// are derived from tally.Details.
package extra

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// OfInput is embedded in the details of an input.
type OfInput struct{}

// TransformSchema implements huma.SchemaTransformer.
func (OfInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return with(s, (*tally.Detail).InInput)
}

// OfOutput is embedded in the details of an output.
type OfOutput struct{}

// TransformSchema implements huma.SchemaTransformer.
func (OfOutput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return with(s, func(d *tally.Detail) bool { return !d.InInput() })
}

// with adds the details that belong to the total.
func with(s *huma.Schema, belongs func(*tally.Detail) bool) *huma.Schema {
	for i := range tally.Details {
		if d := &tally.Details[i]; d.Doc != "" && belongs(d) {
			s.Properties[d.Name] = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: d.Doc}
		}
	}
	return s
}
