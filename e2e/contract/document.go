// Package contract compares the relay's traffic and the types of OpenAI's SDKs with openapi/relay.yaml.
//
// A Checker compares requests and answers with the document. A Tap is a TCP proxy in front of a relay that gives a
// Checker a copy of everything that passes. Missing compares the types of an SDK with the document, field by field.
package contract

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tollgate/tollgate/e2e/stack"
)

// discriminators are the properties by which the variants of OpenAI's unions differ.
var discriminators = []string{"type", "role"}

// object is a JSON object.
type object = map[string]any

// Document is an OpenAPI document.
type Document struct{ root object }

// Open reads the document of the relay from this source tree.
func Open() (*Document, error) {
	root, err := stack.Root()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, "openapi", "relay.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	var document object
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("parse %s: %w", path, err)
	}
	return &Document{root: document}, nil
}

// at returns the value at a path of keys, or nil.
func at(value any, keys ...string) any {
	for _, key := range keys {
		fields, ok := value.(object)
		if !ok {
			return nil
		}
		value = fields[key]
	}
	return value
}

// resolve follows the references of a schema within its document.
func resolve(root object, schema any) any {
	for {
		ref, ok := at(schema, "$ref").(string)
		if !ok {
			return schema
		}
		schema = any(root)
		for _, key := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			schema = at(schema, unescape(key))
		}
	}
}

// unescape returns a key of a JSON pointer in a URL fragment without escapes.
func unescape(key string) string {
	if text, err := url.PathUnescape(key); err == nil {
		key = text
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
}
