package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOtherGenerators makes clients of the relay's OpenAPI document with generators that the repository does not use,
// and calls a relay with them.
func TestOtherGenerators(t *testing.T) {
	t.Parallel()
	needNode(t)
	w := sharedTestbed(t)
	document, err := filepath.Abs(filepath.Join("..", "openapi", "relay.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("ogen", func(t *testing.T) {
		t.Parallel()
		dir := copyFiles(t, "testdata/generators/ogen", "go.mod", "go.sum", "ogen.yml", "main.go.txt")
		if err := os.Rename(filepath.Join(dir, "main.go.txt"), filepath.Join(dir, "main.go")); err != nil {
			t.Fatal(err)
		}
		env := []string{"GOWORK=off", "GOFLAGS=-trimpath", "CGO_ENABLED=0"}
		run(t, dir, env, "go", "tool", "ogen", "-loglevel", "error", "-config", "ogen.yml", "-target", "api",
			"-package", "api", document)
		// The generated client is large, and calls nothing often: it is compiled without optimization, which takes half
		// the time.
		run(t, dir, env, "go", "run", "-gcflags=generated/...=-N -l", ".", w.Relay.URL, acmeToken)
	})
	t.Run("hey-api", func(t *testing.T) {
		t.Parallel()
		home := "testdata/generators/hey"
		npmInstall(t, home)
		dir := copyFiles(t, home, "package.json", "tsconfig.json", "call.ts")
		env := []string{"DOCUMENT=" + document, "CLIENT=" + filepath.Join(dir, "client")}
		run(t, home, env, filepath.Join("node_modules", ".bin", "openapi-ts"), "--silent")
		run(t, home, nil, filepath.Join("node_modules", ".bin", "tsc"), "-p", dir)
		run(t, dir, nil, "node", filepath.Join("dist", "call.js"), w.Relay.URL, acmeToken)
	})
}

// copyFiles copies files of a folder into a temporary one, and returns it.
func copyFiles(t *testing.T, from string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
