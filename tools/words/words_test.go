package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun_FailsForAForbiddenWordInEveryKindOfText(t *testing.T) {
	for _, row := range []struct{ file, text, want string }{
		{"a.go", "package a\n\n// A is what\n// ends.\n", `a.go:3: "comment: a is what": write`},
		{"a.go", "package a\n\n// A stops. The key\n// stands\n// twice.\n", `a.go:4: "stands twice": write "is stored`},
		{"a.go", "package a\n\nconst A = `the lease that he has`\n", `a.go:3: "he": write "the user`},
		{"a_test.go", "package a\n\nfunc TestRedisIsAway(t *T) {}\n", `a_test.go:3: "is away": write "unavailable`},
		{"a.md", "Text.\n\nThe relay is\ntold to stop.\n", `a.md:3: "is told": write "receives`},
		{"a.tsx", "return <p title=\"Redis is away\" />\n", `a.tsx:1: "is away": write "unavailable`},
		{"a.yaml", "description: >-\n  The client shall retry.\n", `a.yaml:2: "shall": write "must`},
		{"a.sql", "-- goes on\n-- with it\n", `a.sql:1: "goes on with": write "continue`},
		{"tools/a", "#!/bin/sh\necho 'upon'\n", ""},
		{"a.go", "package a\n\n// This history tells whether the token, is what remains.\n", ""},
		{"a", "he\x00", ""},
		{"libs/testdata/a.md", "he", ""},
		{"a.gen.go", "// he", ""},
		{"openapi/relay.yaml", "he", ""},
		{"a.png", "he", ""},
	} {
		t.Run(row.file, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := exec.Command("git", "init", "--quiet").Run(); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(row.file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(row.file, []byte(row.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := run(&out, nil); (err != nil) != (row.want != "") || !strings.HasPrefix(out.String(), row.want) ||
				row.want == "" && out.Len() > 0 {
				t.Errorf("got %q and error %v, want %q", &out, err, row.want)
			}
		})
	}
}
