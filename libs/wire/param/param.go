// Package param has what the dialects share to read the fields of request bodies, and the problems of fields that are
// absent or have the wrong type. A path names a field in the form that clients know, such as messages[0].role.
package param

import (
	stdjson "encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Missing returns the problem of a required field that is absent.
func Missing(path string) error {
	return problem.New(problem.MissingParameter, "Missing required parameter: '%s'.", path).At(path)
}

// Invalid returns the problem of a field with the wrong type or value. want is a phrase for the accepted types or
// values. path is "" for the whole body.
func Invalid(path, want string) error {
	if path == "" {
		return problem.New(problem.InvalidType, "Invalid type: expected %s.", want)
	}
	return problem.New(problem.InvalidType, "Invalid type for '%s': expected %s.", path, want).At(path)
}

// Element returns the path of element i of the array at path.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Given reports whether a field was sent and is not null.
func Given(raw jsontext.Value) bool { return len(raw) > 0 && raw.Kind() != 'n' }

// Number returns the number at path as it is spelled, or "" if it was not given.
func Number(raw jsontext.Value, path string) (stdjson.Number, error) {
	switch {
	case !Given(raw):
		return "", nil
	case raw.Kind() != '0':
		return "", Invalid(path, "a number")
	}
	return stdjson.Number(raw), nil
}

// Count returns the whole number of 1 or more at path, which is required. A number beyond 64 bits counts as the largest
// one.
func Count(raw jsontext.Value, path string) (int64, error) {
	if !Given(raw) {
		return 0, Missing(path)
	}
	count, err := strconv.ParseInt(string(raw), 10, 64)
	if errors.Is(err, strconv.ErrRange) && count > 0 {
		return math.MaxInt64, nil
	}
	if err != nil || count < 1 {
		return 0, Invalid(path, "a positive integer")
	}
	return count, nil
}

// Want is the error of an UnmarshalJSONFrom method that does not accept a value's JSON type. It is a phrase for the
// types that it accepts.
type Want string

// Error returns the phrase after "expected".
func (w Want) Error() string { return "expected " + string(w) }

// Problem returns the problem of an error of json.Unmarshal: InvalidType or InvalidJSON. path is that of the value that
// was decoded, "" for the whole body.
func Problem(err error, path string) error {
	if fault := new(json.SemanticError); errors.As(err, &fault) {
		return Invalid(pathBelow(path, fault.JSONPointer), expected(fault))
	}
	if syntax := new(jsontext.SyntacticError); errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName) {
		at := pathBelow(path, syntax.JSONPointer)
		return problem.New(problem.InvalidJSON, "The body has the key '%s' more than once. Send it once.", at).At(at)
	}
	return problem.Wrap(problem.InvalidJSON, err)
}

// pathBelow returns the path of the value at a JSON pointer below path: /0/role below messages is messages[0].role.
func pathBelow(path string, pointer jsontext.Pointer) string {
	var b strings.Builder
	b.WriteString(path)
	for token := range pointer.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 32); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

// expected returns a phrase for the JSON type that the field must have.
func expected(fault *json.SemanticError) string {
	var w Want
	if errors.As(fault.Err, &w) {
		return string(w)
	}
	if fault.GoType == nil {
		return "another value"
	}
	switch fault.GoType.Kind() { //nolint:exhaustive // all other types are objects
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int64:
		return "an integer"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}
