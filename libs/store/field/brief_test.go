package field_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/store/field"
)

func TestBrief_ShortensOnlyLongValuesOfLargeObjects(t *testing.T) {
	long := make([]string, 1000)
	for i := range long {
		long[i] = strings.Repeat("m", 190)
	}
	small := map[string]any{"models": []string{"m1", "m2"}, "note": strings.Repeat("x", 5000)}
	if got, err := field.Brief(small); err != nil || !reflect.DeepEqual(got, small) {
		t.Errorf("got %v, %v, want the object itself", got, err)
	}
	changed := field.Changes{}
	changed.Note("models", []string{"a"}, long)
	changed.Note("name", strings.Repeat("n", 200), "new")
	changed.Note("prompt", strings.Repeat("p", 1<<20), strings.Repeat("q", 9000))
	got, err := field.Brief(changed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil || len(text) > 8<<10 {
		t.Errorf("got %d bytes (err %v), want at most 8 KiB", len(text), err)
	}
	models, _ := got["models"].(map[string]any)
	prompt, _ := got["prompt"].(map[string]any)
	if fmt.Sprint(models["count"]) != "1000" || len(fmt.Sprint(models["sha256"])) != 64 ||
		fmt.Sprint(prompt["bytes"]) != "9002" || got["name"] != "new" {
		t.Errorf("got %s", text)
	}
	_, before := field.SplitChanges(got)
	earlier, _ := before["prompt"].(map[string]any)
	if fmt.Sprint(before["models"]) != "[a]" || before["name"] != strings.Repeat("n", 200) ||
		fmt.Sprint(earlier["bytes"]) != fmt.Sprint(1<<20+2) {
		t.Errorf("got before %.500v", before)
	}
}

func TestBrief_BoundsObjectsOfManyValues(t *testing.T) {
	for _, size := range []int{500, 100} {
		object := map[string]any{}
		for i := range 200_000 / size {
			object[fmt.Sprint("field", i)] = strings.Repeat("x", size)
		}
		got, err := field.Brief(object)
		text, _ := json.Marshal(got)
		if err != nil || len(text) > 8<<10 {
			t.Errorf("%d bytes each: got %d bytes (err %v), want at most 8 KiB", size, len(text), err)
		}
	}
}

func TestCleanJSON_RefusesWhatJSONCannotHold(t *testing.T) {
	if got, err := field.CleanJSON(map[string]any{"x": func() {}}); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}
