package e2e

import (
	"os/exec"
	"testing"
)

// TestPlaygroundCode_Compiles compiles the code for Go that the console's playground shows. The files are those that
// the test of the code compares with: apps/console/web/src/pages/playground/snippets.test.ts.
func TestPlaygroundCode_Compiles(t *testing.T) {
	for _, name := range []string{"chat", "chat_stream", "responses", "responses_stream"} {
		t.Run(name, func(t *testing.T) {
			if out, err := exec.CommandContext(t.Context(), "go", "vet", "./testdata/playground/"+name).
				CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
