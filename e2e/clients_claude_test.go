package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// testClaudeCode lets Claude Code read a file with its own tool, on each test channel that has a real model.
func testClaudeCode(t *testing.T, base string) {
	npmInstall(t, filepath.Join("node", "claude"))
	program, err := filepath.Abs(filepath.Join("node", "claude", "node_modules", ".bin", "claude"))
	if err != nil {
		t.Fatal(err)
	}
	home, work := t.TempDir(), t.TempDir()
	note := filepath.Join(work, "note.txt")
	if err := os.WriteFile(note, []byte(forecastText+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range testChannels() {
		if v.kind == "echo" {
			continue // the echo channel calls no tools
		}
		cmd := exec.CommandContext(story.Context(t), program, "-p", "Read the note "+note+". What does it say?",
			"--output-format", "json", "--allowedTools", "Read")
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "HOME="+home, "CLAUDE_CONFIG_DIR="+home, "ANTHROPIC_BASE_URL="+base,
			"ANTHROPIC_AUTH_TOKEN="+acmeToken,
			"ANTHROPIC_MODEL="+v.Model, "ANTHROPIC_DEFAULT_HAIKU_MODEL="+v.Model, "ANTHROPIC_SMALL_FAST_MODEL="+v.Model,
			"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
		out, err := cmd.Output()
		var result struct {
			Result  string
			IsError bool `json:"is_error"`
			Turns   int  `json:"num_turns"`
		}
		if decoded := json.Unmarshal(out, &result); err != nil || decoded != nil {
			t.Errorf("%s: %v, %v: %s", v.Name, err, decoded, out)
			continue
		}
		if result.Result != forecastText || result.IsError || result.Turns < 2 {
			t.Errorf("%s: got %s", v.Name, out)
		}
	}
}
