package pipeline

import (
	"fmt"
	"strings"
	"testing"
)

func TestJoinIgnored_CountsWhatDoesNotFit(t *testing.T) {
	if got := joinIgnored([]string{"user", "messages[2].name"}); got != "user,messages[2].name" {
		t.Errorf("got %q", got)
	}
	for n := 1; n < 200; n++ {
		var paths []string
		for i := range n {
			paths = append(paths, fmt.Sprintf("messages[%d].name", i))
		}
		got := joinIgnored(paths)
		listed, rest, counted := strings.Cut(got, ",+")
		shown := len(strings.Split(listed, ","))
		if len(got) > maxIgnored || counted != (shown < n) || counted && rest != fmt.Sprint(n-shown) || !strings.HasPrefix(strings.Join(paths, ","), listed) {
			t.Fatalf("%d paths: %q", n, got)
		}
		if full := strings.Join(paths, ","); len(full) <= maxIgnored && got != full {
			t.Fatalf("%d paths that fit: %q", n, got)
		}
	}
}
