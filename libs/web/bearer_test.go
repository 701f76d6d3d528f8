package web_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/web"
)

func TestBearerValue_ReturnsTheValueOfBearerHeadersOnly(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"Bearer tgk-x": "tgk-x", "bearer  tgk-x ": "tgk-x", "Bearer ": "",
		"": "none", "Bearer": "none", "Basic dXNlcg==": "none", "tgk-x": "none", " Bearer x": "none",
	} {
		value, ok := web.BearerValue(header)
		if !ok {
			value = "none"
		}
		if value != want {
			t.Errorf("BearerValue(%q): got %q, want %q", header, value, want)
		}
	}
}
