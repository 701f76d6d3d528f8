package upstreamid_test

import (
	"bytes"
	"testing"

	"github.com/tollgate/tollgate/libs/wire/openai/upstreamid"
)

func TestMarkAudio_ReplacesTheIDsOfAudioOnly(t *testing.T) {
	t.Parallel()
	mark := func(id string) string { return "marked-" + id }
	for given, want := range map[string]string{
		`{"id":"c","choices":[{"message":{"audio":{"id":"a1","data":"UklG","transcript":"\"audio\""}}},{"message":{"audio":{"data":"","id":"a2"}}}]}`: `{"id":"c","choices":[{"message":{"audio":{"id":"marked-a1","data":"UklG","transcript":"\"audio\""}}},{"message":{"audio":{"data":"","id":"marked-a2"}}}]}`,
		`{"id":"c","choices":[{"delta":{"audio":{"id":"a1"}}}]}`:                             `{"id":"c","choices":[{"delta":{"audio":{"id":"marked-a1"}}}]}`,
		`{"id":"c","choices":[{"delta":{"audio":{"id":"","data":"x"}}}]}`:                    `{"id":"c","choices":[{"delta":{"audio":{"id":"","data":"x"}}}]}`,
		`{"id":"c","choices":[{"message":{"audio":null,"content":"{\"audio\":1}"}}]}`:        `{"id":"c","choices":[{"message":{"audio":null,"content":"{\"audio\":1}"}}]}`,
		`{"audio":{"id":"x"},"choices":[{"message":{"tool_calls":[{"audio":{"id":"x"}}]}}]}`: `{"audio":{"id":"x"},"choices":[{"message":{"tool_calls":[{"audio":{"id":"x"}}]}}]}`,
		`{"choices":{"message":{"audio":{"id":"x"}}}}`:                                       `{"choices":{"message":{"audio":{"id":"x"}}}}`,
		`{"choices":[{"message":{"audio":{"id":"x"`:                                          `{"choices":[{"message":{"audio":{"id":"x"`,
		`[]`: `[]`,
	} {
		got, changed := upstreamid.MarkAudio([]byte(given), mark)
		if string(got) != want || changed != (want != given) {
			t.Errorf("MarkAudio(%s)\n got %s, changed %v\nwant %s", given, got, changed, want)
		}
	}
}

func FuzzMarkAudio(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"audio":{"id":"a1"}}}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"audio":`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var ids []string
		marked, changed := upstreamid.MarkAudio(data, func(id string) string { ids = append(ids, id); return "marked" })
		if changed != (len(ids) > 0) || !changed && !bytes.Equal(marked, data) {
			t.Errorf("MarkAudio(%q) = %q, changed %v, with the ids %q", data, marked, changed, ids)
		}
	})
}
