package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// codexConfig is Codex's configuration for the relay. Besides the provider it sets only what a test needs: no
// questions, no second attempts that would hide a failure, and no requests to other servers, which apps, plugins and
// analytics make.
const codexConfig = `model_provider = "tollgate"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[model_providers.tollgate]
name = "Tollgate"
base_url = "BASE_URL"
env_key = "ACME_TOKEN"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
apps = false
plugins = false
remote_plugin = false
`

// codex is an installation of Codex with a home folder and a working folder of its own.
type codex struct{ program, home, work string }

// newCodex prepares the folders of a Codex with this configuration.
func newCodex(t *testing.T, config string) *codex {
	t.Helper()
	program, err := filepath.Abs(filepath.Join("node", "codex", "node_modules", ".bin", "codex"))
	if err != nil {
		t.Fatal(err)
	}
	c := &codex{program, t.TempDir(), t.TempDir()}
	for path, text := range map[string]string{
		filepath.Join(c.home, "config.toml"): config,
		filepath.Join(c.work, "note.txt"):    "It is 18 degrees in Paris.\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// exec runs Codex with a prompt. It returns the last message of the model, or the error with which the turn
// failed.
func (c *codex) exec(t *testing.T, model, prompt string) (message, failure string) {
	t.Helper()
	cmd := exec.CommandContext(story.Context(t), c.program, "exec", "--strict-config", "--skip-git-repo-check",
		"--json", "--model", model, prompt)
	cmd.Dir = c.work
	cmd.Env = append(os.Environ(), "HOME="+c.home, "CODEX_HOME="+c.home, "ACME_TOKEN="+acmeToken)
	out, err := cmd.Output()
	for line := range strings.Lines(string(out)) {
		var event struct {
			Type  string
			Item  struct{ Type, Text string }
			Error struct{ Message string }
		}
		switch decoded := json.Unmarshal([]byte(line), &event); {
		case decoded != nil:
			t.Fatalf("%v: %q", decoded, line)
		case event.Item.Type == "agent_message":
			message = event.Item.Text
		case event.Type == "turn.failed":
			failure = event.Error.Message
		}
	}
	if (err != nil) != (failure != "") {
		t.Fatalf("%v\n%s", err, out)
	}
	return message, failure
}

// testCodex lets Codex read a file, on each test channel that has a real model.
func testCodex(t *testing.T, base string) {
	npmInstall(t, filepath.Join("node", "codex"))
	c := newCodex(t, strings.Replace(codexConfig, "BASE_URL", base+"/v1", 1))
	for _, v := range testChannels() {
		if v.kind == "echo" {
			continue // the echo channel calls no tools
		}
		message, failure := c.exec(t, v.Model, "What does the file note.txt say?")
		if message != "It is 18 degrees in Paris." || failure != "" {
			t.Errorf("%s: got the message %q and the failure %q", v.Name, message, failure)
		}
	}
}
