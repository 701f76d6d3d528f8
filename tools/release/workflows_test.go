package release

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is the part of a GitHub workflow that the tests read.
type workflow struct {
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Timeout int `yaml:"timeout-minutes"`
		Steps   []struct {
			Uses string `yaml:"uses"`
			Run  string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// files returns the paths, from the root, of the files below folder that match.
func files(t *testing.T, folder string, match func(name string) bool) (found []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		switch {
		case entry.IsDir() && (relative == "example" ||
			slices.Contains([]string{"node_modules", ".git", "bin", "dist", "data"}, entry.Name())):
			return filepath.SkipDir
		case !entry.IsDir() && match(relative):
			found = append(found, relative)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// targets returns the targets of the Makefile that its help lists.
func targets(t *testing.T) (found []string) {
	t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^([a-z0-9-]+):.*## .`).
		FindAllStringSubmatch(read(t, "Makefile"), -1) {
		found = append(found, match[1])
	}
	return found
}

// pinned matches an action with a major version or a commit.
var pinned = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+@(v\d+|[0-9a-f]{40})$`)

func TestWorkflows_RunTargetsOfTheMakefile(t *testing.T) {
	names := files(t, ".github/workflows", func(string) bool { return true })
	if len(names) < 3 {
		t.Fatalf("got workflows %v, want ci, release and codeql", names)
	}
	known := targets(t)
	for _, name := range names {
		var w workflow
		decode(t, name, &w)
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: got default permissions %v, want contents: read; a job may ask for more", name, w.Permissions)
		}
		for job, j := range w.Jobs {
			if j.Timeout == 0 || len(j.Steps) == 0 {
				t.Errorf("%s: job %s needs timeout-minutes and steps", name, job)
			}
			for _, step := range j.Steps {
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: action %s needs a major version or a commit", name, step.Uses)
				}
				checkCommand(t, name, step.Run, known)
			}
		}
	}
}

// checkCommand accepts the commands `make TARGET ...` and `.ci/run TARGET ...`.
func checkCommand(t *testing.T, name, command string, known []string) {
	t.Helper()
	words := strings.Fields(command)
	if len(words) == 0 || command == ".ci/run" {
		return
	}
	if words[0] != "make" && words[0] != ".ci/run" || len(words) < 2 {
		t.Errorf("%s: step %q must be a make target, so that it can be run by hand", name, command)
		return
	}
	for _, target := range words[1:] {
		if !slices.Contains(known, target) {
			t.Errorf("%s: the Makefile has no documented target %s", name, target)
		}
	}
}

func TestCIScript_CallsTargetsOfTheMakefile(t *testing.T) {
	const script = ".ci/run"
	info, err := os.Stat(filepath.Join(root, script))
	if err != nil || info.Mode()&0o111 == 0 {
		t.Fatalf("%s must be executable: %v", script, err)
	}
	call := regexp.MustCompile(`(?m)^targets=\((.+)\)$`).FindStringSubmatch(read(t, script))
	if call == nil {
		t.Fatalf("%s calls no make target", script)
	}
	checkCommand(t, script, "make "+call[1], targets(t))
}

func TestDependabot_ListsEveryFolderWithDependencies(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string   `yaml:"package-ecosystem"`
			Directory   string   `yaml:"directory"`
			Directories []string `yaml:"directories"`
		} `yaml:"updates"`
	}
	decode(t, ".github/dependabot.yml", &config)
	listed := map[string][]string{}
	for _, update := range config.Updates {
		listed[update.Ecosystem] = append(listed[update.Ecosystem], update.Directories...)
	}
	for ecosystem, match := range map[string]func(name string) bool{
		"gomod":  func(name string) bool { return path.Base(name) == "go.mod" },
		"npm":    func(name string) bool { return path.Base(name) == "package.json" },
		"docker": func(name string) bool { return strings.HasPrefix(path.Base(name), "Dockerfile") },
	} {
		var want []string
		for _, name := range files(t, ".", match) {
			want = append(want, "/"+path.Dir(name))
		}
		slices.Sort(want)
		slices.Sort(listed[ecosystem])
		if want = slices.Compact(want); !slices.Equal(listed[ecosystem], want) {
			t.Errorf("%s: got folders %v, want %v", ecosystem, listed[ecosystem], want)
		}
	}
}

func TestIssueForms_AreYAML(t *testing.T) {
	for _, name := range files(t, ".github/ISSUE_TEMPLATE", func(string) bool { return true }) {
		var form map[string]any
		decode(t, name, &form)
		if len(form) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}
