package pipeline

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	// firstRead is the first buffer in bytes for a body of unknown length.
	firstRead = 4 << 10
	// secondRead is the second buffer in bytes for a large body of known length. It saves copies of usual bodies.
	secondRead = 1 << 20
)

// reader reads and scans request bodies.
type reader struct {
	maxBytes int64
	memory   *memory.Budget
	now      func() time.Time
}

// scanner scans a request body.
type scanner func(body []byte) (*openai.Request, error)

// check refuses a request whose body cannot be accepted, by its headers alone.
func (rd reader) check(r *http.Request) error {
	if err := checkMediaType(r.Header); err != nil {
		return err
	}
	if r.ContentLength > rd.maxBytes {
		return tooLarge(rd.maxBytes)
	}
	return nil
}

// isLarge reports whether the body of a request may need so much memory that the request is checked before its
// body is read.
func isLarge(r *http.Request) bool { return r.ContentLength < 0 || r.ContentLength > memory.SmallBody }

// read returns the scanned request, and the use of memory by its body and by the caller. The caller of read must
// release the use, also after an error. The request refers to the body's memory, which another call may get after the
// use is released, or reduced by Keep because an upstream has answered.
func (rd reader) read(w http.ResponseWriter, r *http.Request, caller *token.Caller,
	scan scanner) (*openai.Request, *memory.Use, error) {
	buffer, callerSize := body{length: r.ContentLength, limit: rd.maxBytes}, callerBytes(caller)
	demand := memory.Body{Tenant: caller.Tenant.ID, First: callerSize + buffer.first(),
		Length: callerSize + max(r.ContentLength, buffer.first())}
	if isLarge(r) {
		// Without deadlines the server's own limit remains.
		demand.Stop = func() { _ = http.NewResponseController(w).SetReadDeadline(rd.now()) }
	}
	use, err := rd.memory.Take(r.Context(), demand)
	if err != nil {
		leaveUnread(w)
		return nil, nil, err
	}
	buffer.use = use
	err = buffer.read(r.Context(), r.Body)
	use.Own(buffer.lent)
	if !use.Finish() && err == nil {
		err = os.ErrDeadlineExceeded // the body was given up and its connection has a deadline in the past
	}
	if err != nil {
		leaveUnread(w)
		return nil, use, readProblem(err, rd.maxBytes)
	}
	request, err := scan(buffer.bytes)
	if errors.Is(err, openai.ErrResponsesBody) {
		request, err = asChat(r.Context(), buffer.bytes, use)
		if err == nil && caller.Tenant.IgnoredFields == tenant.RefuseIgnored && len(request.Ignored()) > 0 {
			err = conversation.UnsupportedPath(request.Ignored()[0])
		}
	}
	return request, use, err
}

// asChat returns the chat request that asks for the same as the body, a responses request that was sent as a chat
// request: Cursor does this, and reads the answer to a chat. The chat request omits the optional tools that a provider
// runs, which chats do not have. It takes the memory for the translation from use.
func asChat(ctx context.Context, body []byte, use *memory.Use) (*openai.Request, error) {
	responses, err := openai.ScanRequest(body, catalog.Responses)
	if err != nil {
		return nil, err
	}
	if responses.Previous != "" {
		return nil,
			problem.New(problem.UnsupportedParameter,
				"Unsupported parameter: 'previous_response_id'. Send the request to /v1/responses.").
				At("previous_response_id")
	}
	if err := use.Grow(ctx, upstream.TranslationBytes(body)); err != nil {
		return nil, err
	}
	responses, paths := responses.WithoutOptionalTools()
	chat, lacking, err := translate.ChatOf(responses.Forward(responses.Model).Bytes(), responses.IncludeUsage)
	if err != nil {
		return nil, stored.ClientProblem(problem.From(err), responses)
	}
	for _, path := range lacking {
		paths = append(paths, responses.ClientPath(path))
	}
	request, err := openai.ScanRequest(chat, catalog.Chat)
	if err != nil {
		return nil, err
	}
	request.MarkConverted(paths)
	return request, nil
}

// lend lets the attempts of the call use the memory of the body, and take more.
func lend(call *upstream.Call, use *memory.Use) {
	call.Memory = use
	if buffer := use.Buffer(); buffer != nil {
		call.Owner = buffer
	}
}

// prepare lets the call use the memory of the body, and gives it what only calls of some dialects need: the betas that
// the client asked for, and an estimate of the input.
func (x *exchange) prepare(call *upstream.Call, use *memory.Use, betas string) {
	lend(call, use)
	if call.Dialect == catalog.Messages || call.Dialect == catalog.Embeddings {
		call.Betas, call.EstimateInput = betas, x.estimateInput
	}
}

// callerBytes returns the memory in bytes that a call uses for its caller: 0 unless the token lists more models than
// new tokens may. Several calls of one token share this memory, but the relay may have read it again for each of them.
func callerBytes(caller *token.Caller) int64 {
	const usual, perModel = 1_000, 64
	if n := len(caller.Token.Models); n > usual {
		return int64(n) * perModel
	}
	return 0
}

// leaveUnread marks that the body is not read to its end. The connection can then not be used again.
func leaveUnread(w http.ResponseWriter) { w.Header()["Connection"] = []string{"close"} }

// checkMediaType accepts JSON without a content encoding. A request without a content type passes, because some
// clients send none.
func checkMediaType(h http.Header) error {
	mediaType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if mediaType = strings.TrimSpace(mediaType); mediaType != "" && !strings.EqualFold(mediaType, "application/json") {
		return problem.New(problem.UnsupportedMediaType, "Unsupported media type %q: send application/json.", mediaType)
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return problem.New(problem.UnsupportedMediaType,
			"Unsupported content encoding %q: send the body without Content-Encoding.", encoding)
	}
	return nil
}

// errTooLarge means that a body of unknown length exceeds the limit.
var errTooLarge = errors.New("body too large")

// body is a request body that is read into one buffer. The buffer of a small body has its full size at once. That of
// a large one doubles as bytes arrive, so that a client cannot make the relay allocate memory by a header alone.
type body struct {
	bytes  []byte
	lent   *memory.Buffer // the memory of bytes; nil for that of a small body and of one of unknown length
	length int64          // declared; -1 if it is unknown
	limit  int64          // the longest body that is accepted
	use    *memory.Use
}

// first returns the size of the first buffer.
func (b *body) first() int64 {
	if b.length < 0 {
		return firstRead
	}
	return min(b.length, memory.SmallBody)
}

// most returns the size of the largest buffer. For a body of unknown length it has room for one byte more than is
// accepted.
func (b *body) most() int64 {
	if b.length < 0 {
		return b.limit + 1
	}
	return b.length
}

// read reads the whole body. The memory of the first buffer must be reserved.
func (b *body) read(ctx context.Context, from io.Reader) error {
	if b.length > memory.SmallBody {
		b.lent = memory.NewBuffer(memory.SmallBody)
		b.bytes = b.lent.Bytes()[:0]
	} else {
		b.bytes = make([]byte, 0, b.first())
	}
	for int64(len(b.bytes)) < b.most() {
		if len(b.bytes) == cap(b.bytes) {
			if err := b.grow(ctx); err != nil {
				return err
			}
		}
		n, err := from.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		b.use.Arrived(n)
		switch {
		case errors.Is(err, io.EOF) && int64(len(b.bytes)) < b.length:
			return io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	if b.length < 0 {
		return errTooLarge
	}
	return nil
}

// grow replaces the buffer by one of at least twice the size. Both buffers count while the bytes are copied.
func (b *body) grow(ctx context.Context) error {
	size := 2 * int64(cap(b.bytes))
	if b.length >= 0 {
		size = max(size, secondRead)
	}
	size = min(size, b.most())
	if b.lent != nil {
		size = memory.BufferSize(size)
	}
	if err := b.use.Grow(ctx, size); err != nil {
		return err
	}
	full, lease := b.bytes, b.lent
	if lease == nil {
		b.bytes = make([]byte, size)
	} else {
		b.lent = memory.NewBuffer(size)
		b.bytes = b.lent.Bytes()
	}
	b.bytes = b.bytes[:copy(b.bytes, full)]
	b.use.Shrink(int64(cap(full)))
	if lease != nil {
		lease.Release()
	}
	return nil
}

// readProblem converts an error of reading a body of at most limit bytes.
func readProblem(err error, limit int64) error {
	var network net.Error
	switch {
	case errors.Is(err, errTooLarge):
		return tooLarge(limit)
	case problem.Is(err, problem.Overloaded): // there was no memory for the rest
		return err
	case errors.As(err, &network) && network.Timeout():
		return problem.Wrap(problem.ReadTimeout, err)
	}
	return &problem.Problem{Kind: problem.InvalidJSON, Message: "The request body ended before it was complete.",
		Cause: err}
}

// tooLarge returns the problem of a body above the limit.
func tooLarge(limit int64) error {
	return problem.New(problem.TooLarge, "The request body is larger than the limit of %d bytes.", limit)
}
