package api

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/libs/core/moment"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// mostInteger is the greatest integer of a request: up to it, programs that read JSON numbers as floating-point
// numbers, such as the console's pages, read each integer exactly.
const mostInteger = 1<<53 - 1

// checkParameters is the middleware that checks the query and the path of a request as checkInput checks its body.
// Times are read from the text, because a parameter that is absent is the zero time for the handler.
func (a *API) checkParameters(ctx huma.Context, next func(huma.Context)) {
	if err := parameterError(ctx); err != nil {
		a.Refuse(ctx, err)
		return
	}
	next(ctx)
}

func parameterError(ctx huma.Context) error {
	request, _ := humago.Unwrap(ctx)
	for name, values := range request.URL.Query() {
		for _, value := range values {
			if err := checkText(value, name); err != nil {
				return err
			}
		}
	}
	for _, parameter := range ctx.Operation().Parameters {
		value := ctx.Query(parameter.Name)
		if parameter.In == "path" {
			value = ctx.Param(parameter.Name)
		}
		if err := checkText(value, parameter.Name); err != nil {
			return err
		}
		if parameter.Schema == nil || parameter.Schema.Format != "date-time" {
			continue
		}
		if at, err := time.Parse(time.RFC3339Nano, value); err == nil { // Huma refuses other texts
			if err := moment.Check(at); err != nil {
				return problem.From(err).At(parameter.Name)
			}
		}
	}
	return nil
}

// holder is a value of a request whose content reflection cannot read: Optional and Nullable.
type holder interface{ content() any }

// checkInput returns an InvalidType problem that names the first field of a decoded body that a layer behind the
// decoder could not store or write: a time outside of the years 1970 to 9998 in UTC, a text with a NUL character or
// with invalid UTF-8, or an integer beyond 2^53. So no handler and no type of body can forget the check. input is a
// pointer to the input of an operation.
func checkInput(input any) error {
	body := reflect.ValueOf(input).Elem().FieldByName("Body")
	if !body.IsValid() {
		return nil
	}
	return checkValue(body.Addr(), "")
}

func checkValue(v reflect.Value, at string) error {
	if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return nil
	}
	if v.CanInterface() {
		switch value := v.Interface().(type) {
		case time.Time:
			if err := moment.Check(value); err != nil {
				return problem.From(err).At(at)
			}
			return nil
		case holder:
			return checkValue(reflect.ValueOf(value.content()), at)
		case json.RawMessage:
			return checkRaw(value, at)
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return checkValue(v.Elem(), at)
	case reflect.String:
		return checkText(v.String(), at)
	case reflect.Int, reflect.Int64:
		if n := v.Int(); !writesItself(v) && (n > mostInteger || n < -mostInteger) {
			return problem.New(problem.InvalidType, "The number must be from -%d to %d.", mostInteger, mostInteger).
				At(at)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 { // bytes, and ids
			return nil
		}
		for i := range v.Len() {
			if err := checkValue(v.Index(i), at+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	case reflect.Map:
		return checkMap(v, at)
	case reflect.Struct:
		if !writesItself(v) { // the type reads its own text, and checks it
			return checkStruct(v, at)
		}
	default:
	}
	return nil
}

func checkMap(v reflect.Value, at string) error {
	for entry := v.MapRange(); entry.Next(); {
		if err := checkValue(entry.Key(), at); err != nil {
			return err
		}
		if err := checkValue(entry.Value(), join(at, entry.Key().String())); err != nil {
			return err
		}
	}
	return nil
}

func checkStruct(v reflect.Value, at string) error {
	for field, value := range v.Fields() {
		if !field.IsExported() && !field.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.Contains(options, "omit") && value.IsZero() {
			continue // absent, or of the same meaning
		}
		if value.CanAddr() && value.Kind() == reflect.Struct && reflect.PointerTo(field.Type).
			Implements(reflect.TypeFor[holder]()) {
			value = value.Addr()
		}
		path := at
		if !field.Anonymous {
			path = join(at, name)
		}
		if err := checkValue(value, path); err != nil {
			return err
		}
	}
	return nil
}

// writesItself reports whether the type of the value has a JSON form of its own, such as amounts of money.
func writesItself(v reflect.Value) bool {
	pointer := reflect.PointerTo(v.Type())
	return pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) ||
		pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// checkRaw checks the texts of a JSON value that the decoder has left as it is.
func checkRaw(raw json.RawMessage, at string) error {
	if len(raw) == 0 {
		return nil // absent
	}
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return problem.New(problem.InvalidType, "The value must be valid JSON.").At(at)
	}
	return checkValue(reflect.ValueOf(&value), at)
}

// checkText returns an InvalidType problem for a text that Postgres refuses.
func checkText(text, at string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return problem.New(problem.InvalidType, "The text must be valid UTF-8 without NUL characters.").At(at)
	}
	return nil
}

// join returns the path of a field in the value at a path.
func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
