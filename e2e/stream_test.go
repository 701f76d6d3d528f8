package e2e

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// events returns the contents of the data lines of an SSE body.
func events(payload []byte) (data []string) {
	for line := range strings.Lines(strings.ReplaceAll(string(payload), "\r\n", "\n")) {
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimSpace(value))
		}
	}
	return data
}

func TestStream_UnusualFramingIsReadAndMetered(t *testing.T) {
	w := sharedTestbed(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	tests := []struct {
		model     string
		estimated bool
	}{
		{"odd-crlf", false}, {"odd-comments", false}, {"odd-big", false}, {"odd-split", false},
		{"odd-unterminated", false}, {"odd-nospace", false}, {"odd-events", false},
		{"odd-always", false}, {"odd-every", false}, {"odd-early", false}, {"odd-finish", false},
		{"odd-null", true}, {"odd-absent", true},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			r := caller.post(story.Context(t), ask(tt.model, someCounts, streaming))
			got := events(r.body)
			if r.status != 200 || r.err != nil || len(got) < 3 || got[len(got)-1] != "[DONE]" {
				t.Fatalf("got status %d, %v, ends with %q", r.status, r.err, r.body[max(0, len(r.body)-300):])
			}
			l := owner.AwaitLog(t, r.id())
			if l.Outcome != "success" || l.Estimated != tt.estimated {
				t.Errorf("got the usage log %+v, want success, estimated %t", l, tt.estimated)
			}
			if !tt.estimated && l.Quota != usd(bill(someCounts, "1")) {
				t.Errorf("got quota %s, want %s", l.Quota, usd(bill(someCounts, "1")))
			}
			if tt.estimated && (l.Tokens.Input == 0 || l.Tokens.Output == 0 || l.Quota == "0") {
				t.Errorf("the estimate is 0: %+v", l)
			}
		})
	}
}

func TestMetering_EstimatesMissingUsageOfJSON(t *testing.T) {
	w := sharedTestbed(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	for _, model := range []string{"odd-null", "odd-absent"} {
		r := caller.post(story.Context(t), ask(model, someCounts))
		if l := owner.AwaitLog(t, r.id()); !r.complete(false) || !l.Estimated || l.Outcome != "success" || l.Quota == "0" {
			t.Errorf("%s: got status %d, usage log %+v", model, r.status, l)
		}
	}
}

// TestStream_ThatBreaksIsPartialAndCharged checks streams that fail after the client has received content. They
// end with a typed error, without [DONE] and without a second attempt. The delivered part is charged, and the
// outcome is partial.
func TestStream_ThatBreaksIsPartialAndCharged(t *testing.T) {
	w := sharedTestbed(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	for _, model := range []string{"odd-cut", "odd-error-after", "odd-stall"} {
		t.Run(model, func(t *testing.T) {
			r := caller.post(story.Context(t), ask(model, someCounts, streaming))
			got := events(r.body)
			if r.status != 200 || len(got) < 2 {
				t.Fatalf("got status %d, %v: %.300q", r.status, r.err, r.body)
			}
			last := got[len(got)-1]
			if !strings.Contains(last, `"error"`) || !strings.Contains(last, `"code"`) || bytes.Contains(r.body, []byte("[DONE]")) {
				t.Errorf("got the last event %q, want an error", last)
			}
			if n := bytes.Count(r.body, []byte(`"role":"assistant"`)); n != 1 {
				t.Errorf("the answer contains %d streams, want 1", n)
			}
			checkNoSecrets(t, string(r.body), r.header)
			if l := owner.AwaitLog(t, r.id()); l.Outcome != "partial" || l.Quota == "0" {
				t.Errorf("got the usage log %+v, want partial and charged", l)
			}
		})
	}
}

func TestStream_SendsCommentsDuringSilence(t *testing.T) {
	w := sharedTestbed(t) // its keepalive interval is 1 s
	r := w.caller(acmeToken).post(story.Context(t), ask("odd-1300ms", someCounts, streaming))
	if !r.complete(true) || !strings.Contains("\n"+string(r.body), "\n:") {
		t.Errorf("got no comment in 2.6 s of silence: %v %.500q", r.err, r.body)
	}
}

func TestUpstream_WithoutFirstByteTimesOut(t *testing.T) {
	w := sharedTestbed(t) // its first-byte timeout is 6 s
	r := w.caller(acmeToken).post(story.Context(t), ask("odd-stall-before-headers", someCounts))
	if f := r.failure(t); r.status != 504 || text(f.Code) != "upstream_timeout" || r.header.Get("X-Should-Retry") != "true" {
		t.Errorf("got status %d: %s", r.status, r.body)
	}
}

func TestStream_ReportsQuotaInTheUsageIfRequested(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(acmeToken)
	caller.client.Transport = withHeader{caller.client.Transport, "X-Tollgate-Include-Quota", "true"}
	r := caller.post(story.Context(t), ask("gpt-4o-mini", someCounts, streaming, withUsage))
	want := `"quota":"` + usd(bill(someCounts, "1")) + `"`
	if got := events(r.body); !r.complete(true) || !strings.Contains(got[len(got)-2], want) {
		t.Errorf("the last events lack %s: %q", want, got[max(0, len(got)-2):])
	}
}
