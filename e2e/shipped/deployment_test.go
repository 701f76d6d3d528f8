package shipped

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/pages"
)

// beforeCommands defines a curl that retries, because a setting that was just applied takes a moment to reach
// all relays.
const beforeCommands = `curl() {
  for _ in $(seq 30); do
    command curl --silent --show-error --fail "$@" && return
    sleep 0.5
  done
  return 1
}
`

// TestDeployment_CommandsOfThePage runs the commands of docs/deployment.md one after the other, with free names
// and ports.
func TestDeployment_CommandsOfThePage(t *testing.T) {
	t.Parallel()
	c := composition(t)
	page, err := pages.Read(c.root, filepath.Join(c.root, "docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, commands := beforeCommands, 0
	for _, b := range page.Blocks {
		if b.Reason == "docker" {
			script += b.Text
			commands++
		}
	}
	if commands < 7 {
		t.Fatalf("got only %d blocks, want at least 7", commands)
	}
	name := c.project() + "-one"
	script = strings.NewReplacer(
		":devel", ":"+suite.kit.Tag, "localhost:8080", strings.TrimPrefix(c.Relay, "http://"),
		"127.0.0.1:8080:", "127.0.0.1:0:", "127.0.0.1:8081:", "127.0.0.1:0:",
		"--name tollgate ", fmt.Sprintf("--name %s --label %s=%d ", name, label, os.Getpid()),
		"-v tollgate:", "-v "+name+":",
		"logs tollgate\n", "logs "+name+"\n", "rm -f tollgate\n", "rm -f "+name+"\n", "volume rm tollgate\n",
		"volume rm "+name+"\n",
		"deploy/.env", "$ENV_FILE",
	).Replace(script)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = c.root, append(cmd.Environ(), append(c.env, "TAG="+suite.kit.Tag, "DOCKER_BUILDKIT=0")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, text := range []string{"tollgate/relay:" + suite.kit.Tag, `"content":"Hello"`, "tollgate_relay\n",
		"tollgate_console\n", "tollgate_worker\n", "healthy"} {
		if !strings.Contains(string(out), text) {
			t.Errorf("the output lacks %s:\n%s", text, out)
		}
	}
}
