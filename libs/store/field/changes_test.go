package field_test

import (
	"fmt"
	"testing"

	"github.com/tollgate/tollgate/libs/store/field"
)

func TestChanges_KeepTheValuesBefore(t *testing.T) {
	name, status, same, list := "a", "enabled", "x", []string{"m1"}
	newName, newStatus, newList := "b", "disabled", []string{"m2", "m3"}
	changed := field.Changes{}
	field.Assign(changed, "name", &name, &newName)
	field.Assign(changed, "status", &status, &newStatus)
	field.Assign(changed, "same", &same, &same)
	field.Assign(changed, "absent", &same, nil)
	field.AssignList(changed, "models", &list, &newList)
	changed["secret"] = true

	if got := fmt.Sprint(changed.Names()); got != "[models name secret status]" {
		t.Errorf("got the names %s", got)
	}
	after, before := field.SplitChanges(asStored(changed))
	if got := fmt.Sprint(after); got != "map[models:[m2 m3] name:b secret:true status:disabled]" {
		t.Errorf("got after %s", got)
	}
	if got := fmt.Sprint(before); got != "map[models:[m1] name:a status:enabled]" {
		t.Errorf("got before %s", got)
	}
	changed.Forget()
	if _, before := field.SplitChanges(asStored(changed)); len(before) != 0 {
		t.Errorf("got before %v, want nothing", before)
	}
	if after, before := field.SplitChanges(nil); after == nil || before == nil {
		t.Error("the fields of an entry without detail are nil")
	}
}

// asStored returns changes as a column of JSON returns them: their maps have no type of their own.
func asStored(changed field.Changes) map[string]any {
	stored := map[string]any{}
	for name, value := range changed {
		if inner, is := value.(field.Changes); is {
			value = map[string]any(inner)
		}
		stored[name] = value
	}
	return stored
}
