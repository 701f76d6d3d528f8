package field

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// The most bytes of JSON that Brief leaves: of the object, and of each of its values if the object has more. The
// smaller bound of values applies only if the greater one does not suffice.
const (
	briefObject = 8 << 10
	briefValue  = 1 << 10
	briefest    = 128
)

// Brief returns an object for a JSON column with at most some KiB of text. In a greater one it replaces long values,
// those under the name previous too, by
//
//	{"count": 1000, "sha256": "..."}    for a list or an object: the number of its entries
//	{"bytes": 5000, "sha256": "..."}    for another value: the length of its JSON
//
// with the hash of their JSON, in which the keys of objects are sorted, so that a person who has the value can compare
// it. It returns an error for an object that JSON cannot hold.
func Brief(object map[string]any) (map[string]any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode the object: %w", err)
	}
	if len(text) <= briefObject {
		return object, nil
	}
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("decode the object: %w", err)
	}
	for _, limit := range []int{briefValue, briefest} {
		size, err := shorten(document, limit)
		if err != nil || size <= briefObject {
			return document, err
		}
	}
	return briefValueOf(document, text), nil // too many values: no object of the product
}

// shorten replaces the values with more than so many bytes of JSON, and returns the size of the object then.
func shorten(object map[string]any, limit int) (size int, err error) {
	for name, value := range object {
		if inner, ok := value.(map[string]any); ok && name == previous {
			if _, err := shorten(inner, limit); err != nil {
				return 0, err
			}
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return 0, fmt.Errorf("encode the field %s: %w", name, err)
		}
		if len(text) > limit {
			object[name] = briefValueOf(value, text)
		}
	}
	text, err := json.Marshal(object)
	return len(text), err
}

// briefValueOf describes a value by its size and the hash of its JSON.
func briefValueOf(value any, text []byte) map[string]any {
	sum := sha256.Sum256(text)
	brief := map[string]any{"sha256": hex.EncodeToString(sum[:])}
	switch value := value.(type) {
	case []any:
		brief["count"] = len(value)
	case map[string]any:
		brief["count"] = len(value)
	default:
		brief["bytes"] = len(text)
	}
	return brief
}
