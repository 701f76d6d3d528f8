package chat_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

var update = flag.Bool("update", false, "write the current output into the golden files")

// eachCase runs one test for each golden file of a folder. produce gets the sections of the file by name and
// returns the expected content of the sections that it produces.
func eachCase(t *testing.T, folder string, produce func(t *testing.T, in map[string][]byte) map[string][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { runCase(t, name, produce) })
	}
}

func runCase(t *testing.T, name string, produce func(*testing.T, map[string][]byte) map[string][]byte) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	in := map[string][]byte{}
	for _, f := range archive.Files {
		in[f.Name] = f.Data
	}
	got := produce(t, in)
	for i, f := range archive.Files {
		section, produced := got[f.Name]
		if !produced {
			continue
		}
		if *update {
			archive.Files[i].Data = section
		} else if !bytes.Equal(section, f.Data) {
			t.Errorf("%s:\n%s\nwant\n%s", f.Name, section, f.Data)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var head = completion.Header{ID: "0abc", Model: "public", Created: time.Unix(1_700_000_000, 0)}

// decode decodes a stream, frame by frame.
func decode(stream []byte) ([]completion.Event, error) {
	d := chat.NewDecoder(nil)
	var events []completion.Event
	reader := sse.NewReader(bytes.NewReader(stream), 1<<20, nil)
	for {
		frame, err := reader.Next()
		if err != nil {
			return d.Close(events)
		}
		data := sse.Data(frame)
		if len(data) == 0 {
			continue
		}
		if events, err = d.Frame(events, "", data); err != nil {
			return events, err
		}
	}
}

// encode encodes the events of a stream for a client.
func encode(h completion.Header, events []completion.Event) []byte {
	w := chat.NewEncoder(h)
	var stream []byte
	for _, e := range events {
		stream = w.Frames(stream, e)
	}
	return stream
}

// gather accumulates the events of a stream.
func gather(events []completion.Event) *completion.Accumulator {
	var g completion.Accumulator
	for _, e := range events {
		g.Add(e)
	}
	return &g
}

func TestGolden_Responses(t *testing.T) {
	eachCase(t, "answer", func(t *testing.T, in map[string][]byte) map[string][]byte {
		h := head
		if request := in["request.json"]; request != nil {
			h.Request = mustDecode(t, string(request))
		}
		got := map[string][]byte{}
		var answer completion.Response
		if stream := in["upstream.sse"]; stream != nil {
			events, err := decode(stream)
			if err != nil {
				t.Fatal(err)
			}
			got["client.sse"] = encode(h, events)
			answer = gather(events).Response
		}
		if body := in["upstream.json"]; body != nil {
			whole, err := chat.NewDecoder(nil).Whole(body)
			if err != nil {
				t.Fatal(err)
			}
			answer = whole
		}
		body := chat.NewEncoder(h).Whole(&answer)
		mustScan(t, body)
		got["client.json"] = append(body, '\n')
		if answer.Usage != nil {
			got["usage.json"] = mustMarshal(t, answer.Usage)
		}
		return got
	})
}

// mustScan checks that the relay can read a response that the Encoder wrote, as it does to meter it.
func mustScan(t *testing.T, body []byte) {
	t.Helper()
	if _, err := output.ScanAnswer(catalog.Chat, body); err != nil {
		t.Errorf("ScanResponse: %v: %s", err, body)
	}
	if !json.Valid(body) {
		t.Errorf("not JSON: %s", body)
	}
}

func TestGolden_Requests(t *testing.T) {
	eachCase(t, "request", func(t *testing.T, in map[string][]byte) map[string][]byte {
		r := mustDecode(t, string(in["client.json"]))
		body, _, err := chat.EncodeRequest(r, chat.Options{Model: "upstream"})
		if err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"upstream.json": indent(t, body)}
	})
}

func mustDecode(t *testing.T, body string) *conversation.Request {
	t.Helper()
	r, err := chat.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func indent(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return append(raw, '\n')
}
