package pipeline

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	// drainLimit and drainTime bound how much of a refused body is read.
	drainLimit = 64 << 20
	drainTime  = 5 * time.Second
	// firstRead is the initial buffer for a body of unknown or large size. maxPresized is the largest body for
	// which a buffer of its full size is allocated at once. Larger ones grow as bytes arrive, so that a client
	// cannot make the relay allocate memory by a header alone.
	firstRead   = 4 << 10
	maxPresized = 1 << 20
)

// reader reads and scans request bodies.
type reader struct {
	maxBytes int64
	now      func() time.Time
}

// read returns the scanned request. The request refers to the body's memory, which can be released when an
// upstream has answered.
func (rd reader) read(w http.ResponseWriter, r *http.Request, dialect catalog.Dialect) (*openai.Request, error) {
	body, err := rd.body(w, r)
	if err != nil {
		return nil, err
	}
	return openai.ScanRequest(body, dialect)
}

// body reads the body within the limits. Its errors are problems.
func (rd reader) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > rd.maxBytes {
		rd.drain(w, r)
		return nil, tooLarge(rd.maxBytes)
	}
	body, err := readBody(r.Body, r.ContentLength, rd.maxBytes)
	if errors.Is(err, errTooLarge) {
		rd.drain(w, r)
		return nil, tooLarge(rd.maxBytes)
	}
	if err != nil {
		return nil, readProblem(err)
	}
	return body, nil
}

// checkMediaType accepts JSON without a content encoding. A request without a content type passes, because some
// clients send none.
func checkMediaType(h http.Header) error {
	mediaType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if mediaType = strings.TrimSpace(mediaType); mediaType != "" && !strings.EqualFold(mediaType, "application/json") {
		return problem.New(problem.UnsupportedMediaType, "Unsupported media type %q: send application/json.", mediaType)
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return problem.New(problem.UnsupportedMediaType, "Unsupported content encoding %q: send the body without Content-Encoding.", encoding)
	}
	return nil
}

// errTooLarge means that a body of unknown length exceeds the limit.
var errTooLarge = errors.New("body too large")

// readBody reads length bytes, or everything up to limit if length is unknown (-1). errTooLarge means that the
// body exceeds limit.
func readBody(body io.Reader, length, limit int64) ([]byte, error) {
	if length >= 0 && length <= maxPresized {
		buffer := make([]byte, length)
		_, err := io.ReadFull(body, buffer)
		return buffer, err
	}
	buffer := bytes.NewBuffer(make([]byte, 0, firstRead))
	n, err := buffer.ReadFrom(io.LimitReader(body, limit+1))
	switch {
	case err == nil && n > limit:
		err = errTooLarge
	case err == nil && n < length:
		err = io.ErrUnexpectedEOF
	}
	return buffer.Bytes(), err
}

// readProblem converts an error of reading the body.
func readProblem(err error) error {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return problem.Wrap(problem.ReadTimeout, err)
	}
	return &problem.Problem{Kind: problem.InvalidJSON, Message: "The request body ended before it was complete.", Cause: err}
}

// tooLarge returns the problem of a body above the limit.
func tooLarge(limit int64) error {
	return problem.New(problem.TooLarge, "The request body is larger than the limit of %d bytes.", limit)
}

// drain reads the rest of a refused body, within bounds. If the relay closed the connection instead, the client
// would see a connection reset and not the error response. A client that sent Expect has not sent the body yet.
func (rd reader) drain(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if r.Header.Get("Expect") != "" {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(rd.now().Add(drainTime)) // if the writer has no deadlines, drainLimit alone bounds the read
	_, _ = io.CopyN(io.Discard, r.Body, drainLimit)                            // the refusal is sent even if the rest cannot be read
}
