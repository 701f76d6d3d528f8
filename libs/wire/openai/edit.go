package openai

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// Body is an edited request body: the client's bytes with a few spans
// replaced. A large one is not copied as a whole. Readers of it are
// independent.
type Body struct {
	segments [][]byte
	size     int64
}

// NewBody returns the body of the given bytes, which must not change any more.
func NewBody(body []byte) Body { return Body{[][]byte{body}, int64(len(body))} }

// Forward returns the body for an upstream that knows the model under
// upstreamModel. Of a chat stream the usage chunk is asked for always; what a
// request goes back to is named as the upstream does. All other bytes stay as
// the client sent them.
func (r *Request) Forward(upstreamModel string) Body {
	var few [4]edit
	edits := few[:0]
	if upstreamModel != r.Model {
		edits = append(edits, edit{r.model, quoted(upstreamModel)})
	}
	if r.dialect == catalog.Chat && r.Stream && !r.IncludeUsage {
		edits = append(edits, r.includeUsageEdit())
	}
	return splice(r.body, inOrder(r.addOrigins(edits)))
}

// addOrigins appends the edits that name what a request goes back to as its
// upstream does.
func (r *Request) addOrigins(edits []edit) []edit {
	if r.upstream != "" {
		edits = append(edits, edit{r.previous, quoted(r.upstream)})
	}
	for _, tag := range r.tags {
		edits = append(edits, edit{at: tag})
	}
	return edits
}

// SetPrevious tells what the upstream calls the response that Previous names.
func (r *Request) SetPrevious(upstream string) { r.upstream = upstream }

// inOrder sorts edits by their place.
func inOrder(edits []edit) []edit {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.at.start, b.at.start) })
	return edits
}

type edit struct {
	at   span
	with []byte
}

func (r *Request) includeUsageEdit() edit {
	switch {
	case r.includeUsage != (span{}):
		return edit{r.includeUsage, []byte(`true`)}
	case r.streamOptions == (span{}):
		return edit{span{r.end, r.end}, []byte(`,"stream_options":{"include_usage":true}`)}
	case r.body[r.streamOptions.start] != '{':
		return edit{r.streamOptions, []byte(`{"include_usage":true}`)}
	}
	inside := r.streamOptions.start + 1
	if isEmptyObject(r.streamOptions.of(r.body)) {
		return edit{span{inside, inside}, []byte(`"include_usage":true`)}
	}
	return edit{span{inside, inside}, []byte(`"include_usage":true,`)}
}

func isEmptyObject(raw []byte) bool {
	s := scanner{body: raw, at: 1}
	s.space()
	return s.eat('}')
}

func splice(body []byte, edits []edit) Body {
	if len(edits) == 0 {
		return NewBody(body)
	}
	segments := make([][]byte, 0, 2*len(edits)+1)
	at := 0
	for _, e := range edits {
		segments = append(segments, body[at:e.at.start], e.with)
		at = e.at.end
	}
	segments = append(segments, body[at:])
	var size int64
	for _, segment := range segments {
		size += int64(len(segment))
	}
	spliced := Body{segments, size}
	if size <= maxCopied {
		spliced.segments = [][]byte{spliced.Bytes()}
	}
	return spliced
}

// maxCopied is the size in bytes up to which copying a body is cheaper than
// sending it in pieces.
const maxCopied = 64 << 10

// Size is the length in bytes.
func (b Body) Size() int64 { return b.size }

// Bytes returns a copy.
func (b Body) Bytes() []byte {
	all := make([]byte, 0, b.size)
	for _, segment := range b.segments {
		all = append(all, segment...)
	}
	return all
}

// Reader returns a new reader of the whole body. In one piece it is a
// bytes.Reader, which net/http sends together with the headers: to any other
// reader it gives a write of its own.
func (b Body) Reader() io.ReadCloser {
	if len(b.segments) == 1 {
		return io.NopCloser(bytes.NewReader(b.segments[0]))
	}
	return &bodyReader{rest: b.segments}
}

type bodyReader struct {
	rest [][]byte
	at   int // in the first of rest
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for len(r.rest) > 0 {
		copied := copy(p[n:], r.rest[0][r.at:])
		n += copied
		r.at += copied
		if r.at < len(r.rest[0]) {
			return n, nil
		}
		r.rest, r.at = r.rest[1:], 0
	}
	r.rest = nil
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
