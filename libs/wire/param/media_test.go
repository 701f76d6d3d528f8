package param_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/wire/param"
)

func TestDataURL_ReadsEverySpelling(t *testing.T) {
	for url, want := range map[string]string{
		"data:image/png;base64,AA":               "image/png AA",
		"DATA:image/PNG;BASE64,AA":               "image/png AA",
		"data:image/jpg;charset=utf-8;base64,AA": "image/jpeg AA",
		"data:;base64,AA":                        " AA",
	} {
		kind, data, isData, ok := param.DataURL(url)
		if got := kind + " " + data; !isData || !ok || got != want {
			t.Errorf("%s: got %q, %t, %t, want %q", url, got, isData, ok, want)
		}
	}
	for url, want := range map[string]bool{"https://x.example/a": false, "data:image/png,AA": true,
		"data:image/png;base64,": true, "data:": true, "": false} {
		if _, _, isData, ok := param.DataURL(url); isData != want || ok {
			t.Errorf("%s: got %t, %t, want %t and no data", url, isData, ok, want)
		}
	}
}

func TestImageType_IsThatOfTheBytes(t *testing.T) {
	for _, c := range []struct{ given, data, want string }{
		{"image/jpg", "AAAA", "image/jpeg"},
		{"image/jpg", "iVBORw0KGgo=", "image/png"},
		{"", "/9j/4AAQ", "image/jpeg"},
		{"image/x", "UklGRgAA", "image/webp"},
		{"image/png", "R0lGODlh", "image/gif"},
	} {
		if got := param.ImageType(c.given, c.data); got != c.want {
			t.Errorf("%q of %q is %q, want %q", c.given, c.data, got, c.want)
		}
	}
}
