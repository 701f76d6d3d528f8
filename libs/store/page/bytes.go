package page

import (
	"reflect"
	"time"
)

// Bytes returns about how many bytes a value takes in JSON: those of its texts, lists and maps and of the names of its
// fields, and a few for each other value. It follows pointers, and reads fields that are not exported too.
func Bytes(v any) int { return bytesOf(reflect.ValueOf(v)) }

// wordBytes counts for a value without a length, such as a number or a time in a struct.
const wordBytes = 8

func bytesOf(v reflect.Value) int {
	total := wordBytes
	if v.IsValid() && v.Type() == reflect.TypeFor[time.Time]() {
		return len(time.RFC3339Nano) // its fields hold a time zone
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return bytesOf(v.Elem())
		}
	case reflect.String:
		total += v.Len()
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return total + v.Len()
		}
		for i := range v.Len() {
			total += bytesOf(v.Index(i))
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			total += bytesOf(entry.Key()) + bytesOf(entry.Value())
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			if value.Kind() != reflect.Pointer || !value.IsNil() { // most of these are left out
				total += len(field.Name) + bytesOf(value)
			}
		}
	default:
	}
	return total
}
