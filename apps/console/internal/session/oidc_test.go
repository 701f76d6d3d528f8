package session

import (
	"net/url"
	"strings"
	"testing"
)

// A browser that follows a local path stays on the console's host.
func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/", "/tokens?a=b#c", "//evil.example", `/\evil.example`, "/a//b",
		"https://evil.example", "/%2F/evil.example", "/%0d%0a"} {
		f.Add(seed)
	}
	base, err := url.Parse("https://console.example.com/api/session/oidc/callback")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := localPath(path)
		if strings.ContainsAny(got, "\\\r\n\t \x00") || !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") {
			t.Fatalf("localPath(%q): got %q, which is not a local path", path, got)
		}
		if to, err := base.Parse(got); err == nil && (to.Host != base.Host || to.Scheme != base.Scheme) {
			t.Fatalf("localPath(%q): leads to %s, want the same host", path, to)
		}
	})
}
