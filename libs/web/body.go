package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// maxTokens bounds the JSON tokens of a body: values, keys and brackets. A decoded value can take ten times
// the memory of its text, for example in "[[],[],[]]".
const maxTokens = 20_000

// bodyFormat is the format of JSON bodies. It refuses bodies whose decoding depends on the decoder: Huma validates a
// body as a map, in which the last of several equal keys counts, and then decodes it into a struct, in which objects
// under equal keys are merged. What the schema forbids could be hidden in the first one.
func bodyFormat() huma.Format {
	return huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshal}
}

// unmarshal decodes a body into v. Huma calls it with a pointer to an any first, for the validation.
func unmarshal(data []byte, v any) error {
	if _, first := v.(*any); first {
		if !utf8.Valid(data) { // the decoder would replace it
			return errors.New("expected a body in UTF-8")
		}
		if err := checkTokens(data); err != nil {
			return err
		}
	}
	return json.Unmarshal(data, v) //nolint:wrapcheck // Huma shows this text
}

// checkTokens returns an error for a body with too many tokens, or with equal keys in one object. It returns nil for
// other faults, which json.Unmarshal reports. fieldsOf shows messages that begin with "expected" to clients.
func checkTokens(data []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowInvalidUTF8(true))
	for range maxTokens + 1 {
		if _, err := decoder.ReadToken(); errors.Is(err, jsontext.ErrDuplicateName) {
			return errors.New("expected each key only once in an object")
		} else if err != nil {
			return nil //nolint:nilerr // the end, or a fault that json.Unmarshal reports
		}
	}
	return fmt.Errorf("expected at most %d keys, values and brackets in the body", maxTokens)
}
