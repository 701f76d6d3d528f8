package fakeupstream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The models that Fast serves.
const (
	FastJSON     = "bench-json"     // a JSON answer of about 1 KB
	FastTLS      = "bench-tls"      // the same answer, for a channel that connects with TLS
	FastResponse = "bench-response" // a response object of about 1 KB
	FastMessage  = "bench-message"  // a message of Anthropic's API of about 1 KB
	FastStream   = "bench-stream"   // FastChunks frames back to back
	FastPaced    = "bench-paced"    // FastChunks frames, one each FastPace
	FastStall    = "bench-stall"    // one frame, then silence until the client leaves
)

// The length and the pace of Fast's streams.
const (
	FastChunks = 300 // content frames
	FastPace   = 10 * time.Millisecond
)

// Fast is an upstream for benchmarks: a minimal HTTP/1.1 server that answers from prepared bytes, so that its
// own CPU use distorts a measurement as little as possible. It is safe for concurrent use.
type Fast struct {
	requests, successes atomic.Int64

	json, response, message []byte

	first  []byte   // answer to FastStall: header and first frame
	header []byte   // HTTP header of a stream
	frames [][]byte // all frames except usage and [DONE], each encoded as a chunk of the transfer coding
	usage  []byte
	end    []byte
}

// NewFast returns a Fast with its answers prepared.
func NewFast() *Fast {
	f := &Fast{
		header: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: " +
			"no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"),
		usage: transferChunk(fastAnswer(true).usageFrame()),
		end:   append(transferChunk([]byte("[DONE]")), "0\r\n\r\n"...),
	}
	f.json, f.response, f.message = jsonAnswer(FastBody()), jsonAnswer(FastResponseBody()),
		jsonAnswer(FastMessageBody())
	frames, _ := fastAnswer(false).chunks()
	for _, frame := range frames {
		f.frames = append(f.frames, transferChunk(frame))
	}
	f.first = append(bytes.Clone(f.header), f.frames[0]...)
	return f
}

// jsonAnswer returns a complete HTTP answer with a JSON body.
func jsonAnswer(body []byte) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "+
		"%d\r\nX-Request-Id: req_fast\r\n\r\n%s", len(body), body)
}

// FastBody returns the JSON body that a FastJSON request gets, for clients to compare.
func FastBody() []byte {
	a := fastAnswer(false)
	a.script = &Script{Size: 600}
	return a.json()
}

// FastResponseBody returns the JSON body that a FastResponse request gets, for clients to compare.
func FastResponseBody() []byte {
	a := fastAnswer(false)
	a.request.Model = FastResponse
	a.script, a.response = &Script{Size: 200}, &response{id: "resp_fast", store: true}
	return a.json()
}

// FastMessageBody returns the JSON body that a FastMessage request gets, for clients to compare.
func FastMessageBody() []byte {
	return fmt.Appendf(
		nil, `{"id":"msg_fast","type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":%q}],`+
			`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":%d}}`,
		FastMessage, strings.Repeat("The answer is 42. ", 40), defaultCounts.prompt, defaultCounts.completion)
}

// FastFrames returns the SSE body that a FastStream request without include_usage gets, for clients to compare.
func FastFrames() []byte {
	var payload bytes.Buffer
	frames, _ := fastAnswer(false).chunks()
	for _, frame := range append(frames, []byte("[DONE]")) {
		payload.Write(join("data: ", frame, "\n\n"))
	}
	return payload.Bytes()
}

// fastAnswer returns the answer of which the prepared bytes are made.
func fastAnswer(includeUsage bool) *answer {
	r := &request{Model: FastJSON, N: 1}
	r.StreamOptions.IncludeUsage = includeUsage
	return &answer{request: r, script: &Script{Chunks: FastChunks, Size: FastChunks * 4}, counts: defaultCounts}
}

// usageFrame returns the last chunk of a stream, which has the usage.
func (a *answer) usageFrame() []byte {
	frames, _ := a.chunks()
	return frames[len(frames)-1]
}

// transferChunk encodes an SSE frame as a chunk of the HTTP/1.1 transfer coding.
func transferChunk(frame []byte) []byte {
	event := join("data: ", frame, "\n\n")
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event)
}

// Counters returns the numbers of requests and successes so far.
func (f *Fast) Counters() Counters {
	return Counters{Requests: f.requests.Load(), Successes: f.successes.Load()}
}

// Serve accepts connections until the listener is closed, and then returns nil.
func (f *Fast) Serve(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("fast upstream: %w", err)
		}
		go func() {
			defer conn.Close() //nolint:errcheck // the connection is not used any more
			c := &fastConn{fast: f, conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}
			for {
				if c.serve() != nil {
					return
				}
			}
		}()
	}
}

// fastConn is one client's connection.
type fastConn struct {
	fast *Fast
	conn net.Conn
	in   *bufio.Reader
	body []byte // of the current request; the buffer is reused
}

// serve reads and answers one request. An error ends the connection.
func (c *fastConn) serve() error {
	if err := c.read(); err != nil {
		return err
	}
	c.fast.requests.Add(1)
	err := c.answer()
	if err == nil {
		c.fast.successes.Add(1)
	}
	return err
}

// answer writes the answer of the request's model.
func (c *fastConn) answer() error {
	switch model := c.model(); string(model) {
	case FastJSON, FastTLS:
		_, err := c.conn.Write(c.fast.json)
		return err
	case FastResponse:
		_, err := c.conn.Write(c.fast.response)
		return err
	case FastMessage:
		_, err := c.conn.Write(c.fast.message)
		return err
	case FastStream:
		return c.stream(0)
	case FastPaced:
		return c.stream(FastPace)
	case FastStall:
		if _, err := c.conn.Write(c.fast.first); err != nil {
			return err
		}
		_, err := c.in.ReadByte() // the client sends nothing more: returns when it disconnects
		return fmt.Errorf("the client disconnected: %w", err)
	default:
		return fmt.Errorf("unknown model %q", model)
	}
}

// stream writes the frames of a stream, with a pause before each if pace is not 0.
func (c *fastConn) stream(pace time.Duration) error {
	if _, err := c.conn.Write(c.fast.header); err != nil {
		return err
	}
	for _, frame := range c.fast.frames {
		if pace > 0 {
			<-time.After(pace)
		}
		if _, err := c.conn.Write(frame); err != nil {
			return err
		}
	}
	if bytes.Contains(c.body, []byte(`"include_usage":true`)) {
		if _, err := c.conn.Write(c.fast.usage); err != nil {
			return err
		}
	}
	_, err := c.conn.Write(c.fast.end)
	return err
}

// model returns the model of the current request with a plain text search, because parsing JSON would cost CPU
// time.
func (c *fastConn) model() []byte {
	const key = `"model":"`
	at := bytes.Index(c.body, []byte(key))
	if at < 0 {
		return nil
	}
	name, _, _ := bytes.Cut(c.body[at+len(key):], []byte(`"`))
	return name
}

// read reads one request. Its body is in c.body until the next call.
func (c *fastConn) read() error {
	length, isChunked := 0, false
	for isFirst := true; ; isFirst = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		if isFirst {
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch value = bytes.TrimSpace(value); {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return fmt.Errorf("Content-Length: %w", err)
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			isChunked = true
		}
	}
	if isChunked {
		return c.readChunked()
	}
	c.body = grow(c.body, length)
	_, err := io.ReadFull(c.in, c.body)
	return err
}

// readChunked reads a chunked body into c.body.
func (c *fastConn) readChunked() error {
	var buffer bytes.Buffer
	if _, err := buffer.ReadFrom(httputil.NewChunkedReader(c.in)); err != nil {
		return err
	}
	c.body = buffer.Bytes()
	_, err := c.in.ReadSlice('\n') // the empty line after the last chunk
	return err
}

// grow returns a slice of length n, with b's memory if it is large enough.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
