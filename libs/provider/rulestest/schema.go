package rulestest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The names that the providers accept.
func isName(name string, limit int, extra string) bool {
	return name != "" && len(name) <= limit && strings.Trim(name, letters+"0123456789_-"+extra) == "" &&
		onlyFrom(name, letters+"0123456789_-"+extra)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func onlyFrom(text, set string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(set, r) })
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// object decodes a JSON object, and returns nil for any other value.
func object(raw json.RawMessage) map[string]any {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	return fields
}

// nodes calls visit for a schema and all schemas inside it, with their paths, until visit returns a fault.
func nodes(schema any, at string, visit func(node map[string]any, at string) *fault) *fault {
	node, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	if f := visit(node, at); f != nil {
		return f
	}
	for _, key := range slices.Sorted(maps.Keys(node)) {
		var f *fault
		switch inner := node[key].(type) {
		case map[string]any:
			switch key {
			case "properties", "$defs", "definitions", "patternProperties":
				for _, name := range slices.Sorted(maps.Keys(inner)) {
					if f == nil {
						f = nodes(inner[name], at+"."+key+"."+name, visit)
					}
				}
			case "items", "additionalProperties", "not":
				f = nodes(inner, at+"."+key, visit)
			}
		case []any:
			switch key {
			case "anyOf", "oneOf", "allOf", "prefixItems":
				for i := range inner {
					if f == nil {
						f = nodes(inner[i], fmt.Sprintf("%s.%s.%d", at, key, i), visit)
					}
				}
			}
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// isObject reports whether a schema describes objects, perhaps among other types.
func isObject(node map[string]any) bool {
	switch kind := node["type"].(type) {
	case string:
		return kind == "object"
	case []any:
		return slices.Contains(kind, any("object"))
	}
	return node["properties"] != nil
}

// closed finds an object that allows properties which it does not list.
func closed(schema json.RawMessage, at string) *fault {
	return nodes(object(schema), at, func(node map[string]any, at string) *fault {
		if isObject(node) && node["additionalProperties"] != false {
			return refuse(at, "For 'object' type, 'additionalProperties' must be explicitly set to false")
		}
		return nil
	})
}

// complete finds a property that is not required.
func complete(schema json.RawMessage, at string) *fault {
	return nodes(object(schema), at, func(node map[string]any, at string) *fault {
		properties, _ := node["properties"].(map[string]any)
		names, _ := node["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !slices.Contains(names, any(name)) {
				return refuse(at, "'required' is required to be supplied and to be an array including every key in "+
					"properties. Missing '%s'.", name)
			}
		}
		return nil
	})
}

// keywords finds a keyword that is not among the known ones.
func keywords(schema json.RawMessage, at string, names []string) *fault {
	return nodes(object(schema), at, func(node map[string]any, at string) *fault {
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if !slices.Contains(names, key) {
				return refuse(at, "property '%s' is not supported", key)
			}
		}
		return nil
	})
}

// recursive finds a reference that leads back to a schema around it, or outside the document.
func recursive(schema json.RawMessage, at string) *fault {
	root := object(schema)
	var follow func(node any, open []string) bool
	follow = func(node any, open []string) bool {
		return nodes(node, "", func(node map[string]any, _ string) *fault {
			ref, ok := node["$ref"].(string)
			if !ok {
				return nil
			}
			target, hasTarget := resolve(root, ref)
			if !hasTarget || slices.Contains(open, ref) || follow(target, append(slices.Clone(open), ref)) {
				return refuse("", "recursive")
			}
			return nil
		}) != nil
	}
	definitions := maps.Clone(root) // definitions count where they are used
	delete(definitions, "$defs")
	delete(definitions, "definitions")
	if follow(definitions, []string{"#"}) {
		return refuse(at, "Circular or external references are not supported")
	}
	return nil
}

// resolve returns the schema that a reference names.
func resolve(root map[string]any, ref string) (any, bool) {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, false
	}
	var at any = root
	for key := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if key == "" {
			continue
		}
		node, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if at, ok = node[key]; !ok {
			return nil, false
		}
	}
	return at, true
}

// typed finds a schema without a single type.
func typed(schema json.RawMessage, at string) *fault {
	return nodes(object(schema), at, func(node map[string]any, at string) *fault {
		kind, ok := node["type"]
		if _, single := kind.(string); ok && !single {
			return refuse(at, "'type' must be a string")
		}
		for _, keyword := range []string{"$ref", "enum", "const", "anyOf", "allOf"} {
			ok = ok || node[keyword] != nil
		}
		if !ok {
			return refuse(at, "Schema must have a 'type', 'enum', 'anyOf', 'oneOf', or 'allOf' field.")
		}
		return nil
	})
}

func stringFormats(schema json.RawMessage, at string) *fault {
	formats := []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
	return nodes(object(schema), at, func(node map[string]any, at string) *fault {
		if name, ok := node["format"].(string); ok && !slices.Contains(formats, name) {
			return refuse(at, "String format '%s' is not supported", name)
		}
		return nil
	})
}
