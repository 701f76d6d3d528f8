package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

// idleReader restarts the timer with every read: after the headers, only silence counts as a timeout.
type idleReader struct {
	io.ReadCloser
	timer  *time.Timer
	limits limits
	now    func() time.Time
}

// Read reads from the body.
func (r *idleReader) Read(p []byte) (int, error) {
	r.timer.Reset(r.limits.limitWait(r.now(), r.limits.idle))
	return r.ReadCloser.Read(p)
}

// limitSilence limits only the silence between two reads of a body, because a long answer may take minutes.
func (a *attempt) limitSilence(body io.ReadCloser, now func() time.Time) io.ReadCloser {
	return &idleReader{body, a.timer, a.limits, now}
}

// timedReader is the body of a stream that records when bytes arrived last. LastRead may be called at any time.
type timedReader struct {
	io.ReadCloser
	begun time.Time
	last  atomic.Int64 // since begun, in nanoseconds
}

// wrap begins to time a body. It must be called at most once.
func (r *timedReader) wrap(body io.ReadCloser) io.ReadCloser {
	r.ReadCloser, r.begun = body, time.Now()
	return r
}

// Read reads from the body.
func (r *timedReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if n > 0 {
		r.last.Store(int64(time.Since(r.begun)))
	}
	return n, err
}

// LastRead returns when bytes arrived last, or when the answer began.
func (r *timedReader) LastRead() time.Time { return r.begun.Add(time.Duration(r.last.Load())) }

// readAnswer reads and checks a complete JSON body.
func readAnswer(reply *Reply, dialect catalog.Dialect, response *http.Response) *attemptError {
	a := reply.attempt
	body, failure := a.readBody(response, a.copies())
	if failure != nil {
		return failure
	}
	fail := func(code failureCode, cause error) *attemptError { return badAnswer(response, code, cause) }
	var err error
	if a.answer != nil {
		// The text of a translation error may quote the upstream.
		if body, err = a.answer.Whole(body); err != nil {
			return fail(codeOf(err), errors.New(reply.Clean(err.Error())))
		}
	}
	answer, err := output.ScanAnswer(dialect, body)
	if err != nil {
		return fail(codeNonsense, err)
	}
	if answer.Empty { // clients read the first choice
		e := fail(codeNonsense, errors.New("the answer has no choice"))
		e.usage = answer.Usage
		return e
	}
	tally.HideCost(body, answer.UsageAt)
	// Some upstreams send an error with the status 200.
	reply.Body, reply.Answer = body, answer
	if a.answer != nil {
		reply.Answer.Usage, reply.Answer.Charges = reply.CompleteUsage(answer.Usage, answer.Charges)
	}
	if answer.Error != nil {
		e := fail(codeErrorBody, errors.New(reply.Clean(answer.Error.Message)))
		e.usage = answer.Usage
		if answer.Failed && dialect == catalog.Responses {
			e.answer = reply
		}
		return e
	}
	return nil
}

// badAnswer returns the failure of an attempt whose answer cannot be used.
func badAnswer(response *http.Response, code failureCode, cause error) *attemptError {
	return &attemptError{status: response.StatusCode, code: code, kind: problem.UpstreamFailed,
		fault: provider.ServerFault, cause: cause}
}

// readBody reads the body of an answer, and takes the memory for so many copies of it.
func (a *attempt) readBody(response *http.Response, copies int64) ([]byte, *attemptError) {
	body, err := readAll(a.ctx, a.memory, response)
	if err == nil {
		err = takeMemory(a.ctx, a.memory, copies*int64(len(body)))
	}
	switch {
	case isNoMemory(err):
		return nil, noMemory(response, err)
	case err != nil:
		return nil, badAnswer(response, codeCut, err)
	}
	return body, nil
}

// codeOf distinguishes an error that the upstream reported from a malformed response.
func codeOf(err error) failureCode {
	if fault := new(completion.UpstreamError); errors.As(err, &fault) {
		return codeErrorBody
	}
	return codeNonsense
}

const (
	// firstRead is the size in bytes of the first buffer for an answer of unknown length.
	firstRead = 4 << 10
	// smallAnswer is the size in bytes up to which an answer takes nothing from the memory budget.
	smallAnswer = 64 << 10
	// translatedCopies is an upper bound of the memory that a translation of an answer uses, as a multiple of the
	// answer's size: the decoded answer, the body for the client, which has the text twice in the dialect responses,
	// and the smaller buffer from which that body grew.
	translatedCopies = 4
	// streamCopies is the same bound for a stream that is made of an answer: five events of a response have its texts,
	// and the buffer of the events grows to twice its size.
	streamCopies = 12
	// frameCopies is the same bound for a frame of a stream, as a multiple of the buffer into which it is read: the
	// buffer, the frame with other ids, and the copy that is written or waits for the end of the stream.
	frameCopies = 3
)

// copies returns the factor for an answer of the attempt.
func (a *attempt) copies() int64 {
	if a.answer != nil || a.embeddings != nil {
		return translatedCopies
	}
	return 0
}

// errTooLarge refers to maxAnswer.
var errTooLarge = errors.New("the response is larger than 64 MiB")

// readAll reads the body, up to maxAnswer bytes. What it allocates beyond smallAnswer it takes from the memory
// first, and at the end only the buffer of the body counts. Smaller answers are bounded by the number of calls in
// flight.
func readAll(ctx context.Context, memory Memory, response *http.Response) ([]byte, error) {
	size := response.ContentLength
	if size > maxAnswer {
		return nil, errTooLarge
	}
	if size > 0 {
		if err := takeMemory(ctx, memory, size); err != nil {
			return nil, err
		}
		body := make([]byte, size)
		_, err := io.ReadFull(response.Body, body)
		return body, err
	}
	body := make([]byte, 0, firstRead)
	for len(body) <= maxAnswer {
		if len(body) == cap(body) {
			size := min(2*cap(body), maxAnswer+1)
			if err := takeMemory(ctx, memory, int64(size)); err != nil {
				return nil, err
			}
			full := cap(body)
			body = append(make([]byte, 0, size), body...)
			if full > smallAnswer {
				memory.Shrink(int64(full))
			}
		}
		n, err := response.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
	}
	return nil, errTooLarge
}

// isNoMemory reports whether an error of readAll, takeMemory or TakeForFrame means that there was no room in the
// memory.
func isNoMemory(err error) bool {
	return problem.Is(err, problem.Overloaded) || problem.Is(err, problem.TooLarge)
}

// noMemory returns the failure of an attempt whose answer has no room. It is final: another upstream's answer would
// need as much, and would have to be paid, too.
func noMemory(response *http.Response, err error) *attemptError {
	return &attemptError{status: response.StatusCode, code: codeNoMemory, kind: problem.Overloaded,
		final: true, cause: err}
}

// takeMemory takes the bytes of a buffer from the memory, unless the buffer is small.
func takeMemory(ctx context.Context, memory Memory, size int64) error {
	if size <= smallAnswer {
		return nil
	}
	return memory.Grow(ctx, size)
}

// openStream reads the frames up to the first one that shows that the upstream has started to answer. The
// client gets its status 200 only after that. In a chat stream it is the first frame. In a responses or messages stream
// it is the first one after the events that only announce an answer.
func (c *Client) openStream(reply *Reply, dialect catalog.Dialect, response *http.Response) *attemptError {
	fail := func(code failureCode, cause error) *attemptError { return badAnswer(response, code, cause) }
	response.Body = reply.attempt.source.wrap(response.Body)
	body, limit, failure := c.streamOf(reply, dialect, response)
	if failure != nil {
		return failure
	}
	stream := output.NewStream(dialect, body, limit, c.buffers.take())
	if reply.frames == 0 {
		stream.UseMemory(reply.attempt)
	}
	frame, err := stream.Peek()
	// A messages stream reports its input before its first content. That of a translated one is the relay's estimate.
	withUsage := func(e *attemptError) *attemptError {
		if !reply.Translated() {
			e.usage = stream.PeekedUsage()
		}
		return e
	}
	switch {
	case isNoMemory(err):
		return withUsage(noMemory(response, err))
	case err != nil:
		return withUsage(fail(codeEmptyStream, err))
	// The stream ended before it had any data.
	case frame.Done:
		return fail(codeEmptyStream, errors.New("the stream is empty"))
	case frame.Err != nil:
		return withUsage(fail(codeNonsense, frame.Err))
	}
	if fault := frame.UpstreamError(); fault != nil {
		e := withUsage(fail(codeErrorFrame, errors.New(reply.Clean(fault.Message))))
		if fault.Code == rateLimited || fault.Type == "rate_limit_error" || fault.Type == "overloaded_error" {
			e.kind = problem.UpstreamBusy
		}
		if dialect == catalog.Responses && isFailure(frame.Event) {
			e.usage, e.answer = c.readFailure(reply, stream), reply
		}
		return e
	}
	reply.Stream, reply.buffers = stream, &c.buffers
	return nil
}

// streamOf returns the upstream's stream in the client's dialect, and the limit of its frames in bytes. Some upstreams
// ignore "stream" and answer with JSON, some proxies with an HTML page, and some servers send a stream with another
// content type.
func (c *Client) streamOf(
	reply *Reply, dialect catalog.Dialect, response *http.Response,
) (body io.Reader, limit int, _ *attemptError) {
	body = response.Body
	if !isMedia(response.Header, "text/event-stream") {
		reader := bufio.NewReaderSize(body, firstRead)
		if !beginsStream(reader) {
			unread := struct {
				io.Reader
				io.Closer
			}{reader, response.Body}
			response.Body = reply.attempt.limitSilence(unread, c.Now)
			response.ContentLength = -1 // without the blanks that were read
			frames, failure := framesOfJSON(reply, dialect, response)
			reply.frames = len(frames)
			return bytes.NewReader(frames), max(len(frames), maxFrame), failure
		}
		body = reader
	}
	if reply.attempt.answer != nil {
		reply.attempt.answer.UseMemory(reply.attempt)
		body = reply.attempt.answer.Stream(body, maxFrame)
	}
	return body, maxFrame, nil
}

// errNoStream means that an upstream answered the request for a stream with something else.
var errNoStream = errors.New("the answer is not an event stream")

// framesOfJSON returns the stream that says the same as an answer in JSON, in the client's dialect: the upstream bills
// the answer, and another channel's would be billed, too. Of a failed response it is the event response.failed. The
// error has the usage of an answer that has no such stream.
func framesOfJSON(reply *Reply, dialect catalog.Dialect, response *http.Response) ([]byte, *attemptError) {
	fail := func(code failureCode, cause error) *attemptError { return badAnswer(response, code, cause) }
	if !isMedia(response.Header, "application/json") {
		return nil, fail(codeNonsense, errNoStream)
	}
	a := reply.attempt
	body, failure := a.readBody(response, streamCopies)
	if failure != nil {
		return nil, failure
	}
	var frames []byte
	var err error
	if a.answer != nil {
		if frames, err = a.answer.Frames(body); err != nil {
			return nil, fail(codeOf(err), errors.New(reply.Clean(err.Error()))) // its text may quote the upstream
		}
		return frames, nil
	}
	answer, err := output.ScanAnswer(dialect, body)
	switch {
	case err != nil:
		return nil, fail(codeNonsense, errNoStream)
	case answer.Failed && dialect == catalog.Responses:
		frames = failedFrame(body)
	case answer.Error != nil:
		e := fail(codeErrorBody, errors.New(reply.Clean(answer.Error.Message)))
		e.usage = answer.Usage
		return nil, e
	case !answer.Empty:
		frames = output.StreamOf(dialect, body)
	}
	if frames == nil {
		e := fail(codeNonsense, errNoStream)
		e.usage = answer.Usage
		return nil, e
	}
	return frames, nil
}

// beginsStream reports whether the first line is one of an event stream, after blank lines and a byte order mark. JSON
// and HTML begin otherwise.
func beginsStream(r *bufio.Reader) bool {
	for range firstRead {
		b, err := r.ReadByte()
		if err != nil {
			return false
		}
		if strings.IndexByte(" \t\r\n\xef\xbb\xbf", b) < 0 {
			_ = r.UnreadByte() // a byte was just read
			if strings.IndexByte(":ider", b) < 0 {
				return false // without waiting for more bytes
			}
			break
		}
	}
	// The shortest first: Peek waits for its bytes.
	for _, field := range [...]string{":", "id:", "data:", "event:", "retry:"} {
		if begin, err := r.Peek(len(field)); err == nil && string(begin) == field {
			return true
		}
	}
	return false
}

// rateLimited is the error code in a stream that corresponds to the status 429.
const rateLimited = "rate_limit_exceeded"
