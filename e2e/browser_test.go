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

// TestBrowser runs the console's pages in a headless Chromium against the one-process Tollgate, with
// Playwright. The stories are in browser/stories. The variable BROWSER_STORIES selects some of them by parts of
// their file names. Playwright repeats a story that fails once; tools/test reads the FLAKY lines of the log.
func TestBrowser(t *testing.T) {
	needNode(t)
	needPages(t)
	chromium := needChromium(t)
	npmInstall(t, "browser")
	kit := suite.build(t)
	report := filepath.Join(t.TempDir(), "report.json")
	ctx, cancel := context.WithTimeout(context.Background(), 45*time.Minute)
	defer cancel()
	args := []string{filepath.Join("node_modules", "@playwright", "test", "cli.js"), "test"}
	args = append(args, strings.Fields(os.Getenv("BROWSER_STORIES"))...)
	// Chromium aborts its requests when a network interface appears or disappears, as the interfaces of
	// containers do. A network namespace has only its loopback interface.
	cmd, err := stack.Alone(ctx, "node", args...)
	if err != nil {
		t.Logf("running in the machine's network: %v", err)
		cmd = exec.CommandContext(ctx, "node", args...)
	}
	cmd.Dir = "browser"
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium, "BROWSER_REPORT="+report,
		"TOLLGATE_STANDALONE="+kit.Bin("standalone"), "TOLLGATE_PASTLOGS="+kit.Bin("pastlogs"),
		"TOLLGATE_TAP="+kit.Bin("tap"))
	out, failed := cmd.CombinedOutput()
	for _, s := range readStories(t, report, out) {
		t.Run(s.name, s.report)
		if s.retried {
			t.Logf("FLAKY TestBrowser/%s", s.name)
		}
	}
	if failed != nil && !t.Failed() {
		t.Errorf("%v\n%s", failed, out)
	}
}

// browserStory is the result of one test in the browser.
type browserStory struct {
	name     string
	ok       bool
	retried  bool     // ok at the second try
	messages []string // figures that the story measured, and errors
}

func (s *browserStory) report(t *testing.T) {
	for _, line := range s.messages {
		t.Log(line)
	}
	if !s.ok {
		t.Fail()
	}
}

// browserSuite is a part of Playwright's JSON report: a file, or a group of tests in it.
type browserSuite struct {
	Title  string
	Suites []browserSuite
	Specs  []browserSpec
}

// browserSpec is one test in Playwright's JSON report.
type browserSpec struct {
	Title string
	OK    bool
	Tests []struct {
		Status      string // "expected", "unexpected", "flaky" or "skipped"
		Annotations []struct{ Description string }
		Results     []struct {
			Errors []struct{ Message string }
		}
	}
}

// story returns the result of the test as a subtest of within.
func (s *browserSpec) story(within string) browserStory {
	all := browserStory{name: within + "/" + s.Title, ok: s.OK}
	for _, test := range s.Tests {
		all.retried = all.retried || test.Status == "flaky"
		for _, note := range test.Annotations {
			all.messages = append(all.messages, note.Description)
		}
		for _, result := range test.Results {
			for _, fault := range result.Errors {
				all.messages = append(all.messages, fault.Message)
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

// readStories reads Playwright's report. out is the output of the run, for the failure message.
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

// needPages skips the test if the console's pages are not built.
func needPages(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("..", "apps", "console", "web", "dist", "index.html")); err != nil {
		story.Missing(t, fmt.Errorf("the console's pages (make ui builds them): %w", stack.ErrMissing))
	}
}

// needChromium returns the path of Chromium. It skips the test if this machine has none.
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
