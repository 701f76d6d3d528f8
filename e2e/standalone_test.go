package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// TestStandalone_PrintedCommandWorks runs the curl command that `make run` prints.
func TestStandalone_PrintedCommandWorks(t *testing.T) {
	kit := suite.build(t)
	s, err := kit.Standalone(story.Context(t), stack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test ends; a failure shows earlier
	var curl string
	story.Eventually(t, story.Patience, "the curl line", func() bool {
		curl = regexp.MustCompile(`(?m)^\s*curl .*$`).FindString(s.Log())
		return curl != ""
	})
	if _, err := exec.LookPath("curl"); err != nil {
		story.Missing(t, fmt.Errorf("curl: %w", stack.ErrMissing))
	}
	out, err := exec.CommandContext(story.Context(t), "sh", "-c", curl).CombinedOutput()
	var answer struct {
		Object  string
		Choices []struct{ Message struct{ Content string } }
	}
	if err != nil || json.Unmarshal(out, &answer) != nil || answer.Object != "chat.completion" ||
		len(answer.Choices) == 0 {
		t.Fatalf("%s\n%v\n%s", curl, err, out)
	}
	login := regexp.MustCompile(`(?m)^\s*Login\s+(\S+)\s+(\S+)$`).FindStringSubmatch(s.Log())
	if login == nil {
		t.Fatalf("no login in the output\n%s", s.Log())
	}
	owner := story.SignIn(t, s.Console, login[1], login[2])
	story.Eventually(t, story.Patience, "the call is in the usage logs", func() bool {
		page, err := owner.ListUsageLogs(story.Context(t), nil)
		story.Must(t, page, err)
		items := page.JSON200.Items
		return len(items) == 1 && items[0].Outcome == "success" && items[0].Quota != "0"
	})
	if err := s.Terminate(); err != nil {
		t.Errorf("termination: got %v", err)
	}
	if err := s.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	if again, err := exec.CommandContext(story.Context(t), "sh", "-c", curl).CombinedOutput(); err != nil ||
		!strings.Contains(string(again), "chat.completion") {
		t.Errorf("after a restart: got %v\n%s", err, again)
	}
}

// TestStandalone_LosesNoSuccessWhenKilled checks that SQLite and the embedded Redis keep the same promise as
// Postgres and Redis.
func TestStandalone_LosesNoSuccessWhenKilled(t *testing.T) {
	t.Parallel()
	kit := suite.build(t)
	w := &testbed{Stack: &stack.Stack{}}
	s, err := kit.Standalone(story.Context(t), stack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test ends; a failure shows earlier
	find := func(pattern string) []string {
		t.Helper()
		var found []string
		story.Eventually(t, story.Patience, pattern+" in the output", func() bool {
			found = regexp.MustCompile(pattern).FindStringSubmatch(s.Log())
			return found != nil
		})
		return found[1:]
	}
	w.Relay = &s.Program
	caller := w.caller(find(`(?m)^\s*Token\s+(\S+)`)[0])
	login := find(`(?m)^\s*Login\s+(\S+)\s+(\S+)$`)
	var l ledger
	call := func(n int) {
		for range n {
			r := caller.post(context.Background(), ask("echo-flat", someCounts))
			l.note(&r, false, success{})
		}
	}
	call(49)
	first := caller.keyed("standalone").post(context.Background(), ask("echo-flat", someCounts))
	l.note(&first, false, success{})
	s.Kill()
	if err := s.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	if again := caller.keyed("standalone").
		post(context.Background(), ask("echo-flat", someCounts)); !bytes.Equal(again.body, first.body) {
		t.Errorf("a repeated call with an idempotency key: got %d %s, want %s", again.status, again.body, first.body)
	}
	call(50)
	if ok, failed := l.counts(); ok != 100 {
		t.Fatalf("got %d successes, want 100; failures: %v", ok, l.failures[:min(3, failed)])
	}
	owner := story.SignIn(t, s.Console, login[0], login[1])
	story.Eventually(t, story.Patience, "100 usage logs in the summary", func() bool {
		summary, err := owner.GetUsageSummary(story.Context(t), nil)
		story.Must(t, summary, err)
		items := summary.JSON200.Items
		return len(items) == 1 && items[0].Requests == 100 && items[0].Quota == "0.1"
	})
}
