package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tollgate/tollgate/libs/wire/sse"
)

const limit = 4 << 20

// dataOf reads a whole stream and returns the data of its frames.
func dataOf(t *testing.T, src io.Reader) []string {
	t.Helper()
	var all []string
	reader := sse.NewReader(src, limit, nil)
	for {
		frame, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		all = append(all, string(sse.Data(frame)))
	}
}

func TestFramesAndTheirData(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"one frame", "data: a\n\n", []string{"a"}},
		{"two frames", "data: a\n\ndata: b\n\n", []string{"a", "b"}},
		{"no space after the colon", "data:a\n\n", []string{"a"}},
		{"only one space is taken", "data:  a\n\n", []string{" a"}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
		{"mixed line ends", "data: a\n\r\ndata: b\r\n\n", []string{"a", "b"}},
		{"comment", ": hello\n\ndata: a\n\n", []string{"", "a"}},
		{"comment in a frame", ": hello\ndata: a\n\n", []string{"a"}},
		{"event and id lines", "event: e\nid: 1\ndata: a\n\n", []string{"a"}},
		{"an event line", "event: e\ndata: a\n\nevent:e\ndata:b\n\n", []string{"a", "b"}},
		{"an event line, CRLF", "event: e\r\ndata: a\r\n\r\n", []string{"a"}},
		{"an event line, mixed line ends", "event: e\rdata: a\ndata: b\n\n", []string{"a\nb"}},
		{"an event line and no data", "event: e\n\ndata: a\n\n", []string{"", "a"}},
		{"several data lines", "data: a\ndata: b\n\n", []string{"a\nb"}},
		{"several data lines, CRLF", "data: a\r\ndata: b\r\n\r\n", []string{"a\nb"}},
		{"no blank line at the end", "data: a\n\ndata: b", []string{"a", "b"}},
		{"half a blank line at the end", "data: a\n\ndata: b\n", []string{"a", "b"}},
		{"a very long line", "data: " + long + "\n\ndata: b\n\n", []string{long, "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for reading, src := range map[string]io.Reader{
				"at once":               strings.NewReader(c.stream),
				"by the byte":           iotest.OneByteReader(strings.NewReader(c.stream)),
				"data and end together": iotest.DataErrReader(strings.NewReader(c.stream)),
			} {
				if reading == "by the byte" && len(c.stream) > 1<<16 {
					continue
				}
				if got := dataOf(t, src); strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
					t.Errorf("%s: got %d frames %.80q, want %.80q", reading, len(got), got, c.want)
				}
			}
		})
	}
}

func TestFramesKeepTheirBytes(t *testing.T) {
	const stream = ": c\r\n\r\nevent: x\r\ndata: a\r\n\r\ndata: b\n\n"
	var joined bytes.Buffer
	reader := sse.NewReader(iotest.HalfReader(strings.NewReader(stream)), limit, nil)
	for frame, err := reader.Next(); err == nil; frame, err = reader.Next() {
		joined.Write(frame)
	}
	if joined.String() != stream {
		t.Errorf("frames join to %q, want %q", joined.String(), stream)
	}
}

func TestLastFrameGetsItsBlankLine(t *testing.T) {
	frame, err := sse.NewReader(strings.NewReader("data: a"), limit, nil).Next()
	if err != nil || !bytes.HasSuffix(frame, []byte("\n\n")) {
		t.Errorf("got %q, %v; want a frame that ends in a blank line", frame, err)
	}
}

func TestFrameBeyondTheLimit(t *testing.T) {
	_, err := sse.NewReader(strings.NewReader("data: "+strings.Repeat("x", 100_000)+"\n\n"), 10_000, nil).Next()
	if !errors.Is(err, sse.ErrFrameTooLarge) {
		t.Errorf("got %v, want ErrFrameTooLarge", err)
	}
}

func TestCutFrameIsDropped(t *testing.T) {
	cut := errors.New("cut")
	reader := sse.NewReader(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(cut)), limit, nil)
	if frame, err := reader.Next(); err != nil || string(sse.Data(frame)) != "a" {
		t.Fatalf("first frame: %q, %v", frame, err)
	}
	if frame, err := reader.Next(); !errors.Is(err, cut) {
		t.Errorf("got %q, %v; want the source's error", frame, err)
	}
}

func TestBufferedTellsWhetherNextReads(t *testing.T) {
	reader := sse.NewReader(strings.NewReader("data: a\n\ndata: b\n\ndata: c"), limit, nil)
	for _, want := range []bool{true, false} {
		if _, err := reader.Next(); err != nil {
			t.Fatal(err)
		}
		if got := reader.Buffered(); got != want {
			t.Errorf("Buffered() = %v, want %v", got, want)
		}
	}
}

// FuzzReader: how a stream is split into reads never changes its frames, and
// without the blank line given to a last frame they join to the stream.
func FuzzReader(f *testing.F) {
	f.Add([]byte("data: a\n\ndata: b\r\n\r\n: c\n\n"), uint8(1))
	f.Add([]byte("data: a\r\rdata: b\r\r"), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		whole := frames(bytes.NewReader(stream))
		pieces := frames(&stepReader{stream, int(step%16) + 1})
		if !bytes.Equal(whole, pieces) && !bytes.Contains(stream, []byte("\r")) {
			t.Errorf("whole %q, in pieces of %d %q", whole, step%16+1, pieces)
		}
		if !bytes.HasPrefix(whole, stream) {
			t.Errorf("frames join to %q, want %q", whole, stream)
		}
	})
}

func frames(src io.Reader) []byte {
	var joined []byte
	reader := sse.NewReader(src, limit, nil)
	for frame, err := reader.Next(); err == nil; frame, err = reader.Next() {
		joined = append(joined, frame...)
		sse.Data(frame)
	}
	return joined
}

type stepReader struct {
	rest []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.step)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
