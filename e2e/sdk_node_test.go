package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
)

func TestNodeSDK(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, fmt.Errorf("%s: %w", program, stack.ErrMissing))
		}
	}
	w := commonWorld(t)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	node := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = "node"
		cmd.Env = append(os.Environ(), "TOLLGATE_URL="+w.Relay.URL, "ACME_TOKEN="+acmeToken, "NARROW_TOKEN="+narrowToken, "BROKE_TOKEN="+brokeToken)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		t.Logf("%s", out)
	}
	if _, err := os.Stat(filepath.Join("node", "node_modules", "openai")); err != nil {
		node("npm", "ci", "--no-audit", "--no-fund")
	}
	node("node", "--test", "sdk.test.mjs")
}
