package rawjson_test

import (
	"encoding/json"
	"testing"

	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// FuzzValue compares a number, true, false or null with the decoder of the standard library.
func FuzzValue(f *testing.F) {
	for _, text := range []string{"0", "7", "10", "00", "01", "-1", "-01", "-", "1.0", "1.", "1e9", "+1", "true",
		"false", "null", "nul", "True", "1a", "९"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := rawjson.Scanner{Body: []byte(text + ",")}
		span, err := s.Value()
		if value := text[:min(span.End, len(text))]; err == nil &&
			(value == "" || value[0] != '"' && value[0] != '[' && value[0] != '{' && !json.Valid([]byte(value))) {
			t.Errorf("accepted %q of %q", value, text)
		}
		if err != nil && json.Valid([]byte(text)) && text[0] > ' ' {
			t.Errorf("refused %q: %v", text, err)
		}
	})
}
