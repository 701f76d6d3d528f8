package e2e

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// events splits an SSE payload into what its data lines say.
func events(payload []byte) (data []string) {
	for line := range strings.Lines(strings.ReplaceAll(string(payload), "\r\n", "\n")) {
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimSpace(value))
		}
	}
	return data
}

func TestOddStreamsAreReadAndMetered(t *testing.T) {
	w := commonWorld(t)
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
				t.Fatalf("status %d, %v: ends with %q", r.status, r.err, r.body[max(0, len(r.body)-300):])
			}
			l := owner.AwaitLog(t, r.id())
			if l.Outcome != "success" || l.Estimated != tt.estimated {
				t.Errorf("usage log %+v, want success, estimated %t", l, tt.estimated)
			}
			if !tt.estimated && l.Quota != usd(bill(someCounts, "1")) {
				t.Errorf("quota %s, want %s", l.Quota, usd(bill(someCounts, "1")))
			}
			if tt.estimated && (l.Tokens.Input == 0 || l.Tokens.Output == 0 || l.Quota == "0") {
				t.Errorf("an estimate of nothing: %+v", l)
			}
		})
	}
}

func TestMissingUsageOfJSONIsEstimated(t *testing.T) {
	w := commonWorld(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	for _, model := range []string{"odd-null", "odd-absent"} {
		r := caller.post(story.Context(t), ask(model, someCounts))
		if l := owner.AwaitLog(t, r.id()); !r.whole(false) || !l.Estimated || l.Outcome != "success" || l.Quota == "0" {
			t.Errorf("%s: status %d, usage log %+v", model, r.status, l)
		}
	}
}

// What breaks after the first content was given to the client ends in a typed
// error, without [DONE] and without a second stream; what was delivered is
// charged and marked partial.
func TestStreamsThatBreakArePartial(t *testing.T) {
	w := commonWorld(t)
	caller, owner := w.caller(acmeToken), w.signIn(t, acmeOwner)
	for _, model := range []string{"odd-cut", "odd-error-after", "odd-stall"} {
		t.Run(model, func(t *testing.T) {
			r := caller.post(story.Context(t), ask(model, someCounts, streaming))
			got := events(r.body)
			if r.status != 200 || len(got) < 2 {
				t.Fatalf("status %d, %v: %.300q", r.status, r.err, r.body)
			}
			last := got[len(got)-1]
			if !strings.Contains(last, `"error"`) || !strings.Contains(last, `"code"`) || bytes.Contains(r.body, []byte("[DONE]")) {
				t.Errorf("ends with %q", last)
			}
			if n := bytes.Count(r.body, []byte(`"role":"assistant"`)); n != 1 {
				t.Errorf("%d streams in one", n)
			}
			secretless(t, string(r.body), r.header)
			if l := owner.AwaitLog(t, r.id()); l.Outcome != "partial" || l.Quota == "0" {
				t.Errorf("usage log %+v, want partial and charged", l)
			}
		})
	}
}

func TestSilenceIsFilledWithComments(t *testing.T) {
	w := commonWorld(t) // its keep-alive interval is 1 s
	r := w.caller(acmeToken).post(story.Context(t), ask("odd-1300ms", someCounts, streaming))
	if !r.whole(true) || !strings.Contains("\n"+string(r.body), "\n:") {
		t.Errorf("no comment in 2.6 s of silence: %v %.500q", r.err, r.body)
	}
}

func TestSilentUpstreamTimesOut(t *testing.T) {
	w := commonWorld(t) // its first-byte time-out is 6 s
	r := w.caller(acmeToken).post(story.Context(t), ask("odd-stall-before-headers", someCounts))
	if f := r.failure(t); r.status != 504 || text(f.Code) != "upstream_timeout" || r.header.Get("X-Should-Retry") != "true" {
		t.Errorf("status %d: %s", r.status, r.body)
	}
}

func TestQuotaInTheFinalUsageWhereAskedFor(t *testing.T) {
	w := commonWorld(t)
	caller := w.caller(acmeToken)
	caller.client.Transport = withHeader{caller.client.Transport, "X-Tollgate-Include-Quota", "true"}
	r := caller.post(story.Context(t), ask("gpt-4o-mini", someCounts, streaming, withUsage))
	want := `"quota":"` + usd(bill(someCounts, "1")) + `"`
	if got := events(r.body); !r.whole(true) || !strings.Contains(got[len(got)-2], want) {
		t.Errorf("no %s in %q", want, got[max(0, len(got)-2):])
	}
}
