package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestRunbook_ARelayWithAFullDiskRefusesAndRecovers fills the disk of a relay under load. The relay refuses calls that
// it could not charge, says so in /readyz, loses nothing that clients saw succeed, and serves again once there is
// space.
func TestRunbook_ARelayWithAFullDiskRefusesAndRecovers(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	w := testbedWith(t, stack.Options{RelayEnv: []map[string]string{{"TOLLGATE_DATA_DIR": dir}}})
	l := newLoad(w, 4)
	l.pause = 20 * time.Millisecond
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, 1_000_000)
	}()
	reaches := func(what string, holds func(ok, failed int) bool) {
		t.Helper()
		story.Eventually(t, story.Patience, what, func() bool { return holds(l.ledger.counts()) })
	}
	reaches("calls are served", func(ok, _ int) bool { return ok >= 40 })
	ballast := filepath.Join(dir, "ballast")
	// Other files may be deleted meanwhile, so one write does not fill the disk for good.
	full := func() {
		t.Helper()
		file, err := os.OpenFile(ballast, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close() //nolint:errcheck // the disk is full
		if _, err := io.Copy(file, zeros{}); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("fill the disk: %v", err)
		}
	}
	var r reply
	story.Eventually(t, story.Patience, "calls are refused", func() bool {
		full()
		r = w.caller(acmeToken).post(story.Context(t), ask("gpt-4o-mini", someCounts))
		return r.status == http.StatusServiceUnavailable
	})
	if code := text(r.failure(t).Code); code != "overloaded" || r.header.Get("X-Should-Retry") != "true" {
		t.Errorf("got the error %q, x-should-retry %q: %s", code, r.header.Get("X-Should-Retry"), r.body)
	}
	story.Eventually(t, story.Patience, "/readyz names the disk", func() bool {
		full()
		status, body := readyz(t, w.Relay.Ops)
		return status == http.StatusServiceUnavailable && strings.Contains(body, "spool_writable")
	})
	served, _ := l.ledger.counts()
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	reaches("calls are served again", func(ok, _ int) bool { return ok >= served+40 })
	story.Eventually(t, story.Patience, "the relay is ready",
		func() bool { return w.Relay.Ready(story.Context(t)) == nil })
	stop()
	<-done
	ok, failed := l.ledger.counts()
	t.Logf("%d successes, %d failures", ok, failed)
	w.audit(t, &l.ledger, failed+1, "acme", "discounted")
	w.auditSums(t, "acme")
	if err := w.Relay.Terminate(); err != nil {
		t.Error(err)
	}
	w.auditLeases(t)
	verified(t, w)
}

// zeros is a reader without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// smallDisk mounts a disk of 16 MB that ends with the test. It skips the test without the right to mount.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tollgate-e2e", dir, "tmpfs", 0, "size=16m"); err != nil {
		story.Missing(t, errors.Join(stack.ErrMissing, err))
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// readyz returns the status and the body of /readyz.
func readyz(t *testing.T, ops string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(ops + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// verified checks that console verify finds no difference.
func verified(t *testing.T, w *testbed) {
	t.Helper()
	out, err := w.Command(story.Context(t), "console", "verify")
	if err != nil || !strings.Contains(out, " 0 are wrong") || !strings.Contains(out, " 0 are broken") {
		t.Errorf("console verify: got %v\n%s", err, out)
	}
}

// TestRunbook_ARefusedCredentialIsShownAndReplaced lets an upstream refuse a credential. Other channels serve the
// calls, the operator sees the credential, and a new one brings the channel back.
func TestRunbook_ARefusedCredentialIsShownAndReplaced(t *testing.T) {
	t.Parallel()
	var target atomic.Pointer[url.URL]
	guard := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-replacement-0002" {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(rw,
				`{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`)
			return
		}
		if r.URL.Path == "/v1/models" {
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, `{"object":"list","data":[]}`)
			return
		}
		httputil.NewSingleHostReverseProxy(target.Load()).ServeHTTP(rw, r)
	}))
	defer guard.Close()
	w := testbedWith(t, stack.Options{Env: map[string]string{"GUARD_URL": guard.URL + "/v1"}, Manifest: `
groups: [{name: default, models: ["*"]}]
models: [{id: m, owned_by: test, max_output_tokens: 1000, price: {input: "1", output: "1"}}]
channels:
  - {name: first, type: openai, base_url: "${GUARD_URL}", api_keys: [sk-refused-0001], endpoints: [chat], priority: 0, models: {m: m}}
  - {name: second, type: openai, base_url: "${UPSTREAM_URL}", api_keys: [upstream-key], endpoints: [chat], priority: 1, models: {m: m}}
operators: [{email: ` + operator + `, password: ` + everyonePassword + `}]
tenants:
  - {slug: acme, name: Acme, quota: "10", users: [{email: ` + acmeOwner + `, password: ` + everyonePassword +
		`, role: owner, group: default, tokens: [{name: main, value: ` + acmeToken + `}]}]}
`})
	to, err := url.Parse(w.upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	target.Store(to)
	call := func() (channel string) {
		t.Helper()
		r := w.caller(acmeToken).post(story.Context(t), ask("m", someCounts))
		if !r.complete(false) {
			t.Fatalf("a client got status %d: %s", r.status, r.body)
		}
		return r.header.Get("X-Tollgate-Channel")
	}
	for range 10 {
		if channel := call(); channel == "first" {
			t.Fatal("the channel with the refused credential answered")
		}
	}
	root := w.signIn(t, operator)
	first := root.Channel(t, "first")
	health := func() consoleclient.CredentialHealth {
		t.Helper()
		got, err := root.GetChannelHealth(story.Context(t), first)
		story.Must(t, got, err)
		if len(got.JSON200.Credentials) != 1 {
			t.Fatalf("got the credentials %+v", got.JSON200.Credentials)
		}
		return got.JSON200.Credentials[0]
	}
	story.Eventually(t, story.Patience, "the operator sees the refused credential", func() bool {
		c := health()
		return c.Status == "disabled" && c.Reason != nil && *c.Reason == "denied" && c.Since != nil
	})
	call()
	keys := []string{"sk-replacement-0002"}
	patched, err := root.UpdateChannel(story.Context(t), first, consoleclient.ChannelPatch{ApiKeys: &keys})
	story.Must(t, patched, err)
	served := root.Channel(t, "first").String()
	story.Eventually(t, story.Patience, "the channel serves with the new credential", func() bool {
		r := w.caller(acmeToken).post(story.Context(t), ask("m", someCounts))
		return r.complete(false) &&
			w.query(t, "SELECT count(*) FROM usage_logs WHERE channel_id = $1 AND outcome = 'success'", served) > 0
	})
	if c := health(); c.Status == "disabled" {
		t.Errorf("the new credential is %+v", c)
	}
	verified(t, w)
}

// TestRunbook_AUserAndATenantAreErased erases with the command. Sessions and tokens end, and the bills stay and verify.
func TestRunbook_AUserAndATenantAreErased(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, nil)
	member := w.signIn(t, victimMember)
	for _, token := range []string{acmeToken, victimToken, memberToken} {
		r := w.caller(token).post(story.Context(t), ask("left-alone", someCounts))
		if r.status != http.StatusOK {
			t.Fatalf("got status %d: %s", r.status, r.body)
		}
	}
	story.Eventually(t, story.Patience, "usage logs",
		func() bool { return w.query(t, "SELECT count(*) FROM usage_logs") == 3 })
	billed := func() int64 { return w.query(t, "SELECT sum(quota)::bigint FROM usage_logs") }
	before := billed()
	command := func(args ...string) string {
		t.Helper()
		out, err := w.Command(story.Context(t), "console", args...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	contains := func(out string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(out, text) {
				t.Errorf("%q is missing in\n%s", text, out)
			}
		}
	}
	contains(command("erase-user", victimMember), "a dry run", "member "+victimMember, "1 sessions", "1 tokens",
		"stays: usage logs")
	if got, err := member.GetSession(story.Context(t)); err != nil || got.StatusCode() != http.StatusOK {
		t.Errorf("after a dry run: got %v, %v", got, err)
	}
	contains(command("erase-user", "--yes", victimMember), "1 sessions", "1 tokens")
	if got, err := member.GetSession(story.Context(t)); err != nil || got.StatusCode() != http.StatusUnauthorized {
		t.Errorf("a session of the erased user: got %v, %v", got, err)
	}
	refused := func(token string) {
		t.Helper()
		story.Eventually(t, story.Patience, "the relay refuses the token", func() bool {
			return w.caller(token).post(story.Context(t), ask("left-alone", someCounts)).status ==
				http.StatusUnauthorized
		})
	}
	refused(memberToken)
	if out, err := w.Command(story.Context(t), "console", "erase-user", "--yes", victimMember); err == nil {
		t.Errorf("nobody has the address, and it was erased again: %s", out)
	}
	if out, err := w.Command(story.Context(t), "console", "erase-user", "--yes", victimOwner); err == nil {
		t.Errorf("the last owner was erased: %s", out)
	}
	contains(command("erase-tenant", "victim"), "a dry run", "owner "+victimOwner)
	contains(command("erase-tenant", "--yes", "victim"), "owner "+victimOwner, "tenant victim")
	refused(victimToken)
	if r := w.caller(acmeToken).post(story.Context(t), ask("left-alone", someCounts)); r.status != http.StatusOK {
		t.Errorf("a call of the other tenant: got status %d: %s", r.status, r.body)
	}
	story.Eventually(t, story.Patience, "the other tenant's usage log",
		func() bool { return w.query(t, "SELECT count(*) FROM usage_logs WHERE outcome = 'success'") == 4 })
	if after := billed(); after <= before {
		t.Errorf("billed %d before and %d after", before, after)
	}
	if n := w.query(t, "SELECT count(*) FROM users WHERE address LIKE '%@victim.example'"); n > 0 {
		t.Errorf("%d users still have their address", n)
	}
	verified(t, w)
}
