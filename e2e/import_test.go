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

// A database that one-api made is brought in, and its clients go on: with the
// same key, on the same channel, at the price that one-api's ratios say.
func TestClientsOfOneAPIGoOn(t *testing.T) {
	t.Parallel()
	w := worldOf(t, stack.Options{Catalogue: "groups: []\n"})
	made, err := os.ReadFile("../apps/console/internal/oneapi/testdata/made-by-one-api.sql")
	if err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(t.TempDir(), "one-api.sql")
	if err := os.WriteFile(dump, []byte(strings.ReplaceAll(string(made), "http://127.0.0.1:9000", w.server.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := w.Command(story.Context(t), "console", "import", dump)
	if err != nil {
		t.Fatal(err, out)
	}
	for _, told := range []string{"10 changes", "1 channels", "3 tokens", "operator root+operator@import.invalid: password ", "Initial Root Token of root: is not imported", "table logs: "} {
		if !strings.Contains(out, told) {
			t.Errorf("the report does not tell %q:\n%s", told, out)
		}
	}
	caller := w.caller("sk-Texactxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
	var r reply
	story.Eventually(t, story.TimeToRecord, "the relay knows the token", func() bool {
		r = caller.post(story.Context(t), ask("gpt-4o-mini", someCounts))
		return r.whole(false)
	})
	// A ratio of 0.075 is 0.15 USD per 1M tokens; the completion ratio is 4.
	if quota := r.header.Get("X-Tollgate-Quota"); quota != "0.000039" {
		t.Errorf("100 tokens in and 40 out cost %q", quota)
	}
	spent := w.caller("sk-Tov049767xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx").post(story.Context(t), ask("gpt-4o-mini", someCounts))
	if spent.status != http.StatusTooManyRequests || *spent.failure(t).Code != "insufficient_quota" {
		t.Errorf("the token that is used up: %d %s", spent.status, spent.body)
	}
	again, err := w.Command(story.Context(t), "console", "import", dump)
	if err != nil || !strings.Contains(again, "0 changes") || strings.Contains(again, "password ") && strings.Contains(again, "operator root+operator@import.invalid: ") {
		t.Errorf("again: %v\n%s", err, again)
	}
	story.Eventually(t, story.TimeToRecord, "the bill is verified", func() bool {
		bills, err := w.Command(story.Context(t), "console", "verify")
		return err == nil && strings.Contains(bills, "recomputed 1 charges of 0.000039 USD in total, 0 are wrong")
	})
}
