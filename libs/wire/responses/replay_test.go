package responses

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// streamOf returns the frames of a response with the items, each text in one delta.
func streamOf(finish completion.FinishReason, items ...completion.Item) []string {
	e := NewEncoder(completion.Header{ID: "1", Model: "m", Created: time.Unix(1, 0)})
	stream := e.Frames(nil, completion.Event{Type: completion.EventBegin})
	for i, item := range items {
		stream = e.Frames(stream, completion.Event{Type: completion.EventItemBegin, Index: i, Item: item})
		stream = e.Frames(stream, completion.Event{Type: completion.EventItemEnd, Index: i})
	}
	stream = e.Frames(stream, completion.Event{Type: completion.EventEnd,
		Response: completion.Response{FinishReason: finish, Usage: &usage.Usage{Input: 7, Output: 5}}})
	return slices.Collect(frames(string(stream)))
}

// frames returns the frames of a stream.
func frames(stream string) func(func(string) bool) {
	return strings.SplitAfterSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n")
}

// replayOf returns the frames of the replay of a stream's last response, after a sequence number.
func replayOf(t *testing.T, stream []string, after int64) (replayed []string) {
	t.Helper()
	r := output.NewReplay(output.ResponseInFrame([]byte(stream[len(stream)-1])), after)
	defer r.Close()
	for {
		frame, err := r.Next()
		if errors.Is(err, io.EOF) {
			return replayed
		}
		if err != nil || frame.Err != nil {
			t.Fatal(err, frame.Err)
		}
		replayed = append(replayed, string(frame.Raw))
	}
}

func TestReplay_EqualsTheStreamOfTheResponse(t *testing.T) {
	for name, c := range map[string]struct {
		finish completion.FinishReason
		items  []completion.Item
	}{
		"a text": {completion.FinishStop,
			[]completion.Item{{Type: completion.ItemText, Text: "hi \"there\" ☕"}}},
		"an empty text":     {completion.FinishStop, []completion.Item{{Type: completion.ItemText}}},
		"a refusal":         {completion.FinishStop, []completion.Item{{Type: completion.ItemRefusal, Text: "no"}}},
		"no items":          {completion.FinishStop, nil},
		"a text that ended": {completion.FinishLength, []completion.Item{{Type: completion.ItemText, Text: "hi th"}}},
		"all kinds": {completion.FinishToolCalls, []completion.Item{
			{Type: completion.ItemReasoning, Text: "hm"}, {Type: completion.ItemText, Text: "hi"},
			{Type: completion.ItemToolCall, CallID: "c1", Name: "f", Text: `{"a":1}`},
			{Type: completion.ItemToolCall, CallID: "c2", Name: "g"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			want := streamOf(c.finish, c.items...)
			want[len(want)-1] += "\n\n"
			got := replayOf(t, want, -1)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, ""), strings.Join(want, ""))
			}
			for after := range len(want) - 1 {
				if rest := replayOf(t, want, int64(after)); !slices.Equal(rest, want[after+1:]) {
					t.Errorf("after %d: got %q", after, rest)
				}
			}
			end := replayOf(t, want, 400)
			if len(end) != 1 || !strings.Contains(end[0], `"sequence_number":401,"response":`) {
				t.Errorf("after more events than there are: got %q, want the last one", end)
			}
		})
	}
}
