package e2e

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestPassThrough_RequestBodiesStayByteForByte checks that the relay changes only the model and stream_options
// in a body.
func TestPassThrough_RequestBodiesStayByteForByte(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(acmeToken)
	// A request with unknown fields is for a lenient server: OpenAI refuses them.
	tests := []struct{ name, sent, forwarded string }{
		{
			"unknown fields, key order, white space, numbers and escapes",
			"{ \"zeta\" : [1, 2.50, -0.0, 1e400, " +
				"123456789012345678901234567890],\n\t\"model\":\"acme/llama-3:70b\", " +
				"\"messages\":[{\"content\":\"mark-1 script:lenient=true \\u0041\\/\\ud83d\\ude00 " +
				"caf\u00e9\",\"role\":\"user\",\"x\":{\"b\":1,\"a\":2}}],\r\n \"alpha\":null , " +
				"\"seed\":9007199254740993, \"nested\":{\"model\":\"inner\",\"stream\":true}}",
			"{ \"zeta\" : [1, 2.50, -0.0, 1e400, 123456789012345678901234567890],\n\t\"model\":\"llama\", " +
				"\"messages\":[{\"content\":\"mark-1 script:lenient=true \\u0041\\/\\ud83d\\ude00 " +
				"caf\u00e9\",\"role\":\"user\",\"x\":{\"b\":1,\"a\":2}}],\r\n \"alpha\":null , " +
				"\"seed\":9007199254740993, \"nested\":{\"model\":\"inner\",\"stream\":true}}",
		},
		{
			"same model id upstream: no change",
			`{"messages":[{"role":"user","content":"mark-2"}],"model":"gpt-4o-mini","temperature":0.70,"logit_bias":{"50256":-100}}`,
			`{"messages":[{"role":"user","content":"mark-2"}],"model":"gpt-4o-mini","temperature":0.70,"logit_bias":{"50256":-100}}`,
		},
		{
			"model written with escapes",
			`{"messages":[{"role":"user","content":"mark-3"}],"model":"gpt-4\u006f-mini"}`,
			`{"messages":[{"role":"user","content":"mark-3"}],"model":"gpt-4o-mini"}`,
		},
		{
			"stream that requests usage already",
			`{"model":"gpt-4o-mini","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"mark-4"}]}`,
			`{"model":"gpt-4o-mini","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"mark-4"}]}`,
		},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := caller.post(story.Context(t), tt.sent)
			if r.status != 200 {
				t.Fatalf("got status %d: %.300q", r.status, r.body)
			}
			got, ok := w.upstream.Find(t, "mark-"+string(rune('1'+i)))
			if !ok {
				t.Fatal("the request did not reach the upstream")
			}
			forwarded := got.Body
			if tt.name == "model written with escapes" { // both spellings are the same JSON string
				forwarded = bytes.ReplaceAll(forwarded, []byte(`gpt-4\u006f-mini`), []byte("gpt-4o-mini"))
			}
			if string(forwarded) != tt.forwarded {
				t.Errorf("got the forwarded body\n%s\nwant\n%s", forwarded, tt.forwarded)
			}
			if auth := got.Header.Get("Authorization"); auth != "Bearer upstream-key-0" {
				t.Errorf("the upstream got the credential %q", auth)
			}
		})
	}
}

func TestPassThrough_AddsOnlyStreamOptions(t *testing.T) {
	w := sharedTestbed(t)
	caller := w.caller(acmeToken)
	for _, sent := range []string{
		`{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"opts-1 script:lenient=true"}],"k":[1.0,2e5]}`,
		`{"model":"gpt-4o-mini","stream_options":{"include_usage":false,"x":1.50},"stream":true,"messages":[{"role":"user","content":"opts-2 script:lenient=true"}]}`,
		`{"model":"gpt-4o-mini","stream_options":null,"stream":true,"messages":[{"role":"user","content":"opts-3"}]}`,
		`{"stream":true,"stream_options":{},"messages":[{"role":"user","content":"opts-4"}],"model":"gpt-4o-mini"}`,
	} {
		_, rest, _ := strings.Cut(sent, "opts-")
		marker := "opts-" + rest[:1]
		r := caller.post(story.Context(t), sent)
		if !r.complete(true) || bytes.Contains(r.body, []byte(`"choices":[],`)) {
			t.Errorf("%s: got status %d: %.300q", marker, r.status, r.body)
		}
		got, ok := w.upstream.Find(t, marker)
		if !ok || !bytes.Contains(got.Body, []byte(`"include_usage":true`)) {
			t.Errorf("%s: got the forwarded body %s, want include_usage", marker, got.Body)
			continue
		}
		for _, kept := range []string{`"messages":[{"role":"user","content":"` + marker, `"model":"gpt-4o-mini"`,
			`"stream":true`} {
			if !bytes.Contains(got.Body, []byte(kept)) {
				t.Errorf("%s: %s is missing in %s", marker, kept, got.Body)
			}
		}
	}
	if got, _ := w.upstream.Find(t, "opts-2"); !bytes.Contains(got.Body, []byte(`"x":1.50`)) {
		t.Errorf("a field of stream_options was lost: %s", got.Body)
	}
	if got, _ := w.upstream.Find(t, "opts-1"); !bytes.Contains(got.Body, []byte(`"k":[1.0,2e5]`)) {
		t.Errorf("numbers were formatted differently: %s", got.Body)
	}
}

func TestPassThrough_AnswersStayByteForByte(t *testing.T) {
	w := sharedTestbed(t)
	direct := &caller{base: w.upstream.URL, token: "any", client: w.caller("").client}
	through := w.caller(acmeToken)
	for _, body := range []string{
		ask("gpt-4o-mini", someCounts),
		ask("gpt-4o-mini", someCounts, `"n":2`),
		ask("gpt-4o-mini", someCounts, streaming, withUsage),
		ask("gpt-4o-mini", someCounts, streaming, withUsage, `"n":2`),
	} {
		want, got := direct.post(story.Context(t), body), through.post(story.Context(t), body)
		if !bytes.Equal(got.body, want.body) {
			t.Errorf("%s: got\n%s\nwant\n%s", body, got.body, want.body)
		}
	}
}
