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
	// drainLimit and drainTime bound how much is read of a body that is refused.
	drainLimit = 64 << 20
	drainTime  = 5 * time.Second
	// firstRead and wholeRead bound what is allocated for a body before it arrives.
	firstRead = 4 << 10
	wholeRead = 1 << 20
)

// reader reads request bodies.
type reader struct {
	maxBytes int64
	now      func() time.Time
}

// read returns the scanned request. Its body has memory of its own, which is
// released once an upstream has answered.
func (rd reader) read(w http.ResponseWriter, r *http.Request, dialect catalog.Dialect) (*openai.Request, error) {
	body, err := rd.body(w, r)
	if err != nil {
		return nil, err
	}
	return openai.ScanRequest(body, dialect)
}

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

func checkMediaType(h http.Header) error {
	mediaType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if mediaType = strings.TrimSpace(mediaType); mediaType != "" && !strings.EqualFold(mediaType, "application/json") {
		return problem.New(problem.UnsupportedMediaType, "Unsupported media type %q: send application/json.", mediaType)
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return problem.New(problem.UnsupportedMediaType, "Unsupported content encoding %q.", encoding)
	}
	return nil
}

var errTooLarge = errors.New("body too large")

// readBody reads length bytes, or all up to limit if length is unknown (-1).
func readBody(body io.Reader, length, limit int64) ([]byte, error) {
	if length >= 0 && length <= wholeRead {
		whole := make([]byte, length)
		_, err := io.ReadFull(body, whole)
		return whole, err
	}
	whole := bytes.NewBuffer(make([]byte, 0, firstRead))
	n, err := whole.ReadFrom(io.LimitReader(body, limit+1))
	switch {
	case err == nil && n > limit:
		err = errTooLarge
	case err == nil && n < length:
		err = io.ErrUnexpectedEOF
	}
	return whole.Bytes(), err
}

func readProblem(err error) error {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return problem.Wrap(problem.ReadTimeout, err)
	}
	return &problem.Problem{Kind: problem.InvalidJSON, Message: "The body ends too early.", Cause: err}
}

func tooLarge(limit int64) error {
	return problem.New(problem.TooLarge, "The request body is larger than %d bytes.", limit)
}

// drain reads, within bounds, the rest of a body that is refused: if the
// connection were closed instead, the client would see a reset and not the
// refusal. A client that asked first (Expect) has not begun to send.
func (rd reader) drain(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if r.Header.Get("Expect") != "" {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(rd.now().Add(drainTime)) // without deadlines the limit alone bounds it
	_, _ = io.CopyN(io.Discard, r.Body, drainLimit)                            // after an error too, the refusal is next
}
