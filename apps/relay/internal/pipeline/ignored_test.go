package pipeline

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

func TestJoinIgnored_CountsWhatDoesNotFit(t *testing.T) {
	if got := joinIgnored([]string{"user", "messages[2].name"}, 0); got != "user,messages[2].name" {
		t.Errorf("got %q", got)
	}
	for n := 1; n < 200; n++ {
		var paths []string
		for i := range n {
			paths = append(paths, fmt.Sprintf("messages[%d].name", i))
		}
		got := joinIgnored(paths, 0)
		listed, rest, counted := strings.Cut(got, ",+")
		shown := len(strings.Split(listed, ","))
		if len(got) > maxIgnored || counted != (shown < n) || counted && rest != fmt.Sprint(n-shown) ||
			!strings.HasPrefix(strings.Join(paths, ","), listed) {
			t.Fatalf("%d paths: %q", n, got)
		}
		if full := strings.Join(paths, ","); len(full) <= maxIgnored && got != full {
			t.Fatalf("%d paths that fit: %q", n, got)
		}
	}
}

// A client can send as many fields that are ignored as a body holds.
func TestIgnore_LooksAtFewPaths(t *testing.T) {
	request, err := openai.ScanRequest([]byte(`{"model":"m","messages":[{"role":"user","content":"a"}]}`), catalog.Chat)
	if err != nil {
		t.Fatal(err)
	}
	const n = 500_000
	fields := make([]string, n)
	for i := range fields {
		fields[i] = fmt.Sprintf("messages[%d].name", i)
	}
	x, header := &exchange{}, http.Header{}
	x.ignore(header, request, fields)
	listed, rest, counted := strings.Cut(x.log.IgnoredFields, ",+")
	shown := len(strings.Split(listed, ","))
	if shown > maxPaths || !counted || rest != fmt.Sprint(n-shown) ||
		header.Get(ignoredHeader) != x.log.IgnoredFields || len(x.log.IgnoredFields) > maxIgnored {
		t.Errorf("got %q", x.log.IgnoredFields)
	}
}
