package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// releases is a repository with the scripts that check a release.
type releases struct {
	dir string
	env []string
}

// checkout returns a repository whose only commit has the version, the changelog and the tag.
func checkout(t *testing.T, version, changelog, tag string) *releases {
	t.Helper()
	dir := t.TempDir()
	r := &releases{dir: dir, env: append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")}
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"VERSION": version + "\n", "CHANGELOG.md": changelog}
	for _, script := range []string{"tools/dist", "tools/version"} {
		text, err := os.ReadFile(filepath.Join("..", "..", script))
		if err != nil {
			t.Fatal(err)
		}
		files[script] = string(text)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "release"}, {"tag", tag}} {
		if out, err := r.run(t, "git", command...); err != nil {
			t.Fatalf("git %v: %v: %s", command, err, out)
		}
	}
	return r
}

// run runs a program in the repository and returns its output.
func (r *releases) run(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestReleaseCheck_RefusesWhatDisagrees(t *testing.T) {
	t.Parallel()
	const released = "## [0.2.0] - 2026-12-01\n\n- New.\n\n## [0.1.0] - 2026-11-22\n\n- Old.\n"
	for _, row := range []struct{ name, version, changelog, tag, says string }{
		{"a release", "0.2.0", "# Changelog\n\n" + released, "v0.2.0", "ok  release v0.2.0"},
		{"an empty section for the next release", "0.2.0", "## [Unreleased]\n\n" + released, "v0.2.0",
			"ok  release v0.2.0"},
		{"entries that are in no release", "0.2.0", "## [Unreleased]\n\n### Fixed\n\n- More.\n\n" + released, "v0.2.0",
			"entries in \"## [Unreleased]\""},
		{"an earlier release's tag and number", "0.1.0", "## [Unreleased]\n\n- New.\n\n" + released, "v0.1.0",
			"entries in \"## [Unreleased]\""},
		{"a tag of another version", "0.2.0", released, "v0.3.0", "the tag is v0.3.0"},
		{"no section", "0.3.0", released, "v0.3.0", "no section \"## [0.3.0] - DATE\""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := checkout(t, row.version, row.changelog, row.tag)
			r.env = append(r.env, "TAG="+row.tag)
			out, err := r.run(t, "tools/dist", "check")
			if (err == nil) != strings.HasPrefix(row.says, "ok") || !strings.Contains(out, row.says) {
				t.Errorf("got %v: %s, want %s", err, out, row.says)
			}
		})
	}
}
