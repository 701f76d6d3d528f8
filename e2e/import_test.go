package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// TestImport_LetsClientsOfOneAPIContinue imports a database of one-api. Its clients continue with the same key,
// on the same channel, at the price of one-api's ratios.
func TestImport_LetsClientsOfOneAPIContinue(t *testing.T) {
	t.Parallel()
	w := testbedWith(t, stack.Options{Manifest: "groups: []\n"})
	made, err := os.ReadFile("../apps/console/internal/oneapi/testdata/made-by-one-api.sql")
	if err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(t.TempDir(), "one-api.sql")
	if err := os.WriteFile(dump, []byte(strings.ReplaceAll(string(made), "http://127.0.0.1:9000", w.upstream.URL)),
		0o600); err != nil {
		t.Fatal(err)
	}
	out, err := w.Command(story.Context(t), "console", "import", dump)
	if err != nil {
		t.Fatal(err, out)
	}
	for _, line := range []string{"10 changes", "1 channel, ", "3 tokens",
		"operator root+operator@import.invalid: password ", "Initial Root Token of root: is not imported",
		"table logs: "} {
		if !strings.Contains(out, line) {
			t.Errorf("the report does not contain %q:\n%s", line, out)
		}
	}
	caller := w.caller("sk-Texactxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
	var r reply
	story.Eventually(t, story.Patience, "the relay knows the token", func() bool {
		r = caller.post(story.Context(t), ask("gpt-4o-mini", someCounts))
		return r.complete(false)
	})
	// A model ratio of 0.075 means 0.15 USD per million input tokens; the completion ratio is 4.
	if quota := r.header.Get("X-Tollgate-Quota"); quota != "0.000039" {
		t.Errorf("100 input and 40 output tokens cost %q, want 0.000039", quota)
	}
	spent := w.caller("sk-Tov049767xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx").
		post(story.Context(t), ask("gpt-4o-mini", someCounts))
	if spent.status != http.StatusTooManyRequests || *spent.failure(t).Code != "insufficient_quota" {
		t.Errorf("the token without quota: got status %d: %s", spent.status, spent.body)
	}
	again, err := w.Command(story.Context(t), "console", "import", dump)
	if err != nil || !strings.Contains(again, "0 changes") || strings.Contains(again, "password ") &&
		strings.Contains(again, "operator root+operator@import.invalid: ") {
		t.Errorf("second import: got %v\n%s", err, again)
	}
	story.Eventually(t, story.Patience, "the bill is verified", func() bool {
		bills, err := w.Command(story.Context(t), "console", "verify")
		return err == nil && strings.Contains(bills, "recomputed 1 charges of 0.000039 USD in total, 0 are wrong")
	})
}
