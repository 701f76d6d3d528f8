package completion_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// before returns the text before the first of the sequences, and whether there is one.
func before(text string, sequences []string) (string, bool) {
	first := len(text)
	for _, s := range sequences {
		if at := strings.Index(text, s); at >= 0 {
			first = min(first, at)
		}
	}
	return text[:first], first < len(text)
}

// stream passes the pieces as deltas of one text, each in a frame of its own. It returns the text that a client sees
// and the reason of the end. held is the most bytes that were held back after a frame.
func stream(s *completion.Stopper, pieces []string) (text string, reason completion.FinishReason, held int) {
	frames := [][]completion.Event{{{Type: completion.EventBegin}}, {{Type: completion.EventItemBegin}}}
	for _, p := range pieces {
		frames = append(frames, []completion.Event{{Type: completion.EventItemDelta, Item: completion.Item{Text: p}}})
	}
	frames = append(frames, []completion.Event{{Type: completion.EventItemEnd}},
		[]completion.Event{{Type: completion.EventEnd,
			Response: completion.Response{FinishReason: completion.FinishLength}}})
	sent := 0
	for _, frame := range frames {
		for _, e := range s.Pass(nil, frame) {
			if reason != "" {
				return text, "an event after the end", held
			}
			text += e.Item.Text
			reason = e.Response.FinishReason
		}
		sent += len(frame[0].Item.Text)
		if reason == "" {
			held = max(held, sent-len(text))
		}
	}
	return text, reason, held
}

// cut cuts a text into pieces of random lengths, some of them empty.
func cut(random *rand.Rand, text string) (pieces []string) {
	for text != "" {
		n := random.IntN(min(len(text), 5) + 1)
		pieces, text = append(pieces, text[:n]), text[n:]
	}
	return pieces
}

// of returns a random text of few letters, so that it often has a sequence, or the beginning of one.
func of(random *rand.Rand, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = "abc"[random.IntN(3)]
	}
	return string(text)
}

func TestStopper_ShowsTheTextBeforeTheFirstSequence(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := of(random, random.IntN(30))
		sequences := make([]string, 1+random.IntN(4))
		longest := 0
		for i := range sequences {
			sequences[i] = of(random, 1+random.IntN(6))
			longest = max(longest, len(sequences[i]))
		}
		pieces := cut(random, text)
		want, stops := before(text, sequences)
		reason := completion.FinishLength
		if stops {
			reason = completion.FinishStop
		}

		streamed := completion.NewStopper(sequences)
		got, end, held := stream(streamed, pieces)
		if got != want || end != reason || streamed.Stopped() != stops || held >= longest {
			t.Fatalf("%q in the pieces %q: the client sees %q with the end %q, want %q with %q; %d bytes were held "+
				"back", sequences, pieces, got, end, want, reason, held)
		}

		whole := completion.Response{FinishReason: completion.FinishLength}
		for _, p := range pieces {
			whole.Items = append(whole.Items, completion.Item{Text: p})
		}
		completion.NewStopper(sequences).Cut(&whole)
		if got := textOf(whole.Items); got != want || whole.FinishReason != reason {
			t.Fatalf("%q in the texts %q: the client sees %q with the end %q, want %q with %q", sequences, pieces, got,
				whole.FinishReason, want, reason)
		}
	}
}

// textOf returns the texts of the items, joined.
func textOf(items []completion.Item) (text string) {
	for _, item := range items {
		if item.Type == completion.ItemText {
			text += item.Text
		}
	}
	return text
}

// received returns the response of a stream for a client that drops what is added to an item after its end, as
// encoders do.
func received(events []completion.Event) completion.Response {
	var got completion.Accumulator
	ended := map[int]bool{}
	for _, e := range events {
		if !ended[e.Index] || e.Type == completion.EventEnd {
			got.Add(e)
		}
		if e.Type == completion.EventItemEnd {
			ended[e.Index] = true
		}
	}
	return got.Response
}

func TestStopper_ShowsTheSameTextsInAStreamAsInACompleteResponse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		sequences := []string{of(random, 1+random.IntN(5)), of(random, 1+random.IntN(5))}
		whole := completion.Response{FinishReason: completion.FinishLength}
		for range random.IntN(5) {
			kinds := []completion.ItemType{completion.ItemText, completion.ItemText, completion.ItemReasoning,
				completion.ItemToolCall}
			whole.Items = append(whole.Items,
				completion.Item{Type: kinds[random.IntN(len(kinds))], Text: of(random, random.IntN(8))})
		}
		var events []completion.Event
		for _, e := range whole.Events() {
			if e.Type != completion.EventItemDelta {
				events = append(events, e)
				continue
			}
			for _, piece := range cut(random, e.Item.Text) {
				e.Item.Text = piece
				events = append(events, e)
			}
		}
		items := slices.Clone(whole.Items)
		streamed := completion.NewStopper(sequences)
		var passed []completion.Event
		for frame := range slices.Chunk(events, 1+random.IntN(4)) {
			passed = streamed.Pass(passed, frame)
		}
		got := received(passed)
		completion.NewStopper(sequences).Cut(&whole)
		isNoText := func(item completion.Item) bool { return item.Type != completion.ItemText }
		if !streamed.Stopped() && len(got.Items) != len(items) || got.FinishReason != whole.FinishReason ||
			!reflect.DeepEqual(slices.DeleteFunc(got.Items, isNoText), slices.DeleteFunc(whole.Items, isNoText)) {
			t.Fatalf("%q in %+v: the stream has %+v, want %+v", sequences, items, got, whole)
		}
	}
}

func TestStopper_EndsNoItemBeforeTheTextThatIsHeldBack(t *testing.T) {
	t.Parallel()
	text := completion.Item{Text: "Use `foo`"}
	call := completion.Item{Type: completion.ItemToolCall, Name: "f", Text: "{}"}
	for name, row := range map[string][]completion.Item{
		"the last item":           {text},
		"a call follows":          {text, call},
		"a text follows":          {text, {Text: "!"}},
		"an empty text follows":   {text, {}},
		"a text with citations":   {{Text: "Use foo", Citations: []completion.Citation{{URL: "https://x.io"}}}, call},
		"a call and text follows": {text, call, {Text: "`!"}},
	} {
		whole := completion.Response{Items: slices.Clone(row), FinishReason: completion.FinishStop}
		events := whole.Events()
		completion.NewStopper([]string{"```"}).Cut(&whole)
		got := received(completion.NewStopper([]string{"```"}).Pass(nil, events))
		if !reflect.DeepEqual(got.Items, whole.Items) || got.FinishReason != completion.FinishStop {
			t.Errorf("%s: got %+v, want %+v", name, got, whole)
		}
		broken := completion.NewStopper([]string{"```"})
		got = received(broken.Flush(broken.Pass(nil, events[:len(events)-1])))
		if !reflect.DeepEqual(got.Items, whole.Items) {
			t.Errorf("%s, broken off: got %+v, want %+v", name, got, whole)
		}
	}
}

// FuzzStopper compares the Stopper with a search in the whole text. step is the size of the pieces.
func FuzzStopper(f *testing.F) {
	f.Add("one END two", "END", "two", uint8(1))
	f.Add("aabaabaac", "aabaac", "abaa", uint8(2))
	f.Add("aaaa", "aaa", "aa", uint8(3))
	f.Add("é\n\nê", "\n\n", "ê", uint8(1))
	f.Fuzz(func(t *testing.T, text, first, second string, step uint8) {
		if first == "" || second == "" || step == 0 {
			t.Skip()
		}
		var pieces []string
		for piece := range slices.Chunk([]byte(text), int(step)) {
			pieces = append(pieces, string(piece))
		}
		sequences := []string{first, second}
		want, stops := before(text, sequences)
		got, end, _ := stream(completion.NewStopper(sequences), pieces)
		if got != want || (end == completion.FinishStop) != stops {
			t.Errorf("%q in the pieces %q: the client sees %q with the end %q, want %q", sequences,
				pieces, got, end, want)
		}
	})
}

func TestStopper_LeavesEverythingButTextAsItIs(t *testing.T) {
	t.Parallel()
	items := []completion.Item{
		{Type: completion.ItemReasoning, Text: "END"},
		{Type: completion.ItemToolCall, Name: "f", Text: "END"},
		{Type: completion.ItemText, Text: "one E"},
		{Type: completion.ItemRefusal, Text: "END"},
		{Type: completion.ItemToolCall, Name: "g", Text: "{}"},
		{Type: completion.ItemText, Text: "N two"},
		{Type: completion.ItemText, Text: " EN"},
	}
	whole := completion.Response{Items: slices.Clone(items), FinishReason: completion.FinishToolCalls}
	events := whole.Events()
	completion.NewStopper([]string{"END"}).Cut(&whole)
	var streamed completion.Accumulator
	for _, e := range completion.NewStopper([]string{"END"}).Pass(nil, events) {
		streamed.Add(e)
	}
	for name, got := range map[string]completion.Response{"complete": whole, "streamed": streamed.Response} {
		if len(got.Items) != len(items) || textOf(got.Items) != "one EN two EN" ||
			got.FinishReason != completion.FinishToolCalls {
			t.Fatalf("%s: got %+v", name, got)
		}
		for i, item := range got.Items {
			if item.Type != completion.ItemText && !reflect.DeepEqual(item, items[i]) {
				t.Errorf("%s: got %+v, want %+v", name, item, items[i])
			}
		}
	}
}

func TestStopper_DropsWhatFollowsTheSequence(t *testing.T) {
	t.Parallel()
	used := &usage.Usage{Output: 7}
	whole := completion.Response{Usage: used, FinishReason: completion.FinishToolCalls, Items: []completion.Item{
		{Type: completion.ItemToolCall, Name: "f", Text: "{}"},
		{Type: completion.ItemText, Text: "one END two"},
		{Type: completion.ItemToolCall, Name: "g", Text: "{}"},
	}}
	events := whole.Events()
	completion.NewStopper([]string{"END"}).Cut(&whole)
	if len(whole.Items) != 2 || whole.Items[1].Text != "one " || whole.FinishReason != completion.FinishStop ||
		whole.Usage != used {
		t.Errorf("complete: got %+v", whole)
	}
	for name, row := range map[string]struct {
		step int // events in a frame
		used *usage.Usage
	}{
		"the end is in the same frame":   {len(events), used},
		"the end comes in a later frame": {1, nil},
	} {
		s := completion.NewStopper([]string{"END"})
		var got completion.Accumulator
		for frame := range slices.Chunk(events, row.step) {
			for _, e := range s.Pass(nil, frame) {
				got.Add(e)
			}
		}
		if r := got.Response; len(r.Items) != 2 || r.Items[1].Text != "one " ||
			r.FinishReason != completion.FinishStop || r.Usage != row.used {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

func TestStopper_ShowsHeldTextWhenTheStreamEndsOrFails(t *testing.T) {
	t.Parallel()
	begun := []completion.Event{{Type: completion.EventItemBegin},
		{Type: completion.EventItemDelta, Item: completion.Item{Text: "one abcd"}}}
	for name, row := range map[string]struct {
		sequence string
		text     string
		end      completion.EventType
	}{
		"the text may begin a sequence":           {"d!", "one abcd", completion.EventFail},
		"a sequence, and an earlier one may come": {"bc", "one a", completion.EventEnd},
	} {
		sequences := []string{row.sequence, "abcde"}
		events := completion.NewStopper(sequences).
			Pass(nil, append(slices.Clone(begun), completion.Event{Type: completion.EventFail}))
		cut := completion.NewStopper(sequences)
		flushed := cut.Flush(cut.Pass(nil, begun))
		for how, got := range map[string][]completion.Event{"failed": events, "broken off": flushed} {
			text := ""
			for _, e := range got {
				text += e.Item.Text
			}
			if last := got[len(got)-1].Type; text != row.text || how == "failed" && last != row.end ||
				(last == completion.EventEnd) != (row.end == completion.EventEnd) {
				t.Errorf("%s, %s: the client sees %q and the last event is %d", name, how, text, last)
			}
		}
	}
}
