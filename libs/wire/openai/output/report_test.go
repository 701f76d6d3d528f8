package output_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Servers and proxies send pings in a form of their own, which no client of chat completions reads.
func TestStream_SkipsThePingsOfAChatStream(t *testing.T) {
	const chunk = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}` + "\n\n"
	stream := output.NewStream(catalog.Chat, strings.NewReader("event: ping\ndata: ping\n\n"+chunk+
		"event: ping\ndata: {\"type\": \"ping\"}\n\n"+chunk+"data: ping\n\n"), 1<<20, nil)
	for _, want := range []bool{true, true, false} { // the last one has no name
		frame, err := stream.Next()
		if err != nil || (frame.Err == nil) != want || want && string(frame.Raw) != chunk {
			t.Errorf("got %q, %v, %v, want a chunk: %v", frame.Raw, frame.Err, err, want)
		}
	}
	if frame, err := stream.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %q, %v, want the end", frame.Raw, err)
	}
}

func TestReport_CountsTheSoundOfAChunk(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]int64{
		`{"choices":[{"index":0,"delta":{"audio":{"id":"a1","data":"UklGRg==","transcript":"hi"}},"finish_reason":null}]}`: 8,
		`{"choices":[{"index":0,"delta":{"audio":{"transcript":"hi"}},"finish_reason":null}]}`:                             0,
		`{"choices":[{"index":0,"delta":{"content":"\"audio\" \"data\":"},"finish_reason":null}]}`:                         0,
	} {
		frame, err := output.NewStream(catalog.Chat, strings.NewReader("data: "+data+"\n\n"), 1<<20, nil).Next()
		var report output.Report
		if report.Add(&frame); err != nil || report.Sound != want {
			t.Errorf("%s: got %d bytes, %v, want %d", data, report.Sound, err, want)
		}
	}
}
