package consoletest

import "testing"

// As returns v as a T, and fails the test if it has another type.
func As[T any](t testing.TB, v any) T {
	t.Helper()
	value, ok := v.(T)
	if !ok {
		t.Fatalf("%v is a %T, want a %T", v, v, value)
	}
	return value
}

// At returns the value at the path in a decoded body. The steps are keys of objects and indices of lists.
func At(t testing.TB, body any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			body = As[map[string]any](t, body)[step]
		case int:
			items := As[[]any](t, body)
			if step >= len(items) {
				t.Fatalf("%v: got %d items, want more than %d", path, len(items), step)
			}
			body = items[step]
		}
	}
	return body
}

// Text returns the string at the path in a decoded body.
func Text(t testing.TB, body any, path ...any) string {
	t.Helper()
	return As[string](t, At(t, body, path...))
}

// Items returns the items of a decoded list.
func Items(t testing.TB, body any) []any {
	t.Helper()
	return As[[]any](t, At(t, body, "items"))
}

// Equal checks the value at the path in a decoded body.
func Equal(t testing.TB, body any, want any, path ...any) {
	t.Helper()
	if got := At(t, body, path...); got != want {
		t.Errorf("%v = %v, want %v", path, got, want)
	}
}
