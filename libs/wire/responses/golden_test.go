package responses_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/responses"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

var update = flag.Bool("update", false, "write the current output into the golden files")

// A golden file has sections with input, and after them sections with the expected output:
//
//	client.json    the client's request
//	upstream.json  the request for the upstream that is encoded from it
//	answer.json    an upstream's JSON response
//	whole.json     the response for the client
//	upstream.sse   an upstream's stream
//	client.sse     the stream for the client
func TestGolden_RequestsResponsesAndStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := completion.Header{ID: "gw1", Model: "public-model", Created: time.Unix(1700000000, 0)}
	input := ""
	for i := range archive.Files {
		f := &archive.Files[i]
		var got string
		switch f.Name {
		case "client.json":
			h.Request = decode(t, string(f.Data))
			input = string(f.Data)
			continue
		case "upstream.json":
			got = upstreamRequest(t, h.Request)
		case "whole.json":
			got = wholeAnswer(h, input)
		case "client.sse":
			got = translate(t, h, input)
		default:
			input = string(f.Data)
			continue
		}
		got = strings.TrimRight(got, "\n") + "\n"
		if *update {
			f.Data = []byte(got)
		} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
			t.Errorf("%s: diff of want and got: %s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func upstreamRequest(t *testing.T, r *conversation.Request) string {
	t.Helper()
	body, _, err := responses.EncodeRequest(r, responses.Options{Model: "upstream-model"})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func wholeAnswer(h completion.Header, body string) string {
	answer, err := responses.NewDecoder(nil).Whole([]byte(body))
	if fault := (*completion.UpstreamError)(nil); errors.As(err, &fault) {
		return "fault: " + fault.Code + ": " + fault.Message
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return string(responses.NewEncoder(h).Whole(&answer))
}

func translate(t *testing.T, h completion.Header, stream string) string {
	t.Helper()
	events, err := decodeStream(stream)
	if err != nil {
		events = append(events, failure(completion.UpstreamError{Message: err.Error()}))
	}
	out := frames(h, events...)
	if _, err := check([]byte(out)); err != nil {
		t.Error(err)
	}
	return out
}

func decodeStream(stream string) (events []completion.Event, err error) {
	decoder := responses.NewDecoder(nil)
	reader := sse.NewReader(strings.NewReader(stream), 1<<20, nil)
	for err == nil {
		var frame []byte
		if frame, err = reader.Next(); err != nil {
			break
		}
		if data := sse.Data(frame); len(data) > 0 {
			events, err = decoder.Frame(events, nameOf(string(frame)), data)
		}
	}
	return decoder.Close(events)
}

// nameOf returns the name of a frame's event.
func nameOf(frame string) string {
	_, after, _ := strings.Cut("\n"+frame, "\nevent: ")
	name, _, _ := strings.Cut(after, "\n")
	return name
}
