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
	"github.com/tollgate/tollgate/e2e/story"
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
// and ports. At the end each program still has the database role that the page gave it.
func TestDeployment_CommandsOfThePage(t *testing.T) {
	t.Parallel()
	c := composition(t)
	page, err := pages.Read(c.root, filepath.Join(c.root, "docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	name := c.project() + "-one"
	words := strings.NewReplacer(
		":devel", ":"+suite.kit.Tag, "localhost:8080", strings.TrimPrefix(c.Relay, "http://"),
		"127.0.0.1:8080:", "127.0.0.1:0:", "127.0.0.1:8081:", "127.0.0.1:0:",
		"--name tollgate ", fmt.Sprintf("--name %s --label %s=%d ", name, label, os.Getpid()),
		"-v tollgate:", "-v "+name+":",
		"logs tollgate\n", "logs "+name+"\n", "rm -f tollgate\n", "rm -f "+name+"\n", "volume rm tollgate\n",
		"volume rm "+name+"\n",
		"deploy/.env", "$ENV_FILE",
	)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	var outputs, roles string
	commands := 0
	for _, b := range page.Blocks {
		if b.Reason != "docker" {
			continue
		}
		// Each block has a shell of its own, as on another day.
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", beforeCommands+words.Replace(b.Text))
		cmd.Dir, cmd.Env = c.root, append(cmd.Environ(), append(c.env, "TAG="+suite.kit.Tag, "DOCKER_BUILDKIT=0")...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s%s\n%s", err, outputs, b.Text, out)
		}
		outputs += string(out)
		commands++
		if strings.Contains(b.Text, "pg_stat_activity") {
			roles = words.Replace(b.Text)
		}
	}
	if commands < 7 || roles == "" {
		t.Fatalf("got only %d blocks, want at least 7, and one that shows roles", commands)
	}
	for _, text := range []string{"tollgate/relay:" + suite.kit.Tag, `"content":"Hello"`, "healthy"} {
		if !strings.Contains(outputs, text) {
			t.Errorf("the output lacks %s:\n%s", text, outputs)
		}
	}
	// The commands of the upgrade come last. They leave the programs their roles.
	story.Eventually(t, story.Patience, "each program has its own role", func() bool {
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", roles)
		cmd.Dir, cmd.Env = c.root, append(cmd.Environ(), c.env...)
		out, err := cmd.Output()
		return err == nil && strings.Contains(string(out), "tollgate_relay\n") &&
			strings.Contains(string(out), "tollgate_console\n") && strings.Contains(string(out), "tollgate_worker\n")
	})
}
