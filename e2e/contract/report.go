package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// exemption is a difference that is not reported.
type exemption struct {
	operation, what, value string // parts of the texts of a difference; "" matches all
	model                  string // beginning of the model of the request; "" matches all
	reason                 string
}

// exemptions lists differences that are meant, and those that the document cannot express.
var exemptions = []exemption{
	{
		"POST /v1/chat/completions", "answer with 200 at /usage: got null", "", "",
		"an upstream of a test reports no usage, and the relay passes the answer unchanged",
	},
	{
		"POST /v1/chat/completions", "answer with 200 at /usage: missing property 'total_tokens'",
		`"reasoning_tokens":1e+30`, "",
		"an upstream of a test reports impossible counts, and the relay passes the answer unchanged",
	},
	{
		"POST /v1/chat/completions", "/usage/prompt_tokens_details/cached_tokens: got string", `"64"`, "",
		"as above",
	},
	{
		"", "the request header X-Tollgate-Tag-", "", "",
		"the header's name has the name of the tag, which the document can only say in words",
	},
	{
		"POST /v1/responses", "request at : additional properties 'client_metadata' not allowed", "", "",
		"Codex sends it, and OpenAI's API does not document it",
	},
	{
		"POST /v1/chat/completions", "additional properties 'index' not allowed (ChatFunctionCall)", "", "",
		"LangChain sends calls in the form of a stream's pieces",
	},
	{
		"POST /v1/chat/completions", "additional properties 'name' not allowed (ChatToolMessage)", "", "",
		"LangChain sends the name of the tool, which OpenAI's API does not have there",
	},
	{
		"POST /v1/chat/completions",
		"request at /messages/*/content: 'anyOf' failed (ChatAssistantMessage/properties/content)",
		`"role":"assistant"`, "",
		"LangChain writes the fields of a message into its first part too",
	},
	{
		"POST /v1/chat/completions", "request at : additional properties", `"zeta":`, "",
		"a test sends fields that no document names",
	},
	{
		"POST /v1/chat/completions", "additional properties 'k' not allowed", `"k":[1`, "",
		"as above",
	},
	{
		"POST /v1/chat/completions", "additional properties 'x' not allowed", `"x":`, "",
		"as above",
	},
	{
		"GET /v1/openapi.", "the operation is not documented", "", "",
		"the document does not describe itself, so that generated clients have no methods for it",
	},
	{
		"POST /v1/", "", "", "compatible-",
		"the worked bills have answers of servers that report more than OpenAI, or in other places, and the relay " +
			"passes answers unchanged",
	},
	{
		"POST /v1/", "", "", "edges-",
		"as above; some of these answers are broken on purpose",
	},
}

// exempt reports whether a difference is on the list.
func exempt(f finding, subject, value string) bool {
	return slices.ContainsFunc(exemptions, func(e exemption) bool {
		return strings.Contains(f.operation, e.operation) && strings.Contains(subject, e.what) &&
			strings.Contains(value, e.value) &&
			(e.model == "" || bytes.Contains(f.x.Body, []byte(`"model":"`+e.model)))
	})
}

var english = message.NewPrinter(language.English)

// report records each cause of a failed validation with its place in the value.
func (c *Checker) report(f finding, part string, err error, value any) {
	var validation *jsonschema.ValidationError
	if !errors.As(err, &validation) {
		c.add(f, part+": "+err.Error(), "")
		return
	}
	for _, cause := range causes(validation) {
		element := find(value, cause.InstanceLocation)
		text, _ := json.Marshal(element) //nolint:errchkjson // it was JSON
		c.add(f, fmt.Sprintf("%s at %s: %s", part, place(cause.InstanceLocation), explain(cause)), string(text))
	}
}

// place returns a JSON pointer with * in the place of indexes of arrays.
func place(location []string) string {
	var text strings.Builder
	for _, key := range location {
		if _, err := strconv.Atoi(key); err == nil {
			key = "*"
		}
		text.WriteString("/" + key)
	}
	return text.String()
}

// find returns the value at a JSON pointer.
func find(value any, location []string) any {
	for _, key := range location {
		switch within := value.(type) {
		case object:
			value = within[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(within) {
				return nil
			}
			value = within[i]
		}
	}
	return value
}

// explain returns the rule that a value breaks.
func explain(cause *jsonschema.ValidationError) string {
	text := cause.ErrorKind.LocalizedString(english)
	if _, fragment, ok := strings.Cut(cause.SchemaURL, "#/components/schemas/"); ok {
		text += " (" + fragment + ")"
	}
	return text
}

// causes returns the errors that explain a failure best: of a union, those of the variant with the value's
// discriminator, or the union itself if no variant has it.
func causes(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var leaves []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		if isUnion(e) && discriminated(cause, len(e.InstanceLocation)) {
			continue
		}
		leaves = append(leaves, causes(cause)...)
	}
	if len(leaves) == 0 || isUnion(e) && len(leaves) > 6 {
		return []*jsonschema.ValidationError{e}
	}
	return leaves
}

func isUnion(e *jsonschema.ValidationError) bool {
	switch e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		return true
	}
	return false
}

// discriminated reports whether a variant of a union is not meant: the value has another type, or another
// discriminator.
func discriminated(variant *jsonschema.ValidationError, depth int) bool {
	for _, cause := range variant.Causes {
		if discriminated(cause, depth) {
			return true
		}
	}
	if len(variant.Causes) > 0 {
		return false
	}
	if _, ok := variant.ErrorKind.(*kind.Type); ok && len(variant.InstanceLocation) == depth {
		return true
	}
	return len(variant.InstanceLocation) == depth+1 && slices.Contains(discriminators, variant.InstanceLocation[depth])
}
