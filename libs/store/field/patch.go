package field

import (
	"maps"
	"slices"
)

// Changes are the fields that a mutation changed, for the audit log.
type Changes map[string]any

// Assign sets a field that a patch names, and notes it where that changes it.
func Assign[T comparable](changed Changes, name string, field, value *T) {
	if value != nil && *value != *field {
		*field = *value
		changed[name] = *value
	}
}

// AssignList is Assign for lists.
func AssignList[T comparable](changed Changes, name string, field, value *[]T) {
	if value != nil && !slices.Equal(*value, *field) {
		*field = slices.Clone(*value)
		changed[name] = *field
	}
}

// AssignMap is Assign for maps.
func AssignMap(changed Changes, name string, field, value *map[string]string) {
	if value != nil && !maps.Equal(*value, *field) {
		*field = maps.Clone(*value)
		changed[name] = *field
	}
}
