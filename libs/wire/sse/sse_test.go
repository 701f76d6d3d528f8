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

// room is a Memory of so many bytes.
type room struct{ size, taken int }

var errFull = errors.New("no room")

func (r *room) TakeForFrame(bytes int) error {
	if r.taken+bytes > r.size {
		return errFull
	}
	r.taken += bytes
	return nil
}

func TestReader_TakesMemoryForLargeFrames(t *testing.T) {
	for name, c := range map[string]struct {
		size  int // of the second frame
		room  int
		taken int
		err   error
	}{
		"a small frame":              {60_000, 0, 0, nil},
		"a large frame":              {200_000, 1 << 20, 192 << 10, nil},
		"a large frame without room": {200_000, 100_000, 64 << 10, errFull},
	} {
		t.Run(name, func(t *testing.T) {
			large := "data: " + strings.Repeat("x", c.size) + "\n\n"
			reader := sse.NewReader(strings.NewReader("data: a\n\n"+large), limit, nil)
			memory := &room{size: c.room}
			reader.UseMemory(memory)
			if _, err := reader.Next(); err != nil {
				t.Fatal(err)
			}
			if frame, err := reader.Next(); !errors.Is(err, c.err) || err == nil && string(frame) != large {
				t.Errorf("got a frame of %d bytes, %v, want %v", len(frame), err, c.err)
			}
			if memory.taken != c.taken {
				t.Errorf("took %d bytes, want %d", memory.taken, c.taken)
			}
		})
	}
}

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

func TestReader_SplitsAStreamIntoFrames(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name, stream string
		want         []string
	}{
		{"empty stream", "", nil},
		{"one frame", "data: a\n\n", []string{"a"}},
		{"two frames", "data: a\n\ndata: b\n\n", []string{"a", "b"}},
		{"no space after the colon", "data:a\n\n", []string{"a"}},
		{"only one space after the colon is removed", "data:  a\n\n", []string{" a"}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
		{"mixed line ends", "data: a\n\r\ndata: b\r\n\n", []string{"a", "b"}},
		{"comment", ": hello\n\ndata: a\n\n", []string{"", "a"}},
		{"comment line in a frame", ": hello\ndata: a\n\n", []string{"a"}},
		{"event and id lines", "event: e\nid: 1\ndata: a\n\n", []string{"a"}},
		{"an event line", "event: e\ndata: a\n\nevent:e\ndata:b\n\n", []string{"a", "b"}},
		{"an event line, CRLF", "event: e\r\ndata: a\r\n\r\n", []string{"a"}},
		{"an event line that ends in CR", "event: e\rdata: a\ndata: b\n\n", []string{"a\nb"}},
		{"an event line without data", "event: e\n\ndata: a\n\n", []string{"", "a"}},
		{"several data lines", "data: a\ndata: b\n\n", []string{"a\nb"}},
		{"several data lines, CRLF", "data: a\r\ndata: b\r\n\r\n", []string{"a\nb"}},
		{"no blank line at the end", "data: a\n\ndata: b", []string{"a", "b"}},
		{"half a blank line at the end", "data: a\n\ndata: b\n", []string{"a", "b"}},
		{"a very long line", "data: " + long + "\n\ndata: b\n\n", []string{long, "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for reading, src := range map[string]io.Reader{
				"whole":                 strings.NewReader(c.stream),
				"byte by byte":          iotest.OneByteReader(strings.NewReader(c.stream)),
				"data and end together": iotest.DataErrReader(strings.NewReader(c.stream)),
			} {
				if reading == "byte by byte" && len(c.stream) > 1<<16 {
					continue
				}
				if got := dataOf(t, src); strings.Join(got, "|") != strings.Join(c.want, "|") ||
					len(got) != len(c.want) {
					t.Errorf("%s: got %d frames %.80q, want %.80q", reading, len(got), got, c.want)
				}
			}
		})
	}
}

func TestReader_KeepsTheBytesOfFrames(t *testing.T) {
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

func TestReader_AddsTheMissingBlankLineToTheLastFrame(t *testing.T) {
	frame, err := sse.NewReader(strings.NewReader("data: a"), limit, nil).Next()
	if err != nil || !bytes.HasSuffix(frame, []byte("\n\n")) {
		t.Errorf("got %q, %v; want a frame that ends in a blank line", frame, err)
	}
}

func TestReader_RefusesAFrameAboveTheLimit(t *testing.T) {
	_, err := sse.NewReader(strings.NewReader("data: "+strings.Repeat("x", 100_000)+"\n\n"), 10_000, nil).Next()
	if !errors.Is(err, sse.ErrFrameTooLarge) {
		t.Errorf("got %v, want ErrFrameTooLarge", err)
	}
}

func TestReader_DropsAFrameThatAnErrorCutsOff(t *testing.T) {
	cut := errors.New("cut")
	reader := sse.NewReader(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(cut)), limit, nil)
	if frame, err := reader.Next(); err != nil || string(sse.Data(frame)) != "a" {
		t.Fatalf("first frame: got %q, %v, want the data a", frame, err)
	}
	if frame, err := reader.Next(); !errors.Is(err, cut) {
		t.Errorf("got %q, %v; want the source's error", frame, err)
	}
}

func TestBuffered_ReportsWhetherNextReads(t *testing.T) {
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

// FuzzReader checks that the frames do not depend on how the stream is split into reads, and that they join
// to the stream, apart from the blank line that the last frame gets.
func FuzzReader(f *testing.F) {
	f.Add([]byte("data: a\n\ndata: b\r\n\r\n: c\n\n"), uint8(1))
	f.Add([]byte("data: a\r\rdata: b\r\r"), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		whole := frames(bytes.NewReader(stream))
		pieces := frames(&stepReader{stream, int(step%16) + 1})
		if !bytes.Equal(whole, pieces) && !bytes.Contains(stream, []byte("\r")) {
			t.Errorf("got %q from reads of %d bytes, want %q", pieces, step%16+1, whole)
		}
		if !bytes.HasPrefix(whole, stream) {
			t.Errorf("frames join to %q, want %q", whole, stream)
		}
	})
}

// frames reads a stream and returns its frames, joined.
func frames(src io.Reader) []byte {
	var joined []byte
	reader := sse.NewReader(src, limit, nil)
	for frame, err := reader.Next(); err == nil; frame, err = reader.Next() {
		joined = append(joined, frame...)
		sse.Data(frame)
	}
	return joined
}

// stepReader returns at most step bytes from each Read.
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
