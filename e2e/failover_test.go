package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// faults returns the ways in which a channel fails before the client has received anything. The relay then
// tries the next channel, and the client does not notice.
func faults() []string {
	return []string{"500", "503", "401", "403", "429", "408", "cut-before-headers", "error-first", "error-body",
		"empty", "only-done", "garbage"}
}

func TestFailover_IsInvisibleToTheClient(t *testing.T) {
	w := sharedTestbed(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, operator)
	for _, fault := range faults() {
		for _, mode := range []struct {
			name string
			more []string
		}{{"json", nil}, {"stream", []string{streaming}}} {
			if mode.name == "json" && (fault == "error-first" || fault == "only-done") {
				continue // faults of streams only
			}
			t.Run(fault+" "+mode.name, func(t *testing.T) {
				r := caller.post(story.Context(t), ask("over-"+fault, someCounts, mode.more...))
				if !r.complete(mode.name == "stream") || !strings.Contains(string(r.body), "Hello") &&
					!bytes.Contains(r.body, []byte("content")) {
					t.Fatalf("got status %d, %v: %.300q", r.status, r.err, r.body)
				}
				if bytes.Contains(r.body, []byte(`"error"`)) {
					t.Errorf("the answer contains an error: %.300q", r.body)
				}
				l := owner.AwaitLog(t, r.id())
				if l.Outcome != "success" || l.Quota != usd(bill(someCounts, "1")) || l.Channel != "over-"+fault+"-1" {
					t.Errorf("got the usage log %+v", l)
				}
			})
		}
	}
}

func TestFailover_ReportsTheErrorIfNoChannelIsLeft(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(acmeToken)
	for _, fault := range faults() {
		t.Run(fault, func(t *testing.T) {
			r := caller.post(story.Context(t), ask("only-"+fault, someCounts, streaming))
			f := r.failure(t)
			want, code := http.StatusBadGateway, "upstream_error"
			switch fault {
			case "429": // the client can retry later
				want, code = http.StatusTooManyRequests, "rate_limit_exceeded"
				if r.header.Get("Retry-After") != "1" {
					t.Errorf("got Retry-After %q, want the upstream's 1", r.header.Get("Retry-After"))
				}
			case "408":
				want, code = http.StatusGatewayTimeout, "upstream_timeout"
			}
			if r.status != want || text(f.Code) != code {
				t.Errorf("got status %d, want %d %s: %s", r.status, want, code, r.body)
			}
			if r.header.Get("X-Should-Retry") != "true" {
				t.Errorf("got x-should-retry %q, want true", r.header.Get("X-Should-Retry"))
			}
			checkNoSecrets(t, string(r.body)+*f.Message, r.header)
			if row := w.awaitRow(t, "acme", r.id()); row.outcome != "failed" || row.quota != 0 {
				t.Errorf("got the usage log %+v", row)
			}
		})
	}
}

// TestUpstreamErrors_OfTheClientAreForwardedWithoutSecrets checks that a 4xx for which the client is
// responsible is forwarded to it, without the details about the supplier in it.
func TestUpstreamErrors_OfTheClientAreForwardedWithoutSecrets(t *testing.T) {
	w := sharedTestbed(t)
	r := w.caller(acmeToken).post(story.Context(t), ask("leaky", someCounts))
	f := r.failure(t)
	if r.status != http.StatusBadRequest || *f.Type != "invalid_request_error" || text(f.Code) != "bad_thing" ||
		!strings.Contains(*f.Message, "temperature") {
		t.Errorf("got status %d: %s", r.status, r.body)
	}
	if r.header.Get("X-Should-Retry") != "false" {
		t.Errorf("got x-should-retry %q, want false", r.header.Get("X-Should-Retry"))
	}
	checkNoSecrets(t, string(r.body), r.header)
}

// checkNoSecrets checks that an answer does not reveal the upstream's key, organization, request id or address.
func checkNoSecrets(t *testing.T, body string, header http.Header) {
	t.Helper()
	for _, secret := range []string{"upstream-key", "org-supplier", "req_upstream", "127.0.0.1:"} {
		if strings.Contains(body, secret) {
			t.Errorf("the body contains %q: %.300q", secret, body)
		}
		for name, values := range header {
			if strings.Contains(strings.Join(values, " "), secret) {
				t.Errorf("%q is in the header %s", secret, name)
			}
		}
	}
}
