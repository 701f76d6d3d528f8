package field

import (
	"maps"
	"slices"
)

// Changes are the fields that a mutation changed, with their new values, for the audit log. They never hold a
// secret. Under the name previous they hold the values that the fields had before, as far as these are known.
type Changes map[string]any

// previous is the name in Changes of the earlier values. No field has this name.
const previous = "previous"

// Note adds a field with its new value and the value before.
func (c Changes) Note(name string, before, after any) {
	c[name] = after
	notes, _ := c[previous].(Changes)
	if notes == nil {
		notes = Changes{}
		c[previous] = notes
	}
	notes[name] = before
}

// Names returns the names of the fields, sorted.
func (c Changes) Names() []string {
	names := slices.Sorted(maps.Keys(c))
	return slices.DeleteFunc(names, func(name string) bool { return name == previous })
}

// Forget removes the earlier values, because a new object has none.
func (c Changes) Forget() { delete(c, previous) }

// SplitChanges returns the new values and the earlier ones of Changes that were stored as JSON. Neither is nil.
func SplitChanges(changes map[string]any) (after, before map[string]any) {
	after = maps.Clone(changes)
	before, _ = changes[previous].(map[string]any)
	if after == nil {
		after = map[string]any{}
	}
	if before == nil {
		before = map[string]any{}
	}
	delete(after, previous)
	return after, before
}

// Check returns err, the result of checking the field of the name, if the field changed, and nil otherwise. So a value
// that an earlier release accepted does not prevent other changes.
func (c Changes) Check(name string, err error) error {
	if _, ok := c[name]; ok {
		return err
	}
	return nil
}

// Assign sets a field to the value of a patch, and adds it to changes under the name if it differs. A nil value
// means that the patch does not name the field.
func Assign[T comparable](changes Changes, name string, field, value *T) {
	if value != nil && *value != *field {
		changes.Note(name, *field, *value)
		*field = *value
	}
}

// AssignList does the same as Assign for lists. It copies the list.
func AssignList[T comparable](changes Changes, name string, field, value *[]T) {
	if value != nil && !slices.Equal(*value, *field) {
		before := *field
		*field = slices.Clone(*value)
		changes.Note(name, before, *field)
	}
}

// AssignMap does the same as Assign for maps. It copies the map.
func AssignMap(changes Changes, name string, field, value *map[string]string) {
	if value != nil && !maps.Equal(*value, *field) {
		before := *field
		*field = maps.Clone(*value)
		changes.Note(name, before, *field)
	}
}
