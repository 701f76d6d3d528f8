package console_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

// sampler makes values that match schemas of the OpenAPI document.
type sampler struct {
	testing.TB
	schemas map[string]any // the named schemas of the document
	rng     *rand.Rand
	// Values of strings and lists of strings by the name of their field; nil: the field is left out.
	known  map[string]any
	sparse bool // leave out each optional field with a probability of one half
}

// newSampler returns a sampler whose values depend on the seed and on nothing else.
func newSampler(t *testing.T, seed uint64, known map[string]any) *sampler {
	t.Helper()
	return &sampler{
		TB: t, known: known, rng: rand.New(rand.NewPCG(seed, 0)),
		schemas: consoletest.As[map[string]any](t, consoletest.At(t, document(t), "components", "schemas")),
	}
}

// body returns a valid body of the operation, or nil if the operation has none.
func (g *sampler) body(op map[string]any) any {
	g.Helper()
	request, ok := op["requestBody"].(map[string]any)
	if !ok {
		return nil
	}
	return g.value("", consoletest.At(g, request, "content", "application/json", "schema"), 0)
}

// maxDepth bounds schemas that contain themselves.
const maxDepth = 6

// value returns a value of the schema for the field with the name.
func (g *sampler) value(name string, of any, depth int) any {
	g.Helper()
	schema := consoletest.As[map[string]any](g, of)
	if reference, ok := schema["$ref"].(string); ok {
		return g.value(name, g.schemas[reference[strings.LastIndex(reference, "/")+1:]], depth+1)
	}
	if allowed, ok := schema["enum"].([]any); ok {
		if slices.Contains(allowed, g.known[name]) {
			return g.known[name]
		}
		return allowed[g.rng.IntN(len(allowed))]
	}
	kind := schema["type"]
	if several, ok := kind.([]any); ok { // such as string and null
		kind = several[0]
	}
	switch kind {
	case "object":
		return g.object(schema, depth)
	case "array":
		return g.array(name, schema, depth)
	case "string":
		return g.string(name, schema)
	case "integer", "number":
		return g.integer(schema)
	case "boolean":
		return g.rng.IntN(2) == 0
	}
	return map[string]any{"id": "x"} // any value is valid
}

// object returns an object with the required properties and with the optional ones.
func (g *sampler) object(schema map[string]any, depth int) any {
	g.Helper()
	made := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if value, ok := g.known[name]; ok && value == nil {
			continue
		}
		needed := slices.Contains(required, any(name))
		if needed || depth < maxDepth && (!g.sparse || g.rng.IntN(2) == 0) {
			made[name] = g.value(name, properties[name], depth+1)
		}
	}
	if additional, ok := schema["additionalProperties"].(map[string]any); ok && depth < maxDepth {
		made["gpt-4o-mini"] = g.value("", additional, depth+1)
	}
	return made
}

// array returns a list of the fewest items that is not empty, if one is allowed.
func (g *sampler) array(name string, schema map[string]any, depth int) any {
	g.Helper()
	if value, ok := g.known[name].([]any); ok {
		return value
	}
	if depth >= maxDepth {
		return []any{}
	}
	return []any{g.value(name, schema["items"], depth+1)}
}

// string returns the known value of the field, or a text that fits the schema.
func (g *sampler) string(name string, schema map[string]any) any {
	if value, ok := g.known[name].(string); ok {
		return value
	}
	switch {
	case schema["format"] == "uuid":
		return g.uuid()
	case schema["format"] == "date-time":
		return inAnHour.Add(time.Duration(g.rng.IntN(1000)) * time.Second).UTC().Format(time.RFC3339)
	case schema["pattern"] != nil: // all patterns allow a plain number
		return "1"
	}
	longest := 12.0
	if most, ok := number(schema["maxLength"]); ok {
		longest = min(longest, most)
	}
	text := make([]byte, 1+g.rng.IntN(max(1, int(longest))))
	for i := range text {
		text[i] = byte('a' + g.rng.IntN(26))
	}
	return string(text)
}

// uuid returns an id that no object has.
func (g *sampler) uuid() string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], g.rng.Uint64())
	binary.BigEndian.PutUint64(id[8:], g.rng.Uint64())
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80 // version 7
	return id.String()
}

// integer returns a small number within the bounds of the schema.
func (g *sampler) integer(schema map[string]any) any {
	least, ok := number(schema["minimum"])
	if !ok {
		least = 0
	}
	most, ok := number(schema["maximum"])
	if !ok {
		most = least + 100
	}
	return int64(least) + g.rng.Int64N(int64(min(most-least, 100))+1)
}

// number returns a number of the document as a float.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func TestSampler_MakesTheSameBodyForTheSameSeed(t *testing.T) {
	t.Parallel()
	operations(t, func(path, method string, op map[string]any) {
		first := fmt.Sprint(newSampler(t, 7, nil).body(op))
		if second := fmt.Sprint(newSampler(t, 7, nil).body(op)); first != second {
			t.Errorf("%s %s: got %s and %s", method, path, first, second)
		}
	})
}
