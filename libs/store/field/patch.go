package field

import (
	"maps"
	"slices"
)

// Changes are the fields that a mutation changed, with their new values, for the audit log. They never hold a
// secret.
type Changes map[string]any

// Check returns err, the result of checking the field of the name, if the field changed, and nil otherwise. So a value
// that an earlier release accepted does not prevent other changes.
func (c Changes) Check(name string, err error) error {
	if _, changed := c[name]; changed {
		return err
	}
	return nil
}

// Assign sets a field to the value of a patch, and adds it to changed under the name if it differs. A nil value
// means that the patch does not name the field.
func Assign[T comparable](changed Changes, name string, field, value *T) {
	if value != nil && *value != *field {
		*field = *value
		changed[name] = *value
	}
}

// AssignList does the same as Assign for lists. It copies the list.
func AssignList[T comparable](changed Changes, name string, field, value *[]T) {
	if value != nil && !slices.Equal(*value, *field) {
		*field = slices.Clone(*value)
		changed[name] = *field
	}
}

// AssignMap does the same as Assign for maps. It copies the map.
func AssignMap(changed Changes, name string, field, value *map[string]string) {
	if value != nil && !maps.Equal(*value, *field) {
		*field = maps.Clone(*value)
		changed[name] = *field
	}
}
