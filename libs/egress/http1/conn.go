package http1

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"time"
)

const (
	// smallBody is the size in bytes up to which a body is written before the answer is read. The buffers of a socket
	// hold that much, so that an upstream that answers without reading the body cannot block the exchange.
	smallBody = 64 << 10
	// lateWrite is how long the end of a response waits for the end of the request's body, which is usually known at
	// once.
	lateWrite = 50 * time.Millisecond
)

// conn is a connection that makes one exchange at a time.
type conn struct {
	transport *Transport
	place     place
	net       net.Conn             // what is written and read: TCP, or TLS over it
	socket    *socket              // of TCP
	tls       *tls.ConnectionState // nil without TLS
	since     time.Time            // when it became idle
	abort     func()               // ends all reads and writes; the connection cannot be used afterwards
	probe     [1]byte              // for alive

	// State of the current exchange.
	reused   bool
	lasts    bool        // the connection can be used again, as far as the two heads tell
	stop     func() bool // ends the wait for the context, nil for none
	ctx      context.Context
	reader   *bufio.Reader
	headRoom int64 // bytes that the head may still have; -1 after the head
	ahead    ahead
	out      net.Buffers // head and body while they are written
	room     [4][]byte   // for out
	request  *[]byte     // a small request that the first read writes, see asks; nil for none, or after that
	written  int64       // bytes of the request
	writing  chan error  // gets the result of the goroutine that writes a large body; nil for none, or after that
	writeErr error       // the error of writing, once it is known
}

// errHeaderTooLarge means that the head of a response exceeds its bound.
var errHeaderTooLarge = errors.New("http1: the header of the response is too large")

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// dial makes a new connection.
func (t *Transport) dial(ctx context.Context, to place) (*conn, error) {
	raw, err := t.options.Dial(ctx, "tcp", to.address())
	if err != nil {
		return nil, err
	}
	c := &conn{transport: t, place: to, socket: newSocket(raw)}
	c.net = c.socket
	if to.scheme == "https" {
		if err := c.handshake(ctx, t); err != nil {
			_ = raw.Close()
			return nil, err
		}
	}
	c.abort = func() { _ = c.net.SetDeadline(past) }
	return c, nil
}

// handshake starts TLS.
func (c *conn) handshake(ctx context.Context, t *Transport) error {
	ctx, cancel := context.WithTimeout(ctx, t.options.HandshakeTimeout)
	defer cancel()
	config := t.tls
	if config.ServerName == "" {
		config = config.Clone()
		host, _, err := net.SplitHostPort(c.place.address())
		if err != nil {
			return fmt.Errorf("http1: %w", err)
		}
		config.ServerName = host
	}
	secure := tls.Client(c.socket, config)
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.TLSHandshakeStart != nil {
		trace.TLSHandshakeStart()
	}
	if err := secure.HandshakeContext(ctx); err != nil {
		return &handshakeError{err}
	}
	state := secure.ConnectionState()
	c.net, c.tls = secure, &state
	return nil
}

// handshakeError is the error of a TLS handshake.
type handshakeError struct{ cause error }

// Error returns the text of the cause.
func (e *handshakeError) Error() string { return "http1: TLS handshake: " + e.cause.Error() }

// Unwrap returns the cause.
func (e *handshakeError) Unwrap() error { return e.cause }

// RefusesVersion reports whether an error of RoundTrip means that the upstream does not speak HTTP/1.1. Nothing of the
// request was sent: the same alert after the handshake does not count.
func RefusesVersion(err error) bool {
	if err == nil { // errors.As would allocate
		return false
	}
	var handshake *handshakeError
	var remote *net.OpError
	if !errors.As(err, &handshake) || !errors.As(handshake.cause, &remote) {
		return false
	}
	// The type of the alert no_application_protocol (RFC 7301, section 3.2) is not exported.
	return remote.Op == "remote error" && remote.Err.Error() == "tls: no application protocol"
}

// exchange sends a request and returns the response, whose body owns the connection. After an error the connection is
// closed.
func (c *conn) exchange(r *http.Request, owner Segmented, body [][]byte,
	trace *httptrace.ClientTrace) (*http.Response, error) {
	c.begin(r.Context())
	response, err := c.converse(r, owner, body, trace)
	if err != nil {
		return nil, c.fail(err)
	}
	response.Request, response.TLS = r, c.tls
	c.lasts = !response.Close && !r.Close && response.StatusCode >= http.StatusOK
	if r.Method == http.MethodHead || response.ContentLength == 0 ||
		response.StatusCode == http.StatusSwitchingProtocols {
		response.Body = http.NoBody
		c.end()
		return response, nil
	}
	response.Body = &content{conn: c, source: response.Body, unbounded: response.ContentLength < 0 &&
		len(response.TransferEncoding) == 0}
	return response, nil
}

// begin prepares an exchange, which ends with the context.
func (c *conn) begin(ctx context.Context) {
	c.ctx, c.stop, c.written, c.writing, c.writeErr, c.ahead = ctx, nil, 0, nil, nil, ahead{}
	if ctx.Done() != nil {
		c.stop = context.AfterFunc(ctx, c.abort)
	}
	c.reader, _ = c.transport.readers.Get().(*bufio.Reader)
	c.reader.Reset(c)
}

// converse writes a request and reads the head of the response. An upstream may answer although it refuses to read the
// rest of the request; reading does not block then, because TCP refuses only by a reset.
func (c *conn) converse(r *http.Request, owner Segmented, body [][]byte,
	trace *httptrace.ClientTrace) (*http.Response, error) {
	c.writeErr = c.send(r, owner, body)
	if c.writeErr != nil && (c.written == 0 || c.ctx.Err() != nil) {
		return nil, fmt.Errorf("http1: write the request: %w", c.writeErr)
	}
	response, err := c.receive(r, trace)
	if err != nil && c.writing != nil {
		c.abort()
		c.writeErr, c.writing = <-c.writing, nil
		if errors.Is(c.writeErr, os.ErrDeadlineExceeded) { // only because of the abort
			c.writeErr = nil
		}
	}
	switch {
	case err == nil:
		response.Close = response.Close || c.writeErr != nil
		return response, nil
	case c.writeErr != nil:
		return nil, fmt.Errorf("http1: write the request: %w", c.writeErr)
	}
	return nil, fmt.Errorf("http1: read the response: %w", err)
}

// receive reads the head of the response. Informational responses before it are skipped.
func (c *conn) receive(r *http.Request, trace *httptrace.ClientTrace) (*http.Response, error) {
	c.headRoom = c.transport.options.MaxHeaderBytes
	if _, err := c.reader.Peek(1); err != nil {
		return nil, err //nolint:wrapcheck // converse does
	}
	if trace != nil && trace.GotFirstResponseByte != nil {
		trace.GotFirstResponseByte()
	}
	for {
		response, err := http.ReadResponse(c.reader, r)
		if err != nil {
			return nil, err //nolint:wrapcheck // converse does
		}
		if response.StatusCode >= http.StatusOK || response.StatusCode < http.StatusContinue ||
			response.StatusCode == http.StatusSwitchingProtocols {
			c.headRoom = -1
			return response, nil
		}
	}
}

// Read reads from the connection, within the bound of the head. It is for the reader only.
func (c *conn) Read(p []byte) (int, error) {
	switch {
	case c.headRoom < 0:
		return c.ahead.read(c.net, p)
	case c.headRoom == 0:
		return 0, errHeaderTooLarge
	}
	p = p[:min(int64(len(p)), c.headRoom)]
	if c.request != nil {
		return c.ask(p)
	}
	n, err := c.net.Read(p)
	c.headRoom -= int64(n)
	return n, err //nolint:wrapcheck // converse and content do
}

// asks reports whether the connection writes a request with a body of the size only when the answer is read. Then
// nothing else needs to check that the idle connection is alive.
func (c *conn) asks(size int64) bool { return c.tls == nil && c.socket.raw != nil && size <= joined }

// ask writes the request and reads the beginning of the answer into p.
func (c *conn) ask(p []byte) (int, error) {
	request := c.request
	c.request = nil
	defer putHead(request)
	written, n, err := c.socket.ask(*request, p)
	if err == nil && written < len(*request) {
		var more int
		more, c.writeErr = c.socket.tcp.Write((*request)[written:])
		written += more
		if err = c.writeErr; err == nil || written > 0 { // what arrives without a request is no answer to it
			n, err = c.net.Read(p)
		}
	}
	c.written = int64(written)
	c.headRoom -= int64(n)
	return n, err //nolint:wrapcheck // converse does
}

// fail ends an exchange that failed, and returns the error for the caller.
func (c *conn) fail(err error) error {
	if c.ctx.Err() != nil {
		err = context.Cause(c.ctx)
	}
	c.close()
	return err
}

// end ends an exchange whose response was read. The connection becomes idle if it lasts.
func (c *conn) end() {
	lasts := c.lasts
	if c.stop != nil && !c.stop() { // abort has run, or will soon
		lasts = false
	}
	lasts = lasts && c.wrote() && c.writeErr == nil && c.reader.Buffered() == 0 && c.ahead.isEmpty()
	reader, writes := c.reader, c.writing != nil
	c.reader, c.stop, c.ctx, c.writing = nil, nil, nil, nil
	reader.Reset(nil)
	c.transport.readers.Put(reader)
	switch {
	case lasts:
		c.transport.idle.put(c)
	case writes:
		c.close()
	default:
		c.retire()
	}
}

// wrote reports whether the writing of the request has ended, for which it waits a moment. writeErr is its result.
func (c *conn) wrote() bool {
	if c.writing == nil {
		return true
	}
	soon := time.NewTimer(lateWrite)
	defer soon.Stop()
	select {
	case c.writeErr = <-c.writing:
		c.writing = nil
		return true
	case <-soon.C:
		return false
	}
}

// close closes the connection. It may be called while another goroutine reads or writes. It does not end TLS, for which
// it would wait until an upstream that reads nothing reads.
func (c *conn) close() {
	if c.stop != nil {
		c.stop()
	}
	_ = c.socket.Close() // nothing is expected of it any more
}

// retire closes a connection between two exchanges. It ends TLS, unless that would have to wait.
func (c *conn) retire() {
	c.socket.polling = true
	_ = c.net.Close() // nothing is expected of it any more
}

// alive reports whether an idle connection can be used: the upstream has neither closed it nor sent anything. It reads
// without waiting. TLS may get messages of its own meanwhile, which it handles and may answer.
func (c *conn) alive() bool {
	if c.socket.raw == nil {
		return true
	}
	c.socket.polling = true
	n, err := c.net.Read(c.probe[:])
	c.socket.polling = false
	return n == 0 && errors.Is(err, errNothing)
}
