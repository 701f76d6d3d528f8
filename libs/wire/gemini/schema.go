package gemini

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// The keywords of JSON Schema whose value is an object of schemas, and those whose value is data of any form.
var (
	schemaMaps = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	plainData  = []string{"enum", "const", "default", "example", "examples"}
)

// schema returns a schema as Google accepts it, and reports path as ignored if something is left out.
func (e *encoder) schema(raw []byte, path string) jsontext.Value {
	schema := bareReferences(raw)
	if len(schema) != len(raw) {
		e.ignored = append(e.ignored, path)
	}
	return schema
}

// parametersPath returns the client's path of the schema of a tool.
func (e *encoder) parametersPath(t *conversation.Tool) string {
	if e.request.Client == conversation.ClientMessages {
		return t.Path + ".input_schema"
	}
	return t.Path + t.ObjectPath + ".parameters"
}

// bareReferences leaves out the members next to each `$ref`, except those whose names begin with $: Google refuses them
// (https://ai.google.dev/api/generate-content at responseJsonSchema, google-gemini/gemini-cli#4758 for functions).
// `definitions` stay, because references lead into them. All other bytes stay as they are. A malformed schema is
// returned unchanged, and one with more than the 10,000 levels that the decoder reads.
func bareReferences(schema jsontext.Value) jsontext.Value {
	if !bytes.Contains(schema, []byte(`"$ref"`)) {
		return schema
	}
	r := referenceReader{d: jsontext.NewDecoder(bytes.NewReader(schema), keepSpelling)}
	if r.readSchema() != nil {
		return schema
	}
	end := 0
	edits := slices.DeleteFunc(rawjson.InOrder(r.edits), func(e rawjson.Edit) bool {
		isInside := e.At.Start < end // of a member that is left out
		end = max(end, e.At.End)
		return isInside
	})
	return rawjson.Splice(schema, edits).Joined()
}

// referenceReader reads a schema once. edits leave out the members next to references, also inside of one another.
type referenceReader struct {
	d     *jsontext.Decoder
	edits []rawjson.Edit
}

// readSchema reads a schema, a list of schemas, or the value of another keyword.
func (r *referenceReader) readSchema() error {
	switch r.d.PeekKind() {
	case '{':
		return r.readKeywords()
	case '[':
		return r.readSchemas()
	}
	return r.d.SkipValue()
}

// readSchemas reads an array or an object whose values are schemas.
func (r *referenceReader) readSchemas() error {
	begin := r.d.PeekKind()
	_, err := r.d.ReadToken()
	for err == nil && r.d.PeekKind() != begin+2 { // the matching bracket in ASCII
		if begin == '{' {
			err = r.d.SkipValue() // the name
		}
		if err == nil {
			err = r.readSchema()
		}
	}
	if err == nil {
		_, err = r.d.ReadToken()
	}
	return err
}

// keyword is a member of a schema.
type keyword struct {
	at    rawjson.Span // with the name
	stays bool         // next to a reference
}

// readKeywords reads the object of one schema.
func (r *referenceReader) readKeywords() error {
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	var keywords []keyword
	hasReference := false
	for r.d.PeekKind() == '"' {
		raw, err := r.d.ReadValue()
		if err != nil {
			return err
		}
		start, name := int(r.d.InputOffset())-len(raw), string(rawjson.Unquote(raw))
		switch kind := r.d.PeekKind(); {
		case slices.Contains(plainData, name):
			err = r.d.SkipValue()
		case slices.Contains(schemaMaps, name) && kind == '{':
			err = r.readSchemas()
		default:
			hasReference = hasReference || name == "$ref" && kind == '"'
			err = r.readSchema()
		}
		if err != nil {
			return err
		}
		keywords = append(keywords, keyword{at: rawjson.Span{Start: start, End: int(r.d.InputOffset())},
			stays: strings.HasPrefix(name, "$") || name == "definitions"})
	}
	if hasReference {
		r.leaveOut(keywords)
	}
	_, err := r.d.ReadToken()
	return err
}

// leaveOut leaves out the keywords that do not stay, each with one comma. One of them stays.
func (r *referenceReader) leaveOut(keywords []keyword) {
	afterItem := false
	for i, k := range keywords {
		switch {
		case k.stays:
			afterItem = true
		case afterItem:
			r.edits = append(r.edits, rawjson.Edit{At: rawjson.Span{Start: keywords[i-1].at.End, End: k.at.End}})
		default:
			r.edits = append(r.edits, rawjson.Edit{At: rawjson.Span{Start: k.at.Start, End: keywords[i+1].at.Start}})
		}
	}
}
