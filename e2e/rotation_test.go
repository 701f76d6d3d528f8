package e2e

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
)

// TestRotation_OfTheSecretKeyInterruptsNoClient replaces the secret key with the steps of docs/security.md: the
// old key, both keys, everything encrypted again, the new key. No client is refused meanwhile.
func TestRotation_OfTheSecretKeyInterruptsNoClient(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, nil)
	serves := func(token string, want int) {
		t.Helper()
		r := w.caller(token).post(story.Context(t), ask("gpt-4o-mini", someCounts))
		if r.status != want {
			t.Errorf("got status %d, want %d: %v %s", r.status, want, r.err, r.body)
		}
	}
	restart := func(key, old string) {
		t.Helper()
		w.SetEnv("TOLLGATE_SECRET_KEY", key)
		w.SetEnv("TOLLGATE_SECRET_KEY_OLD", old)
		for _, p := range []*stack.Program{w.Relay, w.Console, w.Worker} {
			if err := p.Terminate(); err != nil {
				t.Fatal(err)
			}
			if err := p.Start(story.Context(t)); err != nil {
				t.Fatal(err)
			}
		}
	}
	reseal := func() string {
		t.Helper()
		out, err := w.Command(story.Context(t), "console", "reseal")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := w.Env("TOLLGATE_SECRET_KEY")
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	second := base64.StdEncoding.EncodeToString(raw[:])
	serves(acmeToken, http.StatusOK)
	if out, err := w.Command(story.Context(t), "console", "reseal"); err == nil {
		t.Errorf("reseal succeeded without an old key: %s", out)
	}

	restart(first, second) // all programs know the new key before one uses it
	serves(acmeToken, http.StatusOK)
	restart(second, first)
	serves(acmeToken, http.StatusOK)
	channels := strings.Count(manifest(), "type: openai")
	before := fmt.Sprintf("re-encrypted: %d channels, 0 second factors, 0 issuers, 0 alert secrets, 0 jobs\n", channels)
	unused := strings.Count(manifest(), ", value: ") - 1 // all tokens but acmeToken
	hashed := fmt.Sprintf(" %d tokens, 0 access keys", unused)
	if out := reseal(); !strings.HasPrefix(out, before) || !strings.Contains(out, hashed) {
		t.Errorf("reseal printed %s, want %s and%s", out, before, hashed)
	}
	serves(narrowToken, http.StatusOK)
	hashed = fmt.Sprintf(" %d tokens, 0 access keys", unused-1)
	if out := reseal(); !strings.HasPrefix(out, "re-encrypted: 0 channels") || !strings.Contains(out, hashed) {
		t.Errorf("second reseal printed %s, want%s", out, hashed)
	}

	restart(second, "")
	serves(acmeToken, http.StatusOK)
	serves(narrowToken, http.StatusOK)
	serves(discountToken, http.StatusUnauthorized) // the token was not used while both keys were known
	if out, err := w.Command(story.Context(t), "console", "apply", "/dev/null"); err != nil {
		t.Errorf("apply with the new key only: got %v\n%s", err, out)
	}
}
