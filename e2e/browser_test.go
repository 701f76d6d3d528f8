package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// TestBrowser drives the console's pages in a headless Chromium, against the
// one-process Tollgate. The stories are in browser/stories; BROWSER_STORIES
// chooses some of them by parts of their files' names.
func TestBrowser(t *testing.T) {
	needNode(t)
	needPages(t)
	chromium := needChromium(t)
	npmInstall(t, "browser")
	kit := stage.build(t)
	report := filepath.Join(t.TempDir(), "report.json")
	ctx, cancel := context.WithTimeout(context.Background(), 22*time.Minute)
	defer cancel()
	args := []string{filepath.Join("node_modules", "@playwright", "test", "cli.js"), "test"}
	args = append(args, strings.Fields(os.Getenv("BROWSER_STORIES"))...)
	// Chromium drops what it is loading whenever some interface comes or goes, as
	// those of containers do.
	cmd, err := stack.Alone(ctx, "node", args...)
	if err != nil {
		t.Logf("in the machine's own network: %v", err)
		cmd = exec.CommandContext(ctx, "node", args...)
	}
	cmd.Dir = "browser"
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium, "BROWSER_REPORT="+report,
		"TOLLGATE_STANDALONE="+kit.Bin("standalone"), "TOLLGATE_PASTLOGS="+kit.Bin("pastlogs"))
	out, failed := cmd.CombinedOutput()
	for _, s := range readStories(t, report, out) {
		t.Run(s.name, s.report)
	}
	if failed != nil && !t.Failed() {
		t.Errorf("%v\n%s", failed, out)
	}
}

// browserStory is what a test in the browser came to.
type browserStory struct {
	name string
	ok   bool
	told []string // figures, and what went wrong
}

func (s *browserStory) report(t *testing.T) {
	for _, line := range s.told {
		t.Log(line)
	}
	if !s.ok {
		t.Fail()
	}
}

// browserSuite is a part of Playwright's report: a file, or a group in it.
type browserSuite struct {
	Title  string
	Suites []browserSuite
	Specs  []browserSpec
}

type browserSpec struct {
	Title string
	OK    bool
	Tests []struct {
		Annotations []struct{ Description string }
		Results     []struct {
			Errors []struct{ Message string }
		}
	}
}

func (s *browserSpec) story(within string) browserStory {
	all := browserStory{name: within + "/" + s.Title, ok: s.OK}
	for _, test := range s.Tests {
		for _, note := range test.Annotations {
			all.told = append(all.told, note.Description)
		}
		for _, result := range test.Results {
			for _, fault := range result.Errors {
				all.told = append(all.told, fault.Message)
			}
		}
	}
	return all
}

func (s *browserSuite) stories(within string) (all []browserStory) {
	for i := range s.Specs {
		all = append(all, s.Specs[i].story(within))
	}
	for i := range s.Suites {
		all = append(all, s.Suites[i].stories(within)...)
	}
	return all
}

// readStories reads Playwright's report; out is what it printed.
func readStories(t *testing.T, path string, out []byte) (all []browserStory) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var report struct {
		Suites []browserSuite
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	for _, fault := range report.Errors {
		t.Error(fault.Message)
	}
	for i := range report.Suites {
		all = append(all, report.Suites[i].stories(strings.TrimSuffix(report.Suites[i].Title, ".story.ts"))...)
	}
	return all
}

// needPages skips the test where the console's pages are not built.
func needPages(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("..", "apps", "console", "web", "dist", "index.html")); err != nil {
		story.Missing(t, fmt.Errorf("the console's pages, which make ui builds: %w", stack.ErrMissing))
	}
}

// needChromium skips the test where this machine has no Chromium, and returns
// where it is.
func needChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	story.Missing(t, fmt.Errorf("chromium: %w", stack.ErrMissing))
	return ""
}
