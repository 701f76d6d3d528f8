package tap_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// scripted is an Allowance that returns its marks in order. When none is left it returns the zero Mark, which
// ends the stream.
type scripted struct {
	marks []tap.Mark
	asked []int64 // the values that Extend was called with
}

func (p *scripted) Extend(_ context.Context, delivered int64) tap.Mark {
	p.asked = append(p.asked, delivered)
	if len(p.marks) == 0 {
		return tap.Mark{}
	}
	mark := p.marks[0]
	p.marks = p.marks[1:]
	return mark
}

func text(tokens int64) tap.Mark   { return tap.Mark{Tokens: tokens, ByText: true} }
func chunks(tokens int64) tap.Mark { return tap.Mark{Tokens: tokens} }

// head is the beginning of each chunk.
const head = `{"id":"c1","object":"chat.completion.chunk","created":17,"model":"m","system_fingerprint":"fp",`

// frame returns a chunk with a piece of text.
func frame(choice int, content string) string {
	return fmt.Sprintf("data: %s\"choices\":[{\"index\":%d,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n",
		head, choice, content)
}

// role returns the first chunk of a choice, which has no text.
func role(choice int) string {
	return fmt.Sprintf(
		"data: %s\"choices\":[{\"index\":%d,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n", head, choice)
}

// finish returns the last chunk of a choice.
func finish(choice int, reason string) string {
	return fmt.Sprintf("data: %s\"choices\":[{\"index\":%d,\"delta\":{},\"logprobs\":null,\"finish_reason\":%q}]}\n\n",
		head, choice, reason)
}

// limited delivers a chat stream and returns the bytes that the client received.
func limited(t *testing.T, src io.Reader, o tap.Options) (*client, *tap.Delivery, tap.Result) {
	t.Helper()
	c := newClient()
	o.Source, o.Upstream, o.Timeouts, o.Buffers = output.NewStream(catalog.Chat, src, 1<<20, nil), quiet{},
		pace, &tap.Buffers{}
	delivery, result := tap.Deliver(t.Context(), c, o)
	return c, delivery, result
}

func TestFinishExhausted_EndsTheStreamWithTheReasonLength(t *testing.T) {
	ten := strings.Repeat(frame(0, "abcd"), 10)
	const counted = `"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,` +
		`"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},` +
		`"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}`
	for name, c := range map[string]struct {
		stream     string
		choices    int64
		wantsUsage bool
		quota      string
		mark       tap.Mark
		want       string
	}{
		"one choice": {
			role(0) + ten, 1, false, "", text(3),
			role(0) + strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + frameDone,
		},
		"one choice with usage": {
			ten, 1, true, "", text(3),
			strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + "data: " + head + counted +
				"}}\n\n" + frameDone,
		},
		"one choice with usage and quota": {
			ten, 1, true, "0.5", text(3),
			strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + "data: " + head + counted + `,"quota":"0.5"}}` +
				"\n\n" + frameDone,
		},
		"two choices": {
			role(0) + role(1) + strings.Repeat(frame(0, "abcd")+frame(1, "abcd"), 10), 2, false, "", text(3),
			role(0) + role(1) + frame(0, "abcd") + frame(1, "abcd") + frame(0, "abcd") + finish(0, "length") +
				finish(1, "length") + frameDone,
		},
		"two choices of which one has ended": {
			frame(0, "abcd") + finish(0, "stop") + strings.Repeat(frame(1, "abcd"), 10), 2, false, "", text(3),
			frame(0, "abcd") + finish(0, "stop") + frame(1, "abcd") + frame(1, "abcd") +
				finish(1, "length") + frameDone,
		},
		"a long chunk exceeds the mark": {
			frame(0, "abcd") + frame(0, strings.Repeat("x", 100)) + frame(0, "abcd"), 1, false, "", text(3),
			frame(0, "abcd") + finish(0, "length") + frameDone,
		},
		"the first chunk with text exceeds the mark": {
			role(0) + ten, 1, false, "", text(0),
			role(0) + finish(0, "length") + frameDone,
		},
		"an upstream that ignores the output cap": {
			role(0) + ten, 1, false, "", chunks(3),
			role(0) + strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + frameDone,
		},
	} {
		for split, reader := range map[string]func(io.Reader) io.Reader{
			"unsplit": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader,
			"halved": iotest.HalfReader,
		} {
			t.Run(name+", "+split, func(t *testing.T) {
				got, delivery, result := limited(t, reader(strings.NewReader(c.stream)), tap.Options{
					Choices: c.choices, WantsUsage: c.wantsUsage, Mark: c.mark, Allowance: &scripted{},
				})
				if result.End != tap.QuotaExhausted || result.Complete {
					t.Fatalf("got end %v, cause %v, want QuotaExhausted", result.End, result.Cause)
				}
				if err := delivery.FinishExhausted(usage.Usage{Input: 7, Output: 3}, c.quota); err != nil {
					t.Fatal(err)
				}
				if got.got() != c.want {
					t.Errorf("got\n%s\nwant\n%s", got.got(), c.want)
				}
			})
		}
	}
}

func TestDeliver_AsksTheAllowanceAtEachMark(t *testing.T) {
	// 200 tokens by the text
	stream := role(0) + strings.Repeat(frame(0, "abcdefgh"), 100) + finish(0, "stop") + frameDone
	p := &scripted{marks: []tap.Mark{text(40), text(80), text(160), text(320)}}
	_, _, result := limited(t, strings.NewReader(stream), tap.Options{Choices: 1, Mark: text(20), Allowance: p})
	if result.End != tap.Completed || !slices.Equal(p.asked, []int64{22, 42, 82, 162}) {
		t.Errorf("got end %v after Extend at %v, want Completed after 22, 42, 82, 162", result.End, p.asked)
	}
	p = &scripted{marks: []tap.Mark{text(40), tap.Unlimited}}
	_, _, result = limited(t, strings.NewReader(stream), tap.Options{Choices: 1, Mark: text(20), Allowance: p})
	if result.End != tap.Completed || len(p.asked) != 2 {
		t.Errorf("got end %v after Extend at %v, want no call after Unlimited", result.End, p.asked)
	}
}

// If the hold covers the longest answer that the call may have, chunks without text or with more than one token
// of text must not end the stream. The Allowance is not even asked.
func TestDeliver_DoesNotEndAStreamWithinItsOutputCap(t *testing.T) {
	filler := role(0)
	for name, c := range map[string]struct {
		stream string
		bound  int64
	}{
		"chunks without text": {role(0) + strings.Repeat(frame(0, "ab"), 5) +
			finish(0, "stop") + frameUsage, 5},
		"long tokens":                     {strings.Repeat(frame(0, "international"), 5) + finish(0, "stop"), 5},
		"many chunks without text":        {strings.Repeat(filler+filler+frame(0, "ab"), 50) + finish(0, "stop"), 50},
		"more chunks than the sample has": {strings.Repeat(filler+frame(0, "ab"), 500) + finish(0, "stop"), 500},
		"a first chunk of 20 KB": {frame(0, strings.Repeat("x", 20_000)) + frame(0, "ab") +
			finish(0, "stop") + frameUsage, 4},
		"several choices": {role(0) + role(1) + strings.Repeat(frame(0, "ab")+frame(1, "ab"), 3) +
			finish(0, "stop") + finish(1, "stop") + frameUsage, 6},
		"the upstream stops at the cap": {strings.Repeat(frame(0, "ab"), 5) + finish(0, "length"), 5},
	} {
		t.Run(name, func(t *testing.T) {
			p := &scripted{}
			_, _, result := limited(t, strings.NewReader(c.stream+frameDone),
				tap.Options{Choices: 1, Mark: chunks(c.bound), Allowance: p})
			if result.End != tap.Completed || len(p.asked) > 0 {
				t.Errorf("got end %v after Extend at %v, want Completed without a call", result.End, p.asked)
			}
		})
	}
}

func TestDeliver_CountsTheFramesAfterTheUsage(t *testing.T) {
	const early = `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n"
	for name, c := range map[string]struct {
		stream   string
		since    int64
		complete bool
	}{
		"usage in the last chunk":                       {frameA + frameStop + frameUsage + frameDone, 0, true},
		"usage in the first chunk of a complete stream": {early + frameA + frameStop + frameDone, 2, true},
		"usage in the first chunk of an aborted stream": {early + frameA + frameA, 2, false},
		"usage in each chunk of an aborted stream":      {early + early, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, result := limited(t, strings.NewReader(c.stream), tap.Options{Choices: 1})
			if result.Usage == nil || result.SinceUsage != c.since || result.Complete != c.complete {
				t.Errorf("got usage %+v, %d frames after it, complete %v", result.Usage, result.SinceUsage,
					result.Complete)
			}
		})
	}
}
