package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/gemini"
	"github.com/tollgate/tollgate/libs/wire/sse"
)

var update = flag.Bool("update", false, "write upstream.json anew")

const maxFrame = 1 << 20

// golden is one of testdata's files. Each is a call and its answer: the
// client's bytes, and the upstream's. Its head names the client's dialect and
// the upstream's model.
type golden struct {
	path    string
	archive *txtar.Archive
}

func read(t *testing.T, path string) golden {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return golden{path, archive}
}

func (g golden) head(name string) string {
	for line := range strings.Lines(string(g.archive.Comment)) {
		if value, found := strings.CutPrefix(line, name+": "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// section returns nil where there is none.
func (g golden) section(name string) []byte {
	for _, file := range g.archive.Files {
		if file.Name == name {
			return file.Data
		}
	}
	return nil
}

// check compares a section with JSON, or writes it.
func (g golden) check(t *testing.T, name string, got []byte) {
	t.Helper()
	var want bytes.Buffer
	if *update {
		want.Reset()
		if err := json.Indent(&want, got, "", "  "); err != nil {
			t.Fatal(err)
		}
		for i := range g.archive.Files {
			if g.archive.Files[i].Name == name {
				g.archive.Files[i].Data = append(want.Bytes(), '\n')
			}
		}
		if err := os.WriteFile(g.path, txtar.Format(g.archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := json.Compact(&want, g.section(name)); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s:\ngot  %s\nwant %s, %v", name, got, want.Bytes(), err)
	}
}

// answer reads what the upstream answers.
func (g golden) answer(d provider.Decoder) (conversation.Gather, error) {
	if body := g.section("upstream_answer.json"); body != nil {
		answer, err := d.Whole(body)
		return conversation.Gather{Answer: answer}, err
	}
	var events []conversation.Event
	var err error
	for frames := sse.NewReader(bytes.NewReader(g.section("upstream.sse")), maxFrame, nil); ; {
		frame, end := frames.Next()
		if end != nil {
			break
		}
		if events, err = d.Frame(events, "", sse.Data(frame)); err != nil {
			return conversation.Gather{}, err
		}
	}
	events, err = d.Close(events)
	var all conversation.Gather
	for _, e := range events {
		all.Add(e)
	}
	return all, err
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) != len(cases) {
		t.Fatalf("%d files of %d cases, %v", len(files), len(cases), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			c, known := cases[name]
			if !known {
				t.Fatal("no such case")
			}
			g := read(t, path)
			r, err := gemini.Provider{}.Request(provider.Call{UpstreamModel: g.head("model"), Conversation: &c.request})
			if err != nil {
				t.Fatal(err)
			}
			g.check(t, "upstream.json", r.Body.Bytes())
			got, err := g.answer(r.Decoder)
			if got.Fault != nil {
				err = got.Fault
			}
			var fault *conversation.Fault
			switch {
			case c.cut && !errors.Is(err, io.ErrUnexpectedEOF), c.fault != "" && (!errors.As(err, &fault) || fault.Code != c.fault):
				t.Errorf("error %v", err)
			case !c.cut && c.fault == "" && err != nil:
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Answer.Items, c.items) || got.Answer.Finish != c.finish {
				t.Errorf("%q %+v, want %q %+v", got.Answer.Finish, got.Answer.Items, c.finish, c.items)
			}
			if u := got.Answer.Usage; (u == nil) != (c.usage == usage.Usage{}) || u != nil && *u != c.usage {
				t.Errorf("%+v, want %+v", u, c.usage)
			}
		})
	}
}
