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
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// purse is a Limit that answers with its marks, one after the other, and then
// with none.
type purse struct {
	marks []tap.Mark
	asked []int64
}

func (p *purse) Extend(_ context.Context, delivered int64) tap.Mark {
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

const head = `{"id":"c1","object":"chat.completion.chunk","created":17,"model":"m","system_fingerprint":"fp",`

func frame(choice int, content string) string {
	return fmt.Sprintf("data: %s\"choices\":[{\"index\":%d,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", head, choice, content)
}

func role(choice int) string {
	return fmt.Sprintf("data: %s\"choices\":[{\"index\":%d,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n", head, choice)
}

func finish(choice int, reason string) string {
	return fmt.Sprintf("data: %s\"choices\":[{\"index\":%d,\"delta\":{},\"logprobs\":null,\"finish_reason\":%q}]}\n\n", head, choice, reason)
}

// limited delivers a stream to a client within a purse.
func limited(t *testing.T, src io.Reader, o tap.Options) (*client, *tap.Delivery, tap.Result) {
	t.Helper()
	c := newClient()
	o.Source, o.OnSilence, o.Timeouts, o.Buffers = output.NewChatStream(src, 1<<20, nil), func() {}, pace, &tap.Buffers{}
	delivery, result := tap.Deliver(t.Context(), c, o)
	return c, delivery, result
}

func TestAStreamEndsCleanlyWhereItsQuotaDoes(t *testing.T) {
	ten := strings.Repeat(frame(0, "abcd"), 10)
	const counted = `"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,` +
		`"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0,"audio_tokens":0},` +
		`"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}`
	for name, c := range map[string]struct {
		stream   string
		choices  int64
		wantsUse bool
		quota    string
		mark     tap.Mark
		want     string
	}{
		"of one choice": {
			role(0) + ten, 1, false, "", text(3),
			role(0) + strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + frameDone,
		},
		"with usage": {
			ten, 1, true, "", text(3),
			strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + "data: " + head + counted + "}}\n\n" + frameDone,
		},
		"with usage and quota": {
			ten, 1, true, "0.5", text(3),
			strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + "data: " + head + counted + `,"quota":"0.5"}}` + "\n\n" + frameDone,
		},
		"of several choices": {
			role(0) + role(1) + strings.Repeat(frame(0, "abcd")+frame(1, "abcd"), 10), 2, false, "", text(3),
			role(0) + role(1) + frame(0, "abcd") + frame(1, "abcd") + frame(0, "abcd") + finish(0, "length") + finish(1, "length") + frameDone,
		},
		"of which one has ended": {
			frame(0, "abcd") + finish(0, "stop") + strings.Repeat(frame(1, "abcd"), 10), 2, false, "", text(3),
			frame(0, "abcd") + finish(0, "stop") + frame(1, "abcd") + frame(1, "abcd") + finish(1, "length") + frameDone,
		},
		"before a long chunk": {
			frame(0, "abcd") + frame(0, strings.Repeat("x", 100)) + frame(0, "abcd"), 1, false, "", text(3),
			frame(0, "abcd") + finish(0, "length") + frameDone,
		},
		"before its first": {
			role(0) + ten, 1, false, "", text(0),
			role(0) + finish(0, "length") + frameDone,
		},
		"at what it may have at most, by an upstream that does not care": {
			role(0) + ten, 1, false, "", chunks(3),
			role(0) + strings.Repeat(frame(0, "abcd"), 3) + finish(0, "length") + frameDone,
		},
	} {
		for split, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "split": iotest.OneByteReader, "halved": iotest.HalfReader,
		} {
			t.Run(name+", "+split, func(t *testing.T) {
				got, delivery, result := limited(t, reader(strings.NewReader(c.stream)), tap.Options{
					Choices: c.choices, WantsUsage: c.wantsUse, Mark: c.mark, Allowance: &purse{},
				})
				if result.End != tap.QuotaExhausted || result.Complete {
					t.Fatalf("end %v, %v", result.End, result.Cause)
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

func TestAStreamGoesOnInSteps(t *testing.T) {
	stream := role(0) + strings.Repeat(frame(0, "abcdefgh"), 100) + finish(0, "stop") + frameDone // 200 tokens by the text
	p := &purse{marks: []tap.Mark{text(40), text(80), text(160), text(320)}}
	_, _, result := limited(t, strings.NewReader(stream), tap.Options{Choices: 1, Mark: text(20), Allowance: p})
	if result.End != tap.Completed || !slices.Equal(p.asked, []int64{22, 42, 82, 162}) {
		t.Errorf("end %v after asking at %v", result.End, p.asked)
	}
	p = &purse{marks: []tap.Mark{text(40), tap.Unlimited}}
	_, _, result = limited(t, strings.NewReader(stream), tap.Options{Choices: 1, Mark: text(20), Allowance: p})
	if result.End != tap.Completed || len(p.asked) != 2 {
		t.Errorf("end %v after asking at %v, want no question once it is unlimited", result.End, p.asked)
	}
}

// Who has held all that a call may have is not ended by what is no token: the
// limit is not even asked.
func TestAnUpstreamThatKeepsToItsBoundIsNotEnded(t *testing.T) {
	filler := role(0)
	for name, c := range map[string]struct {
		stream string
		bound  int64
	}{
		"chunks without text":        {role(0) + strings.Repeat(frame(0, "ab"), 5) + finish(0, "stop") + frameUsage, 5},
		"long tokens":                {strings.Repeat(frame(0, "international"), 5) + finish(0, "stop"), 5},
		"many chunks without text":   {strings.Repeat(filler+filler+frame(0, "ab"), 50) + finish(0, "stop"), 50},
		"more than is sampled":       {strings.Repeat(filler+frame(0, "ab"), 500) + finish(0, "stop"), 500},
		"a first chunk of 20 KB":     {frame(0, strings.Repeat("x", 20_000)) + frame(0, "ab") + finish(0, "stop") + frameUsage, 4},
		"several choices":            {role(0) + role(1) + strings.Repeat(frame(0, "ab")+frame(1, "ab"), 3) + finish(0, "stop") + finish(1, "stop") + frameUsage, 6},
		"it ends where its cap does": {strings.Repeat(frame(0, "ab"), 5) + finish(0, "length"), 5},
	} {
		t.Run(name, func(t *testing.T) {
			p := &purse{}
			_, _, result := limited(t, strings.NewReader(c.stream+frameDone), tap.Options{Choices: 1, Mark: chunks(c.bound), Allowance: p})
			if result.End != tap.Completed || len(p.asked) > 0 {
				t.Errorf("end %v, asked at %v", result.End, p.asked)
			}
		})
	}
}

func TestUsageIsOldOnceMoreHasCome(t *testing.T) {
	const early = `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n"
	for name, c := range map[string]struct {
		stream   string
		since    int64
		complete bool
	}{
		"in the last chunk":   {frameA + frameStop + frameUsage + frameDone, 0, true},
		"in the first, whole": {early + frameA + frameStop + frameDone, 2, true},
		"in the first, cut":   {early + frameA + frameA, 2, false},
		"in each, cut":        {early + early, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, result := limited(t, strings.NewReader(c.stream), tap.Options{Choices: 1})
			if result.Usage == nil || result.SinceUsage != c.since || result.Complete != c.complete {
				t.Errorf("%+v, %d chunks since, complete %v", result.Usage, result.SinceUsage, result.Complete)
			}
		})
	}
}
